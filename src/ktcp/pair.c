/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include "weir/num.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READY_NS (10 * WEIR_NS_PER_S)
#define PATIENCE_NS (2 * WEIR_NS_PER_S)

u64 weir_ktcp_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

/* ---- in a new process ---- */

/* Handlers of the parent would touch its state; the terminal's signals are for the parent, which ends us. */
static void settle_signals(void)
{
	static const int ignored[] = {SIGINT, SIGHUP, SIGQUIT, SIGPIPE};
	for (int s = 1; s < _NSIG; s++)
		signal(s, SIG_DFL);
	for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
		signal(ignored[i], SIG_IGN);
	sigset_t blocked;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, WEIR_KTCP_SCHEDULED_SIGNAL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* An end host is an ordinary process, whatever priority the ferry gave itself. */
static void settle_priority(void)
{
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

static void close_all_but(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);
	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
}

static _Noreturn void be_child(struct weir_ktcp_birth *b, int ns, pid_t parent, weir_ktcp_life *live,
			       void *ctx)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent) /* it may be dead already */
		_exit(1);
	settle_signals();
	settle_priority();
	b->error = setns(ns, CLONE_NEWNET) < 0 ? errno : 0;
	close_all_but(b->peer, b->ready);
	_exit(live(ctx, b));
}

/* ---- starting ---- */

/* Signals are blocked meanwhile, so that no handler of ours runs in a child. Returns errno. */
static int fork_both(struct weir_ktcp_pair *p, const int ns[WEIR_KTCP_SIDES], const int peer[WEIR_KTCP_SIDES],
		     int ready, weir_ktcp_life *live, void *ctx)
{
	sigset_t all, before;
	pid_t parent = getpid();
	int error = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (u32 side = 0; side < WEIR_KTCP_SIDES && !error; side++) {
		struct weir_ktcp_birth b = {.side = side, .peer = peer[side], .ready = ready};
		pid_t pid = fork();
		if (pid == 0)
			be_child(&b, ns[side], parent, live, ctx);
		if (pid < 0)
			error = errno;
		else
			p->pid[side] = pid;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* One byte from each, or the end of the pipe where one failed. */
static bool both_ready(int from)
{
	u64 end_ns = weir_ktcp_now_ns() + READY_NS;
	for (u32 n = 0; n < WEIR_KTCP_SIDES;) {
		u64 now_ns = weir_ktcp_now_ns();
		struct pollfd p = {.fd = from, .events = POLLIN};
		char bytes[WEIR_KTCP_SIDES];
		if (now_ns >= end_ns)
			return false;
		if (poll(&p, 1, (int)((end_ns - now_ns) / WEIR_NS_PER_MS) + 1) <= 0)
			continue;
		ssize_t got = read(from, bytes, WEIR_KTCP_SIDES - n);
		if (got == 0)
			return false;
		n += got > 0 ? (u32)got : 0;
	}
	return true;
}

int weir_ktcp_pair_start(struct weir_ktcp_pair *p, const int ns[WEIR_KTCP_SIDES], weir_ktcp_life *live,
			 void *ctx, char why[WEIR_KTCP_WHY_BYTES])
{
	int peer[WEIR_KTCP_SIDES], ready[2];
	*p = (struct weir_ktcp_pair){0};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, peer) < 0) {
		snprintf(why, WEIR_KTCP_WHY_BYTES, "a flow's processes: no socket pair: %s", strerror(errno));
		return -1;
	}
	if (pipe2(ready, O_CLOEXEC) < 0) {
		snprintf(why, WEIR_KTCP_WHY_BYTES, "a flow's processes: no pipe: %s", strerror(errno));
		close(peer[0]);
		close(peer[1]);
		return -1;
	}
	int error = fork_both(p, ns, peer, ready[1], live, ctx);
	close(peer[0]);
	close(peer[1]);
	close(ready[1]);
	bool fine = !error && both_ready(ready[0]);
	close(ready[0]);
	if (error)
		snprintf(why, WEIR_KTCP_WHY_BYTES, "a flow's processes: cannot start one: %s",
			 strerror(error));
	else if (!fine)
		snprintf(why, WEIR_KTCP_WHY_BYTES, "a flow's processes did not get ready");
	return fine ? 0 : -1;
}

/* ---- ending ---- */

void weir_ktcp_pair_signal(const struct weir_ktcp_pair *p, int signal)
{
	for (u32 side = 0; side < WEIR_KTCP_SIDES; side++)
		if (p->pid[side])
			kill(p->pid[side], signal);
}

void weir_ktcp_pair_tell(struct weir_ktcp_pair *p)
{
	if (p->told_ns)
		return;
	p->told_ns = weir_ktcp_now_ns();
	weir_ktcp_pair_signal(p, SIGTERM);
}

/* Until the process is gone or the time is up. */
static void wait_for_exit(pid_t pid, u64 until_ns)
{
	int fd = pidfd_open(pid, 0);
	if (fd < 0)
		return;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	for (u64 now_ns = weir_ktcp_now_ns(); now_ns < until_ns; now_ns = weir_ktcp_now_ns())
		if (poll(&p, 1, (int)((until_ns - now_ns) / WEIR_NS_PER_MS) + 1) > 0)
			break;
	close(fd);
}

static void reap(struct weir_ktcp_pair *p, u32 side)
{
	pid_t pid = p->pid[side];
	int status = 0;
	if (!pid)
		return;
	p->pid[side] = 0;
	wait_for_exit(pid, p->told_ns + PATIENCE_NS);
	pid_t gone = waitpid(pid, &status, WNOHANG);
	if (gone == 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return;
	}
	if (gone == pid && WIFSIGNALED(status)) {
		p->died[side] = true;
		p->signal[side] = WTERMSIG(status);
	}
}

int weir_ktcp_pair_finish(struct weir_ktcp_pair *p, char why[WEIR_KTCP_WHY_BYTES])
{
	weir_ktcp_pair_tell(p);
	for (u32 side = 0; side < WEIR_KTCP_SIDES; side++)
		reap(p, side);
	for (u32 side = 0; side < WEIR_KTCP_SIDES; side++)
		if (p->died[side]) {
			snprintf(why, WEIR_KTCP_WHY_BYTES, "a flow's %s was killed by signal %d (%s)",
				 side == WEIR_KTCP_SENDER ? "sending process" : "receiving process",
				 p->signal[side], strsignal(p->signal[side]));
			return -1;
		}
	return 0;
}

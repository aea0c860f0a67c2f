/* SPDX-License-Identifier: MIT */
#include "link_wait.h"

#include "weir/num.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGWINCH, SIGUSR1, SIGUSR2};
#define PASSED_ON (sizeof passed_on / sizeof passed_on[0])
#define STEP_NS WEIR_NS_PER_S

static void find_terminal(struct weir_link_wait *w)
{
	w->group = getpgrp();
	w->terminal_fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (w->terminal_fd < 0)
		return;
	if (tcgetpgrp(w->terminal_fd) == w->group && tcgetattr(w->terminal_fd, &w->modes) == 0)
		return;
	close(w->terminal_fd);
	w->terminal_fd = -1;
}

void weir_link_wait_begin(struct weir_link_wait *w)
{
	memset(w, 0, sizeof *w);
	w->failure = SIGRTMIN + 3;
	sigemptyset(&w->wanted);
	sigaddset(&w->wanted, SIGCHLD);
	sigaddset(&w->wanted, w->failure);
	for (u32 i = 0; i < PASSED_ON; i++) {
		/* What was ignored (nohup) stays so, for the commands too. */
		struct sigaction a;
		if (sigaction(passed_on[i], NULL, &a) == 0 && a.sa_handler != SIG_IGN)
			sigaddset(&w->wanted, passed_on[i]);
	}
	sigset_t blocked = w->wanted;
	sigaddset(&blocked, SIGTTOU); /* to take a terminal back from the background */
	sigprocmask(SIG_BLOCK, &blocked, &w->before);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	find_terminal(w);
}

static void signal_all(const struct weir_link_wait *w, int number)
{
	for (u32 i = 0; i < w->n; i++)
		if (!w->command[i].ended)
			kill(w->command[i].pid, number);
}

/* A shell that has a process group of its own was suspended: so is the program, until it is continued. */
static void follow_stop(struct weir_link_wait *w, pid_t pid)
{
	pid_t group = getpgid(pid);
	if (group < 0 || group == w->group)
		return;
	if (w->terminal_fd >= 0)
		tcsetpgrp(w->terminal_fd, w->group);
	kill(0, SIGSTOP);
	if (w->terminal_fd >= 0)
		tcsetpgrp(w->terminal_fd, group);
	kill(-group, SIGCONT);
}

static struct weir_link_child *find(struct weir_link_child *child, u32 n, pid_t pid)
{
	for (u32 i = 0; i < n; i++)
		if (child[i].pid == pid && !child[i].ended)
			return &child[i];
	return NULL;
}

/* Also orphans, of whom nobody wants to know. How many commands still run. */
static u32 reap_all(struct weir_link_wait *w)
{
	int status;
	pid_t pid;
	u32 running = 0;
	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		struct weir_link_child *command = find(w->command, w->n, pid);
		struct weir_link_child *known = command ? command : find(w->beyond, w->n_beyond, pid);
		if (command && WIFSTOPPED(status))
			follow_stop(w, pid);
		else if (known && !WIFSTOPPED(status))
			weir_link_child_reaped(known, status);
	}
	for (u32 i = 0; i < w->n_beyond; i++)
		weir_link_child_look(&w->beyond[i]);
	for (u32 i = 0; i < w->n; i++)
		running += !w->command[i].ended;
	return running;
}

static u64 now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

bool weir_link_wait_all(struct weir_link_wait *w)
{
	static const int harder[] = {SIGHUP, SIGKILL};
	u64 next_ns = WEIR_NEVER; /* when those that were asked to end are asked harder */
	u32 step = 0;
	bool good = true;
	while (reap_all(w)) {
		siginfo_t info;
		u64 left_ns = weir_min(weir_sub(next_ns, now_ns()), STEP_NS);
		struct timespec wait = {(time_t)(left_ns / WEIR_NS_PER_S), (long)(left_ns % WEIR_NS_PER_S)};
		int number = sigtimedwait(&w->wanted, &info, &wait);
		if (number == w->failure) {
			good = false;
			number = SIGTERM;
			info.si_code = SI_USER;
		}
		/* What the terminal sends, it sends to the commands as well. */
		if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL)
			signal_all(w, number);
		if ((number == SIGTERM || number == SIGHUP) && next_ns == WEIR_NEVER)
			next_ns = now_ns() + STEP_NS;
		if (now_ns() < next_ns)
			continue;
		signal_all(w, harder[step]);
		step += step + 1 < sizeof harder / sizeof harder[0];
		next_ns = now_ns() + STEP_NS;
	}
	return good;
}

void weir_link_wait_end(struct weir_link_wait *w)
{
	if (w->terminal_fd < 0)
		return;
	bool killed = false;
	for (u32 i = 0; i < w->n; i++)
		killed = killed || w->command[i].code > 128;
	tcsetpgrp(w->terminal_fd, w->group);
	if (killed)
		tcsetattr(w->terminal_fd, TCSADRAIN, &w->modes);
	close(w->terminal_fd);
	w->terminal_fd = -1;
}

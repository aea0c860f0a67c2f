/* SPDX-License-Identifier: MIT */
#include "link_child.h"

#include "weir/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS (2 * WEIR_NS_PER_MS)
#define AWAIT_NS (500 * WEIR_NS_PER_MS)
#define TERM_NS (500 * WEIR_NS_PER_MS)

static u64 now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

static void step(void)
{
	nanosleep(&(struct timespec){.tv_nsec = (long)STEP_NS}, NULL);
}

/* ---- in the child: nothing but system calls until exec ---- */

static _Noreturn void give_up(int told_fd)
{
	int error = errno;
	/* Nobody is there to hear of a failure here. */
	if (write(told_fd, &error, sizeof error) < 0)
		_exit(WEIR_EXIT_LINK);
	_exit(error == ENOENT ? WEIR_EXIT_NOT_FOUND : WEIR_EXIT_NOT_EXECUTABLE);
}

static int go_background(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return -1;
	return setpgid(0, 0);
}

static _Noreturn void be_child(const struct weir_link_spawn *s, pid_t parent, int gate_fd, int told_fd)
{
	char byte;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || weir_netns_enter(s->ns) < 0 ||
	    (s->background && go_background() < 0))
		give_up(told_fd);
	/* It may have died before the line above. */
	if (getppid() != parent || read(gate_fd, &byte, 1) != 1)
		_exit(WEIR_EXIT_LINK);
	sigprocmask(SIG_SETMASK, s->mask, NULL);
	execvpe(s->argv[0], s->argv, s->envp);
	give_up(told_fd);
}

/* ---- in the parent ---- */

int weir_link_child_fork(struct weir_link_child *c, const struct weir_link_spawn *s)
{
	int gate[2], told[2];
	memset(c, 0, sizeof *c);
	if (pipe2(gate, O_CLOEXEC) < 0)
		return -1;
	if (pipe2(told, O_CLOEXEC) < 0) {
		close(gate[0]);
		close(gate[1]);
		return -1;
	}
	pid_t parent = getpid();
	c->pid = fork();
	if (c->pid == 0) {
		close(gate[1]);
		close(told[0]);
		be_child(s, parent, gate[0], told[1]);
	}
	int error = errno;
	close(gate[0]);
	close(told[1]);
	c->gate_fd = gate[1];
	c->told_fd = told[0];
	if (c->pid > 0)
		return 0;
	close(c->gate_fd);
	close(c->told_fd);
	c->pid = 0;
	errno = error;
	return -1;
}

static pid_t reap(pid_t pid, int *status, int options)
{
	pid_t got;
	do
		got = waitpid(pid, status, options);
	while (got < 0 && errno == EINTR);
	return got;
}

int weir_link_child_release(struct weir_link_child *c)
{
	int error = 0, status;
	ssize_t n = write(c->gate_fd, "", 1);
	close(c->gate_fd);
	do
		n = read(c->told_fd, &error, sizeof error);
	while (n < 0 && errno == EINTR);
	close(c->told_fd);
	c->gate_fd = c->told_fd = -1;
	if (n != sizeof error)
		return 0;
	if (reap(c->pid, &status, 0) == c->pid)
		weir_link_child_reaped(c, status);
	return error;
}

void weir_link_child_reaped(struct weir_link_child *c, int status)
{
	c->ended = true;
	c->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void weir_link_child_look(struct weir_link_child *c)
{
	if (c->ended && !c->group_ended)
		c->group_ended = kill(-c->pid, 0) < 0;
}

/* The leader, and orphans of the group, which come to this process. */
static void reap_group(struct weir_link_child *c)
{
	int status;
	pid_t pid;
	while (!c->group_ended && (pid = reap(-c->pid, &status, WNOHANG)) > 0)
		if (pid == c->pid)
			weir_link_child_reaped(c, status);
	weir_link_child_look(c);
}

void weir_link_child_abandon(struct weir_link_child *c)
{
	int status;
	if (c->pid <= 0 || c->ended)
		return;
	if (c->gate_fd >= 0) {
		close(c->gate_fd);
		close(c->told_fd);
		c->gate_fd = c->told_fd = -1;
	}
	kill(c->pid, SIGKILL);
	if (reap(c->pid, &status, 0) == c->pid)
		weir_link_child_reaped(c, status);
}

void weir_link_child_end(struct weir_link_child *c)
{
	int status;
	if (c->pid <= 0)
		return;
	if (c->gate_fd >= 0) {
		weir_link_child_abandon(c);
		return;
	}
	if (!c->group_ended)
		kill(-c->pid, SIGTERM);
	for (u64 end_ns = now_ns() + TERM_NS; !c->group_ended && now_ns() < end_ns;) {
		reap_group(c);
		if (!c->group_ended)
			step();
	}
	if (!c->group_ended)
		kill(-c->pid, SIGKILL);
	if (!c->ended && reap(c->pid, &status, 0) == c->pid)
		weir_link_child_reaped(c, status);
	reap_group(c);
}

/* ---- who listens ---- */

/* Lines of one table of sockets whose state is this one: "  0: ADDRESS:PORT ADDRESS:PORT STATE ...". */
static u32 count_state(pid_t pid, const char *table, unsigned wanted)
{
	char path[64], line[512];
	u32 n = 0;
	snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid, table);
	FILE *in = fopen(path, "re");
	while (in && fgets(line, sizeof line, in)) {
		unsigned state;
		if (sscanf(line, " %*[^:]: %*s %*s %x", &state) == 1)
			n += state == wanted;
	}
	if (in)
		fclose(in);
	return n;
}

u32 weir_link_listening(pid_t pid)
{
	enum { LISTEN = 10, UNCONNECTED = 7 };
	return count_state(pid, "tcp", LISTEN) + count_state(pid, "tcp6", LISTEN) +
	       count_state(pid, "udp", UNCONNECTED) + count_state(pid, "udp6", UNCONNECTED);
}

void weir_link_child_await(const struct weir_link_child *c, u32 before)
{
	siginfo_t gone = {0};
	for (u64 end_ns = now_ns() + AWAIT_NS; weir_link_listening(c->pid) <= before && now_ns() < end_ns;) {
		if (waitid(P_PID, (id_t)c->pid, &gone, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		    gone.si_pid == c->pid)
			return;
		step();
	}
}

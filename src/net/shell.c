/* SPDX-License-Identifier: MIT */
#include "shell.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Nothing but system calls until exec. */
static _Noreturn void be_child(const char *command, char *const *envp, pid_t parent, int in, int out)
{
	char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)command, NULL};
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent || setpgid(0, 0) < 0 ||
	    dup2(in, 0) < 0 || (out >= 0 ? dup2(out, 1) : dup2(2, 1)) < 0)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	execve("/bin/sh", argv, envp);
	_exit(127);
}

static void close_two(int fd[2])
{
	if (fd[0] >= 0)
		close(fd[0]);
	if (fd[1] >= 0)
		close(fd[1]);
}

static void forget(struct weir_shell *s, struct weir_watch *w)
{
	if (w->fd < 0)
		return;
	weir_loop_remove(s->loop, w);
	close(w->fd);
	w->fd = -1;
}

#define READS_MAX 64 /* at a time: one who prints without end must not hold the loop */

/* false: the pipe has ended. */
static bool take_output(struct weir_shell *s)
{
	u8 beyond[512];
	for (u32 i = 0; i < READS_MAX; i++) {
		bool full = s->bytes == s->room;
		ssize_t n = full ? read(s->out.fd, beyond, sizeof beyond)
				 : read(s->out.fd, s->output + s->bytes, s->room - s->bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		if (full)
			s->overflowed = true;
		else
			s->bytes += (size_t)n;
	}
	return true;
}

static void on_output(void *owner, u32 events)
{
	struct weir_shell *s = owner;
	(void)events;
	if (!take_output(s))
		forget(s, &s->out);
}

static void reap(struct weir_shell *s)
{
	int status = 0;
	pid_t got;
	if (s->out.fd >= 0)
		take_output(s);
	/* The leader is not reaped yet: nobody else can have its group's number. */
	kill(-s->pid, SIGKILL);
	do
		got = waitpid(s->pid, &status, 0);
	while (got < 0 && errno == EINTR);
	s->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	forget(s, &s->out);
	forget(s, &s->end);
	s->pid = 0;
}

static void on_end(void *owner, u32 events)
{
	struct weir_shell *s = owner;
	(void)events;
	reap(s);
	s->ended(s->owner, s);
}

static int watch(struct weir_shell *s, int out_fd)
{
	s->end = (struct weir_watch){pidfd_open(s->pid, 0), on_end, s};
	s->out = (struct weir_watch){out_fd, on_output, s};
	if (s->end.fd < 0 || weir_loop_add(s->loop, &s->end, EPOLLIN) < 0)
		return -1;
	if (out_fd < 0)
		return 0;
	fcntl(out_fd, F_SETFL, O_NONBLOCK);
	return weir_loop_add(s->loop, &s->out, EPOLLIN);
}

int weir_shell_start(struct weir_shell *s, u64 now_ns, const char *command, char *const *envp,
		     const void *input, size_t bytes)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	s->end.fd = s->out.fd = -1;
	if (bytes > WEIR_SHELL_INPUT_BYTES) {
		errno = E2BIG;
		return -1;
	}
	if (pipe2(in, O_CLOEXEC) < 0 || (s->output && pipe2(out, O_CLOEXEC) < 0)) {
		close_two(in);
		return -1;
	}
	pid_t parent = getpid();
	s->pid = fork();
	if (s->pid == 0)
		be_child(command, envp ? envp : environ, parent, in[0], out[1]);
	int error = errno;
	if (s->pid > 0) {
		setpgid(s->pid, s->pid); /* here too: whoever is first */
		/* It fits into the pipe, which is empty: this does not wait. A child that is gone already is
		 * no failure: SIGPIPE is ignored, its end is told. */
		if (bytes && write(in[1], input, bytes) < 0)
			error = errno;
	}
	close_two(in);
	if (out[1] >= 0)
		close(out[1]);
	if (s->pid < 0) {
		if (out[0] >= 0)
			close(out[0]);
		s->pid = 0;
		errno = error;
		return -1;
	}
	s->started_ns = now_ns;
	s->bytes = 0;
	s->overflowed = false;
	s->code = 0;
	if (watch(s, out[0]) == 0)
		return 0;
	error = errno;
	weir_shell_kill(s);
	errno = error;
	return -1;
}

void weir_shell_kill(struct weir_shell *s)
{
	if (s->pid > 0)
		reap(s);
}

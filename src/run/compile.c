/* SPDX-License-Identifier: MIT */
#include "compile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* How long an interrupt may go unseen. */
#define LOOK_MS 100

static u64 now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static bool is_replaced(const char *entry)
{
	static const char *const names[] = {"TMPDIR=", "LC_ALL=", "LANGUAGE=", "GCC_COLORS="};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strncmp(entry, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Our environment with a few entries replaced. Free the array; `tmpdir` belongs to it. */
static char **compiler_environment(char *tmpdir)
{
	static char locale[] = "LC_ALL=C.UTF-8", no_colors[] = "GCC_COLORS=";
	size_t n = 0, kept = 0;
	while (environ && environ[n])
		n++;
	char **e = calloc(n + 4, sizeof *e);
	if (!e)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!is_replaced(environ[i]))
			e[kept++] = environ[i];
	e[kept++] = tmpdir;
	e[kept++] = locale;
	e[kept] = no_colors;
	return e;
}

/* Starts argv in a process group of its own, stdin empty, stdout and stderr into `to`. 0 or an errno. */
static int start(char *const argv[], char *const env[], int to, pid_t *child)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	/* What we block or ignore is no business of the compiler. */
	sigset_t usual, mask;
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigemptyset(&usual);
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
		sigaddset(&usual, ending[i]);
		sigdelset(&mask, ending[i]);
	}
	int error = posix_spawn_file_actions_init(&files);
	if (error)
		return error;
	error = posix_spawnattr_init(&how);
	if (error) {
		posix_spawn_file_actions_destroy(&files);
		return error;
	}
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, to, 1);
	posix_spawn_file_actions_adddup2(&files, to, 2);
	posix_spawnattr_setpgroup(&how, 0);
	posix_spawnattr_setsigmask(&how, &mask);
	posix_spawnattr_setsigdefault(&how, &usual);
	posix_spawnattr_setflags(&how,
				 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	error = posix_spawnp(child, argv[0], &files, &how, argv, env);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

struct text {
	char *data; /* WEIR_COMPILE_OUTPUT_MAX and a note */
	size_t bytes;
	bool cut;
};

/* False at the end of the output. */
static bool take_output(int from, struct text *t)
{
	char block[4096];
	ssize_t n = read(from, block, sizeof block);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	size_t room = WEIR_COMPILE_OUTPUT_MAX - t->bytes;
	size_t kept = (size_t)n < room ? (size_t)n : room;
	memcpy(t->data + t->bytes, block, kept);
	t->bytes += kept;
	t->cut = t->cut || kept < (size_t)n;
	return n > 0;
}

static bool interrupted(void)
{
	sigset_t waiting;
	return sigpending(&waiting) == 0 && (sigismember(&waiting, SIGINT) ||
					     sigismember(&waiting, SIGTERM) || sigismember(&waiting, SIGHUP));
}

/* Until the compiler closes its output, time is up or somebody wants us to end. */
static enum weir_compile_result watch(int from, u32 timeout_ms, struct text *t)
{
	u64 end_ms = now_ms() + timeout_ms;
	for (;;) {
		if (interrupted())
			return WEIR_COMPILE_INTERRUPTED;
		u64 now = now_ms();
		if (now >= end_ms)
			return WEIR_COMPILE_TIMEOUT;
		struct pollfd p = {.fd = from, .events = POLLIN};
		int wait_ms = end_ms - now < LOOK_MS ? (int)(end_ms - now) : LOOK_MS;
		if (poll(&p, 1, wait_ms) > 0 && !take_output(from, t))
			return WEIR_COMPILE_OK;
	}
}

static enum weir_compile_result run(char *const argv[], char *const env[], const int pipe_fd[2],
				    u32 timeout_ms, struct text *t)
{
	pid_t child = 0;
	int error = start(argv, env, pipe_fd[1], &child), status = 0;
	close(pipe_fd[1]);
	enum weir_compile_result result = WEIR_COMPILE_OK;
	if (error) {
		result = error == ENOENT || error == EACCES ? WEIR_COMPILE_MISSING : WEIR_COMPILE_ERROR;
	} else {
		result = watch(pipe_fd[0], timeout_ms, t);
		if (result != WEIR_COMPILE_OK)
			kill(-child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (result == WEIR_COMPILE_OK && status != 0)
			result = WEIR_COMPILE_FAILED;
	}
	errno = error;
	return result;
}

enum weir_compile_result weir_compile(char *const argv[], const char *temp_folder, u32 timeout_ms,
				      char **output)
{
	static const char note[] = "\n[more was said than is shown]\n";
	size_t tmpdir_bytes = strlen(temp_folder) + sizeof "TMPDIR=";
	char *tmpdir = malloc(tmpdir_bytes);
	struct text t = {.data = malloc(WEIR_COMPILE_OUTPUT_MAX + sizeof note)};
	char **env = NULL;
	int pipe_fd[2];
	enum weir_compile_result result = WEIR_COMPILE_ERROR;
	*output = NULL;
	if (!tmpdir || !t.data)
		goto out;
	snprintf(tmpdir, tmpdir_bytes, "TMPDIR=%s", temp_folder);
	env = compiler_environment(tmpdir);
	if (!env || pipe2(pipe_fd, O_CLOEXEC) < 0)
		goto out;
	result = run(argv, env, pipe_fd, timeout_ms, &t);
	close(pipe_fd[0]);
	memcpy(t.data + t.bytes, t.cut ? note : "", t.cut ? sizeof note : 1);
	if (result != WEIR_COMPILE_ERROR) {
		*output = t.data;
		t.data = NULL;
	}
out:
	free(env);
	free(tmpdir);
	free(t.data);
	return result;
}

/* SPDX-License-Identifier: MIT */
#include "steer.h"

#include "cgroup.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* tools/embed, of steer.bpf.o */
extern const unsigned char weir_kern_steer_object[];
extern const size_t weir_kern_steer_object_bytes;

/* Waits for the end of the process that forked it; it holds nothing but this one descriptor. The signals of a
 * terminal are for the others. */
static _Noreturn void guard(int fd, const char *path)
{
	sigset_t all;
	char byte;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	if (chdir("/"))
		_exit(1);
	if (fd > 0)
		close_range(0, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0U, 0);
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	weir_cgroup_kill(path);
	_exit(0);
}

static int fork_guard(struct weir_steer *s)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	s->guard = fork();
	if (s->guard == 0)
		guard(ends[0], s->path);
	int error = errno;
	close(ends[0]);
	if (s->guard > 0) {
		s->guard_fd = ends[1];
		return 0;
	}
	close(ends[1]);
	errno = error;
	return -1;
}

int weir_steer_open(struct weir_steer *s, char why[WEIR_KERN_WHY_BYTES])
{
	memset(s, 0, sizeof *s);
	s->attached_fd = s->guard_fd = -1;
	if (weir_cgroup_make(s->path) == 0 && fork_guard(s) == 0)
		return 0;
	snprintf(
	    why, WEIR_KERN_WHY_BYTES,
	    "cannot make a cgroup, by which a command's sockets are known: %s; cgroup2 must be mounted and "
	    "writable, or root must be able to mount it",
	    strerror(errno));
	weir_cgroup_kill(s->path);
	return 3;
}

static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

static int load(struct weir_steer *s, const char *name)
{
	struct weir_steer_name wanted = {{0, 0}};
	memcpy(&wanted, name, strnlen(name, sizeof wanted - 1));
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "weir_steer");
	s->object = bpf_object__open_mem(weir_kern_steer_object, weir_kern_steer_object_bytes, &options);
	struct bpf_map *map = s->object ? bpf_object__find_map_by_name(s->object, ".rodata.wanted") : NULL;
	if (!map || bpf_map__set_initial_value(map, &wanted, sizeof wanted) || bpf_object__load(s->object))
		return -1;
	map = bpf_object__find_map_by_name(s->object, ".bss");
	void *counts =
	    map ? mmap(NULL, sizeof *s->counts, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0) : MAP_FAILED;
	s->counts = counts == MAP_FAILED ? NULL : counts;
	return s->counts ? 0 : -1;
}

int weir_steer_to(struct weir_steer *s, const char *name, char why[WEIR_KERN_WHY_BYTES])
{
	libbpf_print_fn_t before = libbpf_set_print(say_nothing);
	int result = load(s, name), folder = -1;
	libbpf_set_print(before);
	if (!result) {
		struct bpf_program *program = bpf_object__find_program_by_name(s->object, "weir_steer");
		folder = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		s->attached_fd =
		    folder < 0 ? -1
			       : bpf_link_create(bpf_program__fd(program), folder, BPF_CGROUP_SOCK_OPS, NULL);
		result = s->attached_fd < 0 ? -1 : 0;
	}
	if (result)
		snprintf(why, WEIR_KERN_WHY_BYTES,
			 "cannot steer the sockets of a cgroup: %s; the kernel needs "
			 "CONFIG_CGROUP_BPF",
			 strerror(errno));
	if (folder >= 0)
		close(folder);
	return result ? 3 : 0;
}

int weir_steer_add(const struct weir_steer *s, pid_t pid)
{
	return weir_cgroup_add(s->path, pid);
}

void weir_steer_close(struct weir_steer *s)
{
	int status;
	if (s->attached_fd >= 0)
		close(s->attached_fd);
	if (s->counts)
		munmap((void *)(size_t)s->counts, sizeof *s->counts);
	bpf_object__close(s->object);
	weir_cgroup_dissolve(s->path);
	if (s->guard_fd >= 0)
		close(s->guard_fd);
	if (s->guard > 0)
		while (waitpid(s->guard, &status, 0) < 0 && errno == EINTR)
			;
	s->path[0] = 0;
	s->object = NULL;
	s->counts = NULL;
	s->attached_fd = s->guard_fd = -1;
	s->guard = 0;
}

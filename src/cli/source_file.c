/* SPDX-License-Identifier: MIT */
/* Values from a file that changes: its whole content is the value. The kernel tells of a change (inotify on
 * its folder, so that a file that is replaced is seen as well); what the kernel does not see (/proc, /sys,
 * network file systems) is found by looking now and then. */
#include "source_input.h"

#include "weir/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static void look(struct weir_input *in, u64 now_ns)
{
	u8 data[WEIR_AGE_VALUE_BYTES_MAX + 1];
	int fd = open(in->o.file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = -1;
	size_t used = 0;
	while (fd >= 0 && used < sizeof data && (n = read(fd, data + used, sizeof data - used)) > 0)
		used += (size_t)n;
	if (fd >= 0)
		close(fd);
	if (fd < 0 || n < 0) {
		in->failed++; /* it may be about to be replaced */
		if (!in->warned_failed)
			weir_error(in->call, WEIR_EXIT_OK, "%s: %s; looking again", in->o.file,
				   strerror(errno));
		in->warned_failed = true;
		return;
	}
	in->warned_failed = false;
	while (used && used <= WEIR_AGE_VALUE_BYTES_MAX && data[used - 1] == '\n')
		used--;
	if (in->values && used == in->bytes && !memcmp(data, in->value, used))
		return;
	weir_input_newer(in, now_ns, now_ns, data, used);
}

static void on_change(void *owner, u32 events)
{
	struct weir_input *in = owner;
	_Alignas(struct inotify_event) char buffer[4096];
	const char *slash = strrchr(in->o.file, '/'), *name = slash ? slash + 1 : in->o.file;
	bool ours = false;
	ssize_t n;
	(void)events;
	while ((n = read(in->watch.fd, buffer, sizeof buffer)) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *e = (const void *)(buffer + at);
			ours = ours || e->len == 0 || !strcmp(e->name, name);
			at += (ssize_t)(sizeof *e + e->len);
		}
	}
	if (ours)
		look(in, weir_clock_ns());
}

int weir_input_file_open(struct weir_input *in)
{
	char folder[4096];
	const char *slash = strrchr(in->o.file, '/');
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - in->o.file + 1) : 1,
		 slash ? in->o.file : ".");
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	in->next_ns = 0; /* look at once */
	if (fd < 0)
		return WEIR_EXIT_OK; /* looking will do */
	/* Not while it is written: half a value is none. */
	if (inotify_add_watch(fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO) < 0) {
		int error = errno;
		close(fd);
		return error == ENOENT || error == ENOTDIR
			   ? weir_error(in->call, WEIR_EXIT_USAGE, "--file %s: %s", in->o.file,
					strerror(error))
			   : WEIR_EXIT_OK;
	}
	in->watch = (struct weir_watch){fd, on_change, in};
	if (weir_loop_add(in->loop, &in->watch, EPOLLIN) == 0)
		return WEIR_EXIT_OK;
	close(fd);
	in->watch.fd = -1;
	return WEIR_EXIT_OK;
}

u64 weir_input_file_step(struct weir_input *in, u64 now_ns)
{
	if (now_ns >= in->next_ns) {
		look(in, now_ns);
		in->next_ns = now_ns + in->o.every_ns;
	}
	return in->next_ns;
}

/* SPDX-License-Identifier: MIT */
/* Values from stdin: lines, or records of a fixed size. */
#include "source_input.h"

#include "weir/num.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Takes whole values off the front of the buffer. */
static size_t take_lines(struct weir_input *in, u64 now_ns, bool last)
{
	size_t at = 0;
	for (;;) {
		const u8 *end = memchr(in->unread + at, '\n', in->used - at);
		size_t next = end ? (size_t)(end - in->unread) : in->used;
		if (!end && (!last || next == at))
			return at;
		size_t bytes = next - at;
		if (bytes && in->unread[next - 1] == '\r')
			bytes--;
		if (in->skipping)
			in->skipping = false; /* the end of a line that was too long for the buffer */
		else
			weir_input_newer(in, now_ns, now_ns, in->unread + at, bytes);
		at = end ? next + 1 : next;
	}
}

static size_t take_records(struct weir_input *in, u64 now_ns)
{
	size_t at = 0, bytes = (size_t)in->o.record_bytes;
	for (; in->used - at >= bytes; at += bytes)
		weir_input_newer(in, now_ns, now_ns, in->unread + at, bytes);
	return at;
}

static void take(struct weir_input *in, bool last)
{
	u64 now_ns = weir_clock_ns();
	size_t at = in->o.kind == WEIR_INPUT_LINES ? take_lines(in, now_ns, last) : take_records(in, now_ns);
	memmove(in->unread, in->unread + at, in->used - at);
	in->used -= at;
	if (in->used == sizeof in->unread) { /* a line without end */
		if (!in->skipping)
			weir_input_too_large(in, in->used, true);
		in->skipping = true;
		in->used = 0;
	}
}

static void end(struct weir_input *in)
{
	take(in, true);
	if (in->o.kind == WEIR_INPUT_RECORDS && in->used)
		weir_error(in->call, WEIR_EXIT_OK, "%zu bytes at the end are no whole record and are dropped",
			   in->used);
	in->ended = true;
	if (in->watch.fd >= 0)
		weir_loop_remove(in->loop, &in->watch);
	in->watch.fd = -1;
}

void weir_input_stream_read(struct weir_input *in)
{
	/* One read at a time: it was said that there is something, so this does not wait, and stdin, which
	 * others may share, keeps its flags. */
	ssize_t n = read(STDIN_FILENO, in->unread + in->used, sizeof in->unread - in->used);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		weir_error(in->call, WEIR_EXIT_FAILED, "stdin: %s", strerror(errno));
		in->broken = in->ended = true;
		return;
	}
	if (n == 0) {
		end(in);
		return;
	}
	in->used += (size_t)n;
	take(in, false);
}

static void on_stdin(void *owner, u32 events)
{
	(void)events;
	weir_input_stream_read(owner);
}

int weir_input_stream_open(struct weir_input *in)
{
	in->watch = (struct weir_watch){STDIN_FILENO, on_stdin, in};
	if (weir_loop_add(in->loop, &in->watch, EPOLLIN) == 0)
		return WEIR_EXIT_OK;
	in->watch.fd = -1;
	in->always_ready = errno == EPERM; /* a file, /dev/null */
	return in->always_ready ? WEIR_EXIT_OK
				: weir_error(in->call, WEIR_EXIT_FAILED, "stdin: %s", strerror(errno));
}

/* SPDX-License-Identifier: MIT */
#include "source_input.h"

#include "weir/num.h"

#include <string.h>
#include <unistd.h>

size_t weir_input_value(void *owner, u8 *to, size_t room)
{
	const struct weir_input *in = owner;
	size_t bytes = in->bytes < room ? in->bytes : room;
	memcpy(to, in->value, bytes);
	return bytes;
}

void weir_input_too_large(struct weir_input *in, size_t bytes, bool more)
{
	in->too_large++;
	if (!in->warned_large)
		weir_error(
		    in->call, WEIR_EXIT_OK,
		    "a value of %s%zu bytes is dropped: one datagram takes %zu; cut it or send a summary",
		    more ? "more than " : "", bytes, weir_source_host_room(in->host));
	in->warned_large = true;
}

void weir_input_newer(struct weir_input *in, u64 now_ns, u64 generated_ns, const u8 *data, size_t bytes)
{
	if (bytes > weir_source_host_room(in->host)) {
		weir_input_too_large(in, bytes, false);
		return;
	}
	/* In this order: an offer may ask for the value at once. */
	memcpy(in->value, data, bytes);
	in->bytes = bytes;
	in->values++;
	weir_source_host_offer(in->host, now_ns, generated_ns);
}

static void ended_shell(void *owner, struct weir_shell *s);

int weir_input_open(struct weir_input *in, const struct weir_invocation *call, struct weir_loop *loop,
		    struct weir_source_host *host, const struct weir_input_options *o)
{
	in->o = *o;
	in->call = call;
	in->loop = loop;
	in->host = host;
	in->watch.fd = -1;
	in->next_ns = WEIR_NEVER;
	in->shell = (struct weir_shell){.loop = loop,
					.output = in->unread,
					.room = WEIR_AGE_VALUE_BYTES_MAX + 1,
					.ended = ended_shell,
					.owner = in};
	switch (o->kind) {
	case WEIR_INPUT_FILE:
		return weir_input_file_open(in);
	case WEIR_INPUT_COMMAND:
		return WEIR_EXIT_OK;
	default:
		return weir_input_stream_open(in);
	}
}

u64 weir_input_step(struct weir_input *in, u64 now_ns)
{
	switch (in->o.kind) {
	case WEIR_INPUT_FILE:
		return weir_input_file_step(in, now_ns);
	case WEIR_INPUT_COMMAND:
		return weir_input_sensor_step(in, now_ns);
	default:
		if (in->always_ready && !in->ended)
			weir_input_stream_read(in);
		return in->always_ready && !in->ended ? now_ns : WEIR_NEVER;
	}
}

void weir_input_close(struct weir_input *in)
{
	weir_shell_kill(&in->shell);
	if (in->watch.fd < 0)
		return;
	weir_loop_remove(in->loop, &in->watch);
	if (in->o.kind == WEIR_INPUT_FILE)
		close(in->watch.fd);
	in->watch.fd = -1;
}

/* ---- a sensor that is asked ---- */

#define AGAIN_NS WEIR_NS_PER_S	      /* after a run that failed */
#define EARLY_NS (2 * WEIR_NS_PER_MS) /* what starting takes beside the command itself */

static void warn_failed(struct weir_input *in, const struct weir_shell *s, bool late)
{
	in->failed++;
	if (in->warned_failed)
		return;
	in->warned_failed = true;
	if (late)
		weir_error(in->call, WEIR_EXIT_OK, "the command was ended: it took longer than --timeout");
	else
		weir_error(in->call, WEIR_EXIT_OK, "the command failed with status %d: no value (said once)",
			   s->code);
}

static void ended_shell(void *owner, struct weir_shell *s)
{
	struct weir_input *in = owner;
	u64 now_ns = weir_clock_ns(), took_ns = now_ns - s->started_ns;
	in->took_ns = in->took_ns ? (7 * in->took_ns + took_ns) / 8 : took_ns;
	in->next_ns = WEIR_NEVER;
	if (s->code != 0) {
		warn_failed(in, s, false);
		in->next_ns = now_ns + AGAIN_NS;
		return;
	}
	size_t bytes = s->bytes;
	while (bytes && !s->overflowed && (s->output[bytes - 1] == '\n' || s->output[bytes - 1] == '\r'))
		bytes--;
	/* What it says was true when it was asked, at the earliest. */
	weir_input_newer(in, now_ns, s->started_ns, s->output, bytes);
}

/* Whether a value waits for its slot. */
static bool waits(const struct weir_source_stats *s)
{
	return s->offered > s->replaced + s->expired + (s->updates - s->again);
}

/* Asked so that the answer is there when the slot is: not before, for it would only get old. */
u64 weir_input_sensor_step(struct weir_input *in, u64 now_ns)
{
	struct weir_shell *s = &in->shell;
	if (s->pid) {
		u64 end_ns = s->started_ns + in->o.timeout_ns;
		if (now_ns < end_ns)
			return end_ns;
		weir_shell_kill(s);
		warn_failed(in, s, true);
		in->next_ns = now_ns + AGAIN_NS;
	}
	if (in->next_ns != WEIR_NEVER && now_ns < in->next_ns)
		return in->next_ns;
	u64 slot_ns = weir_source_slot_ns(&in->host->source);
	if (slot_ns == WEIR_NEVER || waits(&in->host->source.stats))
		return WEIR_NEVER;
	u64 start_ns = weir_sub(slot_ns, in->took_ns + EARLY_NS);
	if (now_ns < start_ns)
		return start_ns;
	in->next_ns = WEIR_NEVER;
	if (weir_shell_start(s, now_ns, in->o.command, NULL, "", 0) < 0) {
		in->failed++;
		in->next_ns = now_ns + AGAIN_NS;
		return in->next_ns;
	}
	return now_ns + in->o.timeout_ns;
}

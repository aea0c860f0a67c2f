/* SPDX-License-Identifier: MIT */
/* Files of recorded calls: what is written is read, and what somebody else wrote is told apart from that. */
#include "cc/table.h"
#include "kern/calls.h"
#include "kern/follow.h"
#include "kern/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD_BYTES 96
#define FRAME_BYTES 152
#define NEVER_FULL 1000000000ULL

static char why[WEIR_CALLS_WHY_BYTES];
static const struct weir_calls_head head = {.controller = "agile-sd", .n_params = 2, .params = {7, ~0ULL}};

/* A file in memory while it is written, then while it is read. */
struct file {
	char *text;
	size_t bytes;
	FILE *out, *in;
	struct weir_calls_writer w;
	struct weir_calls_reader r;
};

static void begin(struct file *f, u64 limit_bytes)
{
	memset(f, 0, sizeof *f);
	f->out = open_memstream(&f->text, &f->bytes);
	weir_calls_begin(&f->w, f->out, &head, limit_bytes);
}

static int open_read(struct file *f)
{
	f->in = fmemopen(f->text, f->bytes, "r");
	assert_non_null(f->in);
	return weir_calls_open(&f->r, f->in, why);
}

static int end(struct file *f)
{
	assert_int_equal(weir_calls_end(&f->w), 0);
	fclose(f->out);
	return open_read(f);
}

static void drop(struct file *f)
{
	fclose(f->in);
	free(f->text);
}

/* Every field another value. */
static struct weir_kern_record record_of(u32 event, u64 n)
{
	struct weir_kern_record r = {
	    .socket = 1, .local_port = 40000, .remote_port = 443, .cwnd_packets = 10};
	struct weir_kern_call *c = &r.call;
	c->event = event;
	c->view = (struct weir_view){n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, (u32)n + 7, (u32)n + 8};
	if (event == WEIR_KERN_ACK)
		c->ack = (struct weir_ack){n + 9, n + 10, n + 11, n + 12, n + 13, 0, 0, 0};
	if (event == WEIR_KERN_LOSS)
		c->loss = (struct weir_loss){n + 14, n + 15, n + 16, WEIR_LOSS_ECN, WEIR_NEW_EPISODE};
	if (event == WEIR_KERN_IDLE)
		c->idle_ns = n + 17;
	c->out = (struct weir_out){n + 18, ~0ULL - n, n + 20};
	return r;
}

static void what_is_written_is_read(void **unused)
{
	(void)unused;
	struct file f;
	struct weir_calls_frame frame;
	begin(&f, NEVER_FULL);
	for (u32 event = 0; event < WEIR_KERN_EVENTS; event++) {
		struct weir_kern_record r = record_of(event, 1000 * event);
		weir_calls_put(&f.w, event < 2 ? 1 : 2, &r);
	}
	weir_calls_gap(&f.w, 5);
	assert_int_equal(end(&f), 0);
	assert_int_equal(f.bytes, HEAD_BYTES + 2 * 8 + (WEIR_KERN_EVENTS + 2) * FRAME_BYTES);
	assert_string_equal(f.r.head.controller, "agile-sd");
	assert_int_equal(f.r.head.n_params, 2);
	assert_memory_equal(f.r.head.params, head.params, sizeof head.params);
	for (u32 event = 0; event < WEIR_KERN_EVENTS; event++) {
		struct weir_kern_record r = record_of(event, 1000 * event);
		assert_int_equal(weir_calls_next(&f.r, &frame, why), 1);
		assert_int_equal(frame.kind, WEIR_CALLS_CALL);
		assert_int_equal(frame.socket, event < 2 ? 1 : 2);
		assert_int_equal(frame.record.local_port, 40000);
		assert_int_equal(frame.record.remote_port, 443);
		assert_int_equal(frame.record.cwnd_packets, 10);
		assert_memory_equal(&frame.record.call, &r.call, sizeof r.call);
	}
	assert_int_equal(weir_calls_next(&f.r, &frame, why), 1);
	assert_int_equal(frame.kind, WEIR_CALLS_GAP);
	assert_int_equal(frame.missing, 5);
	assert_int_equal(weir_calls_next(&f.r, &frame, why), 1);
	assert_int_equal(frame.kind, WEIR_CALLS_END);
	assert_int_equal(frame.missing, 0);
	assert_int_equal(weir_calls_next(&f.r, &frame, why), 0);
	assert_true(f.r.ended);
	drop(&f);
}

/* The numbers of docs/formats.md, byte by byte. */
static void the_layout_is_the_documented_one(void **unused)
{
	(void)unused;
	struct file f;
	struct weir_kern_record r = record_of(WEIR_KERN_ACK, 0x0102030405060700ULL);
	begin(&f, NEVER_FULL);
	weir_calls_put(&f.w, 1, &r);
	assert_int_equal(end(&f), 0);
	const u8 *at = (const u8 *)f.text, *frame = at + HEAD_BYTES + 2 * 8;
	static const u8 start[] = {'w', 'e', 'i', 'r', 'c', 'a', 'l', 'l', 1, 0, 0,
				   0,	152, 0,	  0,   0,   1,	 0,   0,   0, 2};
	assert_memory_equal(at, start, sizeof start);
	assert_string_equal((const char *)at + 32, "agile-sd");
	static const u8 call[] = {1,  0, 0, 0, 1, 0, 0, 0, 0x40, 0x9c, 0xbb, 1,
				  10, 0, 0, 0, 1, 0, 0, 0, 0,	 0,    0,    0};
	assert_memory_equal(frame, call, sizeof call);
	static const u8 now[] = {0, 7, 6, 5, 4, 3, 2, 1};
	assert_memory_equal(frame + 24, now, sizeof now);
	assert_int_equal(frame[80], 7);	  /* mss_bytes */
	assert_int_equal(frame[84], 8);	  /* flags */
	assert_int_equal(frame[88], 9);	  /* acked_bytes */
	assert_int_equal(frame[128], 18); /* cwnd_bytes */
	assert_int_equal(frame[144], 20); /* wake_ns */
	drop(&f);
}

/* However it ends, what is there is read, and nothing else. */
static void any_cut_is_told(void **unused)
{
	(void)unused;
	struct file f;
	struct weir_calls_frame frame;
	begin(&f, NEVER_FULL);
	for (u32 i = 0; i < 3; i++) {
		struct weir_kern_record r = record_of(WEIR_KERN_ACK, i);
		weir_calls_put(&f.w, 1, &r);
	}
	assert_int_equal(end(&f), 0);
	size_t whole = f.bytes, head_bytes = HEAD_BYTES + 2 * 8;
	for (f.bytes = 1; f.bytes < whole; f.bytes++) {
		fclose(f.in);
		int opened = open_read(&f);
		assert_int_equal(opened, f.bytes < head_bytes ? -1 : 0);
		if (opened) {
			assert_true(*why);
			continue;
		}
		u32 frames = 0;
		while (weir_calls_next(&f.r, &frame, why) > 0)
			frames++;
		assert_int_equal(frames, (f.bytes - head_bytes) / FRAME_BYTES);
		assert_false(f.r.ended);
	}
	drop(&f);
}

/* One byte of a good file set to a bad value: what is said about it. */
static void foreign_files_are_refused_in_words(void **unused)
{
	(void)unused;
	const size_t frame = HEAD_BYTES + 2 * 8;
	const struct {
		size_t at;
		u8 value;
		const char *words;
	} bad[] = {
	    {0, 'W', "does not begin as"},
	    {8, 2, "version 2 of the format; this program reads version 1"},
	    {12, 151, "frames of 151 bytes"},
	    {16, 9, "interface 9"},
	    {20, 65, "65 parameters; at most 64"},
	    {23, 255, "parameters; at most 64"},
	    {32, 0, "the controller's name is not one"},
	    {33, '/', "the controller's name is not one"},
	    {32 + 63, 'x', "the controller's name is not one"},
	    {frame, 4, "frame 1: there is no kind 4"},
	    {frame, 0, "frame 1: there is no kind 0"},
	    {frame + 4, 2, "frame 1: socket 2 after 0 sockets"},
	    {frame + 4, 0, "frame 1: socket 0"},
	    {frame + 7, 255, "after 0 sockets"},
	    {frame + 16, 6, "there is no event 6"},
	    {frame + 19, 255, "there is no event"},
	    {frame + FRAME_BYTES + 88 + 24, 3, "frame 2: there is no loss of kind 3"},
	    {frame + 2 * FRAME_BYTES, WEIR_CALLS_END, "there is more after its end"},
	};
	for (u32 i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct file f;
		struct weir_calls_frame got;
		struct weir_kern_record ack = record_of(WEIR_KERN_ACK, 5),
					loss = record_of(WEIR_KERN_LOSS, 5);
		begin(&f, NEVER_FULL);
		weir_calls_put(&f.w, 1, &ack);
		weir_calls_put(&f.w, 1, &loss);
		weir_calls_put(&f.w, 1, &ack);
		assert_int_equal(end(&f), 0);
		f.text[bad[i].at] = (char)bad[i].value;
		fclose(f.in);
		int result = open_read(&f);
		while (!result && (result = weir_calls_next(&f.r, &got, why)) > 0)
			result = 0;
		if (result != -1 || !strstr(why, bad[i].words))
			fail_msg("%u: %d '%s', not '%s'", i, result, why, bad[i].words);
		drop(&f);
	}
}

/* A full file ends where it must, and says how many calls are not in it. */
static void a_full_file_counts_what_it_lacks(void **unused)
{
	(void)unused;
	struct file f;
	struct weir_calls_frame frame;
	struct weir_kern_record r = record_of(WEIR_KERN_ACK, 1);
	u32 calls = 0;
	begin(&f, 10000);
	for (u32 i = 0; i < 1000; i++)
		weir_calls_put(&f.w, 1, &r);
	weir_calls_gap(&f.w, 11);
	assert_int_equal(f.w.records + f.w.omitted, 1000 + 11);
	assert_int_equal(end(&f), 0);
	assert_true(f.bytes <= 10000 && f.bytes > 10000 - 4 * FRAME_BYTES);
	while (weir_calls_next(&f.r, &frame, why) > 0 && frame.kind == WEIR_CALLS_CALL)
		calls++;
	assert_int_equal(calls, f.w.records);
	assert_int_equal(frame.kind, WEIR_CALLS_END);
	assert_int_equal(frame.missing, f.w.omitted);
	drop(&f);
}

/* ---- following ---- */

static void make_call(const struct weir_cc_ops *ops, const u64 *params, u64 *state, struct weir_kern_call *c,
		      u32 event)
{
	c->event = event;
	c->view.now_ns += WEIR_NS_PER_MS;
	c->out = (struct weir_out){0, 0, 0};
	weir_call(ops, state, params, c);
}

static void a_difference_and_a_gap_are_seen(void **unused)
{
	(void)unused;
	const struct weir_cc_ops *ops = weir_cc_find("reno");
	u64 params[64], state[WEIR_CC_MAX_BYTES / 8] = {0};
	struct weir_follow f;
	struct weir_out here;
	struct weir_kern_call c = {
	    .view = {.initial_bytes = 14480, .mss_bytes = 1448, .flags = WEIR_CWND_LIMITED}};
	weir_cc_defaults(ops, params);
	weir_follow_begin(&f, ops, params);
	make_call(ops, params, state, &c, WEIR_KERN_ACK);
	assert_int_equal(weir_follow_call(&f, 1, &c, &here), WEIR_FOLLOWED_UNKNOWN);
	memset(state, 0, sizeof state);
	make_call(ops, params, state, &c, WEIR_KERN_INIT);
	assert_int_equal(weir_follow_call(&f, 3, &c, &here), WEIR_FOLLOWED_SAME);
	assert_null(weir_follow_state(&f, 1));
	assert_null(weir_follow_state(&f, 4));
	assert_memory_equal(weir_follow_state(&f, 3), state, ops->state_bytes);
	c.ack = (struct weir_ack){.acked_bytes = 1448};
	make_call(ops, params, state, &c, WEIR_KERN_ACK);
	c.out.cwnd_bytes++;
	assert_int_equal(weir_follow_call(&f, 3, &c, &here), WEIR_FOLLOWED_DIFFERS);
	assert_int_equal(here.cwnd_bytes, c.out.cwnd_bytes - 1);
	weir_follow_gap(&f);
	assert_int_equal(weir_follow_call(&f, 3, &c, &here), WEIR_FOLLOWED_UNKNOWN);
	/* what begins after the gap is known */
	memset(state, 0, sizeof state);
	make_call(ops, params, state, &c, WEIR_KERN_INIT);
	assert_int_equal(weir_follow_call(&f, 4, &c, &here), WEIR_FOLLOWED_SAME);
	weir_follow_end(&f);
}

static void sockets_get_numbers_in_order(void **unused)
{
	(void)unused;
	static struct weir_kern_numbers t;
	struct weir_kern_record r = record_of(WEIR_KERN_ACK, 0);
	for (u32 i = 1; i <= 5000; i++) {
		r.socket = 0xffff888000000000ULL + 2240ULL * i;
		assert_int_equal(weir_kern_number(&t, &r), i);
	}
	for (u32 i = 1; i <= 5000; i++) {
		r.socket = 0xffff888000000000ULL + 2240ULL * i;
		assert_int_equal(weir_kern_number(&t, &r), i);
	}
	/* the same memory, another connection */
	r.call.event = WEIR_KERN_INIT;
	assert_int_equal(weir_kern_number(&t, &r), 5001);
	r.call.event = WEIR_KERN_ACK;
	assert_int_equal(weir_kern_number(&t, &r), 5001);
	/* and when there is no room */
	for (u32 i = 5001; i <= WEIR_KERN_NUMBER_FULL; i++) {
		r.socket = 0xffff888000000000ULL + 2240ULL * i;
		assert_int_not_equal(weir_kern_number(&t, &r), 0);
	}
	r.socket = 16;
	assert_int_equal(weir_kern_number(&t, &r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_written_is_read),
	    cmocka_unit_test(the_layout_is_the_documented_one),
	    cmocka_unit_test(any_cut_is_told),
	    cmocka_unit_test(foreign_files_are_refused_in_words),
	    cmocka_unit_test(a_full_file_counts_what_it_lacks),
	    cmocka_unit_test(a_difference_and_a_gap_are_seen),
	    cmocka_unit_test(sockets_get_numbers_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

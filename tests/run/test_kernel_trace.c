/* SPDX-License-Identifier: MIT */
/* What is kept of calls in the kernel: a result like a run's, qlog, and a record; and what is said of calls
 * that were lost or found no room. */
#include "cc/table.h"
#include "kern/call.h"
#include "run/kernel_trace.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MSS 1448U
#define FIRST_NS (7 * WEIR_NS_PER_S)

static char folder[] = "/tmp/weir-kernel-trace-XXXXXX", why[WEIR_KERNEL_TRACE_WHY_BYTES];

/* A socket whose controller is really there. */
struct socket {
	u64 id, state[WEIR_CC_MAX_BYTES / sizeof(u64)];
	struct weir_kern_call call;
};

static void begin(struct socket *s, u64 id)
{
	memset(s, 0, sizeof *s);
	s->id = id;
	s->call.view = (struct weir_view){.now_ns = FIRST_NS,
					  .srtt_ns = 20 * WEIR_NS_PER_MS,
					  .min_rtt_ns = 20 * WEIR_NS_PER_MS,
					  .inflight_bytes = 10 * MSS,
					  .delivery_Bps = 1000000,
					  .initial_bytes = 10 * MSS,
					  .mss_bytes = MSS,
					  .flags = WEIR_CWND_LIMITED};
}

static struct weir_kern_record one_call(struct socket *s, u32 event)
{
	const struct weir_cc_ops *ops = weir_cc_find("reno");
	u64 params[64];
	weir_cc_defaults(ops, params);
	s->call.event = event;
	s->call.out = (struct weir_out){0, 0, 0};
	if (event == WEIR_KERN_ACK) {
		s->call.view.now_ns += WEIR_NS_PER_MS;
		s->call.view.delivered_bytes += MSS;
		s->call.ack = (struct weir_ack){.acked_bytes = MSS, .rtt_ns = 21 * WEIR_NS_PER_MS};
	}
	if (event == WEIR_KERN_LOSS)
		s->call.loss = (struct weir_loss){.lost_bytes = 2 * MSS, .flags = WEIR_NEW_EPISODE};
	weir_call(ops, s->state, params, &s->call);
	return (struct weir_kern_record){.socket = s->id,
					 .local_port = 40000,
					 .remote_port = (u16)s->id,
					 .cwnd_packets = 10,
					 .call = s->call};
}

static void take(struct weir_kernel_trace *t, struct socket *s, u32 event, u64 dropped)
{
	struct weir_kern_record r = one_call(s, event);
	weir_kernel_trace_take(t, &r, dropped);
}

static struct weir_kernel_trace *start(const char *directory, u64 limit_bytes, u16 port)
{
	struct weir_kernel_trace_wanted w = {.directory = directory,
					     .name = "reno",
					     .kernel_name = "weir_reno",
					     .ops = weir_cc_find("reno"),
					     .head = {.controller = "reno"},
					     .sample_ns = 10 * WEIR_NS_PER_MS,
					     .limit_bytes = limit_bytes,
					     .port = port};
	w.head.n_params = w.ops->n_params;
	weir_cc_defaults(w.ops, w.head.params);
	struct weir_kernel_trace *t = weir_kernel_trace_begin(&w, why);
	if (!t)
		fail_msg("%s", why);
	return t;
}

static struct weir_kernel_trace_counts finish(struct weir_kernel_trace *t, u64 dropped,
					      struct weir_outdir *dir)
{
	struct weir_kernel_trace_counts counts;
	if (weir_kernel_trace_end(t, dropped, &counts, dir, why))
		fail_msg("%s", why);
	return counts;
}

/* ---- files ---- */

static char *text_of(const struct weir_outdir *dir, const char *name)
{
	char path[PATH_MAX];
	static char text[1 << 22];
	assert_true(weir_outdir_path(dir, name, path));
	FILE *f = fopen(path, "re");
	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	return text;
}

static json_t *json_of(const struct weir_outdir *dir, const char *name)
{
	json_error_t e;
	json_t *root = json_loads(text_of(dir, name), JSON_REJECT_DUPLICATES, &e);
	if (!root)
		fail_msg("%s: %s", name, e.text);
	return root;
}

static double number(const json_t *object, const char *key)
{
	const json_t *x = json_object_get(object, key);
	assert_true(json_is_number(x));
	return json_number_value(x);
}

/* Each record of the sequence is a JSON object; how many are named so. */
static u32 count_events(char *text, const char *name)
{
	u32 n = 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		json_error_t e;
		assert_int_equal(*line, 0x1e);
		json_t *event = json_loads(line + 1, JSON_REJECT_DUPLICATES, &e);
		if (!event)
			fail_msg("%s: %s", line, e.text);
		const char *is = json_string_value(json_object_get(event, "name"));
		n += is && !strcmp(is, name);
		json_decref(event);
	}
	return n;
}

/* ---- tests ---- */

static void a_result_like_that_of_a_run(void **unused)
{
	(void)unused;
	char path[200];
	struct socket one, two;
	struct weir_outdir dir;
	snprintf(path, sizeof path, "%s/out", folder);
	struct weir_kernel_trace *t = start(path, 1000000000, 0);
	begin(&one, 0xffff888000001000ULL);
	begin(&two, 0xffff888000002000ULL);
	take(t, &one, WEIR_KERN_INIT, 0);
	take(t, &two, WEIR_KERN_INIT, 0);
	take(t, &two, WEIR_KERN_ACK, 0);
	for (u32 i = 0; i < 500; i++)
		take(t, &one, WEIR_KERN_ACK, 0);
	take(t, &one, WEIR_KERN_LOSS, 0);
	struct weir_kernel_trace_counts counts = finish(t, 0, &dir);
	assert_int_equal(counts.records, 504);
	assert_int_equal(counts.sockets, 2);
	assert_int_equal(counts.dropped + counts.omitted, 0);

	json_t *s = json_of(&dir, "summary.json"), *flows = json_object_get(s, "flows");
	assert_string_equal(json_string_value(json_object_get(s, "backend")), "kernel");
	assert_int_equal(number(s, "calls"), 504);
	assert_int_equal(json_array_size(flows), 1); /* the other one hardly said a word */
	const json_t *flow = json_array_get(flows, 0);
	assert_string_equal(json_string_value(json_object_get(flow, "name")), "reno");
	assert_int_equal(number(flow, "goodput_bps"), 500 * MSS * 8 / .5);
	assert_int_equal(number(flow, "recoveries"), 1);
	assert_int_equal(number(flow, "packets_lost"), 2);
	assert_int_equal(number(json_object_get(flow, "rtt_ms"), "mean"), 21);
	assert_true(json_object_get(json_object_get(flow, "signals"), "ssthresh_bytes") != NULL);
	json_decref(s);
	json_decref(json_of(&dir, "manifest.json"));

	const char *csv = text_of(&dir, "series.csv");
	/* one byte a byte in slow start: 10 + 12 packets after 12 ms, when 16 KiB have been delivered */
	assert_non_null(strstr(csv, "0.012,reno,cwnd_bytes,31856\n"));
	assert_non_null(strstr(csv, "0.022,reno,goodput_bps,11584000\n"));
	assert_non_null(strstr(csv, "0.022,reno,cc.min_rtt_ms,20\n"));
	assert_non_null(strstr(csv, "0.022,reno,cc.kernel_cwnd_bytes,14480\n"));
	assert_non_null(strstr(csv, "0.022,reno,cc.ssthresh_bytes,"));
	assert_null(strstr(csv, "reno.2,"));

	assert_int_equal(count_events(text_of(&dir, "trace.qlog"), "weir:ack"), 501);
	assert_int_equal(count_events(text_of(&dir, "trace.qlog"), "weir:loss"), 1);
	assert_int_equal(count_events(text_of(&dir, "trace.qlog"), "quic:recovery_metrics_updated"), 504);
	weir_outdir_abandon(&dir);
}

/* In the middle of it 40 calls were lost: each file says so, and what needs all of them ends there. */
static void lost_calls_are_told_everywhere(void **unused)
{
	(void)unused;
	char path[200];
	struct socket one;
	struct weir_outdir dir;
	snprintf(path, sizeof path, "%s/out", folder);
	struct weir_kernel_trace *t = start(path, 1000000000, 0);
	begin(&one, 0xffff888000001000ULL);
	take(t, &one, WEIR_KERN_INIT, 0);
	for (u32 i = 0; i < 200; i++)
		take(t, &one, WEIR_KERN_ACK, 0);
	for (u32 i = 0; i < 200; i++)
		take(t, &one, WEIR_KERN_ACK, 40);
	struct weir_kernel_trace_counts counts = finish(t, 41, &dir);
	assert_int_equal(counts.dropped, 41);
	json_t *s = json_of(&dir, "summary.json");
	assert_int_equal(number(s, "calls_dropped"), 41);
	assert_non_null(
	    strstr(json_string_value(json_array_get(json_object_get(s, "notes"), 1)), "41 calls were lost"));
	json_decref(s);
	assert_int_equal(count_events(text_of(&dir, "trace.qlog"), "weir:dropped"), 2);
	const char *csv = text_of(&dir, "series.csv");
	assert_non_null(strstr(csv, "0.192,reno,cc.ssthresh_bytes,"));
	assert_non_null(strstr(csv, "0.302,reno,cwnd_bytes,"));
	assert_null(strstr(csv, "0.302,reno,cc.ssthresh_bytes,"));
	weir_outdir_abandon(&dir);
}

static void files_end_at_their_limit(void **unused)
{
	(void)unused;
	static const char *const names[] = {"series.csv", "trace.qlog", "calls.weir"};
	char path[200];
	struct socket one;
	struct weir_outdir dir;
	snprintf(path, sizeof path, "%s/out", folder);
	struct weir_kernel_trace *t = start(path, 20000, 0);
	begin(&one, 0xffff888000001000ULL);
	take(t, &one, WEIR_KERN_INIT, 0);
	for (u32 i = 0; i < 5000; i++)
		take(t, &one, WEIR_KERN_ACK, 0);
	struct weir_kernel_trace_counts counts = finish(t, 0, &dir);
	assert_true(counts.omitted > 4000);
	for (u32 i = 0; i < 3; i++) {
		char file[PATH_MAX];
		assert_true(weir_outdir_path(&dir, names[i], file));
		FILE *f = fopen(file, "re");
		assert_non_null(f);
		fseek(f, 0, SEEK_END);
		assert_in_range(ftell(f), 5000, 20000);
		fclose(f);
	}
	assert_int_equal(count_events(text_of(&dir, "trace.qlog"), "weir:omitted"), 1);
	weir_outdir_abandon(&dir);
}

static void other_ports_are_left_out(void **unused)
{
	(void)unused;
	char path[200];
	struct socket one, two;
	struct weir_outdir dir;
	snprintf(path, sizeof path, "%s/out", folder);
	struct weir_kernel_trace *t = start(path, 1000000000, 0x2000);
	begin(&one, 0xffff888000001000ULL);
	begin(&two, 0xffff888000002000ULL);
	take(t, &one, WEIR_KERN_INIT, 0);
	take(t, &two, WEIR_KERN_INIT, 0);
	take(t, &two, WEIR_KERN_ACK, 0);
	assert_int_equal(finish(t, 0, &dir).records, 2);
	weir_outdir_abandon(&dir);
}

static int make_folder(void **unused)
{
	(void)unused;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
	(void)unused;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_result_like_that_of_a_run),
	    cmocka_unit_test(lost_calls_are_told_everywhere),
	    cmocka_unit_test(files_end_at_their_limit),
	    cmocka_unit_test(other_ports_are_left_out),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

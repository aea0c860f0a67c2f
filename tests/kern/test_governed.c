/* SPDX-License-Identifier: MIT */
/* The governor in user space against the governor in the loaded BPF program: the same calls and the same
 * setpoints, and then not a byte of state, output or report may differ. And the kernel's verifier takes it
 * with each pair of inner controllers. */
#include "any_call.h"
#include "cc/table.h"
#include "kern/governed.h"
#include "kern/load.h"
#include "machine.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CALLS 300000U
#define CALLS_A_FLOW 3000U
#define CALLS_A_SETPOINT 50U
#define CONNECTION 7

struct pair_params {
	u64 first, second; /* of cc/list.def */
};
static const struct weir_param pair_param_table[] = {{"first", "", 0, 0, 100, ""},
						     {"second", "", 1, 0, 100, ""}};

static u32 pair_inners(const void *p, struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX])
{
	const struct pair_params *pair = p;
	inner[0] = (struct weir_pilot_inner){.name = weir_cc_at((u32)pair->first)->name};
	inner[1] = (struct weir_pilot_inner){.name = weir_cc_at((u32)pair->second)->name};
	return 2;
}

static void pair_init(void *s, const void *p, u64 seed, struct weir_setpoint *out)
{
	(void)s, (void)p, (void)seed;
	out->report_ns = 10 * WEIR_NS_PER_MS;
	out->expiry_ns = 200 * WEIR_NS_PER_MS;
	out->wave_period_ns = 200 * WEIR_NS_PER_MS;
	out->wave_amplitude_Bps = 1000000;
	out->paced = 1;
}

static const struct weir_pilot_ops pair = {.name = "pair",
					   .abi = WEIR_PILOT_ABI,
					   .params_bytes = sizeof(struct pair_params),
					   .n_params = 2,
					   .state_bytes = 8,
					   .params = pair_param_table,
					   .inners = pair_inners,
					   .init = pair_init};

/* Both sides of one comparison. */
struct both {
	struct weir_kern_governor governor;
	struct weir_kern kern;
	int setpoints_fd;
	struct ring_buffer *ring;
	struct weir_setpoint newest;
	struct weir_report here, there;
	u64 reports_here, reports_there;
};

static struct both b;

static void tell(const void *context, u32 inner, void *state, const struct weir_governor_event *e,
		 struct weir_out *o)
{
	static const char *const words[] = {"reno", "cubic", "vegas", "copa"};
	const struct weir_kern_governed_call *c = context;
	u32 i = inner < b.governor.inners.n ? inner : WEIR_KERN_INNERS - 1;
	(void)state;
	c->s->said = (struct weir_out){0, 0, 0};
	weir_kern_governed_deliver(weir_cc_find(words[b.governor.inners.kind[i]]), c->s,
				   b.governor.inners.params[i], e);
	*o = c->s->said;
}

static bool exchange(const void *context, const struct weir_report *r, struct weir_setpoint *io)
{
	(void)context;
	b.here = *r;
	b.reports_here++;
	if (!b.newest.number || b.newest.number == io->number)
		return false;
	*io = b.newest;
	return true;
}

static const struct weir_governor_host host = {tell, exchange};

static int take_report(void *context, void *data, size_t bytes)
{
	const struct weir_kern_report *r = data;
	(void)context;
	assert_int_equal(bytes, sizeof *r);
	assert_int_equal(r->connection, CONNECTION);
	assert_int_equal(r->closed, 0);
	b.there = r->report;
	b.reports_there++;
	return 0;
}

static void open_pair(const char *first, const char *second, enum weir_kern_life life)
{
	u64 params[2] = {0};
	char why[WEIR_KERN_WHY_BYTES];
	struct weir_kern_object object;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		params[0] = strcmp(weir_cc_at(i)->name, first) ? params[0] : i;
		params[1] = strcmp(weir_cc_at(i)->name, second) ? params[1] : i;
	}
	memset(&b, 0, sizeof b);
	if (weir_kern_object_governor(&pair, params, &b.governor, &object, why) ||
	    weir_kern_load(&b.kern, &object, NULL, life, false, why))
		fail_msg("%s, %s: %s", first, second, why);
	b.setpoints_fd = bpf_map__fd(bpf_object__find_map_by_name(b.kern.object, "weir_setpoints"));
	b.ring = ring_buffer__new(bpf_map__fd(bpf_object__find_map_by_name(b.kern.object, "weir_reports")),
				  take_report, NULL, NULL);
	assert_non_null(b.ring);
}

static void close_pair(void)
{
	ring_buffer__free(b.ring);
	weir_kern_close(&b.kern);
}

/* Sensible ones, and now and then anything. */
static void next_setpoint(struct weir_rng *r)
{
	static const u32 inner[] = {0, 1, 0, 1, WEIR_SETPOINT_RATE, WEIR_SETPOINT_RATE, 2, 77};
	struct weir_kern_setpoint value = {0};
	u64 next = b.newest.number + 1;
	b.newest = (struct weir_setpoint){
	    .number = next,
	    .rate_Bps = number(r, 12500000),
	    .seed_cwnd_bytes = below(r, 2) ? 0 : number(r, 1 << 20),
	    .low_pass_ns = below(r, 2) ? 0 : number(r, WEIR_NS_PER_S),
	    .wave_period_ns = below(r, 2) ? 0 : number(r, 400 * WEIR_NS_PER_MS),
	    .wave_amplitude_Bps = number(r, 3000000),
	    .floor_Bps = number(r, 1000000),
	    .report_ns = 1 + below(r, 20 * WEIR_NS_PER_MS), /* with none there are no more answers */
	    .expiry_ns = below(r, 4) ? number(r, WEIR_NS_PER_S) : 0,
	    .inner = inner[below(r, 8)],
	    .seeds = (u32)below(r, 3),
	    .cap_percent = (u32)number(r, 400),
	    .paced = (u32)below(r, 2),
	};
	value.setpoint = b.newest;
	u64 connection = CONNECTION;
	assert_int_equal(bpf_map_update_elem(b.setpoints_fd, &connection, &value, BPF_F_LOCK), 0);
}

static void both_agree(const char *first, const char *second, u32 n_calls)
{
	struct weir_kern_replay here = {0}, there;
	struct weir_rng r;
	u64 waits = 0;
	open_pair(first, second, WEIR_KERN_REPLAY);
	weir_rng_init(&r, 3, weir_rng_point("governed"), 0);
	for (u32 i = 0; i < n_calls; i++) {
		struct weir_kern_governed *s = (struct weir_kern_governed *)here.state;
		any_call(&r, &here.call);
		if (i % CALLS_A_FLOW == 0) {
			here.call.event = WEIR_KERN_INIT;
			memset(here.state, (int)below(&r, 2) * 0xa5, sizeof here.state);
			s->connection = CONNECTION;
		}
		/* now and then nobody answers for long */
		if (i % CALLS_A_SETPOINT == 0)
			waits = below(&r, 4) ? 0 : 4;
		if (i % CALLS_A_SETPOINT == 0 || (!waits && below(&r, 4) == 0))
			next_setpoint(&r);
		there = here;
		weir_kern_governed_call(s, &host, &b.governor.inners.first, &here.call);
		assert_int_equal(weir_kern_replay(&b.kern, &there), 0);
		ring_buffer__consume(b.ring);
		if (memcmp(&here, &there, sizeof here) || memcmp(&b.here, &b.there, sizeof b.here) ||
		    b.reports_here != b.reports_there)
			fail_msg("%s, %s: call %u (event %u) differs: %llu B at %llu B/s here, %llu at %llu "
				 "in the "
				 "kernel; %llu reports, %llu",
				 first, second, i, here.call.event, here.call.out.cwnd_bytes,
				 here.call.out.pacing_Bps, there.call.out.cwnd_bytes,
				 there.call.out.pacing_Bps, b.reports_here, b.reports_there);
	}
	assert_true(b.reports_here > n_calls / 10);
	close_pair();
}

static const char *const pairs[][2] = {{"copa", "cubic"}, {"vegas", "reno"}, {"vegas", "cubic"},
				       {"copa", "reno"},  {"cubic", "reno"}, {"cubic", "cubic"},
				       {"copa", "vegas"}, {"reno", "reno"}};
#define PAIRS (sizeof pairs / sizeof pairs[0])

static bool is_long;

static void governors_agree(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < (is_long ? PAIRS : 2); i++)
		both_agree(pairs[i][0], pairs[i][1], is_long ? CALLS : CALLS / 2);
}

/* All hooks, with the stack that they share. */
static void the_verifier_takes_each_pair(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < PAIRS; i++) {
		open_pair(pairs[i][0], pairs[i][1], WEIR_KERN_PROCESS);
		close_pair();
	}
}

static void what_is_not_carried_is_said(void **unused)
{
	(void)unused;
	struct weir_kern_object object;
	char why[200];
	u64 params[2] = {0};
	while (strcmp(weir_cc_at((u32)params[0])->name, "bic") != 0)
		params[0]++;
	assert_int_equal(weir_kern_object_governor(&pair, params, &b.governor, &object, why), -1);
	assert_string_equal(why, "pair: the governor in the kernel does not carry \"bic\"");
}

/* The program of `make check-long` is this one by another name. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(governors_agree),
	    cmocka_unit_test(the_verifier_takes_each_pair),
	    cmocka_unit_test(what_is_not_carried_is_said),
	};
	is_long = argc > 0 && strstr(argv[0], "governed-long");
	machine_or_skip();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Every controller in user space against the same controller in the loaded BPF program: the same calls, and
 * then not a byte of state or output may differ. */
#include "any_call.h"
#include "cc/table.h"
#include "kern/call.h"
#include "kern/load.h"
#include "machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CALLS 300000U
#define CALLS_AT_AN_END 20000U
#define CALLS_A_FLOW 1000U /* then it begins anew, with other parameters now and then */

static bool is_long;

static void both_agree(const struct weir_cc_ops *ops, const u64 *params, u64 seed, u32 n_calls)
{
	char why[WEIR_KERN_WHY_BYTES];
	struct weir_kern_object object;
	struct weir_kern kern;
	struct weir_kern_replay here = {0}, there;
	struct weir_rng r;
	assert_true(weir_kern_object_find(ops->name, &object));
	if (weir_kern_load(&kern, &object, params, WEIR_KERN_REPLAY, false, why))
		fail_msg("%s", why);
	weir_rng_init(&r, seed, weir_rng_point("agreement"), 0);
	for (u32 i = 0; i < n_calls; i++) {
		any_call(&r, &here.call);
		if (i % CALLS_A_FLOW == 0) {
			here.call.event = WEIR_KERN_INIT;
			memset(here.state, (int)below(&r, 2) * 0xa5, sizeof here.state);
		}
		there = here;
		weir_call(ops, here.state, params, &here.call);
		assert_int_equal(weir_kern_replay(&kern, &there), 0);
		if (memcmp(&here, &there, sizeof here))
			fail_msg("%s: call %u (event %u) differs: window %llu here, %llu in the kernel",
				 ops->name, i, here.call.event, here.call.out.cwnd_bytes,
				 there.call.out.cwnd_bytes);
	}
	weir_kern_close(&kern);
}

static void defaults_agree(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		const struct weir_cc_ops *ops = weir_cc_at(i);
		u64 params[64];
		weir_cc_defaults(ops, params);
		both_agree(ops, params, 1, CALLS);
	}
}

/* Parameters get into the program, and their ends are harmless there as here: each at one of them, then all
 * at the other. Loading takes longer than the calls; one time in two is enough before each commit. */
static void extreme_parameters_agree(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		const struct weir_cc_ops *ops = weir_cc_at(i);
		for (u32 turn = 0; turn < (is_long ? 2 : 1); turn++) {
			u64 params[64];
			for (u32 p = 0; p < ops->n_params; p++)
				params[p] = (p + i + turn) % 2 ? ops->params[p].max : ops->params[p].min;
			both_agree(ops, params, 2 + turn, is_long ? CALLS : CALLS_AT_AN_END);
		}
	}
}

/* K11: a window of more than a million packets grows by one packet a window, there as here. */
static void k11_a_million_packets_agree(void **unused)
{
	(void)unused;
	const u64 window_bytes = 3000000ULL * 1448;
	char why[WEIR_KERN_WHY_BYTES];
	struct weir_kern_object object;
	struct weir_kern kern;
	struct weir_kern_replay here = {0}, there;
	assert_true(weir_kern_object_find("reno", &object));
	if (weir_kern_load(&kern, &object, NULL, WEIR_KERN_REPLAY, false, why))
		fail_msg("%s", why);
	u64 params[64];
	weir_cc_defaults(object.ops, params);
	here.call.view = (struct weir_view){.now_ns = 1,
					    .srtt_ns = WEIR_NS_PER_S,
					    .min_rtt_ns = WEIR_NS_PER_S,
					    .initial_bytes = 2 * window_bytes,
					    .mss_bytes = 1448,
					    .flags = WEIR_CWND_LIMITED};
	static const u32 start[] = {WEIR_KERN_INIT, WEIR_KERN_LOSS};
	for (u32 i = 0; i < 2 + 3000; i++) {
		here.call.event = i < 2 ? start[i] : WEIR_KERN_ACK;
		memset(&here.call.loss, 0, sizeof here.call.loss);
		if (i == 1)
			here.call.loss.flags = WEIR_NEW_EPISODE;
		else
			here.call.ack.acked_bytes = window_bytes / 1000;
		there = here;
		weir_call(object.ops, here.state, params, &here.call);
		assert_int_equal(weir_kern_replay(&kern, &there), 0);
		assert_memory_equal(&here, &there, sizeof here);
	}
	/* three windows of ACKs, the last of which is not yet complete: it has grown since */
	assert_int_equal(here.call.out.cwnd_bytes, window_bytes + 2 * 1448);
	weir_kern_close(&kern);
}

/* The program of `make check-long` is this one by another name. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults_agree),
	    cmocka_unit_test(extreme_parameters_agree),
	    cmocka_unit_test(k11_a_million_packets_agree),
	};
	is_long = argc > 0 && strstr(argv[0], "agreement-long");
	machine_or_skip();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

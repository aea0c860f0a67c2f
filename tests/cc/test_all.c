/* SPDX-License-Identifier: MIT */
/* What every shipped controller must do, by name and by field case. */
#include "feed.h"
#include "run/plugin_check.h"

#include <stdio.h>

static void each_describes_itself(void **unused)
{
	(void)unused;
	assert_true(weir_cc_count() >= 3);
	for (u32 i = 0; i < weir_cc_count(); i++) {
		const struct weir_cc_ops *ops = weir_cc_at(i);
		char why[240] = "";
		if (!weir_plugin_check(ops, why, sizeof why))
			fail_msg("%s: %s", ops->name, why);
		assert_true(ops->about && strlen(ops->about) > 10);
		assert_true(ops->source && strlen(ops->source) > 3);
		assert_ptr_equal(weir_cc_find(ops->name), ops);
		for (u32 k = 0; k < i; k++)
			assert_string_not_equal(weir_cc_at(k)->name, ops->name);
	}
	assert_null(weir_cc_at(weir_cc_count()));
	assert_null(weir_cc_find("no-such-controller"));
	assert_null(weir_cc_find(""));
}

static void newreno_is_reno(void **unused)
{
	(void)unused;
	assert_ptr_equal(weir_cc_find("newreno"), weir_cc_find("reno"));
	const char *word = NULL;
	assert_ptr_equal(weir_cc_alias_at(0, &word), weir_cc_find("reno"));
	assert_string_equal(word, "newreno");
	assert_null(weir_cc_alias_at(1000, &word));
}

static void defaults_are_those_of_the_table(void **unused)
{
	(void)unused;
	const struct weir_cc_ops *ops = weir_cc_find("cubic");
	u64 params[64];
	weir_cc_defaults(ops, params);
	assert_int_equal(ops->n_params, 6);
	assert_string_equal(ops->params[0].name, "beta");
	assert_int_equal(params[0], 700000);
	assert_int_equal(params[2], 400000);
	assert_int_equal(params[5], WEIR_NS_PER_S);
}

/* The smallest window at the largest RTT must still mean some rate: at least a packet a round trip. */
static void no_rate_of_zero_G26(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct feed f;
		feed_open(&f, weir_cc_at(i)->name, 3600 * WEIR_NS_PER_S);
		f.view.mss_bytes = 1;
		f.view.initial_bytes = 1;
		feed_init(&f);
		feed_timeout(&f);
		struct weir_ack a = {.acked_bytes = 1, .rtt_ns = f.rtt_ns};
		struct weir_out o = {0};
		f.ops->on_ack(f.state, f.params, &f.view, &a, &o);
		assert_true(o.cwnd_bytes >= 1);
		u64 least = weir_muldiv(f.view.mss_bytes, WEIR_NS_PER_S, f.view.srtt_ns);
		assert_true(o.pacing_Bps == 0 || o.pacing_Bps >= weir_max(least, 1));
	}
}

static void the_first_packet_lost_and_old_losses_after_it_G28(void **unused)
{
	(void)unused;
	static const u32 mss[] = {1448, 6554, 9000};
	for (u32 i = 0; i < weir_cc_count(); i++)
		for (u32 k = 0; k < 3; k++) {
			struct feed f;
			feed_open(&f, weir_cc_at(i)->name, 100 * FEED_MS);
			f.view.mss_bytes = mss[k];
			f.view.initial_bytes = 10 * (u64)mss[k];
			feed_init(&f);
			f.view.srtt_ns = f.view.min_rtt_ns = 0; /* no sample so far */
			feed_signal(&f, WEIR_LOSS_PACKET, WEIR_NEW_EPISODE, mss[k]);
			u64 once = f.cwnd_bytes;
			assert_in_range(once, feed_cuts(f.ops) ? 5 * mss[k] : mss[k],
					(feed_cuts(f.ops) ? 7 : 10) * mss[k]);
			for (int n = 0; n < 9; n++) /* the rest of the same window */
				feed_signal(&f, WEIR_LOSS_PACKET, 0, mss[k]);
			assert_int_equal(f.cwnd_bytes, once);
		}
}

/* Persistent congestion leaves one segment, not four; the initial window is the host's, ten and not 32. */
static void documented_floors_G35(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct feed f;
		feed_open(&f, weir_cc_at(i)->name, 100 * FEED_MS);
		assert_int_equal(f.cwnd_bytes, 10 * FEED_MSS);
		for (int n = 0; n < 5; n++)
			feed_timeout(&f);
		assert_int_equal(f.cwnd_bytes, FEED_MSS);
		feed_open(&f, weir_cc_at(i)->name, 100 * FEED_MS);
		for (int n = 0; n < 20; n++)
			feed_loss(&f);
		if (feed_cuts(f.ops))
			assert_int_equal(f.cwnd_bytes, 2 * FEED_MSS);
		f.view.initial_bytes = 0;
		feed_init(&f);
		assert_int_equal(f.cwnd_bytes, 10 * FEED_MSS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_describes_itself),
	    cmocka_unit_test(newreno_is_reno),
	    cmocka_unit_test(defaults_are_those_of_the_table),
	    cmocka_unit_test(no_rate_of_zero_G26),
	    cmocka_unit_test(the_first_packet_lost_and_old_losses_after_it_G28),
	    cmocka_unit_test(documented_floors_G35),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

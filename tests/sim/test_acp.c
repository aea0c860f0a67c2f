/* SPDX-License-Identifier: MIT */
/* Acp flows in the simulator: what the path does to their packets, what they leave behind, the same bits
 * twice. */
#include "acp.h"
#include "link/trace.h"
#include "sim/state.h"

/* A trace of 1500-byte opportunities: at 8 Mbit/s for 60 s, then at a tenth. */
static void make_trace(struct weir_trace *t)
{
	u64 n_fast = 40000, n_slow = 4000;
	*t = (struct weir_trace){.at_ns = malloc((n_fast + n_slow) * sizeof *t->at_ns),
				 .n = n_fast + n_slow,
				 .period_ns = 120 * WEIR_NS_PER_S};
	assert_non_null(t->at_ns);
	for (u64 i = 0; i < n_fast; i++)
		t->at_ns[i] = (i + 1) * 1500000;
	for (u64 i = 0; i < n_slow; i++)
		t->at_ns[n_fast + i] = 60 * WEIR_NS_PER_S + (i + 1) * 15000000;
}

/* L: a link that falls to a tenth of its rate: the rate of updates follows, and so does the age, without a
 * standing queue. */
static void the_age_follows_a_tenfold_change(void **state)
{
	(void)state;
	static struct net n;
	struct acp_choice choice;
	struct weir_trace trace;
	double mean_s[2], rate_hz[2];
	make_trace(&trace);
	net_new(&n, 1, false);
	struct weir_hop_config hop = {.rate = {.kind = WEIR_RATE_TRACE, .trace = &trace}, .delay_ns = 5 * MS};
	u32 path = net_path(&n, net_hop(&n, hop), net_line(&n, 0, 5 * MS, 0));
	/* each update fills an opportunity: 667 and 67 of them a second */
	u32 flow = net_add(&n, acp_flow(path, "acp-plus", 1400, &choice));
	for (u32 i = 0; i < 2; i++) {
		net_run(&n, (i * 60 + 20) * WEIR_NS_PER_S);
		weir_world_restart_ages(n.world);
		net_run(&n, (i * 60 + 60) * WEIR_NS_PER_S);
		struct weir_flow_age a = age_of(&n, flow);
		mean_s[i] = weir_ledger_mean_s(&a.age);
		rate_hz[i] = (double)a.fresh / 40;
	}
	print_message("fast: %.4f s, %.1f /s; slow: %.4f s, %.1f /s\n", mean_s[0], rate_hz[0], mean_s[1],
		      rate_hz[1]);
	/* No age can be less than the delay, half an opportunity that it waits for, and half a gap. */
	assert_true(mean_s[0] > .005 + .0015 * .5 + .5 / 667 && mean_s[0] < .020);
	assert_true(mean_s[1] > .005 + .015 * .5 + .5 / 67 && mean_s[1] < .100);
	assert_true(rate_hz[0] > 300 && rate_hz[0] < 667 && rate_hz[1] > 30 && rate_hz[1] < 67);
	weir_world_free(n.world);
	weir_trace_fini(&trace);
}

static struct weir_impair_config everything(void)
{
	return (struct weir_impair_config){
	    .loss = {.model = WEIR_LOSS_BERNOULLI, .p = .1},
	    .duplicate_p = .1,
	    .reorder_p = .1,
	    .reorder_delay_ns = 30 * MS,
	    .jitter_ns = 2 * MS,
	    .jitter_reorders = true,
	};
}

/* Losses, copies and disorder both ways, marks by RED: numbers add up, and when all has left the path nothing
 * is kept of it. */
static void reading_of(bool general, struct weir_flow_age *age, struct weir_flow_totals *totals)
{
	static struct net n;
	struct acp_choice choice[3];
	net_new(&n, 7, general);
	struct weir_hop_config forth = {.rate = {.bps = 400000},
					.delay_ns = 10 * MS,
					.queue = {.limit_packets = 50,
						  .aqm = WEIR_AQM_RED,
						  .ecn = true,
						  .red_min_bytes = 100,
						  .red_max_bytes = 4000,
						  .red_max_p = .1,
						  .red_weight = .1},
					.before = everything()};
	struct weir_hop_config back = {
	    .name = "back", .rate = {.bps = 500000}, .delay_ns = 10 * MS, .after = everything()};
	u32 there = net_hop(&n, forth), path = net_path(&n, there, net_hop(&n, back));
	for (u32 i = 0; i < 3; i++) {
		struct weir_flow_config f = acp_flow(path, i == 1 ? "lazy" : "acp-plus", 526, &choice[i]);
		choice[i].source.just_in_time = i < 2;
		choice[i].source.max_age_ns = i == 2 ? 5 * MS : 0;
		f.app.rate_uhz = i == 2 ? 100000000 : 0;
		f.app.exponential = true;
		f.endpoint.ecn = i == 0;
		f.stop_ns = 60 * WEIR_NS_PER_S;
		net_add(&n, f);
	}
	assert_int_equal(weir_world_run(n.world, WEIR_NEVER), 0);
	assert_int_equal(n.world->parcels.used, 0);
	assert_true(n.world->parcels.capacity <= 1024);
	for (u32 i = 0; i < 3; i++) {
		age[i] = age_of(&n, i);
		weir_world_flow_totals(n.world, i, &totals[i]);
	}
	weir_world_free(n.world);
}

static void what_the_path_does_is_counted(void **state)
{
	(void)state;
	static struct weir_flow_age age[3], again[3];
	static struct weir_flow_totals totals[3], totals_again[3];
	reading_of(false, age, totals);
	for (u32 i = 0; i < 3; i++) {
		const struct weir_flow_age *a = &age[i];
		print_message("sent %llu, fresh %llu, late %llu, replaced %llu, expired %llu, age %.4f s\n",
			      a->updates, a->fresh, a->late, a->replaced, a->expired,
			      weir_ledger_mean_s(&a->age));
		assert_true(a->fresh > 100 && a->fresh + a->late < a->updates * 12 / 10);
		assert_true(a->fresh < a->updates * 92 / 100);
		/* the ages end with the flow */
		assert_int_equal(a->age.until_ns, 60 * WEIR_NS_PER_S);
		/* each value is newer than the one before */
		assert_true(a->fresh >= a->age.values);
		assert_true(totals[i].sent_packets >= a->updates);
		assert_true((totals[i].ce_packets > 0) == (i == 0));
	}
	assert_true(age[0].late + age[1].late + age[2].late > 0);
	assert_true(age[2].replaced > 0 && age[2].expired > 0);
	assert_int_equal(age[0].replaced + age[0].expired, 0);

	reading_of(true, again, totals_again);
	assert_memory_equal(age, again, sizeof age);
	assert_memory_equal(totals, totals_again, sizeof totals);
}

/* A warm-up that ends: counts and integrals begin anew, the age goes on. */
static void a_restart_forgets_what_was(void **state)
{
	(void)state;
	static struct net n;
	struct acp_choice choice;
	static struct weir_age_spread spread;
	memset(&spread, 0, sizeof spread);
	net_new(&n, 1, false);
	u32 path = net_between(&n, 1000000, 20 * MS, 0, 0, 20 * MS, 0);
	struct weir_flow_config f = acp_flow(path, "fixed", 526, &choice);
	f.age_spread = &spread;
	u32 flow = net_add(&n, f);
	net_run(&n, 10 * WEIR_NS_PER_S);
	struct weir_flow_age before = age_of(&n, flow);
	assert_true(before.updates > 90);
	weir_world_restart_ages(n.world);
	struct weir_flow_age after = age_of(&n, flow);
	assert_int_equal(after.updates + after.fresh, 0);
	assert_true(weir_ledger_time_s(&after.age) == 0 && after.backlog_area_s == 0);
	net_run(&n, 20 * WEIR_NS_PER_S);
	after = age_of(&n, flow);
	assert_int_equal(after.updates, 100);
	assert_near("counted", weir_ledger_time_s(&after.age), 10, 1e-9);
	assert_near("and spread", spread.time_s, 10, 1e-9);
	double delay_s = .020 + (526. + WEIR_AGE_HEADER_BYTES + ACP_HEADER_BYTES) * 8 / 1e6;
	assert_near("99 %", weir_age_spread_quantile_s(&spread, .99), delay_s + .099, .03);
	weir_world_free(n.world);
}

/* Before anything has come there is no age; what never starts leaves nothing. */
static void no_age_before_the_first_value(void **state)
{
	(void)state;
	static struct net n;
	struct acp_choice choice[2];
	net_new(&n, 1, false);
	u32 path = net_between(&n, 1000000, 200 * MS, 0, 0, 200 * MS, 0);
	struct weir_flow_config f = acp_flow(path, "lazy", 526, &choice[0]);
	net_add(&n, f);
	f = acp_flow(path, "lazy", 526, &choice[1]);
	f.start_ns = 2 * WEIR_NS_PER_S;
	f.stop_ns = 1 * WEIR_NS_PER_S;
	net_add(&n, f);
	net_run(&n, 3 * WEIR_NS_PER_S);
	struct weir_flow_age a = age_of(&n, 0), never = age_of(&n, 1);
	assert_false(a.age.known || a.estimate.known || never.age.known); /* ten probes take 4 s */
	struct weir_flow_age none;
	weir_world_restart_ages(n.world);
	net_run(&n, 5 * WEIR_NS_PER_S);
	a = age_of(&n, 0);
	assert_true(a.age.known);
	weir_world_free(n.world);
	net_new(&n, 1, false);
	path = net_between(&n, 1000000, 20 * MS, 0, 0, 20 * MS, 0);
	net_bulk(&n, path, "cubic", 0);
	assert_false(weir_world_flow_age(n.world, 0, &none));
	weir_world_free(n.world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_age_follows_a_tenfold_change),
	    cmocka_unit_test(what_the_path_does_is_counted),
	    cmocka_unit_test(a_restart_forgets_what_was),
	    cmocka_unit_test(no_age_before_the_first_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Random hops under random traffic: what must hold for every composition. drive() checks conservation
 * and the order of departures as it goes. */
#include "drive.h"
#include "link/trace.h"

static struct weir_trace trace;

static struct weir_impair_config random_impairments(struct weir_rng *rng)
{
	struct weir_impair_config c = {0};
	c.loss.model = (enum weir_loss_model)weir_rng_below(rng, 4);
	c.loss.p = .05;
	c.loss.period_packets = 1 + weir_rng_below(rng, 30);
	c.loss.p_good_to_bad = .02;
	c.loss.p_bad_to_good = .3;
	c.loss.p_loss_bad = .7;
	c.duplicate_p = weir_rng_below(rng, 3) ? 0 : .1;
	c.reorder_p = weir_rng_below(rng, 3) ? 0 : .1;
	c.reorder_delay_ns = weir_rng_below(rng, 5 * MS);
	c.jitter_ns = weir_rng_below(rng, 2) * weir_rng_below(rng, 4 * MS);
	c.jitter_reorders = weir_rng_below(rng, 2);
	return c;
}

static void random_queue(struct weir_hop_config *c, struct weir_rng *rng)
{
	static const u64 rates[] = {1000000, 8000000, 12345678, 100000000};
	c->rate.kind = (enum weir_rate_kind)weir_rng_below(rng, 3);
	c->rate.bps = rates[weir_rng_below(rng, 4)];
	c->rate.trace = &trace;
	c->rate.walk_max_bps = 2 * c->rate.bps;
	c->rate.walk_step_ns = MS + weir_rng_below(rng, 20 * MS);
	c->rate.walk_sigma = .2;
	c->queue.aqm = (enum weir_aqm_kind)weir_rng_below(rng, 6);
	c->queue.ecn = weir_rng_below(rng, 2);
	c->queue.limit_bytes = weir_rng_below(rng, 2) * (1 + weir_rng_below(rng, 100000));
	c->queue.limit_packets = weir_rng_below(rng, 2) * (1 + weir_rng_below(rng, 60));
	c->queue.fq_flows = 1 + (u32)weir_rng_below(rng, 8);
}

static struct arrival *random_arrivals(struct weir_rng *rng, size_t n)
{
	struct arrival *a = calloc(n, sizeof *a);
	u64 now_ns = 0, mean_ns = 100000 + weir_rng_below(rng, 3 * MS);
	bool bursts = weir_rng_below(rng, 2), lattice = weir_rng_below(rng, 2);
	for (size_t i = 0; i < n; i++) {
		if (!bursts || weir_rng_below(rng, 10) == 0)
			now_ns += (u64)weir_draw_exponential(rng, (double)mean_ns * (bursts ? 10 : 1));
		if (lattice)
			now_ns = now_ns / MS * MS;
		a[i] = (struct arrival){now_ns,
					{.ref = i,
					 .flow = (u32)weir_rng_below(rng, 5),
					 .bytes = (u16)(1 + weir_rng_below(rng, 3000)),
					 .ecn = (u8)weir_rng_below(rng, 4)}};
	}
	return a;
}

/* However late the caller, everything has happened at the same times. */
static void late_callers_change_nothing(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 2, weir_rng_point("hop"), 0);
	for (int i = 0; i < 1200; i++) {
		struct weir_hop_config c = {.name = "x", .general = true};
		random_queue(&c, &rng);
		c.before = random_impairments(&rng);
		c.after = random_impairments(&rng);
		c.policer_bps = weir_rng_below(&rng, 3) ? 0 : 5000000;
		c.policer_burst_bytes = 10000;
		c.aggregate_ns = weir_rng_below(&rng, 3) ? 0 : 2 * MS + weir_rng_below(&rng, 30 * MS);
		c.delay_ns = weir_rng_below(&rng, 2) * weir_rng_below(&rng, 50 * MS);
		size_t n = 1 + weir_rng_below(&rng, 300);
		struct arrival *a = random_arrivals(&rng, n);
		u64 seed = weir_rng_u64(&rng);
		struct record punctual = drive(&c, seed, a, n, 0);
		struct record late = drive(&c, seed, a, n, 1 + weir_rng_below(&rng, 100 * MS));
		assert_same_events(punctual.out, punctual.n_out, late.out, late.n_out);
		qsort(punctual.drop, punctual.n_drop, sizeof *punctual.drop, by_ref);
		qsort(late.drop, late.n_drop, sizeof *late.drop, by_ref);
		assert_same_events(punctual.drop, punctual.n_drop, late.drop, late.n_drop);
		assert_same_hist(&punctual.wait, &late.wait);
		assert_true(punctual.stats.marked_packets == late.stats.marked_packets);
		record_free(&punctual);
		record_free(&late);
		free(a);
	}
}

/* Behind every discipline the server rests only when nothing waits, and a FIFO keeps its order (within a
 * flow, for FQ-CoDel). At 8 Mbit/s a byte takes 1 us. */
static void work_conservation_and_order(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 3, weir_rng_point("work"), 0);
	for (int i = 0; i < 600; i++) {
		struct weir_hop_config c = {.name = "x", .general = true};
		random_queue(&c, &rng);
		c.rate = (struct weir_rate_config){.bps = 8000000};
		size_t n = 1 + weir_rng_below(&rng, 500);
		struct arrival *a = random_arrivals(&rng, n);
		struct record r = drive(&c, 1, a, n, 0);
		u64 free_ns = 0, newest[5] = {0};
		for (size_t k = 0; k < r.n_out; k++) {
			const struct event *e = &r.out[k];
			u64 start_ns = e->at_ns - e->bytes * 1000ULL;
			assert_true(start_ns == weir_max(free_ns, a[e->ref].at_ns));
			free_ns = e->at_ns;
			u64 *last = &newest[c.queue.aqm == WEIR_AQM_FQ_CODEL ? e->flow : 0];
			assert_true(k == 0 || e->ref >= *last);
			*last = e->ref;
		}
		record_free(&r);
		free(a);
	}
}

/* The same seed gives the same run, another one another run. */
static void runs_repeat(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 4, weir_rng_point("repeat"), 0);
	struct weir_hop_config c = {.name = "x", .rate.bps = 5000000};
	c.before.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .1};
	c.after.jitter_ns = 3 * MS;
	struct arrival *a = random_arrivals(&rng, 2000);
	struct record x = drive(&c, 9, a, 2000, 0), y = drive(&c, 9, a, 2000, 0),
		      z = drive(&c, 10, a, 2000, 0);
	assert_same_events(x.out, x.n_out, y.out, y.n_out);
	assert_true(x.n_out != z.n_out || memcmp(x.out, z.out, x.n_out * sizeof *x.out) != 0);
	record_free(&x);
	record_free(&y);
	record_free(&z);
	free(a);
}

int main(void)
{
	static struct weir_diag d;
	static const char text[] = "1\n1\n4\n9\n9\n9\n10\n25\n";
	if (weir_trace_parse(text, sizeof text - 1, 0, 0, &trace, &d) < 0)
		return 1;
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(late_callers_change_nothing),
	    cmocka_unit_test(work_conservation_and_order),
	    cmocka_unit_test(runs_repeat),
	};
	int failed = cmocka_run_group_tests_name("link-hop", tests, NULL, NULL);
	weir_trace_fini(&trace);
	return failed;
}

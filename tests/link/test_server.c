/* SPDX-License-Identifier: MIT */
/* Servers: the trace against deliveries worked out by hand, the random walk against its own promises. */
#include "drive.h"
#include "link/trace.h"

static struct weir_trace parse(const char *text, u64 period_ns)
{
	static struct weir_diag d;
	struct weir_trace t;
	d.n = 0;
	assert_int_equal(weir_trace_parse(text, strlen(text), 0, period_ns, &t, &d), 0);
	return t;
}

static void expect(const struct record *r, const u64 (*right)[2], size_t n)
{
	assert_int_equal(r->n_out, n);
	for (size_t k = 0; k < n; k++)
		assert_true(r->out[k].ref == right[k][0] && r->out[k].at_ns == right[k][1] * MS);
}

/* Several small packets share an opportunity, a large one uses several, what is not used is lost. */
static void opportunities_are_counted_in_bytes(void **state)
{
	(void)state;
	struct weir_trace t = parse("5\n10\n10\n20\n", 0);
	struct weir_hop_config c = {.name = "x", .rate = {.kind = WEIR_RATE_TRACE, .trace = &t}};
	struct arrival a[] = {
	    {0, {.ref = 0, .bytes = 500}},	{0, {.ref = 1, .bytes = 500}},
	    {0, {.ref = 2, .bytes = 1500}},	{6 * MS, {.ref = 3, .bytes = 1000}},
	    {12 * MS, {.ref = 4, .bytes = 40}}, {20 * MS, {.ref = 5, .bytes = 3200}},
	};
	struct record r = drive(&c, 1, a, 6, 0);
	/* 5: 0, 1, a third of 2; 10: the rest of 2 and half of 3; 10: the rest of 3; 20: 4 (5 comes too late
	 * for it: departure before arrival); 25, 30, 30: packet 5 in three pieces */
	static const u64 right[][2] = {{0, 5}, {1, 5}, {2, 10}, {3, 10}, {4, 20}, {5, 30}};
	expect(&r, right, 6);
	assert_true(r.out[0].wait_ns / 16 == 5 * MS / 16 && r.out[3].wait_ns / 16 == 4 * MS / 16);
	assert_true(r.stats.capacity_bytes == 7 * WEIR_TRACE_BYTES && r.stats.sent_bytes == 6740);
	record_free(&r);
	r = drive(&c, 1, a, 6, 7 * MS);
	expect(&r, right, 6);
	record_free(&r);
	weir_trace_fini(&t);
}

/* A8: the last and the first timestamp fall together at the wrap, as in mahimahi; a period of one's own
 * tells them apart, and can end in silence. */
static void a8_wrap(void **state)
{
	(void)state;
	static const u64 mahimahi[][2] = {{0, 10}, {1, 20}, {2, 20}, {3, 30}, {4, 40}, {5, 40}};
	static const u64 own[][2] = {{0, 10}, {1, 20}, {2, 30}, {3, 40}, {4, 50}, {5, 60}};
	static const u64 silent[][2] = {{0, 10}, {1, 20}, {2, 100}, {3, 110}, {4, 120}, {5, 200}};
	struct arrival *a = regular_arrivals(6, 1, 0, 1500);
	for (int i = 0; i < 3; i++) {
		struct weir_trace t = i == 2 ? parse("# weir-trace period_ms=100\n0\n10\n20\n", 0)
					     : parse("0\n10\n20\n", i ? 30 * MS : 0);
		struct weir_hop_config c = {.name = "x", .rate = {.kind = WEIR_RATE_TRACE, .trace = &t}};
		struct record r = drive(&c, 1, a, 6, 0);
		expect(&r, i == 0 ? mahimahi : i == 1 ? own : silent, 6);
		record_free(&r);
		weir_trace_fini(&t);
	}
	free(a);
}

/* A10: a packet larger than an opportunity is counted and carried, never an error. */
static void a10_oversize_packets_pass(void **state)
{
	(void)state;
	struct weir_trace t = parse("1\n", 0);
	struct weir_hop_config c = {.name = "x", .rate = {.kind = WEIR_RATE_TRACE, .trace = &t}};
	struct arrival a[] = {
	    {0, {.ref = 0, .bytes = 1500}}, {0, {.ref = 1, .bytes = 9000}}, {0, {.ref = 2, .bytes = 65535}}};
	struct record r = drive(&c, 1, a, 3, 0);
	static const u64 right[][2] = {{0, 1}, {1, 7}, {2, 51}};
	expect(&r, right, 3);
	assert_true(r.stats.oversize_packets == 2);
	record_free(&r);
	weir_trace_fini(&t);
}

/* A16: one packet per 105 ms: slow, and exact. */
static void a16_slow_trace_delivers(void **state)
{
	(void)state;
	struct weir_trace t = parse("0\n104\n209\n314\n418\n523\n691\n", 0);
	struct weir_hop_config c = {.name = "x", .rate = {.kind = WEIR_RATE_TRACE, .trace = &t}};
	struct arrival *a = regular_arrivals(10, 1, 0, 1500);
	struct record r = drive(&c, 1, a, 10, 0);
	static const u64 right[][2] = {{0, 104}, {1, 209}, {2, 314}, {3, 418}, {4, 523},
				       {5, 691}, {6, 691}, {7, 795}, {8, 900}, {9, 1005}};
	expect(&r, right, 10);
	record_free(&r);
	weir_trace_fini(&t);
	free(a);
}

/* Capacity counts every opportunity, used or not, whenever one asks. */
static void trace_capacity(void **state)
{
	(void)state;
	struct weir_trace t = parse("3\n5\n", 0);
	struct weir_hop_config c = {.name = "x", .rate = {.kind = WEIR_RATE_TRACE, .trace = &t}};
	struct weir_link *link = weir_hop_new(&c, 1, (struct weir_link_owner){0});
	link->ops->settle(link, 1000 * 5 * MS + 3 * MS);
	assert_true(link->stats.capacity_bytes == 2001 * WEIR_TRACE_BYTES);
	assert_true(link->ops->next_ns(link) == WEIR_NEVER);
	weir_hop_free(link);
	weir_trace_fini(&t);
}

static struct weir_hop_config walk(double sigma)
{
	return (struct weir_hop_config){.name = "w",
					.rate = {.kind = WEIR_RATE_WALK,
						 .bps = 10000000,
						 .walk_min_bps = 2000000,
						 .walk_max_bps = 18000000,
						 .walk_step_ns = 20 * MS,
						 .walk_sigma = sigma}};
}

/* A walk that does not move is a constant rate, to the ns and across steps. */
static void still_walk_is_a_fixed_rate(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct arrival *a = poisson_arrivals(N, 1300000, 1500, 1);
	struct weir_hop_config moving = walk(0), fixed = {.name = "w", .rate.bps = 10000000};
	struct record x = drive(&moving, 1, a, N, 0), y = drive(&fixed, 1, a, N, 0);
	assert_same_events(x.out, x.n_out, y.out, y.n_out);
	record_free(&x);
	record_free(&y);
	free(a);
}

/* Always busy, it sends exactly its capacity; its rate stays between the borders and fills the room. */
static void walk_sends_its_capacity(void **state)
{
	(void)state;
	enum { N = 200000 };
	struct arrival *a = regular_arrivals(N, 0, 600000, 1500);
	struct weir_hop_config c = walk(.1);
	struct record r = drive(&c, 7, a, N, 0);
	assert_true(r.stats.sent_bytes == (u64)N * 1500);
	/* seen at a whole ns, the last fraction of a byte may be missing */
	assert_true(r.stats.capacity_bytes + 1 >= r.stats.sent_bytes);
	assert_true(r.stats.capacity_bytes <= r.stats.sent_bytes + 1);
	double least = 1e12, most = 0, sum = 0;
	for (size_t k = 100; k < N; k += 100) {
		double bps = 100 * 12000e9 / (double)(r.out[k].at_ns - r.out[k - 100].at_ns);
		least = fmin(least, bps);
		most = fmax(most, bps);
		sum += (double)(r.out[k].at_ns - r.out[k - 100].at_ns);
	}
	assert_true(least > 1.99e6 && most < 18.01e6 && least < 4e6 && most > 16e6);
	/* reflected at equal distances from its start, its mean over a long time is the start */
	assert_true(fabs((double)N * 12000e9 / sum / 1e7 - 1) < .1);
	record_free(&r);
	free(a);
}

static void walk_through_silence(void **state)
{
	(void)state;
	struct arrival *a = regular_arrivals(2000, 0, 100 * MS, 1500);
	struct weir_hop_config c = walk(.5);
	c.rate.walk_min_bps = 0;
	struct record punctual = drive(&c, 3, a, 2000, 0), late = drive(&c, 3, a, 2000, 3 * S);
	assert_same_events(punctual.out, punctual.n_out, late.out, late.n_out);
	record_free(&punctual);
	record_free(&late);
	free(a);
}

/* B8: nothing is divided by an estimate that may be 0: empty packets, rates without measure. */
static void b8_degenerate_rates(void **state)
{
	(void)state;
	static const u64 rates[] = {1, 7, 1000000000000000ULL, WEIR_NEVER / 2};
	struct arrival a[40];
	for (size_t i = 0; i < 40; i++)
		a[i] = (struct arrival){i / 4 * 3, {.ref = i, .bytes = (u16)(i % 3 ? 0 : i)}};
	for (size_t rate = 0; rate < 4; rate++)
		for (int aqm = 0; aqm < 6; aqm++)
			for (int kind = 0; kind < 2; kind++) {
				struct weir_hop_config c = {.name = "x", .general = kind};
				c.rate = (struct weir_rate_config){.bps = rates[rate]};
				c.queue = (struct weir_queue_config){.aqm = (enum weir_aqm_kind)aqm,
								     .target_ns = 1,
								     .interval_ns = 1,
								     .fq_quantum_bytes = 1};
				struct record r = drive(&c, 1, a, 40, 0);
				record_free(&r);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(opportunities_are_counted_in_bytes),
	    cmocka_unit_test(a8_wrap),
	    cmocka_unit_test(a10_oversize_packets_pass),
	    cmocka_unit_test(a16_slow_trace_delivers),
	    cmocka_unit_test(trace_capacity),
	    cmocka_unit_test(still_walk_is_a_fixed_rate),
	    cmocka_unit_test(walk_sends_its_capacity),
	    cmocka_unit_test(walk_through_silence),
	    cmocka_unit_test(b8_degenerate_rates),
	};
	return cmocka_run_group_tests_name("link-server", tests, NULL, NULL);
}

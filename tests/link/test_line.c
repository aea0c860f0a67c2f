/* SPDX-License-Identifier: MIT */
#include "drive.h"
#include "link/line.h"

/* Arrivals that are random, or in bursts, or on a lattice of the time on the wire, where departures and
 * arrivals fall together all the time. */
static struct arrival *random_arrivals(struct weir_rng *rng, size_t n, const struct weir_hop_config *c)
{
	struct arrival *a = calloc(n, sizeof *a);
	u64 kind = weir_rng_below(rng, 4), sizes = weir_rng_below(rng, 3), now_ns = weir_rng_below(rng, 1000);
	u64 wire_ns = c->rate.bps ? weir_max(1500 * 8 * S / c->rate.bps, 1) : 1000;
	for (size_t i = 0; i < n; i++) {
		u64 gap = kind == 0 ? weir_rng_below(rng, 2 * wire_ns + 2)
			  : kind == 1
			      ? weir_rng_below(rng, 20) == 0 ? weir_rng_below(rng, 40 * wire_ns + 1) : 0
			  : kind == 2 ? weir_rng_below(rng, 3) * wire_ns
				      : weir_rng_below(rng, 4) * wire_ns / 2;
		now_ns += gap;
		u64 bytes = sizes == 0	 ? 1500
			    : sizes == 1 ? (weir_rng_below(rng, 2) ? 1500 : 52)
					 : 1 + weir_rng_below(rng, 9000);
		a[i] = (struct arrival){now_ns,
					{.ref = i, .flow = (u32)weir_rng_below(rng, 5), .bytes = (u16)bytes}};
	}
	return a;
}

static struct weir_hop_config random_config(struct weir_rng *rng)
{
	static const u64 rates[] = {0, 1, 999, 56000, 7654321, 12000000, 96000000, 1000000007, 100000000000};
	struct weir_hop_config c = {.name = "x"};
	c.rate.bps = rates[weir_rng_below(rng, 9)];
	c.delay_ns = weir_rng_below(rng, 3) * weir_rng_below(rng, 50 * MS);
	c.queue.limit_packets = weir_rng_below(rng, 2) * (1 + weir_rng_below(rng, 20));
	c.queue.limit_bytes = weir_rng_below(rng, 2) * (1 + weir_rng_below(rng, 40000));
	if (weir_rng_below(rng, 3) == 0) {
		c.before.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .1};
		c.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_GILBERT_ELLIOTT,
							 .p_good_to_bad = .1,
							 .p_bad_to_good = .3,
							 .p_loss_bad = .8};
		c.after.loss.model = (enum weir_loss_model)weir_rng_below(rng, 4);
		c.after.loss.period_packets = 3;
	}
	return c;
}

static void line_and_general_element_agree(void **state)
{
	(void)state;
	struct weir_rng rng;
	weir_rng_init(&rng, 1, weir_rng_point("line"), 0);
	size_t drops = 0;
	for (int i = 0; i < 3000; i++) {
		struct weir_hop_config c = random_config(&rng);
		size_t n = 1 + weir_rng_below(&rng, i % 100 ? 150 : 5000);
		struct arrival *a = random_arrivals(&rng, n, &c);
		struct record line = drive(&c, 1, a, n, 0);
		c.general = true;
		struct record general = drive(&c, 1, a, n, i % 3 ? 0 : weir_rng_below(&rng, 200 * MS));
		assert_same_events(line.out, line.n_out, general.out, general.n_out);
		qsort(line.drop, line.n_drop, sizeof *line.drop, by_ref);
		qsort(general.drop, general.n_drop, sizeof *general.drop, by_ref);
		assert_same_events(line.drop, line.n_drop, general.drop, general.n_drop);
		assert_same_hist(&line.wait, &general.wait);
		assert_true(line.stats.sent_bytes == general.stats.sent_bytes);
		assert_true(line.stats.in_bytes == general.stats.in_bytes);
		drops += line.n_drop;
		record_free(&line);
		record_free(&general);
		free(a);
	}
	assert_true(drops > 10000);
}

/* Packet k of a busy period ends at floor(k * bits * 1e9 / rate): nothing is rounded twice. Rounding each
 * time on the wire would lose 33 ppm at such rates. */
static void no_fraction_of_a_ns_is_lost(void **state)
{
	(void)state;
	enum { N = 30000 };
	struct arrival *a = regular_arrivals(N, 0, 0, 1500);
	struct weir_hop_config c = {.name = "x", .rate.bps = 99999999999};
	for (int general = 0; general < 2; general++) {
		c.general = general;
		struct record r = drive(&c, 1, a, N, 0);
		assert_int_equal(r.n_out, N);
		for (u64 k = 0; k < N; k++)
			assert_true(r.out[k].at_ns == weir_muldiv((k + 1) * 12000, S, c.rate.bps));
		record_free(&r);
	}
	free(a);
}

/* Tie rule: at equal times the departure comes first, so that the arrival finds the place free. */
static void departure_comes_before_arrival(void **state)
{
	(void)state;
	/* 1 ms on the wire, room for one waiting packet: one sent, one waits at any time */
	enum { N = 200 };
	struct arrival *a = regular_arrivals(N, 0, MS, 1500);
	a[1].at_ns = 0; /* from here on each arrives at the instant at which one leaves */
	for (size_t i = 2; i < N; i++)
		a[i].at_ns -= MS;
	struct weir_hop_config c = {.name = "x", .rate.bps = 12000000, .queue.limit_packets = 1};
	for (int general = 0; general < 2; general++) {
		c.general = general;
		struct record r = drive(&c, 1, a, N, 0);
		assert_int_equal(r.n_drop, 0);
		record_free(&r);
	}
	a[2].at_ns--; /* one ns earlier the place is still taken */
	for (int general = 0; general < 2; general++) {
		c.general = general;
		struct record r = drive(&c, 1, a, N, 0);
		assert_int_equal(r.n_drop, 1);
		assert_int_equal(r.drop[0].ref, 2);
		record_free(&r);
	}
	free(a);
}

static void buffer_rule(void **state)
{
	(void)state;
	/* the packet in transmission is not counted; an idle server takes even what no buffer could hold */
	struct arrival a[] = {{0, {.ref = 0, .bytes = 9000}},
			      {0, {.ref = 1, .bytes = 1000}},
			      {0, {.ref = 2, .bytes = 500}},
			      {0, {.ref = 3, .bytes = 1}}};
	struct weir_hop_config c = {.name = "x", .rate.bps = 8000, .queue.limit_bytes = 1500};
	for (int general = 0; general < 2; general++) {
		c.general = general;
		struct record r = drive(&c, 1, a, 4, 0);
		assert_int_equal(r.n_drop, 1);
		assert_int_equal(r.drop[0].ref, 3);
		assert_true(r.out[0].at_ns == 9 * S && r.out[1].at_ns == 10 * S &&
			    r.out[2].at_ns == 10500 * MS);
		assert_true(r.out[2].wait_ns == 10 * S);
		record_free(&r);
	}
}

/* B10: a packet limit and a byte limit are different things when sizes differ. */
static void b10_limits_in_bytes_and_in_packets(void **state)
{
	(void)state;
	static const struct {
		u16 bytes;
		u64 limit_bytes, limit_packets, taken;
	} cases[] = {{64, 15000, 0, 234}, {1500, 15000, 0, 10}, {64, 0, 10, 10},
		     {1500, 0, 10, 10},	  {64, 15000, 10, 10},	{1500, 3000, 10, 2}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct arrival *a = regular_arrivals(500, 0, 0, cases[i].bytes);
		struct weir_hop_config c = {.name = "x", .rate.bps = 1000000};
		c.queue.limit_bytes = cases[i].limit_bytes;
		c.queue.limit_packets = cases[i].limit_packets;
		struct record r = drive(&c, 1, a, 500, 0);
		assert_int_equal(r.n_out, cases[i].taken + 1);
		record_free(&r);
		free(a);
	}
}

/* B1: a delay line holds rate x delay packets without a limit of its own. */
static void b1_delay_line_never_drops(void **state)
{
	(void)state;
	enum { N = 100000 };
	struct arrival *a = regular_arrivals(N, 0, 1000, 1500);
	struct weir_hop_config c = {.name = "x", .delay_ns = S};
	for (int general = 0; general < 2; general++) {
		c.general = general;
		struct record r = drive(&c, 1, a, N, 0);
		assert_int_equal(r.n_out, N);
		for (size_t i = 0; i < N; i++)
			assert_true(r.out[i].at_ns == a[i].at_ns + S && r.out[i].ref == i);
		record_free(&r);
	}
	free(a);
}

/* B7: offered less than its rate, a server with a small buffer loses nothing, ever. */
static void b7_no_loss_below_the_rate(void **state)
{
	(void)state;
	enum { N = 200000 };
	struct weir_hop_config c = {
	    .name = "x", .rate.bps = 8000000, .delay_ns = 20 * MS, .queue.limit_packets = 40};
	struct arrival *a = regular_arrivals(N, 0, 1500001, 1500); /* just below 8 Mbit/s */
	struct record r = drive(&c, 1, a, N, 0);
	assert_int_equal(r.n_drop, 0);
	assert_true(r.wait.max == 0);
	record_free(&r);
	free(a);
}

static void peek_and_head(void **state)
{
	(void)state;
	struct weir_line line;
	struct weir_line_config c = {.rate_bps = 12000000, .delay_ns = 10 * MS};
	assert_int_equal(weir_line_init(&line, &c, (struct weir_link_owner){0}), 0);
	assert_true(weir_line_head_ns(&line) == WEIR_NEVER && !weir_line_peek(&line, 0));
	for (u64 i = 0; i < 3000; i++)
		assert_true(weir_line_push(&line, 0, &(struct weir_packet){.ref = i, .bytes = 1500}));
	assert_true(weir_line_head_ns(&line) == 11 * MS);
	assert_true(weir_line_peek(&line, 2999)->ref == 2999 && !weir_line_peek(&line, 3000));
	weir_line_settle(&line, 5 * MS);
	u64 packets, bytes, waiting;
	line.link.ops->held(&line.link, 5 * MS, &packets, &bytes, &waiting);
	assert_true(packets == 3000 && waiting == 2994 * 1500);
	assert_true(line.link.stats.sent_bytes == 5 * 1500);
	assert_true(line.link.stats.in_packets == 3000 && line.link.stats.out_packets == 0);
	weir_line_fini(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(line_and_general_element_agree),
	    cmocka_unit_test(no_fraction_of_a_ns_is_lost),
	    cmocka_unit_test(departure_comes_before_arrival),
	    cmocka_unit_test(buffer_rule),
	    cmocka_unit_test(b10_limits_in_bytes_and_in_packets),
	    cmocka_unit_test(b1_delay_line_never_drops),
	    cmocka_unit_test(b7_no_loss_below_the_rate),
	    cmocka_unit_test(peek_and_head),
	};
	return cmocka_run_group_tests_name("link-line", tests, NULL, NULL);
}

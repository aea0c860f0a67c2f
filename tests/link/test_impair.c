/* SPDX-License-Identifier: MIT */
#include "drive.h"

/* Whether k of n lies within five standard deviations of probability p. */
static bool plausible(size_t k, size_t n, double p)
{
	double mean = (double)n * p;
	return fabs((double)k - mean) <= 5 * sqrt(mean * (1 - p)) + 1;
}

static void bernoulli_rate(void **state)
{
	(void)state;
	enum { N = 300000 };
	struct arrival *a = regular_arrivals(N, 0, 1000, 100);
	for (int side = 0; side < 2; side++) {
		struct weir_hop_config c = {.name = "x"};
		struct weir_impair_config *i = side ? &c.after : &c.before;
		i->loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .03};
		struct record r = drive(&c, 1, a, N, 0);
		assert_true(plausible(r.n_drop, N, .03));
		assert_true(r.stats.dropped_packets[WEIR_DROP_LOSS] == r.n_drop);
		/* independent: a loss follows a loss no more often than it follows a delivery */
		size_t pairs = 0;
		for (size_t k = 1; k < r.n_drop; k++)
			pairs += r.drop[k].ref == r.drop[k - 1].ref + 1;
		assert_true(plausible(pairs, r.n_drop, .03));
		struct record other = drive(&c, 2, a, N, 0);
		assert_true(other.drop[0].ref != r.drop[0].ref || other.drop[1].ref != r.drop[1].ref);
		record_free(&other);
		record_free(&r);
	}
	free(a);
}

static void periodic_takes_the_nth(void **state)
{
	(void)state;
	struct arrival *a = regular_arrivals(1000, 0, 1000, 100);
	struct weir_hop_config c = {.name = "x"};
	c.before.loss = (struct weir_loss_config){.model = WEIR_LOSS_PERIODIC, .period_packets = 7};
	struct record r = drive(&c, 1, a, 1000, 0);
	assert_int_equal(r.n_drop, 142);
	for (size_t k = 0; k < r.n_drop; k++)
		assert_true(r.drop[k].ref == 7 * k + 6);
	record_free(&r);
	free(a);
}

/* All of a bad period is lost: bursts are geometric with mean 1 / p(bad to good), and the share of the bad
 * state is p(gb) / (p(gb) + p(bg)). */
static void gilbert_elliott_bursts(void **state)
{
	(void)state;
	enum { N = 1000000 };
	struct arrival *a = regular_arrivals(N, 0, 1000, 100);
	struct weir_hop_config c = {.name = "x"};
	c.before.loss = (struct weir_loss_config){
	    .model = WEIR_LOSS_GILBERT_ELLIOTT, .p_good_to_bad = .01, .p_bad_to_good = .2, .p_loss_bad = 1};
	struct record r = drive(&c, 1, a, N, 0);
	size_t bursts = 0;
	for (size_t k = 0; k < r.n_drop; k++)
		bursts += k == 0 || r.drop[k].ref != r.drop[k - 1].ref + 1;
	double length = (double)r.n_drop / (double)bursts, share = (double)r.n_drop / N;
	/* a burst's length has standard deviation sqrt(1 - q) / q; a cycle is a burst and a gap */
	assert_true(fabs(length - 5) < 5 * sqrt(.8) / .2 / sqrt((double)bursts));
	assert_true(fabs(share / (.01 / .21) - 1) < .05);
	record_free(&r);

	c.before.loss.p_loss_bad = .5;
	c.before.loss.p_loss_good = .001;
	r = drive(&c, 1, a, N, 0);
	share = (double)r.n_drop / N;
	assert_true(fabs(share / ((.01 * .5 + .2 * .001) / .21) - 1) < .05);
	record_free(&r);
	free(a);
}

static void duplicates_follow_at_once(void **state)
{
	(void)state;
	enum { N = 50000 };
	struct arrival *a = regular_arrivals(N, 0, 1000, 100);
	struct weir_hop_config c = {.name = "x", .delay_ns = MS, .before.duplicate_p = .1};
	struct record r = drive(&c, 1, a, N, 0);
	assert_true(plausible(r.duplicates, N, .1) && r.stats.duplicated_packets == r.duplicates);
	size_t twice = 0;
	for (size_t k = 1; k < r.n_out; k++) {
		twice += r.out[k].ref == r.out[k - 1].ref;
		assert_true(r.out[k].at_ns == a[r.out[k].ref].at_ns + MS);
	}
	assert_int_equal(twice, r.duplicates);
	record_free(&r);
	free(a);
}

static void reorder_holds_some_back(void **state)
{
	(void)state;
	enum { N = 50000 };
	struct arrival *a = regular_arrivals(N, 0, 1000, 100);
	struct weir_hop_config c = {.name = "x", .before.reorder_p = .05, .before.reorder_delay_ns = 5500};
	struct record r = drive(&c, 1, a, N, 0);
	size_t late = 0;
	for (size_t k = 0; k < r.n_out; k++) {
		u64 extra_ns = r.out[k].at_ns - a[r.out[k].ref].at_ns;
		assert_true(extra_ns == 0 || extra_ns == 5500);
		late += extra_ns != 0;
	}
	assert_true(plausible(late, N, .05));
	/* each held packet is overtaken by the five that follow within 5500 ns, unless they are held too */
	u64 newest = 0;
	size_t overtaken = 0;
	for (size_t k = 0; k < r.n_out; k++) {
		overtaken += r.out[k].ref < newest;
		newest = weir_max(newest, r.out[k].ref);
	}
	assert_true(overtaken > late * 99 / 100 && overtaken <= late);
	record_free(&r);
	free(a);
}

/* B2: 1 ms of jitter on packets that are 50 us apart must not look like reordering. */
static void b2_jitter_keeps_order_by_default(void **state)
{
	(void)state;
	enum { N = 40000 };
	struct arrival *a = regular_arrivals(N, 0, 50000, 1200);
	struct weir_hop_config c = {.name = "x", .delay_ns = 50 * MS, .after.jitter_ns = MS};
	struct record r = drive(&c, 1, a, N, 0);
	u64 most = 0;
	for (size_t k = 0; k < N; k++) {
		u64 extra_ns = r.out[k].at_ns - a[k].at_ns - 50 * MS;
		assert_true(r.out[k].ref == k && extra_ns <= MS);
		most = weir_max(most, extra_ns);
	}
	assert_true(most > 990000);
	record_free(&r);

	c.after.jitter_reorders = true;
	r = drive(&c, 1, a, N, 0);
	size_t back = 0;
	double sum = 0;
	for (size_t k = 0; k < N; k++) {
		back += k && r.out[k].ref < r.out[k - 1].ref;
		sum += (double)(r.out[k].at_ns - a[r.out[k].ref].at_ns - 50 * MS);
	}
	assert_true(back > N / 3);
	assert_true(fabs(sum / N / 5e5 - 1) < 5 / sqrt(3. * N));
	record_free(&r);
	free(a);
}

/* Whatever is offered, a token bucket passes its burst and from then on its rate, to the byte. */
static void policer_passes_its_rate(void **state)
{
	(void)state;
	enum { N = 200000 };
	struct arrival *a = poisson_arrivals(N, 500000, 1000, 9); /* 16 Mbit/s */
	struct weir_hop_config c = {.name = "x", .policer_bps = 8000000, .policer_burst_bytes = 20000};
	struct record r = drive(&c, 1, a, N, 0);
	u64 passed = 0, first = a[0].at_ns;
	for (size_t k = 0; k < r.n_out; k++) {
		passed += r.out[k].bytes;
		assert_true(passed <= 20000 + (r.out[k].at_ns - first) / 1000);
	}
	double seconds = (double)(a[N - 1].at_ns - first) * 1e-9;
	assert_true(fabs((double)passed - 1e6 * seconds - 20000) < 20000);
	assert_true(r.stats.dropped_packets[WEIR_DROP_POLICER] == r.n_drop && r.n_drop > N / 3);
	record_free(&r);

	/* what keeps to the rate passes untouched */
	struct arrival *b = regular_arrivals(20000, 0, MS, 1000);
	c.policer_burst_bytes = 1000;
	r = drive(&c, 1, b, 20000, 0);
	assert_int_equal(r.n_drop, 0);
	record_free(&r);
	free(a);
	free(b);
}

static void batches_leave_together(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct arrival *a = poisson_arrivals(N, 300000, 1000, 4);
	struct weir_hop_config c = {.name = "x", .aggregate_ns = 8 * MS, .delay_ns = 3 * MS};
	struct record r = drive(&c, 1, a, N, 0);
	for (size_t k = 0; k < N; k++) {
		assert_true(r.out[k].ref == k && (r.out[k].at_ns - 3 * MS) % (8 * MS) == 0);
		assert_true(r.out[k].at_ns - 3 * MS - a[k].at_ns < 8 * MS);
	}
	record_free(&r);
	free(a);
}

/* Adding a part never moves the draws of another. */
static void streams_are_independent(void **state)
{
	(void)state;
	enum { N = 5000 };
	struct arrival *a = regular_arrivals(N, 0, 1000, 100);
	struct weir_hop_config c = {.name = "x"};
	c.before.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .1};
	struct record plain = drive(&c, 5, a, N, 0);
	c.before.jitter_ns = 500;
	c.after.duplicate_p = .2;
	struct record more = drive(&c, 5, a, N, 0);
	assert_same_events(plain.drop, plain.n_drop, more.drop, more.n_drop);
	record_free(&plain);
	record_free(&more);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bernoulli_rate),	       cmocka_unit_test(periodic_takes_the_nth),
	    cmocka_unit_test(gilbert_elliott_bursts),  cmocka_unit_test(duplicates_follow_at_once),
	    cmocka_unit_test(reorder_holds_some_back), cmocka_unit_test(b2_jitter_keeps_order_by_default),
	    cmocka_unit_test(policer_passes_its_rate), cmocka_unit_test(batches_leave_together),
	    cmocka_unit_test(streams_are_independent),
	};
	return cmocka_run_group_tests_name("link-impair", tests, NULL, NULL);
}

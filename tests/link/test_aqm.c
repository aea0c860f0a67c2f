/* SPDX-License-Identifier: MIT */
/* Each discipline against the law of its RFC or paper. */
#include "drive.h"
#include "link/codel_law.h"
#include "link/pie.h"
#include "link/red.h"

static bool near(double x, double right, double relative)
{
	return fabs(x - right) <= relative * fabs(right);
}

static void red_curve(void **state)
{
	(void)state;
	struct weir_queue_config c = {.red_min_bytes = 1000, .red_max_bytes = 3000, .red_max_p = .1};
	static const double curve[][2] = {{0, 0},     {999, 0},	   {1000, 0}, {2000, .05}, {2999, .09995},
					  {3000, .1}, {4500, .55}, {6000, 1}, {1e9, 1}};
	for (size_t i = 0; i < sizeof curve / sizeof curve[0]; i++)
		assert_true(fabs(weir_red_probability(&c, curve[i][0]) - curve[i][1]) < 1e-12);
}

/* With weight 1 the average is the queue; with 1-byte packets and no service it climbs slowly through the
 * thresholds. Drops are spread uniformly: by the paper's pseudocode a gap is 1 to 1/p - 1 packets, so that
 * 2p of them are dropped. */
static void red_drops_by_its_curve(void **state)
{
	(void)state;
	enum { N = 60000 };
	struct arrival *a = regular_arrivals(N, 0, 1, 1);
	struct weir_hop_config c = {.name = "x", .rate.bps = 1, .queue.aqm = WEIR_AQM_RED};
	c.queue.red_min_bytes = 20000;
	c.queue.red_max_bytes = 50000;
	c.queue.red_max_p = .1;
	c.queue.red_weight = 1;
	double drops = 0, expected = 0;
	for (u64 seed = 1; seed <= 5; seed++) {
		struct weir_link *link = weir_hop_new(&c, seed, (struct weir_link_owner){0});
		u64 packets, bytes, waiting, gap = 0;
		for (size_t i = 0; i < N; i++) {
			link->ops->held(link, i, &packets, &bytes, &waiting);
			u64 before = link->stats.dropped_packets[WEIR_DROP_AQM];
			link->ops->push(link, i, 0, &a[i].packet);
			bool dropped = link->stats.dropped_packets[WEIR_DROP_AQM] > before;
			double p = weir_red_probability(&c.queue, (double)waiting);
			if (waiting >= c.queue.red_max_bytes)
				break;
			gap = p > 0 ? gap + 1 : 0;
			assert_true(!dropped || p > 0);
			assert_true(p < .01 || (double)gap <= 1 / p + 12); /* p moves a little within a gap */
			drops += dropped;
			expected += 2 * p;
			gap = dropped ? 0 : gap;
		}
		weir_hop_free(link);
	}
	assert_true(drops > 10000 && near(drops, expected, .03));
	free(a);
}

/* While idle the average decays as if m packets of the mean size had come to an empty queue. */
static void red_average_decays_while_idle(void **state)
{
	(void)state;
	enum { N = 500 };
	const double w = .01;
	struct weir_hop_config c = {.name = "x", .rate.bps = 8000000, .queue.aqm = WEIR_AQM_RED};
	c.queue.red_min_bytes = 20000;
	c.queue.red_max_bytes = 20001; /* a step: below it nothing is dropped, above it everything */
	c.queue.red_max_p = 1;
	c.queue.red_weight = w;
	double average = 0;
	u64 queue = 0, taken = 0;
	for (size_t i = 0; i < N; i++) {
		if (i)
			average = (1 - w) * average + w * (double)queue;
		if (average < 20000) {
			queue += i ? 1000 : 0; /* the first one goes straight into service */
			taken++;
		}
	}
	assert_true(average > 25000);
	/* the queue runs empty when the last but one has been sent: 1 ms each */
	double idle_from_ms = (double)taken - 1, steps = log(20000 / average) / log(1 - w);
	for (int late = 0; late < 2; late++) {
		struct weir_link *link = weir_hop_new(&c, 1, (struct weir_link_owner){0});
		struct weir_packet p = {.bytes = 1000};
		for (size_t i = 0; i < N; i++)
			link->ops->push(link, 0, 0, &p);
		u64 dropped = link->stats.dropped_packets[WEIR_DROP_AQM];
		assert_int_equal(dropped, N - taken);
		u64 at_ns = (u64)((idle_from_ms + steps * (late ? 1.02 : .98)) * 1e6);
		link->ops->push(link, at_ns, 0, &p);
		assert_int_equal(link->stats.dropped_packets[WEIR_DROP_AQM], dropped + !late);
		weir_hop_free(link);
	}
}

/* Twice the rate of a link of 1 ms a packet: the delay stays above target once it is there. */
static void codel_drop_times(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct arrival *a = regular_arrivals(N, 0, 500000, 1500);
	struct weir_hop_config c = {.name = "x", .rate.bps = 12000000, .queue.aqm = WEIR_AQM_CODEL};
	struct record r = drive(&c, 1, a, N, 0);
	assert_true(r.n_drop > 50);
	/* packet n waits n x 0.5 ms: 5 ms at packet 10, which is taken at 10 ms; one interval later the
	 * first drop, and then each interval / sqrt(count) */
	assert_true(r.drop[0].at_ns == 110 * MS);
	double next = (double)r.drop[0].at_ns;
	for (size_t k = 1; k < 40; k++) {
		next += 100e6 / sqrt((double)k);
		double late = (double)r.drop[k].at_ns - next;
		assert_true(late >= -10 && late <= 1e6); /* at the first departure after it is due */
	}
	record_free(&r);
	free(a);
}

static void codel_law(void **state)
{
	(void)state;
	assert_true(weir_codel_next(1000, 100 * MS, 1) == 1000 + 100 * MS);
	assert_true(weir_codel_next(0, 100 * MS, 4) == 50 * MS);
	assert_true(weir_codel_next(0, 100 * MS, 100) == 10 * MS);
}

/* Below the target nothing is dropped, nor while less than a packet waits, however slow the link. */
static void codel_leaves_good_queues_alone(void **state)
{
	(void)state;
	enum { N = 5000 };
	struct weir_hop_config c = {.name = "x", .rate.bps = 12000000, .queue.aqm = WEIR_AQM_CODEL};
	struct arrival *a = regular_arrivals(N, 0, MS, 1500);
	for (size_t i = 0; i < N; i++)
		a[i].at_ns = i / 4 * 4 * MS; /* bursts of four: up to 3 ms of delay */
	struct record r = drive(&c, 1, a, N, 0);
	assert_int_equal(r.n_drop, 0);
	record_free(&r);
	c.rate.bps = 100000; /* 120 ms a packet: never two waiting */
	for (size_t i = 0; i < N; i++)
		a[i].at_ns = i / 2 * 240 * MS;
	r = drive(&c, 1, a, N, 0);
	assert_int_equal(r.n_drop, 0);
	record_free(&r);
	free(a);
}

static void pie_recursion(void **state)
{
	(void)state;
	const u64 target = 15 * MS, update = 15 * MS;
	struct weir_pie p = {.delay_ns = 35 * MS, .burst_ns = 40 * MS};
	weir_pie_update(&p, target, update);
	/* alpha (0.035 - 0.015) + beta (0.035 - 0), scaled by 1/2048 */
	assert_true(near(p.drop_p, (.125 * .020 + 1.25 * .035) / 2048, 1e-12));
	assert_true(p.burst_ns == 25 * MS && p.old_delay_ns == 35 * MS);
	double before = p.drop_p; /* 2.26e-5: scaled by 1/128 */
	weir_pie_update(&p, target, update);
	assert_true(near(p.drop_p, before + .125 * .020 / 128, 1e-12));
	static const double tiers[][2] = {
	    {5e-7, 1. / 2048}, {5e-6, 1. / 512}, {5e-5, 1. / 128}, {5e-4, 1. / 32},
	    {5e-3, 1. / 8},    {5e-2, 1. / 2},	 {.5, 1}};
	for (size_t i = 0; i < 7; i++) {
		p = (struct weir_pie){.drop_p = tiers[i][0], .delay_ns = 30 * MS, .old_delay_ns = 25 * MS};
		weir_pie_update(&p, target, update);
		double step = (.125 * .015 + 1.25 * .005) * tiers[i][1];
		assert_true(near(p.drop_p - tiers[i][0], step, 1e-6));
	}
	p = (struct weir_pie){.drop_p = .5};
	weir_pie_update(&p, target, update);
	assert_true(near(p.drop_p, (.5 - .125 * .015) * .98, 1e-12)); /* empty: decays by 2 % */
	p = (struct weir_pie){.drop_p = .999, .delay_ns = 2 * S};
	weir_pie_update(&p, target, update);
	assert_true(p.drop_p >= 1 && p.drop_p <= 1);
	p = (struct weir_pie){.drop_p = 0, .delay_ns = 7 * MS, .old_delay_ns = 7 * MS};
	weir_pie_update(&p, target, update);
	assert_true(p.burst_ns == 150 * MS);
}

/* Unresponsive traffic at 125 % of the rate: a fifth must go, and the delay settles at the target. */
static void pie_holds_its_target(void **state)
{
	(void)state;
	enum { N = 100000 };
	struct arrival *a = poisson_arrivals(N, 800000, 1500, 3);
	struct weir_hop_config c = {.name = "x", .rate.bps = 12000000, .queue.aqm = WEIR_AQM_PIE};
	struct record r = drive(&c, 1, a, N, 0);
	double late = 0;
	size_t n = 0, drops = 0;
	for (size_t k = r.n_out / 2; k < r.n_out; k++, n++)
		late += (double)r.out[k].wait_ns;
	for (size_t k = 0; k < r.n_drop; k++)
		drops += r.drop[k].ref > N / 2;
	assert_true(near(late / (double)n, 15e6, .1));
	assert_true(near((double)drops, N / 2 * .2, .05));
	assert_true(r.drop[0].at_ns > 150 * MS); /* the burst that is allowed */
	record_free(&r);
	free(a);
}

/* Flows with packets of different sizes, all offered more than their share. */
static struct arrival *flows(size_t n, const u16 *bytes, const u64 *gap_ns, u32 n_flows, u8 ecn)
{
	struct arrival *a = calloc(n, sizeof *a);
	u64 next[8] = {0};
	for (size_t i = 0; i < n; i++) {
		u32 f = 0;
		for (u32 k = 1; k < n_flows; k++)
			f = next[k] < next[f] ? k : f;
		a[i] = (struct arrival){next[f], {.ref = i, .flow = f, .bytes = bytes[f], .ecn = ecn}};
		next[f] += gap_ns[f];
	}
	return a;
}

static void fq_codel_shares_bytes(void **state)
{
	(void)state;
	enum { N = 60000 };
	/* 12, 6 and 24 Mbit/s into 12 */
	static const u16 bytes[] = {1500, 300, 900};
	static const u64 gap_ns[] = {1000000, 400000, 300000};
	struct arrival *a = flows(N, bytes, gap_ns, 3, WEIR_ECN_NOT_ECT);
	struct weir_hop_config c = {.name = "x", .rate.bps = 12000000, .queue.aqm = WEIR_AQM_FQ_CODEL};
	c.queue.limit_packets = 1000;
	struct record r = drive(&c, 1, a, N, 0);
	double sent[3] = {0}, all = 0;
	u64 end_ns = a[N - 1].at_ns;
	for (size_t k = 0; k < r.n_out && r.out[k].at_ns < end_ns; k++) {
		sent[r.out[k].flow] += r.out[k].bytes;
		all += r.out[k].bytes;
	}
	for (int f = 0; f < 3; f++)
		assert_true(near(sent[f], all / 3, .01));
	record_free(&r);
	free(a);
}

/* A flow below its share passes almost untouched beside one that fills the link. */
static void fq_codel_spares_the_thin_flow(void **state)
{
	(void)state;
	enum { N = 40000 };
	static const u16 bytes[] = {1500, 200};
	static const u64 gap_ns[] = {500000, 20000000};
	struct arrival *a = flows(N, bytes, gap_ns, 2, WEIR_ECN_NOT_ECT);
	struct weir_hop_config c = {.name = "x", .rate.bps = 12000000, .queue.aqm = WEIR_AQM_FQ_CODEL};
	c.queue.limit_packets = 200;
	struct record r = drive(&c, 1, a, N, 0);
	for (size_t k = 0; k < r.n_drop; k++)
		assert_true(r.drop[k].flow == 0);
	u64 worst = 0;
	for (size_t k = 0; k < r.n_out; k++)
		worst = r.out[k].flow ? weir_max(worst, r.out[k].wait_ns) : worst;
	assert_true(worst <= 2 * MS); /* the packet in service and one of the fat flow */
	assert_true(r.stats.dropped_packets[WEIR_DROP_OVERFLOW] > 0);
	record_free(&r);
	free(a);
}

/* Every discipline that may mark does so instead of dropping, and leaves other packets to be dropped. */
static void marks_instead_of_drops(void **state)
{
	(void)state;
	enum { N = 20000 };
	static const enum weir_aqm_kind kinds[] = {WEIR_AQM_RED, WEIR_AQM_CODEL, WEIR_AQM_PIE,
						   WEIR_AQM_FQ_CODEL};
	static const u16 bytes[] = {1500};
	static const u64 gap_ns[] = {980000};
	for (size_t i = 0; i < 4; i++) {
		for (int capable = 0; capable < 2; capable++) {
			struct arrival *a =
			    flows(N, bytes, gap_ns, 1, capable ? WEIR_ECN_ECT0 : WEIR_ECN_NOT_ECT);
			struct weir_hop_config c = {.name = "x", .rate.bps = 12000000};
			c.queue =
			    (struct weir_queue_config){.aqm = kinds[i], .ecn = true, .limit_bytes = 450000};
			struct record r = drive(&c, 1, a, N, 0);
			size_t marked = 0;
			for (size_t k = 0; k < r.n_out; k++)
				marked += r.out[k].ecn == WEIR_ECN_CE;
			assert_true(marked == r.stats.marked_packets);
			assert_true(capable ? marked > 50 : marked == 0 && r.n_drop > 50);
			/* marks alone do not slow these senders: only RED and PIE, beyond their limits, drop
			 */
			if (capable && kinds[i] == WEIR_AQM_CODEL)
				assert_true(r.stats.dropped_packets[WEIR_DROP_AQM] == 0);
			record_free(&r);
			free(a);
		}
	}
}

static void drophead_keeps_the_newest(void **state)
{
	(void)state;
	struct arrival *a = regular_arrivals(100, 0, 1, 1500);
	struct weir_hop_config c = {.name = "x", .rate.bps = 12000000, .queue.aqm = WEIR_AQM_DROPHEAD};
	c.queue.limit_packets = 10;
	struct record r = drive(&c, 1, a, 100, 0);
	assert_true(r.n_out == 11 && r.out[0].ref == 0);
	for (size_t k = 1; k < 11; k++)
		assert_true(r.out[k].ref == 89 + k);
	record_free(&r);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(red_curve),
	    cmocka_unit_test(red_drops_by_its_curve),
	    cmocka_unit_test(red_average_decays_while_idle),
	    cmocka_unit_test(codel_law),
	    cmocka_unit_test(codel_drop_times),
	    cmocka_unit_test(codel_leaves_good_queues_alone),
	    cmocka_unit_test(pie_recursion),
	    cmocka_unit_test(pie_holds_its_target),
	    cmocka_unit_test(fq_codel_shares_bytes),
	    cmocka_unit_test(fq_codel_spares_the_thin_flow),
	    cmocka_unit_test(marks_instead_of_drops),
	    cmocka_unit_test(drophead_keeps_the_newest),
	};
	return cmocka_run_group_tests_name("link-aqm", tests, NULL, NULL);
}

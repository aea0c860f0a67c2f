/* SPDX-License-Identifier: MIT */
/* The governor with a pilot that plays a script: the test hands it the setpoints and reads its reports. */
#include "cc/governed.h"
#include "cc/governor.h"
#include "cc/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MSS 1000U
#define MS WEIR_NS_PER_MS

static struct weir_report heard; /* the newest report */
static u32 n_heard;
static struct weir_setpoint wanted;
static bool silent;

static bool exchange(const void *context, const struct weir_report *r, struct weir_setpoint *io)
{
	(void)context;
	heard = *r;
	n_heard++;
	if (silent)
		return false;
	u64 number = io->number;
	*io = wanted;
	io->number = number + 1;
	return true;
}

static u64 reno_params[8];

static void tell(const void *context, u32 inner, void *state, const struct weir_governor_event *e,
		 struct weir_out *o)
{
	(void)context;
	assert_true(inner == 0 || inner == WEIR_GOVERNOR_RENO);
	weir_governor_deliver(weir_cc_find("reno"), state, reno_params, e, o);
}

static const struct weir_governor_host host = {tell, exchange};

struct flow {
	struct weir_governor g;
	struct weir_view view;
	struct weir_out out;
};

static void begin(struct flow *f, const struct weir_setpoint *first)
{
	memset(f, 0, sizeof *f);
	memset(f->g.state, 0xa5, sizeof f->g.state);
	weir_cc_defaults(weir_cc_find("reno"), reno_params);
	n_heard = 0;
	silent = false;
	wanted = *first;
	f->view = (struct weir_view){.now_ns = WEIR_NS_PER_S,
				     .srtt_ns = 50 * MS,
				     .min_rtt_ns = 50 * MS,
				     .initial_bytes = 10 * MSS,
				     .inflight_bytes = 10 * MSS,
				     .mss_bytes = MSS};
	weir_governor_init(&f->g, &host, NULL, first, &f->view, &f->out);
}

static void on(struct flow *f, struct weir_governor_event e)
{
	e.view = &f->view;
	f->out = (struct weir_out){0};
	weir_governor_on(&f->g, &host, NULL, e, &f->out);
}

static void ack_after(struct flow *f, u64 elapsed_ns, u64 bytes, u64 rtt_ns)
{
	const struct weir_ack a = {.acked_bytes = bytes,
				   .rtt_ns = rtt_ns,
				   .sample_bytes = 50 * MSS,
				   .send_interval_ns = 40 * MS,
				   .ack_interval_ns = 50 * MS};
	f->view.now_ns += elapsed_ns;
	f->view.delivered_bytes += bytes;
	on(f, (struct weir_governor_event){.kind = WEIR_GOVERNOR_ACK, .ack = &a});
}

static const struct weir_setpoint at_rate = {
    .inner = WEIR_SETPOINT_RATE, .rate_Bps = 1000000, .report_ns = 10 * MS, .expiry_ns = 100 * MS};
static const struct weir_setpoint by_reno = {.report_ns = 10 * MS, .expiry_ns = 100 * MS};

static void a_rate_paces_and_the_window_is_twice_of_it(void **unused)
{
	(void)unused;
	struct flow f;
	begin(&f, &at_rate);
	ack_after(&f, MS, MSS, 50 * MS);
	assert_int_equal(f.out.pacing_Bps, 1000000);
	assert_int_equal(f.out.cwnd_bytes, 100000); /* 2 x 1 MB/s x 50 ms */
	wanted.cap_percent = 150;
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_int_equal(f.out.cwnd_bytes, 75000);
	wanted.rate_Bps = 1;
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_int_equal(f.out.cwnd_bytes, 4 * MSS);
}

/* After k steps of 10 ms through a filter of 90 ms, 1 - .9^k of a step is there. */
static void the_low_pass_is_of_first_order(void **unused)
{
	(void)unused;
	struct flow f;
	struct weir_setpoint sp = at_rate;
	sp.low_pass_ns = 90 * MS;
	begin(&f, &sp);
	assert_int_equal(f.out.pacing_Bps, 1000000);
	wanted.rate_Bps = 2000000;
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_int_equal(f.out.pacing_Bps, 1100000);
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_int_equal(f.out.pacing_Bps, 1190000);
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_int_equal(f.out.pacing_Bps, 1271000);
	wanted.rate_Bps = 271000;
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_int_equal(f.out.pacing_Bps, 1171000);
}

static void the_wave_goes_on_through_a_change_of_frequency(void **unused)
{
	(void)unused;
	struct flow f;
	struct weir_setpoint sp = at_rate;
	sp.wave_period_ns = 200 * MS;
	sp.wave_amplitude_Bps = 240000;
	begin(&f, &sp);
	ack_after(&f, 25 * MS, MSS, 50 * MS); /* an eighth: the top */
	assert_int_equal(f.out.pacing_Bps, 1240000);
	assert_int_equal(f.out.wake_ns, f.view.now_ns + 5 * MS);
	assert_int_equal(heard.wave_phase, 1U << 29);
	assert_int_equal(heard.base_Bps, 1000000);
	wanted.wave_period_ns = 160 * MS; /* another eighth takes 20 ms now */
	ack_after(&f, 25 * MS, MSS, 50 * MS);
	assert_int_equal(f.out.pacing_Bps, 1000000);
	ack_after(&f, 60 * MS, MSS, 50 * MS); /* five eighths: the bottom, a third as deep */
	assert_in_range(f.out.pacing_Bps, 920000, 920002);
}

static void an_inner_window_becomes_a_rate(void **unused)
{
	(void)unused;
	struct flow f;
	struct weir_setpoint sp = by_reno;
	sp.paced = 1;
	begin(&f, &sp);
	assert_int_equal(f.out.pacing_Bps, 10 * MSS * 20);
	/* it grows though the host's window does not limit: slow start, by what is acknowledged */
	ack_after(&f, MS, 5 * MSS, 50 * MS);
	assert_int_equal(f.out.pacing_Bps, 15 * MSS * 20);
	assert_int_equal(f.out.cwnd_bytes, 30 * MSS);
	f.view.flags = WEIR_APP_LIMITED;
	ack_after(&f, MS, 5 * MSS, 50 * MS);
	assert_int_equal(f.out.pacing_Bps, 15 * MSS * 20);
}

static void unpaced_an_inner_controller_has_its_way(void **unused)
{
	(void)unused;
	struct flow f;
	begin(&f, &by_reno);
	ack_after(&f, MS, 5 * MSS, 50 * MS); /* the window did not limit: it does not grow */
	assert_int_equal(f.out.cwnd_bytes, 10 * MSS);
	assert_int_equal(f.out.pacing_Bps, 0);
	f.view.flags = WEIR_CWND_LIMITED;
	ack_after(&f, MS, 5 * MSS, 50 * MS);
	assert_int_equal(f.out.cwnd_bytes, 15 * MSS);
	wanted.paced = 1;
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	wanted.paced = 0; /* a rate that was set must not hold it back */
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_int_equal(f.out.cwnd_bytes, 17 * MSS);
	assert_int_equal(f.out.pacing_Bps, 2 * 17 * MSS * 20);
}

static void a_report_sums_its_interval(void **unused)
{
	(void)unused;
	struct flow f;
	const struct weir_loss l = {.lost_bytes = 3 * MSS, .kind = WEIR_LOSS_PACKET};
	const struct weir_loss mark = {.lost_bytes = MSS, .kind = WEIR_LOSS_ECN};
	begin(&f, &at_rate);
	ack_after(&f, 2 * MS, MSS, 50 * MS); /* sent at t = 0 */
	ack_after(&f, 2 * MS, MSS, 51 * MS); /* sent 1 ms later */
	on(&f, (struct weir_governor_event){.kind = WEIR_GOVERNOR_LOSS, .loss = &l});
	on(&f, (struct weir_governor_event){.kind = WEIR_GOVERNOR_LOSS, .loss = &mark});
	assert_int_equal(n_heard, 0);
	f.view.flags = WEIR_APP_LIMITED | WEIR_RECOVERY;
	f.view.inflight_bytes = 12 * MSS;
	ack_after(&f, 6 * MS, 2 * MSS, 53 * MS); /* sent 5 ms after the first */
	assert_int_equal(n_heard, 1);
	assert_int_equal(heard.number, 1);
	assert_int_equal(heard.now_ns, f.view.now_ns);
	assert_int_equal(heard.interval_ns, 10 * MS);
	assert_int_equal(heard.acked_bytes, 4 * MSS);
	assert_int_equal(heard.lost_bytes, 3 * MSS);
	assert_int_equal(heard.sent_bytes, (4 + 3 + 12) * MSS); /* nothing was in flight before the first */
	assert_int_equal(heard.app_limited_ns, 6 * MS);
	assert_int_equal(heard.rtt_n, 3);
	assert_int_equal(heard.rtt_sum_ns, 154 * MS);
	assert_int_equal(heard.rtt_min_ns, 50 * MS);
	assert_int_equal(heard.rtt_max_ns, 53 * MS);
	assert_int_equal(heard.t_sum_us, 6000);
	assert_int_equal(heard.t2_sum_us2, 26000000);
	assert_int_equal(heard.r_sum_us, 4000);
	assert_int_equal(heard.tr_sum_us2, 16000000);
	assert_int_equal(heard.sample_bytes, 50 * MSS);
	assert_int_equal(heard.send_interval_ns, 40 * MS);
	assert_int_equal(heard.ack_interval_ns, 50 * MS);
	assert_int_equal(heard.flags, WEIR_REPORT_APP_LIMITED | WEIR_REPORT_RECOVERY);
	f.view.flags = 0;
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_int_equal(heard.number, 2);
	assert_int_equal(heard.acked_bytes, MSS);
	assert_int_equal(heard.sent_bytes, MSS);
	assert_int_equal(heard.setpoint, 1);
	assert_int_equal(heard.flags, 0);
}

/* 8,000 ACKs a second, none of them on a multiple of the period: 100 reports a second, not 8,000, not 97. */
static void k5_reports_come_by_the_period(void **unused)
{
	(void)unused;
	struct flow f;
	begin(&f, &at_rate);
	for (u32 i = 0; i < 80000; i++)
		ack_after(&f, 125 * WEIR_NS_PER_US + 11, MSS, 50 * MS);
	assert_in_range(n_heard, 999, 1001);
	ack_after(&f, 3 * WEIR_NS_PER_S, MSS, 50 * MS); /* after silence one, not all that were missed */
	ack_after(&f, MS, MSS, 50 * MS);
	assert_in_range(n_heard, 1000, 1002);
}

static void another_inner_controller_begins_with_the_seed(void **unused)
{
	(void)unused;
	struct flow f;
	begin(&f, &at_rate);
	wanted = by_reno;
	wanted.seed_cwnd_bytes = 40 * MSS;
	wanted.seeds = 1;
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_int_equal(f.g.inner, 0);
	assert_int_equal(f.out.pacing_Bps, 2 * 40 * MSS * 20);
	assert_int_equal(f.out.cwnd_bytes, 40 * MSS);
	f.view.flags = WEIR_CWND_LIMITED; /* in congestion avoidance: one segment a window */
	ack_after(&f, 9 * MS, 40 * MSS, 50 * MS);
	assert_int_equal(f.out.cwnd_bytes, 41 * MSS);
	wanted.seed_cwnd_bytes = 20 * MSS;
	ack_after(&f, MS, 0, 0); /* no new seed: it goes on */
	assert_int_equal(f.out.cwnd_bytes, 41 * MSS);
	wanted.seeds = 2;
	ack_after(&f, 10 * MS, 0, 0);
	assert_int_equal(f.out.cwnd_bytes, 20 * MSS);
}

static void past_the_expiry_reno_takes_over_and_gives_back(void **unused)
{
	(void)unused;
	struct flow f;
	begin(&f, &at_rate);
	f.view.inflight_bytes = 60 * MSS;
	silent = true;
	u64 rate_Bps = f.out.pacing_Bps;
	for (u32 i = 0; i < 10; i++) {
		ack_after(&f, 10 * MS, MSS, 50 * MS);
		assert_int_equal(f.out.pacing_Bps, rate_Bps);
		assert_false(heard.flags & WEIR_REPORT_EXPIRED);
	}
	ack_after(&f, 10 * MS, MSS, 50 * MS); /* 100 ms after the first that was not answered */
	assert_int_equal(f.g.inner, WEIR_GOVERNOR_RENO);
	assert_int_equal(f.out.cwnd_bytes, 30 * MSS);
	assert_int_equal(f.out.pacing_Bps, 2 * 30 * MSS * 20);
	ack_after(&f, 10 * MS, MSS, 50 * MS);
	assert_true(heard.flags & WEIR_REPORT_EXPIRED);
	silent = false;
	wanted = by_reno; /* another one: it goes on with Reno's window */
	wanted.seed_cwnd_bytes = 500 * MSS;
	ack_after(&f, 10 * MS, 0, 0);
	assert_int_equal(f.g.inner, 0);
	assert_int_equal(f.out.cwnd_bytes, 30 * MSS);
	ack_after(&f, 10 * MS, 0, 0);
	assert_false(heard.flags & WEIR_REPORT_EXPIRED);
}

static void after_a_timeout_one_segment_leaves(void **unused)
{
	(void)unused;
	struct flow f;
	struct weir_setpoint sp = at_rate;
	sp.wave_period_ns = 200 * MS;
	begin(&f, &sp);
	on(&f, (struct weir_governor_event){.kind = WEIR_GOVERNOR_TIMEOUT});
	assert_int_equal(f.out.cwnd_bytes, MSS);
	f.view.now_ns += 5 * MS;
	on(&f, (struct weir_governor_event){.kind = WEIR_GOVERNOR_TICK});
	assert_int_equal(f.out.cwnd_bytes, MSS);
	ack_after(&f, 5 * MS, MSS, 0);
	assert_true(heard.flags & WEIR_REPORT_TIMEOUT);
	assert_int_equal(f.out.cwnd_bytes, 100000);
}

static u32 drawn;

static u64 odd(void)
{
	static const u64 values[] = {0, 1, 999, 50 * MS, WEIR_NS_PER_S, 1ULL << 40, 1ULL << 63, ~0ULL};
	drawn = drawn * 1664525U + 1013904223U;
	return values[drawn >> 29];
}

static void want_odd(void)
{
	wanted.rate_Bps = odd();
	wanted.seed_cwnd_bytes = odd();
	wanted.low_pass_ns = odd();
	wanted.wave_period_ns = odd();
	wanted.wave_amplitude_Bps = odd();
	wanted.floor_Bps = odd();
	wanted.report_ns = odd();
	wanted.expiry_ns = odd();
	wanted.cap_percent = (u32)odd();
	wanted.inner = drawn & 1 << 20 ? 0 : WEIR_SETPOINT_RATE;
	wanted.seeds = drawn >> 28;
	wanted.paced = drawn & 1;
	silent = drawn & 1 << 21;
}

/* Whatever comes: what it says is bounded, and it never stops saying it. */
static void hostile_events_leave_it_whole(void **unused)
{
	(void)unused;
	struct flow f;
	begin(&f, &at_rate);
	for (u32 i = 0; i < 200000; i++) {
		struct weir_ack a = {0};
		struct weir_loss l = {0};
		want_odd();
		f.view.now_ns += odd();
		f.view.srtt_ns = odd();
		f.view.inflight_bytes = odd();
		f.view.flags = drawn >> 10 & 15;
		a.acked_bytes = odd();
		a.rtt_ns = odd();
		a.ce_bytes = odd();
		a.sample_bytes = odd();
		a.send_interval_ns = odd();
		a.ack_interval_ns = odd();
		l.lost_bytes = odd();
		l.kind = drawn % 3;
		l.flags = drawn >> 8 & 1;
		on(&f, (struct weir_governor_event){.kind = WEIR_GOVERNOR_ACK + drawn % 5,
						    .ack = &a,
						    .loss = &l,
						    .amount = (u64)drawn << 20});
		assert_in_range(f.out.cwnd_bytes, MSS, WEIR_WINDOW_MAX_BYTES);
		assert_true(f.out.pacing_Bps || !f.g.has_paced || !f.view.srtt_ns);
	}
}

/* ---- a pilot in the same process ---- */

struct scripted {
	u64 reports;
};
struct scripted_params {
	u64 inner;
};
static const struct weir_param scripted_param_table[] = {{"inner", "", 0, 0, 9, "0: as it should be"}};
static const struct weir_signal scripted_signal_table[] = {{"reports", ""}};

static u32 scripted_inners(const void *p, struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX])
{
	const struct scripted_params *params = p;
	inner[0] = (struct weir_pilot_inner){.name = params->inner == 1 ? "no-such" : "reno"};
	if (params->inner == 2) {
		inner[0].n_settings = 1;
		inner[0].setting[0].param = "no-such";
	}
	return params->inner == 3 ? WEIR_PILOT_INNERS_MAX + 1 : 1;
}

static void scripted_init(void *s, const void *p, u64 seed, struct weir_setpoint *out)
{
	(void)s, (void)p, (void)seed;
	*out = at_rate;
}

static void scripted_on_report(void *s, const void *p, const struct weir_report *r, struct weir_setpoint *io)
{
	struct scripted *state = s;
	(void)p;
	state->reports = r->number;
	io->rate_Bps += 1000;
	io->number = 77; /* the host's to write */
}

static void scripted_probe(const void *s, double value[WEIR_PILOT_SIGNALS_MAX])
{
	value[0] = (double)((const struct scripted *)s)->reports;
}

WEIR_PILOT(scripted, "scripted", "Plays a script.", "this test");

static void a_pilot_in_the_process_answers_each_report(void **unused)
{
	(void)unused;
	u64 params[1] = {0};
	struct weir_governed *w = weir_governed_new(&weir_pilot_scripted, params, 1);
	assert_non_null(w);
	const struct weir_cc_ops *ops = &weir_governed_ops;
	struct weir_governor *g = calloc(1, ops->state_bytes);
	assert_non_null(g);
	struct weir_view v = {.now_ns = WEIR_NS_PER_S, .srtt_ns = 50 * MS, .mss_bytes = MSS};
	struct weir_out o = {0};
	ops->init(g, w, &v, &o);
	assert_int_equal(o.pacing_Bps, 1000000);
	for (u64 i = 1; i <= 3; i++) {
		const struct weir_ack a = {.acked_bytes = MSS, .rtt_ns = 50 * MS};
		double value[WEIR_PILOT_SIGNALS_MAX];
		v.now_ns += 10 * MS;
		ops->on_ack(g, w, &v, &a, &o);
		assert_int_equal(o.pacing_Bps, 1000000 + 1000 * i);
		assert_int_equal(g->setpoint.number, i);
		weir_governed_probe(w, value);
		assert_int_equal((u64)value[0], i);
	}
	free(g);
	weir_governed_free(w);
	weir_governed_free(NULL);
	for (params[0] = 1; params[0] <= 3; params[0]++)
		assert_null(weir_governed_new(&weir_pilot_scripted, params, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_rate_paces_and_the_window_is_twice_of_it),
	    cmocka_unit_test(the_low_pass_is_of_first_order),
	    cmocka_unit_test(the_wave_goes_on_through_a_change_of_frequency),
	    cmocka_unit_test(an_inner_window_becomes_a_rate),
	    cmocka_unit_test(unpaced_an_inner_controller_has_its_way),
	    cmocka_unit_test(a_report_sums_its_interval),
	    cmocka_unit_test(k5_reports_come_by_the_period),
	    cmocka_unit_test(another_inner_controller_begins_with_the_seed),
	    cmocka_unit_test(past_the_expiry_reno_takes_over_and_gives_back),
	    cmocka_unit_test(after_a_timeout_one_segment_leaves),
	    cmocka_unit_test(hostile_events_leave_it_whole),
	    cmocka_unit_test(a_pilot_in_the_process_answers_each_report),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

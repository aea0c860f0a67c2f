/* SPDX-License-Identifier: MIT */
/* The source over a path that keeps its promises: probes, slots, epochs, exact integrals. */
#include "ends.h"

static void open_fixed(struct ends *e, double rate_hz, u64 delay_ns)
{
	ends_open(e, "fixed", delay_ns);
	e->params[0] = (u64)(rate_hz * 1e6);
}

/* Nobody answers: one probe at a time, doubling, at most 3 s apart, for ever (RFC 8085). */
static void unanswered_probes_double_to_three_seconds(void **unused)
{
	(void)unused;
	static struct ends e;
	open_fixed(&e, 10, 20 * ENDS_MS);
	ends_cut(&e, true);
	ends_start(&e);
	static const u64 at_s[] = {0, 1, 3, 6, 9, 12, 15, 18};
	for (u32 i = 0; i < 8; i++) {
		ends_until(&e, (1 + at_s[i]) * ENDS_S);
		assert_int_equal(e.source.stats.probes, i + 1);
		ends_until(&e, (1 + at_s[i]) * ENDS_S + 999 * ENDS_MS);
		assert_int_equal(e.source.stats.probes, i + 1);
	}
	ends_run(&e, 300 * ENDS_S);
	assert_in_range(e.source.stats.probes, 100, 110);
	assert_int_equal(e.source.stats.updates, 0);
}

static void ten_probes_then_one_update_a_rtt(void **unused)
{
	(void)unused;
	static struct ends e;
	ends_open(&e, "acp-plus", 20 * ENDS_MS);
	ends_start(&e);
	ends_run(&e, 399 * ENDS_MS); /* stop and wait: ten RTTs */
	assert_int_equal(e.source.phase, WEIR_SOURCE_PROBING);
	assert_int_equal(e.source.stats.probes, 10);
	ends_run(&e, 1 * ENDS_MS);
	assert_int_equal(e.source.phase, WEIR_SOURCE_RUNNING);
	NEAR(e.source.rate_hz, 25, 1e-9);
	assert_int_equal(e.source.stats.updates, 1);
	ends_run(&e, 40 * ENDS_MS);
	assert_int_equal(e.source.stats.updates, 2);
	/* the numbers of probes and updates are not of one space */
	assert_int_equal((u32)e.source.sent, 2);
	assert_int_equal(e.source.probe, 10);
}

/* L4: a number of probes is a number, and it is kept; one is out at a time. */
static void l4_as_many_probes_as_asked_for(void **unused)
{
	(void)unused;
	static struct ends e;
	static const u32 probes[] = {0, 1, 4, 100};
	for (u32 i = 0; i < 4; i++) {
		open_fixed(&e, 10, 20 * ENDS_MS);
		e.config.probes = probes[i];
		ends_start(&e);
		u32 wanted = probes[i] ? probes[i] : 1;
		ends_run(&e, wanted * 40 * ENDS_MS);
		assert_int_equal(e.source.stats.probes, wanted);
		assert_int_equal(e.source.stats.updates, 1);
	}
}

/* A probe is lost, and an answer comes after its successor left: both are understood. */
static bool loses_third(const struct weir_age_packet *p)
{
	return p->type == WEIR_AGE_PROBE && p->sequence == 3;
}
static void lost_and_slow_probes(void **unused)
{
	(void)unused;
	static struct ends e;
	open_fixed(&e, 10, 700 * ENDS_MS); /* RTT 1.4 s, the timeout is 1 s */
	e.there.loses = loses_third;
	ends_start(&e);
	ends_run(&e, 60 * ENDS_S);
	assert_int_equal(e.source.phase, WEIR_SOURCE_RUNNING);
	NEAR(e.source.min_rtt_s, 1.4, 1e-9);
	NEAR(e.source.srtt_s, 1.4, 1e-9);
	assert_true(e.fresh > 100);
}

/* Eqs. 1 to 3 in closed form: B^ = lambda RTT, the estimate RTT + T / 2, the true age D + T / 2. */
static void integrals_are_exact(void **unused)
{
	(void)unused;
	static struct ends e;
	open_fixed(&e, 40, 30 * ENDS_MS);
	ends_start(&e);
	ends_run(&e, 2 * ENDS_S);
	weir_ledger_restart(&e.source.estimate, NULL, e.now_ns);
	weir_ledger_restart(&e.ledger, NULL, e.now_ns);
	e.source.backlog_area_s = 0;
	ends_run(&e, 100 * ENDS_S);
	NEAR(weir_source_backlog_mean(&e.source), 40 * .06, 1e-9);
	NEAR(weir_ledger_mean_s(&e.source.estimate), .06 + .0125, 1e-9);
	NEAR(weir_ledger_mean_s(&e.ledger), .03 + .0125, 1e-9);
	NEAR(weir_ledger_peak_mean_s(&e.ledger), .03 + .025, 1e-9);
	NEAR(e.source.gap_s, .025, 1e-9);
	assert_int_equal(e.source.stats.overtaken, 0);
	assert_int_equal(e.source.stats.stalls, 0);
}

/* A controller that writes down what it is shown. */
static struct weir_age_epoch epochs[4096];
static struct weir_age_ack acks[4096];
static u32 n_epochs, n_acks, n_inits;
static double say_hz;
static void spy_init(void *s, const void *p, double now_s, double rtt_s, struct weir_age_out *o)
{
	(void)s, (void)p, (void)now_s, (void)rtt_s;
	n_inits++;
	o->rate_hz = say_hz;
}
static void spy_on_ack(void *s, const void *p, const struct weir_age_ack *a, struct weir_age_out *o)
{
	(void)s, (void)p, (void)o;
	acks[n_acks++ % 4096] = *a;
}
static void spy_on_epoch(void *s, const void *p, const struct weir_age_epoch *e, struct weir_age_out *o)
{
	(void)s, (void)p;
	epochs[n_epochs++ % 4096] = *e;
	o->rate_hz = say_hz;
}
static void spy_probe(const void *s, double value[WEIR_AGE_SIGNALS_MAX])
{
	(void)s, (void)value;
}
static const struct weir_age_ops spy = {
    .name = "spy", .init = spy_init, .on_ack = spy_on_ack, .on_epoch = spy_on_epoch, .probe = spy_probe};
static void open_spy(struct ends *e, double rate_hz, u64 delay_ns)
{
	ends_open(e, "fixed", delay_ns);
	e->config.ops = &spy;
	n_epochs = n_acks = n_inits = 0;
	say_hz = rate_hz;
}

static void epochs_are_eta_over_lambda_and_exact(void **unused)
{
	(void)unused;
	static struct ends e;
	open_spy(&e, 100, 25 * ENDS_MS);
	ends_start(&e);
	ends_run(&e, 5 * ENDS_S);
	assert_true(n_epochs > 40);
	for (u32 i = 5; i < n_epochs; i++) {
		NEAR(epochs[i].length_s, .1, 1e-9);
		NEAR(epochs[i].age_mean_s, .05 + .005, 1e-9);
		NEAR(epochs[i].backlog_mean, 5, 1e-9);
		assert_int_equal(epochs[i].flags, 0);
		assert_in_range(epochs[i].sent, 9, 11);
	}
	for (u32 i = 1; i < n_acks; i++) {
		NEAR(acks[i].rtt_s, .05, 1e-9);
		NEAR(acks[i].gap_s, .01, 1e-9);
		assert_int_equal(acks[i].newly_acked, 1);
		assert_int_equal(acks[i].newly_arrived, 1);
	}
	NEAR(acks[0].gap_s, 0, 0); /* no ACK before it */
}

static bool loses_each_fourth(const struct weir_age_packet *p)
{
	return p->type == WEIR_AGE_UPDATE && p->sequence % 4 == 0;
}
static void losses_lengthen_z_and_leave_the_backlog(void **unused)
{
	(void)unused;
	static struct ends e;
	open_spy(&e, 100, 5 * ENDS_MS);
	e.there.loses = loses_each_fourth;
	ends_start(&e);
	ends_run(&e, 10 * ENDS_S);
	u32 doubled = 0;
	for (u32 i = 1; i < n_acks; i++) {
		assert_true(acks[i].newly_acked == 1 || acks[i].newly_acked == 2);
		NEAR(acks[i].gap_s, .01 * acks[i].newly_acked, 1e-9); /* Z is not divided */
		doubled += acks[i].newly_acked == 2;
	}
	assert_in_range(doubled, n_acks / 3 - 2, n_acks / 3 + 2);
	NEAR((double)e.source.stats.lost, doubled, 0);
	NEAR((double)e.source.stats.overtaken, doubled, 0);
	assert_int_equal(weir_monitor_lost(&e.monitor), doubled);
}

/* What the path marks the controller hears of, even where the ACK that told it was lost. */
static bool loses_odd_acks(const struct weir_age_packet *p)
{
	return p->type == WEIR_AGE_ACK && p->sequence % 2;
}
static void marks_come_back(void **unused)
{
	(void)unused;
	static struct ends e;
	open_spy(&e, 100, 5 * ENDS_MS);
	e.back.loses = loses_odd_acks;
	ends_start(&e);
	e.there.marks_each = 5;
	ends_run(&e, 10 * ENDS_S);
	u64 marked = 0;
	for (u32 i = 0; i < n_acks; i++)
		marked += acks[i].newly_marked;
	assert_int_equal(marked, e.source.stats.marked);
	assert_in_range(marked, 190, 200);
	assert_in_range(e.monitor.marked - marked, 0, 1);
}

/* C4: the ACK of the first update is lost: what comes next does as well. */
static bool loses_first_ack(const struct weir_age_packet *p)
{
	return p->type == WEIR_AGE_ACK && p->sequence == 1;
}
static void c4_any_first_ack_will_do(void **unused)
{
	(void)unused;
	static struct ends e;
	open_spy(&e, 100, 5 * ENDS_MS);
	e.back.loses = loses_first_ack;
	ends_start(&e);
	ends_run(&e, ENDS_S);
	assert_int_equal(acks[0].newly_acked, 2);
	assert_int_equal(acks[0].newly_arrived, 2); /* the monitor has both: it was the ACK that was lost */
	assert_true(n_epochs > 5);
	assert_int_equal(e.source.stats.lost, 0);
}

/* C8: thousands of ACKs in one epoch: nothing of that size is kept. */
static void c8_any_number_of_acks_in_an_epoch(void **unused)
{
	(void)unused;
	static struct ends e;
	open_fixed(&e, 20000, ENDS_MS);
	ends_start(&e);
	ends_run(&e, ENDS_S);
	e.source.epoch_length_ns = 3 * ENDS_S;
	ends_run(&e, 2 * ENDS_S);
	assert_true(e.source.epoch_acked > 30000);
}

/* C14: 50,001 control steps and more; C7: nothing grows, there is no allocation at all. */
static void c14_a_hundred_thousand_epochs(void **unused)
{
	(void)unused;
	static struct ends e;
	ends_open(&e, "acp-plus", 50 * WEIR_NS_PER_US);
	e.config.ceiling_hz = 10000;
	ends_start(&e);
	while (e.source.stats.epochs < 50100)
		ends_run(&e, ENDS_S);
	assert_true(e.source.rate_hz > 1000 && e.source.rate_hz <= 10000);
}

/* ---- the application ---- */

static void only_the_newest_is_sent(void **unused)
{
	(void)unused;
	static struct ends e;
	open_fixed(&e, 10, 10 * ENDS_MS);
	e.config.just_in_time = false;
	e.period_ns = 7 * ENDS_MS;
	ends_start(&e);
	ends_run(&e, 2 * ENDS_S);
	weir_ledger_restart(&e.ledger, NULL, e.now_ns);
	ends_run(&e, 70 * ENDS_S);
	const struct weir_source_stats *s = &e.source.stats;
	assert_int_equal(s->offered, s->updates + s->replaced + e.source.waiting);
	assert_true(s->replaced > 12 * s->updates);
	/* D + T / 2 + what a value waits for its slot, half of 7 ms on average */
	NEAR(weir_ledger_mean_s(&e.ledger), .01 + .05 + .0035, 1e-3);
}

/* L1: what piles up in an outage is not sent: the newest first, the expired never. */
static void l1_newest_first_and_the_expired_dropped(void **unused)
{
	(void)unused;
	static struct ends e;
	open_fixed(&e, 10, 10 * ENDS_MS);
	e.config.just_in_time = false;
	e.config.max_age_ns = 500 * ENDS_MS;
	e.period_ns = 100 * ENDS_MS;
	ends_start(&e);
	ends_run(&e, 5 * ENDS_S);
	ends_cut(&e, true);
	ends_run(&e, 600 * ENDS_S);
	u64 before = e.fresh;
	ends_cut(&e, false);
	ends_run(&e, 4 * ENDS_S);
	assert_true(e.fresh - before <= 41); /* no pile */
	e.period_ns = 0;
	e.there.cut = true; /* only the way there */
	weir_source_offer(&e.source, e.now_ns, e.now_ns);
	ends_poll(&e);
	ends_run(&e, 10 * ENDS_S);
	weir_source_offer(&e.source, e.now_ns, e.now_ns); /* in the outage: it waits */
	ends_run(&e, 10 * ENDS_S);
	before = e.fresh;
	e.there.cut = false;
	ends_run(&e, 10 * ENDS_S);
	assert_int_equal(e.fresh, before);
	assert_int_equal(e.source.stats.expired, 1);
}

static void an_older_offer_is_refused(void **unused)
{
	(void)unused;
	static struct ends e;
	open_fixed(&e, 10, 10 * ENDS_MS);
	e.config.just_in_time = false;
	ends_start(&e);
	assert_true(weir_source_offer(&e.source, e.now_ns, e.now_ns - 10));
	assert_false(weir_source_offer(&e.source, e.now_ns, e.now_ns - 20));
	assert_int_equal(e.source.stats.backward, 1);
	assert_true(weir_source_offer(&e.source, e.now_ns, e.now_ns + ENDS_S)); /* of the future: now */
	assert_int_equal(e.source.offered_ns, e.now_ns);
}

/* An application that offers less than the rate: epochs say so, Z is not taken from its pauses. */
static void an_idle_application_freezes_the_state(void **unused)
{
	(void)unused;
	static struct ends e;
	open_spy(&e, 100, 5 * ENDS_MS);
	e.config.just_in_time = false;
	e.period_ns = 100 * ENDS_MS;
	ends_start(&e);
	ends_run(&e, 20 * ENDS_S);
	for (u32 i = 1; i < n_epochs; i++)
		assert_true(epochs[i].flags & WEIR_AGE_APP_LIMITED);
	for (u32 i = 0; i < n_acks; i++)
		NEAR(acks[i].gap_s, 0, 0);
	/* idle: no timer runs, and the first value leaves at once */
	e.period_ns = 0;
	ends_run(&e, 5 * ENDS_S);
	assert_int_equal(n_acks, e.source.stats.updates);
	assert_true(weir_source_wake_ns(&e.source) == WEIR_NEVER);
	ends_run(&e, 3600 * ENDS_S);
	u64 sent = e.there.sent;
	weir_source_offer(&e.source, e.now_ns, e.now_ns);
	ends_poll(&e);
	assert_int_equal(e.there.sent, sent + 1);
	assert_int_equal(e.source.stats.stalls, 0);
	assert_int_equal(e.source.stats.outages, 0);
}

static void floors_and_ceilings(void **unused)
{
	(void)unused;
	static struct ends e;
	open_fixed(&e, 1000, 10 * ENDS_MS);
	e.config.ceiling_hz = 50;
	ends_start(&e);
	ends_run(&e, 10 * ENDS_S);
	NEAR(e.source.rate_hz, 50, 1e-9);
	open_fixed(&e, .01, 10 * ENDS_MS);
	e.config.floor_hz = 2;
	ends_start(&e);
	ends_run(&e, 10 * ENDS_S);
	NEAR(e.source.rate_hz, 2, 1e-9);
	assert_in_range(e.fresh, 18, 21);
}

/* Equations 1 to 8 on a path that carries 200/s. One loss, and the first decision is DEC where Zbar > RTTbar
 * / kappa: eq. 8 makes the rate negative, and without the clamp it never comes back. */
static bool loses_two(const struct weir_age_packet *p)
{
	return p->type == WEIR_AGE_UPDATE && (p->sequence == 13 || p->sequence == 14);
}

static void c17_the_clamp_keeps_acp_plus_going(void **unused)
{
	(void)unused;
	static struct ends e;
	for (u64 clamp = 0; clamp < 2; clamp++) {
		ends_open(&e, "acp-plus", 20 * ENDS_MS);
		e.params[3] = clamp;
		ends_start(&e);
		e.there.service_ns = 5 * ENDS_MS;
		e.there.loses = loses_two;
		ends_run(&e, 200 * ENDS_S);
		if (clamp)
			assert_true(e.source.rate_hz > 25 && e.fresh > 5000);
		else
			assert_true(e.source.rate_hz < .01 && e.fresh < 500);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(unanswered_probes_double_to_three_seconds),
	    cmocka_unit_test(ten_probes_then_one_update_a_rtt),
	    cmocka_unit_test(l4_as_many_probes_as_asked_for),
	    cmocka_unit_test(lost_and_slow_probes),
	    cmocka_unit_test(integrals_are_exact),
	    cmocka_unit_test(epochs_are_eta_over_lambda_and_exact),
	    cmocka_unit_test(losses_lengthen_z_and_leave_the_backlog),
	    cmocka_unit_test(marks_come_back),
	    cmocka_unit_test(c4_any_first_ack_will_do),
	    cmocka_unit_test(c8_any_number_of_acks_in_an_epoch),
	    cmocka_unit_test(c14_a_hundred_thousand_epochs),
	    cmocka_unit_test(only_the_newest_is_sent),
	    cmocka_unit_test(l1_newest_first_and_the_expired_dropped),
	    cmocka_unit_test(an_older_offer_is_refused),
	    cmocka_unit_test(an_idle_application_freezes_the_state),
	    cmocka_unit_test(floors_and_ceilings),
	    cmocka_unit_test(c17_the_clamp_keeps_acp_plus_going),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

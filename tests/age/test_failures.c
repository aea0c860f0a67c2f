/* SPDX-License-Identifier: MIT */
/* What goes wrong between a source and its monitor: outages, restarts, reordering, forgery, clocks, sleep.
 * After each, the newest value is there within one probe interval (3 s, RFC 8085) and two RTTs of the path
 * coming back; and never is a stale value delivered after a newer one (ends.h checks each). */
#include "ends.h"

#define RTT_NS (40 * ENDS_MS)
#define FRESH_WITHIN_NS (3 * ENDS_S + 2 * RTT_NS)

static void open_running(struct ends *e, const char *controller)
{
	ends_open(e, controller, RTT_NS / 2);
	e->config.resend = true;
	ends_start(e);
	ends_run(e, 10 * ENDS_S);
	assert_int_equal(e->source.phase, WEIR_SOURCE_RUNNING);
}

/* The value that is there was made after the path came back, and in time. */
static void assert_fresh_again(struct ends *e)
{
	u64 back_ns = e->now_ns;
	ends_run(e, FRESH_WITHIN_NS);
	assert_true(e->newest_ns >= back_ns);
}

static const char *const names[] = {"acp-plus", "acp", "lazy", "fixed"};

static void five_minutes_of_outage(void **unused)
{
	(void)unused;
	static struct ends e;
	for (u32 i = 0; i < 4; i++)
		for (u32 shift = 0; shift < 7; shift++) {
			open_running(&e, names[i]);
			ends_cut(&e, true);
			ends_run(&e, 4 * ENDS_S);
			assert_int_equal(e.source.phase, WEIR_SOURCE_OUTAGE);
			u64 fell_silent = e.there.sent;
			ends_run(&e, 296 * ENDS_S + shift * 500 * ENDS_MS);
			assert_in_range(e.there.sent - fell_silent, 95, 101); /* one in 3 s, for ever */
			assert_int_equal(e.source.stats.outages, 1);
			ends_cut(&e, false);
			assert_fresh_again(&e);
			u64 fresh = e.fresh;
			ends_run(&e, 10 * ENDS_S);
			assert_true(e.fresh >= fresh + 90); /* and at speed */
			assert_int_equal(e.source.stats.sessions, 1);
		}
}

/* L2: a half-open path is told within 3 RTO (1 s each: RFC 6298), and the age grows meanwhile. */
static void l2_a_half_open_path_is_told_within_3_rto(void **unused)
{
	(void)unused;
	static struct ends e;
	for (u32 way = 0; way < 2; way++) {
		open_running(&e, "fixed");
		(way ? &e.back : &e.there)->cut = true;
		u64 cut_ns = e.now_ns;
		while (e.source.phase == WEIR_SOURCE_RUNNING)
			ends_run(&e, 10 * ENDS_MS);
		assert_true(e.now_ns - cut_ns < 3 * ENDS_S + 200 * ENDS_MS);
		NEAR(weir_ledger_age_s(&e.source.estimate, e.now_ns), (double)(e.now_ns - cut_ns) * 1e-9, .2);
		(way ? &e.back : &e.there)->cut = false;
		assert_fresh_again(&e);
	}
}

/* An update every minute: its loss is noticed and made good, though nothing else is sent. */
static bool loses_next;
static bool loses_one(const struct weir_age_packet *p)
{
	bool lose = loses_next && p->type == WEIR_AGE_UPDATE;
	loses_next = loses_next && !lose;
	return lose;
}
static void l5_a_lost_last_value_is_sent_again(void **unused)
{
	(void)unused;
	static struct ends e;
	for (u32 resend = 0; resend < 2; resend++) {
		ends_open(&e, "acp-plus", RTT_NS / 2);
		e.config.just_in_time = false;
		e.config.resend = resend;
		e.there.loses = loses_one;
		ends_start(&e);
		ends_run(&e, 10 * ENDS_S);
		loses_next = true;
		weir_source_offer(&e.source, e.now_ns, e.now_ns);
		u64 made_ns = e.now_ns;
		ends_run(&e, 60 * ENDS_S);
		assert_int_equal(e.fresh, resend);
		assert_int_equal(e.source.stats.again, resend);
		assert_int_equal(weir_source_settled(&e.source), resend);
		assert_int_equal(e.source.stats.outages, 0); /* a probe or the update was answered */
		if (resend)
			assert_int_equal(e.newest_ns, made_ns);
	}
}

/* L5: the ACK of the last update is lost: one more RTO, and it is known to have come. */
static bool loses_acks;
static bool loses_an_ack(const struct weir_age_packet *p)
{
	bool lose = loses_acks && p->type == WEIR_AGE_ACK;
	loses_acks = loses_acks && !lose;
	return lose;
}
static void l5_a_lost_last_ack(void **unused)
{
	(void)unused;
	static struct ends e;
	ends_open(&e, "acp-plus", RTT_NS / 2);
	e.config.just_in_time = false;
	e.config.resend = true;
	e.back.loses = loses_an_ack;
	ends_start(&e);
	ends_run(&e, 10 * ENDS_S);
	loses_acks = true;
	weir_source_offer(&e.source, e.now_ns, e.now_ns);
	ends_run(&e, ENDS_S);
	assert_false(weir_source_settled(&e.source));
	ends_run(&e, ENDS_S);
	assert_true(weir_source_settled(&e.source));
	assert_int_equal(e.fresh, 1);
	assert_int_equal(e.verdicts[WEIR_MONITOR_REPEATED], 1); /* not delivered twice */
	assert_true(weir_source_wake_ns(&e.source) == WEIR_NEVER || e.source.epoch_sent);
}

static void a_hurry_takes_no_rto(void **unused)
{
	(void)unused;
	static struct ends e;
	ends_open(&e, "acp-plus", RTT_NS / 2);
	e.config.just_in_time = false;
	e.there.loses = loses_one;
	ends_start(&e);
	ends_run(&e, 10 * ENDS_S);
	loses_next = true;
	weir_source_offer(&e.source, e.now_ns, e.now_ns);
	ends_poll(&e);
	weir_source_hurry(&e.source, e.now_ns);
	ends_run(&e, 300 * ENDS_MS);
	assert_true(weir_source_settled(&e.source));
	assert_int_equal(e.fresh, 1);
}

/* ---- restarts ---- */

static void the_monitor_restarts(void **unused)
{
	(void)unused;
	static struct ends e;
	for (u32 i = 0; i < 4; i++) {
		open_running(&e, names[i]);
		struct weir_age_packet stale = e.there.packet[(e.there.tail - 1) % ENDS_WAY].packet;
		weir_monitor_init(&e.monitor, 7, 999 + i, 0); /* all is forgotten */
		ends_deliver(&e, &stale);		      /* a duplicate from before: not delivered */
		assert_int_equal(e.verdicts[WEIR_MONITOR_FRESH], e.fresh);
		assert_fresh_again(&e);
		assert_int_equal(e.source.stats.sessions, 2);
		ends_deliver(&e, &stale);
		ends_run(&e, 5 * ENDS_S);
		assert_true(e.now_ns - e.newest_ns < ENDS_S);
		assert_true(e.source.stats.resets <= 1);
	}
}

static void the_monitor_restarts_in_an_outage(void **unused)
{
	(void)unused;
	static struct ends e;
	open_running(&e, "acp-plus");
	ends_cut(&e, true);
	ends_run(&e, 100 * ENDS_S);
	weir_monitor_init(&e.monitor, 7, 5, 0);
	ends_cut(&e, false);
	assert_fresh_again(&e);
}

static void the_source_restarts(void **unused)
{
	(void)unused;
	static struct ends e;
	open_running(&e, "acp-plus");
	u32 head = e.there.head;
	struct weir_age_packet old_probe = e.there.packet[0].packet,
			       old = e.there.packet[(head - 1) % ENDS_WAY].packet;
	assert_int_equal(old_probe.type, WEIR_AGE_PROBE);
	for (u32 restart = 2; restart < 5; restart++) {
		e.config.incarnation = restart * 77;
		weir_source_init(&e.source, &e.config, e.now_ns); /* numbers begin at 1 again */
		u64 back_ns = e.now_ns;
		ends_run(&e, 11 * RTT_NS); /* ten probes */
		assert_true(e.newest_ns >= back_ns);
		u64 fresh = e.fresh;
		ends_deliver(&e, &old); /* of the first life */
		assert_int_equal(e.fresh, fresh);
		assert_int_equal(e.monitor.incarnation, restart * 77);
	}
	/* Worse: a probe of the first life comes now, and an update of it. The session changes hands and
	 * back; the stale value is not delivered. */
	ends_deliver(&e, &old_probe);
	assert_int_equal(e.monitor.incarnation, 1);
	u64 fresh = e.fresh;
	ends_deliver(&e, &old);
	assert_int_equal(e.fresh, fresh);
	assert_fresh_again(&e);
	assert_int_equal(e.monitor.incarnation, 4 * 77);
}

/* ---- order and forgery ---- */

/* C10: two ACKs swapped: the later one counts, the earlier one is counted. */
static void c10_acks_out_of_order_are_ignored(void **unused)
{
	(void)unused;
	static struct ends e;
	open_running(&e, "fixed");
	struct weir_age_packet before = e.back.packet[(e.back.head - 3) % ENDS_WAY].packet;
	u64 acked = e.source.acked, late = e.source.stats.acks_late;
	double srtt_s = e.source.srtt_s;
	assert_int_equal(weir_source_receive(&e.source, e.now_ns, &before), WEIR_SOURCE_LATE);
	assert_int_equal(e.source.acked, acked);
	assert_int_equal(e.source.stats.acks_late, late + 1);
	NEAR(e.source.srtt_s, srtt_s, 0);
}

static void updates_out_of_order_are_acked_but_not_delivered(void **unused)
{
	(void)unused;
	static struct ends e;
	open_running(&e, "fixed");
	struct weir_age_packet p = e.there.packet[(e.there.head - 4) % ENDS_WAY].packet, answer;
	assert_int_equal(weir_monitor_receive(&e.monitor, NULL, e.now_ns, &p, &answer), WEIR_MONITOR_LATE);
	assert_int_equal(answer.type, WEIR_AGE_ACK);
	assert_int_equal(answer.sequence, (u32)e.monitor.highest); /* not its own number */
	assert_true(answer.held_us > 0);
	p = e.there.packet[(e.there.head - 1) % ENDS_WAY].packet;
	assert_int_equal(weir_monitor_receive(&e.monitor, NULL, e.now_ns, &p, &answer), WEIR_MONITOR_DOUBLE);
}

/* C5: an ACK of a number that was never sent; and whatever else a stranger may write. */
static void c5_forged_answers_change_nothing(void **unused)
{
	(void)unused;
	static struct ends e;
	open_running(&e, "fixed");
	ends_run(&e, 20 * ENDS_MS);
	const struct weir_age_packet good = e.back.packet[(e.back.tail - 1) % ENDS_WAY].packet;
	struct weir_source was = e.source;
	static const u32 numbers[] = {0xfffffff0, 0x80000000, 0x7fffffff};
	for (u32 i = 0; i < 3; i++) {
		struct weir_age_packet p = good;
		p.sequence = numbers[i];
		assert_int_not_equal(weir_source_receive(&e.source, e.now_ns, &p), WEIR_SOURCE_ACKED);
	}
	for (u32 i = 0; i < 8; i++) {
		struct weir_age_packet p = good;
		p.sequence = (u32)e.source.sent;
		p.flow_id ^= i == 0;
		p.incarnation ^= i == 1;
		p.session ^= i == 2;
		p.type = i == 3 ? WEIR_AGE_UPDATE : i == 4 ? WEIR_AGE_PROBE : p.type;
		p.sent_ns = i == 5 ? e.source.last_sent_ns - 1 : i == 6 ? WEIR_NEVER : e.source.last_sent_ns;
		p.generated_ns = i == 7 ? p.sent_ns + 1 : p.sent_ns;
		assert_int_not_equal(weir_source_receive(&e.source, e.now_ns, &p), WEIR_SOURCE_ACKED);
	}
	assert_int_equal(e.source.acked, was.acked);
	assert_int_equal(e.source.session, was.session);
	NEAR(e.source.srtt_s, was.srtt_s, 0);
	assert_int_equal(e.source.stats.acks_foreign, was.stats.acks_foreign + 6);
}

/* Two ends of ours cannot be made to answer each other for ever. */
static void answers_are_never_answered(void **unused)
{
	(void)unused;
	static struct ends e;
	open_running(&e, "fixed");
	static const u8 types[] = {WEIR_AGE_NONE,  WEIR_AGE_ACK,   WEIR_AGE_PROBE_ACK,
				   WEIR_AGE_RESET, WEIR_AGE_TYPES, 255};
	for (u32 i = 0; i < sizeof types; i++) {
		struct weir_age_packet p = e.there.packet[0].packet, answer;
		p.type = types[i];
		u64 heard_ns = e.monitor.heard_ns;
		assert_int_equal(weir_monitor_receive(&e.monitor, NULL, e.now_ns, &p, &answer),
				 WEIR_MONITOR_IGNORED);
		assert_int_equal(answer.type, WEIR_AGE_NONE);
		assert_int_equal(e.monitor.heard_ns, heard_ns);
	}
}

/* ---- numbers and clocks ---- */

static void numbers_wrap(void **unused)
{
	(void)unused;
	static struct ends e;
	static const u32 first[] = {0xffffffff - 500, 0, 0x7fffffff - 100, 0xffffffff};
	for (u32 i = 0; i < 4; i++) {
		ends_open(&e, "fixed", RTT_NS / 2);
		e.params[0] = 100 * 1000000;
		e.config.first_sequence = first[i];
		ends_start(&e);
		ends_run(&e, 20 * ENDS_S);
		assert_int_equal((u32)e.source.sent, (u32)(first[i] + e.source.stats.updates - 1));
		assert_int_equal(e.source.stats.updates, e.there.sent - 10);
		assert_true(e.fresh + 4 > e.source.stats.updates);
		assert_int_equal(e.source.stats.overtaken, 0);
		assert_int_equal(weir_monitor_lost(&e.monitor), 0);
		assert_int_equal(e.monitor.late, 0);
	}
}

/* SIGSTOP for ten seconds, or a laptop's lid: one update, no burst, no decision from the gap. */
static void a_suspended_process_makes_no_burst(void **unused)
{
	(void)unused;
	static struct ends e;
	for (u32 i = 0; i < 4; i++) {
		open_running(&e, names[i]);
		double rate_hz = e.source.rate_hz, srtt_s = e.source.srtt_s;
		u64 sent = e.there.sent;
		while (ends_due_ns(&e.there) !=
		       WEIR_NEVER) /* the monitor goes on; its answers wait in the socket */
			ends_deliver(&e, &e.there.packet[e.there.head++ % ENDS_WAY].packet);
		e.now_ns += 10 * ENDS_S;
		ends_poll(&e);
		assert_true(e.there.sent - sent <= 1);
		assert_int_equal(e.source.stats.stalls, 1);
		assert_int_equal(e.source.stats.outages, 0);
		ends_run(&e, 2 * RTT_NS);
		NEAR(e.source.srtt_s, srtt_s, srtt_s / 100); /* what lay in the socket gave no sample */
		assert_true(e.source.rate_hz > rate_hz / 2);
		assert_true(e.now_ns - e.newest_ns < 3 * RTT_NS + ENDS_S);
	}
}

/* C11: the wall clock is not read by anybody. Here a step back of the host's own clock: nothing is negative.
 */
static void c11_a_clock_that_steps_back(void **unused)
{
	(void)unused;
	static struct ends e;
	struct weir_age_packet p;
	open_running(&e, "acp-plus");
	u64 updates = e.source.stats.updates;
	assert_false(weir_source_poll(&e.source, e.now_ns - 5 * ENDS_S, &p) && p.sent_ns < e.now_ns);
	weir_source_offer(&e.source, 3, 3);
	assert_true(e.source.stats.updates - updates <= 1);
	ends_run(&e, 5 * ENDS_S);
	assert_true(weir_ledger_mean_s(&e.source.estimate) > 0);
	assert_true(e.now_ns - e.newest_ns < ENDS_S);
}

/* The monitor's clock is another one, and runs 50 ppm fast. The true age lies in the interval that is told.
 */
static void the_clock_offset_has_an_error(void **unused)
{
	(void)unused;
	static struct ends e;
	ends_open(&e, "fixed", RTT_NS / 2);
	e.back.delay_ns =
	    3 * RTT_NS / 2; /* a way back that is slower: the middle is off, the interval is right */
	ends_start(&e);
	const u64 origin_ns = 3600 * ENDS_S;
	for (u32 round = 0; round < 3000; round++) {
		struct weir_age_packet p, answer;
		u64 next_ns = ends_next_ns(&e);
		e.now_ns = next_ns > e.now_ns ? next_ns : e.now_ns;
		while (ends_due_ns(&e.there) <= e.now_ns) {
			p = e.there.packet[e.there.head++ % ENDS_WAY].packet;
			u64 other_ns = origin_ns + e.now_ns + e.now_ns / 20000;
			if (weir_monitor_receive(&e.monitor, NULL, other_ns, &p, &answer) ==
			    WEIR_MONITOR_FRESH) {
				struct weir_age_reading r = weir_monitor_age(&e.monitor, other_ns);
				double true_s = (double)(e.now_ns - p.generated_ns) * 1e-9;
				assert_true(r.known && r.low_s <= true_s + 1e-6 && r.high_s >= true_s - 1e-6);
				assert_true(r.high_s - r.low_s < .09);
			}
			ends_put(&e.back, e.now_ns, &answer);
		}
		while (ends_due_ns(&e.back) <= e.now_ns)
			weir_source_receive(&e.source, e.now_ns,
					    &e.back.packet[e.back.head++ % ENDS_WAY].packet);
		ends_poll(&e);
	}
	assert_true(e.monitor.fresh > 500);
	assert_int_equal(e.source.stats.clock_jumps, 0);
}

/* The monitor's machine slept (or its clock was set): the offset of before is given up, and told. */
static void a_stepped_monitor_clock_is_noticed(void **unused)
{
	(void)unused;
	static struct ends e;
	open_running(&e, "fixed");
	struct weir_age_packet p, answer;
	i64 before_ns = e.source.clock.low_ns;
	ends_run(&e, 100 * ENDS_MS - RTT_NS / 2);
	while (!weir_source_poll(&e.source, ++e.now_ns + ENDS_MS, &p))
		e.now_ns += ENDS_MS;
	weir_monitor_receive(&e.monitor, NULL, e.now_ns + 3600 * ENDS_S, &p, &answer);
	assert_int_equal(weir_source_receive(&e.source, e.now_ns + RTT_NS, &answer), WEIR_SOURCE_ACKED);
	assert_int_equal(e.source.stats.clock_jumps, 1);
	assert_true(e.source.clock.low_ns - before_ns > (i64)(3590 * ENDS_S));
}

/* ---- the path ---- */

static void a_changed_path_begins_anew(void **unused)
{
	(void)unused;
	static struct ends e;
	for (u32 i = 0; i < 4; i++) {
		open_running(&e, names[i]);
		ends_run(&e, ENDS_MS / 7);
		e.there.delay_ns = e.back.delay_ns = 300 * ENDS_MS;
		weir_source_path_changed(&e.source, e.now_ns);
		u64 changed_ns = e.now_ns;
		ends_run(&e, 1000 * ENDS_MS); /* a probe, an update */
		assert_true(e.newest_ns > changed_ns);
		NEAR(e.source.srtt_s, .6, 1e-9); /* nothing of the 40 ms is left */
		NEAR(e.source.min_rtt_s, .6, 1e-9);
		assert_true(e.source.rate_hz <= 1 / .6 + 1e-9);
		assert_int_equal(e.source.stats.path_changes, 1);
		assert_int_equal(e.source.stats.outages, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(five_minutes_of_outage),
	    cmocka_unit_test(l2_a_half_open_path_is_told_within_3_rto),
	    cmocka_unit_test(l5_a_lost_last_value_is_sent_again),
	    cmocka_unit_test(l5_a_lost_last_ack),
	    cmocka_unit_test(a_hurry_takes_no_rto),
	    cmocka_unit_test(the_monitor_restarts),
	    cmocka_unit_test(the_monitor_restarts_in_an_outage),
	    cmocka_unit_test(the_source_restarts),
	    cmocka_unit_test(c10_acks_out_of_order_are_ignored),
	    cmocka_unit_test(updates_out_of_order_are_acked_but_not_delivered),
	    cmocka_unit_test(c5_forged_answers_change_nothing),
	    cmocka_unit_test(answers_are_never_answered),
	    cmocka_unit_test(numbers_wrap),
	    cmocka_unit_test(a_suspended_process_makes_no_burst),
	    cmocka_unit_test(c11_a_clock_that_steps_back),
	    cmocka_unit_test(the_clock_offset_has_an_error),
	    cmocka_unit_test(a_stepped_monitor_clock_is_noticed),
	    cmocka_unit_test(a_changed_path_begins_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

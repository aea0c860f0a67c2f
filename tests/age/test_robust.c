/* SPDX-License-Identifier: MIT */
/* acp-robust on paths whose best age is known: a server that takes S for each update, a constant delay there
 * and back. Then the least age is (S / 2) + S + delay there, at a rate of 1 / S. */
#include "age/table.h"
#include "weir/num.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ACKS 4096

struct track {
	double service_s, there_s, back_s;
	double loss, ack_loss;	     /* probabilities */
	double pause_s, pause_end_s; /* the server rests */
	double share;		     /* of the slots, those that the application uses; 1: all */
	bool marks;
	/* private */
	const struct weir_age_ops *ops;
	u64 state[WEIR_AGE_STATE_BYTES / 8], params[32];
	double now_s, free_s, slot_s, rate_hz, epoch_begin_s, epoch_s;
	struct {
		double at_s, sent_s, forward_s;
		u64 number, arrived;
	} ack[ACKS];
	u32 first, n, epoch_sent, epoch_acked, random;
	u64 sent, acked, arrived, known;
	double last_ack_s, age_area, heard_s, generated_s;
};

static double uniform(struct track *t)
{
	t->random = t->random * 1664525U + 1013904223U;
	return (double)t->random / 4294967296.0;
}

static void obey(struct track *t, const struct weir_age_out *o)
{
	assert_true(isfinite(o->rate_hz) && isfinite(o->epoch_s) && o->rate_hz >= 0);
	if (o->rate_hz > 0)
		t->rate_hz = o->rate_hz;
}

static void begin(struct track *t)
{
	struct weir_age_out o = {0, 0};
	t->ops = weir_age_find("acp-robust");
	assert_non_null(t->ops);
	assert_true(t->ops->n_params <= 32);
	weir_age_defaults(t->ops, t->params);
	memset(t->state, 0, sizeof t->state);
	t->random = 1;
	t->share = t->share > 0 ? t->share : 1;
	t->ops->init(t->state, t->params, 0, t->there_s + t->back_s + t->service_s, &o);
	obey(t, &o);
	t->epoch_s = o.epoch_s;
	t->slot_s = 0;
}

/* The monitor has it: its age falls to what the update took. */
static void deliver(struct track *t, double at_s, double sent_s)
{
	double before_s = t->heard_s - t->generated_s, after_s = at_s - t->generated_s;
	t->age_area += (before_s + after_s) / 2 * (at_s - t->heard_s);
	t->heard_s = at_s;
	t->generated_s = sent_s;
}

static void leave(struct track *t)
{
	t->sent++;
	t->epoch_sent++;
	double begin_s = t->free_s > t->now_s ? t->free_s : t->now_s;
	if (begin_s >= t->pause_s && begin_s < t->pause_end_s)
		begin_s = t->pause_end_s;
	t->free_s = begin_s + t->service_s;
	if (uniform(t) < t->loss)
		return;
	double at_s = t->free_s + t->there_s;
	t->arrived++;
	deliver(t, at_s, t->now_s);
	if (uniform(t) < t->ack_loss || t->n == ACKS)
		return;
	u32 i = (t->first + t->n++) % ACKS;
	t->ack[i].at_s = at_s + t->back_s;
	t->ack[i].sent_s = t->now_s;
	t->ack[i].forward_s = at_s - t->now_s;
	t->ack[i].number = t->sent;
	t->ack[i].arrived = t->arrived;
}

static void answer(struct track *t)
{
	struct weir_age_out o = {0, 0};
	u32 i = t->first;
	struct weir_age_ack a = {.now_s = t->now_s,
				 .rtt_s = t->now_s - t->ack[i].sent_s,
				 .gap_s = t->now_s - t->last_ack_s,
				 .age_s = t->now_s - t->ack[i].sent_s,
				 .forward_s = t->ack[i].forward_s - 7, /* clocks differ */
				 .acked = t->ack[i].number,
				 .sent = t->sent,
				 .newly_acked = (u32)(t->ack[i].number - t->acked),
				 .newly_arrived = (u32)(t->ack[i].arrived - t->known),
				 .newly_marked = t->marks};
	t->first = (t->first + 1) % ACKS;
	t->n--;
	t->epoch_acked++;
	t->acked = a.acked;
	t->known += a.newly_arrived;
	t->last_ack_s = t->now_s;
	t->ops->on_ack(t->state, t->params, &a, &o);
	obey(t, &o);
	if (o.epoch_s > 0)
		t->epoch_s = t->now_s - t->epoch_begin_s + o.epoch_s;
}

static void end_epoch(struct track *t)
{
	struct weir_age_out o = {0, 0};
	struct weir_age_epoch e = {.now_s = t->now_s,
				   .length_s = t->now_s - t->epoch_begin_s,
				   .rate_hz = t->rate_hz,
				   .sent = t->epoch_sent,
				   .acked = t->epoch_acked,
				   .flags = t->epoch_acked ? 0 : WEIR_AGE_SILENT};
	t->ops->on_epoch(t->state, t->params, &e, &o);
	obey(t, &o);
	t->epoch_begin_s = t->now_s;
	t->epoch_s = o.epoch_s > 0 ? o.epoch_s : 10 / t->rate_hz;
	t->epoch_sent = t->epoch_acked = 0;
}

/* Runs until a time and returns the mean age at the monitor since the last call. */
static double until(struct track *t, double end_s)
{
	double from_s = t->heard_s;
	t->age_area = 0;
	for (;;) {
		double send_s = t->slot_s + 1 / t->rate_hz, epoch_s = t->epoch_begin_s + t->epoch_s;
		double ack_s = t->n ? t->ack[t->first].at_s : 1e18;
		double next_s = fmin(fmin(send_s, epoch_s), ack_s);
		if (next_s > end_s)
			break;
		t->now_s = fmax(t->now_s, next_s);
		if (next_s == ack_s) {
			answer(t);
		} else if (next_s == epoch_s) {
			end_epoch(t);
		} else {
			t->slot_s = t->now_s;
			if (uniform(t) < t->share)
				leave(t);
		}
	}
	t->now_s = end_s;
	return t->age_area / (t->heard_s - from_s);
}

static double signal_of(const struct track *t, const char *name)
{
	double value[WEIR_AGE_SIGNALS_MAX];
	t->ops->probe(t->state, value);
	for (u32 i = 0; i < t->ops->n_signals; i++)
		if (!strcmp(t->ops->signals[i].name, name))
			return value[i];
	fail_msg("no signal %s", name);
	return 0;
}

static void assert_within(const char *what, double x, double low, double high)
{
	print_message("%s: %g, %g to %g\n", what, x, low, high);
	assert_true(x >= low && x <= high);
}

static const struct track plain = {.service_s = .005, .there_s = .02, .back_s = .02};

/* One update a RTT of 45 ms, then twice as many in each phase. A phase ends with the ACK of the update that
 * is 4/3 of 8 periods behind its beginning: 10 2/3 periods later, so the eleventh's, at 11 x 45 + 45 = 540
 * ms. */
static void it_begins_with_one_a_round_trip_and_doubles(void **unused)
{
	(void)unused;
	struct track t = plain;
	begin(&t);
	assert_within("rate", t.rate_hz, 22.2222, 22.2223);
	until(&t, .539);
	assert_within("rate", t.rate_hz, 22.2222, 22.2223);
	until(&t, .541);
	assert_within("rate", t.rate_hz, 44.4444, 44.4445);
}

/* Capacity 200/s: .93 of it, one step of 10 % beyond now and then; least age 27.5 ms. */
static void it_keeps_just_below_the_capacity(void **unused)
{
	(void)unused;
	struct track t = plain;
	begin(&t);
	until(&t, 10);
	assert_within("age", until(&t, 70), .0275, .0275 * 1.05);
	assert_within("limit", signal_of(&t, "limit") / 1e6, 195, 205);
	assert_within("rate", t.rate_hz, 180, 210);
}

/* Rate collapse under loss. The least age with loss p is (S / 2) (1 + p) / (1 - p) + S + 20 ms. */
static void losses_do_not_collapse_the_rate(void **unused)
{
	(void)unused;
	static const double losses[] = {.01, .05, .1, .3};
	for (u32 i = 0; i < 4; i++) {
		struct track t = plain;
		double p = losses[i], least_s = .0025 * (1 + p) / (1 - p) + .025;
		t.loss = p;
		begin(&t);
		until(&t, 10);
		assert_within("age", until(&t, 400), least_s * .97, least_s * 1.25);
		assert_within("loss", signal_of(&t, "loss") / 1e6, p / 4 - .01, p * 2 + .02);
	}
}

/* Part 4 d: what happens to ACKs is no loss of updates. */
static void lost_acks_are_no_losses(void **unused)
{
	(void)unused;
	struct track t = plain;
	t.ack_loss = .3;
	begin(&t);
	until(&t, 10);
	assert_within("age", until(&t, 100), .0275, .0275 * 1.2);
	assert_within("loss", signal_of(&t, "loss") / 1e6, 0, 1e-6);
}

/* Part 4 b: half a second of others' packets stands before ours at the start and is gone when it is drained.
 */
static void a_standing_queue_locks_nothing_in(void **unused)
{
	(void)unused;
	struct track t = plain;
	begin(&t);
	t.free_s = .5;
	until(&t, 12);
	assert_within("age", until(&t, 60), .0275, .0275 * 1.1);
}

/* Part 4 e: a pause of a second; no more updates pile up in it than an eighth of its length each, and the
 * rate is back soon after. */
static void a_pause_is_outlived(void **unused)
{
	(void)unused;
	struct track t = plain;
	t.pause_s = 20;
	t.pause_end_s = 21;
	begin(&t);
	until(&t, 19.9);
	u64 before = t.sent;
	until(&t, 21);
	assert_within("sent in the pause", (double)(t.sent - before), 5, 70);
	until(&t, 23);
	assert_within("age after", until(&t, 30), .0275, .0275 * 1.1);
}

/* A capacity of 200/s becomes one of 20/s, whose least age is 25 + 50 + 20 = 95 ms; and back. */
static void a_tenfold_change_is_followed(void **unused)
{
	(void)unused;
	struct track t = plain;
	begin(&t);
	until(&t, 20);
	t.service_s = .05;
	until(&t, 26);
	assert_within("age at a tenth", until(&t, 60), .095, .095 * 1.2);
	t.service_s = .005;
	until(&t, 66);
	assert_within("age after", until(&t, 90), .0275, .0275 * 1.1);
}

/* Part 4 e: another path, which nobody told us. */
static void a_longer_path_is_no_queue_for_ever(void **unused)
{
	(void)unused;
	struct track t = plain;
	begin(&t);
	until(&t, 20);
	t.there_s = .12;
	until(&t, 45);
	assert_within("age", until(&t, 90), .1275, .1275 * 1.15);
	assert_within("base", signal_of(&t, "base_rtt") / 1e9, .1449, .1451);
}

/* Part 4 c: 200 us there and back, 50 us a service. */
static void a_short_round_trip(void **unused)
{
	(void)unused;
	struct track t = {.service_s = 50e-6, .there_s = 1e-4, .back_s = 1e-4};
	begin(&t);
	until(&t, 1);
	assert_within("age", until(&t, 5), 175e-6, 175e-6 * 1.1);
}

/* 1.7: never more than 1.4 times what was really sent. */
static void who_has_little_to_send_earns_no_rate(void **unused)
{
	(void)unused;
	struct track t = {.service_s = 1e-4, .there_s = .02, .back_s = .02, .share = .2};
	begin(&t);
	until(&t, 60);
	assert_within("rate", t.rate_hz, 10, 60);
}

/* Nothing to gain beyond ten under way: 300 ms, an almost infinitely fast link. */
static void it_stops_at_ten_under_way(void **unused)
{
	(void)unused;
	struct track t = {.service_s = 1e-6, .there_s = .15, .back_s = .15};
	begin(&t);
	until(&t, 60);
	assert_within("rate", t.rate_hz, 32, 34);
}

/* Silence: half the rate at once, then one in each eighth of the silence: 8/s after a second. */
static void silence_is_answered_with_less(void **unused)
{
	(void)unused;
	struct track t = plain;
	begin(&t);
	until(&t, 10);
	t.loss = 1;
	until(&t, 10.5);
	assert_within("rate after .5 s", t.rate_hz, 8, 24);
	until(&t, 14);
	assert_within("rate after 4 s", t.rate_hz, 1.5, 3);
}

static void marks_count_as_a_queue(void **unused)
{
	(void)unused;
	struct track t = {.service_s = 1e-6, .there_s = .02, .back_s = .02};
	begin(&t);
	until(&t, 10);
	assert_within("without marks", t.rate_hz, 245, 251);
	t.marks = true;
	until(&t, 20);
	assert_within("with marks", t.rate_hz, 4, 30);
}

/* The application's clock stood still: what was under way says nothing, and nothing is silent. */
static void a_host_that_slept_is_no_silence(void **unused)
{
	(void)unused;
	struct track t = plain;
	struct weir_age_out o = {0, 0};
	begin(&t);
	until(&t, 10);
	double rate_hz = signal_of(&t, "target");
	struct weir_age_epoch e = {
	    .now_s = 3610, .length_s = 3600, .flags = WEIR_AGE_STALLED | WEIR_AGE_SILENT};
	t.ops->on_epoch(t.state, t.params, &e, &o);
	assert_within("target", signal_of(&t, "target"), rate_hz - 1, rate_hz + 1);
	assert_true(o.rate_hz > 100 && signal_of(&t, "mode") < 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_begins_with_one_a_round_trip_and_doubles),
	    cmocka_unit_test(it_keeps_just_below_the_capacity),
	    cmocka_unit_test(losses_do_not_collapse_the_rate),
	    cmocka_unit_test(lost_acks_are_no_losses),
	    cmocka_unit_test(a_standing_queue_locks_nothing_in),
	    cmocka_unit_test(a_pause_is_outlived),
	    cmocka_unit_test(a_tenfold_change_is_followed),
	    cmocka_unit_test(a_longer_path_is_no_queue_for_ever),
	    cmocka_unit_test(a_short_round_trip),
	    cmocka_unit_test(who_has_little_to_send_earns_no_rate),
	    cmocka_unit_test(it_stops_at_ten_under_way),
	    cmocka_unit_test(silence_is_answered_with_less),
	    cmocka_unit_test(marks_count_as_a_queue),
	    cmocka_unit_test(a_host_that_slept_is_no_silence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

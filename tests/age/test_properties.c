/* SPDX-License-Identifier: MIT */
/* Every controller stays finite and above 0, whatever it is shown; and both ends agree over a path that
 * loses, doubles, reorders, stalls and is cut at random. */
#include "ends.h"

#include "core/rng.h"

#include <math.h>

#define RUNS 200
#define STEPS 400

static double hostile(struct weir_rng *rng)
{
	static const double values[] = {0, 1e-9, 1e-6, .001, .05, 1, 100, 1e6, 1e9};
	return weir_rng_chance(rng, .3) ? values[weir_rng_below(rng, 9)] : weir_rng_unit(rng);
}

static void check(const struct weir_age_ops *ops, const void *state, const struct weir_age_out *o)
{
	double value[WEIR_AGE_SIGNALS_MAX] = {0};
	assert_true(isfinite(o->rate_hz) && o->rate_hz >= 0);
	assert_true(isfinite(o->epoch_s) && o->epoch_s >= 0);
	ops->probe(state, value);
	for (u32 i = 0; i < ops->n_signals; i++)
		assert_true(isfinite(value[i]));
}

static void params_at_random(const struct weir_age_ops *ops, u64 *params, struct weir_rng *rng)
{
	weir_age_defaults(ops, params);
	for (u32 i = 0; i < ops->n_params; i++)
		if (weir_rng_chance(rng, .5)) {
			const struct weir_param *p = &ops->params[i];
			params[i] = weir_rng_chance(rng, .3)   ? p->min
				    : weir_rng_chance(rng, .3) ? p->max
							       : params[i];
		}
}

/* Zero RTTs and gaps, bursts, hours, averages that jump by 15 decades (C17). */
static void c17_hostile_inputs_make_no_hostile_rate(void **unused)
{
	(void)unused;
	struct weir_rng rng;
	weir_rng_init(&rng, 11, 12, 13);
	for (u32 run = 0; run < RUNS * weir_age_count(); run++) {
		const struct weir_age_ops *ops = weir_age_at(run % weir_age_count());
		static u64 state[WEIR_AGE_STATE_BYTES / 8], params[64];
		struct weir_age_out o = {0};
		memset(state, 0, sizeof state);
		params_at_random(ops, params, &rng);
		ops->init(state, params, 0, hostile(&rng) + 1e-9, &o);
		assert_true(o.rate_hz > 0);
		double now_s = 0;
		u64 sent = 1ULL << 32, acked = sent;
		for (u32 i = 0; i < STEPS; i++) {
			now_s += hostile(&rng) * hostile(&rng);
			o = (struct weir_age_out){0};
			sent += weir_rng_below(&rng, 100);
			u32 newly = (u32)weir_rng_below(&rng, sent - acked + 1);
			if (weir_rng_chance(&rng, .7) && newly) {
				acked += newly;
				struct weir_age_ack a = {.now_s = now_s,
							 .rtt_s = hostile(&rng),
							 .gap_s = hostile(&rng),
							 .age_s = hostile(&rng),
							 .acked = acked,
							 .sent = sent,
							 .newly_acked = newly,
							 .newly_arrived =
							     (u32)weir_rng_below(&rng, newly + 1),
							 .newly_marked = weir_rng_chance(&rng, .1)};
				ops->on_ack(state, params, &a, &o);
			} else if (weir_rng_chance(&rng, .9)) {
				struct weir_age_epoch e = {
				    .now_s = now_s,
				    .length_s = hostile(&rng) + 1e-9,
				    .age_mean_s = hostile(&rng),
				    .backlog_mean = hostile(&rng),
				    .rate_hz = hostile(&rng) + 1e-9,
				    .sent = (u32)weir_rng_below(&rng, 20),
				    .acked = (u32)weir_rng_below(&rng, 20),
				    .flags = weir_rng_chance(&rng, .2) ? (u32)weir_rng_below(&rng, 16) : 0};
				ops->on_epoch(state, params, &e, &o);
			} else if (ops->on_resume) {
				ops->on_resume(state, params, now_s, hostile(&rng) + 1e-9,
					       (u32)weir_rng_below(&rng, 16), &o);
			}
			check(ops, state, &o);
		}
	}
}

static struct weir_rng way_rng;
static double way_loss;
static bool loses_at_random(const struct weir_age_packet *p)
{
	(void)p;
	return weir_rng_chance(&way_rng, way_loss);
}

/* Delays that change while packets are under way would reorder them in ends.h's queue of times, so copies are
 * brought by hand: any packet of the last thousand, again. */
static void replay(struct ends *e, struct weir_rng *rng)
{
	u32 known = e->there.head < 1000 ? e->there.head : 1000;
	if (known)
		ends_deliver(
		    e, &e->there.packet[(e->there.head - 1 - weir_rng_below(rng, known)) % ENDS_WAY].packet);
	known = e->back.head < 1000 ? e->back.head : 1000;
	if (known)
		weir_source_receive(
		    &e->source, e->now_ns,
		    &e->back.packet[(e->back.head - 1 - weir_rng_below(rng, known)) % ENDS_WAY].packet);
}

static void any_path_and_never_a_stale_value(void **unused)
{
	(void)unused;
	static struct ends e;
	weir_rng_init(&way_rng, 21, 22, 23);
	for (u32 run = 0; run < 60; run++) {
		struct weir_rng *rng = &way_rng;
		ends_open(&e, weir_age_at(run % weir_age_count())->name,
			  1 + weir_rng_below(rng, 200 * ENDS_MS));
		e.there.service_ns = weir_rng_below(rng, 20 * ENDS_MS);
		e.config.just_in_time = weir_rng_chance(rng, .5);
		e.config.resend = weir_rng_chance(rng, .5);
		e.config.ceiling_hz = 200;
		e.config.max_age_ns = weir_rng_chance(rng, .3) ? ENDS_S : 0;
		e.config.first_sequence = (u32)weir_rng_u64(rng);
		e.period_ns = e.config.just_in_time ? 0 : ENDS_MS + weir_rng_below(rng, 300 * ENDS_MS);
		e.there.loses = e.back.loses = loses_at_random;
		way_loss = weir_rng_chance(rng, .5) ? .3 * weir_rng_unit(rng) : 0;
		ends_start(&e);
		for (u32 i = 0; i < 60; i++) {
			ends_run(&e, weir_rng_below(rng, 3 * ENDS_S));
			replay(&e, rng);
			if (weir_rng_chance(rng, .1))
				ends_cut(&e, !e.there.cut);
			if (weir_rng_chance(rng, .05))
				weir_monitor_init(&e.monitor, 7, (u32)weir_rng_u64(rng), 0);
			if (weir_rng_chance(rng, .05)) {
				e.config.incarnation++;
				weir_source_init(&e.source, &e.config, e.now_ns);
			}
			if (weir_rng_chance(rng, .05))
				weir_source_path_changed(&e.source, e.now_ns);
			if (weir_rng_chance(rng, .05)) {
				e.now_ns += weir_rng_below(rng, 20 * ENDS_S);
				e.next_offer_ns = e.now_ns;
			}
			ends_poll(&e);
			assert_true(e.source.acked <= e.source.sent);
			assert_true(e.source.rate_hz >= 0 && isfinite(e.source.rate_hz));
			assert_true(e.source.estimate.area_s2 >= 0 && isfinite(e.source.estimate.area_s2));
		}
		/* in the end all is well again */
		ends_cut(&e, false);
		way_loss = 0;
		u64 back_ns = e.now_ns;
		e.next_offer_ns = e.now_ns;
		ends_run(&e, 30 * ENDS_S);
		assert_true(e.newest_ns >= back_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(c17_hostile_inputs_make_no_hostile_rate),
	    cmocka_unit_test(any_path_and_never_a_stale_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

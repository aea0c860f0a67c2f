/* SPDX-License-Identifier: MIT */
/* What must hold whatever the parameters: laws are laws, readings agree where they must, and throughput moves
 * as the paper says it does. */
#include "core/rng.h"
#include "model/chain.h"
#include "model/law.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Draws of each kind; fewer under a sanitizer, which takes forty times as long. */
#ifdef WEIR_DEBUG_CHECKS
#define DRAWS 30
#define LIMITS 2
#define PER_STEP 5
#else
#define DRAWS 240
#define LIMITS 12
#define PER_STEP 1
#endif

static struct weir_rng draws;

static double uniform(double low, double high)
{
	return low + weir_rng_unit(&draws) * (high - low);
}

static void assert_near(double x, double right, double tolerance)
{
	double d = x - right;
	if (!(d <= tolerance && d >= -tolerance))
		fail_msg("%.12g is not within %g of %.12g", x, tolerance, right);
}

static struct weir_model_config anything(enum weir_model_reading reading)
{
	struct weir_model_config c = weir_model_defaults(reading);
	c.beta = uniform(.05, .98);
	c.lambda_max = uniform(1, 12);
	c.per = weir_exp(uniform(-22, -.1));
	c.rtt_ns = (u64)(uniform(.05, 4) * 1e6);
	c.buffer_packets = (u64)uniform(3, 200);
	c.min_window_packets = 1 + (u64)uniform(0, 4);
	c.iterations = 1 + (u64)uniform(0, 3000);
	c.loss = (enum weir_model_loss)(u32)uniform(0, 2.999);
	c.down = (enum weir_model_of)(u32)uniform(0, 1.999);
	c.exposure = (enum weir_model_exposure)(u32)uniform(0, 1.999);
	c.cap = uniform(0, 1) > .5;
	c.clamp_lambda = uniform(0, 1) > .3;
	return c;
}

/* The law by the definition: the distribution that a dense step leaves alone. */
static void the_law_stays_under_a_step(void **state)
{
	(void)state;
	for (u32 i = 0; i < DRAWS; i++) {
		struct weir_model_config c = anything(WEIR_MODEL_LITERAL);
		struct weir_chain chain;
		assert_int_equal(weir_chain_init(&chain, &c), 0);
		weir_chain_lose(&chain, &c, 1);
		double *law = calloc(chain.n, sizeof *law), *next = calloc(chain.n, sizeof *next), sum = 0;
		assert_int_equal(weir_chain_stationary(&chain, law), 0);
		for (u32 s = 0; s < chain.n; s++) {
			assert_true(law[s] >= 0 && law[s] <= 1);
			sum += law[s];
			next[chain.down[s]] += law[s] * chain.loss[s];
			if (s + 1 < chain.n)
				next[s + 1] += law[s] * (1 - chain.loss[s]);
		}
		assert_near(sum, 1, 1e-12);
		for (u32 s = 0; s < chain.n; s++)
			assert_near(next[s], law[s], 1e-14 + 1e-11 * law[s]);
		free(law);
		free(next);
		weir_chain_free(&chain);
	}
}

/* The march is v(t + 1) = v(t) T, and rows of T sum to one: no weight is lost. */
static void the_march_is_the_dense_product(void **state)
{
	(void)state;
	for (u32 i = 0; i < 40; i++) {
		struct weir_model_config c = anything(WEIR_MODEL_LITERAL);
		struct weir_chain chain;
		struct weir_march march;
		assert_int_equal(weir_chain_init(&chain, &c), 0);
		weir_chain_lose(&chain, &c, 1);
		u32 n = chain.n, start = (u32)uniform(0, n - .001);
		double *v = calloc(n, sizeof *v), *next = calloc(n, sizeof *next),
		       *one = calloc(n, sizeof *one);
		v[start] = 1;
		for (u32 s = 0; s < n; s++)
			one[s] = 1;
		assert_int_equal(weir_march_init(&march, &chain, start, 700), 0);
		for (u32 t = 0; t < 700; t++) {
			double window_packets = 0, lost = 0, loss;
			for (u32 s = 0; s < n; s++)
				next[s] = 0;
			for (u32 s = 0; s < n; s++) {
				next[chain.down[s]] += v[s] * chain.loss[s];
				if (s + 1 < n)
					next[s + 1] += v[s] * (1 - chain.loss[s]);
				lost += v[s] * chain.loss[s];
			}
			for (u32 s = 0; s < n; s++)
				window_packets +=
				    (v[s] = next[s]) * (double)weir_chain_window_packets(&chain, s);
			double mean = weir_march_step(&march, &loss);
			assert_near(mean, window_packets, 1e-10 * window_packets);
			assert_near(loss, lost, 1e-12);
		}
		assert_near(weir_march_mean(&march, one), 1, 1e-12);
		weir_march_free(&march);
		weir_chain_free(&chain);
		free(v);
		free(next);
		free(one);
	}
}

static void figures_are_finite_and_laws_sum_to_one(void **state)
{
	(void)state;
	for (u32 i = 0; i < DRAWS; i++) {
		struct weir_model_config c = anything((enum weir_model_reading)(i % WEIR_MODEL_READINGS));
		struct weir_model_result r;
		char why[WEIR_MODEL_WHY];
		if (!weir_model_check(&c, why))
			continue;
		assert_int_equal(weir_model_throughput(&c, true, &r), 0);
		double full = (double)r.window_packets, sum = 0, time = 0, mean = 0;
		assert_true(r.mean_window_packets > 0 && r.mean_window_packets <= full * (1 + 1e-12));
		assert_true(r.epoch_rtts >= 0 && r.loss_free_epoch_rtts > 0 && r.epoch_rtts < 1e12);
		assert_true(!c.cap || r.normalized_throughput <= 1 + 1e-12);
		for (u64 s = 0; s < r.n; s++) {
			assert_true(r.probability[s] >= 0 && r.time_share[s] >= 0);
			sum += r.probability[s];
			time += r.time_share[s];
			mean += r.time_share[s] * (double)(r.first_packets + s * r.step_packets);
		}
		assert_near(sum, 1, 1e-10);
		assert_near(time, 1, 1e-10);
		if (!c.cap && (c.reading == WEIR_MODEL_RENEWAL || c.reading == WEIR_MODEL_TWO_STATE))
			assert_near(mean, r.mean_window_packets, 1e-9 * full);
		weir_model_result_free(&r);
	}
}

static double at(struct weir_model_config c)
{
	struct weir_model_result r;
	assert_int_equal(weir_model_throughput(&c, false, &r), 0);
	return r.normalized_throughput;
}

/* Without errors every reading is the sawtooth; with lambda 1 the last loss does not matter. */
static void readings_agree_in_their_limits(void **state)
{
	(void)state;
	for (u32 i = 0; i < LIMITS; i++) {
		struct weir_model_config c = weir_model_defaults(WEIR_MODEL_EPOCH);
		c.beta = uniform(.3, .95);
		c.lambda_max = uniform(1, 10);
		c.rtt_ns = (u64)(uniform(2, 8) * 1e6);
		c.per = 0;
		double epoch = at(c), full = (double)weir_model_window_packets(&c);
		/* they begin at floor(beta W) where the epoch begins at beta W: a packet at most */
		c = (struct weir_model_config){.reading = WEIR_MODEL_RENEWAL,
					       .lambda_max = c.lambda_max,
					       .lambda_min = 1,
					       .beta = c.beta,
					       .min_window_packets = 2,
					       .rate_bps = c.rate_bps,
					       .rtt_ns = c.rtt_ns,
					       .packet_bytes = 1000,
					       .buffer_packets = 4,
					       .loss = WEIR_MODEL_AT_LEAST_ONE,
					       .down = WEIR_MODEL_WINDOW,
					       .exposure = WEIR_MODEL_CYCLE,
					       .clamp_lambda = true,
					       .iterations = 1};
		assert_near(at(c), epoch, 1.2 / full);
		c.reading = WEIR_MODEL_TWO_STATE;
		assert_near(at(c), epoch, 1.2 / full);
		/* literal: after many epochs, with the lambda of each window it would be the same */
		c.lambda_max = 1;
		c.per = weir_exp(uniform(-18, -4));
		double two_state = at(c);
		c.reading = WEIR_MODEL_RENEWAL;
		assert_near(two_state, at(c), 1e-9 * two_state);
		c.reading = WEIR_MODEL_LITERAL;
		c.exposure = WEIR_MODEL_WHOLE_WINDOW;
		c.iterations = 20000;
		assert_near(two_state, at(c), .02 * two_state);
	}
}

/* Throughput rises with lambda_max, beta and buffer, falls with the error rate; lambda_max 1 is NewReno, and
 * Agile-SD is never below it. */
static void throughput_moves_as_the_paper_says(void **state)
{
	(void)state;
	static const double pers[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3};
	for (u32 reading = 0; reading < WEIR_MODEL_EPOCH; reading++) {
		struct weir_model_config c = weir_model_defaults((enum weir_model_reading)reading), v;
		double before = 1;
		c.iterations = 3000;
		for (u32 i = 0; i < 6; i += PER_STEP, before = at(c)) {
			c.per = pers[i];
			v = c;
			v.lambda_max = 1;
			double newreno = at(v), last = newreno;
			assert_true(at(c) < before);
			for (u32 k = 2; k <= 10; k += 8, last = at(v)) {
				v.lambda_max = k;
				assert_true(at(v) >= last * (1 - 1e-9));
			}
			v = c;
			v.beta = .8;
			assert_true(at(v) > at(c));
			v = c;
			v.buffer_packets = 64;
			assert_true(at(v) >= at(c) * (1 - 1e-9));
		}
	}
}

/* 1 / sqrt(R): the fluid limit of lambda 1 is that of Mathis et al. 1997 for one packet a round trip. */
static void rare_losses_follow_the_square_root_law(void **state)
{
	(void)state;
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_RENEWAL);
	c.lambda_max = 1;
	c.rtt_ns = WEIR_NS_PER_S;
	for (double per = 1e-6; per <= 1e-4; per *= 10) {
		struct weir_model_result r;
		c.per = per;
		assert_int_equal(weir_model_throughput(&c, false, &r), 0);
		/* window for random losses: sqrt(1.5 / R) for evenly spaced ones, 1.31 / sqrt(R) for these
		 * (Padhye's and Altman's constants differ by the spacing) */
		assert_near(r.mean_window_packets * weir_sqrt(per), 1.31, .04);
	}
}

/* Over 4096 states windows are taken together: the figure stays on the line of those before. */
static void coarse_windows_change_little(void **state)
{
	(void)state;
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_TWO_STATE);
	struct weir_model_result r[3];
	c.per = 1e-7;
	for (u32 i = 0; i < 3; i++) {
		c.rtt_ns = (31 + i) * WEIR_NS_PER_MS;
		assert_int_equal(weir_model_throughput(&c, false, &r[i]), 0);
		assert_int_equal(r[i].step_packets, i == 2 ? 2 : 1);
	}
	assert_near(r[2].normalized_throughput, 2 * r[1].normalized_throughput - r[0].normalized_throughput,
		    .0005);
}

static void what_is_not_defined_is_refused(void **state)
{
	(void)state;
	const double wrong[] = {WEIR_NAN, WEIR_INFINITY, -WEIR_INFINITY, 1e300, -1, -1e-300};
	char why[WEIR_MODEL_WHY];
	for (u32 i = 0; i < 6; i++)
		for (u32 field = 0; field < 4; field++) {
			struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL);
			*(field == 0   ? &c.beta
			  : field == 1 ? &c.per
			  : field == 2 ? &c.lambda_max
				       : &c.lambda_min) = wrong[i];
			assert_false(weir_model_check(&c, why));
		}
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL);
	c.beta = 1;
	assert_false(weir_model_check(&c, why));
	c = weir_model_defaults(WEIR_MODEL_LITERAL);
	c.lambda_max = .5;
	assert_false(weir_model_check(&c, why));
	c = weir_model_defaults(WEIR_MODEL_LITERAL);
	c.rate_bps = c.rtt_ns = c.buffer_packets = ~0ULL;
	assert_false(weir_model_check(&c, why));
	c = weir_model_defaults(WEIR_MODEL_LITERAL);
	c.iterations = ~0ULL;
	assert_false(weir_model_check(&c, why));
	c = weir_model_defaults(WEIR_MODEL_LITERAL);
	c.rtt_ns = 1000;
	c.buffer_packets = 2;
	assert_false(weir_model_check(&c, why));
}

static int begin(void **state)
{
	(void)state;
	weir_rng_init(&draws, 22, 0, 0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_law_stays_under_a_step),
	    cmocka_unit_test(the_march_is_the_dense_product),
	    cmocka_unit_test(figures_are_finite_and_laws_sum_to_one),
	    cmocka_unit_test(readings_agree_in_their_limits),
	    cmocka_unit_test(throughput_moves_as_the_paper_says),
	    cmocka_unit_test(rare_losses_follow_the_square_root_law),
	    cmocka_unit_test(coarse_windows_change_little),
	    cmocka_unit_test(what_is_not_defined_is_refused),
	};
	return cmocka_run_group_tests(tests, begin, NULL);
}

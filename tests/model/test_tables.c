/* SPDX-License-Identifier: MIT */
/* The figures of each reading to the printed digit. They were worked out by other programs; the paper prints
 * none, its figures are pictures. */
#include "model/chain.h"
#include "model/law.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LAST_DIGIT 6e-7 /* six digits, rounded */

static void assert_near(double x, double right, double tolerance)
{
	double d = x - right;
	if (!(d <= tolerance && d >= -tolerance))
		fail_msg("%.9g is not within %g of %.9g", x, tolerance, right);
}

static struct weir_model_result solve(const struct weir_model_config *c)
{
	struct weir_model_result r;
	char why[WEIR_MODEL_WHY];
	if (!weir_model_check(c, why))
		fail_msg("%s", why);
	assert_int_equal(weir_model_throughput(c, false, &r), 0);
	return r; /* without a distribution it owns nothing */
}

static double of(enum weir_model_reading reading, double lambda_max, double per, u64 buffer_packets,
		 u64 rtt_ms)
{
	struct weir_model_config c = weir_model_defaults(reading);
	c.lambda_max = lambda_max;
	c.per = per;
	c.buffer_packets = buffer_packets;
	c.rtt_ns = rtt_ms * WEIR_NS_PER_MS;
	return solve(&c).normalized_throughput;
}

static const struct {
	double per;
	u64 buffer_packets;
	double literal_1, literal_5, renewal_1, renewal_5;
} by_per[] = {
    {1e-8, 4, .750619, .823313, .751720, .830158},   {1e-8, 32, .764660, .839550, .768473, .848681},
    {1e-8, 128, .821335, .901822, .825898, .912185}, {1e-7, 4, .743825, .781038, .745578, .828327},
    {1e-7, 32, .759010, .796763, .761910, .846724},  {1e-7, 128, .814180, .852775, .817744, .909754},
    {1e-6, 4, .681365, .684003, .683120, .809642},   {1e-6, 32, .693381, .695932, .695175, .826743},
    {1e-6, 128, .733023, .735282, .734918, .884866}, {1e-5, 4, .334813, .334813, .330694, .626235},
    {1e-5, 32, .335027, .335027, .330734, .632348},  {1e-5, 128, .335673, .335673, .330803, .650987},
    {1e-4, 4, .106511, .106511, .104255, .233708},   {1e-4, 128, .106610, .106610, .104255, .233754},
    {1e-3, 4, .033807, .033807, .032611, .073565},   {1e-3, 128, .033828, .033828, .032611, .073565},
};

static void literal_and_renewal_by_error_rate_and_buffer(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof by_per / sizeof by_per[0]; i++) {
		double per = by_per[i].per;
		u64 b = by_per[i].buffer_packets;
		assert_near(of(WEIR_MODEL_LITERAL, 1, per, b, 10), by_per[i].literal_1, LAST_DIGIT);
		assert_near(of(WEIR_MODEL_LITERAL, 5, per, b, 10), by_per[i].literal_5, LAST_DIGIT);
		assert_near(of(WEIR_MODEL_RENEWAL, 1, per, b, 10), by_per[i].renewal_1, LAST_DIGIT);
		assert_near(of(WEIR_MODEL_RENEWAL, 5, per, b, 10), by_per[i].renewal_5, LAST_DIGIT);
	}
}

static void literal_by_buffer(void **state)
{
	(void)state;
	static const struct {
		u64 buffer_packets;
		double newreno, agile;
	} table[] = {{4, .750619, .823313},  {8, .752436, .825242},  {16, .756257, .829511},
		     {32, .764660, .839550}, {64, .784804, .862064}, {128, .821335, .901822}};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		u64 b = table[i].buffer_packets;
		assert_near(of(WEIR_MODEL_LITERAL, 1, 1e-8, b, 10), table[i].newreno, LAST_DIGIT);
		assert_near(of(WEIR_MODEL_LITERAL, 5, 1e-8, b, 10), table[i].agile, LAST_DIGIT);
	}
}

static void by_round_trip_time(void **state)
{
	(void)state;
	static const struct {
		u64 rtt_ms;
		double literal[2], at_1e6[2], renewal[2]; /* lambda_max 1 and 5 */
	} table[] = {
	    {1, {.775817, .855904}, {.775059, .814885}, {.771993, .854653}},
	    {2, {.761621, .840348}, {.758640, .781955}, {.761971, .841597}},
	    {5, {.753592, .829112}, {.736660, .745704}, {.754228, .832921}},
	    {10, {.750619, .823313}, {.681365, .684003}, {.751720, .830158}},
	    {20, {.747302, .814842}, {.505241, .505344}, {.748494, .828147}},
	    {50, {.720498, .773426}, {.223743, .223743}, {.733517, .823055}},
	    {100, {.658987, .679531}, {.118465, .118465}, {0, 0}},
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		for (u32 agile = 0; agile < 2; agile++) {
			double lambda = agile ? 5 : 1;
			u64 ms = table[i].rtt_ms;
			assert_near(of(WEIR_MODEL_LITERAL, lambda, 1e-8, 4, ms), table[i].literal[agile],
				    LAST_DIGIT);
			assert_near(of(WEIR_MODEL_LITERAL, lambda, 1e-6, 4, ms), table[i].at_1e6[agile],
				    LAST_DIGIT);
			if (table[i].renewal[agile] > 0)
				assert_near(of(WEIR_MODEL_RENEWAL, lambda, 1e-8, 4, ms),
					    table[i].renewal[agile], LAST_DIGIT);
		}
}

static void literal_by_beta_and_lambda(void **state)
{
	(void)state;
	static const struct {
		double beta, at[10];
	} grid[] = {
	    {.5, {.75062, .77763, .79939, .81349, .82331, .83055, .83609, .84046, .84401, .84694}},
	    {.8, {.90208, .91327, .92222, .92809, .93224, .93531, .93761, .93937, .94076, .94185}},
	    {.95, {.97795, .98091, .98324, .98478, .98589, .98673, .98740, .98794, .98841, .98879}},
	};
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL);
	for (size_t i = 0; i < sizeof grid / sizeof grid[0]; i++)
		for (u32 k = 0; k < 10; k++) {
			c.beta = grid[i].beta;
			c.lambda_max = k + 1;
			assert_near(solve(&c).normalized_throughput, grid[i].at[k], 6e-6);
		}
}

static void eq36_and_what_it_gives(void **state)
{
	(void)state;
	static const double lambda[] = {6, 6, 5, 5, 5, 4, 4, 3, 3, 3};
	static const double at[] = {.830545, .846621, .859249, .877075, .895628,
				    .908889, .928091, .942984, .962973, .983242};
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL);
	for (u32 i = 0; i < 10; i++) {
		c.beta = (10 + i) / 20.;
		c.lambda_max = weir_model_eq36(c.beta);
		assert_true(c.lambda_max == lambda[i]);
		assert_near(solve(&c).normalized_throughput, at[i], LAST_DIGIT);
	}
	assert_true(weir_model_eq36(.13) == 8); /* 8.91 - .91, which no double is */
}

/* One row for each choice: literal, 1e-8 or 1e-3, buffer 4. */
static void every_ambiguity_has_its_figure(void **state)
{
	(void)state;
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL), v = c;
	v.down = WEIR_MODEL_WINDOW;
	assert_near(solve(&v).normalized_throughput, .823323, LAST_DIGIT);
	v = c;
	v.floor_window = true;
	assert_near(solve(&v).normalized_throughput, .822911, LAST_DIGIT);
	c.per = 1e-3;
	v = c;
	v.down = WEIR_MODEL_WINDOW;
	assert_near(solve(&v).normalized_throughput, .033377, LAST_DIGIT);
	v = c;
	v.loss = WEIR_MODEL_AT_LEAST_ONE;
	assert_near(solve(&v).normalized_throughput, .033295, LAST_DIGIT);
	v.loss = WEIR_MODEL_LINEAR;
	assert_near(solve(&v).normalized_throughput, .032823, LAST_DIGIT);
	v = c;
	v.clamp_lambda = false;
	assert_near(solve(&v).normalized_throughput, .033886, LAST_DIGIT);
	v = c;
	v.start = WEIR_MODEL_WINDOW;
	assert_near(solve(&v).normalized_throughput, .033807, 2e-5);
	/* a bit error rate of 1e-8 is a packet error rate of 8e-5 */
	v = c;
	v.per = 8e-5;
	double packets = solve(&v).normalized_throughput;
	v.per = 1e-8;
	v.per_bit = true;
	assert_near(solve(&v).normalized_throughput, packets, 1e-9);
	/* what passes through the link is at most its rate: the sawtooth over a buffer of 128 */
	c = weir_model_defaults(WEIR_MODEL_EPOCH);
	c.buffer_packets = 128;
	assert_near(solve(&c).normalized_throughput, .9125, 6e-5);
	c.cap = true;
	assert_near(solve(&c).normalized_throughput, .8941, 6e-5);
	c.lambda_max = 1;
	assert_near(solve(&c).normalized_throughput, .8172, 6e-5);
	c.cap = false;
	assert_near(solve(&c).normalized_throughput, .8268, 6e-5);
}

/* Five states, W = 6, beta .75, R = .01, "one", from state 4. */
static void toy_chain(enum weir_model_of down, const u32 rows[5], const double mean[4], const double at[2])
{
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL);
	c.rate_bps = 8000000;
	c.rtt_ns = 2 * WEIR_NS_PER_MS; /* BDP 2 packets */
	c.beta = .75;
	c.per = .01;
	c.down = down;
	struct weir_chain chain;
	struct weir_march march;
	double loss, window_packets = 0;
	assert_int_equal(weir_model_states(&c), 5);
	assert_int_equal(weir_chain_init(&chain, &c), 0);
	weir_chain_lose(&chain, &c, 1);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(chain.down[i] + 1, rows[i]);
	assert_int_equal(weir_march_init(&march, &chain, 3, 10000), 0);
	for (u32 t = 1; t <= 10000; t++) {
		window_packets = weir_march_step(&march, &loss);
		if (t <= 3)
			assert_near(window_packets, mean[t - 1], 6e-7);
	}
	assert_near(window_packets, mean[3], 6e-7);
	weir_march_free(&march);
	weir_chain_free(&chain);
	for (u32 i = 0; i < 2; i++) {
		c.lambda_max = i ? 5 : 1;
		assert_near(solve(&c).mean_window_packets, at[i], LAST_DIGIT);
	}
}

static void toy_chains(void **state)
{
	(void)state;
	toy_chain(WEIR_MODEL_INDEX, (u32[]){1, 1, 2, 3, 3},
		  (double[]){5.904877, 4.043906, 4.966242, 4.942820}, (double[]){4.942856, 4.943796});
	toy_chain(WEIR_MODEL_WINDOW, (u32[]){1, 1, 2, 2, 3},
		  (double[]){5.857316, 3.997231, 4.920447, 4.910584}, (double[]){4.910618, 4.912415});
}

static void epochs_by_lambda(void **state)
{
	(void)state;
	static const double rtts[] = {628.0, 531.6, 439.3, 374.7, 327.8, 292.3, 264.4, 241.9, 223.3, 207.6};
	static const double at[] = {.752400, .781088, .804133, .819414, .830361,
				    .838687, .845298, .850719, .855274, .859175};
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_EPOCH);
	for (u32 i = 0; i < 10; i++) {
		c.lambda_max = i + 1;
		struct weir_model_result r = solve(&c);
		assert_near(r.epoch_rtts, rtts[i], .06);
		assert_near(r.normalized_throughput, at[i], LAST_DIGIT);
	}
}

/* Epoch k (1 + ln L) / L, mean window W (1 - (1 - beta) g), g = (1 - 1/(2L)) / (1 + ln L): the sums become
 * these as W grows. */
static void epochs_approach_their_closed_form(void **state)
{
	(void)state;
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_EPOCH);
	c.rtt_ns = 4 * WEIR_NS_PER_S; /* 500,000 packets */
	c.floor_window = false;
	double full = (double)weir_model_window_packets(&c);
	for (u32 lambda = 1; lambda <= 10; lambda++)
		for (u32 b = 0; b < 2; b++) {
			c.lambda_max = lambda;
			c.beta = b ? .9 : .5;
			double ln = weir_log(lambda), g = (1 - .5 / lambda) / (1 + ln);
			struct weir_model_result r = solve(&c);
			assert_near(r.epoch_rtts / (full * (1 - c.beta) * (1 + ln) / lambda), 1, 1e-4);
			assert_near(r.mean_window_packets / (full * (1 - (1 - c.beta) * g)), 1, 1e-5);
		}
}

/* The literal mean window stays within 1 % of where it goes from then on. */
static void when_the_mean_is_steady(void **state)
{
	(void)state;
	static const struct {
		double per;
		u64 after;
	} table[] = {{5e-7, 8804}, {1e-6, 4414}, {2e-6, 1951}, {1e-5, 673}, {1e-3, 98}};
	struct weir_model_config c = weir_model_defaults(WEIR_MODEL_LITERAL);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		c.per = table[i].per;
		struct weir_model_result r = solve(&c);
		assert_true(r.is_steady);
		assert_near((double)r.steady_iterations, (double)table[i].after, 1);
	}
	c.per = 1e-8;
	assert_false(solve(&c).is_steady);
	/* of the paper's own rate only the running ratio of eq. 33 has settled by then */
	static const double running[] = {.82135, .82107, .82111, .82169, .82331};
	for (u32 i = 0; i < 5; i++) {
		c.iterations = 2000 * (i + 1);
		assert_near(solve(&c).normalized_throughput, running[i], 6e-6);
	}
}

/* Eq. 5 with the window at the last loss, as a fluid: .447 and .142; a chain of whole packets lies just
 * below. */
static void two_state_where_readings_part(void **state)
{
	(void)state;
	assert_near(of(WEIR_MODEL_TWO_STATE, 5, 1e-5, 8, 10), .447, .0015);
	assert_near(of(WEIR_MODEL_TWO_STATE, 5, 1e-4, 4, 10), .142, .0015);
	assert_near(of(WEIR_MODEL_TWO_STATE, 5, 1e-8, 4, 10), .8300, .0001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(literal_and_renewal_by_error_rate_and_buffer),
	    cmocka_unit_test(literal_by_buffer),
	    cmocka_unit_test(by_round_trip_time),
	    cmocka_unit_test(literal_by_beta_and_lambda),
	    cmocka_unit_test(eq36_and_what_it_gives),
	    cmocka_unit_test(every_ambiguity_has_its_figure),
	    cmocka_unit_test(toy_chains),
	    cmocka_unit_test(epochs_by_lambda),
	    cmocka_unit_test(epochs_approach_their_closed_form),
	    cmocka_unit_test(when_the_mean_is_steady),
	    cmocka_unit_test(two_state_where_readings_part),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

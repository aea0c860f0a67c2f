/* SPDX-License-Identifier: MIT */
/* Equations 6 to 8 and Algorithm 1 by sequences computed by hand. */
#include "ends.h"

struct law {
	const struct weir_age_ops *ops;
	u64 params[16];
	u64 state[WEIR_AGE_STATE_BYTES / 8];
	struct weir_age_out out;
	double age_s, backlog;
};

/* RTTbar = Zbar = 100 ms, lambda = 10/s, kappa 1. */
static void begin(struct law *l, const char *name)
{
	memset(l, 0, sizeof *l);
	l->ops = weir_age_find(name);
	weir_age_defaults(l->ops, l->params);
	l->ops->init(l->state, l->params, 0, .1, &l->out);
	NEAR(l->out.rate_hz, 10, 1e-9);
	l->age_s = .1;
	l->backlog = 8;
}

static void set(struct law *l, const char *name, u64 value)
{
	for (u32 i = 0; i < l->ops->n_params; i++)
		if (!strcmp(l->ops->params[i].name, name)) {
			l->params[i] = value;
			return;
		}
	fail();
}

static void epoch(struct law *l, int delta, int b, u32 flags)
{
	l->age_s += .001 * delta;
	l->backlog += .5 * b;
	struct weir_age_epoch e = {.length_s = 1,
				   .age_mean_s = l->age_s,
				   .backlog_mean = l->backlog,
				   .rate_hz = 10,
				   .sent = 10,
				   .acked = 10,
				   .flags = flags};
	l->ops->on_epoch(l->state, l->params, &e, &l->out);
}

/* The signals of the last decision. */
static double signal(const struct law *l, const char *name)
{
	double value[WEIR_AGE_SIGNALS_MAX] = {0};
	l->ops->probe(l->state, value);
	for (u32 i = 0; i < l->ops->n_signals; i++)
		if (!strcmp(l->ops->signals[i].name, name))
			return value[i];
	fail();
	return 0;
}

enum { NONE, INC, DEC, MDEC };
struct step {
	int delta, b, action;
	u32 gamma;
};

static void walk(struct law *l, const struct step *steps, u32 n)
{
	epoch(l, 0, 0, 0); /* the first epoch: nothing to compare with */
	assert_int_equal((int)signal(l, "action"), NONE);
	for (u32 i = 0; i < n; i++) {
		epoch(l, steps[i].delta, steps[i].b, 0);
		assert_int_equal((int)signal(l, "action"), steps[i].action);
		assert_int_equal((u32)signal(l, "gamma"), steps[i].gamma);
	}
}

static void algorithm_1_by_its_table(void **unused)
{
	(void)unused;
	struct law l;
	begin(&l, "acp-plus");
	static const struct step steps[] = {
	    {1, 1, DEC, 0},			 /* lines 4, 8-10 */
	    {1, 1, MDEC, 1},			 /* lines 5-7 */
	    {1, 1, MDEC, 2},			 /* the next power */
	    {-1, -1, MDEC, 2},			 /* lines 17-19: unchanged */
	    {1, -1, INC, 0},			 /* lines 12-13 */
	    {-1, -1, DEC, 0},			 /* lines 20-22: the flag was reset */
	    {1, 1, DEC, 0},    {-1, -1, DEC, 0}, /* flag set, but gamma 0 */
	    {1, 1, DEC, 0},    {-1, 1, INC, 0},	 /* lines 14-15 */
	    {0, 1, DEC, 0},    {0, 0, INC, 0},	 /* ties */
	    {-1, 0, INC, 0},
	};
	walk(&l, steps, sizeof steps / sizeof steps[0]);
}

/* A, A, D, A: after an MDEC in case D the paper's flag goes on with MDEC, the authors' program begins anew.
 */
static void the_signs_that_tell_flag_and_code_apart(void **unused)
{
	(void)unused;
	struct law l;
	static const struct step flag[] = {
	    {1, 1, DEC, 0}, {1, 1, MDEC, 1}, {-1, -1, MDEC, 1}, {1, 1, MDEC, 2}};
	static const struct step code[] = {
	    {1, 1, DEC, 0}, {1, 1, MDEC, 1}, {-1, -1, MDEC, 1}, {1, 1, DEC, 0}};
	begin(&l, "acp-plus");
	walk(&l, flag, 4);
	begin(&l, "acp-plus");
	set(&l, "code_form", 1);
	walk(&l, code, 4);
}

static void feed(struct law *l, u32 n, double rtt_s, double gap_s)
{
	struct weir_age_ack a = {.rtt_s = rtt_s, .gap_s = gap_s, .newly_acked = 1};
	for (u32 i = 0; i < n; i++)
		l->ops->on_ack(l->state, l->params, &a, &l->out);
}

static void means_of_rtt_and_gap_eq_6(void **unused)
{
	(void)unused;
	struct law l;
	begin(&l, "acp-plus");
	feed(&l, 1, .2, .05);
	NEAR(signal(&l, "mean_rtt"), .12e9, 1);
	NEAR(signal(&l, "mean_gap"), .09e9, 1);
	feed(&l, 1, 0, 0); /* no samples: frozen */
	NEAR(signal(&l, "mean_rtt"), .12e9, 1);
	feed(&l, 1, .2, .05);
	NEAR(signal(&l, "mean_rtt"), .136e9, 1);
	NEAR(signal(&l, "mean_gap"), .082e9, 1);
}

/* Eq. 8 with RTTbar .1 and Zbar .02: 1 / Z = 50/s, a step of kappa 10/s. */
static void rates_eq_7_and_8(void **unused)
{
	(void)unused;
	struct law l;
	begin(&l, "acp-plus");
	set(&l, "clamp", 0);
	feed(&l, 200, .1, .02);
	epoch(&l, 0, 0, 0);
	epoch(&l, 1, -1, 0);
	NEAR(l.out.rate_hz, 60, 1e-6); /* INC */
	NEAR(l.out.epoch_s, 10. / 60, 1e-9);
	epoch(&l, 1, 1, 0);
	NEAR(l.out.rate_hz, 40, 1e-6); /* DEC */
	epoch(&l, 1, 1, 0);	       /* B = 8.5: MDEC(1) */
	NEAR(l.out.rate_hz, 50 - .5 * 8.5 / .1, 1e-6);
	epoch(&l, 1, 0, 0); /* b = 0 */
	NEAR(l.out.rate_hz, 60, 1e-6);
}

static void the_clamp_holds_each_step(void **unused)
{
	(void)unused;
	struct law l;
	begin(&l, "acp-plus");
	feed(&l, 200, .1, .02);
	epoch(&l, 0, 0, 0);
	epoch(&l, 1, -1, 0);
	NEAR(l.out.rate_hz, 12.5, 1e-9);
	feed(&l, 200, .1, 10);
	epoch(&l, 1, 1, 0);
	NEAR(l.out.rate_hz, 9.375, 1e-9);
}

/* C17: a rate that eq. 8 makes negative. With the clamp it falls by a quarter; without, sending stands still.
 */
static void c17_without_the_clamp_it_stalls(void **unused)
{
	(void)unused;
	struct law l;
	for (u64 clamp = 0; clamp < 2; clamp++) {
		begin(&l, "acp-plus");
		set(&l, "clamp", clamp);
		feed(&l, 200, .1, .2); /* 1 / Z = 5/s, kappa / RTT = 10/s */
		epoch(&l, 0, 0, 0);
		epoch(&l, 1, 1, 0);
		NEAR(l.out.rate_hz, clamp ? 7.5 : .001, 1e-9);
		NEAR(l.out.epoch_s, clamp ? 10 / 7.5 : 10000, 1e-6);
	}
}

/* C1: a step of a half is a half. */
static void c1_the_step_is_a_real_number(void **unused)
{
	(void)unused;
	struct law l;
	begin(&l, "acp-plus");
	set(&l, "kappa", 500000);
	set(&l, "clamp", 0);
	epoch(&l, 0, 0, 0);
	epoch(&l, 1, -1, 0);
	NEAR(l.out.rate_hz, 15, 1e-9);
	assert_true(l.ops->params[0].min > 0);
}

static void epochs_that_say_nothing_decide_nothing(void **unused)
{
	(void)unused;
	struct law l;
	static const u32 flags[] = {WEIR_AGE_APP_LIMITED, WEIR_AGE_SILENT, WEIR_AGE_STALLED};
	begin(&l, "acp-plus");
	epoch(&l, 0, 0, 0);
	epoch(&l, 1, 1, 0);
	epoch(&l, 1, 1, 0); /* MDEC(1) */
	double rate_hz = l.out.rate_hz;
	for (u32 i = 0; i < 3; i++) {
		double age_s = l.age_s, backlog = l.backlog;
		epoch(&l, 50, -7, flags[i]);
		NEAR(l.out.rate_hz, rate_hz, 0);
		assert_int_equal((u32)signal(&l, "gamma"), 1);
		l.age_s = age_s;
		l.backlog = backlog;
	}
	epoch(&l, 1, 1, 0); /* compared with the last epoch that counted */
	assert_int_equal((u32)signal(&l, "gamma"), 2);
}

static void acp_divides_by_the_smaller(void **unused)
{
	(void)unused;
	struct law l;
	begin(&l, "acp");
	assert_non_null(strstr(l.ops->source, "reconstructed"));
	set(&l, "clamp", 0);
	feed(&l, 200, .1, .02);
	epoch(&l, 0, 0, 0);
	epoch(&l, 1, -1, 0);
	NEAR(l.out.rate_hz, 50 + 1 / .02, 1e-6);
	set(&l, "divide_by_smaller", 0);
	epoch(&l, 1, -1, 0);
	NEAR(l.out.rate_hz, 60, 1e-6);
	set(&l, "epoch", 3000000);
	epoch(&l, 1, -1, 0);
	NEAR(l.out.epoch_s, 3 * .02, 1e-6);
}

static void lazy_sends_one_a_rtt(void **unused)
{
	(void)unused;
	struct law l;
	begin(&l, "lazy");
	feed(&l, 1, .2, .05);
	NEAR(l.out.rate_hz, 1 / .12, 1e-9);
	feed(&l, 200, .05, .05);
	NEAR(l.out.rate_hz, 20, 1e-6);
}

static void fixed_is_fixed(void **unused)
{
	(void)unused;
	struct law l;
	begin(&l, "fixed");
	set(&l, "rate", 2500000);
	l.ops->init(l.state, l.params, 0, 5, &l.out);
	NEAR(l.out.rate_hz, 2.5, 1e-12);
	feed(&l, 5, 3, 3);
	epoch(&l, 1, 1, 0);
	NEAR(l.out.rate_hz, 2.5, 1e-12);
}

static void every_controller_describes_itself(void **unused)
{
	(void)unused;
	assert_null(weir_age_at(weir_age_count()));
	assert_null(weir_age_find("acp_plus"));
	for (u32 i = 0; i < weir_age_count(); i++) {
		const struct weir_age_ops *ops = weir_age_at(i);
		assert_ptr_equal(weir_age_find(ops->name), ops);
		assert_int_equal(ops->abi, WEIR_AGE_ABI);
		assert_non_null(ops->init);
		assert_non_null(ops->on_ack);
		assert_non_null(ops->on_epoch);
		assert_non_null(ops->probe);
		for (u32 k = 0; k < ops->n_params; k++)
			assert_in_range(ops->params[k].default_value, ops->params[k].min, ops->params[k].max);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(algorithm_1_by_its_table),
	    cmocka_unit_test(the_signs_that_tell_flag_and_code_apart),
	    cmocka_unit_test(means_of_rtt_and_gap_eq_6),
	    cmocka_unit_test(rates_eq_7_and_8),
	    cmocka_unit_test(the_clamp_holds_each_step),
	    cmocka_unit_test(c17_without_the_clamp_it_stalls),
	    cmocka_unit_test(c1_the_step_is_a_real_number),
	    cmocka_unit_test(epochs_that_say_nothing_decide_nothing),
	    cmocka_unit_test(acp_divides_by_the_smaller),
	    cmocka_unit_test(lazy_sends_one_a_rtt),
	    cmocka_unit_test(fixed_is_fixed),
	    cmocka_unit_test(every_controller_describes_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

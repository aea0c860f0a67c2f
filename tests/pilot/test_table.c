/* SPDX-License-Identifier: MIT */
/* What every shipped pilot must tell of itself, and name that there is. */
#include "cc/governed.h"
#include "core/words.h"
#include "pilot/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define PARAMS_MAX 64

static bool is_word(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static bool is_unit(const char *unit)
{
	static const char *const units[] = {"", "ns", "bytes", "packets", "Bps", "ratio", "Hz", "flag"};
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i], unit) == 0)
			return true;
	return weir_words_are(unit);
}

static void check_param(const struct weir_pilot_ops *ops, const struct weir_param *p)
{
	u64 last = 0;
	size_t bytes;
	if (!is_unit(p->unit) || p->default_value < p->min || p->default_value > p->max || !p->help ||
	    !*p->help)
		fail_msg("%s: %s", ops->name, p->name);
	if (!weir_words_are(p->unit))
		return;
	while (weir_words_at(p->unit, last + 1, &bytes))
		last++;
	assert_int_equal(p->min, 0);
	assert_int_equal(p->max, last);
}

static void each_describes_itself(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_pilot_count(); i++) {
		const struct weir_pilot_ops *ops = weir_pilot_at(i);
		assert_int_equal(ops->abi, WEIR_PILOT_ABI);
		assert_true(is_word(ops->name) && ops->about && strlen(ops->about) > 10);
		assert_true(ops->source && strlen(ops->source) > 3);
		assert_ptr_equal(weir_pilot_find(ops->name), ops);
		assert_in_range(ops->n_params, 1, PARAMS_MAX);
		for (u32 k = 0; k < ops->n_params; k++)
			check_param(ops, &ops->params[k]);
		for (u32 k = 0; k < ops->n_signals; k++)
			if (!is_unit(ops->signals[k].unit))
				fail_msg("%s: %s: %s", ops->name, ops->signals[k].name, ops->signals[k].unit);
		for (u32 k = 0; k < i; k++)
			assert_string_not_equal(weir_pilot_at(k)->name, ops->name);
	}
	assert_null(weir_pilot_at(weir_pilot_count()));
	assert_null(weir_pilot_find("no-such-pilot"));
	assert_null(weir_pilot_find(""));
}

static void hosts(const struct weir_pilot_ops *ops, const u64 *params, const char *what)
{
	struct weir_governed *g = weir_governed_new(ops, params, 1);
	if (!g)
		fail_msg("%s, %s: an inner controller or a parameter of one that there is not", ops->name,
			 what);
	weir_governed_free(g);
}

/* Each value of each parameter that chooses, and both ends of all others. */
static void its_inner_controllers_exist_whatever_is_chosen(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_pilot_count(); i++) {
		const struct weir_pilot_ops *ops = weir_pilot_at(i);
		u64 params[PARAMS_MAX];
		weir_pilot_defaults(ops, params);
		hosts(ops, params, "by default");
		for (u32 k = 0; k < ops->n_params; k++) {
			const struct weir_param *p = &ops->params[k];
			u64 step = weir_words_are(p->unit) ? 1 : weir_max(p->max - p->min, 1);
			for (u64 x = p->min; x <= p->max && x >= p->min; x += step) {
				params[k] = x;
				hosts(ops, params, p->name);
			}
			params[k] = p->default_value;
		}
	}
}

/* A host may look before the first report. */
static void it_can_be_looked_at_from_the_first(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_pilot_count(); i++) {
		const struct weir_pilot_ops *ops = weir_pilot_at(i);
		u64 params[PARAMS_MAX];
		double value[WEIR_PILOT_SIGNALS_MAX];
		weir_pilot_defaults(ops, params);
		struct weir_governed *g = weir_governed_new(ops, params, 1);
		assert_non_null(g);
		weir_governed_probe(g, value);
		for (u32 k = 0; k < ops->n_signals; k++)
			assert_false(value[k] - value[k] != 0 && value[k] == value[k]); /* infinite */
		weir_governed_free(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_describes_itself),
	    cmocka_unit_test(its_inner_controllers_exist_whatever_is_chosen),
	    cmocka_unit_test(it_can_be_looked_at_from_the_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* From the words of a scenario to the switches of both ends: the era says, a key overrides. */
#include "run/historic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct weir_endpoint_config receiver(const struct weir_scenario_endpoint *e)
{
	struct weir_endpoint_config c = weir_endpoint_defaults();
	weir_historic_receiver(e, 1, 0, &c);
	return c;
}

static void eras(void **unused)
{
	(void)unused;
	const struct weir_scenario_endpoint modern = {.era = WEIR_SCENARIO_MODERN},
					    before = {.era = WEIR_SCENARIO_ERA_1986},
					    after = {.era = WEIR_SCENARIO_ERA_1988};
	struct weir_bsd43_config c = weir_historic_sender(&before, 1, 0);
	c.tick_phase_ns = 0;
	struct weir_bsd43_config wanted = weir_bsd43_of_era(WEIR_ERA_1986);
	assert_memory_equal(&c, &wanted, offsetof(struct weir_bsd43_config, fast_retransmit) + 1);
	c = weir_historic_sender(&after, 1, 0);
	wanted = weir_bsd43_of_era(WEIR_ERA_1988);
	assert_memory_equal(&c, &wanted, offsetof(struct weir_bsd43_config, fast_retransmit) + 1);
	assert_string_equal(weir_historic_name(&before), "bsd43-1986");
	assert_string_equal(weir_historic_name(&after), "bsd43-1988");

	struct weir_endpoint_config r = receiver(&modern);
	assert_true(r.ack_policy == WEIR_ACK_STANDARD && !r.ack_out_of_order_late && !r.plain_acks &&
		    !r.ack_phase_ns);
	r = receiver(&before);
	assert_true(r.ack_policy == WEIR_ACK_BSD_OLD && r.ack_out_of_order_late && r.plain_acks);
	r = receiver(&after);
	assert_true(r.ack_policy == WEIR_ACK_BSD_NEW && !r.ack_out_of_order_late && r.plain_acks);
}

static void each_switch_by_itself(void **unused)
{
	(void)unused;
	struct weir_scenario_endpoint e = {.era = WEIR_SCENARIO_ERA_1986};
	u32 *const key[] = {&e.exponential_backoff, &e.slow_start, &e.dynamic_window, &e.karn,
			    &e.fast_retransmit};
	for (u32 i = 0; i < 5; i++) {
		*key[i] = WEIR_SCENARIO_ON;
		struct weir_bsd43_config c = weir_historic_sender(&e, 1, 0);
		const bool is[] = {c.exponential_backoff, c.slow_start, c.dynamic_window, c.karn,
				   c.fast_retransmit};
		for (u32 k = 0; k < 5; k++)
			assert_int_equal(is[k], k == i);
		*key[i] = WEIR_SCENARIO_AS_ERA;
	}
	e.era = WEIR_SCENARIO_ERA_1988;
	e.karn = WEIR_SCENARIO_OFF;
	assert_false(weir_historic_sender(&e, 1, 0).karn);
	for (u32 v = WEIR_VARIANCE_NONE; v <= WEIR_VARIANCE_4V; v++) {
		e.rtt_variance = WEIR_SCENARIO_VARIANCE_NONE + v;
		assert_int_equal(weir_historic_sender(&e, 1, 0).rtt_variance, v);
	}
}

static void receivers_by_key(void **unused)
{
	(void)unused;
	struct weir_scenario_endpoint e = {.era = WEIR_SCENARIO_ERA_1988,
					   .ack_policy = WEIR_SCENARIO_ACK_BSD_OLD,
					   .ack_out_of_order = WEIR_SCENARIO_HOLES_LATE};
	struct weir_endpoint_config r = receiver(&e);
	assert_true(r.ack_policy == WEIR_ACK_BSD_OLD && r.ack_out_of_order_late && r.plain_acks);
	e = (struct weir_scenario_endpoint){.era = WEIR_SCENARIO_MODERN,
					    .ack_policy = WEIR_SCENARIO_ACK_BSD_NEW};
	r = receiver(&e); /* a modern sender may have one: it gets its SACK blocks */
	assert_true(r.ack_policy == WEIR_ACK_BSD_NEW && !r.ack_out_of_order_late && !r.plain_acks);
	e = (struct weir_scenario_endpoint){.era = WEIR_SCENARIO_ERA_1986,
					    .ack_policy = WEIR_SCENARIO_ACK_STANDARD};
	r = receiver(&e);
	assert_true(r.ack_policy == WEIR_ACK_STANDARD && r.ack_every == 2 && r.plain_acks);
}

/* Hosts do not tick in step: each flow has phases of its own, by the seed and nothing else. */
static void clocks_have_phases(void **unused)
{
	(void)unused;
	const struct weir_scenario_endpoint e = {.era = WEIR_SCENARIO_ERA_1986};
	u64 sum_ns = 0, ack_sum_ns = 0;
	for (u32 flow = 0; flow < 1000; flow++) {
		struct weir_endpoint_config c = weir_endpoint_defaults();
		u32 phase_ns = weir_historic_sender(&e, 7, flow).tick_phase_ns;
		weir_historic_receiver(&e, 7, flow, &c);
		assert_true(phase_ns < WEIR_BSD43_TICK_NS && c.ack_phase_ns < WEIR_ACK_BSD_TICK_NS);
		assert_int_equal(phase_ns, weir_historic_sender(&e, 7, flow).tick_phase_ns);
		sum_ns += phase_ns;
		ack_sum_ns += c.ack_phase_ns;
	}
	assert_in_range(sum_ns / 1000, 235000000, 265000000);
	assert_in_range(ack_sum_ns / 1000, 94000000, 106000000);
	assert_int_not_equal(weir_historic_sender(&e, 7, 0).tick_phase_ns,
			     weir_historic_sender(&e, 8, 0).tick_phase_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(eras),
	    cmocka_unit_test(each_switch_by_itself),
	    cmocka_unit_test(receivers_by_key),
	    cmocka_unit_test(clocks_have_phases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "historic.h"

#include "core/rng.h"

_Static_assert((int)WEIR_SCENARIO_VARIANCE_4V - 1 == WEIR_VARIANCE_4V, "the word `era` comes first");
_Static_assert((int)WEIR_SCENARIO_ACK_BSD_NEW - 1 == WEIR_ACK_BSD_NEW, "the word `era` comes first");

const char *weir_historic_name(const struct weir_scenario_endpoint *e)
{
	return e->era == WEIR_SCENARIO_ERA_1986 ? "bsd43-1986" : "bsd43-1988";
}

static void turn(bool *on, u32 word)
{
	if (word != WEIR_SCENARIO_AS_ERA)
		*on = word == WEIR_SCENARIO_ON;
}

static u32 phase_ns(const char *clock, u64 period_ns, u64 seed, u32 flow)
{
	struct weir_rng rng;
	weir_rng_init(&rng, seed, weir_rng_point(clock), flow);
	return (u32)weir_rng_below(&rng, period_ns);
}

struct weir_bsd43_config weir_historic_sender(const struct weir_scenario_endpoint *e, u64 seed, u32 flow)
{
	struct weir_bsd43_config c =
	    weir_bsd43_of_era(e->era == WEIR_SCENARIO_ERA_1986 ? WEIR_ERA_1986 : WEIR_ERA_1988);
	if (e->rtt_variance != WEIR_SCENARIO_VARIANCE_OF_ERA)
		c.rtt_variance = (enum weir_rtt_variance)(e->rtt_variance - 1);
	turn(&c.exponential_backoff, e->exponential_backoff);
	turn(&c.slow_start, e->slow_start);
	turn(&c.dynamic_window, e->dynamic_window);
	turn(&c.karn, e->karn);
	turn(&c.fast_retransmit, e->fast_retransmit);
	c.tick_phase_ns = phase_ns("bsd43-slow-timer", WEIR_BSD43_TICK_NS, seed, flow);
	return c;
}

void weir_historic_receiver(const struct weir_scenario_endpoint *e, u64 seed, u32 flow,
			    struct weir_endpoint_config *c)
{
	static const u8 policies[] = {
	    [WEIR_SCENARIO_MODERN] = WEIR_ACK_STANDARD,
	    [WEIR_SCENARIO_ERA_1986] = WEIR_ACK_BSD_OLD,
	    [WEIR_SCENARIO_ERA_1988] = WEIR_ACK_BSD_NEW,
	};
	c->ack_policy = (enum weir_ack_policy)policies[e->era];
	if (e->ack_policy != WEIR_SCENARIO_ACK_OF_ERA)
		c->ack_policy = (enum weir_ack_policy)(e->ack_policy - 1);
	c->ack_out_of_order_late = e->era == WEIR_SCENARIO_ERA_1986;
	if (e->ack_out_of_order != WEIR_SCENARIO_HOLES_OF_ERA)
		c->ack_out_of_order_late = e->ack_out_of_order == WEIR_SCENARIO_HOLES_LATE;
	c->plain_acks = e->era != WEIR_SCENARIO_MODERN;
	c->ack_phase_ns = 0; /* alike for all who have no such clock: flows share what is alike */
	if (c->ack_policy != WEIR_ACK_STANDARD)
		c->ack_phase_ns = phase_ns("bsd43-fast-timer", WEIR_ACK_BSD_TICK_NS, seed, flow);
	if (e->era != WEIR_SCENARIO_MODERN && c->ack_policy == WEIR_ACK_STANDARD) {
		c->ack_every = 2; /* the keys do not apply, so nothing was read */
		c->delayed_ack_ns = WEIR_ACK_BSD_TICK_NS;
	}
}

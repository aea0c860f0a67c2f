/* SPDX-License-Identifier: MIT */
/* A fixed rate, whatever the path does. */
#include "table.h"

struct fixed {
	double rate_hz;
};

struct fixed_params {
	u64 rate;
};

static const struct weir_param fixed_param_table[] = {
    {"rate", "Hz", 10000000, 1000, 1000000000000, "updates a second"},
};
static const struct weir_signal fixed_signal_table[] = {{"rate", "Hz"}};

static void fixed_init(void *state, const void *params, double now_s, double rtt_s, struct weir_age_out *o)
{
	struct fixed *s = (struct fixed *)state;
	(void)now_s;
	(void)rtt_s;
	s->rate_hz = (double)((const struct fixed_params *)params)->rate * 1e-6;
	o->rate_hz = s->rate_hz;
}

static void fixed_on_ack(void *state, const void *params, const struct weir_age_ack *a,
			 struct weir_age_out *o)
{
	(void)params;
	(void)a;
	o->rate_hz = ((const struct fixed *)state)->rate_hz;
}

static void fixed_on_epoch(void *state, const void *params, const struct weir_age_epoch *e,
			   struct weir_age_out *o)
{
	(void)state;
	(void)params;
	(void)e;
	(void)o;
}

static void fixed_probe(const void *state, double value[WEIR_AGE_SIGNALS_MAX])
{
	value[0] = ((const struct fixed *)state)->rate_hz * 1e6;
}

WEIR_AGE_CONTROLLER(fixed, "fixed", "a fixed rate, whatever the path does", "comparison", NULL);

/* SPDX-License-Identifier: MIT */
/* Lazy, the comparison of the ACP papers: at every ACK the rate becomes 1 / RTTbar, so that one update is
 * under way. */
#include "acp_law.h"
#include "table.h"

struct lazy {
	double rtt_s;
};

struct lazy_params {
	u64 alpha;
};

static const struct weir_param lazy_param_table[] = {
    {"alpha", "ratio", 200000, 1, 1000000, "weight of a new sample in the mean of RTT"},
};
static const struct weir_signal lazy_signal_table[] = {{"mean_rtt", "ns"}};

static void lazy_init(void *state, const void *params, double now_s, double rtt_s, struct weir_age_out *o)
{
	struct lazy *s = (struct lazy *)state;
	(void)params;
	(void)now_s;
	s->rtt_s = weir_acp_larger(rtt_s, WEIR_ACP_RTT_MIN_S);
	o->rate_hz = 1 / s->rtt_s;
}

static void lazy_on_ack(void *state, const void *params, const struct weir_age_ack *a, struct weir_age_out *o)
{
	struct lazy *s = (struct lazy *)state;
	double alpha = (double)((const struct lazy_params *)params)->alpha * 1e-6;
	if (a->rtt_s > 0)
		s->rtt_s = weir_acp_larger(weir_acp_smooth(s->rtt_s, a->rtt_s, alpha), WEIR_ACP_RTT_MIN_S);
	o->rate_hz = 1 / s->rtt_s;
}

static void lazy_on_epoch(void *state, const void *params, const struct weir_age_epoch *e,
			  struct weir_age_out *o)
{
	(void)state;
	(void)params;
	(void)e;
	(void)o;
}

static void lazy_probe(const void *state, double value[WEIR_AGE_SIGNALS_MAX])
{
	value[0] = ((const struct lazy *)state)->rtt_s * 1e9;
}

WEIR_AGE_CONTROLLER(lazy, "lazy", "one update under way: the rate is 1 / RTT, anew at every ACK",
		    "Shreedhar, Kaul, Yates 2019, arXiv 1811.03353", NULL);

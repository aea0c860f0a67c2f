/* SPDX-License-Identifier: MIT */
/* ACP, the predecessor of ACP+, reconstructed: its equations are not at hand
 * (docs/decisions/024-fresh-telemetry.md). The same decisions; what is believed to differ, the divisor of eq.
 * 8 and the length of an epoch, are parameters. */
#include "acp_law.h"
#include "table.h"

struct acp {
	struct weir_acp_law law;
};

struct acp_params {
	u64 kappa, alpha, eta, clamp, divide_by_smaller, epoch;
};

static const struct weir_param acp_param_table[] = {
    {"kappa", "ratio", 1000000, 10000, 1000000000, "change of the backlog that INC and DEC aim at"},
    {"alpha", "ratio", 200000, 1, 1000000, "weight of a new sample in the means of RTT and Z"},
    {"eta", "", WEIR_AGE_ETA, 1, 1000, "updates in an epoch"},
    {"clamp", "flag", 1, 0, 1, "keep each rate within .75 to 1.25 of the one before"},
    {"divide_by_smaller", "flag", 1, 0, 1, "divide b* by min(RTT, Z); off: by RTT, as ACP+"},
    {"epoch", "ratio", 0, 0, 1000000000, "length of an epoch in min(RTT, Z); 0: eta / rate, as ACP+"},
};
static const struct weir_signal acp_signal_table[] = {
    {"mean_rtt", "ns"}, {"mean_gap", "ns"}, {"target", ""}, {"action", ""}, {"gamma", ""}};

static double acp_smaller_s(const struct acp *s)
{
	return s->law.gap_s < s->law.rtt_s ? s->law.gap_s : s->law.rtt_s;
}

static void acp_tell(const struct acp *s, const struct acp_params *p, struct weir_age_out *o)
{
	o->rate_hz = s->law.rate_hz;
	o->epoch_s = p->epoch ? (double)p->epoch * 1e-6 * acp_smaller_s(s) : (double)p->eta / s->law.rate_hz;
}

static void acp_init(void *state, const void *params, double now_s, double rtt_s, struct weir_age_out *o)
{
	struct acp *s = (struct acp *)state;
	(void)now_s;
	weir_acp_begin(&s->law, rtt_s);
	acp_tell(s, (const struct acp_params *)params, o);
}

static void acp_on_ack(void *state, const void *params, const struct weir_age_ack *a, struct weir_age_out *o)
{
	struct acp *s = (struct acp *)state;
	(void)o;
	weir_acp_sample(&s->law, (double)((const struct acp_params *)params)->alpha * 1e-6, a);
}

static void acp_on_epoch(void *state, const void *params, const struct weir_age_epoch *e,
			 struct weir_age_out *o)
{
	struct acp *s = (struct acp *)state;
	const struct acp_params *p = (const struct acp_params *)params;
	struct weir_acp_constants c;
	c.kappa = (double)p->kappa * 1e-6;
	c.clamp = p->clamp != 0;
	c.code_form = false;
	weir_acp_epoch(&s->law, &c, p->divide_by_smaller ? acp_smaller_s(s) : s->law.rtt_s, e);
	acp_tell(s, p, o);
}

static void acp_on_resume(void *state, const void *params, double now_s, double rtt_s, u32 flags,
			  struct weir_age_out *o)
{
	struct acp *s = (struct acp *)state;
	(void)now_s;
	(void)flags;
	weir_acp_resume(&s->law, rtt_s);
	acp_tell(s, (const struct acp_params *)params, o);
}

static void acp_probe(const void *state, double value[WEIR_AGE_SIGNALS_MAX])
{
	weir_acp_signals(&((const struct acp *)state)->law, value);
}

WEIR_AGE_CONTROLLER(
    acp, "acp", "ACP (reconstructed): as ACP+, with the divisor and the epochs that ACP is believed to have",
    "Shreedhar, Kaul, Yates 2019, arXiv 1811.03353; reconstructed", acp_on_resume);

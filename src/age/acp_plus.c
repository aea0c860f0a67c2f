/* SPDX-License-Identifier: MIT */
/* ACP+ as the paper has it: equations 1 to 8, Algorithm 1, epochs of eta / lambda. */
#include "acp_law.h"
#include "table.h"

struct acp_plus {
	struct weir_acp_law law;
};

struct acp_plus_params {
	u64 kappa, alpha, eta, clamp, code_form;
};

static const struct weir_param acp_plus_param_table[] = {
    {"kappa", "ratio", 1000000, 10000, 1000000000, "change of the backlog that INC and DEC aim at (eq. 7)"},
    {"alpha", "ratio", 200000, 1, 1000000, "weight of a new sample in the means of RTT and Z (eq. 6)"},
    {"eta", "", WEIR_AGE_ETA, 1, 1000, "updates in an epoch"},
    {"clamp", "flag", 1, 0, 1,
     "keep each rate within .75 to 1.25 of the one before, as the authors' program does"},
    {"code_form", "flag", 0, 0, 1,
     "decide as the authors' program does, not as the paper (for regression only)"},
};
static const struct weir_signal acp_plus_signal_table[] = {
    {"mean_rtt", "ns"}, {"mean_gap", "ns"}, {"target", ""}, {"action", ""}, {"gamma", ""}};

static struct weir_acp_constants acp_plus_constants(const struct acp_plus_params *p)
{
	struct weir_acp_constants c;
	c.kappa = (double)p->kappa * 1e-6;
	c.clamp = p->clamp != 0;
	c.code_form = p->code_form != 0;
	return c;
}

static void acp_plus_tell(const struct acp_plus *s, const struct acp_plus_params *p, struct weir_age_out *o)
{
	o->rate_hz = s->law.rate_hz;
	o->epoch_s = (double)p->eta / s->law.rate_hz;
}

static void acp_plus_init(void *state, const void *params, double now_s, double rtt_s, struct weir_age_out *o)
{
	struct acp_plus *s = (struct acp_plus *)state;
	(void)now_s;
	weir_acp_begin(&s->law, rtt_s);
	acp_plus_tell(s, (const struct acp_plus_params *)params, o);
}

static void acp_plus_on_ack(void *state, const void *params, const struct weir_age_ack *a,
			    struct weir_age_out *o)
{
	struct acp_plus *s = (struct acp_plus *)state;
	(void)o;
	weir_acp_sample(&s->law, (double)((const struct acp_plus_params *)params)->alpha * 1e-6, a);
}

static void acp_plus_on_epoch(void *state, const void *params, const struct weir_age_epoch *e,
			      struct weir_age_out *o)
{
	struct acp_plus *s = (struct acp_plus *)state;
	const struct acp_plus_params *p = (const struct acp_plus_params *)params;
	struct weir_acp_constants c = acp_plus_constants(p);
	weir_acp_epoch(&s->law, &c, s->law.rtt_s, e);
	acp_plus_tell(s, p, o);
}

static void acp_plus_on_resume(void *state, const void *params, double now_s, double rtt_s, u32 flags,
			       struct weir_age_out *o)
{
	struct acp_plus *s = (struct acp_plus *)state;
	(void)now_s;
	(void)flags;
	weir_acp_resume(&s->law, rtt_s);
	acp_plus_tell(s, (const struct acp_plus_params *)params, o);
}

static void acp_plus_probe(const void *state, double value[WEIR_AGE_SIGNALS_MAX])
{
	weir_acp_signals(&((const struct acp_plus *)state)->law, value);
}

WEIR_AGE_CONTROLLER(acp_plus, "acp-plus", "ACP+: each epoch steers the backlog so that age falls, eqs. 1-8",
		    "Shreedhar, Kaul, Yates 2022, arXiv 2210.12539", acp_plus_on_resume);

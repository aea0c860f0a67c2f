/* SPDX-License-Identifier: MIT */
/* A first controller: grow by one segment a round, fall to beta of the window when something is lost.
 * Try it:  weir run scenarios/two-cubic.yaml --controller examples/toy-aimd.h */
#include "weir/cc.h"

/* What one connection remembers. */
struct toy_aimd {
	u64 cwnd_bytes;
	u64 acked_bytes; /* since the window last grew */
};

/* What a scenario may set; u64 only, in the order of the table. */
struct toy_aimd_params {
	u64 beta;
};

#ifndef __BPF__ /* the kernel needs no words */
static const struct weir_param toy_aimd_param_table[] = {
    {"beta", "ratio", 500000, 100000, 900000, "what a loss leaves of the window"}};
static const struct weir_signal toy_aimd_signal_table[] = {{"acked", "bytes"}};
#endif

WEIR_CORE void toy_aimd_init(struct toy_aimd *s, const struct toy_aimd_params *p, const struct weir_view *v,
			     struct weir_out *o)
{
	s->cwnd_bytes = v->initial_bytes;
	s->acked_bytes = 0;
	o->cwnd_bytes = s->cwnd_bytes;
}

WEIR_CORE void toy_aimd_on_ack(struct toy_aimd *s, const struct toy_aimd_params *p, const struct weir_view *v,
			       const struct weir_ack *a, struct weir_out *o)
{
	/* An unused window must not grow; nor must one whose lost data is still being sent again. */
	if (!(v->flags & WEIR_CWND_LIMITED) || (v->flags & WEIR_RECOVERY))
		return;
	s->acked_bytes += a->acked_bytes;
	if (s->acked_bytes >= s->cwnd_bytes) {
		s->acked_bytes -= s->cwnd_bytes;
		s->cwnd_bytes += v->mss_bytes;
	}
	o->cwnd_bytes = s->cwnd_bytes;
}

WEIR_CORE void toy_aimd_on_loss(struct toy_aimd *s, const struct toy_aimd_params *p,
				const struct weir_view *v, const struct weir_loss *l, struct weir_out *o)
{
	/* Once for each window of data, however many of its packets are lost. */
	if (!(l->flags & WEIR_NEW_EPISODE))
		return;
	s->cwnd_bytes = weir_max(weir_muldiv(s->cwnd_bytes, p->beta, 1000000), 2 * (u64)v->mss_bytes);
	s->acked_bytes = 0;
	o->cwnd_bytes = s->cwnd_bytes;
}

WEIR_CORE void toy_aimd_on_timeout(struct toy_aimd *s, const struct toy_aimd_params *p,
				   const struct weir_view *v, struct weir_out *o)
{
	s->cwnd_bytes = v->mss_bytes;
	s->acked_bytes = 0;
	o->cwnd_bytes = s->cwnd_bytes;
}

/* The values of the signals, for the report. */
WEIR_CORE void toy_aimd_probe(const struct toy_aimd *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = s->acked_bytes;
}

WEIR_CONTROLLER(toy_aimd, "toy-aimd", .about = "One segment a round up, a fraction down.",
		.source = "Chiu and Jain 1989");

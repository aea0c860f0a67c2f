/* SPDX-License-Identifier: MIT */
#include "sampler.h"

#include <math.h>

void weir_sampler_signal(struct weir_sampler *s, const struct weir_build_entry *e,
			 struct weir_sampled_flow *f, u32 k, double value)
{
	if (!isfinite(value))
		return;
	f->signal_last[k] = weir_signal_value(e->signals[k].unit, value);
	f->signal_sum[k] += f->signal_last[k];
	f->signal_looks[k]++;
	if (s->series)
		weir_series_value(s->series, s->signal_name[e - s->b->entry][k], f->signal_last[k]);
}

void weir_sampler_flow_pilot(struct weir_sampler *s, const struct weir_build_entry *e, u32 flow)
{
	double value[WEIR_PILOT_SIGNALS_MAX];
	if (!weir_backend_flow_pilot(&s->b->backend, flow, value))
		return;
	for (u32 k = 0; k < e->ops.pilot->n_signals; k++)
		weir_sampler_signal(s, e, &s->flow[weir_build_hist(e, flow)], k, value[k]);
}

/* SPDX-License-Identifier: MIT */
#include "flow_age.h"

struct weir_source_counts weir_source_counts(const struct weir_source *s)
{
	return (struct weir_source_counts){.updates = s->stats.updates,
					   .replaced = s->stats.replaced,
					   .expired = s->stats.expired,
					   .outages = s->stats.outages,
					   .backlog_area_s = s->backlog_area_s};
}

void weir_flow_age_of_source(struct weir_flow_age *out, const struct weir_source *s,
			     const struct weir_source_counts *base)
{
	struct weir_source_counts now = weir_source_counts(s);
	const struct weir_age_ops *ops = s->config.ops;
	out->acp = true;
	out->estimate = s->estimate;
	out->backlog_area_s = now.backlog_area_s - base->backlog_area_s;
	out->updates = now.updates - base->updates;
	out->replaced = now.replaced - base->replaced;
	out->expired = now.expired - base->expired;
	out->outages = now.outages - base->outages;
	out->rate_hz = s->phase == WEIR_SOURCE_RUNNING ? s->rate_hz : 0;
	out->gap_s = s->gap_s;
	out->n_signals = ops->probe && s->stats.epochs + s->stats.acked ? ops->n_signals : 0;
	if (out->n_signals)
		weir_source_signals(s, out->signal);
}

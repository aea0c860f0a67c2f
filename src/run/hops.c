/* SPDX-License-Identifier: MIT */
#include "hops.h"

#include "buffer.h"
#include "traces.h"

#include <stdio.h>

_Static_assert((int)WEIR_SCENARIO_FIXED == WEIR_RATE_FIXED && (int)WEIR_SCENARIO_WALK == WEIR_RATE_WALK &&
		   (int)WEIR_SCENARIO_FQ_CODEL == WEIR_AQM_FQ_CODEL &&
		   (int)WEIR_SCENARIO_GILBERT_ELLIOTT == WEIR_LOSS_GILBERT_ELLIOTT,
	       "the scenario's enums are the links' enums");

static struct weir_impair_config impair_of(const struct weir_scenario_impair *i)
{
	return (struct weir_impair_config){
	    .loss = {.model = (enum weir_loss_model)i->loss.model,
		     .p = i->loss.p,
		     .period_packets = i->loss.period_packets,
		     .p_good_to_bad = i->loss.good_to_bad,
		     .p_bad_to_good = i->loss.bad_to_good,
		     .p_loss_good = i->loss.loss_good,
		     .p_loss_bad = i->loss.loss_bad},
	    .duplicate_p = i->duplicate_p,
	    .reorder_p = i->reorder_p,
	    .reorder_delay_ns = i->reorder_delay_ns,
	    .jitter_ns = i->jitter_ns,
	    .jitter_reorders = i->jitter_reorders,
	};
}

static struct weir_queue_config queue_of(const struct weir_scenario *s, u32 hop, const u64 *mean_bps)
{
	const struct weir_scenario_aqm *a = &s->hops[hop].aqm;
	struct weir_buffer_limit limit = weir_buffer_resolve(s, hop, &s->hops[hop].buffer, mean_bps);
	struct weir_queue_config q = {
	    .limit_bytes = limit.bytes,
	    .limit_packets = limit.packets,
	    .aqm = (enum weir_aqm_kind)a->kind,
	    .ecn = a->ecn,
	    .red_max_p = a->red_max_p,
	    .red_weight = a->red_weight,
	    .target_ns = a->target_ns,
	    .interval_ns = a->interval_ns,
	    .fq_flows = (u32)a->fq_flows,
	    .fq_quantum_bytes = a->fq_quantum_bytes,
	};
	if (q.aqm == WEIR_AQM_RED) {
		q.red_min_bytes = weir_buffer_red_bytes(s, hop, &a->red_min, mean_bps);
		q.red_max_bytes = weir_buffer_red_bytes(s, hop, &a->red_max, mean_bps);
	}
	return q;
}

struct weir_hop_config weir_hop_of(const struct weir_scenario *s, u32 hop, const struct weir_traces *traces,
				   const u64 *mean_bps)
{
	const struct weir_scenario_hop *h = &s->hops[hop];
	struct weir_hop_config c = {
	    .name = h->name,
	    .rate = {.kind = (enum weir_rate_kind)h->rate_kind,
		     .bps = h->rate_bps,
		     .walk_min_bps = h->walk_min_bps,
		     .walk_max_bps = h->walk_max_bps,
		     .walk_step_ns = h->walk_step_ns,
		     .walk_sigma = h->walk_sigma,
		     .exponential = h->service == WEIR_SCENARIO_EXPONENTIAL},
	    .queue = queue_of(s, hop, mean_bps),
	    .before = impair_of(&h->before),
	    .after = impair_of(&h->after),
	    .policer_bps = h->policer_bps,
	    .policer_burst_bytes = h->policer_burst_bytes,
	    .aggregate_ns = h->aggregate_ns,
	    .delay_ns = h->delay_ns,
	};
	if (h->rate_kind == WEIR_SCENARIO_TRACE)
		c.rate.trace = weir_traces_find(traces, h->trace)->trace;
	return c;
}

struct weir_hop_config weir_hop_way_back(const struct weir_scenario_path *p, char name[WEIR_HOP_NAME_BYTES])
{
	snprintf(name, WEIR_HOP_NAME_BYTES, "%.80s.back", p->name);
	return (struct weir_hop_config){.name = name, .delay_ns = p->back_delay_ns};
}

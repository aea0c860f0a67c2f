/* SPDX-License-Identifier: MIT */
/* Flows whose sender is the historic one: what differs is how they begin and what can be read of them. */
#include "state.h"

#include <stdlib.h>

bool weir_sim_historic_add(struct weir_sim_flow *f, const struct weir_bsd43_config *c)
{
	f->sender.historic = malloc(sizeof *f->sender.historic);
	if (f->sender.historic)
		*f->sender.historic = (struct weir_bsd43){.config = *c};
	return f->sender.historic;
}

void weir_sim_historic_totals(const struct weir_sim_flow *f, struct weir_flow_totals *t)
{
	const struct weir_bsd43 *s = f->sender.historic;
	t->delivered_bytes = f->receiver.next - s->first_sequence;
	t->sent_packets = s->sent_packets;
	t->sent_wire_bytes = s->sent_bytes + s->sent_packets * f->header_bytes;
	t->retransmitted_packets = s->retransmitted_packets;
	t->timeouts = s->timeouts;
	t->recoveries = s->fast_retransmissions;
	t->spurious = s->spurious;
}

void weir_sim_historic_now(const struct weir_sim_flow *f, struct weir_flow_now *n)
{
	const struct weir_bsd43 *s = f->sender.historic;
	*n = (struct weir_flow_now){
	    .cwnd_bytes = weir_bsd43_window(s),
	    .inflight_bytes = s->nxt - s->una,
	    .srtt_ns = weir_bsd43_mean_ns(s),
	    .min_rtt_ns = s->min_rtt_ns,
	    .latest_rtt_ns = s->latest_rtt_ns,
	    .rto_ns = s->rto_ticks * WEIR_BSD43_TICK_NS,
	    .app_limited = s->nxt == s->app_end,
	    .in_recovery = s->nxt < s->max,
	    .done = weir_bsd43_done(s) && (f->stopped || s->dropped || (f->app && f->app->app.closed)),
	    .n_signals = WEIR_BSD43_SIGNALS,
	};
	weir_bsd43_probe(s, n->signal);
}

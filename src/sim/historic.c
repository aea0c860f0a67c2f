/* SPDX-License-Identifier: MIT */
/* Flows whose sender is the historic endpoint. They take the same packets, timers and receiver; only who is
 * asked for the next segment differs. */
#include "state.h"

#include <stdlib.h>

bool weir_sim_historic_add(struct weir_sim_flow *f, const struct weir_bsd43_config *c)
{
	f->bsd43 = malloc(sizeof *f->bsd43);
	f->historic = f->bsd43 != NULL;
	if (f->bsd43)
		*f->bsd43 = (struct weir_bsd43){.config = *c};
	return f->historic;
}

void weir_sim_historic_start(struct weir_world *w, struct weir_sim_flow *f)
{
	const struct weir_bsd43_config config = f->bsd43->config;
	weir_bsd43_init(f->bsd43, w->endpoints[f->endpoint], &config, w->now_ns);
}

void weir_sim_historic_send_all(struct weir_world *w, struct weir_sim_flow *f)
{
	struct weir_segment s;
	while (weir_bsd43_poll(f->bsd43, w->now_ns, &s))
		weir_sim_send_segment(w, f, &s);
	weir_sim_arm(w, &f->sender_armed_ns, weir_bsd43_next_ns(f->bsd43), WEIR_TIMER_SENDER, f->number);
}

u64 weir_sim_historic_ack(struct weir_world *w, struct weir_sim_flow *f, const struct weir_ack_segment *ack)
{
	u64 rtt_ns = weir_bsd43_on_ack(f->bsd43, w->now_ns, ack);
	weir_sim_historic_send_all(w, f);
	return rtt_ns;
}

void weir_sim_historic_due(struct weir_world *w, struct weir_sim_flow *f)
{
	weir_bsd43_on_timer(f->bsd43, w->now_ns);
	weir_sim_historic_send_all(w, f);
}

void weir_sim_historic_totals(const struct weir_sim_flow *f, struct weir_flow_totals *t)
{
	const struct weir_bsd43 *s = f->bsd43;
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
	const struct weir_bsd43 *s = f->bsd43;
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

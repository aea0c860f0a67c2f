/* SPDX-License-Identifier: MIT */
/* Reading a world: nothing here changes what happens next. */
#include "state.h"

u64 weir_world_now_ns(const struct weir_world *w)
{
	return w->now_ns;
}

u64 weir_world_events(const struct weir_world *w)
{
	return w->events;
}

u32 weir_world_n_flows(const struct weir_world *w)
{
	return w->n_flows;
}

u32 weir_world_n_hops(const struct weir_world *w)
{
	return w->n_hops;
}

void weir_world_flow_totals(const struct weir_world *w, u32 flow, struct weir_flow_totals *t)
{
	const struct weir_sim_flow *f = &w->flows[flow];
	const struct weir_sender *s = &f->sender;
	*t = (struct weir_flow_totals){
	    .received_wire_bytes = f->received_wire_bytes,
	    .lost_packets = f->lost_packets,
	    .ce_packets = f->ce_packets,
	};
	if (!f->started)
		return;
	if (s->historic) {
		weir_sim_historic_totals(f, t);
		return;
	}
	if (!s->cc) {
		t->delivered_bytes = f->app->datagram_received_bytes;
		t->sent_wire_bytes = f->app->datagram_sent_bytes;
		t->sent_packets = f->app->datagrams;
		return;
	}
	t->delivered_bytes = f->receiver.next - s->config->first_sequence;
	t->sent_packets = s->sent_packets;
	t->sent_wire_bytes =
	    s->nxt - s->config->first_sequence + s->retransmitted_bytes + s->sent_packets * f->header_bytes;
	t->retransmitted_packets = s->retransmitted_packets;
	t->timeouts = s->timeouts;
	t->recoveries = s->recoveries;
	t->spurious = s->spurious;
}

void weir_world_flow_now(const struct weir_world *w, u32 flow, struct weir_flow_now *n)
{
	const struct weir_sim_flow *f = &w->flows[flow];
	const struct weir_sender *s = &f->sender;
	*n = (struct weir_flow_now){.done = f->stopped};
	if (f->started && s->historic)
		weir_sim_historic_now(f, n);
	if (f->started && weir_sim_is_acp(f))
		weir_sim_acp_now(f, n);
	if (!f->started || !s->cc)
		return;
	*n = (struct weir_flow_now){
	    .cwnd_bytes = s->cwnd_bytes,
	    .pacing_Bps = s->pacing_Bps,
	    .inflight_bytes = s->pipe_bytes,
	    .srtt_ns = s->rtt.srtt_ns,
	    .min_rtt_ns = s->rtt.min_ns,
	    .latest_rtt_ns = s->rtt.latest_ns,
	    .rto_ns = weir_rtt_rto_ns(&s->rtt, s->config->rto_min_ns, s->config->rto_max_ns),
	    .app_limited = s->app_limited_to_ns == WEIR_NEVER,
	    .in_recovery = s->state != WEIR_SENDER_OPEN,
	    .done = weir_sender_done(s) && (f->stopped || (f->app && f->app->app.closed)),
	    .n_signals = s->cc->n_signals,
	};
	if (s->cc->n_signals)
		s->cc->probe(s->cc_state, n->signal);
}

bool weir_world_flow_video(const struct weir_world *w, u32 flow, struct weir_video *v)
{
	const struct weir_sim_flow *f = &w->flows[flow];
	if (!f->started || !f->app || f->app->app.config.kind != WEIR_APP_VIDEO)
		return false;
	*v = f->app->app.video;
	weir_video_advance(v, weir_min(w->now_ns, f->app->app.stop_ns));
	return true;
}

const struct weir_link_stats *weir_world_hop_stats(struct weir_world *w, u32 hop, u64 *waiting_bytes)
{
	struct weir_link *link = w->hops[hop].link;
	u64 packets, bytes;
	link->ops->settle(link, w->now_ns);
	link->ops->held(link, w->now_ns, &packets, &bytes, waiting_bytes);
	return &link->stats;
}

const struct weir_completion *weir_world_completions(const struct weir_world *w, u64 *n)
{
	*n = w->n_completions;
	return w->completions;
}

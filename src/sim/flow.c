/* SPDX-License-Identifier: MIT */
/* The two ends of a flow: what they do with what arrives, and how their packets enter the path. */
#include "state.h"
#include "transport/steady.h"

static inline __attribute__((always_inline)) void
push_toward(struct weir_world *w, const struct weir_sim_flow *f, bool backward, const struct weir_packet *p)
{
	weir_sim_push(w, f->first_hop[backward], p);
}

static void tap_send(struct weir_world *w, u32 flow, bool is_ack, u64 seq, u64 ack,
		     const struct weir_packet *p)
{
	if (w->taps.on_send)
		w->taps.on_send(w->taps.ctx, w->now_ns, flow, is_ack, seq, ack, p->bytes,
				!is_ack && p->flags >> WEIR_SIM_ATTEMPT_SHIFT);
}

/* Somebody looks at each packet. */
static __attribute__((noinline)) void watch_segment(struct weir_world *w, struct weir_sim_flow *f,
						    const struct weir_segment *s, const struct weir_packet *p)
{
	if (weir_sim_age_of(f) && !s->attempt)
		weir_sim_age_sent(w, f, s->seq + s->bytes);
	tap_send(w, f->number, false, s->seq, f->receiver.next, p);
}

static inline void send_segment(struct weir_world *w, struct weir_sim_flow *f, const struct weir_segment *s)
{
	u32 flow = f->number, wire_bytes = s->bytes + f->header_bytes;
	struct weir_packet p = {.ref = (u32)s->seq,
				.flow = flow,
				.bytes = (u16)wire_bytes,
				.ecn = s->ect ? WEIR_ECN_ECT0 : WEIR_ECN_NOT_ECT,
				.flags = (u8)(s->attempt << WEIR_SIM_ATTEMPT_SHIFT)};
	if (__builtin_expect(w->tapped, 0))
		watch_segment(w, f, s, &p);
	push_toward(w, f, false, &p);
}

/* Sends all that may leave now, and arms the sender's timer. */
void weir_sim_send_all(struct weir_world *w, struct weir_sim_flow *f)
{
	struct weir_segment s;
	while (weir_sender_poll(&f->sender, w->now_ns, &s))
		send_segment(w, f, &s);
	w->failed |= f->sender.failed;
	weir_sim_arm(w, &f->sender_armed_ns, weir_sender_next_ns(&f->sender), WEIR_TIMER_SENDER, f->number);
}

static bool start_sender(struct weir_world *w, struct weir_sim_flow *f,
			 const struct weir_endpoint_config *endpoint)
{
	struct weir_bsd43 *historic = f->sender.historic;
	if (!historic)
		return weir_sender_init(&f->sender, endpoint, f->sender.cc, f->sender.params, w->now_ns);
	const struct weir_bsd43_config config = historic->config;
	weir_bsd43_init(historic, endpoint, &config, w->now_ns);
	weir_sender_stand_in(&f->sender, endpoint, historic);
	return true;
}

void weir_sim_start(struct weir_world *w, u32 flow)
{
	struct weir_sim_flow *f = &w->flows[flow];
	if (f->stopped) /* before it began */
		return;
	f->started = true;
	if (weir_sim_is_stream(f)) {
		struct weir_endpoint_config *endpoint = w->endpoints[f->endpoint];
		weir_receiver_init(&f->receiver, endpoint);
		if (!start_sender(w, f, endpoint)) {
			w->failed = true;
			return;
		}
	}
	if (weir_sim_age_of(f))
		weir_sim_age_start(w, f);
	if (f->app) {
		weir_sim_app_start(w, flow);
		if (weir_sim_is_acp(f))
			weir_sim_acp_start(w, f);
	} else {
		weir_sender_written(&f->sender, WEIR_NEVER);
		weir_sim_send_all(w, f);
	}
}

void weir_sim_stop(struct weir_world *w, u32 flow)
{
	struct weir_sim_flow *f = &w->flows[flow];
	f->stopped = true;
	if (!f->started)
		return;
	u64 sent_bytes = weir_sim_sent_bytes(f);
	if (weir_sim_age_of(f))
		weir_sim_age_end(w, f);
	if (f->app) {
		weir_app_stop(&f->app->app, w->now_ns, sent_bytes);
		f->app->request_ns = WEIR_NEVER;
	}
	if (weir_sim_is_stream(f))
		weir_sender_written(&f->sender, sent_bytes);
}

static void send_ack(struct weir_world *w, struct weir_sim_flow *f, const struct weir_ack_segment *ack)
{
	u32 flow = f->number;
	u32 flags =
	    WEIR_SIM_ACK | (ack->ce ? WEIR_SIM_CE_ECHO : 0U) | (u32)ack->attempt << WEIR_SIM_ATTEMPT_SHIFT;
	struct weir_packet p = {.ref = ack->ack | (u64)ack->window << 32,
				.flow = flow,
				.bytes = f->header_bytes,
				.flags = (u8)flags};
	if (ack->n_sack) {
		p.ext = weir_sim_sack_put(w, ack);
		p.bytes = (u16)(p.bytes + 4 + 8 * ack->n_sack); /* the option and its padding */
	}
	if (__builtin_expect(w->tapped, 0))
		tap_send(w, flow, true, weir_sim_sent_seq(f), f->receiver.next, &p);
	push_toward(w, f, true, &p);
}

static void acknowledge(struct weir_world *w, struct weir_sim_flow *f)
{
	struct weir_ack_segment ack;
	weir_receiver_ack(&f->receiver, &ack);
	send_ack(w, f, &ack);
}

static enum weir_receive_verdict receive_any(struct weir_world *w, struct weir_sim_flow *f,
					     const struct weir_packet *p)
{
	struct weir_ack_segment flushed;
	bool flush;
	enum weir_receive_verdict verdict = weir_receiver_on_data(
	    &f->receiver, w->now_ns, (u32)p->ref, p->bytes - (u32)f->header_bytes,
	    p->flags >> WEIR_SIM_ATTEMPT_SHIFT, p->ecn == WEIR_ECN_CE, &flush, &flushed);
	if (flush)
		send_ack(w, f, &flushed);
	w->failed |= f->receiver.failed;
	return verdict;
}

static inline void receive_data(struct weir_world *w, struct weir_sim_flow *f, const struct weir_packet *p)
{
	bool ce = p->ecn == WEIR_ECN_CE;
	u64 next_before = f->receiver.next;
	enum weir_receive_verdict verdict;
	if (__builtin_expect(ce, 0))
		f->ce_packets++;
	if (!weir_receiver_in_order(&f->receiver, w->now_ns, (u32)p->ref, p->bytes - (u32)f->header_bytes,
				    p->flags >> WEIR_SIM_ATTEMPT_SHIFT, ce, &verdict))
		verdict = receive_any(w, f, p);
	if (verdict == WEIR_RECEIVE_ACK)
		acknowledge(w, f);
	else
		weir_sim_arm(w, &f->receiver_armed_ns, f->receiver.delayed_ns, WEIR_TIMER_RECEIVER,
			     f->number);
	if (!f->app || f->receiver.next == next_before)
		return;
	weir_sim_app_delivered(w, f->number);
	if (f->fin && f->app->completed && f->receiver.pending_bytes)
		acknowledge(w, f);
}

static void receive_datagram(struct weir_world *w, struct weir_sim_flow *f, const struct weir_packet *p)
{
	f->ce_packets += p->ecn == WEIR_ECN_CE;
	if (weir_sim_is_acp(f)) {
		weir_sim_acp_arrives(w, f, p);
		return;
	}
	f->app->datagram_received_bytes += weir_sub(p->bytes, f->header_bytes);
	if (f->app->age)
		weir_sim_age_datagram(w, f->app->age, p->ref);
}

/* Somebody looks at each packet. */
static __attribute__((noinline)) void watch_ack(struct weir_world *w, struct weir_sim_flow *f, u64 rtt_ns)
{
	if (rtt_ns && weir_sim_age_of(f))
		weir_sim_age_acked(w, f, rtt_ns);
	if (!w->taps.on_ack_done)
		return;
	struct weir_flow_now now;
	weir_world_flow_now(w, f->number, &now);
	w->taps.on_ack_done(w->taps.ctx, w->now_ns, f->number, &now);
}

static inline void receive_ack(struct weir_world *w, struct weir_sim_flow *f, const struct weir_packet *p)
{
	struct weir_ack_segment ack;
	ack.ack = (u32)p->ref;
	ack.window = (u32)(p->ref >> 32);
	ack.n_sack = 0;
	ack.attempt = p->flags >> WEIR_SIM_ATTEMPT_SHIFT;
	ack.ce = p->flags & WEIR_SIM_CE_ECHO;
	if (p->ext) {
		weir_sim_sack_get(w, p->ext, &ack);
		weir_slips_drop(&w->sacks, p->ext);
	}
	u64 rtt_ns = weir_sender_on_ack(&f->sender, w->now_ns, &ack);
	if (rtt_ns && f->rtt_ns)
		weir_hist_add(f->rtt_ns, rtt_ns);
	weir_sim_send_all(w, f);
	if (__builtin_expect(w->tapped, 0))
		watch_ack(w, f, rtt_ns);
}

static void tap_receive(struct weir_world *w, const struct weir_packet *p)
{
	const struct weir_sim_flow *f = &w->flows[p->flow];
	bool is_ack = p->flags & WEIR_SIM_BACKWARD;
	if (!w->taps.on_receive)
		return;
	u64 seq = is_ack ? weir_sim_sent_seq(f) : weir_seq_expand((u32)p->ref, f->receiver.next);
	u64 ack = is_ack ? weir_seq_expand((u32)p->ref, weir_sim_acked_seq(f)) : f->receiver.next;
	w->taps.on_receive(w->taps.ctx, w->now_ns, p->flow, is_ack, seq, ack, p->bytes);
}

/* A packet has left its last hop. */
void weir_sim_arrive(struct weir_world *w, const struct weir_packet *p)
{
	struct weir_sim_flow *f = &w->flows[p->flow];
	if (__builtin_expect(w->tapped, 0))
		tap_receive(w, p);
	if (p->flags & WEIR_SIM_ACK) {
		receive_ack(w, f, p);
		return;
	}
	if (p->flags & WEIR_SIM_REQUEST) {
		if (p->flags & WEIR_SIM_DATAGRAM)
			weir_sim_acp_arrives(w, f, p);
		else
			weir_sim_request_arrives(w, p->flow, p->ref);
		return;
	}
	f->received_wire_bytes += p->bytes;
	if (f->queue_ns)
		weir_hist_add(f->queue_ns, weir_packet_wait_ns(p));
	if (p->flags & WEIR_SIM_DATAGRAM)
		receive_datagram(w, f, p);
	else
		receive_data(w, f, p);
}

void weir_sim_sender_due(struct weir_world *w, u32 flow)
{
	struct weir_sim_flow *f = &w->flows[flow];
	if (!weir_sim_is_stream(f)) {
		weir_sim_acp_due(w, f);
		return;
	}
	if (weir_sender_next_ns(&f->sender) <= w->now_ns)
		weir_sender_on_timer(&f->sender, w->now_ns);
	weir_sim_send_all(w, f);
}

void weir_sim_receiver_due(struct weir_world *w, u32 flow)
{
	struct weir_sim_flow *f = &w->flows[flow];
	if (f->receiver.delayed_ns > w->now_ns) {
		weir_sim_arm(w, &f->receiver_armed_ns, f->receiver.delayed_ns, WEIR_TIMER_RECEIVER, flow);
		return;
	}
	acknowledge(w, f);
}

/* SPDX-License-Identifier: MIT */
/* The steady state, inline: nothing lost, nothing reported out of order, no pacing, more to send than the
 * window takes. Almost every packet of a long transfer goes this way; whatever is not plain falls through
 * to the full functions, which give the same result for these cases too (a test holds them together).
 *
 * These are the two doors of a sender: call weir_sender_poll and weir_sender_on_ack from here. */
#ifndef WEIR_TRANSPORT_STEADY_H
#define WEIR_TRANSPORT_STEADY_H

#include "control.h"
#include "timer.h"

/* The next segment that may leave now; false when window, pacing or the application say no. */
static inline bool weir_sender_poll(struct weir_sender *s, u64 now_ns, struct weir_segment *out)
{
	u64 end_seq = s->nxt + s->mss_bytes;
	if (!s->steady || end_seq > s->app_end || end_seq > s->edge ||
	    weir_slots_count(&s->slots) == s->slots.capacity)
		return weir_sender_poll_any(s, now_ns, out);
	if (s->pipe_bytes + s->mss_bytes > s->cwnd_bytes) {
		s->limited_now = true;
		return false;
	}
	*weir_slots_get(&s->slots, s->slots.tail++) =
	    (struct weir_slot){.sent_low = now_ns & WEIR_SLOT_TIME_MASK, .bytes = s->mss_bytes & 0xffff};
	*out = (struct weir_segment){.seq = s->nxt, .bytes = s->mss_bytes, .ect = s->ect};
	s->nxt = end_seq;
	s->pipe_bytes += s->mss_bytes;
	s->sent_packets++;
	s->last_send_ns = now_ns;
	return true;
}

/* Takes what an ACK in sequence acknowledges; false, with nothing changed, if there is more to it. */
static inline bool weir_steady_advance(struct weir_sender *s, u64 now_ns, u64 ack, u64 *sent_ns)
{
	u64 una = s->una;
	u32 head = s->slots.head;
	const struct weir_slot *slot;
	do {
		slot = weir_slots_get(&s->slots, head++);
		una += slot->bytes;
		if (slot->attempts)
			return false;
	} while (una < ack);
	if (una != ack)
		return false;
	*sent_ns = weir_slot_sent_ns(slot, now_ns);
	s->slots.head = head;
	return true;
}

/* RTT sample in ns of this ACK, 0 when it gave none. Anything that a peer can send is safe. */
static inline u64 weir_sender_on_ack(struct weir_sender *s, u64 now_ns, const struct weir_ack_segment *in)
{
	u64 ack = weir_seq_expand(in->ack, s->una), una_before = s->una, sent_ns;
	if (!s->steady || in->n_sack || in->ce || ack <= una_before || ack >= s->nxt ||
	    !weir_steady_advance(s, now_ns, ack, &sent_ns))
		return weir_sender_on_ack_any(s, now_ns, in);

	u64 acked_bytes = ack - una_before, rtt_ns = weir_max(now_ns - sent_ns, WEIR_RTT_FLOOR_NS);
	s->una = ack;
	s->edge = weir_max(s->edge, ack + ((u64)in->window << WEIR_WINDOW_SHIFT));
	s->pipe_bytes -= acked_bytes;
	s->delivered_bytes += acked_bytes;
	s->last_ack_ns = now_ns;
	s->rack.sent_ns = sent_ns;
	s->rack.rtt_ns = now_ns - sent_ns;
	s->rack.end_seq = s->rack.fack_seq = ack;
	weir_rtt_sample(&s->rtt, now_ns, rtt_ns);
	u32 flags = sent_ns < s->round_start_ns ? 0 : weir_round_start(s, now_ns);
	flags |= weir_control_limit(s, now_ns, sent_ns);
	struct weir_ack event = {.acked_bytes = acked_bytes, .rtt_ns = rtt_ns};
	weir_control_ack(s, now_ns, flags, &event);
	weir_timer_restart(s, now_ns);
	return rtt_ns;
}

#endif

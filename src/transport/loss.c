/* SPDX-License-Identifier: MIT */
/* Which segments are lost (RFC 8985 with RFC 6675's threshold), and which goes again first. */
#include "loss.h"

#include <string.h>

/* RFC 8985 section 6.2 step 2: a retransmission that seems to return faster than any RTT was its
 * original, so it says nothing. */
void weir_rack_update(struct weir_sender *s, u64 now_ns, const struct weir_slot *slot, u64 end_seq)
{
	u64 sent_ns = weir_slot_sent_ns(slot, now_ns), rtt_ns = now_ns - sent_ns;
	if (slot->attempts && rtt_ns < s->rtt.min_ns)
		return;
	if (sent_ns < s->rack.sent_ns || (sent_ns == s->rack.sent_ns && end_seq < s->rack.end_seq))
		return;
	s->rack.sent_ns = sent_ns;
	s->rack.end_seq = end_seq;
	s->rack.rtt_ns = rtt_ns;
}

/* A duplicate means that the window was too narrow; at most one step a round (section 6.2 step 4). */
void weir_rack_dsack(struct weir_sender *s)
{
	if (s->una < s->rack.dsack_round_end_seq)
		return;
	s->rack.dsack_round_end_seq = s->nxt;
	if (s->rack.reorder_mult < 255)
		s->rack.reorder_mult++;
	s->rack.persist = 16;
}

static u64 reorder_window_ns(const struct weir_sender *s)
{
	if (!s->rack.reordering_seen &&
	    (s->state != WEIR_SENDER_OPEN || s->sacked_segments >= WEIR_DUP_THRESHOLD))
		return 0;
	return weir_min(s->rtt.min_ns / 4 * s->rack.reorder_mult, s->rtt.srtt_ns);
}

void weir_loss_mark(struct weir_sender *s, u64 now_ns, u32 slot_number, struct weir_progress *p)
{
	struct weir_slot *slot = weir_slots_get(&s->slots, slot_number);
	if (slot->lost || slot->sacked)
		return;
	slot->lost = 1;
	s->pipe_bytes -= slot->bytes;
	s->lost_bytes += slot->bytes;
	p->lost_bytes += slot->bytes;
	p->lost_sent_ns = weir_max(p->lost_sent_ns, weir_slot_sent_ns(slot, now_ns));
	p->lost_seq = weir_max(p->lost_seq, weir_slots_seq(&s->slots, slot_number, s->una, s->mss_bytes));
}

enum judgement { JUDGED_LOST, JUDGED_LATER, JUDGED_NOT_YET };

static enum judgement judge(struct weir_sender *s, u32 number, u64 now_ns, u64 window_ns)
{
	const struct weir_slot *slot = weir_slots_get(&s->slots, number);
	u64 end_seq = weir_slots_seq(&s->slots, number, s->una, s->mss_bytes) + slot->bytes;
	u64 sent_ns = weir_slot_sent_ns(slot, now_ns);
	/* At equal times originals left in order; of a retransmission nobody knows. */
	bool later_in_burst = slot->attempts || end_seq >= s->rack.end_seq;
	if (sent_ns > s->rack.sent_ns || (sent_ns == s->rack.sent_ns && later_in_burst))
		return JUDGED_LATER;
	u64 due_ns = sent_ns + s->rack.rtt_ns + window_ns;
	if (due_ns <= now_ns)
		return JUDGED_LOST;
	s->rack.reorder_deadline_ns = weir_min(s->rack.reorder_deadline_ns, due_ns);
	return JUDGED_NOT_YET;
}

static void judge_originals(struct weir_sender *s, u64 now_ns, u64 window_ns, struct weir_progress *p)
{
	for (; s->rack.mark != s->slots.tail; s->rack.mark++) {
		const struct weir_slot *slot = weir_slots_get(&s->slots, s->rack.mark);
		if (slot->attempts || slot->sacked || slot->lost)
			continue;
		if (judge(s, s->rack.mark, now_ns, window_ns) != JUDGED_LOST)
			return;
		weir_loss_mark(s, now_ns, s->rack.mark, p);
	}
}

static void judge_retransmissions(struct weir_sender *s, u64 now_ns, u64 window_ns, struct weir_progress *p)
{
	for (; !weir_slot_queue_empty(&s->retransmitted); s->retransmitted.head++) {
		u32 number = weir_slot_queue_first(&s->retransmitted);
		const struct weir_slot *slot = weir_slots_get(&s->slots, number);
		if (!weir_slots_hold(&s->slots, number) || slot->sacked || slot->lost)
			continue;
		if (judge(s, number, now_ns, window_ns) != JUDGED_LOST)
			return;
		weir_loss_mark(s, now_ns, number, p);
		if (!weir_slot_queue_push(&s->relost, number, s->config->pool))
			s->failed = true;
	}
}

/* Marks what is lost by now; returns the bytes newly lost. Each segment is judged once for each of its
 * transmissions: originals lie in the order of sending, retransmissions in a queue of theirs. */
u64 weir_loss_detect(struct weir_sender *s, u64 now_ns, struct weir_progress *p)
{
	u64 window_ns = reorder_window_ns(s), before_bytes = p->lost_bytes;
	s->rack.reorder_deadline_ns = WEIR_NEVER;
	judge_originals(s, now_ns, window_ns, p);
	judge_retransmissions(s, now_ns, window_ns, p);
	return p->lost_bytes - before_bytes;
}

/* After a timeout everything that was not reported as received counts as lost (RFC 6675 section 5.1). */
void weir_loss_mark_all(struct weir_sender *s, u64 now_ns)
{
	struct weir_progress ignored;
	memset(&ignored, 0, sizeof ignored);
	for (u32 n = s->slots.head; n != s->slots.tail; n++)
		weir_loss_mark(s, now_ns, n, &ignored);
	s->rack.mark = s->slots.tail;
	s->rack.reorder_deadline_ns = WEIR_NEVER;
	s->lost_hand = s->slots.head;
	s->retransmitted.head = s->retransmitted.tail;
	s->relost.head = s->relost.tail;
}

static bool is_lost(const struct weir_sender *s, u32 number)
{
	return weir_slots_hold(&s->slots, number) && weir_slots_get(&s->slots, number)->lost;
}

/* The segment to send again: retransmissions that were lost themselves first, being the oldest holes, then
 * first losses in order. */
bool weir_loss_next(struct weir_sender *s, u32 *slot_number)
{
	for (; !weir_slot_queue_empty(&s->relost); s->relost.head++) {
		*slot_number = weir_slot_queue_first(&s->relost);
		if (is_lost(s, *slot_number))
			return true;
	}
	for (; s->lost_hand != s->slots.tail; s->lost_hand++) {
		*slot_number = s->lost_hand;
		if (is_lost(s, *slot_number))
			return true;
	}
	return false;
}

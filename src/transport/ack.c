/* SPDX-License-Identifier: MIT */
/* The way in: what one acknowledgement says, and in which order its consequences come. */
#include "control.h"
#include "loss.h"
#include "stand_in.h"

/* One segment is newly known to have arrived. */
static inline void deliver(struct weir_sender *s, u64 now_ns, u32 number, struct weir_slot *slot, u64 end_seq,
			   struct weir_progress *p)
{
	u64 sent_ns = weir_slot_sent_ns(slot, now_ns);
	if (slot->lost) {
		s->lost_bytes -= slot->bytes;
		slot->lost = 0;
	} else {
		s->pipe_bytes -= slot->bytes;
	}
	s->delivered_bytes += slot->bytes;
	p->acked_bytes += slot->bytes;
	p->any = true;
	if (sent_ns >= p->newest_sent_ns) {
		p->newest_sent_ns = sent_ns;
		p->newest_slot = number;
	}
	if (slot->attempts == p->echo_attempt)
		p->echo_sent_ns = weir_max(p->echo_sent_ns, sent_ns);
	if (s->undo.first_attempt && number == s->undo.first_slot) {
		p->original_arrived = p->echo_attempt < s->undo.first_attempt;
		s->undo.first_attempt = 0;
	}
	if (slot->attempts == 0) {
		/* Karn: a sample only from what was sent once; of several, the latest sent. */
		u64 rtt_ns = now_ns - sent_ns;
		rtt_ns = weir_max(rtt_ns, WEIR_RTT_FLOOR_NS);
		p->rtt_ns = p->rtt_ns && p->rtt_ns < rtt_ns ? p->rtt_ns : rtt_ns;
		if (end_seq < s->rack.fack_seq)
			s->rack.reordering_seen = true;
	}
	s->rack.fack_seq = weir_max(s->rack.fack_seq, end_seq);
	weir_rack_update(s, now_ns, slot, end_seq);
}

static void take_cumulative(struct weir_sender *s, u64 now_ns, u64 ack, struct weir_progress *p)
{
	u64 una_before = s->una;
	bool sent_again = false;
	while (s->una < ack) {
		struct weir_slot *slot = weir_slots_get(&s->slots, s->slots.head);
		u64 end_seq = s->una + slot->bytes;
		if (end_seq > ack) /* a receiver that cuts segments: what is left of it stays */
			break;
		if (slot->sacked) {
			s->sacked_bytes -= slot->bytes;
			s->sacked_segments--;
		} else {
			deliver(s, now_ns, s->slots.head, slot, end_seq, p);
		}
		sent_again |= slot->attempts > 0;
		s->una = end_seq;
		s->slots.head++;
	}
	if (sent_again) /* what came after the hole may have waited for it: that is no round trip */
		p->rtt_ns = 0;
	p->una_moved = s->una > una_before;
}

/* The scoreboard's head overtakes its other hands, here and in the short way of steady.h: there by any
 * distance, up to and beyond the wrap of the numbers. */
static void follow_head(struct weir_sender *s)
{
	if (s->rack.mark != s->slots.tail && !weir_slots_hold(&s->slots, s->rack.mark))
		s->rack.mark = s->slots.head;
	if (s->lost_hand != s->slots.tail && !weir_slots_hold(&s->slots, s->lost_hand))
		s->lost_hand = s->slots.head;
}

/* Marks every segment that lies wholly in [start, end). */
static void take_sacked_run(struct weir_sender *s, u64 now_ns, u64 start, u64 end, struct weir_progress *p)
{
	u32 number = weir_slots_find(&s->slots, start, s->una, s->mss_bytes);
	for (; number != s->slots.tail; number++) {
		struct weir_slot *slot = weir_slots_get(&s->slots, number);
		u64 slot_start = weir_slots_seq(&s->slots, number, s->una, s->mss_bytes);
		u64 slot_end = slot_start + slot->bytes;
		if (slot_end > end)
			return;
		if (slot_start < start || slot->sacked)
			continue;
		deliver(s, now_ns, number, slot, slot_end, p);
		slot->sacked = 1;
		s->sacked_bytes += slot->bytes;
		s->sacked_segments++;
	}
}

/* Blocks repeat from ACK to ACK and may span a whole window: only what no block of the last ACK covered is
 * walked, so that the work is that of the news. */
static void take_block(struct weir_sender *s, u64 now_ns, u64 start, u64 end, struct weir_progress *p)
{
	u64 cursor = weir_max(start, s->una);
	end = weir_min(end, s->nxt);
	while (cursor < end) {
		u64 stop = end;
		bool known = false;
		for (u32 i = 0; i < WEIR_SACK_BLOCKS; i++) {
			u64 seen_start = weir_seq_expand(s->seen[i].start, s->una);
			u64 seen_end = weir_seq_expand(s->seen[i].end, s->una);
			if (seen_start <= cursor && cursor < seen_end) {
				cursor = seen_end;
				known = true;
				break;
			}
			if (seen_start > cursor && seen_start < stop && seen_start < seen_end)
				stop = seen_start;
		}
		if (known)
			continue;
		take_sacked_run(s, now_ns, cursor, stop, p);
		cursor = stop;
	}
}

static bool is_duplicate_report(const struct weir_ack_segment *in, u64 ack, u64 start, u64 end)
{
	if (end <= ack)
		return true;
	if (in->n_sack < 2)
		return false;
	u64 next_start = weir_seq_expand(in->sack[1].start, ack),
	    next_end = weir_seq_expand(in->sack[1].end, ack);
	return next_start <= start && end <= next_end;
}

static void take_sack(struct weir_sender *s, u64 now_ns, u64 ack, const struct weir_ack_segment *in,
		      struct weir_progress *p)
{
	struct weir_sack_block news[WEIR_SACK_BLOCKS] = {{0, 0}};
	u32 n = in->n_sack < WEIR_SACK_BLOCKS ? in->n_sack : WEIR_SACK_BLOCKS, n_news = 0;
	for (u32 i = 0; i < n; i++) {
		u64 start = weir_seq_expand(in->sack[i].start, ack),
		    end = weir_seq_expand(in->sack[i].end, ack);
		if (start >= end)
			continue;
		if (i == 0 && is_duplicate_report(in, ack, start, end)) {
			p->dsack = true;
			if (start >= s->undo.start_seq && end <= s->recover_seq)
				s->undo.retransmitted_bytes =
				    weir_sub(s->undo.retransmitted_bytes, end - start);
			weir_rack_dsack(s);
			continue;
		}
		if (end > s->nxt) /* reports what was never sent */
			continue;
		take_block(s, now_ns, start, end, p);
		news[n_news++] = in->sack[i];
	}
	for (u32 i = 0; i < WEIR_SACK_BLOCKS; i++)
		s->seen[i] = news[i];
}

/* Without SACK each duplicate ACK stands for one segment that left the path (RFC 5681, RFC 3042). */
static void count_duplicates(struct weir_sender *s, u64 now_ns, u64 ack, const struct weir_ack_segment *in,
			     struct weir_progress *p)
{
	if (p->una_moved) {
		s->duplicate_acks = 0;
		if (s->state != WEIR_SENDER_RECOVERY) {
			s->inflation_bytes = 0;
		} else if (s->recovery == WEIR_RECOVERY_NEWRENO && s->una < s->recover_seq) {
			/* Partial ACK: the next hole is lost too; deflate by what left (RFC 6582
			 * section 3.2). */
			s->inflation_bytes = weir_sub(s->inflation_bytes, p->acked_bytes) + s->mss_bytes;
			weir_loss_mark(s, now_ns, s->slots.head, p);
			s->lost_hand = s->slots.head;
			s->force_retransmit = true;
			/* Only the first restarts the timer: many holes are not worth a round trip each. */
			p->keeps_timer = s->partial_acked;
			s->partial_acked = true;
		}
		return;
	}
	if (ack != s->una || s->nxt == s->una || s->state == WEIR_SENDER_LOSS)
		return;
	/* What the timer sent again without need comes back as duplicate ACKs that mean no loss. RFC 6582
	 * section 4 tells them by the time stamp, here the receiver says what it got twice. */
	if (s->una == s->recover_seq && in->n_sack && weir_seq_expand(in->sack[0].end, ack) <= ack)
		return;
	s->duplicate_acks++;
	s->inflation_bytes += s->mss_bytes;
	if (s->state == WEIR_SENDER_OPEN && s->duplicate_acks == WEIR_DUP_THRESHOLD &&
	    s->una >= s->recover_seq) {
		weir_loss_mark(s, now_ns, s->slots.head, p);
		s->lost_hand = s->slots.head;
		s->force_retransmit = true;
	}
}

u32 weir_round_start(struct weir_sender *s, u64 now_ns)
{
	if (!s->slots.rate && now_ns > s->round_start_ns)
		s->delivery_Bps = weir_muldiv(s->delivered_bytes - s->round_delivered_bytes, WEIR_NS_PER_S,
					      now_ns - s->round_start_ns);
	s->round_start_ns = now_ns;
	s->round_delivered_bytes = s->delivered_bytes;
	s->limited_before = s->limited_now;
	s->limited_now = false;
	return WEIR_ROUND_START;
}

/* A round ends with the first delivery of data sent after it began. */
static u32 count_round(struct weir_sender *s, u64 now_ns, struct weir_progress *p)
{
	if (s->slots.rate) {
		const struct weir_slot_rate *sent = weir_slots_rate(&s->slots, p->newest_slot);
		p->sample_bytes = s->delivered_bytes - sent->delivered_bytes;
		p->send_interval_ns = weir_sub(p->newest_sent_ns, sent->first_sent_ns);
		p->ack_interval_ns = now_ns - sent->delivered_ns;
		u64 interval_ns = weir_max(p->send_interval_ns, p->ack_interval_ns);
		if (interval_ns)
			s->delivery_Bps = weir_muldiv(p->sample_bytes, WEIR_NS_PER_S, interval_ns);
		s->first_sent_ns = p->newest_sent_ns;
		s->delivered_ns = now_ns;
	}
	if (p->newest_sent_ns < s->round_start_ns)
		return 0;
	return weir_round_start(s, now_ns);
}

static void repair(struct weir_sender *s, u64 now_ns, struct weir_progress *p)
{
	if (weir_episode_undo_if_spurious(s, now_ns, p))
		return;
	if (s->recovery == WEIR_RECOVERY_SACK &&
	    (s->sacked_bytes || !weir_slot_queue_empty(&s->retransmitted)))
		weir_loss_detect(s, now_ns, p);
	if (p->lost_bytes)
		weir_episode_enter(s, now_ns, p);
}

static u64 take_ack(struct weir_sender *s, u64 now_ns, const struct weir_ack_segment *in)
{
	u64 ack = weir_seq_expand(in->ack, s->una);
	if (ack > s->nxt) /* acknowledges what was never sent */
		return 0;
	struct weir_progress p = {.echo_attempt = in->attempt};
	s->last_ack_ns = now_ns;
	if (ack >= s->una)
		s->edge = weir_max(s->edge, ack + ((u64)in->window << WEIR_WINDOW_SHIFT));
	if (ack > s->una)
		take_cumulative(s, now_ns, ack, &p);
	follow_head(s);
	if (s->recovery != WEIR_RECOVERY_SACK)
		count_duplicates(s, now_ns, ack, in, &p);
	else if (in->n_sack || s->seen[0].start != s->seen[0].end)
		take_sack(s, now_ns, ack, in, &p);
	if (p.rtt_ns)
		weir_rtt_sample(&s->rtt, now_ns, p.rtt_ns);

	u32 flags = p.any ? count_round(s, now_ns, &p) | weir_control_limit(s, now_ns, p.newest_sent_ns) : 0;
	if (s->tlp_end_seq)
		weir_probe_on_ack(s, now_ns, &p);
	if (s->sacked_bytes || s->state != WEIR_SENDER_OPEN || p.lost_bytes || p.dsack)
		repair(s, now_ns, &p);
	if (in->ce && p.any)
		weir_episode_ecn(s, now_ns, p.acked_bytes);
	if (p.any) {
		struct weir_ack ack_event = {.acked_bytes = p.acked_bytes,
					     .rtt_ns = p.rtt_ns,
					     .ce_bytes = in->ce ? p.acked_bytes : 0,
					     .sample_bytes = p.sample_bytes,
					     .send_interval_ns = p.send_interval_ns,
					     .ack_interval_ns = p.ack_interval_ns};
		weir_control_ack(s, now_ns, flags, &ack_event);
	}
	if ((p.any || p.una_moved) && !p.keeps_timer)
		weir_timer_restart(s, now_ns);
	if (s->state != WEIR_SENDER_OPEN)
		weir_episode_after_ack(s, &p);
	return p.rtt_ns;
}

u64 weir_sender_on_ack_any(struct weir_sender *s, u64 now_ns, const struct weir_ack_segment *in)
{
	if (s->historic)
		return weir_stand_in_ack(s, now_ns, in);
	u64 rtt_ns = take_ack(s, now_ns, in);
	weir_sender_classify(s);
	return rtt_ns;
}

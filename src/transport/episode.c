/* SPDX-License-Identifier: MIT */
/* A loss episode: one cut, proportional rate reduction while it is repaired (RFC 9937), its end, and its
 * undo when it proves to have been a mistake. */
#include "control.h"
#include "loss.h"

static void tell_loss(struct weir_sender *s, u64 now_ns, u64 lost_bytes, u64 sent_ns,
		      enum weir_loss_kind kind, bool new_episode)
{
	struct weir_loss loss = {.lost_bytes = lost_bytes,
				 .sent_ns = sent_ns,
				 .kind = kind,
				 .flags = new_episode ? WEIR_NEW_EPISODE : 0};
	weir_control_loss(s, now_ns, &loss);
}

void weir_episode_enter(struct weir_sender *s, u64 now_ns, const struct weir_progress *p)
{
	bool repairing = s->state != WEIR_SENDER_OPEN;
	/* What is lost beyond recover_seq was sent after the last episode began. */
	bool new_episode = !repairing || p->lost_seq >= s->recover_seq;
	/* One answer a window, to marks and losses together (RFC 3168 section 6.1.2). */
	bool cut = new_episode && p->lost_seq >= s->ecn_recover_seq;
	if (new_episode) {
		u64 flight_bytes = s->pipe_bytes + s->lost_bytes + p->acked_bytes;
		s->recover_seq = s->nxt;
		s->recoveries++;
		s->tlp_end_seq = 0; /* what the probe would tell is known */
		s->partial_acked = false;
		/* An episode inside another cannot tell whose retransmissions were needless. */
		s->undo =
		    (struct weir_undo){.possible = s->config->undo && cut && !repairing, .start_seq = s->una};
		s->prr = (struct weir_prr){.recover_fs_bytes = weir_max(flight_bytes, 1)};
		if (s->rack.persist && --s->rack.persist == 0)
			s->rack.reorder_mult = 1;
	}
	tell_loss(s, now_ns, p->lost_bytes, p->lost_sent_ns, WEIR_LOSS_PACKET, cut);
	if (new_episode)
		s->state = WEIR_SENDER_RECOVERY;
}

/* At most one answer a round to marks, as to losses (RFC 3168 section 6.1.2). */
void weir_episode_ecn(struct weir_sender *s, u64 now_ns, u64 ce_bytes)
{
	bool new_episode = s->state == WEIR_SENDER_OPEN && s->una > s->ecn_recover_seq;
	if (new_episode)
		s->ecn_recover_seq = s->nxt;
	tell_loss(s, now_ns, ce_bytes, 0, WEIR_LOSS_ECN, new_episode);
}

/* RFC 9937 section 5: what may leave in answer to this ACK. */
static void reduce_rate(struct weir_sender *s, const struct weir_progress *p)
{
	struct weir_prr *r = &s->prr;
	u64 ssthresh_bytes = s->cwnd_bytes, sent_count;
	r->delivered_bytes += p->acked_bytes;
	if (s->pipe_bytes > ssthresh_bytes) {
		u64 target = weir_muldiv(r->delivered_bytes, ssthresh_bytes, r->recover_fs_bytes);
		sent_count = weir_sub(target, r->out_bytes);
	} else {
		bool safe_ack = p->una_moved && p->lost_bytes == 0;
		sent_count = weir_max(weir_sub(r->delivered_bytes, r->out_bytes), p->acked_bytes);
		if (safe_ack)
			sent_count += s->mss_bytes;
		sent_count = weir_min(ssthresh_bytes - s->pipe_bytes, sent_count);
	}
	if (r->out_bytes == 0 && sent_count < s->mss_bytes)
		sent_count = s->mss_bytes; /* the fast retransmit itself */
	r->budget_bytes = sent_count;
}

static void leave(struct weir_sender *s)
{
	s->state = WEIR_SENDER_OPEN;
	s->inflation_bytes = 0;
	s->duplicate_acks = 0;
	s->force_retransmit = false;
	s->rack.reorder_deadline_ns = WEIR_NEVER;
}

static bool repaired(const struct weir_sender *s, const struct weir_progress *p)
{
	bool first_new_ack =
	    s->recovery == WEIR_RECOVERY_RENO && s->state == WEIR_SENDER_RECOVERY && p->una_moved;
	return first_new_ack || s->una >= s->recover_seq;
}

void weir_episode_after_ack(struct weir_sender *s, const struct weir_progress *p)
{
	if (repaired(s, p))
		leave(s);
	else if (s->state == WEIR_SENDER_RECOVERY && s->recovery == WEIR_RECOVERY_SACK)
		reduce_rate(s, p);
}

void weir_episode_sent_again(struct weir_sender *s, u64 now_ns, u32 slot_number)
{
	const struct weir_slot *slot = weir_slots_get(&s->slots, slot_number);
	s->undo.retransmitted_bytes += slot->bytes;
	if (s->undo.sent_again)
		return;
	s->undo.sent_again = true;
	s->undo.first_sent_ns = now_ns;
	s->undo.first_slot = slot_number;
	s->undo.first_attempt = slot->attempts & WEIR_ATTEMPT_MAX;
}

/* What was judged lost but not sent again is in flight after all; RACK judges all of it anew. */
static void unmark_lost(struct weir_sender *s)
{
	for (u32 n = s->slots.head; n != s->slots.tail && s->lost_bytes; n++) {
		struct weir_slot *slot = weir_slots_get(&s->slots, n);
		if (!slot->lost)
			continue;
		slot->lost = 0;
		s->lost_bytes -= slot->bytes;
		s->pipe_bytes += slot->bytes;
		if (slot->attempts && s->recovery == WEIR_RECOVERY_SACK &&
		    !weir_slot_queue_push(&s->retransmitted, n, s->config->pool))
			s->failed = true;
	}
	s->rack.mark = s->lost_hand = s->slots.head;
	s->relost.head = s->relost.tail;
	s->force_retransmit = false;
}

bool weir_episode_undo_if_spurious(struct weir_sender *s, u64 now_ns, const struct weir_progress *p)
{
	if (!s->undo.possible)
		return false;
	/* RFC 3522 by the echo: the original arrived - unless something else that was sent as often, and
	 * after the retransmission, caused this ACK, that of the retransmission having been lost. */
	bool eifel = p->original_arrived && p->echo_sent_ns < s->undo.first_sent_ns && !p->dsack &&
		     s->state != WEIR_SENDER_OPEN;
	bool all_duplicates =
	    p->dsack && s->undo.sent_again && s->undo.retransmitted_bytes == 0; /* RFC 3708 */
	if (!eifel && !all_duplicates)
		return false;
	s->undo.possible = false;
	s->spurious++;
	/* The original came after what overtook it: that is reordering, which RFC 8985 cannot see in a
	 * segment that was sent again, for want of an echo. */
	if (eifel && s->state == WEIR_SENDER_RECOVERY)
		s->rack.reordering_seen = true;
	unmark_lost(s);
	if (s->state != WEIR_SENDER_OPEN)
		leave(s);
	tell_loss(s, now_ns, 0, 0, WEIR_LOSS_SPURIOUS, false);
	return true;
}

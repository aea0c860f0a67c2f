/* SPDX-License-Identifier: MIT */
/* Start, end, and the way out: which segment leaves next. */
#include "sender.h"
#include "control.h"
#include "loss.h"
#include "stand_in.h"

#include <stdlib.h>

bool weir_sender_init(struct weir_sender *s, const struct weir_endpoint_config *config,
		      const struct weir_cc_ops *cc, const u64 *params, u64 now_ns)
{
	u64 window_bytes = (u64)weir_endpoint_window(config) << WEIR_WINDOW_SHIFT;
	*s = (struct weir_sender){
	    .una = config->first_sequence,
	    .nxt = config->first_sequence,
	    .edge = config->first_sequence + window_bytes,
	    .app_end = config->first_sequence,
	    .cwnd_bytes = config->mss_bytes,
	    .recovery = (u8)config->recovery,
	    .mss_bytes = config->mss_bytes,
	    .ect = config->ecn,
	    .deadline_ns = WEIR_NEVER,
	    .tick_ns = WEIR_NEVER,
	    .last_ack_ns = now_ns,
	    .last_send_ns = now_ns,
	    .round_start_ns = now_ns,
	    .delivered_ns = now_ns,
	    .first_sent_ns = now_ns,
	    .app_limited_from_ns = WEIR_NEVER, /* nothing was sent, and none of it for want of data */
	    .app_limited_to_ns = WEIR_NEVER,
	    .recover_seq = config->first_sequence,
	    .ecn_recover_seq = config->first_sequence,
	    .rack = {.reorder_deadline_ns = WEIR_NEVER, .reorder_mult = 1},
	    .cc = cc,
	    .params = params,
	    .config = config,
	};
	s->cc_state = s->inline_state;
	if (cc->state_bytes > sizeof s->inline_state)
		s->cc_state = calloc(1, cc->state_bytes);
	if (!s->cc_state || !weir_slots_init(&s->slots, cc->needs & WEIR_NEED_RATE, config->pool)) {
		weir_sender_free(s);
		return false;
	}
	weir_control_init(s, now_ns);
	return true;
}

void weir_sender_free(struct weir_sender *s)
{
	weir_slots_free(&s->slots, s->config->pool);
	weir_slot_queue_free(&s->retransmitted, s->config->pool);
	weir_slot_queue_free(&s->relost, s->config->pool);
	if (s->cc_state != s->inline_state)
		free(s->cc_state);
	s->cc_state = s->inline_state;
}

void weir_sender_stand_in(struct weir_sender *s, const struct weir_endpoint_config *config,
			  struct weir_bsd43 *historic)
{
	*s = (struct weir_sender){
	    .config = config,
	    .historic = historic,
	    .deadline_ns = WEIR_NEVER,
	    .tick_ns = WEIR_NEVER,
	    .rack = {.reorder_deadline_ns = WEIR_NEVER},
	};
}

void weir_sender_written(struct weir_sender *s, u64 total_bytes)
{
	if (s->historic) {
		weir_bsd43_written(s->historic, total_bytes);
		return;
	}
	s->app_end = weir_add(s->config->first_sequence, total_bytes);
}

/* Whether RACK's newest delivery left before the oldest segment in flight: not so just after a repair, when
 * segments are left that were sent before the last retransmission. */
static bool head_is_newest(const struct weir_sender *s)
{
	u64 after_ns = weir_slots_get(&s->slots, s->slots.head)->sent_low - s->rack.sent_ns;
	return (after_ns & WEIR_SLOT_TIME_MASK) <= WEIR_SLOT_TIME_MASK / 2;
}

void weir_sender_classify(struct weir_sender *s)
{
	bool repairing = s->state != WEIR_SENDER_OPEN || s->lost_bytes || s->sacked_bytes || s->tlp_end_seq ||
			 s->inflation_bytes || s->duplicate_acks || s->rtt.backoff || s->force_retransmit ||
			 s->seen[0].start != s->seen[0].end || s->rack.reorder_deadline_ns != WEIR_NEVER;
	bool special = s->was_idle || s->probe_due || s->pacing_Bps || s->config->pace || s->slots.rate ||
		       s->slots.seq_low || s->cc->on_send || s->config->full_form;
	s->steady = !repairing && !special && s->pipe_bytes > 0 && head_is_newest(s);
}

bool weir_sender_done(const struct weir_sender *s)
{
	if (s->historic)
		return weir_bsd43_done(s->historic);
	return s->una == s->app_end;
}

/* An empty pipe may always send one segment: a window below one segment must not stop the flow. */
static bool window_allows(const struct weir_sender *s, u32 bytes)
{
	bool reduces = s->state == WEIR_SENDER_RECOVERY && s->recovery == WEIR_RECOVERY_SACK;
	if (reduces && !(s->cc->needs & WEIR_NEED_OWN_REPAIR))
		return s->prr.budget_bytes >= bytes || s->pipe_bytes == 0;
	return s->pipe_bytes + bytes <= s->cwnd_bytes + s->inflation_bytes || s->pipe_bytes == 0;
}

/* RFC-less but universal: twice the window each round trip in the first slow start, 1.25 times later. */
static u64 default_pacing_Bps(const struct weir_sender *s)
{
	if (!s->config->pace || s->rtt.srtt_ns == 0)
		return 0;
	bool first_slow_start = s->recoveries == 0 && s->timeouts == 0;
	u64 gained_bytes = first_slow_start ? 2 * s->cwnd_bytes : s->cwnd_bytes + s->cwnd_bytes / 4;
	return weir_max(weir_muldiv(gained_bytes, WEIR_NS_PER_S, s->rtt.srtt_ns), 1);
}

static void pace(struct weir_sender *s, u64 now_ns, u32 bytes)
{
	u64 rate_Bps = s->pacing_Bps ? s->pacing_Bps : default_pacing_Bps(s);
	if (rate_Bps == 0)
		return;
	if (s->pace_next_ns < now_ns) {
		s->pace_next_ns = now_ns;
		s->pace_remainder = 0;
	}
	u64 numerator = bytes * WEIR_NS_PER_S + weir_min(s->pace_remainder, rate_Bps);
	s->pace_next_ns += numerator / rate_Bps;
	s->pace_remainder = numerator % rate_Bps;
}

static void note_sent(struct weir_sender *s, u64 now_ns, u32 slot_number, u32 bytes)
{
	if (s->slots.rate) {
		if (s->pipe_bytes == 0)
			s->first_sent_ns = s->delivered_ns = now_ns;
		*weir_slots_rate(&s->slots, slot_number) =
		    (struct weir_slot_rate){s->delivered_bytes, s->delivered_ns, s->first_sent_ns};
	}
	s->pipe_bytes += bytes;
	s->prr.out_bytes += bytes;
	s->prr.budget_bytes = weir_sub(s->prr.budget_bytes, bytes);
	s->sent_packets++;
	s->last_send_ns = now_ns;
	pace(s, now_ns, bytes);
	if (s->deadline_ns == WEIR_NEVER)
		weir_timer_restart(s, now_ns);
	weir_control_send(s, now_ns, bytes);
}

static void send_again(struct weir_sender *s, u64 now_ns, u32 number, struct weir_slot *slot,
		       struct weir_segment *out)
{
	slot->attempts = weir_min(slot->attempts + 1U, WEIR_ATTEMPT_MAX) & WEIR_ATTEMPT_MAX;
	slot->sent_low = now_ns & WEIR_SLOT_TIME_MASK;
	s->retransmitted_packets++;
	s->retransmitted_bytes += slot->bytes;
	*out = (struct weir_segment){.seq = weir_slots_seq(&s->slots, number, s->una, s->mss_bytes),
				     .bytes = slot->bytes,
				     .attempt = slot->attempts,
				     .ect = false}; /* RFC 3168 section 6.1.5 */
	note_sent(s, now_ns, number, slot->bytes);
}

static bool poll_retransmission(struct weir_sender *s, u64 now_ns, struct weir_segment *out)
{
	u32 number;
	if (!weir_loss_next(s, &number))
		return false;
	struct weir_slot *slot = weir_slots_get(&s->slots, number);
	if (!s->force_retransmit && !window_allows(s, slot->bytes)) {
		s->limited_now = true;
		return false;
	}
	if (s->recovery == WEIR_RECOVERY_SACK &&
	    !weir_slot_queue_push(&s->retransmitted, number, s->config->pool)) {
		s->failed = true;
		return false;
	}
	if (!weir_slot_queue_empty(&s->relost) && weir_slot_queue_first(&s->relost) == number)
		s->relost.head++;
	s->force_retransmit = false;
	s->lost_bytes -= slot->bytes;
	slot->lost = 0;
	send_again(s, now_ns, number, slot, out);
	/* The fast retransmission has a timeout of its own before it counts as lost. */
	if (s->state == WEIR_SENDER_RECOVERY && !s->undo.sent_again)
		weir_timer_restart(s, now_ns);
	weir_episode_sent_again(s, now_ns, number);
	return true;
}

/* The application has nothing more for now, and the window has room. Where segments of the last such time are
 * still on their way, it goes on. */
static void mark_app_limited(struct weir_sender *s, u64 now_ns)
{
	s->was_idle = true;
	if (s->lost_bytes || s->pipe_bytes >= s->cwnd_bytes)
		return;
	s->app_limited_until_bytes = s->delivered_bytes + s->pipe_bytes;
	if (s->app_limited_to_ns == WEIR_NEVER && s->app_limited_from_ns != WEIR_NEVER)
		return;
	bool goes_on =
	    weir_slots_count(&s->slots) &&
	    weir_slot_sent_ns(weir_slots_get(&s->slots, s->slots.head), now_ns) < s->app_limited_to_ns;
	if (!goes_on || s->app_limited_from_ns == WEIR_NEVER)
		s->app_limited_from_ns = now_ns;
	s->app_limited_to_ns = WEIR_NEVER;
}

static bool poll_new(struct weir_sender *s, u64 now_ns, struct weir_segment *out)
{
	u64 limit = weir_min(s->app_end, s->edge);
	bool full = weir_slots_count(&s->slots) == s->slots.capacity;
	if (s->nxt >= limit || (full && !weir_slots_may_grow(&s->slots, s->mss_bytes))) {
		mark_app_limited(s, now_ns);
		return false;
	}
	if (s->was_idle) {
		s->was_idle = false;
		u64 since_ns = weir_max(s->last_ack_ns, s->last_send_ns);
		if (s->pipe_bytes == 0 && s->nxt != s->config->first_sequence && now_ns > since_ns)
			weir_control_idle(s, now_ns, now_ns - since_ns);
	}
	u32 bytes = (u32)weir_min(s->mss_bytes, limit - s->nxt);
	if (!s->probe_due && !window_allows(s, bytes)) {
		s->limited_now = true;
		return false;
	}
	if (full && !weir_slots_grow(&s->slots, s->config->pool)) {
		s->failed = true;
		return false;
	}
	if (bytes != s->mss_bytes && !s->slots.seq_low &&
	    !weir_slots_keep_seq(&s->slots, s->una, s->mss_bytes, s->config->pool)) {
		s->failed = true;
		return false;
	}
	u32 number = s->slots.tail++;
	if (s->slots.seq_low)
		s->slots.seq_low[number & (s->slots.capacity - 1)] = (u32)s->nxt;
	*weir_slots_get(&s->slots, number) =
	    (struct weir_slot){.sent_low = now_ns & WEIR_SLOT_TIME_MASK, .bytes = bytes & 0xffff};
	*out = (struct weir_segment){.seq = s->nxt, .bytes = bytes, .ect = s->ect};
	s->nxt += bytes;
	note_sent(s, now_ns, number, bytes);
	return true;
}

/* Tail loss probe (RFC 8985 section 7.3): new data if there is any, window or not, else the last segment
 * once more. It counts as in flight already. */
static bool poll_probe(struct weir_sender *s, u64 now_ns, struct weir_segment *out)
{
	bool sent = poll_new(s, now_ns, out);
	s->probe_due = false;
	s->tlp_retransmitted = !sent;
	if (!sent && weir_slots_count(&s->slots)) {
		u32 number = s->slots.tail - 1;
		struct weir_slot *slot = weir_slots_get(&s->slots, number);
		if (slot->sacked || slot->lost)
			return false;
		if (!weir_slot_queue_push(&s->retransmitted, number, s->config->pool)) {
			s->failed = true;
			return false;
		}
		s->pipe_bytes -= slot->bytes;
		send_again(s, now_ns, number, slot, out);
		sent = true;
	}
	s->tlp_end_seq = sent ? s->nxt : 0;
	weir_timer_restart(s, now_ns);
	return sent;
}

static bool poll(struct weir_sender *s, u64 now_ns, struct weir_segment *out)
{
	s->pace_wait = s->pace_next_ns > now_ns;
	if (s->pace_wait)
		return false;
	if (s->probe_due)
		return poll_probe(s, now_ns, out);
	if (s->lost_bytes)
		return poll_retransmission(s, now_ns, out);
	return poll_new(s, now_ns, out);
}

bool weir_sender_poll_any(struct weir_sender *s, u64 now_ns, struct weir_segment *out)
{
	if (s->historic)
		return weir_stand_in_poll(s, now_ns, out);
	bool sent = poll(s, now_ns, out);
	weir_sender_classify(s);
	return sent;
}

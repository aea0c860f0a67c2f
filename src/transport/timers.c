/* SPDX-License-Identifier: MIT */
/* The retransmission timer (RFC 6298), the tail loss probe (RFC 8985 section 7) and the reordering timer. */
#include "control.h"
#include "loss.h"
#include "stand_in.h"

/* The probe's episode ends with the ACK that reaches it. The echo tells whether the original or the probe
 * filled the hole, which RFC 8985 section 7.4 has to infer: only the probe means a loss, and a cut. */
void weir_probe_on_ack(struct weir_sender *s, u64 now_ns, const struct weir_progress *p)
{
	if (s->una < s->tlp_end_seq && !p->dsack)
		return;
	bool repaired_by_probe = s->tlp_retransmitted && p->una_moved && p->echo_attempt && !p->dsack;
	s->tlp_end_seq = 0;
	if (!repaired_by_probe || s->state != WEIR_SENDER_OPEN)
		return;
	struct weir_loss loss = {
	    .lost_bytes = s->mss_bytes, .kind = WEIR_LOSS_PACKET, .flags = WEIR_NEW_EPISODE};
	s->recoveries++;
	s->recover_seq = s->nxt;
	s->undo.possible = false;
	weir_control_loss(s, now_ns, &loss);
}

static void time_out(struct weir_sender *s, u64 now_ns)
{
	bool repairing = s->state != WEIR_SENDER_OPEN;
	s->timeouts++;
	if (weir_rtt_rto_ns(&s->rtt, s->config->rto_min_ns, WEIR_NEVER) < s->config->rto_max_ns)
		s->rtt.backoff++;
	weir_loss_mark_all(s, now_ns);
	s->state = WEIR_SENDER_LOSS;
	s->recover_seq = s->nxt;
	/* A timeout amid repairs may be early, but the losses are real. */
	s->undo = (struct weir_undo){.possible = s->config->undo && !repairing, .start_seq = s->una};
	s->tlp_end_seq = 0;
	s->probe_due = false;
	s->inflation_bytes = 0;
	s->duplicate_acks = 0;
	weir_control_timeout(s, now_ns);
	weir_timer_restart(s, now_ns);
}

static void reorder_time_out(struct weir_sender *s, u64 now_ns)
{
	struct weir_progress p = {0};
	if (weir_loss_detect(s, now_ns, &p) == 0)
		return;
	weir_episode_enter(s, now_ns, &p);
	weir_episode_after_ack(s, &p);
}

static void main_timer_due(struct weir_sender *s, u64 now_ns)
{
	if (s->timer != WEIR_TIMER_PROBE) {
		time_out(s, now_ns);
		return;
	}
	s->probe_due = true;
	s->timer = WEIR_TIMER_RTO;
	s->deadline_ns = now_ns + weir_rtt_rto_ns(&s->rtt, s->config->rto_min_ns, s->config->rto_max_ns);
}

void weir_sender_on_timer(struct weir_sender *s, u64 now_ns)
{
	if (s->historic) {
		weir_stand_in_due(s, now_ns);
		return;
	}
	if (s->rack.reorder_deadline_ns <= now_ns)
		reorder_time_out(s, now_ns);
	if (s->tick_ns <= now_ns)
		weir_control_tick(s, now_ns);
	if (s->deadline_ns <= now_ns)
		main_timer_due(s, now_ns);
	weir_sender_classify(s);
}

u64 weir_sender_next_ns(const struct weir_sender *s)
{
	u64 next_ns = weir_min(s->deadline_ns, s->tick_ns);
	next_ns = weir_min(next_ns, s->rack.reorder_deadline_ns);
	return s->pace_wait ? weir_min(next_ns, s->pace_next_ns) : next_ns;
}

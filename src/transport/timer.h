/* SPDX-License-Identifier: MIT */
/* The one timer of a sender: the retransmission timeout (RFC 6298), or, when it comes first, the tail loss
 * probe (RFC 8985 section 7.2). Restarted by every ACK that brings news, so it is inline. */
#ifndef WEIR_TRANSPORT_TIMER_H
#define WEIR_TRANSPORT_TIMER_H

#include "sender.h"

enum weir_timer { WEIR_TIMER_NONE, WEIR_TIMER_RTO, WEIR_TIMER_PROBE };

static inline bool weir_timer_probe_wanted(const struct weir_sender *s)
{
	return s->recovery == WEIR_RECOVERY_SACK && s->config->tail_loss_probe &&
	       s->state == WEIR_SENDER_OPEN && s->sacked_bytes == 0 && s->tlp_end_seq == 0 &&
	       s->rtt.srtt_ns && s->rtt.backoff == 0;
}

static inline void weir_timer_restart(struct weir_sender *s, u64 now_ns)
{
	if (s->una == s->nxt) {
		s->timer = WEIR_TIMER_NONE;
		s->deadline_ns = WEIR_NEVER;
		return;
	}
	u64 wait_ns = weir_rtt_rto_ns(&s->rtt, s->config->rto_min_ns, s->config->rto_max_ns);
	s->timer = WEIR_TIMER_RTO;
	if (weir_timer_probe_wanted(s)) {
		u64 probe_ns = 2 * s->rtt.srtt_ns;
		if (weir_slots_count(&s->slots) == 1 && s->config->ack_every > 1)
			probe_ns += s->config->delayed_ack_ns; /* the receiver may wait for a second one */
		if (probe_ns < wait_ns) {
			wait_ns = probe_ns;
			s->timer = WEIR_TIMER_PROBE;
		}
	}
	s->deadline_ns = now_ns + wait_ns;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Inside the sender: what is lost, what an episode costs, and when the timers go off. */
#ifndef WEIR_TRANSPORT_LOSS_H
#define WEIR_TRANSPORT_LOSS_H

#include "timer.h"

#define WEIR_DUP_THRESHOLD 3 /* RFC 5681 */

/* What one ACK brought. */
struct weir_progress {
	u64 acked_bytes; /* newly delivered */
	u64 rtt_ns;
	u64 newest_sent_ns; /* send time of the newest segment delivered */
	u64 lost_bytes;
	u64 lost_sent_ns;
	u64 lost_seq;	  /* where the last segment newly lost begins */
	u64 echo_sent_ns; /* newest send time of what may have caused the ACK: delivered, and as often sent */
	u64 sample_bytes, send_interval_ns, ack_interval_ns; /* the rate sample; 0: none */
	u32 newest_slot;
	u8 echo_attempt;
	bool any, una_moved, dsack;
	bool keeps_timer;      /* it shall not restart the timeout */
	bool original_arrived; /* of the episode's first retransmission, if the echo is of its segment */
};

/* loss.c */
u64 weir_loss_detect(struct weir_sender *s, u64 now_ns, struct weir_progress *p);
void weir_loss_mark(struct weir_sender *s, u64 now_ns, u32 slot_number, struct weir_progress *p);
void weir_loss_mark_all(struct weir_sender *s, u64 now_ns);
bool weir_loss_next(struct weir_sender *s, u32 *slot_number);
void weir_rack_update(struct weir_sender *s, u64 now_ns, const struct weir_slot *slot, u64 end_seq);
void weir_rack_dsack(struct weir_sender *s);

/* episode.c */
void weir_episode_enter(struct weir_sender *s, u64 now_ns, const struct weir_progress *p);
void weir_episode_sent_again(struct weir_sender *s, u64 now_ns, u32 slot_number);
void weir_episode_after_ack(struct weir_sender *s, const struct weir_progress *p);
bool weir_episode_undo_if_spurious(struct weir_sender *s, u64 now_ns, const struct weir_progress *p);
void weir_episode_ecn(struct weir_sender *s, u64 now_ns, u64 ce_bytes);

/* timers.c */
void weir_probe_on_ack(struct weir_sender *s, u64 now_ns, const struct weir_progress *p);

#endif

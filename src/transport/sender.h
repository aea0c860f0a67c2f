/* SPDX-License-Identifier: MIT */
/* The sending end of the modern endpoint, sans-I/O: it is told what arrives and what time it is, and
 * asked for the next segment. It computes rounds, rate samples and loss episodes once, for every
 * controller, and alone decides what is lost and when it is sent again; the controller owns the window.
 *
 * Driver's loop: on each ACK call weir_sender_on_ack, at weir_sender_next_ns call weir_sender_on_timer,
 * and after either (or after the application wrote) call weir_sender_poll until it returns false.
 *
 * Sources: RFC 6298 (timeout), RFC 6675 (scoreboard), RFC 8985 (RACK-TLP), RFC 9937 (PRR), RFC 5681 and
 * RFC 6582 (Reno, NewReno), RFC 3042 (limited transmit), RFC 3522 and RFC 3708 (undo). */
#ifndef WEIR_TRANSPORT_SENDER_H
#define WEIR_TRANSPORT_SENDER_H

#include "endpoint.h"
#include "rtt.h"
#include "slots.h"
#include "wire.h"

enum weir_sender_state {
	WEIR_SENDER_OPEN,
	WEIR_SENDER_RECOVERY, /* fast recovery */
	WEIR_SENDER_LOSS,     /* repairing after a timeout: the controller grows the window anew */
};

/* Newest segment known to have arrived, by send time (RFC 8985 section 5.2). */
struct weir_rack {
	u64 sent_ns, rtt_ns, end_seq;
	u64 fack_seq;		 /* highest offset known to have arrived */
	u64 reorder_deadline_ns; /* judge again then; WEIR_NEVER */
	u64 dsack_round_end_seq; /* at most one widening of the window a round */
	u32 mark;		 /* first slot whose first transmission has not been judged */
	u8 reorder_mult;	 /* reordering window in quarters of the smallest RTT */
	u8 persist;		 /* recoveries left before the window shrinks back */
	bool reordering_seen;
};

struct weir_bsd43;

struct weir_prr {
	u64 delivered_bytes, out_bytes, recover_fs_bytes, budget_bytes;
};

/* What an undo must give back (RFC 3522, RFC 3708). */
struct weir_undo {
	u64 retransmitted_bytes; /* in this episode and not yet reported as duplicates */
	u64 start_seq;		 /* una when the episode began: duplicates before it are older */
	u64 first_sent_ns;	 /* of the first retransmission of the episode */
	u32 first_slot;		 /* its slot */
	u8 first_attempt;	 /* its number; 0: none yet, or its segment has arrived */
	bool possible, sent_again;
};

/* The order is that of need: the first 416 bytes, in lines of 64, are what a plain ACK and the segments that
 * it lets out touch; a hundred thousand flows live on that. */
struct weir_sender {
	u64 una, nxt;	/* oldest unacknowledged and next new stream offset */
	u64 edge;	/* first offset beyond the peer's window */
	u64 app_end;	/* first offset that the application has not written yet; WEIR_NEVER: endless */
	u64 cwnd_bytes; /* the controller's last word */
	u64 pipe_bytes; /* in flight: sent, not delivered, not judged lost */
	u64 delivered_bytes;
	u64 deadline_ns; /* of `timer` */

	struct weir_slots slots;
	u8 state;			  /* enum weir_sender_state */
	u8 recovery;			  /* enum weir_recovery */
	u8 timer;			  /* enum weir_timer (timer.h) */
	bool limited_now, limited_before; /* the window held it back: this round, the round before */
	bool steady;			  /* steady.h may take the short way */
	bool ect;
	bool was_idle, pace_wait;
	bool failed;	     /* out of memory: the flow stands still */
	u16 sacked_segments; /* only compared with the threshold; modulo 2^16 */
	u32 mss_bytes;
	u64 round_start_ns;

	struct weir_rtt rtt;
	u64 last_send_ns;

	struct weir_rack rack;
	u64 tick_ns;

	const struct weir_cc_ops *cc;
	const u64 *params;
	void *cc_state; /* inline_state, or memory of its own when larger */
	const struct weir_endpoint_config *config;
	u64 sent_packets;
	u64 last_ack_ns;
	u64 app_limited_to_ns; /* what left before, and after app_limited_from_ns, is a sample of the
				  application's rate; WEIR_NEVER: it is so now */
	u64 delivery_Bps;

	u64 inline_state[WEIR_CC_HOT_BYTES / sizeof(u64)];

	/* once a round, or when something was lost */
	u64 sacked_bytes, lost_bytes;
	u64 round_delivered_bytes;
	u64 delivered_ns, first_sent_ns; /* for rate samples */
	u64 app_limited_from_ns;
	u64 app_limited_until_bytes; /* it ends when more than this is delivered */
	u64 pacing_Bps, pace_next_ns, pace_remainder;
	u64 recover_seq;     /* the episode ends when this is acknowledged */
	u64 ecn_recover_seq; /* likewise, for marks */
	u64 inflation_bytes; /* non-SACK: segments that duplicate ACKs stand for */
	u64 tlp_end_seq;     /* 0: no probe outstanding */
	struct weir_prr prr;
	struct weir_undo undo;
	struct weir_slot_queue retransmitted; /* outstanding retransmissions, in the order of sending */
	struct weir_slot_queue relost;	      /* retransmissions lost again: they go first */
	u32 lost_hand;			      /* no first loss lies before this slot */
	u32 duplicate_acks;
	struct weir_sack_block seen[WEIR_SACK_BLOCKS]; /* blocks of the last ACK, to skip what is known */
	bool tlp_retransmitted, probe_due, force_retransmit;
	bool partial_acked; /* NewReno: this episode has seen a partial ACK */
	u32 timeouts, recoveries, spurious;
	u64 retransmitted_packets, retransmitted_bytes;
	struct weir_bsd43 *historic; /* it does all the work: see weir_sender_stand_in */
};
_Static_assert(offsetof(struct weir_sender, sacked_bytes) == 416, "six lines and a half are hot");

/* `config`, `cc` and `params` outlive the sender. False when out of memory. */
bool weir_sender_init(struct weir_sender *s, const struct weir_endpoint_config *config,
		      const struct weir_cc_ops *cc, const u64 *params, u64 now_ns);
void weir_sender_free(struct weir_sender *s);
/* Makes a sender that only stands in for a historic one, which has begun already and stays the caller's: all
 * calls below go there, so that a host has one kind of sender. It never takes the short way of steady.h,
 * where a modern one would pay for the question. Nothing to be freed; there is no controller. */
void weir_sender_stand_in(struct weir_sender *s, const struct weir_endpoint_config *config,
			  struct weir_bsd43 *historic);

/* The application has written so many bytes in all; WEIR_NEVER: it always has more. */
void weir_sender_written(struct weir_sender *s, u64 total_bytes);
/* The full forms of weir_sender_poll and weir_sender_on_ack, which stand in steady.h. */
bool weir_sender_poll_any(struct weir_sender *s, u64 now_ns, struct weir_segment *out);
u64 weir_sender_on_ack_any(struct weir_sender *s, u64 now_ns, const struct weir_ack_segment *in);
/* A round begins now; returns WEIR_ROUND_START. */
u32 weir_round_start(struct weir_sender *s, u64 now_ns);
/* To be called after anything that may have changed whether the short way is open. */
void weir_sender_classify(struct weir_sender *s);
/* When to call weir_sender_on_timer next, or to poll a paced sender; WEIR_NEVER: nothing planned. */
u64 weir_sender_next_ns(const struct weir_sender *s);
/* Safe at any time; does what is due. */
void weir_sender_on_timer(struct weir_sender *s, u64 now_ns);
/* All that the application wrote has been acknowledged. */
bool weir_sender_done(const struct weir_sender *s);

#endif

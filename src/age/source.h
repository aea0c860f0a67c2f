/* SPDX-License-Identifier: MIT */
/* The source: when an update may leave, and what its ACKs mean. Sans-I/O: the host has the clock, the socket
 * and the value; this has the numbers. There is no queue: of the values that wait for a slot only the newest
 * is kept.
 *
 * Life: probes, stop and wait, open a session with the monitor and give the first RTT, as in the paper; then
 * updates leave at the controller's rate, in epochs. Nothing is sent again but what is still the newest
 * (config.resend), and then under a new number. Without any feedback it falls silent but for one probe in 3 s
 * (RFC 8085, 3.1.3), for ever, and the first answer makes it send the newest value at once.
 *
 * Host: call weir_source_poll at weir_source_wake_ns, after every offer and after every receive, until it
 * returns false; then ask for the next wake time. Being late costs slots, never a burst. now_ns is of a
 * monotonic clock (on Linux best CLOCK_BOOTTIME, which counts suspended time too); an earlier now_ns is taken
 * as the last one.
 */
#ifndef WEIR_AGE_SOURCE_H
#define WEIR_AGE_SOURCE_H

#include "ledger.h"
#include "packet.h"
#include "weir/age.h"

struct weir_source_config {
	const struct weir_age_ops *ops;
	const void *params; /* of ops; must outlive the source, as ops */
	u64 flow_id;	    /* random, or the application's; the same after a restart */
	u32 incarnation;    /* random, another one after each start */
	u32 first_sequence; /* number of the first update */
	double floor_hz;    /* the rate never falls below; 0: none */
	double ceiling_hz;  /* never above; 0: none */
	u64 max_age_ns; /* an offered value older than this is not sent but counted as expired; 0: never */
	u64 bound_ns;	/* of the age, for the estimate's violations; 0: none */
	u64 probe_timeout_ns; /* of the first probe; doubled at each further one, at most 3 s */
	u32 probes;	      /* answered ones before the first update; at least 1 */
	bool just_in_time;    /* a value can be made at any slot (a sensor is asked); no offers */
	bool resend; /* while nothing newer is there, an unanswered value is sent again after an RTO */
};

enum weir_source_phase { WEIR_SOURCE_PROBING, WEIR_SOURCE_RUNNING, WEIR_SOURCE_OUTAGE };

/* What a packet that came was. All but the first two and PROBED change nothing but a counter. */
enum weir_source_verdict {
	WEIR_SOURCE_ACKED,   /* an ACK in sequence */
	WEIR_SOURCE_RESET,   /* the monitor lost the session, or never had it */
	WEIR_SOURCE_PROBED,  /* an answer to the probe that is out */
	WEIR_SOURCE_LATE,    /* an answer to what is no longer outstanding */
	WEIR_SOURCE_FOREIGN, /* of another flow, incarnation or session, or no answer at all (reflected) */
	WEIR_SOURCE_BAD	     /* acknowledges what was never sent, or echoes times that cannot be */
};

struct weir_source_stats {
	u64 updates;   /* sent, those sent again too */
	u64 again;     /* of these, sent again */
	u64 probes;    /* sent */
	u64 acked;     /* ACKs in sequence */
	u64 overtaken; /* numbers passed over by these: lost or late, there or back */
	u64 lost;      /* of the overtaken, by the monitor's count, those that never came there */
	u64 marked;    /* CE */
	u64 offered;   /* values */
	u64 replaced;  /* values that a newer one pushed out of the slot: never sent */
	u64 expired;   /* values too old at their slot: never sent */
	u64 backward;  /* offers older than the one before: refused */
	u64 acks_late, acks_foreign, acks_bad; /* as in the verdicts */
	u64 resets, sessions, outages, stalls, path_changes;
	u64 clock_jumps; /* the offset's interval became empty: a clock was stepped or slept */
	u64 epochs;
};

/* The offset monitor - source lies in [low, high]: each exchange bounds it from both sides (Cristian 1989),
 * the best bounds are kept and age by 100 ppm of drift. */
struct weir_age_clock {
	i64 low_ns, high_ns;
	u64 at_ns;
	bool known;
};

struct weir_source {
	/* for everybody to read */
	struct weir_source_stats stats;
	struct weir_ledger estimate; /* Delta^, from generation times; exact up to estimate.until_ns */
	double backlog_area_s;	     /* integral of B^ since estimate.begin_ns */
	double rate_hz;		     /* lambda in force */
	double srtt_s, min_rtt_s;    /* 0: not known */
	double gap_s;		     /* the last Z */
	/* 64-bit numbers, beginning at 2^32 + first_sequence - 1 */
	u64 sent, acked; /* S and N^, 64 bits */
	u32 phase;	 /* enum weir_source_phase */
	struct weir_age_clock clock;
	struct weir_source_config config;

	/* private */
	u64 now_ns;		/* the latest seen */
	u64 counted_ns;		/* integrals are exact up to here */
	u64 slot_ns, period_ns; /* nominal time of the last slot used; the next is a period later */
	u64 epoch_begin_ns, epoch_length_ns;
	double epoch_age_s2, epoch_backlog_s; /* integrals of this epoch */
	u32 epoch_sent, epoch_acked, epoch_overtaken, epoch_flags;
	u32 session;
	u64 offered_ns;			       /* generation time of the last offer */
	u64 waiting_since_ns;		       /* when a value came into the empty slot */
	u64 confirmed_ns;		       /* generation time of the newest value acknowledged */
	u64 last_sent_ns, last_generated_ns;   /* of update S */
	u64 acked_sent_ns, acked_generated_ns; /* of update N^ */
	u64 last_ack_ns;		       /* base of Z; 0: none */
	u64 late_first,
	    late_last;	/* numbers of updates that the application made late: their gaps are no Z */
	u64 stalled_ns; /* what was sent before gives no RTT and no Z */
	u64 asked_ns;	/* when the last packet left */
	u64 silent_ns;	/* since when an answer is missing; WEIR_NEVER: none is */
	u64 probe_sent_ns, probe_wait_ns;
	u64 reset_ns; /* when a session was last taken from a RESET */
	double probe_sum_s, rttvar_s;
	u64 forward_ns;		   /* clock difference that forward_s leaves out; mod 2^64 */
	u32 probe, probe_answered; /* numbers of the last sent and the last answered one */
	u32 n_answered;
	u32 unanswered;	      /* packets sent since the last answer */
	u32 received, marked; /* the monitor's counts as last seen */
	u32 resume_flags;
	bool waiting; /* a value is in the slot */
	bool again;   /* the last value sent is to be sent once more now */
	bool probe_out, begun, resumed, hurried, forward_known;
	union {
		u8 bytes[WEIR_AGE_STATE_BYTES];
		u64 align;
		double align_double;
	} controller;
};

/* The constants of the paper's program: 10 probes; 1 s timeout (RFC 8085, 3.1.1); no floor, no ceiling,
 * nothing expires.
 */
struct weir_source_config weir_source_defaults(const struct weir_age_ops *ops, const void *params);

/* The first probe is due at once. */
void weir_source_init(struct weir_source *s, const struct weir_source_config *c, u64 now_ns);

/* When to poll next; WEIR_NEVER: only after an offer or a packet. */
u64 weir_source_wake_ns(const struct weir_source *s);

/* When the next update may leave, so that a value can be picked just before: in the past when it may leave
 * now, WEIR_NEVER while probing or in an outage. */
u64 weir_source_slot_ns(const struct weir_source *s);

/* A value made at generated_ns (of the same clock) can be sent. It takes the place of one that waits. false:
 * it is older than the last one offered, and refused. */
bool weir_source_offer(struct weir_source *s, u64 now_ns, u64 generated_ns);

/* One packet that leaves now. PROBE: no value. UPDATE: the host puts the value behind it: that of the last
 * offer (with flag WEIR_AGE_AGAIN too), or with just_in_time one that it makes now. false: nothing is due. */
bool weir_source_poll(struct weir_source *s, u64 now_ns, struct weir_age_packet *out);

/* A packet that came; anything may be in it. */
enum weir_source_verdict weir_source_receive(struct weir_source *s, u64 now_ns,
					     const struct weir_age_packet *in);

/* The host knows that the path is another one (a new address or interface). What was learnt of the old one
 * goes: one probe at once, then the controller is resumed with WEIR_AGE_PATH_CHANGED. */
void weir_source_path_changed(struct weir_source *s, u64 now_ns);

/* Whether all that was offered has been acknowledged or replaced: nothing is left to do. */
bool weir_source_settled(const struct weir_source *s);

/* From now on what is unanswered is sent again after a short while (RTT and its deviations, at least 50 ms)
 * instead of an RTO: for an application that waits for its last value to arrive before it ends. */
void weir_source_hurry(struct weir_source *s, u64 now_ns);

/* Makes estimate and backlog_area_s exact up to now. */
void weir_source_advance(struct weir_source *s, u64 now_ns);

/* The controller's signals, in the order of its table. */
void weir_source_signals(const struct weir_source *s, double value[WEIR_AGE_SIGNALS_MAX]);

/* Time average of B^ over the time that the estimate counted. */
double weir_source_backlog_mean(const struct weir_source *s);

#endif

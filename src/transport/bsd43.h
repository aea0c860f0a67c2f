/* SPDX-License-Identifier: MIT */
/* The historic endpoint: the sending end of 4.3BSD's TCP of June 1986, and the seven algorithms of Jacobson
 * and Karels ("Congestion Avoidance and Control", SIGCOMM 1988) as seven switches on it. Sans-I/O, driven as
 * the modern one (sender.h): weir_bsd43_on_ack for each ACK, weir_bsd43_on_timer at weir_bsd43_next_ns, and
 * after either (or after the application wrote) weir_bsd43_poll until it returns false.
 *
 * With every switch off: a clock that ticks each 500 ms, one segment timed at a time, a timeout of twice a
 * mean, one segment sent again after it and then, with the next ACK, everything that this ACK does not cover
 * (go-back-N), and no window but the receiver's, unless a gateway sends a source quench.
 *
 * It keeps no scoreboard: five sequence numbers are all that it knows. Everything that a peer can send is
 * safe. It allocates nothing and never fails; after twelve timeouts in a row it gives the connection up. */
#ifndef WEIR_TRANSPORT_BSD43_H
#define WEIR_TRANSPORT_BSD43_H

#include "endpoint.h"

#define WEIR_BSD43_TICK_NS (500 * WEIR_NS_PER_MS) /* the slow timer */
#define WEIR_BSD43_RTO_MIN_TICKS 2		  /* 1 s */
#define WEIR_BSD43_RTO_MAX_TICKS 60		  /* 30 s: as of 1986 */
#define WEIR_BSD43_RTO_MAX_BACKED_TICKS 128	  /* 64 s: with exponential backoff */
#define WEIR_BSD43_SRTT_DEFAULT_TICKS 6		  /* 3 s, while nothing has been measured */
#define WEIR_BSD43_TIMEOUTS_MAX 12		  /* in a row; the next one ends the connection */
#define WEIR_BSD43_WINDOW_MAX 65535U		  /* the header has 16 bits for it */
#define WEIR_BSD43_DUPLICATES 3

enum weir_rtt_variance {
	WEIR_VARIANCE_NONE, /* RFC 793: R = .9 R + .1 M, timeout 2 R */
	WEIR_VARIANCE_2V,   /* A + 2 V: the paper as printed at SIGCOMM, and the code of 1987 and 1988 */
	WEIR_VARIANCE_4V,   /* A + 4 V: the paper's revision of November 1988 */
};

/* The seven switches, but for the receiver's (iv), which is weir_endpoint_config.ack_policy. */
struct weir_bsd43_config {
	enum weir_rtt_variance rtt_variance; /* (i) */
	bool exponential_backoff;	     /* (ii) */
	bool slow_start;		     /* (iii), and again after an idle time */
	bool dynamic_window;		     /* (v) congestion avoidance */
	bool karn;			     /* (vi) with a clamped backoff */
	bool fast_retransmit;		     /* (vii) as of 4.3BSD-Tahoe: slow start follows */
	u32 tick_phase_ns; /* the host's slow timer fires at this time and each 500 ms later; < 500 ms */
};

enum weir_era { WEIR_ERA_1986, WEIR_ERA_1988 };

/* 4.3BSD of June 1986: all off. 4.3BSD-Tahoe of June 1988: all on, with A + 2 V. */
struct weir_bsd43_config weir_bsd43_of_era(enum weir_era era);

struct weir_bsd43 {
	u64 una, nxt; /* oldest unacknowledged and next to be sent; a timeout sets nxt back to una */
	u64 max;      /* one past the highest ever sent */
	u64 app_end;  /* first offset that the application has not written yet; WEIR_NEVER: endless */
	u32 mss_bytes;
	u32 window_bytes; /* the receiver's */
	u32 cwnd_bytes, ssthresh_bytes;
	u64 deadline_tick;	  /* the retransmission timer runs out with this tick; 0: it does not run */
	u64 timed_tick, timed_ns; /* when the segment that is being timed left; tick 0: none is */
	u64 timed_seq;
	u64 active_tick;	 /* of the last segment sent or ACK received */
	u32 rto_ticks;		 /* what the timer was last set to; with Karn's rule what it will be set to */
	u32 sample_ticks;	 /* the last measurement, counted from 1 */
	double mean_ticks;	 /* RFC 793's; 0: nothing measured */
	i32 mean_8, deviation_4; /* A and V in ticks, scaled by 8 and by 4; mean 0: nothing measured */
	u8 shift;  /* backoff: timeouts since the last news; with Karn's rule since the last sample */
	u8 silent; /* timeouts since the last news */
	u8 timeout_attempt; /* number that the segment sent again bears; 0: no timeout is in question */
	bool single;	    /* a timeout: one segment until an ACK brings news */
	bool resend;	    /* fast retransmission is due */
	bool dropped;	    /* the connection was given up */
	u32 duplicate_acks;
	u64 min_rtt_ns, latest_rtt_ns; /* of timed segments, exact, for records only; 0: none */
	u64 sent_packets, sent_bytes, retransmitted_packets;
	u64 timeouts, fast_retransmissions;
	u64 spurious; /* timeouts after which the original turned out to have arrived; for records only */
	u64 first_sequence;
	u32 initial_window_bytes;
	struct weir_bsd43_config config;
};

/* `e` says MSS, window, initial window (with slow start) and first sequence number; the rest of it is the
 * receiver's. */
void weir_bsd43_init(struct weir_bsd43 *s, const struct weir_endpoint_config *e,
		     const struct weir_bsd43_config *c, u64 now_ns);
/* The application has written so many bytes in all; WEIR_NEVER: it always has more. */
void weir_bsd43_written(struct weir_bsd43 *s, u64 total_bytes);
/* The next segment that may leave now; false when window or application say no. */
bool weir_bsd43_poll(struct weir_bsd43 *s, u64 now_ns, struct weir_segment *out);
/* Returns the RTT in ns of the timed segment if this ACK ended a measurement, else 0. The endpoint itself
 * only ever sees ticks. */
u64 weir_bsd43_on_ack(struct weir_bsd43 *s, u64 now_ns, const struct weir_ack_segment *in);
/* A gateway's source quench: the window becomes four fifths of what is outstanding, at least a segment, and
 * each ACK widens it by a tenth; with slow start it becomes one segment. */
void weir_bsd43_on_quench(struct weir_bsd43 *s);
/* Safe at any time; does what is due. */
void weir_bsd43_on_timer(struct weir_bsd43 *s, u64 now_ns);
/* When to call weir_bsd43_on_timer next; WEIR_NEVER: nothing planned. */
u64 weir_bsd43_next_ns(const struct weir_bsd43 *s);
/* All that the application wrote has been acknowledged, or never will be. */
bool weir_bsd43_done(const struct weir_bsd43 *s);

/* What holds it back: the smaller of both windows. */
static inline u32 weir_bsd43_window(const struct weir_bsd43 *s)
{
	return (u32)weir_min(s->cwnd_bytes, s->window_bytes);
}

/* Its signals, as a controller's. */
enum { WEIR_BSD43_SIGNALS = 8 };
extern const struct weir_signal weir_bsd43_signals[WEIR_BSD43_SIGNALS];
void weir_bsd43_probe(const struct weir_bsd43 *s, u64 value[WEIR_CC_SIGNALS_MAX]);

/* ---- bsd43_rtt.c: what it measures and how long it waits; for bsd43.c and for tests ---- */

/* How many ticks the host's slow timer has seen by now. */
static inline u64 weir_bsd43_tick(const struct weir_bsd43 *s, u64 now_ns)
{
	return (now_ns + WEIR_BSD43_TICK_NS - s->config.tick_phase_ns) / WEIR_BSD43_TICK_NS;
}

void weir_bsd43_rtt_init(struct weir_bsd43 *s);
/* A measurement of so many ticks, counted from 1: a segment that is acknowledged before the next tick took
 * 1. */
void weir_bsd43_rtt_sample(struct weir_bsd43 *s, u64 ticks);
/* The timeout after s->shift timeouts in a row, in ticks, between its least and its largest value. */
u32 weir_bsd43_rtt_rto(const struct weir_bsd43 *s);
/* The path may have changed for good: the mean goes into the deviation, the timeout stays what it is, and the
 * next measurement counts as the first. */
void weir_bsd43_rtt_doubt(struct weir_bsd43 *s);
u64 weir_bsd43_mean_ns(const struct weir_bsd43 *s);
u64 weir_bsd43_deviation_ns(const struct weir_bsd43 *s);

#endif

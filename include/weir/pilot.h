/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Pilots: what watches a connection from outside of the data path and chooses how it is driven.
 *
 * The governor (cc/governor.h) sits on the data path, in every host. It counts, and every report period it
 * hands what it counted to the pilot; it obeys the newest setpoint: which of the pilot's inner controllers
 * holds the window, or which rate to send at, and which wave to lay over it. The wave is made by the
 * governor on its own clock, from integers, so that nothing a pilot's host does to time reaches a pulse. A
 * pilot only detects and chooses; it may use floats, and like a controller it is a total function on a
 * fixed-size state: it cannot fail, allocate, block or look at a clock.
 *
 * A setpoint expires: when reports have gone unanswered for expiry_ns, the governor runs plain Reno until
 * the next setpoint comes.
 *
 * Report and setpoint are shared with programs in the kernel: integers only, every member written, no
 * padding.
 */
#ifndef WEIR_PILOT_H
#define WEIR_PILOT_H

#include "describe.h"
#include "types.h"

#define WEIR_PILOT_ABI 1
#define WEIR_PILOT_INNERS_MAX 4
#define WEIR_PILOT_SETTINGS_MAX 6
#define WEIR_PILOT_SIGNALS_MAX 16
#define WEIR_PILOT_STATE_BYTES (256u << 10) /* most that a pilot may keep */

enum weir_report_flag {
	WEIR_REPORT_APP_LIMITED = 1 << 0, /* the newest rate sample is one of the application's rate */
	WEIR_REPORT_TIMEOUT = 1 << 1,	  /* the retransmission timer fired in the interval */
	WEIR_REPORT_RECOVERY = 1 << 2,	  /* lost data is being repaired */
	WEIR_REPORT_EXPIRED = 1 << 3,	  /* the setpoint had expired: Reno was in charge */
	WEIR_REPORT_IDLE = 1 << 4,	  /* the connection was silent: nothing was in flight for a while */
};

/* What was counted in (now_ns - interval_ns, now_ns], and what holds at now_ns. Bytes are payload. 0 in a
 * *_ns or *_Bps member that is not a sum: not known yet. */
struct weir_report {
	u64 number;	 /* from 1 on; one that is missing was lost between governor and pilot */
	u64 now_ns;	 /* the governor's clock: monotonic, any origin */
	u64 interval_ns; /* may be much longer than asked for: reports are made when something happens */
	u64 acked_bytes, sent_bytes, lost_bytes, ce_bytes; /* sent: as acked and in flight tell */
	u64 app_limited_ns; /* of the interval, that the application had too little to send */
	/* RTT samples: how many, their sum and bounds */
	u64 rtt_n, rtt_sum_ns, rtt_min_ns, rtt_max_ns;
	/* For a regression of RTT over send time, in us, both from those of the interval's first sample:
	 * sums over t, t^2, r, t r. */
	i64 t_sum_us, t2_sum_us2, r_sum_us, tr_sum_us2;
	/* The newest rate sample: the same packets at the sender and, by their ACKs, at the receiver (the
	 * paper's eq. 2). Taken over about one round trip. 0: none in the interval. */
	u64 sample_bytes, send_interval_ns, ack_interval_ns;
	u64 srtt_ns, min_rtt_ns, latest_rtt_ns;
	u64 inflight_bytes, delivered_bytes; /* delivered: since the beginning */
	u64 cwnd_bytes;			     /* the inner controller's window; of a set rate its share of a
						round trip */
	u64 base_Bps;			     /* the rate that the wave is laid over */
	u64 setpoint;			     /* number of the setpoint in force */
	u32 wave_phase;			     /* in 2^-32 of a period; 0 without a wave */
	u32 mss_bytes;
	u32 flags; /* enum weir_report_flag */
	u32 reserved;
};
_Static_assert(sizeof(struct weir_report) == 27 * 8 + 4 * 4, "no padding");

#define WEIR_SETPOINT_RATE 0xffffffffU /* in place of an inner controller: rate_Bps */

struct weir_setpoint {
	u64 number;   /* counts setpoints; the pilot's host writes it */
	u64 rate_Bps; /* with WEIR_SETPOINT_RATE: the base rate, payload bytes per second */
	/* Whenever `seeds` changes, and whenever another inner controller takes over, that one begins anew
	 * with this window, in congestion avoidance; 0: with the host's initial window, in slow start. */
	u64 seed_cwnd_bytes;
	u64 low_pass_ns;	/* time constant of a first-order filter on the base rate; 0: none */
	u64 wave_period_ns;	/* 0: no wave */
	u64 wave_amplitude_Bps; /* of the first quarter of a period; the rest has a third of it below the
				   base, so that the mean is 0 */
	u64 floor_Bps;		/* the rate never falls below it, wave included */
	u64 report_ns;		/* period of reports; 0: none */
	u64 expiry_ns;		/* unanswered reports for so long: Reno */
	u32 inner;		/* index of the pilot's inner controller, or WEIR_SETPOINT_RATE */
	u32 seeds;		/* how often it was seeded */
	u32 cap_percent; /* the window is at most so much of rate x srtt: pacing is the control. 0: 200 */
	u32 paced; /* 0: an inner controller without a wave or a low-pass keeps its own window and pacing,
		      untouched; 1: its window is turned into a rate all the same */
};
_Static_assert(sizeof(struct weir_setpoint) == 9 * 8 + 4 * 4, "no padding");

/* An inner controller of cc/, with what differs from its defaults. */
struct weir_pilot_inner {
	const char *name;
	u32 n_settings;
	struct {
		const char *param;
		u64 value;
	} setting[WEIR_PILOT_SETTINGS_MAX];
};

struct weir_pilot_ops {
	const char *name;   /* the word on the command line; [a-z0-9-] */
	const char *about;  /* one sentence */
	const char *source; /* paper */
	u16 abi, params_bytes, n_params, n_signals;
	u32 state_bytes;
	const struct weir_param *params; /* unit "a|b|c": one of these words, the value is its index */
	const struct weir_signal *signals;
	/* What the setpoint's `inner` counts through, by these parameters; how many. */
	u32 (*inners)(const void *p, struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX]);
	/* The state is zeroed before. *out is zeroed and becomes the first setpoint; its report_ns is not 0.
	 * `seed` keys all random draws. */
	void (*init)(void *s, const void *p, u64 seed, struct weir_setpoint *out);
	/* *io holds the setpoint in force and becomes the next one. */
	void (*on_report)(void *s, const void *p, const struct weir_report *r, struct weir_setpoint *io);
	/* The values behind `signals`, in their order; NaN: none now. */
	void (*probe)(const void *s, double value[WEIR_PILOT_SIGNALS_MAX]);
};

/* ---- binding ----
 * A pilot NAME (a C identifier; the command-line word has '-' for '_') is a file src/pilot/NAME.c that
 * defines struct NAME, struct NAME_params (u64 members only), NAME_param_table[], NAME_signal_table[], static
 * NAME_inners, NAME_init, NAME_on_report, NAME_probe with the signatures above and ends with
 *   WEIR_PILOT(NAME, "word", "about", "source");
 * and a line of src/pilot/list.def. */
#define WEIR_PILOT_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WEIR_PILOT(id, word, about_, source_)                                                                \
	_Static_assert(sizeof(struct id) <= WEIR_PILOT_STATE_BYTES, #id ": state too large");                \
	_Static_assert(sizeof(struct id##_params) == sizeof(u64) * WEIR_PILOT_COUNT(id##_param_table),       \
		       #id ": parameters and their table differ");                                           \
	_Static_assert(WEIR_PILOT_COUNT(id##_signal_table) <= WEIR_PILOT_SIGNALS_MAX,                        \
		       #id ": too many signals");                                                            \
	extern const struct weir_pilot_ops weir_pilot_##id;                                                  \
	const struct weir_pilot_ops weir_pilot_##id = {.name = word,                                         \
						       .about = about_,                                      \
						       .source = source_,                                    \
						       .abi = WEIR_PILOT_ABI,                                \
						       .params_bytes = sizeof(struct id##_params),           \
						       .n_params = WEIR_PILOT_COUNT(id##_param_table),       \
						       .n_signals = WEIR_PILOT_COUNT(id##_signal_table),     \
						       .state_bytes = sizeof(struct id),                     \
						       .params = id##_param_table,                           \
						       .signals = id##_signal_table,                         \
						       .inners = id##_inners,                                \
						       .init = id##_init,                                    \
						       .on_report = id##_on_report,                          \
						       .probe = id##_probe}

#endif

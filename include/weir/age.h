/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The age-controller interface: what decides how often a source sends an update.
 *
 * An age controller is a total function on a small struct, as in weir/cc.h, but with floats: it runs once an
 * ACK and once an epoch, in user space. It cannot fail, allocate, block or look at a clock. Names, numbers of
 * equations and the notation are those of "ACP+: An Age Control Protocol For the Internet" (arXiv
 * 2210.12539).
 *
 * Order: init when the probes are done; on_ack at each ACK in sequence; on_epoch when an epoch ends (at or
 * after its time, never before), after the on_ack of the same moment. What is passed is finite, spans and
 * rates are >= 0. What comes back is clamped by the host: a rate that is not finite or not above 0 is taken
 * as "as before".
 */
#ifndef WEIR_AGE_H
#define WEIR_AGE_H

#include "describe.h"
#include "types.h"

#define WEIR_AGE_ABI 1
#define WEIR_AGE_STATE_BYTES 1024u /* most that a controller may keep */
#define WEIR_AGE_SIGNALS_MAX 8
#define WEIR_AGE_ETA 10 /* updates in an epoch, where the controller does not say its length */

enum weir_age_flag {
	WEIR_AGE_APP_LIMITED = 1 << 0,	/* fewer than half of the slots had something new to send */
	WEIR_AGE_SILENT = 1 << 1,	/* no ACK in sequence came in the epoch */
	WEIR_AGE_PATH_CHANGED = 1 << 2, /* to on_resume: the path is another one now */
	WEIR_AGE_STALLED = 1 << 3, /* the host came late (suspended, overloaded): the averages hold a gap that
				      the path did not make */
};

/* An ACK in sequence (eqs. 3 to 5). Late, doubled and forged ones are not shown. */
struct weir_age_ack {
	double now_s; /* monotonic, any origin: only differences count */
	double rtt_s; /* eq. 4, from the send time, without what the monitor held it; 0: no sample (after a
			 stall) */
	double gap_s; /* Z, eq. 5: since the ACK in sequence before it; 0: no sample (the first, after a
			 stall) */
	double age_s; /* age of the newest acknowledged value, from its generation time (eq. 3) */
	double forward_s;  /* how long it took there, by two clocks and less a constant: only differences
			      count; with rtt_s > 0 */
	u64 acked, sent;   /* N^ and S after it (eq. 1); their difference is the backlog of eq. 2 */
	u32 newly_acked;   /* numbers that left the backlog: 1 and those overtaken or lost */
	u32 newly_arrived; /* of these, how many the monitor had by then, by its own count; late ones are
			      missing */
	u32 newly_marked;  /* updates marked CE on the way, by the monitor's count */
};

/* An epoch that ends now: exact averages over its time, not samples. */
struct weir_age_epoch {
	double now_s, length_s;
	double age_mean_s;   /* Deltabar_k, the source's estimate */
	double backlog_mean; /* Bbar_k */
	double rate_hz;	     /* lambda in force when it ended, after the host's clamps */
	u32 sent;	     /* updates sent in it */
	u32 acked;	     /* ACKs in sequence in it */
	u32 overtaken;	     /* numbers passed over by these: lost or late */
	u32 flags;	     /* enum weir_age_flag */
};

struct weir_age_out {
	double rate_hz; /* updates per second; 0: as before */
	double epoch_s; /* length of the epoch that begins, or of what is left of this one at on_ack; 0: eta /
			   rate */
};

struct weir_age_ops {
	const char *name;   /* the word on the command line; [a-z0-9-] */
	const char *about;  /* one sentence */
	const char *source; /* paper */
	u16 abi, state_bytes, params_bytes;
	u16 n_params, n_signals;
	const struct weir_param *params;
	const struct weir_signal *signals;
	/* The state is zeroed before. rtt_s: mean RTT of the probes, > 0. */
	void (*init)(void *s, const void *p, double now_s, double rtt_s, struct weir_age_out *o);
	void (*on_ack)(void *s, const void *p, const struct weir_age_ack *a, struct weir_age_out *o);
	void (*on_epoch)(void *s, const void *p, const struct weir_age_epoch *e, struct weir_age_out *o);
	/* Optional: feedback is back after an outage, or the path is another one (flags). rtt_s is a new
	 * probe's. The host asks for no more than 1 / rtt_s until the next on_ack, whatever is said here.
	 * NULL: the state is zeroed and init called. */
	void (*on_resume)(void *s, const void *p, double now_s, double rtt_s, u32 flags,
			  struct weir_age_out *o);
	/* Optional: the values behind `signals`, in their order. */
	void (*probe)(const void *s, double value[WEIR_AGE_SIGNALS_MAX]);
};

/* ---- binding ----
 * A controller NAME (a C identifier; the command-line word has '-' for '_') is a file src/age/NAME.c that
 * defines struct NAME, struct NAME_params (u64 fields only), NAME_param_table[], NAME_signal_table[], static
 * void NAME_init, NAME_on_ack, NAME_on_epoch, NAME_probe with the signatures above and ends with
 *   WEIR_AGE_CONTROLLER(NAME, "word", "about", "source", NAME_on_resume or NULL);
 * and a line of src/age/list.def. Each file also compiles as C++ (it is a part of weir_acp.c): no designated
 * initializers, no implicit conversion from void *, and names of its own for all that is static. */
#ifdef __cplusplus
#define WEIR_AGE_ASSERT(condition, why) static_assert(condition, why)
#else
#define WEIR_AGE_ASSERT(condition, why) _Static_assert(condition, why)
#endif
#define WEIR_AGE_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WEIR_AGE_CONTROLLER(id, word, about, source, on_resume)                                              \
	WEIR_AGE_ASSERT(sizeof(struct id) <= WEIR_AGE_STATE_BYTES, #id ": state too large");                 \
	WEIR_AGE_ASSERT(sizeof(struct id##_params) == sizeof(u64) * WEIR_AGE_COUNT(id##_param_table),        \
			#id ": parameters and their table differ");                                          \
	WEIR_AGE_ASSERT(WEIR_AGE_COUNT(id##_signal_table) <= WEIR_AGE_SIGNALS_MAX,                           \
			#id ": too many signals");                                                           \
	extern const struct weir_age_ops weir_age_##id;                                                      \
	const struct weir_age_ops weir_age_##id = {word,                                                     \
						   about,                                                    \
						   source,                                                   \
						   WEIR_AGE_ABI,                                             \
						   sizeof(struct id),                                        \
						   sizeof(struct id##_params),                               \
						   WEIR_AGE_COUNT(id##_param_table),                         \
						   WEIR_AGE_COUNT(id##_signal_table),                        \
						   id##_param_table,                                         \
						   id##_signal_table,                                        \
						   id##_init,                                                \
						   id##_on_ack,                                              \
						   id##_on_epoch,                                            \
						   on_resume,                                                \
						   id##_probe}

#endif

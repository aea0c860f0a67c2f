/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The controller interface: what a rate controller sees, what it may say, and how it is declared.
 *
 * A controller is a total function on a small struct. Given its state, constant parameters, a
 * read-only view of the connection and one event, it updates the state and writes what it wants.
 * It cannot fail, allocate, block, log or look at a clock. Integers only: the same header is
 * compiled into the simulator, into user space and into BPF.
 *
 * Order: of one incoming acknowledgement, on_loss (if data was newly found lost) comes before on_ack.
 * One cut a window: cut only on a loss that carries WEIR_NEW_EPISODE; all others are accounting.
 * Late ticks: on_tick may come any time after wake_ns. Time origin: only differences of now_ns count.
 * First sight: srtt_ns, min_rtt_ns and delivery_Bps are 0 until there is a sample.
 */
#ifndef WEIR_CC_H
#define WEIR_CC_H

#include "describe.h"
#include "num.h"
#include "types.h"

#define WEIR_CC_ABI 1
#define WEIR_CC_HOT_BYTES 96  /* fits the kernel's 104 bytes a socket beside 8 of glue */
#define WEIR_CC_MAX_BYTES 512 /* larger states live in socket storage */
#define WEIR_CC_SIGNALS_MAX 8

enum weir_view_flag {
	WEIR_ROUND_START = 1 << 0,  /* first ACK of data sent after the previous round ended */
	WEIR_APP_LIMITED = 1 << 1,  /* the sample was taken while the sender had too little to send */
	WEIR_CWND_LIMITED = 1 << 2, /* the window, not the application, held the sender back in this round */
	WEIR_RECOVERY = 1 << 3,	    /* lost data is still being repaired */
};
enum weir_loss_kind {
	WEIR_LOSS_PACKET,
	WEIR_LOSS_ECN,
	WEIR_LOSS_SPURIOUS, /* the last cut was a mistake: restore what it took */
};
enum weir_loss_flag {
	WEIR_NEW_EPISODE = 1 << 0, /* first signal about data sent after the last episode began */
};
enum weir_need {			  /* a host that lacks one refuses the controller by name */
		 WEIR_NEED_SEND = 1 << 0, /* on_send for each packet; the kernel has none */
		 WEIR_NEED_TICK =
		     1 << 1, /* on_tick close to wake_ns; the kernel is late by up to one ACK gap */
		 WEIR_NEED_OWD = 1 << 2,  /* one-way delay and age stamps */
		 WEIR_NEED_RATE = 1 << 3, /* delivery_Bps anew on each ACK; without it once a round */
		 WEIR_NEED_OWN_REPAIR =
		     1 << 4, /* its window holds while losses are repaired too: no reduction by RFC 9937 */
};

/* Read-only. 0 in a *_ns or *_Bps field means "not known yet". */
struct weir_view {
	u64 now_ns; /* monotonic, any origin */
	u64 srtt_ns;
	u64 min_rtt_ns;
	u64 inflight_bytes;  /* after this event */
	u64 delivered_bytes; /* cumulative, never wraps in practice */
	u64 delivery_Bps;    /* newest rate sample, bytes per second */
	u64 initial_bytes;   /* initial window that the host allows (RFC 6928) */
	u32 mss_bytes;
	u32 flags; /* enum weir_view_flag */
};

/* One acknowledgement, however many packets it covers. */
struct weir_ack {
	u64 acked_bytes;    /* newly delivered, in order or not */
	u64 rtt_ns;	    /* newest valid sample, 0 if none */
	u64 owd_ns, age_ns; /* with WEIR_NEED_OWD, else 0 */
	u64 ce_bytes;	    /* of acked_bytes, marked CE */
	/* With WEIR_NEED_RATE, the newest rate sample: the same packets as they left and, by their ACKs, as
	 * they arrived, over about one round trip. 0: none in this ACK. */
	u64 sample_bytes, send_interval_ns, ack_interval_ns;
};

struct weir_loss {
	u64 lost_bytes;
	u64 sent_ns;		    /* when the newest lost packet left; 0 where the host cannot tell */
	u64 inflight_at_send_bytes; /* likewise */
	u32 kind;		    /* enum weir_loss_kind */
	u32 flags;		    /* enum weir_loss_flag */
};

/* Write-only, never read back by the host's next view. 0: no opinion. */
struct weir_out {
	u64 cwnd_bytes; /* the host rounds and clamps it */
	u64 pacing_Bps; /* payload bytes per second */
	u64 wake_ns;	/* absolute: call on_tick at or after this time */
};

struct weir_cc_ops {
	const char *name;   /* the word on the command line; [a-z0-9-] */
	const char *about;  /* one sentence */
	const char *source; /* paper or RFC */
	u16 abi, needs;
	u16 state_bytes, params_bytes;
	u16 n_params, n_signals;
	const struct weir_param *params;
	const struct weir_signal *signals;
	void (*init)(void *s, const void *p, const struct weir_view *v, struct weir_out *o);
	void (*on_ack)(void *s, const void *p, const struct weir_view *v, const struct weir_ack *a,
		       struct weir_out *o);
	void (*on_loss)(void *s, const void *p, const struct weir_view *v, const struct weir_loss *l,
			struct weir_out *o);
	void (*on_timeout)(void *s, const void *p, const struct weir_view *v, struct weir_out *o);
	/* optional: about to send after idle_ns without an ACK or a packet sent */
	void (*on_idle)(void *s, const void *p, const struct weir_view *v, u64 idle_ns, struct weir_out *o);
	/* optional, with WEIR_NEED_SEND */
	void (*on_send)(void *s, const void *p, const struct weir_view *v, u64 bytes, struct weir_out *o);
	/* optional: wake_ns has come */
	void (*on_tick)(void *s, const void *p, const struct weir_view *v, struct weir_out *o);
	/* optional, right after init: a governor hands the connection over with this window, which is that of
	 * a connection in congestion avoidance. Without it: a slow start from the initial window. */
	void (*on_seed)(void *s, const void *p, const struct weir_view *v, u64 cwnd_bytes,
			struct weir_out *o);
	/* optional: the values behind `signals` */
	void (*probe)(const void *s, u64 value[WEIR_CC_SIGNALS_MAX]);
};

/* ---- binding ----
 * A controller NAME (a C identifier; the command-line word has '-' for '_') is a header that defines
 *   struct NAME, struct NAME_params (u64 fields only),
 *   WEIR_CORE NAME_init, NAME_on_ack, NAME_on_loss, NAME_on_timeout,
 *   static const struct weir_param NAME_param_table[] and struct weir_signal NAME_signal_table[]
 *     (host only: put them in #ifndef __BPF__), WEIR_CORE NAME_probe,
 * and ends with
 *   WEIR_CONTROLLER(NAME, "word", .about = "...", .source = "...");
 * A further callback takes its binder before that line and its member in it:
 *   WEIR_BIND_ON_IDLE(NAME)
 *   WEIR_CONTROLLER(NAME, "word", .about = "...", .source = "...", .on_idle = NAME##_bound_on_idle); */
#ifdef __BPF__ /* all calls are inlined there, and the kernel needs no words */
#define WEIR_BOUND WEIR_CORE void
#define WEIR_CC_CHECK_TABLES(id) _Static_assert(1, #id)
#define WEIR_CC_TABLES(id)
#else
#define WEIR_BOUND static void
#define WEIR_CC_CHECK_TABLES(id)                                                                             \
	_Static_assert(sizeof(struct id##_params) ==                                                         \
			   sizeof(u64) * sizeof(id##_param_table) / sizeof(id##_param_table[0]),             \
		       #id ": parameters and their table differ");                                           \
	_Static_assert(sizeof(id##_signal_table) / sizeof(id##_signal_table[0]) <= WEIR_CC_SIGNALS_MAX,      \
		       #id ": too many signals")
#define WEIR_CC_TABLES(id)                                                                                   \
	.n_params = sizeof(id##_param_table) / sizeof(id##_param_table[0]),                                  \
	.n_signals = sizeof(id##_signal_table) / sizeof(id##_signal_table[0]), .params = id##_param_table,   \
	.signals = id##_signal_table,
#endif
#define WEIR_BIND_ON_IDLE(name)                                                                              \
	WEIR_BOUND name##_bound_on_idle(void *s, const void *p, const struct weir_view *v, u64 idle_ns,      \
					struct weir_out *o)                                                  \
	{                                                                                                    \
		name##_on_idle((struct name *)s, (const struct name##_params *)p, v, idle_ns, o);            \
	}                                                                                                    \
	_Static_assert(1, "")
#define WEIR_BIND_ON_SEND(name)                                                                              \
	WEIR_BOUND name##_bound_on_send(void *s, const void *p, const struct weir_view *v, u64 bytes,        \
					struct weir_out *o)                                                  \
	{                                                                                                    \
		name##_on_send((struct name *)s, (const struct name##_params *)p, v, bytes, o);              \
	}                                                                                                    \
	_Static_assert(1, "")
#define WEIR_BIND_ON_TICK(name)                                                                              \
	WEIR_BOUND name##_bound_on_tick(void *s, const void *p, const struct weir_view *v,                   \
					struct weir_out *o)                                                  \
	{                                                                                                    \
		name##_on_tick((struct name *)s, (const struct name##_params *)p, v, o);                     \
	}                                                                                                    \
	_Static_assert(1, "")
#define WEIR_BIND_ON_SEED(name)                                                                              \
	WEIR_BOUND name##_bound_on_seed(void *s, const void *p, const struct weir_view *v, u64 cwnd_bytes,   \
					struct weir_out *o)                                                  \
	{                                                                                                    \
		name##_on_seed((struct name *)s, (const struct name##_params *)p, v, cwnd_bytes, o);         \
	}                                                                                                    \
	_Static_assert(1, "")
#define WEIR_CONTROLLER(id, word, ...)                                                                       \
	WEIR_BOUND id##_bound_init(void *s, const void *p, const struct weir_view *v, struct weir_out *o)    \
	{                                                                                                    \
		id##_init((struct id *)s, (const struct id##_params *)p, v, o);                              \
	}                                                                                                    \
	WEIR_BOUND id##_bound_on_ack(void *s, const void *p, const struct weir_view *v,                      \
				     const struct weir_ack *a, struct weir_out *o)                           \
	{                                                                                                    \
		id##_on_ack((struct id *)s, (const struct id##_params *)p, v, a, o);                         \
	}                                                                                                    \
	WEIR_BOUND id##_bound_on_loss(void *s, const void *p, const struct weir_view *v,                     \
				      const struct weir_loss *l, struct weir_out *o)                         \
	{                                                                                                    \
		id##_on_loss((struct id *)s, (const struct id##_params *)p, v, l, o);                        \
	}                                                                                                    \
	WEIR_BOUND id##_bound_on_timeout(void *s, const void *p, const struct weir_view *v,                  \
					 struct weir_out *o)                                                 \
	{                                                                                                    \
		id##_on_timeout((struct id *)s, (const struct id##_params *)p, v, o);                        \
	}                                                                                                    \
	WEIR_BOUND id##_bound_probe(const void *s, u64 value[WEIR_CC_SIGNALS_MAX])                           \
	{                                                                                                    \
		id##_probe((const struct id *)s, value);                                                     \
	}                                                                                                    \
	_Static_assert(sizeof(struct id) <= WEIR_CC_MAX_BYTES, #id ": state too large");                     \
	WEIR_CC_CHECK_TABLES(id);                                                                            \
	__attribute__((unused)) static const struct weir_cc_ops weir_cc_##id = {                             \
	    .name = word,                                                                                    \
	    .abi = WEIR_CC_ABI,                                                                              \
	    .state_bytes = sizeof(struct id),                                                                \
	    .params_bytes = sizeof(struct id##_params),                                                      \
	    WEIR_CC_TABLES(id).init = id##_bound_init,                                                       \
	    .on_ack = id##_bound_on_ack,                                                                     \
	    .on_loss = id##_bound_on_loss,                                                                   \
	    .on_timeout = id##_bound_on_timeout,                                                             \
	    .probe = id##_bound_probe,                                                                       \
	    __VA_ARGS__};                                                                                    \
	WEIR_CC_EXPORT(id)
/* A header compiled on the fly is found through this one symbol. */
#if defined(WEIR_CC_ON_THE_FLY) && !defined(__BPF__)
#define WEIR_CC_EXPORT(name)                                                                                 \
	const struct weir_cc_ops *weir_cc_export(void);                                                      \
	const struct weir_cc_ops *weir_cc_export(void)                                                       \
	{                                                                                                    \
		return &weir_cc_##name;                                                                      \
	}                                                                                                    \
	_Static_assert(1, "")
#else
#define WEIR_CC_EXPORT(name) _Static_assert(1, "")
#endif

#endif

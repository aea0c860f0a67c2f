/* SPDX-License-Identifier: MIT */
/* Applications, written once for every host: sans-I/O, told the time, never asking for it.
 * A stream application says how many bytes it has written so far; a datagram application says, when
 * woken, that one packet of so many bytes leaves now. */
#ifndef WEIR_APP_APP_H
#define WEIR_APP_APP_H

#include "core/rng.h"

enum weir_app_kind {
	WEIR_APP_BULK,	 /* stream: always has more */
	WEIR_APP_SIZED,	 /* stream: size_bytes, then closed */
	WEIR_APP_PACED,	 /* stream: chunk_bytes written each chunk / rate */
	WEIR_APP_ON_OFF, /* stream: bulk (rate_bps 0) or paced in the on periods, silent in the off periods */
	WEIR_APP_REQUEST, /* stream: size_bytes for each request; the next request think_ns after the last
			     byte */
	WEIR_APP_CBR,	  /* datagrams of chunk_bytes at equal gaps */
	WEIR_APP_POISSON, /* datagrams of chunk_bytes at exponential gaps */
};

struct weir_app_config {
	enum weir_app_kind kind;
	u64 rate_bps;	   /* of the bytes that the application writes; for datagrams of wire bytes */
	u64 chunk_bytes;   /* size of a write or of a datagram on the wire */
	u64 size_bytes;	   /* SIZED, REQUEST */
	u64 on_ns, off_ns; /* ON_OFF: mean lengths */
	bool exponential;  /* ON_OFF, REQUEST: periods and think times are exponential, else constant */
	u64 think_ns;	   /* REQUEST */
};

/* Fixed size, no allocation; copyable. */
struct weir_app {
	struct weir_app_config config;
	struct weir_rng rng;
	u64 written_bytes; /* stream: total so far; WEIR_NEVER = endless */
	bool closed;	   /* stream: written_bytes is final */
	bool on;	   /* ON_OFF */
	u64 wake_ns;	   /* call weir_app_on_wake then; WEIR_NEVER = nothing planned */
	u64 phase_end_ns;  /* ON_OFF */
	u64 started_ns, stop_ns;
	u64 requests; /* REQUEST: asked for so far (at the receiver) and served so far (at the sender) */
	u64 carry;    /* remainder of gap computations, so that rates are exact */
};

bool weir_app_is_datagram(enum weir_app_kind kind);
void weir_app_start(struct weir_app *a, const struct weir_app_config *c, u64 seed, u64 flow, u64 now_ns);
/* wake_ns has come. Stream: updates written_bytes and closed. Returns the wire bytes of the datagram that
 * leaves now, 0 for none. Always moves wake_ns forward. */
u64 weir_app_on_wake(struct weir_app *a, u64 now_ns);
/* The receiving side has delivered so many bytes of the stream in order. For WEIR_APP_REQUEST it returns
 * the time at which the next request should leave the receiver, else WEIR_NEVER. */
u64 weir_app_on_delivered(struct weir_app *a, u64 now_ns, u64 total_bytes);
/* A request (number n, from 1) reached the sending side; repeats are harmless. */
void weir_app_on_request(struct weir_app *a, u64 now_ns, u64 n);
/* No more data after now: a stream is closed at what is written, datagrams end. */
void weir_app_stop(struct weir_app *a, u64 now_ns, u64 sent_bytes);

#endif

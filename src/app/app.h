/* SPDX-License-Identifier: MIT */
/* Applications, written once for every host: sans-I/O, told the time, never asking for it.
 * A stream application says how many bytes it has written so far; a datagram application says, when
 * woken, that one packet of so many bytes leaves now.
 *
 * A host calls, in this order: weir_app_start; then weir_app_on_delivered(a, now, 0) once, which gives
 * the time of the first request where there are requests; then weir_app_on_wake whenever wake_ns has
 * come (it may be start's now_ns itself: the first datagram of CBR); weir_app_stop at most once.
 * written_bytes, closed and wake_ns are read after each call. */
#ifndef WEIR_APP_APP_H
#define WEIR_APP_APP_H

#include "core/rng.h"
#include "video.h"

enum weir_app_kind {
	WEIR_APP_BULK,	  /* stream: always has more */
	WEIR_APP_SIZED,	  /* stream: size_bytes, then closed */
	WEIR_APP_PACED,	  /* stream: chunk_bytes written each chunk / rate, the first at the start */
	WEIR_APP_ON_OFF,  /* stream: bulk (rate_bps 0) or paced in the on periods, silent in the off periods;
			     begins with an on period. The clock of the chunks stands still while off, so
			     that the rate holds over the on time exactly */
	WEIR_APP_REQUEST, /* stream: size_bytes for each request; the next request think_ns after the last
			     byte */
	WEIR_APP_CBR,	  /* datagrams of chunk_bytes at equal gaps, the first at the start */
	WEIR_APP_POISSON, /* datagrams of chunk_bytes at exponential gaps */
	WEIR_APP_UPDATES, /* each chunk_bytes tell a state of rate_uhz: at equal gaps, the first at the start,
			     or at exponential ones. A stream, or datagrams */
	WEIR_APP_ARRIVALS, /* for a host each is a flow of its own, SIZED: arrivals.h */
	WEIR_APP_VIDEO,	   /* stream: the receiver asks for chunks of video, of a bitrate that it chooses */
	WEIR_APP_KINDS
};

struct weir_app_config {
	enum weir_app_kind kind;
	u64 rate_bps;	   /* of the bytes that the application writes; for datagrams of wire bytes. 0: a
			      paced or datagram application is silent */
	u64 chunk_bytes;   /* size of a write or of a datagram on the wire; 0 counts as 1 */
	u64 size_bytes;	   /* SIZED, REQUEST */
	u64 on_ns, off_ns; /* ON_OFF: mean lengths; off 0 = never off, on 0 = never on */
	u64 rate_uhz;	   /* UPDATES: how many a second, in millionths; 0: none ever */
	bool datagrams;	   /* UPDATES: each is one, chunk_bytes on the wire; else they are written */
	bool exponential;  /* ON_OFF, REQUEST, UPDATES: periods, think times and gaps are exponential, else
			      constant */
	u64 think_ns;	   /* REQUEST */
	struct weir_video_config video;
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
	u64 chunk_ns; /* ON_OFF with a rate: when the next chunk is due; while off, how long after the next
			 on */
	u64 started_ns, stop_ns; /* stop_ns: when weir_app_stop came, WEIR_NEVER before */
	/* REQUEST and VIDEO, at the receiver: asked for so far, answers or bytes. A request that leaves now
	 * has this number. At the sender: the highest seen. */
	u64 requests, served;
	struct weir_video video; /* at the receiver */
	i64 carry;		 /* remainder of gap computations, so that rates are exact */
};

/* What `weir list applications` shows and the scenario checker knows; in the order of the kinds. */
struct weir_app_info {
	const char *name; /* the word in a scenario */
	const char *about;
	bool datagram;				    /* always */
	bool needs_rate, needs_size, needs_periods; /* keys without which it makes no sense */
};
extern const struct weir_app_info weir_app_infos[WEIR_APP_KINDS];

bool weir_app_is_datagram(enum weir_app_kind kind); /* whatever its config */
bool weir_app_sends_datagrams(const struct weir_app_config *c);
bool weir_app_is_asked_for(enum weir_app_kind kind); /* the receiver makes requests */
void weir_app_start(struct weir_app *a, const struct weir_app_config *c, u64 seed, u64 flow, u64 now_ns);
/* wake_ns has come. Stream: updates written_bytes and closed; sent_bytes says how many bytes of the stream
 * have been sent at least once, which is where an endless burst ends. Returns the wire bytes of the
 * datagram that leaves now, 0 for none. Does what was due at wake_ns, once, and always moves wake_ns
 * forward, counted from when it was due: a host that is late calls again while wake_ns has come, and the
 * rate holds. */
u64 weir_app_on_wake(struct weir_app *a, u64 now_ns, u64 sent_bytes);
/* The receiving side has delivered so many bytes of the stream in order. Where there are requests it returns
 * the time at which the next one (number a->requests) should leave the receiver, once for each, else
 * WEIR_NEVER. */
u64 weir_app_on_delivered(struct weir_app *a, u64 now_ns, u64 total_bytes);
/* A request (number n, from 1) reached the sending side; repeats are harmless, and a later number asks for
 * all before it. */
void weir_app_on_request(struct weir_app *a, u64 now_ns, u64 n);
/* No more data after now: a stream is closed at what has been sent, whatever was written beyond it;
 * datagrams end, no further request is made or served. */
void weir_app_stop(struct weir_app *a, u64 now_ns, u64 sent_bytes);

#endif

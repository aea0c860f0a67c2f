/* SPDX-License-Identifier: MIT */
/* The outside of DTLS 1.2 datagrams (RFC 6347, sections 4.1, 4.2.2 and 4.3.2): as much as is needed to tell
 * who gets a datagram and to throw away what is none, before a library with state sees it. */
#ifndef WEIR_NET_DTLS_RECORD_H
#define WEIR_NET_DTLS_RECORD_H

#include "weir/types.h"

#define WEIR_DTLS_HEADER_BYTES 13
#define WEIR_DTLS_RECORD_BYTES (16384 + 2048) /* the most that a protected record may hold */
#define WEIR_DTLS_RANDOM_BYTES 32

enum weir_dtls_type {
	WEIR_DTLS_CHANGE_CIPHER = 20,
	WEIR_DTLS_ALERT = 21,
	WEIR_DTLS_HANDSHAKE = 22,
	WEIR_DTLS_DATA = 23,
};

struct weir_dtls_record {
	u8 type;      /* one of weir_dtls_type */
	u16 epoch;    /* 0: not protected, anybody can have written it */
	u64 sequence; /* 48 bits */
	const u8 *body;
	size_t bytes; /* of the body */
};

/* The first record of these bytes. Returns how many bytes it takes, 0 when there is none: too short, a type
 * or version that is not DTLS 1.0 or 1.2, or a length that goes past the end. */
size_t weir_dtls_record_take(const u8 *data, size_t bytes, struct weir_dtls_record *r);

/* The first record, when the datagram is whole records from the first byte to the last. */
bool weir_dtls_datagram_take(const u8 *data, size_t bytes, struct weir_dtls_record *first);

/* What a listener may know of a client before it keeps any state. */
struct weir_dtls_hello {
	const u8 *random; /* WEIR_DTLS_RANDOM_BYTES: the same in a retransmission and after the cookie */
	size_t cookie_bytes;
};

/* Whether a record is a ClientHello, or its first fragment with at least all of it up to the cookie. */
bool weir_dtls_hello_take(const struct weir_dtls_record *r, struct weir_dtls_hello *hello);

/* Which numbers of an epoch have been accepted: the newest 64, as in RFC 6347, section 4.1.2.6. The library
 * has its own; this one tells a replay from a forgery for the counters. */
struct weir_dtls_window {
	u64 top, seen; /* bit i: top - i */
};

static inline bool weir_dtls_window_seen(const struct weir_dtls_window *w, u64 sequence)
{
	if (!w->seen || sequence > w->top)
		return false;
	u64 behind = w->top - sequence;
	return behind >= 64 || (w->seen >> behind & 1);
}

static inline void weir_dtls_window_add(struct weir_dtls_window *w, u64 sequence)
{
	if (!w->seen || sequence > w->top) {
		u64 ahead = sequence - w->top;
		w->seen = w->seen && ahead < 64 ? w->seen << ahead | 1 : 1;
		w->top = sequence;
	} else if (w->top - sequence < 64) {
		w->seen |= 1ULL << (w->top - sequence);
	}
}

#endif

/* SPDX-License-Identifier: MIT */
/* The bytes of a packet: docs/formats.md, "Telemetry on the wire". Big endian, fixed size, no option. */
#ifndef WEIR_AGE_WIRE_H
#define WEIR_AGE_WIRE_H

#include "packet.h"

#define WEIR_AGE_WIRE_MAGIC 0x57 /* first byte; no content type of DTLS, RTP, STUN or QUIC begins so */
#define WEIR_AGE_WIRE_VERSION 1
#define WEIR_AGE_HEADER_BYTES 64 /* of PROBE and UPDATE; the value follows an UPDATE */
#define WEIR_AGE_ANSWER_BYTES 60 /* of ACK, PROBE_ACK and RESET: never more than what they answer */
#define WEIR_AGE_VALUE_BYTES_MAX                                                                             \
	1400 /* so that an update fits into one datagram of any path: RFC 8085, 3.2 */

enum weir_age_wire {
	WEIR_AGE_WIRE_OK,
	WEIR_AGE_WIRE_SHORT,   /* truncated */
	WEIR_AGE_WIRE_STRANGE, /* another protocol */
	WEIR_AGE_WIRE_NEWER,   /* ours, of an unknown version */
	WEIR_AGE_WIRE_TYPE,    /* of an unknown type */
	WEIR_AGE_WIRE_KINDS
};

/* For counters and messages: "truncated", "another protocol", ... */
extern const char *const weir_age_wire_words[WEIR_AGE_WIRE_KINDS];

/* Writes the packet and returns its bytes, each of which is defined; 0: `room` is too small or the type is
 * none. The value of an UPDATE goes behind them. */
u32 weir_age_encode(const struct weir_age_packet *p, u8 *to, size_t room);

/* Reads a packet; *p is written only where the result is WEIR_AGE_WIRE_OK. The value of an UPDATE is what
 * follows WEIR_AGE_HEADER_BYTES; what follows a packet of another type is ignored. */
enum weir_age_wire weir_age_decode(struct weir_age_packet *p, const u8 *from, size_t bytes);

/* What follows the header of a PROBE or an UPDATE. */
struct weir_age_body {
	const u8 *name, *value;
	u32 name_bytes, value_bytes; /* no name: 0 */
};

/* Finds the value behind a decoded packet in the same bytes, and the name before it where flags say
 * WEIR_AGE_NAMED: one byte with its length, then the name in UTF-8 (not checked here), then the value. false:
 * the name is truncated. */
bool weir_age_body(const struct weir_age_packet *p, const u8 *from, size_t bytes, struct weir_age_body *body);

#endif

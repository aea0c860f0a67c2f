/* SPDX-License-Identifier: MIT */
/* What a source and its monitor say to each other, decoded. The state machines exchange these; bytes are made
 * of them by age/wire.h, and a simulator never needs bytes. The value itself is no part of it: the host
 * carries it behind an UPDATE.
 *
 *   source                               monitor
 *   PROBE (number, send time)         ->           the first one opens a session
 *                                    <- PROBE_ACK  number and send time back, the session
 *   UPDATE (session, number, times)   ->           delivered if newer than all before it in the session
 *                                    <- ACK        of the highest received, whatever came
 *   UPDATE of no session known        ->           not delivered
 *                                    <- RESET      with a session from now on, or with 0: probe first
 *
 * Sessions are what keeps a stale value from following a newer one when one end forgets: a monitor delivers
 * only what carries the session that it gave to this incarnation of the source last, so nothing that was on
 * its way before a restart of either end is ever taken for new.
 */
#ifndef WEIR_AGE_PACKET_H
#define WEIR_AGE_PACKET_H

#include "weir/types.h"

enum weir_age_type {
	WEIR_AGE_NONE, /* no packet: what poll and receive write where nothing is to be sent */
	WEIR_AGE_PROBE,
	WEIR_AGE_PROBE_ACK,
	WEIR_AGE_UPDATE,
	WEIR_AGE_ACK,
	WEIR_AGE_RESET,
	WEIR_AGE_TYPES
};

enum weir_age_packet_flag {
	WEIR_AGE_AGAIN = 1 << 0, /* UPDATE: the value of the one before it once more, under a new number */
	WEIR_AGE_NAMED = 1 << 1	 /* PROBE, UPDATE: a name follows the header (age/wire.h); the host sets it,
				    the  state machines do not look at it */
};

/* "Not known" of offset_error_us, held_us. */
#define WEIR_AGE_UNKNOWN 0xffffffffU

/* Fields that a type does not carry are 0. Times are of the clock of the side that is named, in ns, any
 * origin. */
struct weir_age_packet {
	u64 flow_id;
	u32 incarnation; /* of the source: another one after each of its starts */
	u32 session;	 /* given by the monitor, never 0; PROBE: 0; RESET: from now on, or 0 */
	u32 sequence;	 /* UPDATE: its number; PROBE, PROBE_ACK: the probe's, in a space of its own; ACK: the
			    highest received in the session; RESET: that of the update it answers */
	u8 type;	 /* enum weir_age_type */
	u8 flags;	 /* enum weir_age_packet_flag; unknown ones are ignored */
	bool marked;	 /* set by the host that received it: ECN said CE */

	u64 sent_ns;	  /* source's clock: when it left; answers echo that of their sequence */
	u64 generated_ns; /* source's clock: UPDATE: when the value was made; ACK echoes it; 0 otherwise */

	/* UPDATE and PROBE: what the source knows, for whoever watches the monitor. */
	i64 offset_ns;	     /* monitor's clock minus source's: the truth lies within +- error of it */
	u32 offset_error_us; /* half of the interval; WEIR_AGE_UNKNOWN: no offset */
	u32 rtt_us;	     /* smoothed; 0: not known */
	u32 rate_mhz;	     /* lambda, updates in 1000 s */
	u32 backlog_updates; /* S - N^ */

	/* ACK, PROBE_ACK */
	u64 received_ns;  /* monitor's clock: when `sequence` came */
	u32 held_us;	  /* from then to this answer; 0 for an ACK in sequence */
	u32 received;	  /* updates of the session so far, doubles and late ones too; mod 2^32 */
	u32 marked_count; /* those of them that were marked CE; mod 2^32 */
};

#endif

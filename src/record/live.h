/* SPDX-License-Identifier: MIT */
/* Logs of real packets while they pass: one in mahimahi's format for each hop, and captures of both ends. The
 * thread that carries the packets only copies them into a ring; another one writes. What does not fit into
 * the ring is counted, never waited for. */
#ifndef WEIR_RECORD_LIVE_H
#define WEIR_RECORD_LIVE_H

#include "weir/types.h"

#define WEIR_LIVE_WHY_BYTES 256

struct weir_live;

struct weir_live_hop {
	const char *name, *queue;
	char about[192]; /* what its times include: a comment in the log */
};

struct weir_live_config {
	const char *command; /* who made the logs, as they say; NULL: weir link */
	const char *log;     /* FILE.HOP is made for each hop; NULL: none */
	const char *capture; /* as seen at the left end; FILE-beyond at the right one; NULL: none */
	u32 snap_bytes;	     /* of each packet in a capture */
	const struct weir_live_hop *hop;
	u32 n_hops;
	/* What the hop could have transmitted by now_ns; asked on the writing thread, times never go back. */
	u64 (*capacity_bytes)(void *ctx, u32 hop, u64 now_ns);
	void *ctx;
};

/* Makes the files; a capture's second one is FILE with "-beyond" before its ending. NULL with a sentence in
 * *why. The configuration's hops are copied. */
struct weir_live *weir_live_open(const struct weir_live_config *c, char why[WEIR_LIVE_WHY_BYTES]);
/* Times of events count from start_ns (CLOCK_MONOTONIC); begins the writing thread, with all signals blocked.
 * 0, or -1 with errno set. */
int weir_live_start(struct weir_live *l, u64 start_ns);

/* From one thread, that which carries. */
enum weir_live_kind { WEIR_LIVE_ARRIVAL, WEIR_LIVE_DEPARTURE, WEIR_LIVE_DROP, WEIR_LIVE_PACKET };
void weir_live_event(struct weir_live *l, enum weir_live_kind kind, u64 now_ns, u32 hop, u32 wire_bytes,
		     u64 wait_ns);
/* `side` 0: the left end. Unfinished checksums are finished in the copy. */
void weir_live_packet(struct weir_live *l, u64 now_ns, u32 side, const u8 *ip, u32 captured_bytes,
		      u32 wire_bytes);

struct weir_live_lost {
	u64 events, packets; /* that the ring had no room for */
};
/* Writes what is left, up to end_ns. 0, or -1 with a sentence in *why when anything could not be written.
 * Frees. */
int weir_live_close(struct weir_live *l, u64 end_ns, struct weir_live_lost *lost,
		    char why[WEIR_LIVE_WHY_BYTES]);

#endif

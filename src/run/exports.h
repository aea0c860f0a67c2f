/* SPDX-License-Identifier: MIT */
/* Files on request: packets.pcap and packets-receiver.pcap, trace.qlog, iperf3.json, one mahimahi-HOP.log a
 * hop, and sends.csv. All of them watch the world through its taps and change nothing. */
#ifndef WEIR_RUN_EXPORTS_H
#define WEIR_RUN_EXPORTS_H

#include "build.h"
#include "record/sends.h"

struct weir_exports;

struct weir_exports_wanted {
	bool pcap, qlog, iperf3, mahimahi, sends;
};
bool weir_exports_any(const struct weir_exports_wanted *w);

/* "droptail", as mahimahi writes it; `aqm` is the scenario's. */
const char *weir_exports_queue_name(u32 aqm);

/* Creates the files in a directory. NULL with errno set, and *file naming the culprit, when that fails. */
struct weir_exports *weir_exports_open(const struct weir_exports_wanted *w, const char *directory,
				       const struct weir_scenario *s, const char **file);
/* Only the packets sent, into the caller's memory and no file. NULL when out of memory. */
struct weir_exports *weir_exports_sends(struct weir_sends *to);
/* Before the flows run. world: NULL in an emulation, where packets and hops are watched as they pass
 * (emulate_live.h), and iperf3.json is what is written here. 0, or -1 when out of memory. */
int weir_exports_attach(struct weir_exports *x, const struct weir_build *b, struct weir_world *world);
/* When the world must stop next for the exports, after now_ns; and that it stands there. */
u64 weir_exports_next_ns(const struct weir_exports *x, u64 now_ns);
void weir_exports_tick(struct weir_exports *x, u64 now_ns);
/* The run ended at now_ns, maybe early: what is open is brought to its end. Before the build is freed. */
void weir_exports_end(struct weir_exports *x, u64 now_ns, bool interrupted);
/* 0, or -1 with errno and *file set when anything could not be written. Frees. */
int weir_exports_close(struct weir_exports *x, const char **file);

#endif

/* SPDX-License-Identifier: MIT */
/* A document in the shape of `iperf3 --json`, so that what reads those reads our runs: each flow with a
 * controller is a stream, intervals of a second. Written as the run goes. What a simulation has not
 * (host CPU, cookies) is 0 or empty; RTT is in microseconds, cwnd in bytes, as there. */
#ifndef WEIR_RECORD_IPERF3_H
#define WEIR_RECORD_IPERF3_H

#include "json.h"

#define WEIR_IPERF3_INTERVAL_NS 1000000000ULL

struct weir_iperf3_stream {
	char name[96], controller[96];
	u32 mss_bytes;
	/* the newest reading, by the caller; bytes and retransmits are running totals */
	u64 sent_bytes, received_bytes, retransmits, cwnd_bytes, srtt_ns;
	/* private */
	u64 last_bytes, last_retransmits, max_cwnd_bytes, max_rtt_ns, min_rtt_ns, rtt_sum_ns, rtt_n;
};

struct weir_iperf3 {
	FILE *out;
	struct weir_json j;
	u64 last_ns;
	u32 n;
	struct weir_iperf3_stream *stream; /* caller's */
};

/* `out` is closed by weir_iperf3_close. */
void weir_iperf3_begin(struct weir_iperf3 *p, FILE *out, struct weir_iperf3_stream *stream, u32 n,
		       u64 duration_ns);
/* The streams' readings are of now_ns: writes the interval since the last one. */
void weir_iperf3_interval(struct weir_iperf3 *p, u64 now_ns);
/* error: NULL, or why the run ended early. */
void weir_iperf3_end(struct weir_iperf3 *p, u64 now_ns, const char *error);
/* 0, or -1 with errno set when anything could not be written. */
int weir_iperf3_close(struct weir_iperf3 *p);

#endif

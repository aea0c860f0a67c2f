/* SPDX-License-Identifier: MIT */
/* trace.qlog: JSON text sequences (RFC 7464) in the qlog schema, times in ms relative to the start. One
 * trace for the whole run; `group_id` is the flow's name. Tools that draw a connection (qvis) thus draw
 * what the sender knew at each ACK. */
#ifndef WEIR_RECORD_QLOG_H
#define WEIR_RECORD_QLOG_H

#include "json.h"

struct weir_qlog {
	FILE *out;
	int error;
	u64 bytes; /* written so far */
	struct weir_json j;
};

struct weir_qlog_metrics {
	u64 min_rtt_ns, srtt_ns, latest_rtt_ns; /* 0: not known yet, left out */
	u64 cwnd_bytes, inflight_bytes, packets_in_flight;
	u64 pacing_bps; /* 0: not paced, left out */
};

/* `out` is closed by weir_qlog_close. */
void weir_qlog_begin(struct weir_qlog *q, FILE *out, const char *title);
/* The same with events of one more schema, named by its URI. */
void weir_qlog_begin_with(struct weir_qlog *q, FILE *out, const char *title, const char *schema);
void weir_qlog_metrics(struct weir_qlog *q, u64 now_ns, const char *flow, const struct weir_qlog_metrics *m);
void weir_qlog_state(struct weir_qlog *q, u64 now_ns, const char *flow, bool was_recovery, bool is_recovery);
/* Data packets; `seq` is the stream offset of the first byte, or the number of a datagram. */
void weir_qlog_packet(struct weir_qlog *q, u64 now_ns, const char *flow, bool sent, u64 seq, u32 wire_bytes,
		      bool retransmit);
/* An event of another schema: put its data into the object that is returned, then end it. */
struct weir_json *weir_qlog_event(struct weir_qlog *q, u64 now_ns, const char *flow, const char *name);
void weir_qlog_event_end(struct weir_qlog *q);
/* 0, or -1 with errno set when anything could not be written. */
int weir_qlog_close(struct weir_qlog *q);

#endif

/* SPDX-License-Identifier: MIT */
#include "qlog.h"

#include <errno.h>
#include <string.h>

#define RECORD_SEPARATOR 0x1e

static void begin(struct weir_qlog *q)
{
	weir_json_rewind(&q->j);
	weir_json_line(&q->j);
	weir_json_object(&q->j);
}

static void end(struct weir_qlog *q)
{
	weir_json_object_end(&q->j);
	size_t n = 0;
	const char *text = weir_json_finish(&q->j) < 0 ? NULL : weir_json_text(&q->j, &n);
	if (q->error)
		return;
	if (!text || putc(RECORD_SEPARATOR, q->out) == EOF || fwrite(text, 1, n, q->out) != n)
		q->error = errno ? errno : EIO;
	q->bytes += n + 1;
}

void weir_qlog_begin(struct weir_qlog *q, FILE *out, const char *title)
{
	weir_qlog_begin_with(q, out, title, NULL);
}

void weir_qlog_begin_with(struct weir_qlog *q, FILE *out, const char *title, const char *schema)
{
	memset(q, 0, sizeof *q);
	q->out = out;
	weir_json_to_buffer(&q->j);
	begin(q);
	struct weir_json *j = &q->j;
	weir_json_put_string(j, "file_schema", "urn:ietf:params:qlog:file:sequential");
	weir_json_put_string(j, "serialization_format", "application/qlog+json-seq");
	weir_json_put_string(j, "title", title);
	weir_json_put_object(j, "trace");
	weir_json_put_array(j, "event_schemas");
	weir_json_string(j, "urn:ietf:params:qlog:events:quic");
	if (schema)
		weir_json_string(j, schema);
	weir_json_array_end(j);
	weir_json_put_object(j, "common_fields");
	weir_json_put_string(j, "time_format", "relative_to_epoch");
	weir_json_put_object(j, "reference_time");
	weir_json_put_string(j, "clock_type", "monotonic");
	weir_json_put_string(j, "epoch", "unknown");
	weir_json_object_end(j);
	weir_json_object_end(j);
	weir_json_put_object(j, "vantage_point");
	weir_json_put_string(j, "name", "weir");
	weir_json_put_string(j, "type", "server");
	weir_json_object_end(j);
	weir_json_object_end(j);
	end(q);
}

static void event(struct weir_qlog *q, u64 now_ns, const char *flow, const char *name)
{
	begin(q);
	weir_json_put_double(&q->j, "time", (double)now_ns / 1e6);
	weir_json_put_string(&q->j, "name", name);
	weir_json_put_string(&q->j, "group_id", flow);
	weir_json_put_object(&q->j, "data");
}

static void event_end(struct weir_qlog *q)
{
	weir_json_object_end(&q->j);
	end(q);
}

struct weir_json *weir_qlog_event(struct weir_qlog *q, u64 now_ns, const char *flow, const char *name)
{
	event(q, now_ns, flow, name);
	return &q->j;
}

void weir_qlog_event_end(struct weir_qlog *q)
{
	event_end(q);
}

static void put_ms(struct weir_json *j, const char *name, u64 ns)
{
	if (ns)
		weir_json_put_double(j, name, (double)ns / 1e6);
}

void weir_qlog_metrics(struct weir_qlog *q, u64 now_ns, const char *flow, const struct weir_qlog_metrics *m)
{
	event(q, now_ns, flow, "quic:recovery_metrics_updated");
	put_ms(&q->j, "min_rtt", m->min_rtt_ns);
	put_ms(&q->j, "smoothed_rtt", m->srtt_ns);
	put_ms(&q->j, "latest_rtt", m->latest_rtt_ns);
	if (m->cwnd_bytes)
		weir_json_put_u64(&q->j, "congestion_window", m->cwnd_bytes);
	weir_json_put_u64(&q->j, "bytes_in_flight", m->inflight_bytes);
	weir_json_put_u64(&q->j, "packets_in_flight", m->packets_in_flight);
	if (m->pacing_bps)
		weir_json_put_u64(&q->j, "pacing_rate", m->pacing_bps);
	event_end(q);
}

void weir_qlog_state(struct weir_qlog *q, u64 now_ns, const char *flow, bool was_recovery, bool is_recovery)
{
	event(q, now_ns, flow, "quic:congestion_state_updated");
	weir_json_put_string(&q->j, "old", was_recovery ? "recovery" : "congestion_avoidance");
	weir_json_put_string(&q->j, "new", is_recovery ? "recovery" : "congestion_avoidance");
	event_end(q);
}

void weir_qlog_packet(struct weir_qlog *q, u64 now_ns, const char *flow, bool sent, u64 seq, u32 wire_bytes,
		      bool retransmit)
{
	event(q, now_ns, flow, sent ? "quic:packet_sent" : "quic:packet_received");
	weir_json_put_object(&q->j, "header");
	weir_json_put_string(&q->j, "packet_type", "1RTT");
	weir_json_put_u64(&q->j, "packet_number", seq);
	weir_json_object_end(&q->j);
	weir_json_put_object(&q->j, "raw");
	weir_json_put_u64(&q->j, "length", wire_bytes);
	weir_json_object_end(&q->j);
	if (retransmit)
		weir_json_put_string(&q->j, "trigger", "retransmit_reordered");
	event_end(q);
}

int weir_qlog_close(struct weir_qlog *q)
{
	weir_json_abandon(&q->j);
	errno = 0;
	if (fclose(q->out) != 0 && !q->error)
		q->error = errno ? errno : EIO;
	errno = q->error;
	return q->error ? -1 : 0;
}

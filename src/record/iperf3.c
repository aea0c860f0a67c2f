/* SPDX-License-Identifier: MIT */
#include "iperf3.h"

#include "weir/num.h"

#include <errno.h>
#include <string.h>

#define SOCKET_FIRST 5 /* the smallest number that iperf3 itself shows */

static double seconds(u64 ns)
{
	return (double)ns / 1e9;
}

static double bits_per_second(u64 bytes, u64 ns)
{
	return ns ? (double)bytes * 8 / seconds(ns) : 0;
}

static void put_connected(struct weir_iperf3 *p)
{
	weir_json_put_array(&p->j, "connected");
	for (u32 i = 0; i < p->n; i++) {
		weir_json_line(&p->j);
		weir_json_object(&p->j);
		weir_json_put_u64(&p->j, "socket", SOCKET_FIRST + i);
		weir_json_put_string(&p->j, "local_host", p->stream[i].name);
		weir_json_put_u64(&p->j, "local_port", 5001);
		weir_json_put_string(&p->j, "remote_host", "sim");
		weir_json_put_u64(&p->j, "remote_port", 5201);
		weir_json_object_end(&p->j);
	}
	weir_json_array_end(&p->j);
}

static void put_test_start(struct weir_json *j, u32 streams, u64 duration_ns)
{
	weir_json_put_object(j, "test_start");
	weir_json_put_string(j, "protocol", "TCP");
	weir_json_put_u64(j, "num_streams", streams);
	weir_json_put_u64(j, "blksize", 131072);
	weir_json_put_u64(j, "omit", 0);
	weir_json_put_double(j, "duration", seconds(duration_ns));
	weir_json_put_u64(j, "bytes", 0);
	weir_json_put_u64(j, "blocks", 0);
	weir_json_put_u64(j, "reverse", 0);
	weir_json_put_u64(j, "tos", 0);
	weir_json_put_u64(j, "target_bitrate", 0);
	weir_json_put_u64(j, "bidir", 0);
	weir_json_put_u64(j, "fqrate", 0);
	weir_json_put_double(j, "interval", seconds(WEIR_IPERF3_INTERVAL_NS));
	weir_json_object_end(j);
}

void weir_iperf3_begin(struct weir_iperf3 *p, FILE *out, struct weir_iperf3_stream *stream, u32 n,
		       u64 duration_ns)
{
	memset(p, 0, sizeof *p);
	p->out = out;
	p->stream = stream;
	p->n = n;
	struct weir_json *j = &p->j;
	weir_json_to_file(j, out);
	weir_json_object(j);
	weir_json_put_object(j, "start");
	put_connected(p);
	weir_json_put_string(j, "version", "weir " WEIR_VERSION);
	weir_json_put_string(j, "system_info", "simulation");
	weir_json_put_object(j, "timestamp");
	weir_json_put_string(j, "time", "Thu, 01 Jan 1970 00:00:00 GMT");
	weir_json_put_u64(j, "timesecs", 0);
	weir_json_put_u64(j, "timemillisecs", 0);
	weir_json_object_end(j);
	weir_json_put_object(j, "connecting_to");
	weir_json_put_string(j, "host", "sim");
	weir_json_put_u64(j, "port", 5201);
	weir_json_object_end(j);
	weir_json_put_string(j, "cookie", "");
	weir_json_put_u64(j, "tcp_mss_default", n ? stream[0].mss_bytes : 0);
	weir_json_put_u64(j, "target_bitrate", 0);
	weir_json_put_u64(j, "fq_rate", 0);
	weir_json_put_u64(j, "sock_bufsize", 0);
	weir_json_put_u64(j, "sndbuf_actual", 0);
	weir_json_put_u64(j, "rcvbuf_actual", 0);
	put_test_start(j, n, duration_ns);
	weir_json_object_end(j);
	weir_json_put_array(j, "intervals");
}

static void put_span(struct weir_json *j, u64 from_ns, u64 to_ns, u64 bytes)
{
	weir_json_put_double(j, "start", seconds(from_ns));
	weir_json_put_double(j, "end", seconds(to_ns));
	weir_json_put_double(j, "seconds", seconds(to_ns - from_ns));
	weir_json_put_u64(j, "bytes", bytes);
	weir_json_put_double(j, "bits_per_second", bits_per_second(bytes, to_ns - from_ns));
}

static void note_extremes(struct weir_iperf3_stream *s)
{
	s->max_cwnd_bytes = weir_max(s->max_cwnd_bytes, s->cwnd_bytes);
	if (s->srtt_ns == 0)
		return;
	s->max_rtt_ns = weir_max(s->max_rtt_ns, s->srtt_ns);
	s->min_rtt_ns = s->min_rtt_ns ? weir_min(s->min_rtt_ns, s->srtt_ns) : s->srtt_ns;
	s->rtt_sum_ns += s->srtt_ns;
	s->rtt_n++;
}

void weir_iperf3_interval(struct weir_iperf3 *p, u64 now_ns)
{
	struct weir_json *j = &p->j;
	u64 bytes = 0, retransmits = 0;
	if (now_ns <= p->last_ns)
		return;
	weir_json_object(j);
	weir_json_put_array(j, "streams");
	for (u32 i = 0; i < p->n; i++) {
		struct weir_iperf3_stream *s = &p->stream[i];
		note_extremes(s);
		weir_json_line(j);
		weir_json_object(j);
		weir_json_put_u64(j, "socket", SOCKET_FIRST + i);
		put_span(j, p->last_ns, now_ns, s->sent_bytes - s->last_bytes);
		weir_json_put_u64(j, "retransmits", s->retransmits - s->last_retransmits);
		weir_json_put_u64(j, "snd_cwnd", s->cwnd_bytes);
		weir_json_put_u64(j, "rtt", s->srtt_ns / 1000);
		weir_json_put_u64(j, "pmtu", s->mss_bytes + 52);
		weir_json_put_bool(j, "omitted", false);
		weir_json_put_bool(j, "sender", true);
		weir_json_object_end(j);
		bytes += s->sent_bytes - s->last_bytes;
		retransmits += s->retransmits - s->last_retransmits;
		s->last_bytes = s->sent_bytes;
		s->last_retransmits = s->retransmits;
	}
	weir_json_array_end(j);
	weir_json_key(j, "sum");
	weir_json_line(j);
	weir_json_object(j);
	put_span(j, p->last_ns, now_ns, bytes);
	weir_json_put_u64(j, "retransmits", retransmits);
	weir_json_put_bool(j, "omitted", false);
	weir_json_put_bool(j, "sender", true);
	weir_json_object_end(j);
	weir_json_object_end(j);
	p->last_ns = now_ns;
}

static void put_end_stream(struct weir_iperf3 *p, u32 i, u64 now_ns)
{
	struct weir_json *j = &p->j;
	const struct weir_iperf3_stream *s = &p->stream[i];
	weir_json_object(j);
	weir_json_put_object(j, "sender");
	weir_json_put_u64(j, "socket", SOCKET_FIRST + i);
	put_span(j, 0, now_ns, s->sent_bytes);
	weir_json_put_u64(j, "retransmits", s->retransmits);
	weir_json_put_u64(j, "max_snd_cwnd", s->max_cwnd_bytes);
	weir_json_put_u64(j, "max_rtt", s->max_rtt_ns / 1000);
	weir_json_put_u64(j, "min_rtt", s->min_rtt_ns / 1000);
	weir_json_put_u64(j, "mean_rtt", weir_div(s->rtt_sum_ns, s->rtt_n) / 1000);
	weir_json_put_bool(j, "sender", true);
	weir_json_object_end(j);
	weir_json_put_object(j, "receiver");
	weir_json_put_u64(j, "socket", SOCKET_FIRST + i);
	put_span(j, 0, now_ns, s->received_bytes);
	weir_json_put_bool(j, "sender", true);
	weir_json_object_end(j);
	weir_json_object_end(j);
}

static void put_sums(struct weir_iperf3 *p, u64 now_ns)
{
	struct weir_json *j = &p->j;
	u64 sent = 0, received = 0, retransmits = 0;
	for (u32 i = 0; i < p->n; i++) {
		sent += p->stream[i].sent_bytes;
		received += p->stream[i].received_bytes;
		retransmits += p->stream[i].retransmits;
	}
	weir_json_put_object(j, "sum_sent");
	put_span(j, 0, now_ns, sent);
	weir_json_put_u64(j, "retransmits", retransmits);
	weir_json_put_bool(j, "sender", true);
	weir_json_object_end(j);
	weir_json_put_object(j, "sum_received");
	put_span(j, 0, now_ns, received);
	weir_json_put_bool(j, "sender", true);
	weir_json_object_end(j);
}

void weir_iperf3_end(struct weir_iperf3 *p, u64 now_ns, const char *error)
{
	struct weir_json *j = &p->j;
	weir_iperf3_interval(p, now_ns);
	weir_json_array_end(j);
	weir_json_put_object(j, "end");
	weir_json_put_array(j, "streams");
	for (u32 i = 0; i < p->n; i++)
		put_end_stream(p, i, now_ns);
	weir_json_array_end(j);
	put_sums(p, now_ns);
	weir_json_put_object(j, "cpu_utilization_percent");
	weir_json_put_u64(j, "host_total", 0);
	weir_json_put_u64(j, "host_user", 0);
	weir_json_put_u64(j, "host_system", 0);
	weir_json_put_u64(j, "remote_total", 0);
	weir_json_put_u64(j, "remote_user", 0);
	weir_json_put_u64(j, "remote_system", 0);
	weir_json_object_end(j);
	weir_json_put_string(j, "sender_tcp_congestion", p->n ? p->stream[0].controller : NULL);
	weir_json_put_string(j, "receiver_tcp_congestion", p->n ? p->stream[0].controller : NULL);
	weir_json_object_end(j);
	if (error)
		weir_json_put_string(j, "error", error);
	weir_json_object_end(j);
}

int weir_iperf3_close(struct weir_iperf3 *p)
{
	/* A run that failed for want of memory leaves the document open: its directory is thrown away. */
	int error = p->j.done && weir_json_finish(&p->j) < 0 ? errno : 0;
	errno = 0;
	if (fclose(p->out) != 0 && !error)
		error = errno ? errno : EIO;
	errno = error;
	return error ? -1 : 0;
}

/* SPDX-License-Identifier: MIT */
#include "exports.h"

#include "record/iperf3.h"
#include "record/mahimahi.h"
#include "record/pcap.h"
#include "record/qlog.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an export knows of a flow beside its number. */
struct known {
	const struct weir_build_entry *entry;
	bool in_recovery;
};

struct weir_exports {
	struct weir_pcap *sender_side, *receiver_side;
	bool has_qlog, has_iperf3;
	struct weir_qlog qlog;
	FILE *iperf3_file;
	struct weir_iperf3 iperf3;
	u64 iperf3_due_ns; /* the next interval's end */
	struct weir_iperf3_stream *stream;
	u32 *stream_flow, n_streams;
	struct weir_mahimahi *mahimahi; /* one a hop of the scenario */
	u64 *offered_bytes, offered_ns; /* capacity of each hop at the last tick */
	u32 n_hops;
	char (*mahimahi_name)[128];
	FILE *sends_file;
	struct weir_sends own_sends, *sends; /* NULL: not wanted */
	const struct weir_build *b;
	struct known *known;
};

bool weir_exports_any(const struct weir_exports_wanted *w)
{
	return w->pcap || w->qlog || w->iperf3 || w->mahimahi || w->sends;
}

static FILE *create(const char *directory, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/%s", directory, name);
	if (n < 0 || (size_t)n >= sizeof path) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return fopen(path, "wb");
}

static int open_pcaps(struct weir_exports *x, const char *directory, const char **file)
{
	char path[PATH_MAX];
	*file = "packets.pcap";
	snprintf(path, sizeof path, "%s/packets.pcap", directory);
	x->sender_side = weir_pcap_open(path);
	if (!x->sender_side)
		return -1;
	*file = "packets-receiver.pcap";
	snprintf(path, sizeof path, "%s/packets-receiver.pcap", directory);
	x->receiver_side = weir_pcap_open(path);
	return x->receiver_side ? 0 : -1;
}

const char *weir_exports_queue_name(u32 aqm)
{
	static const char *const name[] = {"droptail", "drophead", "red", "codel", "pie", "fq_codel"};
	return name[aqm];
}

static int open_mahimahi(struct weir_exports *x, const char *directory, const struct weir_scenario *s,
			 const char **file)
{
	x->mahimahi = calloc(s->n_hops + 1u, sizeof *x->mahimahi);
	x->offered_bytes = calloc(s->n_hops + 1u, sizeof *x->offered_bytes);
	x->mahimahi_name = calloc(s->n_hops + 1u, sizeof *x->mahimahi_name);
	*file = "mahimahi.log";
	if (!x->mahimahi || !x->offered_bytes || !x->mahimahi_name)
		return -1;
	for (u32 i = 0; i < s->n_hops; i++) {
		snprintf(x->mahimahi_name[i], sizeof x->mahimahi_name[i], "mahimahi-%.100s.log",
			 s->hops[i].name);

		FILE *out = create(directory, x->mahimahi_name[i]);
		if (!out)
			return -1;
		weir_mahimahi_begin(&x->mahimahi[i], out, s->hops[i].name,
				    weir_exports_queue_name(s->hops[i].aqm.kind));
		x->n_hops++;
	}
	return 0;
}

struct weir_exports *weir_exports_open(const struct weir_exports_wanted *w, const char *directory,
				       const struct weir_scenario *s, const char **file)
{
	struct weir_exports *x = calloc(1, sizeof *x);
	*file = "the exports";
	if (!x)
		return NULL;
	bool ok = !w->pcap || open_pcaps(x, directory, file) == 0;
	if (ok && w->qlog) {
		*file = "trace.qlog";
		FILE *out = create(directory, "trace.qlog");
		ok = x->has_qlog = out != NULL;
		if (ok)
			weir_qlog_begin(&x->qlog, out, s->title);
	}
	if (ok && w->iperf3) {
		*file = "iperf3.json";
		x->iperf3_file = create(directory, "iperf3.json");
		ok = x->has_iperf3 = x->iperf3_file != NULL;
	}
	if (ok && w->sends) {
		*file = "sends.csv";
		x->sends_file = create(directory, "sends.csv");
		x->sends = &x->own_sends;
		ok = x->sends_file != NULL;
	}
	ok = ok && (!w->mahimahi || open_mahimahi(x, directory, s, file) == 0);
	if (ok)
		return x;
	int error = errno;
	const char *culprit = *file;
	weir_exports_close(x, file);
	*file = culprit;
	errno = error;
	return NULL;
}

struct weir_exports *weir_exports_sends(struct weir_sends *to)
{
	struct weir_exports *x = calloc(1, sizeof *x);
	if (x)
		x->sends = to;
	return x;
}

static void write_pcap(struct weir_exports *x, struct weir_pcap *to, u64 now_ns, u32 flow, bool is_ack,
		       u64 seq, u64 ack, u32 wire_bytes)
{
	const struct weir_build_entry *e = x->known[flow].entry;
	weir_pcap_write(to, &(struct weir_pcap_packet){.time_ns = now_ns,
						       .flow = flow,
						       .datagram = !e->controlled,
						       .backward = is_ack,
						       .seq = seq,
						       .ack = ack,
						       .wire_bytes = wire_bytes,
						       .header_bytes = (u32)e->flow->endpoint.header_bytes});
}

static const char *name_of(const struct weir_exports *x, u32 flow, char name[WEIR_BUILD_NAME_BYTES])
{
	weir_build_flow_name(x->known[flow].entry, flow, name);
	return name;
}

static void on_send(void *ctx, u64 now_ns, u32 flow, bool is_ack, u64 seq, u64 ack, u32 wire_bytes,
		    bool retransmit)
{
	struct weir_exports *x = ctx;
	char name[WEIR_BUILD_NAME_BYTES];
	struct weir_pcap *side = is_ack ? x->receiver_side : x->sender_side;
	if (side)
		write_pcap(x, side, now_ns, flow, is_ack, seq, ack, wire_bytes);
	if (x->sends && !is_ack && x->known[flow].entry->controlled)
		weir_sends_add(x->sends, &(struct weir_send){
					     .time_ns = now_ns,
					     .first_byte = seq,
					     .flow = flow,
					     .bytes = wire_bytes -
						      (u32)x->known[flow].entry->flow->endpoint.header_bytes,
					     .again = retransmit});
	if (x->has_qlog && !is_ack)
		weir_qlog_packet(&x->qlog, now_ns, name_of(x, flow, name), true, seq, wire_bytes, retransmit);
}

static void on_receive(void *ctx, u64 now_ns, u32 flow, bool is_ack, u64 seq, u64 ack, u32 wire_bytes)
{
	struct weir_exports *x = ctx;
	struct weir_pcap *side = is_ack ? x->sender_side : x->receiver_side;
	if (side)
		write_pcap(x, side, now_ns, flow, is_ack, seq, ack, wire_bytes);
}

static void on_ack_done(void *ctx, u64 now_ns, u32 flow, const struct weir_flow_now *now)
{
	struct weir_exports *x = ctx;
	struct known *k = &x->known[flow];
	char name[WEIR_BUILD_NAME_BYTES];
	u64 packet_bytes = k->entry->ops.age ? weir_scenario_packet_bytes(k->entry->flow)
					     : k->entry->flow->endpoint.mss_bytes;
	if (now->in_recovery != k->in_recovery)
		weir_qlog_state(&x->qlog, now_ns, name_of(x, flow, name), k->in_recovery, now->in_recovery);
	k->in_recovery = now->in_recovery;
	struct weir_qlog_metrics m = {
	    .min_rtt_ns = now->min_rtt_ns,
	    .srtt_ns = now->srtt_ns,
	    .latest_rtt_ns = now->latest_rtt_ns,
	    .cwnd_bytes = now->cwnd_bytes,
	    .inflight_bytes = now->inflight_bytes,
	    .packets_in_flight = weir_div(now->inflight_bytes + packet_bytes - 1, packet_bytes),
	    .pacing_bps = now->pacing_Bps * 8,
	};
	weir_qlog_metrics(&x->qlog, now_ns, name_of(x, flow, name), &m);
}

static void on_hop_arrival(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	struct weir_exports *x = ctx;
	if (hop < x->n_hops)
		weir_mahimahi_arrival(&x->mahimahi[hop], now_ns, wire_bytes);
}

static void on_hop_departure(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes, u64 wait_ns)
{
	struct weir_exports *x = ctx;
	if (hop < x->n_hops)
		weir_mahimahi_departure(&x->mahimahi[hop], now_ns, wire_bytes, wait_ns);
}

static void on_hop_drop(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	struct weir_exports *x = ctx;
	if (hop < x->n_hops)
		weir_mahimahi_drop(&x->mahimahi[hop], now_ns, wire_bytes);
}

static int begin_iperf3(struct weir_exports *x)
{
	const struct weir_build *b = x->b;
	x->stream = calloc(b->n_flows + 1u, sizeof *x->stream);
	x->stream_flow = calloc(b->n_flows + 1u, sizeof *x->stream_flow);
	if (!x->stream || !x->stream_flow)
		return -1;
	for (u32 flow = 0; flow < b->n_flows; flow++) {
		const struct weir_build_entry *e = x->known[flow].entry;
		if (!e->controlled || e->arrivals)
			continue;
		struct weir_iperf3_stream *s = &x->stream[x->n_streams];
		weir_build_flow_name(e, flow, s->name);
		snprintf(s->controller, sizeof s->controller, "%s", e->controller);
		s->mss_bytes = (u32)e->flow->endpoint.mss_bytes;
		x->stream_flow[x->n_streams++] = flow;
	}
	x->iperf3_due_ns = WEIR_IPERF3_INTERVAL_NS;
	weir_iperf3_begin(&x->iperf3, x->iperf3_file, x->stream, x->n_streams, b->scenario->duration_ns);
	return 0;
}

int weir_exports_attach(struct weir_exports *x, const struct weir_build *b, struct weir_world *world)
{
	x->b = b;
	x->known = calloc(b->n_flows + 1u, sizeof *x->known);
	if (!x->known)
		return -1;
	for (u32 i = 0; i < b->n_entries; i++)
		for (u32 k = 0; k < b->entry[i].count; k++)
			x->known[b->entry[i].first + k].entry = &b->entry[i];
	struct weir_world_taps taps = {.ctx = x};
	if (x->sender_side || x->has_qlog || x->sends)
		taps.on_send = on_send;
	if (x->sender_side)
		taps.on_receive = on_receive;
	if (x->has_qlog)
		taps.on_ack_done = on_ack_done;
	if (x->mahimahi) {
		taps.on_hop_arrival = on_hop_arrival;
		taps.on_hop_departure = on_hop_departure;
		taps.on_hop_drop = on_hop_drop;
	}
	if (world)
		weir_world_set_taps(world, &taps);
	return x->has_iperf3 ? begin_iperf3(x) : 0;
}

/* Opportunities are spread evenly between two ticks: these are as fine as the log's clock. */
#define CAPACITY_TICK_NS WEIR_NS_PER_MS

u64 weir_exports_next_ns(const struct weir_exports *x, u64 now_ns)
{
	u64 period_ns = x->mahimahi ? CAPACITY_TICK_NS : WEIR_IPERF3_INTERVAL_NS;
	return x->mahimahi || x->has_iperf3 ? (now_ns / period_ns + 1) * period_ns : WEIR_NEVER;
}

static void read_streams(struct weir_exports *x)
{
	for (u32 i = 0; i < x->n_streams; i++) {
		struct weir_flow_totals t;
		struct weir_flow_now n;
		struct weir_iperf3_stream *s = &x->stream[i];
		weir_backend_flow_totals(&x->b->backend, x->stream_flow[i], &t);
		weir_backend_flow_now(&x->b->backend, x->stream_flow[i], &n);
		s->sent_bytes = weir_sub(t.sent_packets, t.retransmitted_packets) * s->mss_bytes;
		s->received_bytes = t.delivered_bytes;
		s->sent_bytes = weir_max(s->sent_bytes, s->received_bytes);
		s->retransmits = t.retransmitted_packets;
		s->cwnd_bytes = n.cwnd_bytes;
		s->srtt_ns = n.srtt_ns;
	}
}

static void write_capacity(struct weir_exports *x, u64 now_ns)
{
	for (u32 i = 0; i < x->n_hops; i++) {
		u64 bytes = weir_build_capacity_bytes(x->b, i, now_ns);
		weir_mahimahi_capacity(&x->mahimahi[i], x->offered_ns, now_ns, x->offered_bytes[i], bytes);
		x->offered_bytes[i] = bytes;
	}
	x->offered_ns = now_ns;
}

void weir_exports_tick(struct weir_exports *x, u64 now_ns)
{
	if (x->mahimahi)
		write_capacity(x, now_ns);
	if (!x->has_iperf3 || now_ns < x->iperf3_due_ns)
		return;
	x->iperf3_due_ns = (now_ns / WEIR_IPERF3_INTERVAL_NS + 1) * WEIR_IPERF3_INTERVAL_NS;
	read_streams(x);
	weir_iperf3_interval(&x->iperf3, now_ns);
}

static const char *sent_by(const void *ctx, u32 flow)
{
	static _Thread_local char name[WEIR_BUILD_NAME_BYTES];
	return name_of(ctx, flow, name);
}

void weir_exports_end(struct weir_exports *x, u64 now_ns, bool interrupted)
{
	/* What goes wrong in writing, closing the file tells. */
	if (x->sends_file)
		weir_sends_write(x->sends, x->sends_file, sent_by, x);
	if (x->mahimahi)
		write_capacity(x, now_ns);
	if (!x->has_iperf3)
		return;
	read_streams(x);
	weir_iperf3_end(&x->iperf3, now_ns, interrupted ? "interrupt - the run was stopped early" : NULL);
}

int weir_exports_close(struct weir_exports *x, const char **file)
{
	int error = 0;
	*file = NULL;
	if (x->sender_side && weir_pcap_close(x->sender_side) < 0 && !error) {
		error = errno;
		*file = "packets.pcap";
	}
	if (x->receiver_side && weir_pcap_close(x->receiver_side) < 0 && !error) {
		error = errno;
		*file = "packets-receiver.pcap";
	}
	if (x->has_qlog && weir_qlog_close(&x->qlog) < 0 && !error) {
		error = errno;
		*file = "trace.qlog";
	}
	/* Before a run began there is no document yet. */
	if (x->has_iperf3 && !x->iperf3.out)
		fclose(x->iperf3_file);
	else if (x->has_iperf3 && weir_iperf3_close(&x->iperf3) < 0 && !error) {
		error = errno;
		*file = "iperf3.json";
	}
	if (x->sends_file) {
		bool wrong = ferror(x->sends_file);
		if ((fclose(x->sends_file) != 0 || wrong) && !error) {
			error = errno ? errno : EIO;
			*file = "sends.csv";
		}
	}
	weir_sends_free(&x->own_sends);
	for (u32 i = 0; i < x->n_hops; i++)
		if (weir_mahimahi_close(&x->mahimahi[i]) < 0 && !error) {
			error = errno;
			*file = "mahimahi log";
		}
	free(x->mahimahi);
	free(x->mahimahi_name);
	free(x->offered_bytes);
	free(x->stream);
	free(x->stream_flow);
	free(x->known);
	free(x);
	errno = error;
	return error ? -1 : 0;
}

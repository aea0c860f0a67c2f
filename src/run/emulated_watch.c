/* SPDX-License-Identifier: MIT */
/* What is done with each packet, on the ferry's thread: the round trips of kernel TCP are witnessed, and
 * others who want to see the packets are told. */
#include "emulated.h"

#include "emu/frame.h"

/* IPv6 and TCP with all their options, where there are no extension headers. */
#define HEADERS_BYTES 120
#define TCP_LEAST_BYTES 20

static void add_sample(struct weir_emulated_flow *f, u64 rtt_ns)
{
	if (rtt_ns == WEIR_NEVER)
		return;
	weir_hist_add(f->rtt_ns, rtt_ns);
	__atomic_store_n(&f->rtt_n, f->rtt_n + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&f->rtt_sum_ns, f->rtt_sum_ns + rtt_ns, __ATOMIC_RELAXED);
}

/* A segment where its sender is: what leaves there, and what comes back. */
static void witness(struct weir_emulated_flow *f, u64 now_ns, bool exited, const u8 *tcp, u32 captured_bytes,
		    u32 wire_bytes)
{
	u32 header_bytes = captured_bytes >= TCP_LEAST_BYTES ? (u32)(tcp[12] >> 4) * 4 : 0;
	if (header_bytes < TCP_LEAST_BYTES || header_bytes > captured_bytes || header_bytes > wire_bytes)
		return;
	if (!exited) {
		weir_witness_sent(&f->witness, now_ns, weir_frame_u32(tcp + 4), wire_bytes - header_bytes);
		return;
	}
	struct weir_witness_block block[WEIR_WITNESS_BLOCKS];
	u32 n = weir_witness_blocks(tcp + TCP_LEAST_BYTES, header_bytes - TCP_LEAST_BYTES, block);
	u64 rtt_ns = weir_witness_acked(&f->witness, now_ns, weir_frame_u32(tcp + 8), block, n);
	add_sample(f, rtt_ns);
	if (f->age && rtt_ns != WEIR_NEVER && now_ns < f->stop_ns)
		weir_emulated_age_acked(f->age, now_ns, rtt_ns);
}

/* A segment where its receiver is. */
static void arrived(struct weir_emulated_flow *f, u64 now_ns, const u8 *tcp, u32 captured_bytes,
		    u32 wire_bytes)
{
	u32 header_bytes = captured_bytes >= TCP_LEAST_BYTES ? (u32)(tcp[12] >> 4) * 4 : 0;
	if (header_bytes < TCP_LEAST_BYTES || header_bytes > wire_bytes || now_ns >= f->stop_ns)
		return;
	u64 sent_ns = weir_witness_arrived(&f->witness, weir_frame_u32(tcp + 4), wire_bytes - header_bytes);
	if (sent_ns != WEIR_NEVER)
		weir_emulated_age_arrived(f->age, now_ns, sent_ns);
}

/* A datagram where its receiver is: it says when it left. */
static void datagram_arrived(const struct weir_emulated *e, struct weir_emulated_flow *f, u64 now_ns,
			     const u8 *payload, u32 captured_bytes)
{
	if (captured_bytes < WEIR_KTCP_STAMP_BYTES || now_ns >= f->stop_ns)
		return;
	u64 sent_ns = (u64)weir_frame_u32(payload + 8) << 32 | weir_frame_u32(payload + 12);
	weir_emulated_age_arrived(f->age, now_ns, weir_sub(sent_ns, e->zero_clock_ns - e->lead_ns));
}

static void end_warmup(struct weir_emulated *e, u64 now_ns)
{
	e->warm = true;
	for (u32 i = 0; i < e->n_slots; i++) {
		if (e->flow[i].rtt_ns)
			weir_hist_clear(e->flow[i].rtt_ns);
		if (e->flow[i].age)
			weir_emulated_age_restart(e->flow[i].age, now_ns);
	}
}

static void on_packet(void *ctx, u64 now_ns, u32 port, bool exited, const u8 *ip, u32 captured_bytes,
		      u32 wire_bytes)
{
	struct weir_emulated *e = ctx;
	struct weir_frame frame;
	if (e->config.live_packets)
		weir_live_packet(e->config.live, weir_sub(now_ns, e->lead_ns), port & 1, ip, captured_bytes,
				 wire_bytes);
	if (!e->warm && now_ns >= e->warm_ns)
		end_warmup(e, now_ns);
	if (weir_frame_read(ip, captured_bytes, &frame) < 0 || !frame.ports ||
	    frame.transport_at > captured_bytes)
		return;
	/* Both ends of a flow have its port. */
	u32 slot = frame.source_port - WEIR_EMULATED_FIRST_PORT;
	if (slot >= e->n_slots)
		return;
	struct weir_emulated_flow *f = &e->flow[slot];
	if (frame.protocol == WEIR_FRAME_UDP && f->age && exited && port == 2 * f->pair + !f->reverse &&
	    captured_bytes >= frame.payload_at)
		datagram_arrived(e, f, now_ns, ip + frame.payload_at, captured_bytes - frame.payload_at);
	if (frame.protocol != WEIR_FRAME_TCP || !f->rtt_ns)
		return;
	const u8 *tcp = ip + frame.transport_at;
	captured_bytes -= frame.transport_at;
	wire_bytes -= frame.transport_at;
	if (port == 2 * f->pair + f->reverse)
		witness(f, now_ns, exited, tcp, captured_bytes, wire_bytes);
	else if (f->age && exited && port == 2 * f->pair + !f->reverse)
		arrived(f, now_ns, tcp, captured_bytes, wire_bytes);
}

/* Logs begin at the scenario's 0; of captures, what came before (handshakes) stands there. */
static void log_event(const struct weir_emulated *e, enum weir_live_kind kind, u64 now_ns, u32 hop,
		      u32 wire_bytes, u64 wait_ns)
{
	if (hop < e->b->scenario->n_hops && now_ns >= e->lead_ns)
		weir_live_event(e->config.live, kind, now_ns - e->lead_ns, hop, wire_bytes, wait_ns);
}

static void on_hop_arrival(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	log_event(ctx, WEIR_LIVE_ARRIVAL, now_ns, hop, wire_bytes, 0);
}

static void on_hop_departure(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes, u64 wait_ns)
{
	log_event(ctx, WEIR_LIVE_DEPARTURE, now_ns, hop, wire_bytes, wait_ns);
}

static void on_hop_drop(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	log_event(ctx, WEIR_LIVE_DROP, now_ns, hop, wire_bytes, 0);
}

void weir_emulated_watch(struct weir_emulated *e)
{
	struct weir_ferry_taps taps = {.ctx = e, .snap_bytes = HEADERS_BYTES, .on_packet = on_packet};
	if (e->config.live_hops) {
		taps.on_hop_arrival = on_hop_arrival;
		taps.on_hop_departure = on_hop_departure;
		taps.on_hop_drop = on_hop_drop;
	}
	weir_ferry_set_taps(e->ferry, &taps);
}

/* SPDX-License-Identifier: MIT */
#include "buffer.h"

static bool stands_in(const u32 *hops, u32 n, u32 hop)
{
	for (u32 i = 0; i < n; i++)
		if (hops[i] == hop)
			return true;
	return false;
}

static u64 sum_of_delays(const struct weir_scenario *s, const u32 *hops, u32 n)
{
	u64 sum = 0;
	for (u32 i = 0; i < n; i++)
		sum = weir_add(sum, s->hops[hops[i]].delay_ns);
	return sum;
}

static u64 slowest_bps(const u32 *hops, u32 n, const u64 *mean_bps)
{
	u64 slowest = 0;
	for (u32 i = 0; i < n; i++)
		if (mean_bps[hops[i]] && (slowest == 0 || mean_bps[hops[i]] < slowest))
			slowest = mean_bps[hops[i]];
	return slowest;
}

static u64 bytes_in(u64 bps, u64 ns)
{
	return weir_muldiv(bps, ns, 8 * WEIR_NS_PER_S);
}

static u64 bdp_bytes(const struct weir_scenario *s, u32 hop, const u64 *mean_bps)
{
	u64 longest_ns = 0, bps = mean_bps[hop];
	for (u32 i = 0; i < s->n_paths; i++) {
		const struct weir_scenario_path *p = &s->paths[i];
		bool there = stands_in(p->hops, p->n_hops, hop);
		if (!there && !stands_in(p->back, p->n_back, hop))
			continue;
		u64 back_ns = p->n_back ? sum_of_delays(s, p->back, p->n_back) : p->back_delay_ns;
		u64 rtt_ns = weir_add(sum_of_delays(s, p->hops, p->n_hops), back_ns);
		if (rtt_ns <= longest_ns)
			continue;
		longest_ns = rtt_ns;
		bps = there ? slowest_bps(p->hops, p->n_hops, mean_bps)
			    : slowest_bps(p->back, p->n_back, mean_bps);
	}
	return bytes_in(bps, longest_ns);
}

/* What a floor in packets is counted in: the largest that comes here. */
static u64 packet_bytes(const struct weir_scenario *s, u32 hop)
{
	return s->hops[hop].largest_packet_bytes ? s->hops[hop].largest_packet_bytes : 1500;
}

struct weir_buffer_limit weir_buffer_resolve(const struct weir_scenario *s, u32 hop,
					     const struct weir_scenario_buffer *buffer, const u64 *mean_bps)
{
	struct weir_buffer_limit limit = {0, 0};
	/* An infinitely fast server never makes a packet wait, so that ms and BDP mean nothing. */
	bool timed = buffer->kind == WEIR_SCENARIO_NS || buffer->kind == WEIR_SCENARIO_BDP;
	if (buffer->kind == WEIR_SCENARIO_UNLIMITED || (timed && mean_bps[hop] == 0))
		return limit;
	if (buffer->kind == WEIR_SCENARIO_PACKETS && buffer->value) {
		limit.packets = weir_max(buffer->value, buffer->least_packets);
		return limit;
	}
	if (buffer->kind == WEIR_SCENARIO_BYTES)
		limit.bytes = buffer->value;
	else if (buffer->kind == WEIR_SCENARIO_NS)
		limit.bytes = bytes_in(mean_bps[hop], buffer->value);
	else if (buffer->kind == WEIR_SCENARIO_BDP)
		limit.bytes = weir_muldiv(bdp_bytes(s, hop, mean_bps), buffer->value, 1000000);
	limit.bytes = weir_max(limit.bytes, buffer->least_packets * packet_bytes(s, hop));
	limit.bytes = weir_max(limit.bytes, 1);
	return limit;
}

u64 weir_buffer_red_bytes(const struct weir_scenario *s, u32 hop,
			  const struct weir_scenario_buffer *threshold, const u64 *mean_bps)
{
	struct weir_buffer_limit limit = weir_buffer_resolve(s, hop, threshold, mean_bps);
	return limit.packets ? weir_muldiv(limit.packets, packet_bytes(s, hop), 1) : limit.bytes;
}

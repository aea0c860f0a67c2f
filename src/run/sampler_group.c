/* SPDX-License-Identifier: MIT */
/* Flows of one entry together. */
#include "sampler.h"

#include <string.h>

/* Sums over the active flows of an entry, and how they are spread. */
struct group_sum {
	u64 active, delivered, received, retransmitted, lost, sent, sent_bytes, cwnd, inflight;
	/* of flows that arrive at random: those long enough to be elastic, and what arrived of them and of
	 * all */
	u64 elastic, elastic_news, news;
};

static void add_totals(struct weir_flow_totals *sum, const struct weir_flow_totals *t)
{
	sum->delivered_bytes += t->delivered_bytes;
	sum->received_wire_bytes += t->received_wire_bytes;
	sum->retransmitted_packets += t->retransmitted_packets;
	sum->lost_packets += t->lost_packets;
	sum->sent_packets += t->sent_packets;
	sum->sent_wire_bytes += t->sent_wire_bytes;
}

static void add_active(struct weir_sampler *s, const struct weir_build_entry *e, u32 flow,
		       const struct weir_flow_now *n, u64 bps, struct group_sum *sum)
{
	sum->active++;
	sum->elastic += weir_build_is_elastic(s->b, e, flow);
	sum->cwnd += n->cwnd_bytes;
	sum->inflight += n->inflight_bytes;
	weir_hist_add(s->spread_bps, bps);
	if (e->controlled && n->srtt_ns)
		weir_hist_add(s->spread_rtt, n->srtt_ns);
	if (e->controlled)
		weir_hist_add(s->spread_cwnd, n->cwnd_bytes);
}

/* A flow that has ended is looked at for so long after the last that came of it: what was sent twice comes
 * late. */
#define LATE_NS (2 * WEIR_NS_PER_S)

/* True: it has ended, and nothing comes of it any more. */
static bool add_flow(struct weir_sampler *s, const struct weir_build_entry *e, u32 flow, u64 now_ns,
		     u64 from_ns, struct weir_flow_totals *t, struct group_sum *sum)
{
	struct weir_flow_now n;
	weir_backend_flow_totals(&s->b->backend, flow, t);
	u64 news = t->received_wire_bytes - s->group_received[flow];
	s->group_received[flow] = t->received_wire_bytes;
	sum->news += news;
	sum->elastic_news += weir_build_is_elastic(s->b, e, flow) ? news : 0;
	weir_backend_flow_now(&s->b->backend, flow, &n);
	if (s->b->start_ns[flow] >= now_ns)
		return false;
	if (news)
		s->group_moved_ns[flow] = now_ns;
	if (n.done && news == 0)
		return now_ns - s->group_moved_ns[flow] > LATE_NS;
	u64 ns = now_ns - weir_max(from_ns, s->b->start_ns[flow]);
	add_active(s, e, flow, &n, weir_sampler_bps(news, ns), sum);
	return false;
}

static void sum_group(struct weir_sampler *s, const struct weir_build_entry *e, u64 now_ns, u64 from_ns,
		      struct group_sum *sum)
{
	struct weir_sampled_group *g = &s->group[e - s->b->entry];
	struct weir_flow_totals all = g->gone;
	u32 *live = s->live + e->first, kept = 0;
	memset(s->spread_bps, 0, 3 * sizeof *s->spread_bps);
	while (g->begun < e->count && (!e->arrivals || s->b->start_ns[e->first + g->begun] < now_ns))
		live[g->n_live++] = e->first + g->begun++;
	for (u32 i = 0; i < g->n_live; i++) {
		struct weir_flow_totals t;
		bool over = add_flow(s, e, live[i], now_ns, from_ns, &t, sum);
		add_totals(&all, &t);
		if (over && e->arrivals)
			add_totals(&g->gone, &t);
		else
			live[kept++] = live[i];
	}
	g->n_live = kept;
	struct weir_flow_totals together;
	if (weir_backend_entry_totals(&s->b->backend, (u32)(e - s->b->entry), &together))
		all = together;
	sum->delivered = all.delivered_bytes;
	sum->received = all.received_wire_bytes;
	sum->retransmitted = all.retransmitted_packets;
	sum->lost = all.lost_packets;
	sum->sent = all.sent_packets;
	sum->sent_bytes = all.sent_wire_bytes;
}

static void put_elastic(struct weir_series *out, const struct group_sum *sum)
{
	weir_series_fixed(out, "elastic_flows", sum->elastic, 0);
	if (sum->news)
		weir_series_fixed(out, "elastic_fraction", weir_muldiv(sum->elastic_news, 1000000, sum->news),
				  6);
}

static void put_group(struct weir_sampler *s, const struct weir_build_entry *e, const struct group_sum *sum,
		      u64 ns)
{
	static const char *const bps[] = {"throughput_p10_bps", "throughput_p50_bps", "throughput_p90_bps"};
	static const char *const rtt[] = {"srtt_p10_ms", "srtt_p50_ms", "srtt_p90_ms"};
	static const char *const cwnd[] = {"cwnd_p10_bytes", "cwnd_p50_bytes", "cwnd_p90_bytes"};
	struct weir_sampled_group *g = &s->group[e - s->b->entry];
	struct weir_series *out = s->series;
	char name[WEIR_BUILD_NAME_BYTES];
	weir_build_group_name(e, name);
	weir_series_flow(out, "", name);
	weir_series_fixed(out, "active_flows", sum->active, 0);
	weir_series_fixed(out, "throughput_bps", weir_sampler_bps(sum->received - g->received_bytes, ns), 0);
	weir_series_fixed(out, "goodput_bps", weir_sampler_bps(sum->delivered - g->delivered_bytes, ns), 0);
	weir_sampler_put_spread(out, s->spread_bps, bps, 0);
	if (e->grouped)
		weir_sampler_put_tallies(s, e->first_hist, &g->seen);
	weir_sampler_put_spread(out, s->spread_rtt, rtt, 6);
	if (e->controlled) {
		weir_series_fixed(out, "cwnd_bytes", sum->cwnd, 0);
		weir_sampler_put_spread(out, s->spread_cwnd, cwnd, 0);
		weir_series_fixed(out, "inflight_bytes", sum->inflight, 0);
		weir_series_fixed(out, "retransmitted", sum->retransmitted - g->retransmitted, 0);
	}
	weir_series_fixed(out, "lost", sum->lost - g->lost, 0);
	weir_sampler_put_accepted(s, sum->sent - g->sent, sum->sent_bytes - g->sent_bytes,
				  sum->lost - g->lost, ns);
	if (e->arrivals)
		put_elastic(out, sum);
}

void weir_sampler_group(struct weir_sampler *s, const struct weir_build_entry *e, u64 now_ns)
{
	struct weir_sampled_group *g = &s->group[e - s->b->entry];
	struct group_sum sum = {0};
	u64 from_ns = weir_max(g->seen_ns, e->flow->start_ns);
	if (now_ns <= from_ns)
		return;
	sum_group(s, e, now_ns, g->seen_ns, &sum);
	put_group(s, e, &sum, now_ns - from_ns);
	if (e->flow->age.measured)
		weir_sampler_group_age(s, e, now_ns);
	g->seen_ns = now_ns;
	g->delivered_bytes = sum.delivered;
	g->received_bytes = sum.received;
	g->retransmitted = sum.retransmitted;
	g->lost = sum.lost;
	g->sent = sum.sent;
	g->sent_bytes = sum.sent_bytes;
}

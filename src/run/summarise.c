/* SPDX-License-Identifier: MIT */
#include "summarise.h"

#include "ages.h"
#include "core/stats.h"
#include "core/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS(ns) ((double)(ns) / 1e9)

static double rate_bps(u64 bytes, u64 ns)
{
	return ns ? (double)bytes * 8 / SECONDS(ns) : (double)NAN;
}

static double share(u64 part, u64 whole)
{
	return whole ? (double)part / (double)whole : (double)NAN;
}

static double mean_of(double sum, u64 n)
{
	return n ? sum / (double)n : (double)NAN;
}

static double jain_or_none(const double *x, u64 n)
{
	double index = n > 1 ? weir_jain(x, n) : 0;
	return index > 0 ? index : (double)NAN;
}

static const char *application_name(const struct weir_build_entry *e)
{
	return weir_app_infos[e->flow->app.kind].name;
}

static void put_name(char to[WEIR_NAME_BYTES], const char *name)
{
	snprintf(to, WEIR_NAME_BYTES, "%.*s", WEIR_NAME_BYTES - 1, name);
}

/* What the backend does not count becomes null. */
static void forget_uncounted(const struct weir_backend_ops *ops, u64 *timeouts, u64 *recoveries,
			     u64 *spurious)
{
	if (!ops->counts_timeouts)
		*timeouts = WEIR_NEVER;
	if (!ops->counts_recoveries)
		*recoveries = *spurious = WEIR_NEVER;
}

static void flow_signals(struct weir_flow_summary *out, const struct weir_build_entry *e,
			 const struct weir_sampled_flow *f)
{
	out->backlog_mean = mean_of(f->backlog_sum, f->looks);
	out->cwnd_mean_bytes = mean_of(f->cwnd_sum, f->looks);
	out->n_signals = f->looks ? e->n_signals : 0;
	for (u32 k = 0; k < out->n_signals; k++) {
		out->signal[k].words = weir_words_are(e->signals[k].unit) ? e->signals[k].unit : NULL;
		weir_signal_name(out->signal[k].name, e->signals[k].name, e->signals[k].unit);
		out->signal[k].mean = mean_of(f->signal_sum[k], f->signal_looks[k]);
		out->signal[k].last = f->signal_looks[k] ? f->signal_last[k] : (double)NAN;
	}
}

static void sum_video(struct weir_video_summary *out, const struct weir_build *b,
		      const struct weir_life *life, u32 flow)
{
	struct weir_video v;
	out->there = life->video_base && weir_backend_flow_video(&b->backend, flow, &v);
	if (!out->there)
		return;
	const struct weir_video_totals *t = &v.totals, *base = &life->video_base[flow];
	out->chunks = t->chunks - base->chunks;
	out->switches = t->switches - base->switches;
	out->rebuffers = t->rebuffers - base->rebuffers;
	out->bitrate_bps = mean_of(t->chunk_bps - base->chunk_bps, out->chunks);
	out->played_s = SECONDS(t->played_ns - base->played_ns);
	out->rebuffer_s = SECONDS(t->rebuffer_ns - base->rebuffer_ns);
	double time_s = t->time_s - base->time_s;
	out->buffer_mean_s = time_s > 0 ? (t->buffer_area_s2 - base->buffer_area_s2) / time_s : (double)NAN;
	out->startup_s = v.startup_ns == WEIR_NEVER ? (double)NAN : SECONDS(v.startup_ns);
}

static void sum_flow(struct weir_flow_summary *out, const struct weir_build *b, const struct weir_life *life,
		     const struct weir_build_entry *e, u32 flow)
{
	struct weir_lived lived;
	u32 hist = weir_build_hist(e, flow);
	weir_life_of(life, e, flow, &lived);
	weir_build_flow_name(e, flow, out->name);
	put_name(out->path, b->scenario->paths[e->flow->path].name);
	put_name(out->controller, e->controller);
	out->application = application_name(e);
	out->start_s = SECONDS(b->start_ns[flow]);
	out->active_s = SECONDS(lived.active_ns);
	out->goodput_bps = rate_bps(lived.delivered_bytes, lived.active_ns);
	out->throughput_bps = rate_bps(lived.received_bytes, lived.active_ns);
	weir_spread_from_hist(&out->rtt_ms, &b->rtt_ns[hist], 1e6);
	weir_spread_from_hist(&out->queue_delay_ms, &b->queue_ns[hist], 1e6);
	if (b->delay_ns)
		weir_spread_from_hist(&out->one_way_delay_ms, &b->delay_ns[hist], 1e6);
	out->packets_sent = lived.totals.sent_packets;
	out->packets_lost = lived.totals.lost_packets;
	out->retransmitted = lived.totals.retransmitted_packets;
	out->timeouts = lived.totals.timeouts;
	out->recoveries = lived.totals.recoveries;
	out->spurious = lived.totals.spurious;
	out->ce_packets = lived.totals.ce_packets;
	out->loss_fraction = share(lived.totals.lost_packets, lived.totals.sent_packets);
	forget_uncounted(b->backend.ops, &out->timeouts, &out->recoveries, &out->spurious);
}

static int sum_flows(struct weir_summary *out, const struct weir_build *b, const struct weir_life *life,
		     const struct weir_sampler *sampler)
{
	out->flow = calloc(b->n_recorded + 1u, sizeof *out->flow);
	if (!out->flow)
		return -1;
	for (u32 i = 0; i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		for (u32 flow = e->first; !e->grouped && flow < e->first + e->count; flow++) {
			struct weir_flow_summary *f = &out->flow[out->n_flows++];
			sum_flow(f, b, life, e, flow);
			flow_signals(f, e, &sampler->flow[weir_build_hist(e, flow)]);
			weir_ages_of_flow(f, b, e, flow);
			sum_video(&f->video, b, life, flow);
		}
	}
	return 0;
}

/* Of all flows of an entry together; `rows` has one for each flow, or one if it is grouped. */
static void spread_of_entry(struct weir_spread *out, const struct weir_build_entry *e,
			    const struct weir_hist *rows, struct weir_hist *scratch)
{
	if (!rows)
		return;
	if (e->grouped) {
		weir_spread_from_hist(out, &rows[e->first_hist], 1e6);
		return;
	}
	memset(scratch, 0, sizeof *scratch);
	for (u32 flow = e->first; flow < e->first + e->count; flow++)
		weir_hist_merge(scratch, &rows[weir_build_hist(e, flow)]);
	weir_spread_from_hist(out, scratch, 1e6);
}

/* What flows that arrive at random moved in all, over the time in which they came: rates of flows that were
 * there one after the other add up to nothing. */
static void sum_arrivals(struct weir_group_summary *g, const struct weir_build *b,
			 const struct weir_life *life, const struct weir_build_entry *e)
{
	u64 from_ns = weir_max(life->from_ns, e->flow->start_ns);
	u64 to_ns = weir_min(life->end_ns, e->flow->stop_ns);
	u64 delivered = 0, received = 0, elastic = 0;
	for (u32 flow = e->first; flow < e->first + e->count; flow++) {
		struct weir_lived lived;
		weir_life_of(life, e, flow, &lived);
		delivered += lived.delivered_bytes;
		received += lived.received_bytes;
		if (weir_build_is_elastic(b, e, flow))
			elastic += lived.received_bytes;
	}
	g->goodput_bps = rate_bps(delivered, weir_sub(to_ns, from_ns));
	g->throughput_bps = rate_bps(received, weir_sub(to_ns, from_ns));
	g->elastic_fraction = share(elastic, received);
}

/* Where single flows were not counted. */
static void take_entry_totals(struct weir_group_summary *g, const struct weir_life *life, u32 entry)
{
	struct weir_flow_totals t;
	if (!weir_life_of_entry(life, entry, &t))
		return;
	g->packets_sent = t.sent_packets;
	g->packets_lost = t.lost_packets;
	g->ce_packets = t.ce_packets;
	g->retransmitted = g->timeouts = g->recoveries = g->spurious = WEIR_NEVER;
}

/* `rates` takes the throughput of each flow that was there; returns how many were. */
static u32 sum_group(struct weir_group_summary *g, const struct weir_build *b, const struct weir_life *life,
		     const struct weir_build_entry *e, double *rates)
{
	u32 n = 0;
	weir_build_group_name(e, g->name);
	put_name(g->path, b->scenario->paths[e->flow->path].name);
	put_name(g->controller, e->controller);
	g->application = application_name(e);
	g->flows = e->count;
	g->elastic_fraction = (double)NAN;
	for (u32 flow = e->first; flow < e->first + e->count; flow++) {
		struct weir_lived lived;
		weir_life_of(life, e, flow, &lived);
		g->packets_sent += lived.totals.sent_packets;
		g->packets_lost += lived.totals.lost_packets;
		g->retransmitted += lived.totals.retransmitted_packets;
		g->timeouts += lived.totals.timeouts;
		g->recoveries += lived.totals.recoveries;
		g->spurious += lived.totals.spurious;
		g->ce_packets += lived.totals.ce_packets;
		if (lived.active_ns == 0)
			continue;
		rates[n] = rate_bps(lived.received_bytes, lived.active_ns);
		g->throughput_bps += rates[n++];
		g->goodput_bps += rate_bps(lived.delivered_bytes, lived.active_ns);
	}
	if (e->arrivals)
		sum_arrivals(g, b, life, e);
	take_entry_totals(g, life, (u32)(e - b->entry));
	g->loss_fraction = share(g->packets_lost, g->packets_sent);
	forget_uncounted(b->backend.ops, &g->timeouts, &g->recoveries, &g->spurious);
	g->jain_throughput = jain_or_none(rates, n);
	return n;
}

static void spread_rates(struct weir_group_summary *g, double *rates, u32 n)
{
	weir_sort(rates, n);
	g->throughput_p10_bps = n ? weir_quantile_sorted(rates, n, .1) : (double)NAN;
	g->throughput_p50_bps = n ? weir_quantile_sorted(rates, n, .5) : (double)NAN;
	g->throughput_p90_bps = n ? weir_quantile_sorted(rates, n, .9) : (double)NAN;
}

/* Groups, and the fairness over all flows on the way: the rates of an entry are in its flows' order. */
static int sum_groups(struct weir_summary *out, const struct weir_build *b, const struct weir_life *life)
{
	out->group = calloc(b->n_entries + 1u, sizeof *out->group);
	double *rates = calloc(b->n_flows + 1u, sizeof *rates);
	double *sorted = calloc(b->n_flows + 1u, sizeof *sorted);
	struct weir_hist *scratch = calloc(1, sizeof *scratch);
	u32 fair = 0;
	bool ok = out->group && rates && sorted && scratch;
	for (u32 i = 0; ok && i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		struct weir_group_summary *g = &out->group[out->n_groups];
		u32 n = sum_group(g, b, life, e, rates + fair);
		memcpy(sorted, rates + fair, n * sizeof *sorted);
		spread_rates(g, sorted, n);
		spread_of_entry(&g->rtt_ms, e, b->rtt_ns, scratch);
		spread_of_entry(&g->queue_delay_ms, e, b->queue_ns, scratch);
		spread_of_entry(&g->one_way_delay_ms, e, b->delay_ns, scratch);
		fair += e->fair ? n : 0;
		if (weir_build_has_group(e))
			out->n_groups++;
		else
			*g = (struct weir_group_summary){.flows = 0};
	}
	if (ok)
		out->jain_throughput = jain_or_none(rates, fair);
	free(rates);
	free(sorted);
	free(scratch);
	return ok ? 0 : -1;
}

static void sum_link(struct weir_link_summary *l, const struct weir_build *b, const struct weir_life *life,
		     const struct weir_sampler *sampler, u32 hop)
{
	u64 waiting, now_ns = weir_backend_now_ns(&b->backend), ns = weir_sub(now_ns, life->from_ns);
	const struct weir_link_stats *st = weir_backend_hop_stats(&b->backend, hop, &waiting);
	const struct weir_link_stats *base = &life->link_base[hop];
	u64 sent = st->sent_bytes - base->sent_bytes;
	u64 could = weir_build_capacity_bytes(b, hop, now_ns) - life->link_base_capacity[hop];
	put_name(l->name, b->scenario->hops[hop].name);
	l->capacity_bps = b->mean_bps[hop] ? rate_bps(could, ns) : (double)NAN;
	l->throughput_bps = rate_bps(sent, ns);
	/* The packet that was half transmitted when the warm-up ended counts whole: at most one too many. */
	l->utilization = b->mean_bps[hop] ? share(weir_min(sent, could), could) : (double)NAN;
	l->packets = st->out_packets - base->out_packets;
	l->drops_overflow =
	    st->dropped_packets[WEIR_DROP_OVERFLOW] - base->dropped_packets[WEIR_DROP_OVERFLOW];
	l->drops_aqm = st->dropped_packets[WEIR_DROP_AQM] - base->dropped_packets[WEIR_DROP_AQM];
	l->drops_policer = st->dropped_packets[WEIR_DROP_POLICER] - base->dropped_packets[WEIR_DROP_POLICER];
	l->drops_loss = st->dropped_packets[WEIR_DROP_LOSS] - base->dropped_packets[WEIR_DROP_LOSS];
	l->drops = l->drops_overflow + l->drops_aqm + l->drops_policer;
	l->marks = st->marked_packets - base->marked_packets;
	l->queue_mean_bytes = mean_of(sampler->link[hop].queue_sum, sampler->link[hop].looks);
	l->queue_max_bytes = sampler->link[hop].looks ? (double)sampler->link[hop].queue_max : (double)NAN;
	weir_spread_from_hist(&l->queue_delay_ms, &b->wait_ns[hop], 1e6);
}

static int sum_links(struct weir_summary *out, const struct weir_build *b, const struct weir_life *life,
		     const struct weir_sampler *sampler)
{
	out->link = calloc(b->scenario->n_hops + 1u, sizeof *out->link);
	if (!out->link)
		return -1;
	out->n_links = b->scenario->n_hops;
	for (u32 i = 0; i < out->n_links; i++)
		sum_link(&out->link[i], b, life, sampler, i);
	return 0;
}

int weir_summarise(struct weir_summary *out, const struct weir_build *b, const struct weir_life *life,
		   const struct weir_sampler *sampler)
{
	out->simulated_s = SECONDS(weir_backend_now_ns(&b->backend));
	out->events = b->backend.ops->events(b->backend.ctx);
	for (u32 flow = 0; flow < b->n_flows; flow++) {
		struct weir_flow_totals t;
		weir_backend_flow_totals(&b->backend, flow, &t);
		out->packets += t.sent_packets;
	}
	for (u32 i = 0; i < b->n_entries; i++) {
		struct weir_flow_totals t;
		if (weir_backend_entry_totals(&b->backend, i, &t))
			out->packets += t.sent_packets;
	}
	if (sum_flows(out, b, life, sampler) < 0 || sum_groups(out, b, life) < 0 ||
	    sum_links(out, b, life, sampler) < 0)
		return -1;
	if (weir_ages_of_groups(out, b) < 0)
		return -1;
	return weir_summarise_fct(out, b, life);
}

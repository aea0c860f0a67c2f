/* SPDX-License-Identifier: MIT */
#include "emulated.h"

#include <stdlib.h>
#include <string.h>

/* What kernel TCP shows of every flow, beside what its controller does. */
enum { SSTHRESH, DELIVERY, MIN_RTT, RTTVAR, RTO, NOTSENT, CA_STATE, KERNEL_SIGNALS };
static const struct weir_signal kernel_signals[KERNEL_SIGNALS] = {
    [SSTHRESH] = {"ssthresh", "bytes"},
    [DELIVERY] = {"delivery", "Bps"},
    [MIN_RTT] = {"min_rtt", "ns"},
    [RTTVAR] = {"rttvar", "ns"},
    [RTO] = {"rto", "ns"},
    [NOTSENT] = {"notsent", "bytes"},
    [CA_STATE] = {"ca_state", ""},
};

/* The kernel's threshold means nothing where the controller has its own; nor are there two of one name. */
static bool is_shown(const struct weir_cc_ops *ops, u32 signal)
{
	if (ops && signal == SSTHRESH)
		return false;
	for (u32 i = 0; ops && i < ops->n_signals; i++)
		if (!strcmp(ops->signals[i].name, kernel_signals[signal].name))
			return false;
	return true;
}

void weir_emulated_name_signals(struct weir_emulated *e, struct weir_build *b)
{
	for (u32 i = 0; i < b->n_entries; i++) {
		struct weir_build_entry *entry = &b->entry[i];
		const struct weir_cc_ops *ops = entry->ops.cc;
		if (entry->ops.age || entry->ops.pilot) /* their own signals, and no kernel's */
			continue;
		u32 n = ops ? ops->n_signals : 0;
		for (u32 k = 0; k < n; k++)
			e->signals[i][k] = ops->signals[k];
		for (u32 k = 0; k < KERNEL_SIGNALS && n < WEIR_CC_SIGNALS_MAX; k++)
			if (is_shown(ops, k))
				e->signals[i][n++] = kernel_signals[k];
		entry->signals = e->signals[i];
		entry->n_signals = entry->controlled ? n : 0;
	}
}

int weir_emulated_begin_looks(struct weir_emulated *e)
{
	u32 flows = e->n_slots + 1u;
	e->at.hop = calloc(e->n_hops + 1u, sizeof *e->at.hop);
	e->base.hop = calloc(e->n_hops + 1u, sizeof *e->base.hop);
	e->at.flow = calloc(flows, sizeof *e->at.flow);
	e->base.flow = calloc(flows, sizeof *e->base.flow);
	e->stats = calloc(e->n_hops + 1u, sizeof *e->stats);
	return e->at.hop && e->base.hop && e->at.flow && e->base.flow && e->stats ? 0 : -1;
}

void weir_emulated_end_looks(struct weir_emulated *e)
{
	free(e->at.hop);
	free(e->base.hop);
	free(e->at.flow);
	free(e->base.flow);
	free(e->stats);
	free(e->completions);
}

static struct weir_link_stats since(const struct weir_link_stats *s, const struct weir_link_stats *base)
{
	struct weir_link_stats out = *s;
	out.in_packets -= base->in_packets;
	out.in_bytes -= base->in_bytes;
	out.out_packets -= base->out_packets;
	out.out_bytes -= base->out_bytes;
	for (u32 i = 0; i < WEIR_DROP_REASONS; i++) {
		out.dropped_packets[i] -= base->dropped_packets[i];
		out.dropped_bytes[i] -= base->dropped_bytes[i];
	}
	out.duplicated_packets -= base->duplicated_packets;
	out.duplicated_bytes -= base->duplicated_bytes;
	out.marked_packets -= base->marked_packets;
	out.oversize_packets -= base->oversize_packets;
	out.sent_bytes -= base->sent_bytes;
	out.capacity_bytes -= base->capacity_bytes;
	return out;
}

void weir_emulated_look_at_acp(struct weir_emulated *e, u32 slot)
{
	struct weir_emulated_flow *f = &e->flow[slot];
	weir_emulated_acp_look(f->acp, e->zero_age_ns + e->now_ns, &f->acp_seen);
	f->seen.delivered_bytes = f->acp_seen.delivered_bytes;
	f->rtt_n = f->acp_seen.rtt_n;
	f->rtt_sum_ns = (u64)f->acp_seen.rtt_sum_ns;
}

void weir_emulated_take_look(struct weir_emulated *e)
{
	if (!e->based && e->at.now_ns >= e->lead_ns) {
		e->based = true;
		e->base.self = e->at.self;
		memcpy(e->base.hop, e->at.hop, e->n_hops * sizeof *e->at.hop);
		memcpy(e->base.flow, e->at.flow, e->n_slots * sizeof *e->at.flow);
	}
	e->now_ns = weir_sub(e->at.now_ns, e->lead_ns);
	e->late_max_ns = weir_max(e->late_max_ns, e->at.self.late_max_ns);
	for (u32 i = 0; i < e->n_hops; i++)
		e->stats[i] = since(&e->at.hop[i].stats, &e->base.hop[i].stats);
	for (u32 i = 0; i < e->n_slots; i++) {
		if (e->flow[i].tcp)
			weir_ktcp_look(e->flow[i].tcp, &e->flow[i].seen);
		if (e->flow[i].acp)
			weir_emulated_look_at_acp(e, i);
	}
	weir_emulated_calls_take(&e->calls);
}

static u64 time_of(const struct weir_emulated *e, u64 clock_ns)
{
	return weir_sub(clock_ns, e->zero_clock_ns);
}

static u32 flow_of(const struct weir_build_entry *e, u32 slot, const struct weir_ktcp_completion *c)
{
	return e->first + (e->grouped ? (u32)c->number : slot - e->first_hist);
}

int weir_emulated_take_completions(struct weir_emulated *e)
{
	u64 room = 0;
	for (u32 i = 0; i < e->n_slots; i++) {
		if (e->flow[i].tcp)
			weir_ktcp_look(e->flow[i].tcp, &e->flow[i].seen);
		room += weir_min(e->flow[i].seen.completions, WEIR_KTCP_COMPLETIONS_KEPT);
	}
	struct weir_ktcp_completion *one = calloc(WEIR_KTCP_COMPLETIONS_KEPT, sizeof *one);
	e->completions = calloc(room + 1, sizeof *e->completions);
	for (u32 i = 0; one && e->completions && i < e->n_slots; i++) {
		const struct weir_build_entry *entry = &e->b->entry[e->flow[i].entry];
		u32 n = e->flow[i].tcp
			    ? weir_ktcp_completions(e->flow[i].tcp, one, WEIR_KTCP_COMPLETIONS_KEPT)
			    : 0;
		for (u32 k = 0; k < n && e->n_completions < room; k++)
			e->completions[e->n_completions++] =
			    (struct weir_completion){.flow = flow_of(entry, i, &one[k]),
						     .start_ns = time_of(e, one[k].start_ns),
						     .end_ns = time_of(e, one[k].end_ns),
						     .bytes = one[k].bytes};
	}
	free(one);
	return one && e->completions ? 0 : -1;
}

/* ---- as a backend ---- */

static u64 now_ns(const void *ctx)
{
	return ((const struct weir_emulated *)ctx)->now_ns;
}

static u64 events(const void *ctx)
{
	(void)ctx;
	return WEIR_NEVER;
}

static u64 known(u64 value)
{
	return value == WEIR_KTCP_UNKNOWN ? 0 : value;
}

static void slot_totals(const struct weir_emulated *e, u32 slot, struct weir_flow_totals *t)
{
	const struct weir_ktcp_seen *seen = &e->flow[slot].seen;
	const struct weir_ferry_flow *at = &e->at.flow[slot], *base = &e->base.flow[slot];
	*t = (struct weir_flow_totals){
	    .delivered_bytes = seen->delivered_bytes,
	    .received_wire_bytes = at->out_bytes - base->out_bytes,
	    .sent_packets = at->in_packets - base->in_packets,
	    .sent_wire_bytes = at->in_bytes - base->in_bytes,
	    .lost_packets = at->dropped_packets - base->dropped_packets,
	    .ce_packets = at->ce_packets - base->ce_packets,
	};
	if (!seen->info_ns)
		return;
	t->retransmitted_packets = known(seen->info.retransmitted_segments);
	t->timeouts = known(seen->info.rto_total);
}

/* Of a connection of a crowd only its receiver knows; each of its packets had a header. */
static void crowd_totals(const struct weir_emulated *e, const struct weir_build_entry *entry, u32 flow,
			 struct weir_flow_totals *t)
{
	const struct weir_scenario_endpoint *p = &entry->flow->endpoint;
	bool done;
	u64 bytes = weir_ktcp_crowd_delivered(e->flow[entry->first_hist].tcp, flow - entry->first, &done);
	u64 packets = bytes / p->mss_bytes + (bytes % p->mss_bytes != 0);
	*t = (struct weir_flow_totals){.delivered_bytes = bytes,
				       .received_wire_bytes = bytes + packets * p->header_bytes};
}

static void flow_totals(const void *ctx, u32 flow, struct weir_flow_totals *t)
{
	const struct weir_emulated *e = ctx;
	const struct weir_build_entry *entry = weir_build_entry_of(e->b, flow);
	if (entry->arrivals)
		crowd_totals(e, entry, flow, t);
	else
		slot_totals(e, weir_build_hist(entry, flow), t);
}

static bool entry_totals(const void *ctx, u32 entry, struct weir_flow_totals *t)
{
	const struct weir_emulated *e = ctx;
	if (!e->b->entry[entry].arrivals)
		return false;
	slot_totals(e, e->b->entry[entry].first_hist, t);
	return true;
}

static bool flow_video(const void *ctx, u32 flow, struct weir_video *v)
{
	const struct weir_emulated *e = ctx;
	const struct weir_build_entry *entry = weir_build_entry_of(e->b, flow);
	const struct weir_ktcp_seen *seen = &e->flow[weir_build_hist(entry, flow)].seen;
	if (entry->flow->app.kind != WEIR_SCENARIO_VIDEO || !seen->video.at_ns)
		return false;
	*v = seen->video;
	weir_video_advance(v, weir_add(e->zero_clock_ns, weir_min(e->now_ns, entry->flow->stop_ns)));
	return true;
}

static u64 packets_in_flight(const struct weir_ktcp_info *i)
{
	return weir_sub(known(i->unacked_packets) + known(i->retrans_out_packets),
			known(i->sacked_packets) + known(i->lost_packets));
}

static void put_signal(struct weir_flow_now *n, bool is_known, u64 value)
{
	u32 k = n->n_signals++;
	n->missing |= (u32)!is_known << k;
	n->signal[k] = is_known ? value : 0;
}

static u64 kernel_signal(const struct weir_ktcp_info *i, u32 signal)
{
	switch (signal) {
	case SSTHRESH:
		return i->ssthresh_packets == WEIR_KTCP_UNKNOWN ? WEIR_KTCP_UNKNOWN
								: i->ssthresh_packets * known(i->mss_bytes);
	case DELIVERY:
		return i->delivery_Bps;
	case MIN_RTT:
		return i->min_rtt_ns;
	case RTTVAR:
		return i->rttvar_ns;
	case RTO:
		return i->rto_ns;
	case NOTSENT:
		return i->notsent_bytes;
	default:
		return i->ca_state;
	}
}

/* In the order of weir_emulated_name_signals. */
static void put_signals(const struct weir_emulated *e, u32 slot, struct weir_flow_now *n)
{
	u64 own[WEIR_CC_SIGNALS_MAX] = {0};
	u32 entry = e->flow[slot].entry;
	const struct weir_cc_ops *ops = e->b->entry[entry].ops.cc;
	if (e->b->entry[entry].ops.pilot)
		return;
	bool probed = weir_emulated_calls_probe(&e->calls, &e->in_kernel, entry, slot, own);
	for (u32 k = 0; ops && k < ops->n_signals; k++)
		put_signal(n, probed, own[k]);
	for (u32 k = 0; k < KERNEL_SIGNALS && n->n_signals < WEIR_CC_SIGNALS_MAX; k++) {
		u64 value = kernel_signal(&e->flow[slot].seen.info, k);
		if (is_shown(ops, k))
			put_signal(n, value != WEIR_KTCP_UNKNOWN, value);
	}
}

static void acp_now(const struct weir_build_entry *entry, const struct weir_emulated_acp_seen *seen,
		    struct weir_flow_now *n)
{
	u64 wire_bytes = weir_scenario_packet_bytes(entry->flow);
	n->srtt_ns = seen->srtt_ns;
	n->min_rtt_ns = seen->min_rtt_ns;
	n->inflight_bytes = seen->in_flight * wire_bytes;
	n->pacing_Bps = (u64)(seen->age.rate_hz * (double)wire_bytes);
}

static void flow_now(const void *ctx, u32 flow, struct weir_flow_now *n)
{
	const struct weir_emulated *e = ctx;
	const struct weir_build_entry *entry = weir_build_entry_of(e->b, flow);
	u32 slot = weir_build_hist(entry, flow);
	const struct weir_ktcp_seen *seen = &e->flow[slot].seen;
	const struct weir_ktcp_info *i = &seen->info;
	*n = (struct weir_flow_now){.done = seen->done};
	if (entry->arrivals) {
		weir_ktcp_crowd_delivered(e->flow[slot].tcp, flow - entry->first, &n->done);
		return;
	}
	if (e->flow[slot].acp)
		acp_now(entry, &e->flow[slot].acp_seen, n);
	if (!seen->info_ns)
		return;
	u64 mss_bytes = known(i->mss_bytes);
	*n = (struct weir_flow_now){
	    .cwnd_bytes = known(i->cwnd_packets) * mss_bytes,
	    .pacing_Bps = known(i->pacing_Bps),
	    .inflight_bytes = packets_in_flight(i) * mss_bytes,
	    .srtt_ns = known(i->srtt_ns),
	    .min_rtt_ns = known(i->min_rtt_ns),
	    .rto_ns = known(i->rto_ns),
	    .app_limited = i->app_limited,
	    .done = seen->done,
	};
	put_signals(e, slot, n);
}

static void flow_tallies(const void *ctx, u32 hist, struct weir_flow_tallies *t)
{
	const struct weir_emulated *e = ctx;
	const struct weir_emulated_flow *f = &e->flow[hist];
	const struct weir_ferry_flow *at = &e->at.flow[hist];
	*t = (struct weir_flow_tallies){
	    .rtt = {__atomic_load_n(&f->rtt_n, __ATOMIC_RELAXED),
		    (double)__atomic_load_n(&f->rtt_sum_ns, __ATOMIC_RELAXED)},
	    .queue = {at->queue_n, (double)at->queue_sum_ns},
	    .delay = {at->delay_n, (double)at->delay_sum_ns},
	};
}

static const struct weir_link_stats *hop_stats(const void *ctx, u32 hop, u64 *waiting_bytes)
{
	const struct weir_emulated *e = ctx;
	*waiting_bytes = e->at.hop[hop].waiting_bytes;
	return &e->stats[hop];
}

static struct weir_tally hop_wait(const void *ctx, u32 hop)
{
	const struct weir_ferry_hop *h = &((const struct weir_emulated *)ctx)->at.hop[hop];
	return (struct weir_tally){h->wait_n, h->wait_sum_ns};
}

static const struct weir_completion *completions(const void *ctx, u64 *n)
{
	const struct weir_emulated *e = ctx;
	*n = e->n_completions;
	return e->completions;
}

static struct weir_tally lateness(const void *ctx, u64 *max_ns)
{
	const struct weir_emulated *e = ctx;
	*max_ns = e->late_max_ns;
	return (struct weir_tally){e->at.self.late_n - e->base.self.late_n,
				   (double)(e->at.self.late_sum_ns - e->base.self.late_sum_ns)};
}

static bool flow_age(const void *ctx, u32 flow, struct weir_flow_age *a)
{
	const struct weir_emulated *e = ctx;
	const struct weir_emulated_flow *f = &e->flow[weir_build_hist(weir_build_entry_of(e->b, flow), flow)];
	memset(a, 0, sizeof *a);
	if (f->acp) {
		*a = f->acp_seen.age;
		return true;
	}
	if (!f->age)
		return false;
	u64 until_ns = weir_min(e->at.now_ns, f->stop_ns);
	a->age = weir_emulated_age_read(&f->age->truth, until_ns);
	a->estimate = weir_emulated_age_read(&f->age->estimate, until_ns);
	a->fresh = a->age.values;
	return true;
}

static bool flow_pilot(const void *ctx, u32 flow, double value[WEIR_PILOT_SIGNALS_MAX])
{
	const struct weir_emulated *e = ctx;
	const struct weir_build_entry *entry = weir_build_entry_of(e->b, flow);
	u32 slot = weir_build_hist(entry, flow);
	return !entry->arrivals && weir_in_kernel_pilot(&e->in_kernel, e->flow[slot].entry,
							(u16)(WEIR_EMULATED_FIRST_PORT + slot), value);
}

const struct weir_backend_ops weir_emulated_ops = {
    .name = "emu",
    .counts_timeouts = true,
    .now_ns = now_ns,
    .events = events,
    .flow_totals = flow_totals,
    .flow_now = flow_now,
    .flow_tallies = flow_tallies,
    .hop_stats = hop_stats,
    .hop_wait = hop_wait,
    .completions = completions,
    .flow_age = flow_age,
    .entry_totals = entry_totals,
    .flow_video = flow_video,
    .flow_pilot = flow_pilot,
    .lateness = lateness,
};

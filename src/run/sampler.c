/* SPDX-License-Identifier: MIT */
#include "sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(WEIR_SIGNALS_MAX >= WEIR_PILOT_SIGNALS_MAX && WEIR_SIGNALS_MAX >= WEIR_CC_SIGNALS_MAX &&
		   WEIR_SIGNALS_MAX >= WEIR_AGE_SIGNALS_MAX,
	       "room for the signals of each kind");

/* Each so many steps, so that n things looked at over `steps` steps stay within the budget. */
static u64 every(u64 n, u64 steps, u64 budget)
{
	u64 wanted = weir_muldiv(n, steps, budget) + 1;
	return weir_clamp(wanted, 1, weir_max(steps / WEIR_SAMPLES_LEAST, 1));
}

static void choose_periods(struct weir_sampler *s)
{
	const struct weir_scenario *sc = s->b->scenario;
	u64 usual_ns = weir_max(10 * WEIR_NS_PER_MS, sc->duration_ns / 2000);
	s->flow_every = s->group_every = 1;
	if (sc->sample_ns != usual_ns)
		return;
	u64 steps = weir_div(sc->duration_ns, sc->sample_ns), n = 0;
	for (u32 i = 0; i < s->b->n_entries; i++) /* of those that arrive few are there at a time */
		n += s->b->entry[i].arrivals ? 0 : s->b->entry[i].count;
	s->flow_every = every(n, steps, WEIR_SAMPLES_FLOWS);
	s->group_every = every(n, steps, WEIR_SAMPLES_GROUPS);
}

static bool has_groups(const struct weir_build *b)
{
	for (u32 i = 0; i < b->n_entries; i++)
		if (weir_build_has_group(&b->entry[i]))
			return true;
	return false;
}

static void name_signals(struct weir_sampler *s)
{
	for (u32 i = 0; i < s->b->n_entries; i++) {
		const struct weir_build_entry *e = &s->b->entry[i];
		for (u32 k = 0; k < e->n_signals; k++) {
			char name[WEIR_NAME_BYTES];
			weir_signal_name(name, e->signals[k].name, e->signals[k].unit);
			snprintf(s->signal_name[i][k], sizeof s->signal_name[i][k], "cc.%s", name);
		}
	}
}

int weir_sampler_begin(struct weir_sampler *s, const struct weir_build *b, struct weir_series *series)
{
	memset(s, 0, sizeof *s);
	s->b = b;
	s->series = series;
	for (u32 i = 0; i < b->n_entries; i++)
		s->piloted = s->piloted || b->entry[i].ops.pilot;
	choose_periods(s);
	s->link = calloc(b->scenario->n_hops + 1u, sizeof *s->link);
	s->signal_name = calloc(b->n_entries + 1u, sizeof *s->signal_name);
	s->flow = calloc(b->n_hists + 1u, sizeof *s->flow);
	if (!s->link || !s->signal_name || !s->flow)
		return -1;
	for (u32 i = 0; series && i < b->scenario->n_hops; i++)
		if (weir_fair_share_begin(&s->link[i].fair, b, i) < 0)
			return -1;
	if (has_groups(b)) {
		s->group = calloc(b->n_entries + 1u, sizeof *s->group);
		s->group_received = calloc(b->n_flows + 1u, sizeof *s->group_received);
		s->group_moved_ns = calloc(b->n_flows + 1u, sizeof *s->group_moved_ns);
		s->live = calloc(b->n_flows + 1u, sizeof *s->live);
		s->spread_bps = calloc(4, sizeof *s->spread_bps);
		if (!s->group || !s->group_received || !s->group_moved_ns || !s->live || !s->spread_bps)
			return -1;
		s->spread_rtt = s->spread_bps + 1;
		s->spread_cwnd = s->spread_bps + 2;
		s->spread_age = s->spread_bps + 3;
		if (b->age && !(s->group_age = calloc(b->n_flows + 1u, sizeof *s->group_age)))
			return -1;
	}
	name_signals(s);
	return 0;
}

void weir_sampler_free(struct weir_sampler *s)
{
	for (u32 i = 0; s->link && i < s->b->scenario->n_hops; i++)
		weir_fair_share_free(&s->link[i].fair);
	free(s->flow);
	free(s->group);
	free(s->link);
	free(s->group_received);
	free(s->group_moved_ns);
	free(s->live);
	free(s->group_age);
	free(s->spread_bps);
	free(s->signal_name);
	memset(s, 0, sizeof *s);
}

void weir_sampler_restart(struct weir_sampler *s)
{
	const struct weir_backend *backend = &s->b->backend;
	for (u32 i = 0; i < s->b->n_hists; i++) {
		struct weir_sampled_flow *f = &s->flow[i];
		weir_backend_flow_tallies(backend, i, &f->seen);
		f->looks = 0;
		f->cwnd_sum = f->backlog_sum = 0;
		memset(f->signal_sum, 0, sizeof f->signal_sum);
		memset(f->signal_looks, 0, sizeof f->signal_looks);
	}
	weir_sampler_restart_ages(s);
	for (u32 i = 0; s->group && i < s->b->n_entries; i++)
		if (s->b->entry[i].grouped)
			weir_backend_flow_tallies(backend, s->b->entry[i].first_hist, &s->group[i].seen);
	for (u32 i = 0; i < s->b->scenario->n_hops; i++) {
		s->link[i].wait = weir_backend_hop_wait(backend, i);
		s->link[i].looks = s->link[i].queue_max = 0;
		s->link[i].queue_sum = 0;
	}
}

/* Mean of the samples since the last look, in ms. */
static void put_mean(struct weir_sampler *s, const char *signal, const struct weir_tally *now,
		     struct weir_tally *last)
{
	if (now->n > last->n)
		weir_series_fixed(s->series, signal,
				  (u64)((now->sum - last->sum) / (double)(now->n - last->n) + .5), 6);
	*last = *now;
}

void weir_sampler_put_tallies(struct weir_sampler *s, u32 hist, struct weir_flow_tallies *seen)
{
	struct weir_flow_tallies now;
	weir_backend_flow_tallies(&s->b->backend, hist, &now);
	put_mean(s, "rtt_ms", &now.rtt, &seen->rtt);
	put_mean(s, "queue_delay_ms", &now.queue, &seen->queue);
	put_mean(s, "one_way_delay_ms", &now.delay, &seen->delay);
}

/* A controller's signal in its text unit; the two commonest units without a double in between. */
static void put_signal(struct weir_series *out, const char *name, const char *unit, u64 value)
{
	if (strcmp(unit, "ns") == 0 || strcmp(unit, "ratio") == 0)
		weir_series_fixed(out, name, value, 6);
	else if (strcmp(unit, "Bps") == 0)
		weir_series_value(out, name, weir_signal_value(unit, (double)value));
	else
		weir_series_fixed(out, name, value, 0);
}

static void put_state(struct weir_sampler *s, const struct weir_build_entry *e, const struct weir_flow_now *n)
{
	struct weir_series *out = s->series;
	if (n->srtt_ns)
		weir_series_fixed(out, "srtt_ms", n->srtt_ns, 6);
	weir_series_fixed(out, "cwnd_bytes", n->cwnd_bytes, 0);
	weir_series_fixed(out, "inflight_bytes", n->inflight_bytes, 0);
	if (n->pacing_Bps)
		weir_series_fixed(out, "pacing_bps", n->pacing_Bps * 8, 0);
	for (u32 k = 0; k < n->n_signals; k++)
		if (!(n->missing >> k & 1))
			put_signal(out, s->signal_name[e - s->b->entry][k], e->signals[k].unit, n->signal[k]);
}

static void add_means(const struct weir_build_entry *e, struct weir_sampled_flow *f,
		      const struct weir_flow_now *n)
{
	f->looks++;
	f->cwnd_sum += (double)n->cwnd_bytes;
	f->backlog_sum += (double)n->inflight_bytes / (double)weir_max(e->flow->endpoint.mss_bytes, 1);
	for (u32 k = 0; k < n->n_signals; k++) {
		if (n->missing >> k & 1)
			continue;
		f->signal_last[k] = weir_signal_value(e->signals[k].unit, (double)n->signal[k]);
		f->signal_sum[k] += f->signal_last[k];
		f->signal_looks[k]++;
	}
}

static void put_video(struct weir_sampler *s, const struct weir_build_entry *e, u32 flow)
{
	struct weir_video v;
	if (!weir_backend_flow_video(&s->b->backend, flow, &v))
		return;
	weir_series_fixed(s->series, "video_bitrate_bps", e->flow->app.ladder.bps[v.rung], 0);
	weir_series_fixed(s->series, "video_buffer_s", v.buffer_ns, 9);
	weir_series_fixed(s->series, "video_rebuffer_s", v.totals.rebuffer_ns, 9);
}

/* Lost packets are taken to be as large as the others of the interval. */
void weir_sampler_put_accepted(struct weir_sampler *s, u64 sent, u64 sent_bytes, u64 lost, u64 ns)
{
	u64 bytes = sent ? weir_muldiv(sent_bytes, weir_sub(sent, lost), sent) : 0;
	if (s->piloted)
		weir_series_fixed(s->series, "accepted_bps", weir_sampler_bps(bytes, ns), 0);
}

static void look_at_flow(struct weir_sampler *s, const struct weir_build_entry *e, u32 flow, u64 now_ns)
{
	struct weir_sampled_flow *f = &s->flow[weir_build_hist(e, flow)];
	const struct weir_build *b = s->b;
	u64 from_ns = weir_max(f->seen_ns, b->start_ns[flow]);
	if (now_ns <= from_ns || f->done)
		return;
	struct weir_flow_totals t;
	struct weir_flow_now n;
	weir_backend_flow_totals(&b->backend, flow, &t);
	weir_backend_flow_now(&b->backend, flow, &n);
	f->done = n.done;
	if (e->controlled)
		add_means(e, f, &n);
	if (s->series) {
		char name[WEIR_BUILD_NAME_BYTES];
		weir_build_flow_name(e, flow, name);
		weir_series_flow(s->series, "", name);
		u64 ns = now_ns - from_ns;
		weir_series_fixed(s->series, "throughput_bps",
				  weir_sampler_bps(t.received_wire_bytes - f->received_bytes, ns), 0);
		weir_series_fixed(s->series, "goodput_bps",
				  weir_sampler_bps(t.delivered_bytes - f->delivered_bytes, ns), 0);
		weir_sampler_put_tallies(s, weir_build_hist(e, flow), &f->seen);
		if (e->controlled) {
			put_state(s, e, &n);
			weir_series_fixed(s->series, "retransmitted",
					  t.retransmitted_packets - f->retransmitted, 0);
		}
		weir_series_fixed(s->series, "lost", t.lost_packets - f->lost, 0);
		weir_sampler_put_accepted(s, t.sent_packets - f->sent, t.sent_wire_bytes - f->sent_bytes,
					  t.lost_packets - f->lost, ns);
		put_video(s, e, flow);
	}
	if (e->ops.pilot)
		weir_sampler_flow_pilot(s, e, flow);
	if (e->flow->age.measured)
		weir_sampler_flow_age(s, e, flow, from_ns, now_ns);
	f->seen_ns = now_ns;
	f->delivered_bytes = t.delivered_bytes;
	f->received_bytes = t.received_wire_bytes;
	f->retransmitted = t.retransmitted_packets;
	f->lost = t.lost_packets;
	f->sent = t.sent_packets;
	f->sent_bytes = t.sent_wire_bytes;
}

void weir_sampler_put_spread(struct weir_series *out, const struct weir_hist *h, const char *const name[3],
			     u32 decimals)
{
	static const double q[3] = {.1, .5, .9};
	for (u32 i = 0; h->n && i < 3; i++)
		weir_series_fixed(out, name[i], (u64)(weir_hist_quantile(h, q[i]) + .5), decimals);
}

static u64 fair_bps(struct weir_sampler *s, struct weir_sampled_link *l, u64 now_ns, u64 ns)
{
	return weir_sampler_bps((u64)(weir_fair_share_until(&l->fair, s->b, now_ns) + .5), ns);
}

static void look_at_link(struct weir_sampler *s, u32 hop, u64 now_ns)
{
	struct weir_sampled_link *l = &s->link[hop];
	u64 waiting, ns = now_ns - l->seen_ns;
	const struct weir_link_stats *st = weir_backend_hop_stats(&s->b->backend, hop, &waiting);
	u64 losses = st->dropped_packets[WEIR_DROP_LOSS], drops = weir_link_dropped(st) - losses;
	u64 capacity = weir_build_capacity_bytes(s->b, hop, now_ns);
	l->looks++;
	l->queue_sum += (double)waiting;
	l->queue_max = weir_max(l->queue_max, waiting);
	if (ns == 0)
		return;
	if (s->series) {
		struct weir_series *out = s->series;
		u64 sent = st->sent_bytes - l->sent_bytes, could = capacity - l->capacity_bytes;
		weir_series_flow(out, "link:", s->b->scenario->hops[hop].name);
		if (s->b->mean_bps[hop])
			weir_series_fixed(out, "capacity_bps", weir_sampler_bps(could, ns), 0);
		weir_series_fixed(out, "throughput_bps", weir_sampler_bps(sent, ns), 0);
		if (could)
			weir_series_fixed(out, "utilization", weir_muldiv(sent, 1000000, could), 6);
		weir_series_fixed(out, "queue_bytes", waiting, 0);
		struct weir_tally wait = weir_backend_hop_wait(&s->b->backend, hop);
		put_mean(s, "queue_delay_ms", &wait, &l->wait);
		weir_series_fixed(out, "drops", drops - l->drops, 0);
		if (losses)
			weir_series_fixed(out, "losses", losses - l->losses, 0);
		if (l->fair.n_entries)
			weir_series_fixed(out, "fair_share_bps", fair_bps(s, l, now_ns, ns), 0);
	}
	l->seen_ns = now_ns;
	l->sent_bytes = st->sent_bytes;
	l->capacity_bytes = capacity;
	l->drops = drops;
	l->losses = losses;
}

/* Of the emulator itself: what the numbers beside it are worth at that time. */
static void look_at_emulator(struct weir_sampler *s)
{
	const struct weir_backend *backend = &s->b->backend;
	u64 max_ns;
	if (!backend->ops->lateness || !s->series)
		return;
	struct weir_tally now = backend->ops->lateness(backend->ctx, &max_ns);
	weir_series_flow(s->series, "emulator:", "ferry");
	if (now.n > s->late.n) {
		weir_series_fixed(s->series, "lateness_max_us", max_ns, 3);
		weir_series_fixed(s->series, "lateness_us",
				  (u64)((now.sum - s->late.sum) / (double)(now.n - s->late.n) + .5), 3);
	}
	s->late = now;
}

void weir_sampler_step(struct weir_sampler *s, u64 now_ns, bool last)
{
	const struct weir_build *b = s->b;
	s->step++;
	if (s->series)
		weir_series_time(s->series, now_ns);
	look_at_emulator(s);
	for (u32 i = 0; i < b->scenario->n_hops; i++)
		look_at_link(s, i, now_ns);
	for (u32 i = 0; i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		for (u32 flow = e->first; !e->grouped && flow < e->first + e->count; flow++)
			if (last || s->step % s->flow_every == 0)
				look_at_flow(s, e, flow, now_ns);
	}
	for (u32 i = 0; s->series && s->group && i < b->n_entries; i++)
		if (weir_build_has_group(&b->entry[i]) && (last || s->step % s->group_every == 0))
			weir_sampler_group(s, &b->entry[i], now_ns);
}

/* SPDX-License-Identifier: MIT */
#include "ages.h"

#include "core/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double quotient(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

struct weir_age_stretch weir_ages_since(const struct weir_flow_age *now, u64 now_ns,
					struct weir_age_seen *seen)
{
	const struct weir_age_seen was = *seen;
	*seen = (struct weir_age_seen){.area_s2 = now->age.area_s2,
				       .time_s = weir_ledger_time_s(&now->age),
				       .estimate_area_s2 = now->estimate.area_s2,
				       .estimate_time_s = weir_ledger_time_s(&now->estimate),
				       .backlog_area_s = now->backlog_area_s,
				       .fresh = now->fresh,
				       .at_ns = now_ns};
	double estimate_s = seen->estimate_time_s - was.estimate_time_s;
	return (struct weir_age_stretch){
	    .age_ms = quotient((seen->area_s2 - was.area_s2) * 1e3, seen->time_s - was.time_s),
	    .estimate_ms = quotient((seen->estimate_area_s2 - was.estimate_area_s2) * 1e3, estimate_s),
	    .backlog =
		now->acp ? quotient(seen->backlog_area_s - was.backlog_area_s, estimate_s) : (double)NAN,
	    .fresh_hz = quotient((double)(seen->fresh - was.fresh), (double)(now_ns - was.at_ns) / 1e9),
	};
}

static const struct weir_age_summary no_age = {(double)NAN, (double)NAN, (double)NAN, (double)NAN,
					       (double)NAN, (double)NAN, (double)NAN};

static void read_spread(struct weir_age_summary *a, const struct weir_age_spread *spread)
{
	a->p50_ms = weir_age_spread_quantile_s(spread, .50) * 1e3;
	a->p95_ms = weir_age_spread_quantile_s(spread, .95) * 1e3;
	a->p99_ms = weir_age_spread_quantile_s(spread, .99) * 1e3;
}

static struct weir_age_summary read_ledger(const struct weir_ledger *l, const struct weir_age_spread *spread)
{
	struct weir_age_summary a = no_age;
	if (!(weir_ledger_time_s(l) > 0))
		return a;
	a.mean_ms = weir_ledger_mean_s(l) * 1e3;
	if (l->peaks) {
		a.peak_mean_ms = weir_ledger_peak_mean_s(l) * 1e3;
		a.peak_max_ms = l->peak_max_s * 1e3;
	}
	if (l->bound_ns)
		a.over_fraction = weir_ledger_over_fraction(l);
	if (spread)
		read_spread(&a, spread);
	return a;
}

void weir_ages_of_flow(struct weir_flow_summary *out, const struct weir_build *b,
		       const struct weir_build_entry *e, u32 flow)
{
	struct weir_flow_age a;
	out->aged = weir_backend_flow_age(&b->backend, flow, &a);
	if (!out->aged)
		return;
	out->age = read_ledger(&a.age, &b->age[weir_build_hist(e, flow)]);
	out->age_estimate = read_ledger(&a.estimate, NULL);
	out->updates = (struct weir_updates_summary){
	    .sent = a.acp ? a.updates : WEIR_NEVER,
	    .fresh = a.fresh,
	    .late = a.acp ? a.late : WEIR_NEVER,
	    .replaced = a.acp ? a.replaced : WEIR_NEVER,
	    .expired = a.acp ? a.expired : WEIR_NEVER,
	    .outages = a.acp ? a.outages : WEIR_NEVER,
	    .sent_hz = a.acp ? quotient((double)a.updates, out->active_s) : (double)NAN,
	    .fresh_hz = quotient((double)a.fresh, out->active_s),
	};
	if (!a.acp)
		return;
	out->cwnd_mean_bytes = (double)NAN;
	out->backlog_mean = quotient(a.backlog_area_s, weir_ledger_time_s(&a.estimate));
}

/* ---- all flows of an entry, and all of a run ---- */

static void merge(struct weir_age_spread *into, const struct weir_age_spread *from)
{
	into->time_s += from->time_s;
	for (u32 i = 0; i < WEIR_AGE_SPREAD_BUCKETS; i++) {
		into->bucket[i].ends += from->bucket[i].ends;
		into->bucket[i].sum_s += from->bucket[i].sum_s;
	}
}

struct sums {
	u32 n, acp, peaked;
	double mean_ms, peak_ms, peak_max_ms, over, backlog, update_hz;
};

static void add(struct sums *s, const struct weir_flow_age *a, const struct weir_age_summary *age)
{
	s->n++;
	s->mean_ms += age->mean_ms;
	s->over += age->over_fraction;
	if (a->age.peaks) {
		s->peaked++;
		s->peak_ms += age->peak_mean_ms;
		s->peak_max_ms = fmax(s->peak_max_ms, age->peak_max_ms);
	}
	double estimate_s = weir_ledger_time_s(&a->estimate);
	if (!a->acp || !(estimate_s > 0))
		return;
	s->acp++;
	s->backlog += a->backlog_area_s / estimate_s;
	s->update_hz += (double)a->updates / estimate_s;
}

static void write_group(struct weir_group_summary *g, const struct sums *s, double *means,
			const struct weir_age_spread *spread)
{
	g->aged = true;
	g->age = no_age;
	g->age_p10_ms = g->age_p50_ms = g->age_p90_ms = (double)NAN;
	g->backlog_mean = quotient(s->backlog, s->acp);
	g->update_hz = quotient(s->update_hz, s->acp);
	double jain = s->n > 1 ? weir_jain(means, s->n) : 0;
	g->jain_age = jain > 0 ? jain : (double)NAN;
	if (!s->n)
		return;
	g->age.mean_ms = s->mean_ms / s->n;
	g->age.peak_mean_ms = quotient(s->peak_ms, s->peaked);
	g->age.peak_max_ms = s->peaked ? s->peak_max_ms : (double)NAN;
	g->age.over_fraction = s->over / s->n;
	read_spread(&g->age, spread);
	weir_sort(means, s->n);
	g->age_p10_ms = weir_quantile_sorted(means, s->n, .1);
	g->age_p50_ms = weir_quantile_sorted(means, s->n, .5);
	g->age_p90_ms = weir_quantile_sorted(means, s->n, .9);
}

/* The entry's flows: their means go to `means`. Returns how many had an age. */
static u32 read_entry(const struct weir_build *b, const struct weir_build_entry *e,
		      struct weir_group_summary *g, double *means, double *scratch,
		      struct weir_age_spread *spread)
{
	struct sums s = {0};
	memset(spread, 0, sizeof *spread);
	for (u32 flow = e->first; flow < e->first + e->count; flow++) {
		struct weir_flow_age a;
		if (!weir_backend_flow_age(&b->backend, flow, &a))
			continue;
		if (!e->grouped)
			merge(spread, &b->age[weir_build_hist(e, flow)]);
		struct weir_age_summary age = read_ledger(&a.age, NULL);
		if (isnan(age.mean_ms))
			continue;
		means[s.n] = scratch[s.n] = age.mean_ms;
		add(&s, &a, &age);
	}
	if (g)
		write_group(g, &s, scratch, e->grouped ? &b->age[e->first_hist] : spread);
	return s.n;
}

int weir_ages_of_groups(struct weir_summary *out, const struct weir_build *b)
{
	out->jain_age = (double)NAN;
	if (!b->backend.ops->flow_age || !b->age)
		return 0;
	double *means = calloc(2 * (size_t)b->n_flows + 2, sizeof *means);
	struct weir_age_spread *spread = calloc(1, sizeof *spread);
	u32 fair = 0, group = 0;
	for (u32 i = 0; means && spread && i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		bool has_group = weir_build_has_group(e);
		struct weir_group_summary *g = has_group ? &out->group[group++] : NULL;
		if (!e->flow->age.measured)
			continue;
		u32 n = read_entry(b, e, g, means + fair, means + b->n_flows + 1, spread);
		fair += e->fair ? n : 0;
	}
	double jain = fair > 1 ? weir_jain(means, fair) : 0;
	if (jain > 0)
		out->jain_age = jain;
	bool ok = means && spread;
	free(spread);
	free(means);
	return ok ? 0 : -1;
}

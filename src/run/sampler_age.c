/* SPDX-License-Identifier: MIT */
#include "sampler.h"

#include <string.h>

/* What an age controller shows of itself, in the units of text. */
static void take_signals(struct weir_sampler *s, const struct weir_build_entry *e,
			 struct weir_sampled_flow *f, const struct weir_flow_age *a)
{
	f->looks += a->acp;
	for (u32 k = 0; k < a->n_signals && k < e->n_signals; k++)
		weir_sampler_signal(s, e, f, k, a->signal[k]);
}

void weir_sampler_flow_age(struct weir_sampler *s, const struct weir_build_entry *e, u32 flow, u64 seen_ns,
			   u64 now_ns)
{
	struct weir_sampled_flow *f = &s->flow[weir_build_hist(e, flow)];
	struct weir_flow_age a;
	if (!weir_backend_flow_age(&s->b->backend, flow, &a))
		return;
	f->age.at_ns = weir_max(f->age.at_ns, seen_ns);
	const struct weir_age_stretch x = weir_ages_since(&a, now_ns, &f->age);
	if (s->series) {
		weir_series_value(s->series, "age_ms", x.age_ms);
		weir_series_value(s->series, "age_estimate_ms", x.estimate_ms);
		weir_series_value(s->series, "fresh_hz", x.fresh_hz);
	}
	if (s->series && a.acp) {
		weir_series_value(s->series, "backlog", x.backlog);
		weir_series_value(s->series, "update_hz", a.rate_hz);
		if (a.gap_s > 0)
			weir_series_value(s->series, "gap_ms", a.gap_s * 1e3);
	}
	take_signals(s, e, f, &a);
}

/* Means over the flows that have an age now, and how it is spread over them. */
void weir_sampler_group_age(struct weir_sampler *s, const struct weir_build_entry *e, u64 now_ns)
{
	static const char *const names[] = {"age_p10_ms", "age_p50_ms", "age_p90_ms"};
	double age_ms = 0, backlog = 0, update_hz = 0;
	u32 n = 0, n_acp = 0;
	memset(s->spread_age, 0, sizeof *s->spread_age);
	for (u32 flow = e->first; flow < e->first + e->count; flow++) {
		struct weir_flow_age a;
		if (!weir_backend_flow_age(&s->b->backend, flow, &a))
			continue;
		const struct weir_age_stretch x = weir_ages_since(&a, now_ns, &s->group_age[flow]);
		if (x.age_ms >= 0) {
			n++;
			age_ms += x.age_ms;
			weir_hist_add(s->spread_age, (u64)(x.age_ms * 1e6 + .5));
		}
		if (x.backlog >= 0) {
			n_acp++;
			backlog += x.backlog;
			update_hz += a.rate_hz;
		}
	}
	if (n)
		weir_series_value(s->series, "age_ms", age_ms / n);
	weir_sampler_put_spread(s->series, s->spread_age, names, 6);
	if (n_acp) {
		weir_series_value(s->series, "backlog", backlog / n_acp);
		weir_series_value(s->series, "update_hz", update_hz / n_acp);
	}
}

/* The integrals begin anew. */
void weir_sampler_restart_ages(struct weir_sampler *s)
{
	u64 now_ns = weir_backend_now_ns(&s->b->backend);
	for (u32 i = 0; s->b->age && i < s->b->n_hists; i++)
		s->flow[i].age = (struct weir_age_seen){.at_ns = now_ns};
	for (u32 i = 0; s->group_age && i < s->b->n_flows; i++)
		s->group_age[i] = (struct weir_age_seen){.at_ns = now_ns};
}

/* SPDX-License-Identifier: MIT */
/* Any bytes as a scenario: what is not refused with a reason must be complete and in range, at every point of
 * its sweep. Zero bytes part the file from arguments of --set behind it. */
#include "../scenario/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS_MAX 4
#define POINTS_LOOKED_AT 16

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool is_share(double x)
{
	return x >= 0 && x <= 1;
}

static void look_at_impair(const struct weir_scenario_impair *p)
{
	const struct weir_scenario_loss *l = &p->loss;
	must(is_share(p->duplicate_p) && is_share(p->reorder_p) && l->model <= WEIR_SCENARIO_GILBERT_ELLIOTT);
	must(is_share(l->p) && is_share(l->good_to_bad) && is_share(l->bad_to_good));
	must(is_share(l->loss_good) && is_share(l->loss_bad));
	must(l->model != WEIR_SCENARIO_PERIODIC || l->period_packets > 0);
}

static void look_at_hop(const struct weir_scenario_hop *h)
{
	must(h->name && strlen(h->name) <= 64 && h->rate_bps <= 10000000000000ULL);
	must(h->rate_kind != WEIR_SCENARIO_TRACE || (h->trace && strlen(h->trace)));
	must(h->rate_kind != WEIR_SCENARIO_WALK ||
	     (h->walk_step_ns && h->walk_min_bps <= h->rate_bps && h->rate_bps <= h->walk_max_bps));
	must(h->delay_ns <= 3600 * WEIR_NS_PER_S && h->aqm.kind <= WEIR_SCENARIO_FQ_CODEL);
	must((h->buffer.kind == WEIR_SCENARIO_UNLIMITED) == (h->buffer.value == 0));
	must(h->aqm.kind != WEIR_SCENARIO_RED || (h->aqm.red_min.value && h->aqm.red_max.value));
	must(h->aqm.kind < WEIR_SCENARIO_CODEL || (h->aqm.target_ns && h->aqm.interval_ns));
	look_at_impair(&h->before);
	look_at_impair(&h->after);
}

static void look_at_path(const struct weir_scenario *s, const struct weir_scenario_path *p)
{
	must(p->name && p->n_hops > 0);
	for (u32 i = 0; i < p->n_hops; i++)
		must(p->hops[i] < s->n_hops);
	for (u32 i = 0; i < p->n_back; i++)
		must(p->back[i] < s->n_hops);
}

static void look_at_flow(const struct weir_scenario *s, const struct weir_scenario_flow *f)
{
	const struct weir_scenario_controller *c = &f->controller;
	bool datagram = f->app.kind == WEIR_SCENARIO_CBR || f->app.kind == WEIR_SCENARIO_POISSON;
	must(f->name && f->path < s->n_paths && f->count > 0 && f->start_ns < f->stop_ns);
	must(datagram == (c->name == NULL) && f->app.kind <= WEIR_SCENARIO_POISSON);
	must(!datagram || (f->app.rate_bps && f->app.chunk_bytes && f->app.chunk_bytes <= 65535));
	must(f->endpoint.mss_bytes > 0 && f->endpoint.mss_bytes + f->endpoint.header_bytes <= 65535);
	must(f->endpoint.rto_min_ns <= f->endpoint.rto_max_ns);
	if (datagram || c->subject || c->index == WEIR_SCENARIO_NONE) {
		must(datagram || c->subject || c->kernel);
		return;
	}
	must(c->index < catalog.n && c->n_params == controllers[c->index].n_params);
	for (u32 i = 0; i < c->n_params; i++)
		must(c->params[i] >= controllers[c->index].params[i].min &&
		     c->params[i] <= controllers[c->index].params[i].max);
}

static void look_at(const struct weir_scenario *s)
{
	must(s->title && s->duration_ns > s->warmup_ns && s->sample_ns > 0);
	must(s->n_hops > 0 && s->n_hops <= WEIR_SCENARIO_MAX_HOPS && s->n_flows > 0);
	must(s->total_flows > 0 && s->total_flows <= WEIR_SCENARIO_MAX_FLOWS);
	for (u32 i = 0; i < s->n_hops; i++)
		look_at_hop(&s->hops[i]);
	for (u32 i = 0; i < s->n_paths; i++)
		look_at_path(s, &s->paths[i]);
	for (u32 i = 0; i < s->n_flows; i++)
		look_at_flow(s, &s->flows[i]);
}

static void look_at_points(const struct weir_scenario_set *set)
{
	must(set->n_points > 0 && set->n_points <= WEIR_SCENARIO_MAX_POINTS);
	u64 step = set->n_points / POINTS_LOOKED_AT + 1;
	for (u64 i = 0; i < set->n_points; i += step) {
		struct weir_scenario s;
		struct weir_diag diag = {0};
		must(weir_scenario_point(set, i, &s, &diag) == 0 && diag.n == 0);
		look_at(&s);
		weir_scenario_free(&s);
	}
	for (u32 i = 0; i < set->n_axes; i++)
		must(set->axes[i].key && set->axes[i].n > 0 && set->axes[i].values[set->axes[i].n - 1]);
}

static void look_at_mistakes(const struct weir_diag *diag, const char *text)
{
	static char out[1 << 17];
	FILE *to = fmemopen(out, sizeof out, "w");
	must(to != NULL && diag->n > 0);
	weir_diag_print(diag, text, to);
	fclose(to);
	for (u32 i = 0; i < diag->n; i++)
		must(diag->entry[i].text[0] != 0);
	for (const char *s = out; *s; s++)
		must(*s == '\n' || ((u8)*s >= ' ' && *s != 0x7f));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	char *text = malloc(bytes + 1);
	const char *sets[SETS_MAX];
	u32 n_sets = 0;
	must(text != NULL);
	if (bytes)
		memcpy(text, data, bytes);
	text[bytes] = 0;
	for (char *next = text + strlen(text) + 1; next < text + bytes && n_sets < SETS_MAX;
	     next += strlen(next) + 1)
		sets[n_sets++] = next;

	struct weir_scenario_set set;
	struct weir_diag diag = {0};
	int result =
	    weir_scenario_parse("dir/fuzz.yaml", text, strlen(text), sets, n_sets, &catalog, &set, &diag);
	must((result == 0) == (diag.n == 0));
	if (result == 0)
		look_at_points(&set);
	else
		look_at_mistakes(&diag, set.text);
	weir_scenario_set_free(&set);
	free(text);
	return 0;
}

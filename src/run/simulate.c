/* SPDX-License-Identifier: MIT */
#include "simulate.h"

#include "exports.h"
#include "life.h"
#include "sampler.h"
#include "simulated.h"
#include "summarise.h"

#include <errno.h>
#include <string.h>

static void clear_histograms(struct weir_build *b)
{
	memset(b->rtt_ns, 0, b->n_hists * sizeof *b->rtt_ns);
	memset(b->queue_ns, 0, b->n_hists * sizeof *b->queue_ns);
	memset(b->wait_ns, 0, b->scenario->n_hops * sizeof *b->wait_ns);
}

/* How far the world runs without a look at whether somebody wants it to stop. */
#define STEP_MOST_NS (100 * WEIR_NS_PER_MS)

/* Where the number of packets ends the run, it is counted so often. */
#define STEP_COUNTED_NS WEIR_NS_PER_MS

struct running {
	const struct weir_simulate_config *c;
	struct weir_build build;
	struct weir_simulated simulated;
	struct weir_life life;
	struct weir_sampler sampler;
	bool interrupted;
};

/* Whether the run ends now, its duration apart. */
static bool sent_enough(const struct running *r)
{
	u64 sent = 0, enough = r->c->scenario->stop_after_packets;
	for (u32 flow = 0; enough && sent < enough && flow < r->build.n_flows; flow++) {
		struct weir_flow_totals t;
		weir_backend_flow_totals(&r->build.backend, flow, &t);
		sent += t.sent_packets;
	}
	return enough && sent >= enough;
}

/* Runs to the next time at which somebody wants to look. */
static int step(struct running *r, u64 *sample_ns)
{
	const struct weir_scenario *s = r->c->scenario;
	u64 now_ns = weir_world_now_ns(r->simulated.world);
	u64 until_ns = weir_min(*sample_ns, weir_life_next_ns(&r->life, now_ns));
	if (r->c->exports)
		until_ns = weir_min(until_ns, weir_exports_next_ns(r->c->exports, now_ns));
	u64 most_ns = s->stop_after_packets ? STEP_COUNTED_NS : STEP_MOST_NS;
	until_ns = weir_min(until_ns, weir_min(s->duration_ns, weir_add(now_ns, most_ns)));
	int failed = weir_world_run(r->simulated.world, until_ns);
	now_ns = weir_world_now_ns(r->simulated.world);
	if (failed) {
		errno = ENOMEM;
		return -1;
	}
	if (r->c->exports)
		weir_exports_tick(r->c->exports, now_ns);
	/* The look comes before the histograms are cleared: its row is of the interval that ends here. */
	bool sample = now_ns == *sample_ns || now_ns == s->duration_ns;
	if (sample)
		weir_sampler_step(&r->sampler, now_ns, now_ns == s->duration_ns);
	if (weir_life_mark(&r->life, now_ns)) {
		clear_histograms(&r->build);
		weir_world_restart_ages(r->simulated.world);
		weir_sampler_restart(&r->sampler);
	}
	if (sample)
		*sample_ns = weir_add(*sample_ns, s->sample_ns);
	if (r->c->progress)
		r->c->progress(r->c->progress_ctx, (double)now_ns, (double)s->duration_ns);
	return 0;
}

static int run_all(struct running *r)
{
	const struct weir_scenario *s = r->c->scenario;
	u64 sample_ns = s->sample_ns;
	while (weir_world_now_ns(r->simulated.world) < s->duration_ns) {
		bool enough = sent_enough(r);
		if (enough || (r->c->stop && *r->c->stop)) {
			r->interrupted = !enough;
			weir_sampler_step(&r->sampler, weir_world_now_ns(r->simulated.world), true);
			break;
		}
		if (step(r, &sample_ns) < 0)
			return -1;
	}
	if (weir_life_end(&r->life, weir_world_now_ns(r->simulated.world)) < 0)
		return -1;
	if (r->c->exports)
		weir_exports_end(r->c->exports, weir_world_now_ns(r->simulated.world), r->interrupted);
	return 0;
}

static void note_replacements(struct weir_summary *out, const struct weir_build *b)
{
	for (u32 i = 0; i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		if (strncmp(e->controller, "kernel:", 7) == 0)
			weir_summary_note(out, "%s: the simulator runs Weir's %s in place of %s",
					  e->flow->name, weir_controller_about(&e->ops).name, e->controller);
	}
}

static void head(struct weir_summary *out, const struct running *r)
{
	const struct weir_scenario *s = r->c->scenario;
	snprintf(out->scenario, sizeof out->scenario, "%s", s->name);
	snprintf(out->title, sizeof out->title, "%s", s->title);
	out->backend = r->build.backend.ops->name;
	out->seed = r->c->seed;
	out->warmup_s = (double)s->warmup_ns / 1e9;
	out->sampling_s = (double)s->sample_ns / 1e9;
	out->flow_sampling_s = (double)(s->sample_ns * r->sampler.flow_every) / 1e9;
	out->interrupted = r->interrupted;
	note_replacements(out, &r->build);
}

int weir_simulate(const struct weir_simulate_config *c, struct weir_summary *out)
{
	struct running r = {.c = c};
	memset(out, 0, sizeof *out);
	errno = ENOMEM;
	int result = weir_build(&r.build, c->scenario, &c->with, c->traces, c->seed);
	if (result == 0)
		result = weir_simulated_begin(&r.simulated, &r.build, c->traces, c->seed);
	if (result == 0)
		result = weir_life_begin(&r.life, &r.build);
	if (result == 0)
		result = weir_sampler_begin(&r.sampler, &r.build, c->series);
	if (result == 0 && c->exports)
		result = weir_exports_attach(c->exports, &r.build, r.simulated.world);
	if (result == 0)
		result = run_all(&r);
	head(out, &r);
	if (result == 0)
		result = weir_summarise(out, &r.build, &r.life, &r.sampler);
	weir_sampler_free(&r.sampler);
	weir_life_free(&r.life);
	weir_simulated_free(&r.simulated);
	weir_build_free(&r.build);
	return result;
}

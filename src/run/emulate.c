/* SPDX-License-Identifier: MIT */
#include "emulate.h"

#include "emulable.h"
#include "emulate_live.h"
#include "emulated.h"
#include "life.h"
#include "sampler.h"
#include "summarise.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LOOK_MOST_NS (20 * WEIR_NS_PER_MS)
#define LOOK_LEAST_NS (1 * WEIR_NS_PER_MS)
#define PARTS_MOST 100000

u64 weir_emulate_publish_ns(u64 sample_ns)
{
	if (sample_ns < LOOK_LEAST_NS)
		return LOOK_LEAST_NS;
	for (u64 parts = (sample_ns + LOOK_MOST_NS - 1) / LOOK_MOST_NS; parts < PARTS_MOST; parts++) {
		if (sample_ns / parts < LOOK_LEAST_NS)
			break;
		if (sample_ns % parts == 0)
			return sample_ns / parts;
	}
	return weir_min(sample_ns, LOOK_MOST_NS);
}

struct running {
	const struct weir_simulate_config *c;
	struct weir_build build;
	struct weir_emulated emulated;
	struct weir_emulate_live live;
	struct weir_life life;
	struct weir_sampler sampler;
	u64 publish_ns, sample_ns; /* sample_ns: when the next row is due */
	u64 lost;
	bool interrupted, qlog;
};

/* The network has been looked at: everybody takes what they need of that instant. */
static void look(struct running *r, bool last)
{
	const struct weir_simulate_config *c = r->c;
	u64 now_ns = r->emulated.now_ns;
	if (c->exports)
		weir_exports_tick(c->exports, now_ns);
	if (last || now_ns >= r->sample_ns) {
		weir_sampler_step(&r->sampler, now_ns, last);
		r->emulated.late_max_ns = 0;
		r->sample_ns = (now_ns / c->scenario->sample_ns + 1) * c->scenario->sample_ns;
	}
	if (weir_life_mark(&r->life, now_ns))
		weir_sampler_restart(&r->sampler);
	if (c->progress)
		c->progress(c->progress_ctx, (double)now_ns, (double)c->scenario->duration_ns);
}

static int run_all(struct running *r, char why[512])
{
	const struct weir_simulate_config *c = r->c;
	bool early = false;
	for (u64 i = 0; i * r->publish_ns < c->scenario->duration_ns; i++) {
		int missed = weir_emulated_look(&r->emulated, i, c->stop);
		early = missed < 0 || weir_emulated_failed(&r->emulated);
		if (early)
			break;
		if (missed)
			r->lost++;
		else if (i)
			look(r, false);
	}
	r->interrupted = c->stop && *c->stop;
	if (weir_emulated_end(&r->emulated, early, why) < 0)
		return WEIR_EXIT_FAILED;
	look(r, true);
	if (weir_emulated_calls_end(&r->emulated.calls) < 0) {
		snprintf(why, 512, "cannot write trace.qlog: %s", strerror(errno));
		return WEIR_EXIT_FAILED;
	}
	if (weir_life_end(&r->life, r->emulated.now_ns) < 0)
		return WEIR_EXIT_FAILED;
	if (c->exports)
		weir_exports_end(c->exports, r->emulated.now_ns, r->interrupted);
	return 0;
}

/* Of the calls of Weir's controllers; the kernel's own tell nothing. */
static int open_qlog(const struct weir_emulate_config *c, FILE **file, char why[512])
{
	char path[PATH_MAX];
	bool any = false;
	for (u32 i = 0; i < c->run.scenario->n_flows; i++)
		any =
		    any || (c->run.scenario->flows[i].controller.name &&
			    c->run.scenario->flows[i].transport == WEIR_SCENARIO_TCP &&
			    !weir_build_is_native(c->run.scenario, &c->run.with, &c->run.scenario->flows[i]));
	if (!any)
		return 0;
	int n = snprintf(path, sizeof path, "%s/trace.qlog", c->directory);
	*file = n < PATH_MAX ? fopen(path, "we") : NULL;
	if (!*file)
		snprintf(why, 512, "cannot write trace.qlog: %s",
			 strerror(n < PATH_MAX ? errno : ENAMETOOLONG));
	return *file ? 0 : -1;
}

static int begin(struct running *r, const struct weir_emulate_config *c, char why[512])
{
	const struct weir_simulate_config *run = &c->run;
	snprintf(why, 512, "out of memory");
	if (weir_build(&r->build, run->scenario, &run->with, run->traces, run->seed) < 0 ||
	    weir_emulate_live_begin(&r->live, c, &r->build, why) < 0)
		return WEIR_EXIT_FAILED;
	FILE *qlog = NULL;
	if (c->live.qlog && open_qlog(c, &qlog, why) < 0)
		return WEIR_EXIT_FAILED;
	const struct weir_emulated_config e = {.seed = run->seed,
					       .qlog = qlog,
					       .publish_ns = r->publish_ns,
					       .live = r->live.live,
					       .live_packets = c->live.pcap,
					       .live_hops = c->live.mahimahi};
	int code = weir_emulated_begin(&r->emulated, &r->build, run->traces, &e, why);
	if (code)
		return code;
	snprintf(why, 512, "out of memory");
	if (weir_life_begin(&r->life, &r->build) < 0 ||
	    weir_sampler_begin(&r->sampler, &r->build, run->series) < 0 ||
	    (run->exports && weir_exports_attach(run->exports, &r->build, NULL) < 0))
		return WEIR_EXIT_FAILED;
	return 0;
}

/* Datagrams are not repeated: what the hosts themselves lost must be told. */
static void note_host_losses(struct weir_summary *out, const struct weir_emulated *e)
{
	u64 refused = 0, overrun = 0, connections = 0;
	for (u32 i = 0; i < e->n_slots; i++) {
		connections += e->flow[i].seen.refused_connections;
		refused += e->flow[i].seen.refused_packets;
		overrun += e->flow[i].seen.overrun_packets;
	}
	if (refused)
		weir_summary_note(out, "%llu datagrams were not taken by the sender's own kernel", refused);
	if (connections)
		weir_summary_note(out,
				  "%llu flows were left out: no more than %u connections are open at once",
				  connections, WEIR_KTCP_CROWD_AT_ONCE);
	if (overrun)
		weir_summary_note(
		    out, "%llu datagrams arrived at a receiver's socket that had no room for them", overrun);
}

static void note_calls(struct weir_summary *out, const struct weir_emulated *e, bool qlog)
{
	const struct weir_emulated_calls *c = &e->calls;
	bool native = false;
	for (u32 i = 0; i < e->b->n_entries; i++)
		native =
		    native || (e->b->entry[i].controlled && weir_controller_is_none(&e->b->entry[i].ops));
	if (qlog && native)
		weir_summary_note(out, "trace.qlog: nothing of the kernel's own controllers, which do not "
				       "tell what they knew at each acknowledgement");
	if (*c->why)
		weir_summary_note(out, "Signals of a controller in the kernel are missing: %s", c->why);
	if (c->lost)
		weir_summary_note(out,
				  "%llu calls of controllers in the kernel could not be recorded: their own "
				  "signals end there",
				  c->lost);
	if (c->different)
		weir_summary_note(out,
				  "%llu calls of controllers in the kernel were answered otherwise than the "
				  "same calls are here",
				  c->different);
}

static void note_pilots(struct weir_summary *out, const struct weir_emulated *e)
{
	struct weir_hosted_counts c;
	weir_in_kernel_counts(&e->in_kernel, &c);
	if (c.lost_reports)
		weir_summary_note(out, "%llu reports of %llu were lost between governors and pilots",
				  c.lost_reports, c.lost_reports + c.reports);
	if (c.expired_reports)
		weir_summary_note(out,
				  "%llu reports of governors were made while no pilot had answered for long: "
				  "Reno was in charge",
				  c.expired_reports);
	if (c.refused)
		weir_summary_note(out, "%llu connections found no room for a pilot: Reno drove them",
				  c.refused);
}

static void head(struct weir_summary *out, const struct running *r)
{
	const struct weir_scenario *s = r->c->scenario;
	snprintf(out->scenario, sizeof out->scenario, "%s", s->name);
	snprintf(out->title, sizeof out->title, "%s", s->title);
	out->backend = weir_emulated_ops.name;
	out->seed = r->c->seed;
	out->warmup_s = (double)s->warmup_ns / 1e9;
	out->sampling_s = (double)weir_max(s->sample_ns, r->publish_ns) / 1e9;
	out->flow_sampling_s = out->sampling_s * (double)weir_max(r->sampler.flow_every, 1);
	out->interrupted = r->interrupted;
	weir_emulable_notes(s, &r->c->with, out);
	note_host_losses(out, &r->emulated);
	note_calls(out, &r->emulated, r->qlog);
	note_pilots(out, &r->emulated);
	weir_emulated_judge(&r->emulated, &out->emulation);
	out->emulation.snapshots_lost = r->lost;
}

int weir_emulate(const struct weir_emulate_config *c, struct weir_summary *out, char why[512])
{
	struct running r = {.c = &c->run,
			    .qlog = c->live.qlog,
			    .publish_ns = weir_emulate_publish_ns(c->run.scenario->sample_ns),
			    .sample_ns = c->run.scenario->sample_ns};
	memset(out, 0, sizeof *out);
	int code = begin(&r, c, why);
	if (code == 0)
		code = run_all(&r, why);
	if (code == 0) {
		head(out, &r);
		if (weir_summarise(out, &r.build, &r.life, &r.sampler) < 0)
			code = WEIR_EXIT_FAILED;
	}
	u64 end_ns = r.emulated.now_ns;
	char other[512]; /* of two failures the first is told */
	weir_sampler_free(&r.sampler);
	weir_life_free(&r.life);
	weir_emulated_free(&r.emulated);
	if (weir_emulate_live_end(&r.live, end_ns, out, code ? other : why) < 0 && code == 0)
		code = WEIR_EXIT_FAILED;
	weir_build_free(&r.build);
	return code;
}

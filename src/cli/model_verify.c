/* SPDX-License-Identifier: MIT */
/* What the model says, held against the simulator. */
#include "core/stats.h"
#include "model.h"
#include "progress.h"
#include "run/check.h"
#include "run/simulate.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 40 /* IP and TCP of a packet without options */
#define SCENARIO_MAX 2000

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

struct verify {
	const struct weir_invocation *call;
	struct weir_registry registry;
	struct weir_traces traces; /* none */
	u64 duration_ns, warmup_ns;
	u32 runs, done;
	struct weir_progress bar;
	struct weir_diag diag;
};

static void controller_text(const struct weir_model_trial *t, char *text, size_t room)
{
	const struct weir_model_config *c = &t->config;

	if (strcmp(t->name, "newreno") == 0)
		snprintf(text, room, "reno");
	else
		snprintf(text, room,
			 "{name: agile-sd, lambda_max: %.6f, lambda_min: %.6f, beta: %.6f, min_window: %llu}",
			 c->lambda_max, c->lambda_min, c->beta, c->min_window_packets);
}

/* Table II: drop-tail, no SACK, each packet acknowledged, errors after the queue. */
static void scenario_text(const struct verify *v, const struct weir_model_trial *t, char text[SCENARIO_MAX])
{
	const struct weir_model_config *c = &t->config;
	char controller[200];
	double per = c->per_bit ? c->per * 8 * (double)c->packet_bytes : c->per;

	controller_text(t, controller, sizeof controller);
	snprintf(text, SCENARIO_MAX,
		 "duration: %lluns\nwarmup: %lluns\n"
		 "paths:\n  main:\n    hops:\n"
		 "      - {name: link, rate: %llu bit/s, delay: %lluns, buffer: %llu packets, loss: %.12g}\n"
		 "    back: {delay: %lluns}\n"
		 "flows:\n  - {name: flow, path: main, controller: %s,\n"
		 "     endpoint: {recovery: newreno, ack_every: 1, mss: %lluB, header: %dB}}\n",
		 v->duration_ns, v->warmup_ns, c->rate_bps, c->rtt_ns / 2, c->buffer_packets, per,
		 c->rtt_ns - c->rtt_ns / 2, controller, c->packet_bytes - HEADER_BYTES, HEADER_BYTES);
}

static void on_progress(void *ctx, double done, double total)
{
	struct verify *v = ctx;

	weir_progress_update(&v->bar, v->done + (total > 0 ? done / total : 0), v->runs);
}

static int run_seed(struct verify *v, const struct weir_scenario *scenario, u64 seed, double *goodput_bps)
{
	struct weir_summary summary = {0};
	const struct weir_simulate_config config = {.scenario = scenario,
						    .with = {.registry = &v->registry},
						    .traces = &v->traces,
						    .seed = seed,
						    .stop = &interrupted,
						    .progress = on_progress,
						    .progress_ctx = v};
	int rc = weir_simulate(&config, &summary);

	if (rc == 0 && interrupted) {
		errno = EINTR;
		rc = -1;
	}
	if (rc == 0)
		*goodput_bps = summary.n_flows ? summary.flow[0].goodput_bps : (double)NAN;
	int why = errno;
	weir_summary_free(&summary);
	errno = why;
	v->done++;
	return rc;
}

/* Payload over the packets that carry it: the model counts packets. */
static int run_trial(struct verify *v, const struct weir_scenario *scenario, struct weir_model_trial *t,
		     u32 seeds)
{
	const struct weir_model_config *c = &t->config;
	double packet = (double)c->packet_bytes / (double)(c->packet_bytes - HEADER_BYTES);
	struct weir_stats stats = {0};

	for (u32 seed = 1; seed <= seeds; seed++) {
		double goodput_bps = NAN;
		if (run_seed(v, scenario, seed, &goodput_bps) < 0)
			return weir_error(v->call, WEIR_EXIT_FAILED, "%s",
					  interrupted ? "interrupted" : strerror(errno));
		if (isfinite(goodput_bps))
			weir_stats_add(&stats, goodput_bps * packet / (double)c->rate_bps);
	}
	t->n = stats.n;
	t->simulated = stats.n ? stats.mean : (double)NAN;
	if (!weir_stats_ci95(&stats, &t->ci95[0], &t->ci95[1]))
		t->ci95[0] = t->ci95[1] = (double)NAN;
	return 0;
}

static int simulate(struct verify *v, struct weir_model_trial *t, u32 seeds)
{
	struct weir_scenario_set set = {0};
	struct weir_scenario scenario = {0};
	const struct weir_build_with with = {.registry = &v->registry};
	char text[SCENARIO_MAX];
	int code = 0;

	scenario_text(v, t, text);
	if (weir_scenario_parse("the path as a scenario", text, strlen(text), NULL, 0, &v->registry.catalog,
				&set, &v->diag) < 0 ||
	    weir_scenario_point(&set, 0, &scenario, &v->diag) < 0 ||
	    weir_check_point(&set, &scenario, &with, &v->traces, &v->diag) > 0) {
		weir_diag_print(&v->diag, text, stderr);
		code = WEIR_EXIT_USAGE;
	}
	if (!code)
		code = run_trial(v, &scenario, t, seeds);
	weir_traces_free(&v->traces);
	weir_scenario_free(&scenario);
	weir_scenario_set_free(&set);
	return code;
}

static int check(const struct verify *v, const struct weir_model_config *c)
{
	if (c->packet_bytes < HEADER_BYTES + 64 || c->packet_bytes > HEADER_BYTES + 64000)
		return weir_usage_error(v->call, "--verify: packets of %d B to 64 kB can be simulated",
					HEADER_BYTES + 64);
	if (v->warmup_ns >= v->duration_ns)
		return weir_usage_error(v->call, "--warmup must be shorter than --duration");
	if (!weir_registry_find(&v->registry, "agile-sd"))
		return weir_usage_error(v->call,
					"--verify: agile-sd is not built yet in version " WEIR_VERSION);
	return 0;
}

int weir_model_verify(const struct weir_invocation *call, struct weir_model_trial *trial, u32 n, u32 seeds,
		      u64 duration_ns, u64 warmup_ns)
{
	struct verify *v = calloc(1, sizeof *v);
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	if (!v || weir_registry_init(&v->registry) < 0) {
		free(v);
		return weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	}
	v->call = call;
	v->runs = n * seeds;
	v->duration_ns = duration_ns;
	v->warmup_ns = warmup_ns;
	int code = n ? check(v, &trial[0].config) : 0;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	weir_progress_start(&v->bar, "simulating");
	for (u32 i = 0; !code && i < n; i++)
		code = simulate(v, &trial[i], seeds);
	weir_progress_end(&v->bar);
	weir_registry_free(&v->registry);
	free(v);
	return code;
}

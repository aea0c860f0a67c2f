/* SPDX-License-Identifier: MIT */
#include "run/experiment_figures.h"

#include "run/check.h"
#include "run/experiment_series.h"
#include "run/exports.h"
#include "run/simulate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct maker {
	const struct weir_experiment_run *run;
	const struct weir_experiment *e;
	struct weir_experiment_plan plan;
	struct weir_figure_result *figures;
	/* of the point that is being run */
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];
	u32 n_watched;
	struct weir_watched watched[WEIR_FIGURES_MAX * WEIR_FIGURE_LINES_MAX];
	bool wants_sends, wants_model;
	struct weir_sends sends;
	/* beyond end_ns nothing is drawn; sample_ns 0: the usual one, the scenario's */
	u64 end_ns, sample_ns, usual_sample_ns;
};

static bool is_sent(const struct weir_figure_line *line)
{
	size_t n = strlen(line->series), end = strlen("." WEIR_FIGURE_SENT);
	return n > end && !strcmp(line->series + n - end, "." WEIR_FIGURE_SENT);
}

static void want_sends(struct maker *m, const struct weir_figure *f)
{
	m->wants_sends = true;
	m->sends.from_ns = weir_min(m->sends.from_ns, f->from_ns);
	m->sends.to_ns = weir_max(m->sends.to_ns, f->to_ns);
}

static void want(struct maker *m, const struct weir_figure *f, const struct weir_figure_line *line)
{
	if (is_sent(line))
		want_sends(m, f);
	else
		m->watched[m->n_watched++] = (struct weir_watched){.name = line->series};
}

/* The run of this point must reach as far as this figure, and be sampled as finely. */
static void look_at_window(struct maker *m, const struct weir_figure *f)
{
	m->end_ns = weir_max(m->end_ns, f->to_ns);
	if (f->sample_ns && (!m->sample_ns || f->sample_ns < m->sample_ns))
		m->sample_ns = f->sample_ns;
}

static void look_at_lines(struct maker *m, const struct weir_figure *f)
{
	for (u32 k = 0; k < f->n_lines; k++)
		if (weir_experiment_fits(m->e, f->line[k].choice, m->choice)) {
			want(m, f, &f->line[k]);
			look_at_window(m, f);
		}
}

static void look_at_model(struct maker *m, const struct weir_figure *f)
{
	m->wants_model |= f->kind == WEIR_FIGURE_TUNING && weir_experiment_fits(m->e, f->choice, m->choice);
	for (u32 k = 0; f->kind == WEIR_FIGURE_ITERATIONS && k < f->n_lines; k++)
		m->wants_model |= weir_experiment_fits(m->e, f->line[k].choice, m->choice);
}

/* What the figures want of this point; false: no run. */
static bool look(struct maker *m)
{
	m->n_watched = 0;
	m->wants_sends = m->wants_model = false;
	m->end_ns = m->sample_ns = 0;
	m->sends = (struct weir_sends){.from_ns = WEIR_NEVER};
	for (u32 i = 0; i < m->e->n_figures; i++) {
		const struct weir_figure *f = &m->e->figures[i];
		if (f->kind == WEIR_FIGURE_SEQUENCE && weir_experiment_fits(m->e, f->choice, m->choice)) {
			want_sends(m, f);
			look_at_window(m, f);
		} else if (f->kind == WEIR_FIGURE_LINES) {
			look_at_lines(m, f);
		} else {
			look_at_model(m, f);
		}
	}
	return m->wants_sends || m->n_watched;
}

/* ---- what the run gave ---- */

/* apart_s: nearer than this to the one before it no point is taken. */
static void add_point(struct weir_figure_trace *t, double time_s, double value, double apart_s)
{
	/* Rows of one time under one name are those of several flows: their sum. */
	if (t->n && t->point[t->n - 1].time_s == time_s) {
		t->point[t->n - 1].value += value;
		return;
	}
	if (t->n == WEIR_FIGURE_POINTS_MAX || (t->n && time_s < t->point[t->n - 1].time_s + apart_s))
		return;
	if (t->n == t->room) {
		u32 room = t->room ? 2 * t->room : 512;
		struct weir_figure_point *longer = realloc(t->point, room * sizeof *longer);
		if (!longer)
			return;
		t->point = longer;
		t->room = room;
	}
	t->point[t->n++] = (struct weir_figure_point){time_s, value};
}

static void add_row(struct maker *m, const char *name, double time_s, double value)
{
	for (u32 i = 0; i < m->e->n_figures; i++) {
		const struct weir_figure *f = &m->e->figures[i];
		if (f->kind != WEIR_FIGURE_LINES || time_s < (double)f->from_ns / 1e9 ||
		    time_s > (double)f->to_ns / 1e9)
			continue;
		/* another figure may want this run sampled more finely */
		double apart_s = (double)(f->sample_ns ? f->sample_ns : m->usual_sample_ns) / 1e9 * .999;
		for (u32 k = 0; k < f->n_lines; k++)
			if (weir_experiment_fits(m->e, f->line[k].choice, m->choice) &&
			    weir_watch_matches(f->line[k].series, name))
				add_point(&m->figures[i].trace[k], time_s, value / f->divide_by, apart_s);
	}
}

/* Lines time_s,FLOW.SIGNAL,value. */
static void take_rows(struct maker *m, char *rows)
{
	for (char *line = rows, *end; line && (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = 0;
		char *name = strchr(line, ','), *value = name ? strrchr(name + 1, ',') : NULL;
		if (!value)
			continue;
		*name++ = *value++ = 0;
		add_row(m, name, strtod(line, NULL), strtod(value, NULL));
	}
}

static void name_flows(struct weir_figure_result *to, const struct weir_scenario *s)
{
	for (u32 i = 0; i < s->n_flows && s->flows[i].app.kind != WEIR_SCENARIO_ARRIVALS; i++)
		for (u64 k = 0; k < s->flows[i].count && to->n_flows < WEIR_FIGURE_FLOWS_MAX; k++) {
			struct weir_figure_flow *flow = &to->flow[to->n_flows++];
			flow->mss_bytes = (u32)s->flows[i].endpoint.mss_bytes;
			if (s->flows[i].count > 1)
				snprintf(flow->name, sizeof flow->name, "%s.%llu", s->flows[i].name, k + 1);
			else
				snprintf(flow->name, sizeof flow->name, "%s", s->flows[i].name);
		}
}

/* Each stretch of mean_over gets one point at its beginning. */
static void take_rate(const struct maker *m, const struct weir_figure_line *line, const struct weir_figure *f,
		      const struct weir_figure_result *names, struct weir_figure_trace *to)
{
	for (u32 i = 0; i < m->sends.n; i++) {
		const struct weir_send *p = &m->sends.send[i];
		char name[128];
		if (p->flow >= names->n_flows || p->time_ns < f->from_ns || p->time_ns > f->to_ns)
			continue;
		snprintf(name, sizeof name, "%s." WEIR_FIGURE_SENT, names->flow[p->flow].name);
		u64 bin_ns = p->time_ns - p->time_ns % f->mean_over_ns;
		if (weir_watch_matches(line->series, name))
			add_point(to, (double)bin_ns / 1e9,
				  p->bytes * 8 / ((double)f->mean_over_ns / 1e9) / f->divide_by, 0);
	}
}

static void take_rates(struct maker *m, const struct weir_scenario *s)
{
	struct weir_figure_result *names = calloc(1, sizeof *names);

	if (!names)
		return;
	name_flows(names, s);
	for (u32 i = 0; i < m->e->n_figures; i++) {
		const struct weir_figure *f = &m->e->figures[i];
		for (u32 k = 0; f->kind == WEIR_FIGURE_LINES && k < f->n_lines; k++)
			if (weir_experiment_fits(m->e, f->line[k].choice, m->choice) && is_sent(&f->line[k]))
				take_rate(m, &f->line[k], f, names, &m->figures[i].trace[k]);
	}
	free(names);
}

static void take_sends(struct maker *m, const struct weir_scenario *s)
{
	for (u32 i = 0; i < m->e->n_figures; i++) {
		const struct weir_figure *f = &m->e->figures[i];
		struct weir_figure_result *to = &m->figures[i];
		if (f->kind != WEIR_FIGURE_SEQUENCE || !weir_experiment_fits(m->e, f->choice, m->choice))
			continue;
		name_flows(to, s);
		for (u32 k = 0; k < m->sends.n; k++) {
			const struct weir_send *p = &m->sends.send[k];
			if (p->flow < to->n_flows && p->time_ns >= f->from_ns && p->time_ns <= f->to_ns)
				weir_sends_add(&to->sends, p);
		}
		to->sends.left_out += m->sends.left_out;
	}
}

/* ---- running ---- */

static int say(char why[512], const char *text)
{
	snprintf(why, 512, "%s", text);
	return -1;
}

static int simulate(struct maker *m, const struct weir_scenario *scenario, const struct weir_traces *traces,
		    FILE *rows, char why[512])
{
	struct weir_watch watch;
	struct weir_summary summary = {0};
	const char *file;
	struct weir_exports *exports = m->wants_sends ? weir_exports_sends(&m->sends) : NULL;

	if ((m->wants_sends && !exports) || weir_watch_begin(&watch, m->watched, m->n_watched, rows) < 0) {
		if (exports)
			weir_exports_close(exports, &file);
		return say(why, "out of memory");
	}
	const struct weir_simulate_config config = {.scenario = scenario,
						    .with = {.registry = m->run->registry},
						    .traces = traces,
						    .seed = m->e->seeds[0],
						    .series = watch.series,
						    .exports = exports,
						    .stop = m->run->stop};
	int rc = weir_simulate(&config, &summary);
	if (rc < 0)
		say(why, strerror(errno));
	else if (summary.interrupted)
		rc = say(why, "");
	if (weir_watch_end(&watch) < 0 && rc == 0)
		rc = say(why, strerror(errno));
	if (exports)
		weir_exports_close(exports, &file);
	weir_summary_free(&summary);
	return rc;
}

static int run_scenario(struct maker *m, const struct weir_scenario *scenario,
			const struct weir_traces *traces, char why[512])
{
	struct weir_scenario part = *scenario;
	char *rows = NULL;
	size_t bytes;
	FILE *to = open_memstream(&rows, &bytes);

	/* what follows is not looked at */
	part.duration_ns = weir_min(part.duration_ns, weir_add(m->end_ns, 1));
	part.warmup_ns = weir_min(part.warmup_ns, part.duration_ns - 1);
	m->usual_sample_ns = part.sample_ns;
	part.sample_ns = m->sample_ns ? m->sample_ns : part.sample_ns;
	int rc = to ? simulate(m, &part, traces, to, why) : say(why, "out of memory");

	if (to && fclose(to) != 0 && rc == 0)
		rc = say(why, "out of memory");
	if (rc == 0) {
		take_rows(m, rows);
		take_sends(m, scenario);
		take_rates(m, scenario);
	}
	free(rows);
	weir_sends_free(&m->sends);
	return rc;
}

/* The experiment itself has run this point: it has no mistakes. */
static int run_point(struct maker *m, u32 point, bool run, char why[512])
{
	struct weir_scenario_set set = {0};
	struct weir_scenario scenario = {0};
	struct weir_traces traces = {0};
	struct weir_diag *diag = calloc(1, sizeof *diag);
	const struct weir_build_with with = {.registry = m->run->registry};
	int rc = -1;

	snprintf(why, 512, "out of memory");
	if (diag && weir_experiment_scenario(&m->plan, point, m->run->registry, &set, &scenario, diag) == 0 &&
	    weir_check_point(&set, &scenario, &with, &traces, diag) == 0)
		rc = run ? run_scenario(m, &scenario, &traces, why) : 0;
	if (rc == 0 && m->wants_model)
		rc = weir_figures_of_model(m->e, m->run->registry, &scenario, m->choice, m->figures, why);
	free(diag);
	weir_traces_free(&traces);
	weir_scenario_free(&scenario);
	weir_scenario_set_free(&set);
	return rc;
}

int weir_figures_make(const struct weir_experiment_run *run, struct weir_figure_result **out, char why[512])
{
	struct maker *m = calloc(1, sizeof *m);
	const struct weir_experiment *e = run->experiment;
	int rc = 0;

	*out = calloc(e->n_figures + 1u, sizeof **out);
	bool good = m && *out;
	for (u32 i = 0; good && i < e->n_figures; i++) {
		(*out)[i].trace = calloc(e->figures[i].n_lines + 1u, sizeof *(*out)[i].trace);
		good = (*out)[i].trace != NULL;
	}
	if (!good)
		rc = say(why, "out of memory");
	if (rc == 0) {
		m->run = run;
		m->e = e;
		m->figures = *out;
		weir_experiment_plan(e, run->quick, run->emulated, &m->plan);
	}
	for (u32 point = 0; rc == 0 && point < m->plan.n_points; point++) {
		weir_experiment_choices(&m->plan, point, m->choice);
		if (weir_experiment_skips(e, m->choice) || weir_experiment_is_emulated(e, m->choice))
			continue;
		bool runs = look(m);
		if (runs || m->wants_model)
			rc = run_point(m, point, runs, why);
	}
	if (rc == 0 && weir_figures_transform(e, *out) < 0)
		rc = say(why, "out of memory");
	free(m);
	return rc;
}

void weir_figures_free(const struct weir_experiment *e, struct weir_figure_result *figures)
{
	for (u32 i = 0; figures && i < e->n_figures; i++) {
		for (u32 k = 0; figures[i].trace && k < e->figures[i].n_lines; k++)
			free(figures[i].trace[k].point);
		free(figures[i].trace);
		free(figures[i].matrix);
		free(figures[i].best);
		free(figures[i].eq36);
		weir_sends_free(&figures[i].sends);
	}
	free(figures);
}

/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include "emulable.h"

#include <stdlib.h>
#include <string.h>

const char *weir_plan_choice(const struct weir_plan *p, const struct weir_job *job, u32 axis)
{
	return p->set.axes[axis].values[weir_scenario_choice(&p->set, axis, job->point)];
}

__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list ap;
	va_start(ap, format);
	vsnprintf(text + used, WEIR_LABEL_BYTES_MAX - used, format, ap);
	va_end(ap);
}

/* "cubic, rate=48 Mbit/s": what tells one job from the others. */
static void label_job(const struct weir_plan *p, struct weir_job *job)
{
	if (p->n_controllers > 1)
		append(job->label, "%s", job->controller->name);
	for (u32 i = 0; i < p->set.n_axes; i++) {
		const char *key = p->set.axes[i].key, *dot = strrchr(key, '.');
		append(job->label, "%s%s=%s", *job->label ? ", " : "", dot ? dot + 1 : key,
		       weir_plan_choice(p, job, i));
	}
}

/* A name for any file system: letters, digits, '.', '_' and '='; everything else is one '-'. */
static void name_directory(struct weir_job *job, u32 number)
{
	snprintf(job->directory, sizeof job->directory, "run-%u-", number);
	size_t used = strlen(job->directory);
	for (const char *c = job->label; *c && used + 1 < sizeof job->directory; c++) {
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			     (*c >= '0' && *c <= '9') || *c == '.' || *c == '_' || *c == '=';
		if (plain)
			job->directory[used++] = *c;
		else if (job->directory[used - 1] != '-')
			job->directory[used++] = '-';
	}
	job->directory[used] = 0;
}

static int make_job(struct weir_plan *p, u64 point, u32 controller, struct weir_diag *diag)
{
	struct weir_job *job = &p->jobs[p->n_jobs];
	if (weir_scenario_point(&p->set, point, &job->scenario, diag) < 0)
		return -1;
	p->n_jobs++;
	job->point = point;
	job->controller = p->n_controllers ? &p->controllers[controller] : NULL;
	job->seed = p->seed ? *p->seed : job->scenario.seed;
	if (p->set.n_points * weir_max(p->n_controllers, 1) == 1)
		return 0;
	label_job(p, job);
	name_directory(job, p->n_jobs);
	return 0;
}

struct weir_build_with weir_plan_with(const struct weir_plan *p, const struct weir_job *job)
{
	return (struct weir_build_with){
	    .registry = p->registry,
	    .controller = job->controller ? job->controller->ops : (struct weir_controller){0},
	    .controller_name = job->controller ? job->controller->name : NULL,
	    .emulated = p->emulated,
	};
}

static int out_of_memory(struct weir_diag *diag)
{
	weir_diag_add(diag, 0, 0, "out of memory");
	return -1;
}

int weir_plan_make(struct weir_plan *p, struct weir_diag *diag)
{
	if (weir_scenario_load(p->file, p->sets, p->n_sets, &p->registry->catalog, &p->set, diag) < 0)
		return -1;
	u64 controllers = weir_max(p->n_controllers, 1);
	if (p->set.n_points > WEIR_JOBS_MAX / controllers) {
		weir_diag_add(
		    diag, 0, 0,
		    "%llu points for each of %llu controllers: more than %u runs at once belong into a "
		    "sweep",
		    p->set.n_points, controllers, WEIR_JOBS_MAX);
		return -1;
	}
	p->jobs = calloc(p->set.n_points * controllers, sizeof *p->jobs);
	if (!p->jobs)
		return out_of_memory(diag);
	u32 mistakes = 0;
	for (u64 point = 0; point < p->set.n_points; point++) {
		for (u32 c = 0; c < controllers; c++) {
			if (make_job(p, point, c, diag) < 0)
				return diag->n ? -1 : out_of_memory(diag);
			struct weir_job *job = &p->jobs[p->n_jobs - 1];
			struct weir_build_with with = weir_plan_with(p, job);
			mistakes += weir_check_point(&p->set, &job->scenario, &with, &p->traces, diag);
			if (p->emulated)
				mistakes += weir_emulable_check(&p->set, &job->scenario, diag);
		}
	}
	return mistakes || diag->n ? -1 : 0;
}

int weir_plan_check_machine(const struct weir_plan *p, char why[512])
{
	for (u32 i = 0; p->emulated && i < p->n_jobs; i++) {
		struct weir_build_with with = weir_plan_with(p, &p->jobs[i]);
		int code = weir_emulable_controllers(&p->jobs[i].scenario, &with, why);
		if (code)
			return code;
	}
	return 0;
}

void weir_plan_free(struct weir_plan *p)
{
	for (u32 i = 0; i < p->n_jobs; i++) {
		struct weir_job *job = &p->jobs[i];
		for (u32 k = 0; k < job->n_documents; k++)
			free(job->documents[k]);
		free(job->documents);
		weir_summary_free(&job->summary);
		weir_scenario_free(&job->scenario);
	}
	free(p->jobs);
	weir_traces_free(&p->traces);
	weir_scenario_set_free(&p->set);
	p->jobs = NULL;
	p->n_jobs = 0;
}

/* SPDX-License-Identifier: MIT */
/* What one `weir run` does: one job for each combination of the scenario's axes and each --controller, each
 * with all its repeats; what a job leaves in its directory. */
#ifndef WEIR_RUN_PLAN_H
#define WEIR_RUN_PLAN_H

#include "check.h"
#include "core/exit_code.h"
#include "exports.h"
#include "record/manifest.h"
#include "record/outdir.h"
#include "record/summary.h"

#include <signal.h>

#define WEIR_JOBS_MAX 256 /* more belong into a sweep */
#define WEIR_REPEAT_MAX 10000
#define WEIR_SEED_MAX ((1ULL << 53) - 1) /* any JSON reader takes it exactly */
#define WEIR_LABEL_BYTES_MAX 120

struct weir_plan_controller {
	const char *name; /* what records call it */
	struct weir_controller ops;
	const char *header_text; /* compiled on the fly from this, else NULL */
};

struct weir_job {
	struct weir_scenario scenario;
	const struct weir_plan_controller *controller; /* NULL: as the scenario says */
	u64 point, seed;
	char label[WEIR_LABEL_BYTES_MAX];     /* "" for a single job */
	char directory[WEIR_LABEL_BYTES_MAX]; /* "run-1-cubic"; "" for a single job */
	/* results */
	bool done;
	struct weir_summary summary; /* of the first seed */
	u32 n_documents;	     /* of all seeds, with --repeat */
	char **documents;
};

struct weir_plan {
	/* the request, by the caller */
	const char *file;
	const char *const *sets;
	u32 n_sets;
	const struct weir_registry *registry;
	const struct weir_plan_controller *controllers;
	u32 n_controllers;
	const u64 *seed;		    /* NULL: as the scenario says */
	u64 repeat;			    /* at least 1 */
	struct weir_exports_wanted exports; /* beside what the scenario asks for */
	bool emulated;			    /* kernel TCP over the emulated path */
	const char *const *arguments;
	u32 n_arguments;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *ctx, double done, double total);
	void *progress_ctx;
	/* the plan */
	struct weir_scenario_set set;
	struct weir_traces traces;
	struct weir_job *jobs;
	u32 n_jobs, n_done;
	bool interrupted;
	bool invalid;	     /* the verdict over one of the runs; all are written */
	enum weir_exit code; /* what kind of failure it was */
	double work_done;    /* for progress: finished runs */
};

/* Reads and checks everything. 0, or -1 with all mistakes in *diag. Free in both cases. */
int weir_plan_make(struct weir_plan *p, struct weir_diag *diag);
void weir_plan_free(struct weir_plan *p);

/* Runs all jobs, into an open directory or (NULL) into memory only. 0, or -1 with a sentence and p->code. A
 * run that was stopped early is a success with `interrupted` set. */
int weir_plan_run(struct weir_plan *p, const struct weir_outdir *dir, char why[512]);

/* The document of the whole command: of the only job, or weir.run/1 of all that were run. 0, or -1 with
 * errno set. */
int weir_plan_document(const struct weir_plan *p, FILE *out);

/* In an emulation: whether the machine has every controller, or can have it. 0, or a weir_exit with a
 * sentence. */
int weir_plan_check_machine(const struct weir_plan *p, char why[512]);
/* What the build of a job is told. */
struct weir_build_with weir_plan_with(const struct weir_plan *p, const struct weir_job *job);
/* Value of an axis in a job. */
const char *weir_plan_choice(const struct weir_plan *p, const struct weir_job *job, u32 axis);

#endif

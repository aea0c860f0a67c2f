/* SPDX-License-Identifier: MIT */
/* The directory that a run leaves, or the runs below it, in memory. */
#ifndef WEIR_REPORT_LOAD_H
#define WEIR_REPORT_LOAD_H

#include "core/diag.h"
#include "tracks.h"

#include <jansson.h>

#define WEIR_RUNS_MAX 256
#define WEIR_LABEL_BYTES 160

struct weir_run_data {
	char label[WEIR_LABEL_BYTES]; /* what tells this run from the others; "" for a single one */
	char dir[WEIR_LABEL_BYTES];   /* the name of its sub-directory; "" for a single one */
	json_t *summary, *manifest;
	struct weir_tracks tracks;
	u32 pair, side; /* in an overlay: which runs stand for the same thing, and on which side (0, 1) */
};

struct weir_report_data {
	struct weir_run_data *run;
	u32 n_runs;
	bool overlay; /* runs come in pairs that are laid over each other */
};

/* Reads summary.json, series.csv and manifest.json of `dir`, or of its run-* directories when its summary
 * holds several runs. Returns an enum weir_exit; what is wrong, and with which file, is in `d`. */
int weir_report_load(const char *dir, struct weir_report_data *data, struct weir_diag *d);
/* The runs of several such directories, as one report; n >= 1. Labels tell simulated from emulated runs. */
int weir_report_load_together(const char *const *dirs, u32 n, struct weir_report_data *data,
			      struct weir_diag *d);
/* What tells one run from another by what ran in it: "cubic, vegas". */
void weir_report_controllers(const struct weir_run_data *run, char *out, size_t room);
void weir_report_unload(struct weir_report_data *data);

/* ---- what a summary holds; `path` is "rtt_ms.p95" ---- */

/* NaN where there is no number. A repeated run's number is {"mean": x, ...}: then x. */
double weir_get_number(const json_t *object, const char *path);
/* The 95 % confidence interval of a repeated run's number; false for none. */
bool weir_get_interval(const json_t *object, const char *path, double ci[2]);
/* `otherwise` where there is no string. */
const char *weir_get_text(const json_t *object, const char *path, const char *otherwise);
const json_t *weir_get(const json_t *object, const char *path);

#endif

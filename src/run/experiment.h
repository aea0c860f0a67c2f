/* SPDX-License-Identifier: MIT */
/* Experiments are data: a scenario, axes along which it varies, seeds, and claims about what comes out.
 * docs/formats.md, chapter "Experiments", is the reference of the file format. */
#ifndef WEIR_RUN_EXPERIMENT_H
#define WEIR_RUN_EXPERIMENT_H

#include "core/diag.h"
#include "core/exit_code.h"
#include "experiment_time.h"
#include "modelled.h"
#include "registry.h"
#include "weir/types.h"

#include <signal.h>

#define WEIR_EXPERIMENT_MAX_AXES 8
#define WEIR_EXPERIMENT_MAX_CLAIMS 200	/* as written */
#define WEIR_EXPERIMENT_MAX_JUDGED 2000 /* with what `each` makes of them */
#define WEIR_EXPERIMENT_MAX_SKIPS 100
#define WEIR_EXPERIMENT_MAX_SEEDS 1000
#define WEIR_EXPERIMENT_MAX_RUNS 100000
#define WEIR_EXPERIMENT_MAX_NUMBERS 20000000 /* runs x claims */
#define WEIR_EXPERIMENT_QUICK_SEEDS 3
#define WEIR_EXPERIMENT_ANY 0xffffffffU /* every value of an axis */

/* One value of an axis: what is set in the scenario there, as for --set. */
struct weir_axis_value {
	const char *name;
	u32 n_sets;
	const char **sets; /* KEY=VALUE; {AXIS} stands for the name of that axis's value */
	bool quick;	   /* is run with --quick: listed so, or named by a claim */
	bool emulated;	   /* `on: emu`: kernel TCP over an emulated path */
	bool left_out;	   /* by weir_experiment_select */
};

/* Which value of each axis, or WEIR_EXPERIMENT_ANY. */
struct weir_experiment_at {
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];
};
struct weir_experiment_axis {
	const char *name;
	u32 n;
	struct weir_axis_value *values;
};

/* One number that a run gives. */
enum weir_operand_kind {
	WEIR_OPERAND_CONSTANT,
	WEIR_OPERAND_SUMMARY, /* `name` in summary.json, by weir_query_number */
	WEIR_OPERAND_SERIES,  /* over the samples in the window of the series `name`: FLOW.SIGNAL */
	WEIR_OPERAND_MODEL,   /* what the model says of the point's scenario: needs no run */
};
struct weir_operand {
	enum weir_operand_kind kind;
	double constant;
	const char *name;
	bool pattern; /* of several flows: weir_query_is_pattern */
	struct weir_modelled model;
	u32 choice[WEIR_EXPERIMENT_MAX_AXES]; /* which value of each axis, or WEIR_EXPERIMENT_ANY */
	/* Of a second operand: not the one value of this axis that `choice` has, but the one of those whose
	 * names begin so that gives the least or the largest number (over_among). NULL: none. */
	const char *among;
	u32 among_axis;
};

/* How many numbers become one: those of the seeds, or several flows'. */
enum weir_reduce {
	WEIR_REDUCE_MEAN,
	WEIR_REDUCE_MIN,
	WEIR_REDUCE_MAX,
	WEIR_REDUCE_MEDIAN,
	WEIR_REDUCE_SUM,
};

struct weir_claim {
	const char *id, *text, *unit, *where, *metric;
	const char *group; /* the id as written: of several claims that `each` made of one it is the same */
	const char *part;  /* of such a claim its values, "12 Mbit/s, 10 ms"; else NULL */
	char op;	   /* '/', '-', or 0: only the first operand */
	bool curve;	   /* no claim: the numbers of a line that a figure draws; nothing is judged */
	struct weir_operand operand[2];
	/* over_seeds: a mean, min, max or median; over_flows: a sum, mean, min or max; over_among: a min or
	 * max */
	enum weir_reduce over_seeds, over_flows, over_among;
	struct weir_time_rule time; /* of the operands that are series */
	bool has_paper;
	double paper; /* the paper's value */
	double band[2];
	/* Of A - B: the band reaches at least this fraction of B to either side of 0; 0: only as far as it
	 * says. */
	double or_within;
	bool has_known_miss;
	double miss_band[2];
	const char *miss_reason, *miss_evidence;
	struct weir_scenario_place at, metric_at;
};

struct weir_figure;
struct weir_experiment {
	const char *name; /* PAPER/NAME of its file, as `weir list experiments` shows it */
	const char *path, *title, *source;
	const char *conclusion; /* in words; {ID} stands for what claim ID measured; NULL for none */
	const char *text;	/* the file */
	size_t bytes;
	const char *scenario_path; /* of the scenario's file, or of this one when it stands here */
	const char *scenario_text; /* this file with all but the scenario blanked; NULL: read scenario_path */
	u32 n_sets, n_axes, n_seeds, n_claims, n_skips;
	u32 quick_seeds, room_claims;
	const char **sets;
	struct weir_experiment_axis axes[WEIR_EXPERIMENT_MAX_AXES];
	u64 seeds[WEIR_EXPERIMENT_MAX_SEEDS];
	struct weir_claim *claims;
	struct weir_experiment_at skips[WEIR_EXPERIMENT_MAX_SKIPS]; /* points that are never run */
	u32 n_figures;
	struct weir_figure *figures; /* experiment_figures.h */
	struct weir_arena *arena;
};

/* Reads and checks an experiment, its scenario at every point included. Returns 0, or how many mistakes
 * there are; all have then been written to `complaints` as FILE:LINE:COLUMN: message. *e must be freed in
 * any case. */
u32 weir_experiment_load(const char *path, const struct weir_registry *registry, struct weir_experiment *e,
			 FILE *complaints);
void weir_experiment_free(struct weir_experiment *e);

/* Only these values of an axis are to be run: "AXIS=VALUE" or "AXIS=VALUE,VALUE". 0, or -1 with a sentence.
 */
int weir_experiment_select(struct weir_experiment *e, const char *choice, char why[512]);

/* ---- points ---- */

/* Which points are run: every combination of axis values but those to skip, the last axis fastest. */
struct weir_experiment_plan {
	const struct weir_experiment *experiment;
	bool quick, emulated; /* emulated: with the emulated points, else without */
	bool runs;	      /* false: all numbers are the model's, and nothing is run; one seed counts */
	u32 n_seeds;
	u32 n_points;			    /* those to skip included */
	u32 used[WEIR_EXPERIMENT_MAX_AXES]; /* values of each axis that are run */
};
void weir_experiment_plan(const struct weir_experiment *e, bool quick, bool emulated,
			  struct weir_experiment_plan *p);
bool weir_experiment_is_used(const struct weir_experiment_plan *p, u32 axis, u32 value);
/* Which value of each axis the point has: indexes into axes[].values. */
void weir_experiment_choices(const struct weir_experiment_plan *p, u32 point,
			     u32 choice[WEIR_EXPERIMENT_MAX_AXES]);
/* Whether a point is one of those that a pattern, with WEIR_EXPERIMENT_ANY, stands for. */
bool weir_experiment_fits(const struct weir_experiment *e, const u32 pattern[WEIR_EXPERIMENT_MAX_AXES],
			  const u32 choice[WEIR_EXPERIMENT_MAX_AXES]);
bool weir_experiment_skips(const struct weir_experiment *e, const u32 choice[WEIR_EXPERIMENT_MAX_AXES]);
bool weir_experiment_is_emulated(const struct weir_experiment *e, const u32 choice[WEIR_EXPERIMENT_MAX_AXES]);
/* Whether the operand is taken there. */
bool weir_experiment_takes(const struct weir_experiment *e, const struct weir_operand *o,
			   const u32 choice[WEIR_EXPERIMENT_MAX_AXES]);
/* Whether the plan has every point that the claim needs. */
bool weir_experiment_can_judge(const struct weir_experiment_plan *p, const struct weir_claim *c);
/* Loads the scenario of a point. 0, or -1 with mistakes in *diag; *set and *scenario are to be freed in any
 * case. */
int weir_experiment_scenario(const struct weir_experiment_plan *p, u32 point,
			     const struct weir_registry *registry, struct weir_scenario_set *set,
			     struct weir_scenario *scenario, struct weir_diag *diag);

/* ---- results ---- */

enum weir_verdict {
	WEIR_VERDICT_HOLDS,
	WEIR_VERDICT_MISSES,
	WEIR_VERDICT_EXPLAINED,
	WEIR_VERDICT_INVALID, /* the emulator could not keep up with one of its runs */
	WEIR_VERDICTS
};
extern const char *const weir_verdict_words[WEIR_VERDICTS];

struct weir_claim_result {
	bool judged; /* false: it needs points that were not run, see weir_experiment_can_judge */
	bool known;  /* false: no run gave this number */
	double measured;
	bool has_ci;
	double ci_low, ci_high; /* 95 %, of a mean over at least two seeds */
	double band[2];		/* that counted, `or_within` included */
	u64 n;			/* numbers that went into it */
	double first, second;	/* means of the operands A and B of a metric A / B or A - B; else NaN */
	enum weir_verdict verdict;
	char reason[1000]; /* "" where it holds */
};

struct weir_experiment_result {
	struct weir_claim_result *claim; /* e->n_claims of them */
	struct weir_experiment_plan plan;
	/* The claim's metric in each run, [claim][point][seed], at all points whatever the claim's `at`; NaN
	 * where there is none. */
	double *values;
	u64 runs, count[WEIR_VERDICTS]; /* count: of the claims that were judged */
	u64 kept;			/* runs that had been made before */
	u64 emulated_runs, repeated;	/* repeated: of these, whose first verdict was invalid */
	u32 not_judged;			/* claims */
	double simulated_s, emulated_s;
	enum weir_exit code; /* why it failed */
	char why[512];
};
void weir_experiment_result_free(struct weir_experiment_result *r);

/* How often a run is emulated at most, until its verdict is not `invalid`. */
#define WEIR_EXPERIMENT_ATTEMPTS 3

struct weir_emulate_config;
struct weir_summary;

struct weir_experiment_run {
	const struct weir_experiment *experiment;
	const struct weir_registry *registry;
	bool quick, emulated;
	u32 jobs; /* simulations at once, each in a process of its own; 0, 1: here, one after the other */
	/* The directory of runs that were made before, and where those of now go; NULL: none are kept. */
	const char *keep;
	bool keep_of_any_build;		   /* also those of another build of this version */
	const volatile sig_atomic_t *stop; /* NULL, or becomes non-zero when it shall end */
	/* Called often with the share of the runs that is done; may be NULL. */
	void (*progress)(void *ctx, double done, double total);
	void *progress_ctx;
	FILE *complaints;
	/* NULL: weir_emulate. Tests have a quicker one. */
	int (*emulate)(const struct weir_emulate_config *c, struct weir_summary *out, char why[512]);
};

/* Runs points x seeds and judges the claims. 0; -1 when it failed, with out->code, a sentence in out->why
 * ("" for an interrupt); -2 for a mistake in the file that only a run can show, e.g. the name of a number; it
 * has been written to complaints. *out is to be freed in any case. */
int weir_experiment_run(const struct weir_experiment_run *run, struct weir_experiment_result *out);

/* Judges one claim over the numbers of its runs (not NaN); `second` is the mean of what B of A - B was. */
void weir_claim_judge(const struct weir_claim *claim, double *values, u64 n, double second,
		      struct weir_claim_result *out);

#endif

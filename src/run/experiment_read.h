/* SPDX-License-Identifier: MIT */
/* Reading an experiment's YAML tree; between the experiment_*.c files only. Each function reports what it
 * does not like and goes on. */
#ifndef WEIR_RUN_EXPERIMENT_READ_H
#define WEIR_RUN_EXPERIMENT_READ_H

#include "run/experiment.h"
#include "scenario/yaml.h"

struct weir_experiment_reader {
	struct weir_experiment *experiment;
	struct weir_scenario_set nobody; /* whom the YAML reader reports to: places are all in the file */
	struct weir_diag diag;
};

__attribute__((format(printf, 3, 4))) void
weir_experiment_say(struct weir_experiment_reader *r, struct weir_scenario_place at, const char *format, ...);
/* Every key of the map must be one of these (the list ends with NULL). */
void weir_experiment_keys(struct weir_experiment_reader *r, const struct weir_yaml *map,
			  const char *const *known);
bool weir_experiment_is_map(struct weir_experiment_reader *r, const struct weir_yaml *node);
/* NULL when absent or wrong. `null`, `~` and nothing count as absent. */
const char *weir_experiment_text(struct weir_experiment_reader *r, const struct weir_yaml *map,
				 const char *key, bool required);
void weir_experiment_count(struct weir_experiment_reader *r, const struct weir_yaml *node, u64 min, u64 max,
			   u64 *value);
bool weir_experiment_number(struct weir_experiment_reader *r, const struct weir_yaml *node, double *value);
/* "50 ms" */
bool weir_experiment_time(struct weir_experiment_reader *r, const struct weir_yaml *node, u64 *ns);
/* [low, high], low <= high. */
bool weir_experiment_band(struct weir_experiment_reader *r, const struct weir_yaml *node, double band[2]);
/* A number as people write it, no hexadecimal, no inf or nan. */
bool weir_experiment_parse_number(const char *text, double *value);
/* A map of dotted keys and plain values as KEY=VALUE texts. */
const char **weir_experiment_sets(struct weir_experiment_reader *r, const struct weir_yaml *map, u32 *n);

/* experiment_time_read.c: what the claim's metric, which is read already, makes of its samples. */
void weir_experiment_read_time(struct weir_experiment_reader *r, const struct weir_yaml *map,
			       struct weir_claim *c);

/* Axes and one value each; `quick`: what is named is run with --quick too. */
void weir_experiment_read_at(struct weir_experiment_reader *r, const struct weir_yaml *map, bool quick,
			     u32 choice[WEIR_EXPERIMENT_MAX_AXES]);

/* A known miss, and the claims that it belongs to. */
struct weir_known_miss {
	struct weir_experiment_at at;
	double band[2];
	const char *reason, *evidence;
};
#define WEIR_KNOWN_MISSES_MAX 100
struct weir_claim_written {
	struct weir_claim claim;
	bool each[WEIR_EXPERIMENT_MAX_AXES];
	u32 n_misses;
	struct weir_known_miss miss[WEIR_KNOWN_MISSES_MAX];
};
/* experiment_each.c: adds one claim for each combination of the axes under `each`. */
void weir_experiment_add_claims(struct weir_experiment_reader *r, const struct weir_claim_written *w);

/* Numbers that a figure draws: `metric` and `at` of the map, over an axis and at the first value of those
 * that are not named. Becomes a claim that nobody judges; its number. */
u32 weir_experiment_read_curve(struct weir_experiment_reader *r, const struct weir_yaml *map,
			       const char *label, u32 over);

void weir_experiment_read_axes(struct weir_experiment_reader *r, const struct weir_yaml *list);
void weir_experiment_read_figures(struct weir_experiment_reader *r, const struct weir_yaml *list);
void weir_experiment_read_claims(struct weir_experiment_reader *r, const struct weir_yaml *list);

#endif

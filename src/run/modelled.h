/* SPDX-License-Identifier: MIT */
/* What the model of Agile-SD (src/model) says of a scenario, for claims and figures beside what runs give:
 * one agile-sd or reno flow over one drop-tail hop of a fixed rate. */
#ifndef WEIR_RUN_MODELLED_H
#define WEIR_RUN_MODELLED_H

#include "model/model.h"
#include "scenario/scenario.h"

/* A number of the model as experiments name it, "READING.NUMBER" or "READING@ITERATIONS.NUMBER". */
struct weir_modelled {
	enum weir_model_reading reading;
	u64 iterations; /* 0: the paper's */
	u32 number;	/* which */
};

#define WEIR_MODELLED_WHY 240
/* Whether there is such a number; else a sentence. */
bool weir_modelled_parse(const char *name, struct weir_modelled *m, char why[WEIR_MODELLED_WHY]);

/* Controller and path of the scenario as the model has them. False, with a sentence: it has no such. */
bool weir_modelled_config(const struct weir_scenario *s, const struct weir_scenario_catalog *catalog,
			  enum weir_model_reading reading, struct weir_model_config *c,
			  char why[WEIR_MODELLED_WHY]);

/* NaN where there is no such number (not steady, no epoch). 0, or -1 with a sentence. */
int weir_modelled_number(const struct weir_scenario *s, const struct weir_scenario_catalog *catalog,
			 const struct weir_modelled *m, double *value, char why[WEIR_MODELLED_WHY]);

#endif

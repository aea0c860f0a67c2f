/* SPDX-License-Identifier: MIT */
/* The value of a controller's parameter, as people write it, against the controller's own table. */
#ifndef WEIR_SCENARIO_PARAM_H
#define WEIR_SCENARIO_PARAM_H

#include "quantity.h"
#include "weir/cc.h"

/* Reads `text` in the unit of the parameter: "0.7" or "70%", "1 s", "true", one of its words.
 * False: it is wrong or out of
 * range, and `error` says why. */
bool weir_scenario_param(const struct weir_param *p, const char *text, u64 *value,
			 char error[WEIR_QUANTITY_ERROR]);

#endif

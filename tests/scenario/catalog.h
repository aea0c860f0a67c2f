/* SPDX-License-Identifier: MIT */
/* Controllers for the tests: a parameter of each unit. */
#ifndef WEIR_TESTS_SCENARIO_CATALOG_H
#define WEIR_TESTS_SCENARIO_CATALOG_H

#include "scenario/scenario.h"

static const struct weir_param vegas_params[] = {
    {"alpha", "packets", 2, 0, 100, "packets to keep in the queue at least"},
    {"beta", "packets", 4, 0, 100, "and at most"},
    {"gain", "ratio", 500000, 0, 2000000, "a ratio"},
    {"probe", "ns", 1000000, 1000, 1000000000, "a time"},
    {"floor", "Bps", 1000, 0, 1000000000, "a rate"},
    {"fast", "flag", 1, 0, 1, "a flag"},
    {"burst", "bytes", 3000, 1, 1000000, "a size"},
    {"rounds", "", 3, 1, 10, "a count"},
};

static const struct weir_param nimbus_params[] = {
    {"delay_mode", "basic-delay|copa|vegas", 0, 0, 2, "a choice"},
};

static const struct weir_scenario_catalog_entry controllers[] = {
    {"reno", NULL, 0, false},
    {"cubic", NULL, 0, false},
    {"vegas", vegas_params, sizeof vegas_params / sizeof vegas_params[0], false},
    {"nimbus", nimbus_params, 1, false},
    {"acp-plus", NULL, 0, true},
    {"acp-robust", NULL, 0, true},
};

static const struct weir_scenario_catalog catalog = {.n = sizeof controllers / sizeof controllers[0],
						     .controllers = controllers};

#endif

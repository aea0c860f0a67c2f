/* SPDX-License-Identifier: MIT */
/* The whole of it: 2,000 sources, a minute. */
#define FLEET_SOURCES 2000
#define FLEET_SECONDS 60
#include "test_fleet.c"

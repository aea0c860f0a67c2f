/* SPDX-License-Identifier: MIT */
/* Many real sources in one process against a monitor in another, over loopback. */
#ifndef TESTS_NET_FLEET_H
#define TESTS_NET_FLEET_H

#include "weir/types.h"

struct fleet_result {
	u32 sources;
	u64 fresh_min, fresh_max, fresh;  /* values delivered, of a source, of all */
	double jain;			  /* of these */
	double age_mean_ms, age_worst_ms; /* time averages of the true age: over all sources, of the worst */
	double monitor_cpu_s, sources_cpu_s;
	u64 stale; /* values that came after a newer one */
	u64 overflowed;
};

/* `n` sources of at most ceiling_hz each, for so long after a second in which they begin. false and a line on
 * stderr: it could not be done here. */
bool fleet_run(u32 n, double ceiling_hz, double seconds, struct fleet_result *r);

#endif

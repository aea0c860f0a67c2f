/* SPDX-License-Identifier: MIT */
/* How an emulated link measured itself: the object `emulation` of summary.json, and the verdict that a link
 * leaves. Each field is defined in docs/formats.md; the measuring itself in emu/fidelity.h. */
#ifndef WEIR_RECORD_EMULATION_H
#define WEIR_RECORD_EMULATION_H

#include "core/hist.h"
#include "json.h"

struct weir_lateness { /* microseconds; n = 0: nothing passed, null */
	u64 n;
	double p50, p99, max;
};

struct weir_emulation_way {
	u64 packets, bytes;
	struct weir_lateness lateness_us, arrival_us;
};

struct weir_emulation {
	const char *verdict; /* "faithful", "degraded", "invalid"; NULL: nothing was emulated */
	char reason[160];
	double rtt_error_us, rtt_error_fraction, missed_fraction, overrun_fraction, base_rtt_ms;
	struct weir_lateness lateness_us; /* of both ways together */
	struct weir_emulation_way up, down;
	struct weir_lateness gap_us;
	u64 overruns, unstamped, oversize, unroutable;
	double elapsed_s, cpu_fraction, realtime_fraction;
	bool stamped;
	u64 snapshots_lost; /* rows of the series that the sampler came too late for */
	char kernel[80];    /* its release */
};

void weir_lateness_from_hist(struct weir_lateness *l, const struct weir_hist *h);
/* The fields, into an open object. */
void weir_emulation_fields(struct weir_json *j, const struct weir_emulation *e);

#endif

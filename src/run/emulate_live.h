/* SPDX-License-Identifier: MIT */
/* Logs of the real packets of an emulated run, under the names that a simulated one gives them. */
#ifndef WEIR_RUN_EMULATE_LIVE_H
#define WEIR_RUN_EMULATE_LIVE_H

#include "emulate.h"
#include "record/live.h"

struct weir_emulate_live {
	struct weir_live *live; /* NULL: none is wanted */
	const struct weir_emulate_config *config;
	const u64 *mean_bps;
};

/* 0, or -1 with a sentence. `l` stays where it is until the end. */
int weir_emulate_live_begin(struct weir_emulate_live *l, const struct weir_emulate_config *c,
			    const struct weir_build *b, char why[512]);
/* The run came to end_ns. What the ring had no room for becomes a note. 0, or -1 with a sentence. */
int weir_emulate_live_end(struct weir_emulate_live *l, u64 end_ns, struct weir_summary *out, char why[512]);

#endif

/* SPDX-License-Identifier: MIT */
/* Fresh values as lines of JSON: docs/formats.md, "A line of weir monitor". A reader that is slow gets the
 * newest value of each source when it comes round, and what it missed is counted. */
#ifndef WEIR_SINK_NDJSON_H
#define WEIR_SINK_NDJSON_H

#include "told.h"

#define WEIR_NDJSON_RING_BYTES (1u << 20)
#define WEIR_NDJSON_RETRY_NS (20 * WEIR_NS_PER_MS) /* how soon to step again where something waits */

struct weir_ndjson;

struct weir_ndjson_stats {
	u64 written;	/* lines handed over */
	u64 superseded; /* values that a newer one of the same source replaced while they waited */
	u64 dropped;	/* values of sources for which there was no place to wait */
};

/* To this descriptor. NULL with errno. */
struct weir_ndjson *weir_ndjson_new(int fd);
void weir_ndjson_value(struct weir_ndjson *n, const struct weir_told *v);
/* Tries what waits once more. True: something still does. */
bool weir_ndjson_step(struct weir_ndjson *n);
struct weir_ndjson_stats weir_ndjson_stats(const struct weir_ndjson *n);
/* errno of the output; 0: good. */
int weir_ndjson_error(const struct weir_ndjson *n);
/* Gives a slow reader at most so long for what is left. */
void weir_ndjson_end(struct weir_ndjson *n, u64 wait_ns);

#endif

/* SPDX-License-Identifier: MIT */
/* How large flows are: cumulative distributions of flow sizes, drawn from by inversion with linear
 * interpolation between the points of a table. Linear, because the published tables mean it so: that of
 * CAIDA has a mean of 21,025 B then, and of 39.7 KB or 11.7 KB if read as steps or on a logarithmic axis. */
#ifndef WEIR_APP_SIZES_H
#define WEIR_APP_SIZES_H

#include "core/diag.h"

#define WEIR_SIZES_MOST_POINTS 10000
#define WEIR_SIZES_MOST_BYTES 1e15	       /* of a flow, as `size` in a scenario */
#define WEIR_SIZES_FILE_MOST ((size_t)1 << 20) /* bytes of a file */

struct weir_sizes_point {
	double bytes, fraction; /* of the flows, this large at most */
};

/* Points rise in both; the first has fraction 0 and the last has 1. */
struct weir_sizes {
	const struct weir_sizes_point *point;
	u32 n; /* at least 2 */
	double mean_bytes;
	struct weir_sizes_point *own; /* of a table that was read; else NULL */
};

/* The tables that come along. */
struct weir_sizes_table {
	const char *name, *about, *origin;
	const struct weir_sizes_point *point;
	u32 n;
};
extern const struct weir_sizes_table weir_sizes_tables[];
extern const u32 weir_sizes_n_tables;

/* False: no table is called so. */
bool weir_sizes_named(const char *name, struct weir_sizes *s);

/* Lines "BYTES FRACTION", rising; blank ones and those that begin with # are passed over. 0, or -1 with at
 * least one mistake in *d. Free it in both cases. */
int weir_sizes_parse(const char *text, size_t length, struct weir_sizes *s, struct weir_diag *d);
void weir_sizes_free(struct weir_sizes *s);

/* Between two points sizes are uniform. */
double weir_sizes_mean(const struct weir_sizes_point *p, u32 n);

/* The size below which the share u of all flows lies, 0 < u < 1: a whole number of bytes, at least 1. */
u64 weir_sizes_at(const struct weir_sizes *s, double u);

#endif

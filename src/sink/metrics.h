/* SPDX-License-Identifier: MIT */
/* Prometheus' text format (version 0.0.4): docs/formats.md lists the families. */
#ifndef WEIR_SINK_METRICS_H
#define WEIR_SINK_METRICS_H

#include "age/monitors.h"
#include "told.h"

#include <stdio.h>

/* Sources that have series of their own: those with the smallest places. The others are in the sums. */
#define WEIR_METRICS_SOURCES 100

/* Ages at arrival, over all sources. */
#define WEIR_METRICS_BUCKETS 12
struct weir_metrics_ages {
	u64 bucket[WEIR_METRICS_BUCKETS]; /* not cumulative */
	u64 n;
	double sum_s;
};
void weir_metrics_age(struct weir_metrics_ages *a, double age_s);

enum weir_metric_type { WEIR_METRIC_COUNTER, WEIR_METRIC_GAUGE };

/* HELP and TYPE of a family; its samples follow. */
void weir_metric(FILE *out, const char *name, enum weir_metric_type type, const char *help);
/* A sample without labels, or with one. */
void weir_metric_u64(FILE *out, const char *name, u64 value);
void weir_metric_label_u64(FILE *out, const char *name, const char *label, const char *is, u64 value);

void weir_metrics_ages(FILE *out, const struct weir_metrics_ages *a);
/* Everything that the table knows: sums, and series of some sources. */
void weir_metrics_table(FILE *out, const struct weir_monitors *t, const struct weir_told_names *names,
			u64 now_ns);

#endif

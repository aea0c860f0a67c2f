/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <stdlib.h>

void weir_trace_fini(struct weir_trace *t)
{
	free(t->at_ns);
	*t = (struct weir_trace){0};
}

int weir_trace_delay(const struct weir_trace *t, u64 by_ns, struct weir_trace *out)
{
	u64 shift_ns = by_ns % t->period_ns, first = 0;
	*out = *t;
	out->at_ns = malloc(t->n * sizeof *out->at_ns);
	if (!out->at_ns)
		return -1;
	while (first < t->n && t->at_ns[first] + shift_ns <= t->period_ns)
		first++;
	for (u64 i = 0; i < t->n; i++) {
		u64 from = (first + i) % t->n, at_ns = t->at_ns[from] + shift_ns;
		out->at_ns[i] = from >= first ? at_ns - t->period_ns : at_ns;
	}
	return 0;
}

/* A period's last opportunity may fall on its end, where the next period's first one may be too; both
 * count there, as in mahimahi. */
u64 weir_trace_count(const struct weir_trace *t, u64 until_ns)
{
	u64 periods = until_ns / t->period_ns, into_ns = until_ns % t->period_ns;
	u64 low = 0, high = t->n;
	while (low < high) {
		u64 middle = low + (high - low) / 2;
		if (t->at_ns[middle] <= into_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return periods * t->n + low;
}

static double rate_bps(u64 opportunities, u64 ns)
{
	return (double)opportunities * WEIR_TRACE_BYTES * 8e9 / (double)ns;
}

double weir_trace_mean_bps(const struct weir_trace *t)
{
	return rate_bps(t->n, t->period_ns);
}

double weir_trace_max_bps(const struct weir_trace *t, u64 window_ns)
{
	if (window_ns >= t->period_ns)
		return weir_trace_mean_bps(t);
	u64 most = 0;
	for (u64 first = 0, i = 0; i < t->n; i++) {
		while (t->at_ns[i] - t->at_ns[first] >= window_ns)
			first++;
		most = weir_max(most, i - first + 1);
	}
	return rate_bps(most, window_ns);
}

u64 weir_trace_longest_outage_ns(const struct weir_trace *t)
{
	u64 longest = t->period_ns - t->at_ns[t->n - 1] + t->at_ns[0];
	for (u64 i = 1; i < t->n; i++)
		longest = weir_max(longest, t->at_ns[i] - t->at_ns[i - 1]);
	return longest;
}

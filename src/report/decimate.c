/* SPDX-License-Identifier: MIT */
#include "decimate.h"

#include <math.h>

/* Writes the extremes of one stretch to out (at most two points); returns how many. */
static u32 extremes(const struct weir_point *point, u32 n, struct weir_point out[2])
{
	u32 low = n, high = n;
	for (u32 i = 0; i < n; i++) {
		if (isnan(point[i].value))
			continue;
		if (low == n || point[i].value < point[low].value)
			low = i;
		if (high == n || point[i].value > point[high].value)
			high = i;
	}
	if (low == n) {
		out[0] = point[0];
		return 1;
	}
	out[0] = point[low < high ? low : high];
	if (low == high)
		return 1;
	out[1] = point[low < high ? high : low];
	return 2;
}

/* The stretch of [start, start + buckets * width] that a time belongs to. */
static u32 bucket_of(double t_s, double start_s, double width_s, u32 buckets)
{
	double x = (t_s - start_s) / width_s;
	if (!(x > 0))
		return 0;
	return x >= buckets ? buckets - 1 : (u32)x;
}

/* The mean of one stretch, in its middle. */
static u32 mean(const struct weir_point *point, u32 n, struct weir_point out[2])
{
	double sum = 0, middle_s = point[0].t_s + (point[n - 1].t_s - point[0].t_s) / 2;
	u32 known = 0;
	for (u32 i = 0; i < n; i++) {
		if (isnan(point[i].value))
			continue;
		sum += point[i].value;
		known++;
	}
	out[0] = (struct weir_point){middle_s, known ? sum / known : (double)NAN};
	return 1;
}

static u32 reduce(struct weir_point *point, u32 n, u32 buckets,
		  u32 (*stretch)(const struct weir_point *, u32, struct weir_point[2]))
{
	double start = point[0].t_s, width = (point[n - 1].t_s - start) / buckets;
	u32 kept = 0;
	for (u32 from = 0, to; from < n; from = to) {
		u32 bucket = width > 0 ? bucket_of(point[from].t_s, start, width, buckets) : 0;
		for (to = from + 1; to < n; to++)
			if (width > 0 && bucket_of(point[to].t_s, start, width, buckets) != bucket)
				break;
		struct weir_point two[2];
		u32 got = stretch(point + from, to - from, two);
		for (u32 i = 0; i < got; i++)
			point[kept++] = two[i];
	}
	return kept;
}

u32 weir_decimate(struct weir_point *point, u32 n, u32 buckets)
{
	return n <= 2 * buckets ? n : reduce(point, n, buckets, extremes);
}

u32 weir_average(struct weir_point *point, u32 n, u32 buckets)
{
	return n <= buckets ? n : reduce(point, n, buckets, mean);
}

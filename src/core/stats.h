/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Statistics of few values: repeats of a run, shares of flows. Only + - * / and the square root, which
 * IEEE 754 rounds the same way everywhere, so results do not depend on a math library. */
#ifndef WEIR_CORE_STATS_H
#define WEIR_CORE_STATS_H

#include "fmath.h"
#include "weir/types.h"

#include <stdlib.h>

/* Running mean and variance (Welford 1962). All zero is the empty state. */
struct weir_stats {
	u64 n;
	double mean, m2, min, max;
};

static inline void weir_stats_add(struct weir_stats *s, double x)
{
	double d = x - s->mean;

	s->min = s->n == 0 || x < s->min ? x : s->min;
	s->max = s->n == 0 || x > s->max ? x : s->max;
	s->n++;
	s->mean += d / (double)s->n;
	s->m2 += d * (x - s->mean);
}

/* Of the sample, by n - 1; 0 for fewer than two values. */
static inline double weir_stats_variance(const struct weir_stats *s)
{
	return s->n < 2 ? 0 : s->m2 / (double)(s->n - 1);
}

/* Arc tangent for x >= 0: halves the angle until the series is short. */
static inline double weir_stats_atan(double x)
{
	int halvings = 0;
	while (x > 0x1p-4) {
		x = x / (1 + weir_sqrt(1 + x * x));
		halvings++;
	}
	double sum = 0, power = x, square = x * x;
	for (int k = 1; k <= 15; k += 2, power *= -square)
		sum += power / k;
	for (; halvings; halvings--)
		sum *= 2;
	return sum;
}

/* P(-t < T < t) for Student's t with df degrees of freedom, t >= 0: the finite series of Abramowitz and
 * Stegun 26.7.3 and 26.7.4. */
static inline double weir_student_between(double t, u32 df)
{
	double cos2 = 1 / (1 + t * t / df), sin = t / weir_sqrt(t * t + df);
	double term = df % 2 ? weir_sqrt(cos2) : 1, sum = 0;

	if (df == 0)
		return 0;
	for (u32 k = df % 2; k + 2 <= df; k += 2) {
		sum += term;
		term *= cos2 * (k + 1) / (k + 2);
	}
	if (df % 2 == 0)
		return sin * sum;
	const double pi = 0x1.921fb54442d18p+1;
	return 2 / pi * (weir_stats_atan(t / weir_sqrt(df)) + sin * sum);
}

static inline double weir_student_bisect(double confidence, u32 df)
{
	double low = 0, high = 1;

	while (weir_student_between(high, df) < confidence && high < 1e12)
		high *= 2;
	for (int i = 0; i < 80 && low < high; i++) {
		double middle = low + (high - low) / 2;
		if (weir_student_between(middle, df) < confidence)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The t with P(-t < T < t) = confidence, 0 < confidence < 1: 12.706 for .95 and df = 1. 0 for df = 0.
 * Beyond df = 2000 the quantile is a straight line in 1 / df, to 2e-6. */
static inline double weir_student_quantile(double confidence, u64 df)
{
	const u32 far = 2000;

	if (df == 0 || !(confidence > 0 && confidence < 1))
		return 0;
	if (df <= far)
		return weir_student_bisect(confidence, (u32)df);
	double t = weir_student_bisect(confidence, far);
	double normal = 2 * t - weir_student_bisect(confidence, far / 2);
	return normal + (t - normal) * far / (double)df;
}

/* 95 % confidence interval of the mean by Student's t. False, and nothing written, for n < 2: one value
 * says nothing about its own error. */
static inline bool weir_stats_ci95(const struct weir_stats *s, double *low, double *high)
{
	if (s->n < 2)
		return false;
	double half = weir_student_quantile(.95, s->n - 1) * weir_sqrt(weir_stats_variance(s) / (double)s->n);
	*low = s->mean - half;
	*high = s->mean + half;
	return true;
}

/* Jain's index (sum x)^2 / (n sum x^2) of x >= 0: 1 for equal shares, 1/n when one has all. 0 where it is
 * not defined: no values, or all are 0. */
static inline double weir_jain(const double *x, u64 n)
{
	double sum = 0, squares = 0;
	for (u64 i = 0; i < n; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	return squares > 0 ? sum * sum / ((double)n * squares) : 0;
}

static inline int weir_stats_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* Sorts in place; no NaN. */
static inline void weir_sort(double *x, u64 n)
{
	if (n > 1)
		qsort(x, n, sizeof *x, weir_stats_by_value);
}

/* Quantile of sorted values, 0 <= q <= 1, linear between the two nearest (type 7 of Hyndman and Fan 1996:
 * the median of an even number of values is the mean of the middle two). 0 when empty. */
static inline double weir_quantile_sorted(const double *x, u64 n, double q)
{
	if (n == 0)
		return 0;
	q = q < 0 ? 0 : q > 1 ? 1 : q;
	double at = q * (double)(n - 1);
	u64 below = (u64)at;
	if (below + 1 >= n)
		return x[n - 1];
	return x[below] + (at - (double)below) * (x[below + 1] - x[below]);
}

/* Sorts x, then takes its middle. */
static inline double weir_median(double *x, u64 n)
{
	weir_sort(x, n);
	return weir_quantile_sorted(x, n, .5);
}

#endif

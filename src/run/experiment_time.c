/* SPDX-License-Identifier: MIT */
#include "run/experiment_time.h"

#include "core/fmath.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool in_range(const struct weir_time_range *r, double value)
{
	return value > r->above && value <= r->below;
}

/* A sample at a time, or over a stretch from there. */
static bool in_windows(const struct weir_time_rule *r, double from_s)
{
	double to_s = from_s + (double)r->mean_over_ns / 1e9;
	for (u32 i = 0; i < r->n_windows; i++) {
		double end_s = (double)r->window[i].to_ns / 1e9;
		if (from_s >= (double)r->window[i].from_ns / 1e9 && from_s < end_s && to_s <= end_s + 1e-9)
			return true;
	}
	return r->n_windows == 0;
}

static void keep(struct weir_time_sum *s, double value)
{
	if (s->no_memory)
		return;
	if (s->n == s->room) {
		u64 room = s->room ? 2 * s->room : 256;
		double *longer = realloc(s->sample, room * sizeof *longer);
		if (!longer) {
			s->no_memory = true;
			return;
		}
		s->sample = longer;
		s->room = room;
	}
	s->sample[s->n] = value;
}

static void count(struct weir_time_sum *s, double value)
{
	const struct weir_time_rule *r = s->rule;

	if (r && r->over == WEIR_TIME_FRACTION)
		value = in_range(&r->range, value);
	if (r && r->over == WEIR_TIME_QUANTILE)
		keep(s, value);
	double off = value - s->mean;
	s->min = s->n == 0 || value < s->min ? value : s->min;
	s->max = s->n == 0 || value > s->max ? value : s->max;
	s->n++;
	s->total += value;
	s->mean += off / (double)s->n;
	s->squares += off * (value - s->mean);
}

/* Whether the sample counts, and what it is. */
static bool combine(const struct weir_time_rule *r, const struct weir_time_stretch *x, double *value)
{
	double mean[WEIR_TIME_ROLES] = {0};

	for (u32 k = 0; k < WEIR_TIME_ROLES; k++)
		if (x->n[k])
			mean[k] = x->sum[k] / (double)x->n[k];
	*value = mean[WEIR_TIME_OWN];
	if (!x->n[WEIR_TIME_OWN])
		return false;
	if (!r)
		return true;
	if (r->while_series && (!x->n[WEIR_TIME_WHILE] || !in_range(&r->while_range, mean[WEIR_TIME_WHILE])))
		return false;
	if (r->beside == WEIR_BESIDE_NOTHING)
		return true;
	double b = mean[WEIR_TIME_BESIDE] * (r->factor > 0 ? r->factor : 1);
	if (!x->n[WEIR_TIME_BESIDE])
		return false;
	if (r->beside == WEIR_BESIDE_DIFFERENCE)
		*value = fabs(*value - b);
	else if (r->beside == WEIR_BESIDE_ERROR)
		*value = fabs(*value - b) / fabs(b);
	else if (r->beside == WEIR_BESIDE_RATIO)
		*value /= b;
	else
		*value = (*value > r->own_above) == (b > r->beside_above);
	return isfinite(*value);
}

static void settle(struct weir_time_sum *s, double time_s)
{
	double value;

	if ((!s->rule || in_windows(s->rule, time_s)) && combine(s->rule, &s->now, &value))
		count(s, value);
	s->now = s->next;
	memset(&s->next, 0, sizeof s->next);
}

static void settle_stretch(struct weir_time_sum *s)
{
	settle(s, (double)s->stretch * (double)s->rule->mean_over_ns / 1e9);
	s->stretch++;
}

/* A row tells of the time up to it, so that one at the end of a stretch belongs to it. */
static u64 stretch_of(double time_s, u64 length_ns)
{
	double stretches = time_s * 1e9 / (double)length_ns - 1e-6;
	return stretches > 0 && stretches < 1e15 ? (u64)stretches : 0;
}

static void put_in_stretch(struct weir_time_sum *s)
{
	u64 length_ns = s->rule->mean_over_ns, stretch = stretch_of(s->time_s, length_ns);

	for (u32 i = 0; s->stretch < stretch && i < 2; i++)
		settle_stretch(s);
	s->stretch = stretch;
	for (u32 k = 0; k < WEIR_TIME_ROLES; k++) {
		if (!s->has[k])
			continue;
		bool later = k == WEIR_TIME_BESIDE &&
			     stretch_of(s->time_s + (double)s->rule->lag_ns / 1e9, length_ns) > stretch;
		struct weir_time_stretch *to = later ? &s->next : &s->now;
		to->n[k]++;
		to->sum[k] += s->value[k];
	}
}

static void put(struct weir_time_sum *s)
{
	if (!s->pending)
		return;
	s->pending = false;
	if (s->rule && s->rule->mean_over_ns) {
		put_in_stretch(s);
	} else {
		for (u32 k = 0; k < WEIR_TIME_ROLES; k++) {
			s->now.n[k] = s->has[k];
			s->now.sum[k] = s->value[k];
		}
		settle(s, s->time_s);
	}
	memset(s->has, 0, sizeof s->has);
}

void weir_time_take(struct weir_time_sum *s, enum weir_time_role role, double time_s, double value)
{
	if (s->pending && (s->time_s < time_s || s->time_s > time_s))
		put(s);
	s->value[role] = s->has[role] ? s->value[role] + value : value;
	s->has[role] = true;
	s->time_s = time_s;
	s->pending = true;
}

/* The last stretch is one only when it has its whole length. */
void weir_time_end(struct weir_time_sum *s)
{
	put(s);
	if (s->rule && s->rule->mean_over_ns &&
	    s->time_s * 1e9 >= ((double)s->stretch + 1) * (double)s->rule->mean_over_ns * (1 - 1e-9))
		settle_stretch(s);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Linear between neighbours. */
static double quantile(struct weir_time_sum *s)
{
	qsort(s->sample, s->n, sizeof *s->sample, by_size);
	double at = s->rule->quantile * (double)(s->n - 1);
	u64 below = (u64)at, above = below + 1 < s->n ? below + 1 : below;
	return s->sample[below] + (at - (double)below) * (s->sample[above] - s->sample[below]);
}

double weir_time_value(struct weir_time_sum *s)
{
	if (s->n == 0 || s->no_memory)
		return WEIR_NAN;
	switch (s->rule ? s->rule->over : WEIR_TIME_MEAN) {
	case WEIR_TIME_MIN:
		return s->min;
	case WEIR_TIME_MAX:
		return s->max;
	case WEIR_TIME_VARIATION:
		return s->mean > 0 || s->mean < 0 ? sqrt(s->squares / (double)s->n) / s->mean : WEIR_NAN;
	case WEIR_TIME_QUANTILE:
		return quantile(s);
	default:
		return s->total / (double)s->n;
	}
}

void weir_time_reset(struct weir_time_sum *s)
{
	free(s->sample);
	*s = (struct weir_time_sum){.rule = s->rule};
}

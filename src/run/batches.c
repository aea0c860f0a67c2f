/* SPDX-License-Identifier: MIT */
#include "run/batches.h"

#include "core/stats.h"

#include <math.h>
#include <stdlib.h>

/* The rows with from < time <= to: [*first, *end). */
static void find(const struct weir_batch_request *q, double from_s, double to_s, u64 *first, u64 *end)
{
	u64 i = *end; /* batches come in order */
	while (i < q->n && q->row[i].time_s <= from_s)
		i++;
	*first = i;
	while (i < q->n && q->row[i].time_s <= to_s)
		i++;
	*end = i;
}

/* Each row stands for the time since the one before it, as far as that lies in the batch. */
static double mean_of(const struct weir_batch_request *q, u64 first, u64 end, double from_s)
{
	double sum = 0, time_s = 0, since_s = from_s;
	for (u64 i = first; i < end; i++) {
		double length_s = q->row[i].time_s - since_s;
		sum += q->row[i].value * length_s;
		time_s += length_s;
		since_s = q->row[i].time_s;
	}
	return sum / time_s;
}

static double median_of(const struct weir_batch_request *q, u64 first, u64 end, double *room)
{
	for (u64 i = first; i < end; i++)
		room[i - first] = q->row[i].value;
	return weir_median(room, end - first);
}

/* One number a batch. False where one has too few rows. */
static bool cut(const struct weir_batch_request *q, u32 batches, double *room, double *out)
{
	double length_s = (q->end_s - q->from_s) / batches;
	u64 first = 0, end = 0;
	for (u32 i = 0; i < batches; i++) {
		double from_s = q->from_s + i * length_s;
		find(q, from_s, i + 1 == batches ? q->end_s : from_s + length_s, &first, &end);
		if (end - first < WEIR_BATCH_ROWS)
			return false;
		out[i] = q->median ? median_of(q, first, end, room) : mean_of(q, first, end, from_s);
		if (!isfinite(out[i]))
			return false;
	}
	return true;
}

static double correlation(const double *x, u32 n, double mean)
{
	double of_neighbours = 0, all = 0;
	for (u32 i = 0; i < n; i++) {
		all += (x[i] - mean) * (x[i] - mean);
		of_neighbours += i ? (x[i] - mean) * (x[i - 1] - mean) : 0;
	}
	/* Equal up to the last digits: nothing is correlated but rounding. */
	return all > n * 1e-24 * mean * mean ? of_neighbours / all : 0;
}

static bool choose(const struct weir_batch_request *q, double *room, double *standard_error, u32 *freedom)
{
	double x[WEIR_BATCHES_MOST];
	for (u32 n = WEIR_BATCHES_MOST; n >= WEIR_BATCHES_LEAST; n /= 2) {
		if ((q->end_s - q->from_s) / n < WEIR_BATCH_RTTS * q->rtt_s || !cut(q, n, room, x))
			continue;
		struct weir_stats s = {0};
		for (u32 i = 0; i < n; i++)
			weir_stats_add(&s, x[i]);
		if (n > WEIR_BATCHES_LEAST && correlation(x, n, s.mean) > 0)
			continue;
		*standard_error = sqrt(weir_stats_variance(&s) / n);
		*freedom = n - 1;
		return isfinite(*standard_error);
	}
	return false;
}

bool weir_batches(const struct weir_batch_request *q, double *standard_error, u32 *freedom)
{
	if (!(q->end_s > q->from_s) || q->n < (u64)WEIR_BATCHES_LEAST * WEIR_BATCH_ROWS)
		return false;
	double *room = malloc(q->n * sizeof *room);
	bool found = room && choose(q, room, standard_error, freedom);
	free(room);
	return found;
}

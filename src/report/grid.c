/* SPDX-License-Identifier: MIT */
#include "decimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A hole of this many usual distances is taken for an absence. */
#define HOLE 6.0

/* How many times of the series the grid lacks. */
static u32 lacking(const struct weir_grid *g, const struct weir_point *point, u32 n)
{
	u32 row = 0, lack = 0;
	for (u32 i = 0; i < n; i++) {
		if (i && point[i].t_s == point[i - 1].t_s)
			continue;
		while (row < g->rows && g->t_s[row] < point[i].t_s)
			row++;
		if (row == g->rows || g->t_s[row] != point[i].t_s)
			lack++;
	}
	return lack;
}

static void merge(const struct weir_grid *g, const struct weir_point *point, u32 n, double *out)
{
	u32 row = 0, i = 0, k = 0;
	while (row < g->rows || i < n) {
		double t =
		    i == n || (row < g->rows && g->t_s[row] <= point[i].t_s) ? g->t_s[row] : point[i].t_s;
		while (row < g->rows && g->t_s[row] == t)
			row++;
		while (i < n && point[i].t_s == t)
			i++;
		out[k++] = t;
	}
}

int weir_grid_add(struct weir_grid *g, const struct weir_point *point, u32 n, u32 max_rows)
{
	u32 lack = g->rows > max_rows ? 0 : lacking(g, point, n);
	if (g->rows == 0 && n) {
		g->start_s = point[0].t_s;
		g->width_s = 0;
	}
	/* Until settled, start and width are the whole span. */
	if (n) {
		double end = fmax(g->start_s + g->width_s, point[n - 1].t_s);
		g->start_s = fmin(g->start_s, point[0].t_s);
		g->width_s = end - g->start_s;
	}
	if (!lack)
		return 0;
	double *merged = malloc((g->rows + (size_t)lack) * sizeof *merged);
	if (!merged)
		return -1;
	merge(g, point, n, merged);
	free(g->t_s);
	g->t_s = merged;
	g->rows += lack;
	return 0;
}

int weir_grid_settle(struct weir_grid *g, u32 max_rows)
{
	g->exact = g->rows <= max_rows;
	if (g->exact)
		return 0;
	u32 buckets = max_rows / 2;
	double *t = malloc(2 * (size_t)buckets * sizeof *t);
	if (!t)
		return -1;
	g->width_s /= buckets;
	for (u32 i = 0; i < buckets; i++) {
		t[2 * i] = g->start_s + g->width_s * (i + 0.25);
		t[2 * i + 1] = g->start_s + g->width_s * (i + 0.75);
	}
	free(g->t_s);
	g->t_s = t;
	g->rows = 2 * buckets;
	return 0;
}

static void put(struct weir_cell *cell, double value)
{
	cell->state = isnan(value) ? WEIR_CELL_GAP : WEIR_CELL_VALUE;
	cell->value = isnan(value) ? 0 : value;
}

static void place_exact(const struct weir_grid *g, const struct weir_point *point, u32 n,
			struct weir_cell *cell)
{
	u32 row = 0;
	for (u32 i = 0; i < n; i++) {
		while (row < g->rows && g->t_s[row] < point[i].t_s)
			row++;
		if (row < g->rows)
			put(&cell[row], point[i].value);
	}
}

/* The points of one stretch into its two cells. */
static void place_stretch(const struct weir_point *point, u32 n, bool means, struct weir_cell cell[2])
{
	u32 low = n, high = n, known = 0;
	double sum = 0;
	for (u32 i = 0; i < n; i++) {
		if (isnan(point[i].value))
			continue;
		if (low == n || point[i].value < point[low].value)
			low = i;
		if (high == n || point[i].value > point[high].value)
			high = i;
		sum += point[i].value;
		known++;
	}
	if (known) {
		put(&cell[0], means ? sum / known : point[low < high ? low : high].value);
		put(&cell[1], means ? sum / known : point[low < high ? high : low].value);
	} else if (n) {
		put(&cell[0], (double)NAN);
	}
}

static void place_stretches(const struct weir_grid *g, const struct weir_point *point, u32 n, bool means,
			    struct weir_cell *cell)
{
	u32 from = 0, buckets = g->rows / 2;
	for (u32 bucket = 0; bucket < buckets; bucket++) {
		double end = g->start_s + g->width_s * (bucket + 1);
		u32 to = from;
		while (to < n && (point[to].t_s < end || bucket + 1 == buckets))
			to++;
		place_stretch(point + from, to - from, means, cell + 2 * (size_t)bucket);
		from = to;
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The usual distance of a series' points; 0 when unknown. */
static double usual_distance(const struct weir_point *point, u32 n)
{
	double distance[257];
	u32 step = n / 256 + 1, k = 0;
	for (u32 i = 1; i < n && k < 257; i += step)
		distance[k++] = point[i].t_s - point[i - 1].t_s;
	if (k < 3)
		return 0;
	qsort(distance, k, sizeof *distance, by_size);
	return distance[k / 2];
}

void weir_grid_place(const struct weir_grid *g, const struct weir_point *point, u32 n, bool means,
		     struct weir_cell *cell)
{
	memset(cell, 0, g->rows * sizeof *cell);
	if (g->exact)
		place_exact(g, point, n, cell);
	else
		place_stretches(g, point, n, means, cell);

	double usual = fmax(usual_distance(point, n), g->exact ? 0 : g->width_s);
	if (usual <= 0)
		return;
	u32 last = g->rows;
	for (u32 row = 0; row < g->rows; row++) {
		if (cell[row].state == WEIR_CELL_NONE)
			continue;
		if (last < g->rows && row - last > 1 && g->t_s[row] - g->t_s[last] > HOLE * usual)
			cell[last + 1].state = WEIR_CELL_GAP;
		last = row;
	}
}

void weir_grid_free(struct weir_grid *g)
{
	free(g->t_s);
	*g = (struct weir_grid){0};
}

/* SPDX-License-Identifier: MIT */
/* series.csv as the report reads it, then everything that is drawn from it. */
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

/* Thinned or not, a series stays in order, within its bounds, and keeps its extremes. */
static void thin(const struct weir_track *t)
{
	struct weir_point *copy = calloc(t->n + 1, sizeof *copy);
	double high = -HUGE_VAL, left = -HUGE_VAL;
	for (u32 i = 0; copy && i < t->n; i++) {
		copy[i] = t->point[i];
		high = fmax(high, copy[i].value);
	}
	u32 n = copy ? weir_decimate(copy, t->n, 5) : 0;
	for (u32 i = 0; i < n; i++) {
		left = fmax(left, copy[i].value);
		must(i == 0 || copy[i].t_s >= copy[i - 1].t_s);
	}
	must(!copy || left == high);
	free(copy);
}

static void draw(const struct weir_tracks *t, u32 max_rows)
{
	struct weir_charts all = {.end_s = 1};
	struct weir_line line = {.label = "x"};
	struct weir_chart chart = {.title = "x", .unit = "", .line = &line, .n_lines = 1};
	char *text = NULL;
	size_t bytes;
	for (u32 i = 0; i < t->n; i++)
		must(!weir_grid_add(&all.grid, t->track[i].point, t->track[i].n, max_rows));
	must(!weir_grid_settle(&all.grid, max_rows));
	line.cell = calloc(all.grid.rows + 1, sizeof *line.cell);
	must(line.cell != NULL);
	FILE *to = open_memstream(&text, &bytes);
	must(to != NULL);
	for (u32 i = 0; i < t->n && i < 8; i++) {
		chart.from_zero = chart.smooth = i % 2;
		all.smooth_s = .1;
		weir_grid_place(&all.grid, t->track[i].point, t->track[i].n, t->track[i].mean, line.cell);
		weir_svg_chart(to, &chart, &all);
	}
	fclose(to);
	must(text && !strstr(text, "nan") && !strstr(text, "inf"));
	free(text);
	free(line.cell);
	weir_grid_free(&all.grid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct weir_diag d;
	struct weir_tracks t = {0};
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	if (!f)
		return 0;
	d = (struct weir_diag){0};
	int failed = weir_tracks_read(f, &t, &d);
	fclose(f);
	must(!failed == !d.n);
	if (!failed) {
		for (u32 i = 0; i < t.n; i++)
			thin(&t.track[i]);
		draw(&t, 1000);
		draw(&t, 10);
	}
	weir_tracks_free(&t);
	return 0;
}

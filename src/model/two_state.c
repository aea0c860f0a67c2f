/* SPDX-License-Identifier: MIT */
/* The window alone is not enough for eq. 5, which measures the gap from the window at the last loss. With
 * both as the state, what happens between two losses hangs only on the window m at the first of them: from
 * w_0(m) up to m with the lambda of eq. 5, then on with lambda_min, the same for all m. So the chain of the m
 * is solved, and what passes m is kept in one stream for all. */
#include "law.h"

#include <errno.h>
#include <stdlib.h>

#define CELLS_MAX 4096 /* beyond, a cell stands for several windows */
#define PASSES_MAX 10000
#define SETTLED 1e-12
#define UNREACHED 80.0 /* expected losses on the way: nobody gets there */

struct grid {
	const struct weir_model_config *c;
	u32 n;		/* cells */
	double step;	/* packets a cell */
	double lowest;	/* window of cell 0 */
	double errors;	/* R */
	double bdp;	/* packets */
	u32 *start;	/* of each m: the cell of w_0 */
	size_t *row;	/* of each m: where its row of `lost` begins; its cells are start ... m - 1 */
	double *lost;	/* probability that the epoch of m ends in that cell */
	double *arrive; /* of each m: that it gets as far as m again */
	double *time_rtts, *carried; /* expected, of the way to m */
	double *passes;		     /* scratch: survival at each cell of a row */
};

static double window_of(const struct grid *g, u32 cell)
{
	return g->lowest + g->step * cell;
}

/* One cell's part of an epoch. */
struct cell {
	double loss, time_rtts, carried;
};

static struct cell cell_of(const struct grid *g, u32 cell, double lambda)
{
	bool top = cell + 1 == g->n;
	double cycles = top ? 1 : g->step, w = window_of(g, cell) + (cycles - 1) / 2;
	double sent = g->c->exposure == WEIR_MODEL_CYCLE ? w / lambda : w;

	return (struct cell){
	    .loss = top ? 1 : weir_model_loss_probability(g->c->loss, g->errors * sent * cycles),
	    .time_rtts = cycles / lambda,
	    .carried = cycles / lambda * weir_model_carried(g->c, w, g->bdp),
	};
}

/* Below m. Row and scratch are filled; `time` of each cell, where wanted, gets m's share of it. */
static void walk_row(struct grid *g, u32 m, double weight, double *time)
{
	double full = window_of(g, m), whole = full - window_of(g, g->start[m]), survives = 1;

	g->time_rtts[m] = g->carried[m] = 0;
	for (u32 k = g->start[m]; k < m; k++) {
		double lambda = weir_model_lambda(g->c, full - window_of(g, k), whole);
		struct cell cell = cell_of(g, k, lambda);
		g->passes[k] = survives;
		g->time_rtts[m] += survives * cell.time_rtts;
		g->carried[m] += survives * cell.carried;
		if (time)
			time[k] += weight * survives * cell.time_rtts;
		double lost = survives * cell.loss;
		g->lost[g->row[m] + k - g->start[m]] = lost;
		survives -= lost;
	}
	g->arrive[m] = survives;
}

/* ---- the grid ---- */

/* W, or a window that errors let nobody reach: from anywhere below it at least the way from beta of it leads
 * there. */
static double top_of(const struct weir_model_config *c, double errors)
{
	double full = (double)weir_model_window_packets(c), share = c->beta < .5 ? .5 : c->beta;
	double fastest = c->exposure == WEIR_MODEL_CYCLE ? c->lambda_max : 1;

	if (c->loss == WEIR_MODEL_ONE || !(errors > 0))
		return full;
	double limit = weir_sqrt(2 * UNREACHED * fastest / (errors * (1 - share * share)));
	double least = (double)c->min_window_packets + 64;
	limit = weir_model_ceil(limit > least ? limit : least);
	return limit < full ? limit : full;
}

static void find_starts(struct grid *g)
{
	size_t at = 0;

	for (u32 m = 0; m < g->n; m++) {
		double w0 = (double)weir_model_share(g->c->beta, (u64)window_of(g, m));
		double cell = (w0 - g->lowest) / g->step + .5;
		g->start[m] = cell < 0 ? 0 : (u32)cell;
		if (g->start[m] >= m)
			g->start[m] = m ? m - 1 : 0;
		g->row[m] = at;
		at += m - g->start[m];
	}
}

static int grid_init(struct grid *g, const struct weir_model_config *c)
{
	*g = (struct grid){.c = c, .errors = weir_model_packet_errors(c), .bdp = weir_model_bdp_packets(c)};
	double top = top_of(c, g->errors), span = top - (double)c->min_window_packets;
	g->step = weir_model_ceil((span + 1) / CELLS_MAX);
	g->n = (u32)(span / g->step) + 1;
	g->lowest = top - g->step * (g->n - 1);
	g->start = malloc(g->n * sizeof *g->start);
	g->row = malloc(g->n * sizeof *g->row);
	g->arrive = malloc(g->n * sizeof *g->arrive);
	g->time_rtts = malloc(g->n * sizeof *g->time_rtts);
	g->carried = malloc(g->n * sizeof *g->carried);
	g->passes = malloc(g->n * sizeof *g->passes);
	if (!g->start || !g->row || !g->arrive || !g->time_rtts || !g->carried || !g->passes)
		return -1;
	find_starts(g);
	g->lost = malloc((g->row[g->n - 1] + g->n) * sizeof *g->lost);
	if (!g->lost)
		return -1;
	for (u32 m = 0; m < g->n; m++)
		walk_row(g, m, 0, NULL);
	return 0;
}

static void grid_free(struct grid *g)
{
	free(g->start);
	free(g->row);
	free(g->lost);
	free(g->arrive);
	free(g->time_rtts);
	free(g->carried);
	free(g->passes);
}

/* ---- the law of m ---- */

/* From the law of one loss to that of the next; both sum to 1. */
static void pass(const struct grid *g, const double *law, double *next)
{
	double stream = 0;

	for (u32 k = 0; k < g->n; k++) {
		stream += law[k] * g->arrive[k];
		next[k] = stream * cell_of(g, k, g->c->lambda_min).loss;
		stream -= next[k];
	}
	for (u32 m = 0; m < g->n; m++) {
		if (law[m] < 1e-40)
			continue;
		const double *lost = &g->lost[g->row[m]];
		double *to = &next[g->start[m]];
		u32 n = m - g->start[m];
		for (u32 i = 0; i < n; i++)
			to[i] += law[m] * lost[i];
	}
}

static u64 solve(const struct grid *g, double *law, double *next)
{
	u64 passes = 0;
	double moved = 1;

	for (u32 k = 0; k < g->n; k++)
		law[k] = 0;
	law[g->n - 1] = 1;
	while (moved > SETTLED && passes < PASSES_MAX) {
		double sum = 0;
		moved = 0;
		pass(g, law, next);
		for (u32 k = 0; k < g->n; k++)
			sum += next[k];
		for (u32 k = 0; k < g->n; k++) {
			double x = next[k] / sum;
			moved += x > law[k] ? x - law[k] : law[k] - x;
			law[k] = x;
		}
		passes++;
	}
	return passes;
}

static void average(const struct grid *g, const double *law, struct weir_model_result *out)
{
	double stream = 0, time_rtts = 0, carried = 0;

	for (u32 k = 0; k < g->n; k++) {
		struct cell cell = cell_of(g, k, g->c->lambda_min);
		stream += law[k] * g->arrive[k];
		time_rtts += law[k] * g->time_rtts[k] + stream * cell.time_rtts;
		carried += law[k] * g->carried[k] + stream * cell.carried;
		stream -= stream * cell.loss;
	}
	out->mean_window_packets = carried / time_rtts;
	out->epoch_rtts = time_rtts;
}

/* Visits and time of each window, whatever the window at the last loss. */
static int keep(struct grid *g, const double *law, struct weir_model_result *out)
{
	double *visits = calloc(g->n, sizeof *visits), *time = calloc(g->n, sizeof *time);
	double stream = 0, all_visits = 0, all_time = 0;

	out->n = g->n;
	out->first_packets = (u64)g->lowest;
	out->step_packets = (u64)g->step;
	out->probability = visits;
	out->time_share = time;
	if (!visits || !time)
		return -1;
	for (u32 m = 0; m < g->n; m++) {
		walk_row(g, m, law[m], time);
		for (u32 k = g->start[m]; k < m; k++)
			visits[k] += law[m] * g->passes[k];
	}
	for (u32 k = 0; k < g->n; k++) {
		struct cell cell = cell_of(g, k, g->c->lambda_min);
		stream += law[k] * g->arrive[k];
		visits[k] += stream;
		time[k] += stream * cell.time_rtts;
		stream -= stream * cell.loss;
		all_visits += visits[k];
		all_time += time[k];
	}
	for (u32 k = 0; k < g->n; k++) {
		visits[k] /= all_visits;
		time[k] /= all_time;
	}
	return 0;
}

int weir_model_two_state(const struct weir_model_config *c, bool distribution, struct weir_model_result *out)
{
	struct grid g;
	int rc = grid_init(&g, c);
	double *law = rc == 0 ? malloc(g.n * sizeof *law) : NULL;
	double *next = rc == 0 ? malloc(g.n * sizeof *next) : NULL;

	rc = law && next ? 0 : -1;
	if (rc == 0) {
		out->iterations = solve(&g, law, next);
		out->step_packets = (u64)g.step;
		average(&g, law, out);
	}
	if (rc == 0 && distribution)
		rc = keep(&g, law, out);
	free(law);
	free(next);
	grid_free(&g);
	errno = rc == 0 ? 0 : ENOMEM;
	return rc;
}

/* SPDX-License-Identifier: MIT */
/* What the paper drew: sequence numbers and series over time, of the first seed at the points that an
 * experiment's `figures` name, made by runs of their own after those of the claims, simulations only; numbers
 * over an axis, from the runs of the claims; and what the model says without any run. */
#ifndef WEIR_RUN_EXPERIMENT_FIGURES_H
#define WEIR_RUN_EXPERIMENT_FIGURES_H

#include "model/tune.h"
#include "record/sends.h"
#include "run/experiment.h"

#define WEIR_FIGURES_MAX 24
#define WEIR_FIGURE_LINES_MAX 12
#define WEIR_FIGURE_FLOWS_MAX 12 /* in a figure of sequence numbers */
#define WEIR_FIGURE_SENT "sent_bps"
#define WEIR_FIGURE_POINTS_MAX 20000 /* of a line; what lies beyond is left out */

enum weir_figure_kind {
	WEIR_FIGURE_SEQUENCE,	/* each packet of the flows at one point */
	WEIR_FIGURE_LINES,	/* series */
	WEIR_FIGURE_CURVES,	/* numbers over an axis */
	WEIR_FIGURE_TUNING,	/* the model over beta and lambda_max */
	WEIR_FIGURE_ITERATIONS, /* the literal reading over its iterations */
	WEIR_FIGURE_GRID,	/* a number over two axes */
	WEIR_FIGURE_SPECTRUM,	/* in the file only: lines with `spectrum` */
};
struct weir_figure_line {
	const char *label, *series;	      /* FLOW.SIGNAL, or PART*.SIGNAL: the sum */
	u32 choice[WEIR_EXPERIMENT_MAX_AXES]; /* one value of each axis */
	u32 claim;			      /* of curves: whose numbers, a weir_claim with `curve` */
	const char *beside; /* of curves: the label of the line that it belongs to, or NULL */
	bool running;	    /* of iterations: the running eq. 33 instead of the mean window */
};
struct weir_figure {
	enum weir_figure_kind kind;
	const char *title, *where, *unit; /* where: in the paper; unit: of the lines */
	const char *note;		  /* what there is to see; NULL for none */
	bool log;			  /* the vertical axis by powers of ten */
	bool spectrum;			  /* of lines: what they hold at each frequency */
	double divide_by;
	u64 mean_over_ns;   /* each point stands for so long; 0: as sampled */
	u64 from_ns, to_ns; /* what is drawn */
	u64 sample_ns;	    /* of the series of its run; 0: the scenario's */
	u32 n_lines;
	struct weir_figure_line *line;	      /* NULL for sequence numbers */
	u32 choice[WEIR_EXPERIMENT_MAX_AXES]; /* of sequence numbers, tuning and grids: the point */
	u32 over;			      /* of curves: the axis */
	/* of tuning */
	enum weir_model_reading reading;
	double tolerance;
	struct weir_model_grid grid;
	/* of grids: two axes, and whose numbers, a weir_claim with `curve` */
	u32 rows, columns, claim;
	bool less_is_better, none_is_best;
};

struct weir_figure_point {
	double time_s, value; /* of a spectrum Hz and amplitude */
};
struct weir_figure_trace {
	struct weir_figure_point *point;
	u32 n, room;
};
struct weir_figure_flow {
	char name[96];
	u32 mss_bytes;
};
struct weir_figure_result {
	struct weir_figure_trace *trace; /* n_lines of them */
	struct weir_sends sends;
	u32 n_flows; /* that sends has; the numbers are theirs */
	struct weir_figure_flow flow[WEIR_FIGURE_FLOWS_MAX];
	/* of tuning */
	double *matrix; /* [beta][lambda_max] */
	u32 *best;	/* [beta], as weir_model_optimum gives it */
	double *eq36;	/* [beta] */
};

/* experiment_figures_model.c: those of the model at the point that has these values of the axes. 0, or -1
 * with a sentence. */
int weir_figures_of_model(const struct weir_experiment *e, const struct weir_registry *registry,
			  const struct weir_scenario *scenario, const u32 *choice,
			  struct weir_figure_result *figures, char why[512]);

/* experiment_spectrum.c: makes spectra of the lines that want it. 0, or -1 when out of memory. */
int weir_figures_transform(const struct weir_experiment *e, struct weir_figure_result *figures);

/* Runs each point once. 0; -1 with a sentence ("" for an interrupt). *out, e->n_figures of them, is to be
 * freed in any case. */
int weir_figures_make(const struct weir_experiment_run *run, struct weir_figure_result **out, char why[512]);
void weir_figures_free(const struct weir_experiment *e, struct weir_figure_result *figures);

#endif

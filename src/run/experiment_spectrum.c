/* SPDX-License-Identifier: MIT */
/* Figures of the kind `spectrum`: lines over time become amplitudes over frequency. */
#include "pilot/spectrum.h"
#include "run/experiment_figures.h"

#include <stdlib.h>

#define LOW_HZ 1.
#define HIGH_HZ 15.

struct transform {
	struct weir_spectrum_frame frame;
	struct weir_spectrum series;
};

/* In place: there are fewer bins than samples. */
static void transform(struct transform *x, struct weir_figure_trace *t, u64 span_ns)
{
	u32 n = t->n < WEIR_SPECTRUM_SAMPLES_MAX ? t->n : WEIR_SPECTRUM_SAMPLES_MAX;
	double apart_s = n > 1 ? (t->point[t->n - 1].time_s - t->point[0].time_s) / (t->n - 1) : 0;

	if (!(apart_s > 0)) {
		t->n = 0;
		return;
	}
	/* [from, to] holds both its ends, a period only one of them */
	double fit = (double)span_ns / 1e9 / apart_s + .5;
	n = fit < n ? (u32)fit : n;
	weir_spectrum_frame_init(&x->frame, n, (u64)(apart_s * 1e9 + .5), LOW_HZ, HIGH_HZ);
	weir_spectrum_clear(&x->series);
	for (u32 i = t->n - n; i < t->n; i++) {
		weir_spectrum_put(&x->series, &x->frame, t->point[i].value);
		weir_spectrum_frame_advance(&x->frame);
	}
	t->n = x->frame.bins < n ? x->frame.bins : n;
	for (u32 k = 0; k < t->n; k++)
		t->point[k] =
		    (struct weir_figure_point){.time_s = (x->frame.first_bin + k) / x->frame.span_s,
					       .value = weir_spectrum_amplitude(&x->series, &x->frame, k)};
}

int weir_figures_transform(const struct weir_experiment *e, struct weir_figure_result *figures)
{
	struct transform *x = calloc(1, sizeof *x);

	for (u32 i = 0; x && i < e->n_figures; i++) {
		const struct weir_figure *f = &e->figures[i];
		for (u32 k = 0; f->spectrum && k < f->n_lines; k++)
			transform(x, &figures[i].trace[k], f->to_ns - f->from_ns);
	}
	free(x);
	return x ? 0 : -1;
}

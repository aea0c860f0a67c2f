/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include "core/exit_code.h"
#include "report/overlay.h"

#include <math.h>
#include <stdlib.h>

static double or_nan(bool known, double x)
{
	return known ? x : (double)NAN;
}

static void take_interval(double out[2], const struct weir_compare_interval *ci)
{
	out[0] = or_nan(ci->freedom, ci->low);
	out[1] = or_nan(ci->freedom, ci->high);
}

static struct weir_overlay_row row_of(const struct weir_compare_row *r)
{
	struct weir_overlay_row out = {
	    .run = r->run ? r->run : "",
	    .kind = r->kind,
	    .name = r->name,
	    .metric = r->metric,
	    .value = {or_nan(r->a.known, r->a.value), or_nan(r->b.known, r->b.value)},
	    .difference = or_nan(r->a.known && r->b.known, r->difference),
	    .largest_difference = or_nan(*r->metric, r->largest_difference),
	    .verdict = weir_compare_words[r->verdict],
	    .unsure = r->unsure};
	take_interval(out.ci95[0], &r->a.ci);
	take_interval(out.ci95[1], &r->b.ci);
	take_interval(out.difference_ci95, &r->ci);
	return out;
}

int weir_compare_page(const char *path, const struct weir_compare_job *job, struct weir_diag *d)
{
	const struct weir_comparison *c = &job->result;
	struct weir_overlay_row *row = calloc(c->n + 1U, sizeof *row);
	struct weir_overlay_pair *pair = calloc(job->n_pairs + 1U, sizeof *pair);
	const char *note[WEIR_COMPARE_NOTES];
	char limits[160];
	int code = WEIR_EXIT_FAILED;

	for (u32 i = 0; row && i < c->n; i++)
		row[i] = row_of(&c->row[i]);
	for (u32 i = 0; pair && i < job->n_pairs; i++)
		pair[i] = (struct weir_overlay_pair){
		    job->pair[i].first->label ? job->pair[i].first->label : "",
		    {job->pair[i].first->directory, job->pair[i].second->directory}};
	for (u32 i = 0; i < c->n_notes; i++)
		note[i] = c->note[i];
	snprintf(limits, sizeof limits,
		 "The limits: goodput within %.4g %%, median queue delay within %.4g %% or %.4g ms.",
		 100 * job->limits.goodput_fraction, 100 * job->limits.delay_fraction, job->limits.delay_ms);
	struct weir_overlay o = {.operand = {job->operand[0], job->operand[1]},
				 .verdict = weir_comparison_verdict(c),
				 .limits = limits,
				 .outside = c->outside,
				 .noise = c->noise,
				 .unsure = c->unsure,
				 .pair = pair,
				 .n_pairs = job->n_pairs,
				 .row = row,
				 .n_rows = c->n,
				 .note = note,
				 .n_notes = c->n_notes};
	if (row && pair)
		code = weir_report_overlay(path, &o, d);
	else
		weir_diag_add(d, 0, 0, "out of memory");
	free(row);
	free(pair);
	return code;
}

/* SPDX-License-Identifier: MIT */
#include "facts.h"
#include "html.h"
#include "sections.h"
#include "theme.h"

#include <math.h>

static void quantity(FILE *to, enum weir_dimension dimension, double value)
{
	char text[WEIR_PRETTY_MAX];
	fprintf(to, "<b>%s</b>", weir_pretty(text, dimension, value));
}

static const char *share_words(double jain)
{
	return jain >= .98  ? "nearly equal"
	       : jain >= .9 ? "somewhat uneven"
	       : jain >= .7 ? "uneven"
			    : "very uneven";
}

static void subject(FILE *to, const struct weir_facts *f)
{
	const char *name = weir_get_text(f->only_flow, "name", NULL);
	if (name)
		weir_html_name(to, name);
	else
		fprintf(to, "%u flows", f->flows);
	fprintf(to, name ? " delivered " : " together delivered ");
	quantity(to, WEIR_RATE, f->goodput_bps);
	double use = weir_get_number(f->link, "utilization");
	const char *link = weir_get_text(f->link, "name", NULL);
	if (link && !isnan(use)) {
		fputs(" and used ", to);
		quantity(to, WEIR_SHARE, use);
		fputs(" of the capacity of ", to);
		weir_html_name(to, link);
	}
	if (f->simulated_s > 0) {
		fputs(" over ", to);
		quantity(to, WEIR_TIME, f->simulated_s * 1e3);
	}
}

static void one_run(FILE *to, const struct weir_facts *f)
{
	if (f->flows == 0) {
		fputs("No flow was there.", to);
		return;
	}
	subject(to, f);
	const char *mark = "; ";
	if (f->delay) {
		fputs("; packets waited in its queue for ", to);
		quantity(to, WEIR_TIME, weir_get_number(f->delay, "p50"));
		fputs(" at the median (95th percentile ", to);
		quantity(to, WEIR_TIME, weir_get_number(f->delay, "p95"));
		fputs(")", to);
		mark = ", ";
	}
	if (f->loss_fraction == 0) {
		fprintf(to, "%sno packet was lost", mark);
		mark = ", ";
	} else if (!isnan(f->loss_fraction)) {
		fputs(mark, to);
		quantity(to, WEIR_SHARE, f->loss_fraction);
		fputs(" of the packets were lost", to);
		mark = ", ";
	}
	if (!isnan(f->age_mean_ms)) {
		fprintf(to, "%sthe newest value at the receiver was ", mark);
		quantity(to, WEIR_TIME, f->age_mean_ms);
		fputs(" old in the mean", to);
		mark = ", ";
	}
	if (!isnan(f->jain)) {
		char text[WEIR_PRETTY_MAX];
		fprintf(to, "%sand the shares were <b>%s</b> (Jain index %s)", mark, share_words(f->jain),
			weir_digits(text, f->jain, 3));
	}
	fputs(".", to);
}

/* Name and value of the run where f(facts) is best; several that are as good are not named. */
static void best(FILE *to, const struct weir_report_data *data, const char *what,
		 enum weir_dimension dimension, double (*of)(const struct weir_facts *), bool largest)
{
	double best_value = (double)NAN, other = (double)NAN;
	const struct weir_run_data *winner = NULL;
	for (u32 i = 0; i < data->n_runs; i++) {
		struct weir_facts f;
		weir_facts_of(&data->run[i], &f);
		double x = of(&f);
		if (isnan(x))
			return;
		if (!winner || (largest ? x > best_value : x < best_value)) {
			best_value = x;
			winner = &data->run[i];
		}
		if (isnan(other) || (largest ? x < other : x > other))
			other = x;
	}
	if (!winner || best_value == other)
		return;
	fputs(" ", to);
	weir_html_name(to, winner->label);
	fprintf(to, " %s: ", what);
	quantity(to, dimension, best_value);
	char text[WEIR_PRETTY_MAX];
	fprintf(to, " (%s at the other end).", weir_pretty(text, dimension, other));
}

static double goodput_of(const struct weir_facts *f)
{
	return f->goodput_bps;
}

static double wait_of(const struct weir_facts *f)
{
	return f->delay ? weir_get_number(f->delay, "p50") : weir_get_number(f->rtt, "p50");
}

static double loss_of(const struct weir_facts *f)
{
	return f->loss_fraction;
}

static double age_of(const struct weir_facts *f)
{
	return f->age_mean_ms;
}

void weir_section_sentence(FILE *to, const struct weir_report_data *data)
{
	fputs("<p class=\"sentence\">", to);
	if (data->n_runs == 1) {
		struct weir_facts f;
		weir_facts_of(data->run, &f);
		one_run(to, &f);
	} else {
		fprintf(to, "%u runs side by side.", data->n_runs);
		best(to, data, "delivered the most", WEIR_RATE, goodput_of, true);
		best(to, data, "kept the median wait lowest", WEIR_TIME, wait_of, false);
		best(to, data, "lost the least", WEIR_SHARE, loss_of, false);
		best(to, data, "was the freshest", WEIR_TIME, age_of, false);
	}
	fputs("</p>\n", to);
}

static void note(FILE *to, const char *css_class, const char *label, const char *text)
{
	fprintf(to, "<p class=\"note %s\">", css_class);
	if (*label) {
		weir_html_name(to, label);
		fputs(": ", to);
	}
	weir_html_text(to, text);
	fputs("</p>\n", to);
}

void weir_section_notes(FILE *to, const struct weir_report_data *data, const struct weir_entities *e)
{
	char text[160];
	for (u32 i = 0; i < data->n_runs; i++) {
		const json_t *summary = data->run[i].summary;
		double warmup_s = weir_get_number(summary, "warmup_s");
		if (warmup_s > 0 && i == 0) {
			char length[WEIR_PRETTY_MAX];
			snprintf(text, sizeof text,
				 "The first %s warm up: shaded in the charts, left out of the numbers.",
				 weir_pretty(length, WEIR_TIME, warmup_s * 1e3));
			note(to, "plain", "", text);
		}
		double repeats = weir_get_number(summary, "repeats.n");
		if (repeats > 1) {
			snprintf(
			    text, sizeof text,
			    "Numbers are means of %.0f seeds, with 95 %% confidence intervals in the tables; "
			    "charts show the first seed.",
			    repeats);
			note(to, "plain", data->run[i].label, text);
		}
		if (json_is_true(json_object_get(summary, "interrupted")))
			note(to, "bad", data->run[i].label, "The run was interrupted: this is what it left.");
		const json_t *notes = json_object_get(summary, "notes");
		for (size_t k = 0; k < json_array_size(notes); k++) {
			const json_t *x = json_array_get(notes, k);
			if (json_is_string(x))
				note(to, "plain", data->run[i].label, json_string_value(x));
		}
	}
	if (e->left_out) {
		snprintf(text, sizeof text,
			 "%u flows have no line of their own in the charts; the tables hold them.",
			 e->left_out);
		note(to, "plain", "", text);
	}
}

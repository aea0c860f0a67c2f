/* SPDX-License-Identifier: MIT */
#include "report.h"

#include "core/exit_code.h"
#include "html.h"
#include "page.h"
#include "sections.h"

#include <string.h>

struct report {
	const char *dir; /* NULL: of several */
	struct weir_report_data data;
	struct weir_entities entities;
	struct weir_charts charts;
};

static const char *title_of(const struct weir_report_data *data)
{
	const char *title = weir_get_text(data->run[0].summary, "title", "");
	if (!*title)
		title = weir_get_text(data->run[0].manifest, "title", "");
	return *title ? title : weir_get_text(data->run[0].summary, "scenario", "Weir report");
}

static const char *backends_of(const struct weir_report_data *data)
{
	bool simulated = false, emulated = false;
	for (u32 i = 0; i < data->n_runs; i++) {
		const char *backend = weir_get_text(data->run[i].summary, "backend", "");
		simulated = simulated || !strcmp(backend, "sim");
		emulated = emulated || !strcmp(backend, "emu");
	}
	return simulated && emulated ? "simulated and emulated"
	       : simulated	     ? "simulated"
	       : emulated	     ? "emulated"
				     : weir_get_text(data->run[0].summary, "backend", "");
}

static void header(FILE *to, const struct weir_report_data *data)
{
	const json_t *summary = data->run[0].summary;
	char text[WEIR_PRETTY_MAX];
	fputs("<header>\n<p class=\"kind\">", to);
	weir_html_name(to, weir_get_text(summary, "scenario", ""));
	fprintf(to, " \302\267 %s", backends_of(data));
	bool is_watched = !strcmp(weir_get_text(summary, "backend", ""), "kernel"); /* without a seed */
	if (data->n_runs == 1 && !is_watched)
		fprintf(to, " \302\267 seed %s", weir_digits(text, weir_get_number(summary, "seed"), 15));
	fputs("</p>\n<h1>", to);
	weir_html_name(to, title_of(data));
	fputs("</h1>\n", to);
	weir_section_sentence(to, data);
	fputs("</header>\n", to);
}

static int fill(FILE *to, void *ctx)
{
	const struct report *r = ctx;
	weir_page_begin(to, title_of(&r->data), true);
	header(to, &r->data);
	weir_section_verdict(to, &r->data);
	weir_section_notes(to, &r->data, &r->entities);
	weir_section_figures(to, &r->data);
	weir_section_charts(to, &r->charts);
	if (r->dir)
		weir_section_sequence(to, r->dir, &r->data);
	fputs("<div class=\"figures\">\n", to);
	weir_section_scatter(to, &r->data, &r->entities);
	weir_section_distributions(to, &r->data, &r->entities);
	fputs("</div>\n", to);
	weir_section_tables(to, &r->data, &r->entities);
	weir_section_emulation(to, &r->data);
	weir_section_manifest(to, &r->data);
	if (weir_section_data(to, &r->charts, &r->entities))
		return -1;
	weir_page_end(to, true);
	return 0;
}

static int write_page(const char *path, struct report *r, struct weir_diag *d)
{
	snprintf(d->file, sizeof d->file, "%.250s", path);
	if (weir_entities_make(&r->data, &r->entities) ||
	    weir_charts_make(&r->data, &r->entities, &r->charts)) {
		weir_diag_add(d, 0, 0, "out of memory");
		return WEIR_EXIT_FAILED;
	}
	return weir_page_write(path, fill, r, d);
}

static void free_all(struct report *r)
{
	weir_charts_free(&r->charts);
	weir_entities_free(&r->entities);
	weir_report_unload(&r->data);
}

int weir_report_write(const char *dir, struct weir_diag *d)
{
	struct report r = {.dir = dir};
	char path[4096];
	int code = weir_report_load(dir, &r.data, d);
	if (code == WEIR_EXIT_OK && snprintf(path, sizeof path, "%s/report.html", dir) >= (int)sizeof path) {
		weir_diag_add(d, 0, 0, "the path is too long");
		code = WEIR_EXIT_USAGE;
	}
	if (code == WEIR_EXIT_OK)
		code = write_page(path, &r, d);
	free_all(&r);
	return code;
}

int weir_report_write_together(const char *const *dirs, u32 n, const char *path, struct weir_diag *d)
{
	struct report r = {0};
	int code = weir_report_load_together(dirs, n, &r.data, d);
	if (code == WEIR_EXIT_OK)
		code = write_page(path, &r, d);
	free_all(&r);
	return code;
}

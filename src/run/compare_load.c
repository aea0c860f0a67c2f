/* SPDX-License-Identifier: MIT */
#include "run/compare_load.h"

#include "core/exit_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RUNS_MAX 256

static int complain(struct weir_diag *d, const char *path, const char *what)
{
	snprintf(d->file, sizeof d->file, "%.250s", path);
	weir_diag_add(d, 0, 0, "%s", what);
	return WEIR_EXIT_USAGE;
}

static int load_series(struct weir_compared_run *run, struct weir_diag *d)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/series.csv", run->directory) >= (int)sizeof path)
		return complain(d, run->directory, "the name is too long");
	FILE *f = fopen(path, "r");
	if (!f && errno == ENOENT)
		return WEIR_EXIT_OK;
	if (!f)
		return complain(d, path, strerror(errno));
	snprintf(d->file, sizeof d->file, "%.250s", path);
	run->series = weir_compare_series_read(f, run->summary, d);
	fclose(f);
	return run->series ? WEIR_EXIT_OK : WEIR_EXIT_USAGE;
}

/* A file may name any place; only one below this directory is a run's. */
static bool is_plain(const char *name)
{
	return name && *name && *name != '.' && !strchr(name, '/');
}

static int take_run(struct weir_compared *c, const char *path, const char *directory, const json_t *summary,
		    struct weir_diag *d)
{
	struct weir_compared_run *run = &c->run[c->n];
	const char *schema = json_string_value(json_object_get(summary, "schema"));
	if (!schema || strcmp(schema, "weir.summary/1") != 0)
		return complain(d, path, "one of its runs is not a document weir.summary/1");
	run->summary = summary;
	int n = snprintf(run->directory, sizeof run->directory, "%s", directory);
	if (c->several) {
		const char *below = json_string_value(json_object_get(summary, "directory"));
		run->label = json_string_value(json_object_get(summary, "label"));
		if (!run->label || !is_plain(below))
			return complain(d, path, "one of its runs has no label or directory");
		n = snprintf(run->directory, sizeof run->directory, "%s/%s", directory, below);
	}
	if (n >= (int)sizeof run->directory)
		return complain(d, path, "the name is too long");
	c->n++;
	return load_series(run, d);
}

static int take_document(struct weir_compared *c, const char *path, const char *directory,
			 struct weir_diag *d)
{
	const char *schema = json_string_value(json_object_get(c->document, "schema"));
	const json_t *runs = json_object_get(c->document, "runs");
	char what[160];

	c->several = !strcmp(schema, "weir.run/1");
	if (!c->several && strcmp(schema, "weir.summary/1") != 0) {
		snprintf(what, sizeof what,
			 "schema is \"%.64s\", \"weir.summary/1\" or \"weir.run/1\" is expected", schema);
		return complain(d, path, what);
	}
	size_t n = c->several ? json_array_size(runs) : 1;
	if (n == 0 || n > RUNS_MAX) {
		snprintf(what, sizeof what, "it holds %zu runs; 1 to %d can be compared", n, RUNS_MAX);
		return complain(d, path, what);
	}
	c->run = calloc(n, sizeof *c->run);
	if (!c->run) {
		complain(d, path, "out of memory");
		return WEIR_EXIT_FAILED;
	}
	int code = WEIR_EXIT_OK;
	for (size_t i = 0; i < n && code == WEIR_EXIT_OK; i++)
		code = take_run(c, path, directory, c->several ? json_array_get(runs, i) : c->document, d);
	return code;
}

int weir_compared_load(const char *operand, struct weir_compared *c, struct weir_diag *d)
{
	char path[PATH_MAX], directory[PATH_MAX], error[WEIR_QUERY_ERROR_BYTES];
	struct stat st;
	bool folder = stat(operand, &st) == 0 && S_ISDIR(st.st_mode);

	*c = (struct weir_compared){0};
	if (snprintf(path, sizeof path, "%s%s", operand, folder ? "/summary.json" : "") >= (int)sizeof path)
		return complain(d, operand, "the name is too long");
	snprintf(directory, sizeof directory, "%s", path);
	char *slash = strrchr(directory, '/');
	if (slash)
		*slash = 0;
	else
		strcpy(directory, ".");
	c->document = weir_query_load(path, NULL, error);
	if (!c->document)
		return complain(d, path, error);
	return take_document(c, path, directory, d);
}

void weir_compared_free(struct weir_compared *c)
{
	for (u32 i = 0; i < c->n; i++)
		weir_compare_series_free(c->run[i].series);
	free(c->run);
	json_decref(c->document);
	*c = (struct weir_compared){0};
}

static u32 find_label(const struct weir_compared *c, const char *label)
{
	for (u32 i = 0; i < c->n; i++)
		if (!c->run[i].matched && weir_compare_same(c->run[i].label, label))
			return i;
	return WEIR_COMPARED_NONE;
}

static void labels(const struct weir_compared *c, char *text, size_t room)
{
	size_t used = 0;
	text[0] = 0;
	for (u32 i = 0; i < c->n && i < 4 && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%.40s", i ? "; " : "", c->run[i].label);
	if (c->n > 4 && used < room)
		snprintf(text + used, room - used, "; ...");
}

bool weir_compared_match(struct weir_compared *a, struct weir_compared *b, u32 *pair, char why[512])
{
	char of_a[200], of_b[200];
	u32 matched = 0;

	if (a->several != b->several) {
		snprintf(
		    why, 512,
		    "the %s holds several runs, the other a single one: name one of its run-* directories",
		    a->several ? "first" : "second");
		return false;
	}
	if (!a->several) {
		pair[0] = 0;
		return true;
	}
	for (u32 i = 0; i < a->n; i++) {
		pair[i] = find_label(b, a->run[i].label);
		if (pair[i] == WEIR_COMPARED_NONE)
			continue;
		matched++;
		b->run[pair[i]].matched = a->run[i].matched = true;
	}
	if (matched)
		return true;
	labels(a, of_a, sizeof of_a);
	labels(b, of_b, sizeof of_b);
	snprintf(why, 512, "no run of the first has the label of one of the second: %s against %s", of_a,
		 of_b);
	return false;
}

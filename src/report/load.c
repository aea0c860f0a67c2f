/* SPDX-License-Identifier: MIT */
#include "load.h"

#include "core/exit_code.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define JSON_MAX_BYTES (256L << 20)

const json_t *weir_get(const json_t *object, const char *path)
{
	while (object && *path) {
		size_t n = strcspn(path, ".");
		char key[64];
		if (n >= sizeof key)
			return NULL;
		memcpy(key, path, n);
		key[n] = 0;
		object = json_object_get(object, key);
		path += n + (path[n] == '.');
	}
	return object;
}

double weir_get_number(const json_t *object, const char *path)
{
	const json_t *x = weir_get(object, path);
	if (json_is_object(x))
		x = json_object_get(x, "mean");
	return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

bool weir_get_interval(const json_t *object, const char *path, double ci[2])
{
	const json_t *x = weir_get(weir_get(object, path), "ci95");
	for (size_t i = 0; i < 2; i++) {
		const json_t *end = json_array_get(x, i);
		if (!json_is_number(end))
			return false;
		ci[i] = json_number_value(end);
	}
	return true;
}

const char *weir_get_text(const json_t *object, const char *path, const char *otherwise)
{
	const json_t *x = weir_get(object, path);
	return json_is_string(x) ? json_string_value(x) : otherwise;
}

/* Opens dir/name for reading and makes it the file that messages name. */
static FILE *open_input(const char *dir, const char *name, struct weir_diag *d)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path) {
		weir_diag_add(d, 0, 0, "the path is too long");
		return NULL;
	}
	snprintf(d->file, sizeof d->file, "%s", path);
	FILE *f = fopen(path, "r");
	struct stat st;
	if (!f)
		weir_diag_add(d, 0, 0, "%s", strerror(errno));
	else if (fstat(fileno(f), &st) == 0 && !S_ISREG(st.st_mode))
		weir_diag_add(d, 0, 0, "not a regular file");
	else
		return f;
	if (f)
		fclose(f);
	return NULL;
}

static json_t *load_json(const char *dir, const char *name, struct weir_diag *d)
{
	FILE *f = open_input(dir, name, d);
	if (!f)
		return NULL;
	json_t *root = NULL;
	struct stat st;
	if (fstat(fileno(f), &st) == 0 && st.st_size > JSON_MAX_BYTES) {
		weir_diag_add(d, 0, 0, "larger than 256 MiB");
	} else {
		json_error_t e;
		root = json_loadf(f, JSON_REJECT_DUPLICATES, &e);
		if (!root)
			weir_diag_add(d, e.line > 0 ? (u32)e.line : 1, e.column > 0 ? (u32)e.column : 1, "%s",
				      e.text);
		else if (!json_is_object(root))
			weir_diag_add(d, 1, 1, "not a JSON object");
	}
	fclose(f);
	if (root && !json_is_object(root)) {
		json_decref(root);
		root = NULL;
	}
	return root;
}

/* Of a run that was repeated, the means over its seeds take the place of the first seed's numbers: each is
 * {"mean": x, "ci95": [low, high]}, in the same tree. */
static void take_means(json_t *summary)
{
	static const char *const parts[] = {"flows", "groups", "links", "fct_ms", "fairness"};
	json_t *repeats = json_object_get(summary, "repeats");
	for (u32 i = 0; json_is_object(repeats) && i < sizeof parts / sizeof parts[0]; i++) {
		json_t *means = json_object_get(repeats, parts[i]);
		if (means)
			json_object_set(summary, parts[i], means);
	}
}

static int load_run(const char *dir, json_t *summary, struct weir_run_data *run, struct weir_diag *d)
{
	run->summary = summary;
	const char *schema = weir_get_text(summary, "schema", "");
	if (strcmp(schema, "weir.summary/1")) {
		weir_diag_add(d, 0, 0, "its schema is '%.60s', not weir.summary/1", schema);
		return WEIR_EXIT_USAGE;
	}
	take_means(summary);
	run->manifest = load_json(dir, "manifest.json", d);
	if (!run->manifest)
		return WEIR_EXIT_USAGE;
	FILE *f = open_input(dir, "series.csv", d);
	if (!f)
		return WEIR_EXIT_USAGE;
	int failed = weir_tracks_read(f, &run->tracks, d);
	fclose(f);
	return failed ? WEIR_EXIT_USAGE : WEIR_EXIT_OK;
}

static int is_run(const struct dirent *e)
{
	return !strncmp(e->d_name, "run-", 4);
}

/* run-2 before run-10. */
static int by_number(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int load_below(const char *dir, const char *name, struct weir_run_data *run, struct weir_diag *d)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path ||
	    snprintf(run->dir, sizeof run->dir, "%s", name) >= (int)sizeof run->dir) {
		weir_diag_add(d, 0, 0, "the path is too long");
		return WEIR_EXIT_USAGE;
	}
	json_t *summary = load_json(path, "summary.json", d);
	return summary ? load_run(path, summary, run, d) : WEIR_EXIT_USAGE;
}

void weir_report_controllers(const struct weir_run_data *run, char *out, size_t room)
{
	const char *lists[] = {"flows", "groups"};
	size_t used = 0, i;
	json_t *flow;
	out[0] = 0;
	for (u32 l = 0; l < 2; l++) {
		json_array_foreach(json_object_get(run->summary, lists[l]), i, flow)
		{
			const char *name = weir_get_text(flow, "controller", "");
			const char *seen = *name ? strstr(out, name) : NULL;
			size_t n = strlen(name);
			bool whole =
			    seen && (seen == out || seen[-1] == ' ') && (seen[n] == 0 || seen[n] == ',');
			if (!*name || whole || used + n + 3 > room)
				continue;
			used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", name);
		}
	}
}

static void label_runs(struct weir_report_data *data)
{
	bool distinct = true;
	for (u32 i = 0; i < data->n_runs; i++) {
		struct weir_run_data *run = &data->run[i];
		const char *given = weir_get_text(run->manifest, "label", "");
		if (*given)
			snprintf(run->label, sizeof run->label, "%s", given);
		else
			weir_report_controllers(run, run->label, sizeof run->label);
		for (u32 k = 0; k < i; k++)
			distinct &= strcmp(data->run[k].label, run->label) != 0;
	}
	for (u32 i = 0; i < data->n_runs && !distinct; i++)
		snprintf(data->run[i].label, sizeof data->run[i].label, "%s", data->run[i].dir);
}

static int load_all(const char *dir, struct weir_report_data *data, struct weir_diag *d)
{
	struct dirent **list;
	int n = scandir(dir, &list, is_run, by_number), code = WEIR_EXIT_OK;
	snprintf(d->file, sizeof d->file, "%s", dir);
	if (n < 0) {
		weir_diag_add(d, 0, 0, "%s", strerror(errno));
		return WEIR_EXIT_USAGE;
	}
	data->run = calloc((size_t)n + 1, sizeof *data->run);
	if (!data->run) {
		weir_diag_add(d, 0, 0, "out of memory");
		code = WEIR_EXIT_FAILED;
	} else if (n == 0 || n > WEIR_RUNS_MAX) {
		weir_diag_add(d, 0, 0, "it holds %d run-* directories; a report takes 1 to %d", n,
			      WEIR_RUNS_MAX);
		code = WEIR_EXIT_USAGE;
	}
	for (int i = 0; i < n; i++) {
		if (code == WEIR_EXIT_OK)
			code = load_below(dir, list[i]->d_name, &data->run[data->n_runs++], d);
		free(list[i]);
	}
	free(list);
	if (code == WEIR_EXIT_OK && n > 1)
		label_runs(data);
	return code;
}

int weir_report_load(const char *dir, struct weir_report_data *data, struct weir_diag *d)
{
	*data = (struct weir_report_data){0};
	json_t *summary = load_json(dir, "summary.json", d);
	if (!summary)
		return WEIR_EXIT_USAGE;
	if (!strcmp(weir_get_text(summary, "schema", ""), "weir.run/1")) {
		json_decref(summary);
		return load_all(dir, data, d);
	}
	data->run = calloc(1, sizeof *data->run);
	if (!data->run) {
		json_decref(summary);
		weir_diag_add(d, 0, 0, "out of memory");
		return WEIR_EXIT_FAILED;
	}
	data->n_runs = 1;
	return load_run(dir, summary, data->run, d);
}

void weir_report_unload(struct weir_report_data *data)
{
	for (u32 i = 0; i < data->n_runs; i++) {
		json_decref(data->run[i].summary);
		json_decref(data->run[i].manifest);
		weir_tracks_free(&data->run[i].tracks);
	}
	free(data->run);
	*data = (struct weir_report_data){0};
}

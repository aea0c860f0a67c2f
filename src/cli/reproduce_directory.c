/* SPDX-License-Identifier: MIT */
/* The directory of `weir reproduce -o`. It is there from the start and holds each run as soon as it is
 * finished, so that what is interrupted can be continued; everything else appears at the end, at once. */
#include "record/json.h"
#include "record/outdir.h"
#include "reproduce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNS "runs"

static int write_manifest(const struct weir_reproduce_directory *d, FILE *to)
{
	struct weir_json j;

	weir_json_to_file(&j, to);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.manifest/1");
	weir_json_put_string(&j, "version", WEIR_VERSION);
	weir_json_put_string(&j, "backend", d->emulated ? "emu" : "sim");
	weir_json_put_bool(&j, "quick", weir_option(d->call, "quick") != NULL);
	weir_json_put_array(&j, "at");
	const char *at;
	for (u32 i = 0; (at = weir_option_at(d->call, "at", i)) != NULL; i++)
		weir_json_string(&j, at);
	weir_json_array_end(&j);
	weir_json_put_array(&j, "experiments");
	for (u32 i = 0; i < d->n; i++) {
		const struct weir_experiment *e = &d->items[i].experiment;
		weir_json_object(&j);
		weir_json_put_string(&j, "name", e->name);
		weir_json_put_string(&j, "file", e->path);
		weir_json_key(&j, "text");
		weir_json_string_n(&j, e->text, e->bytes);
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

static int write_results(const struct weir_reproduce_directory *d, FILE *to)
{
	return weir_reproduce_json(to, d->items, d->n);
}

static int write_file(const struct weir_reproduce_directory *d, const struct weir_outdir *dir,
		      const char *name, int (*write)(const struct weir_reproduce_directory *d, FILE *to))
{
	char path[PATH_MAX];
	FILE *f = weir_outdir_path(dir, name, path) ? fopen(path, "w") : NULL;
	int rc = f ? write(d, f) : -1;

	if (f && fclose(f) != 0)
		rc = -1;
	if (rc < 0)
		return weir_error(d->call, WEIR_EXIT_FAILED, "cannot write %s: %s", name, strerror(errno));
	return 0;
}

static int fill(const struct weir_reproduce_directory *d, const struct weir_outdir *dir)
{
	static struct weir_diag diag;
	char page[PATH_MAX];
	int code = write_file(d, dir, "reproduce.json", write_results);

	if (!code)
		code = write_file(d, dir, "manifest.json", write_manifest);
	if (code)
		return code;
	if (!weir_outdir_path(dir, "report.html", page))
		return weir_error(d->call, WEIR_EXIT_FAILED, "the name of the directory is too long");
	code = weir_reproduce_page(page, d->items, d->n, &diag);
	weir_diag_print(&diag, NULL, stderr);
	return code;
}

int weir_reproduce_end(const struct weir_reproduce_directory *d, const char *runs)
{
	struct weir_outdir dir;
	char why[512], moved[PATH_MAX];

	if (weir_outdir_begin(&dir, d->path, why) < 0)
		return weir_error(d->call, WEIR_EXIT_FAILED, "%s", why);
	int code = fill(d, &dir);
	if (!code && (!weir_outdir_path(&dir, RUNS, moved) || rename(runs, moved) != 0))
		code = weir_error(d->call, WEIR_EXIT_FAILED, "cannot move %s: %s", runs, strerror(errno));
	if (code) {
		weir_outdir_abandon(&dir);
		return code;
	}
	if (weir_outdir_commit(&dir, why) < 0)
		return weir_error(d->call, WEIR_EXIT_FAILED, "%s", why);
	fprintf(stderr, "results in %s, report %s/report.html\n", d->path, d->path);
	return 0;
}

static int make_directory(const struct weir_reproduce_directory *d)
{
	struct weir_outdir dir;
	char why[512];

	if (weir_outdir_begin(&dir, d->path, why) < 0)
		return weir_error(d->call, WEIR_EXIT_FAILED, "%s", why);
	int code = write_file(d, &dir, "manifest.json", write_manifest);
	if (code)
		weir_outdir_abandon(&dir);
	else if (weir_outdir_commit(&dir, why) < 0)
		return weir_error(d->call, WEIR_EXIT_FAILED, "%s", why);
	return code;
}

int weir_reproduce_begin(const struct weir_reproduce_directory *d, char runs[PATH_MAX])
{
	char manifest[PATH_MAX];
	int n = snprintf(runs, PATH_MAX, "%s/" RUNS, d->path);
	int m = snprintf(manifest, sizeof manifest, "%s/manifest.json", d->path);

	if (n >= PATH_MAX || m >= PATH_MAX)
		return weir_error(d->call, WEIR_EXIT_USAGE, "the name of the directory is too long");
	if (access(manifest, F_OK) != 0) {
		int code = make_directory(d);
		if (code)
			return code;
	}
	if (mkdir(runs, 0777) != 0 && errno != EEXIST)
		return weir_error(d->call, WEIR_EXIT_FAILED, "cannot make %s: %s", runs, strerror(errno));
	return 0;
}

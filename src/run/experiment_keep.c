/* SPDX-License-Identifier: MIT */
#include "run/experiment_keep.h"

#include "core/exit_code.h"
#include "record/json.h"
#include "record/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SCHEMA "weir.kept/1"

/* ---- names ---- */

/* FNV-1a, 64 bits. */
static u64 hash_bytes(u64 h, const void *bytes, size_t n)
{
	for (const u8 *b = bytes; n > 0; n--, b++)
		h = (h ^ *b) * 0x100000001b3ULL;
	return h;
}

static u64 hash_text(u64 h, const char *text)
{
	return hash_bytes(h, text, strlen(text) + 1);
}

#define HASH_BEGIN 0xcbf29ce484222325ULL

static int hash_program(char to[20])
{
	static char block[1 << 16];
	FILE *f = fopen("/proc/self/exe", "rb");
	u64 h = HASH_BEGIN;
	size_t n;

	if (!f)
		return -1;
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		h = hash_bytes(h, block, n);
	int failed = ferror(f);
	fclose(f);
	snprintf(to, 20, "%016llx", h);
	return failed ? -1 : 0;
}

/* A scenario that stands in the experiment's file comes with the rest of that file as blanks: what they hide
 * does not matter. */
static u64 hash_scenario(u64 h, const char *text, size_t bytes)
{
	size_t from = 0;

	for (size_t i = 0; i < bytes && (text[i] == ' ' || text[i] == '\n'); i++)
		from = text[i] == '\n' ? i + 1 : from;
	while (bytes > from && (text[bytes - 1] == ' ' || text[bytes - 1] == '\n'))
		bytes--;
	return hash_bytes(h, text + from, bytes - from);
}

static bool file_of(const struct weir_keep *k, const struct weir_keep_point *p, const char *suffix,
		    char path[PATH_MAX])
{
	u64 h = hash_text(HASH_BEGIN, WEIR_VERSION);

	h = hash_scenario(h, p->scenario_text, p->scenario_bytes);
	for (u32 i = 0; i < p->n_sets; i++)
		h = hash_text(h, p->sets[i]);
	for (u32 i = 0; i < p->traces->n; i++) {
		h = hash_text(h, p->traces->file[i]->path);
		h = hash_bytes(h, &p->traces->file[i]->hash, sizeof p->traces->file[i]->hash);
	}
	h = hash_bytes(h, &p->seed, sizeof p->seed);
	h = hash_text(h, p->emulated ? k->kernel : "sim");
	int n = snprintf(path, PATH_MAX, "%s/%016llx.json%s", k->folder, h, suffix);
	return n > 0 && n < PATH_MAX;
}

int weir_keep_open(struct weir_keep *k, const char *folder, bool any_build, char why[512])
{
	struct utsname u;

	*k = (struct weir_keep){.any_build = any_build};
	if (hash_program(k->program) < 0) {
		snprintf(why, 512, "this program's own file cannot be read: %s", strerror(errno));
		return -1;
	}
	if (uname(&u) == 0)
		snprintf(k->kernel, sizeof k->kernel, "%.79s", u.release);
	int n = snprintf(k->folder, sizeof k->folder, "%s", folder);
	if (n < 0 || (size_t)n >= sizeof k->folder || (mkdir(folder, 0777) != 0 && errno != EEXIST)) {
		snprintf(why, 512, "cannot make the directory %.300s: %s", folder, strerror(errno));
		return -1;
	}
	return 0;
}

/* ---- reading ---- */

static bool has_name(const json_t *names, const char *name)
{
	const json_t *each;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)names, i, each)
	{
		const char *its = json_string_value(each);
		if (its && !strcmp(its, name))
			return true;
	}
	return false;
}

static bool is_usable(const struct weir_keep *k, const json_t *file, const struct weir_watched *watched,
		      u32 n)
{
	const char *program = json_string_value(json_object_get(file, "program"));

	if (!program || (!k->any_build && strcmp(program, k->program) != 0))
		return false;
	for (u32 i = 0; i < n * WEIR_TIME_ROLES; i++) {
		const char *name = weir_watched_name(&watched[i / WEIR_TIME_ROLES], i % WEIR_TIME_ROLES);
		if (name && !has_name(json_object_get(file, "series"), name))
			return false;
	}
	return json_is_object(json_object_get(file, "summary")) &&
	       json_is_string(json_object_get(file, "rows"));
}

bool weir_keep_find(const struct weir_keep *k, const struct weir_keep_point *p, struct weir_watched *watched,
		    u32 n, json_t **document)
{
	char path[PATH_MAX], error[WEIR_QUERY_ERROR_BYTES];

	if (!file_of(k, p, "", path))
		return false;
	json_t *file = weir_query_load(path, SCHEMA, error);
	bool usable = file && is_usable(k, file, watched, n);
	if (usable) {
		weir_watch_again(watched, n, json_string_value(json_object_get(file, "rows")));
		*document = json_incref(json_object_get(file, "summary"));
	}
	json_decref(file);
	return usable;
}

/* ---- writing ---- */

static void put_any(struct weir_json *j, const json_t *value);

static void put_members(struct weir_json *j, const json_t *value)
{
	const json_t *each;
	const char *key;
	size_t i;

	if (json_is_array(value)) {
		weir_json_array(j);
		json_array_foreach((json_t *)(uintptr_t)value, i, each) put_any(j, each);
		weir_json_array_end(j);
		return;
	}
	weir_json_object(j);
	json_object_foreach((json_t *)(uintptr_t)value, key, each)
	{
		weir_json_key(j, key);
		put_any(j, each);
	}
	weir_json_object_end(j);
}

static void put_any(struct weir_json *j, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		weir_json_string(j, json_string_value(value));
		return;
	case JSON_INTEGER:
	case JSON_REAL:
		weir_json_double(j, json_number_value(value));
		return;
	case JSON_TRUE:
	case JSON_FALSE:
		weir_json_bool(j, json_is_true(value));
		return;
	case JSON_NULL:
		weir_json_null(j);
		return;
	default:
		put_members(j, value);
	}
}

static int write_file(const struct weir_keep *k, const struct weir_keep_point *p,
		      const struct weir_watched *watched, u32 n, const char *rows, const json_t *document,
		      FILE *to)
{
	struct weir_json j;

	weir_json_to_file(&j, to);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", SCHEMA);
	weir_json_put_string(&j, "program", k->program);
	weir_json_put_string(&j, "backend", p->emulated ? "emu" : "sim");
	weir_json_put_u64(&j, "seed", p->seed);
	weir_json_put_array(&j, "set");
	for (u32 i = 0; i < p->n_sets; i++)
		weir_json_string(&j, p->sets[i]);
	weir_json_array_end(&j);
	weir_json_put_array(&j, "series");
	for (u32 i = 0; i < n * WEIR_TIME_ROLES; i++) {
		const char *name = weir_watched_name(&watched[i / WEIR_TIME_ROLES], i % WEIR_TIME_ROLES);
		if (name)
			weir_json_string(&j, name);
	}
	weir_json_array_end(&j);
	weir_json_put_string(&j, "rows", rows ? rows : "");
	weir_json_key(&j, "summary");
	put_any(&j, document);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

/* Written beside its place first: a file that is there is whole. */
int weir_keep_add(const struct weir_keep *k, const struct weir_keep_point *p,
		  const struct weir_watched *watched, u32 n, const char *rows, const json_t *document,
		  char why[512])
{
	char path[PATH_MAX], beside[PATH_MAX];

	if (!file_of(k, p, "", path) || !file_of(k, p, ".part", beside)) {
		snprintf(why, 512, "the name of the directory is too long");
		return WEIR_EXIT_FAILED;
	}
	FILE *to = fopen(beside, "w");
	bool good = to && write_file(k, p, watched, n, rows, document, to) == 0;
	if (to && fclose(to) != 0)
		good = false;
	if (good && rename(beside, path) == 0)
		return 0;
	snprintf(why, 512, "cannot write %.300s: %s", path, strerror(errno));
	unlink(beside);
	return WEIR_EXIT_FAILED;
}

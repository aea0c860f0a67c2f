/* SPDX-License-Identifier: MIT */
/* `weir list`: what there is to run, and what to run it with; all from the tables of the rooms. */
#include "app/app.h"
#include "cc/table.h"
#include "core/words.h"
#include "link/table.h"
#include "record/json.h"
#include "record/manifest.h"
#include "run/controller.h"
#include "scenario/yaml.h"
#include "shipped.h"
#include "values.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- controllers ---- */

static void put_value(struct weir_json *j, const char *key, const struct weir_param *p, u64 value)
{
	if (weir_param_in_millionths(p))
		weir_json_put_double(j, key, (double)value / 1e6);
	else
		weir_json_put_u64(j, key, value);
}

static void controller_json(struct weir_json *j, const struct weir_controller *c)
{
	char why[WEIR_KERN_WHY_BYTES];
	const struct weir_controller_about about = weir_controller_about(c), *d = &about;
	weir_json_object(j);
	weir_json_put_string(j, "name", d->name);
	weir_json_put_string(j, "kind", d->kind);
	weir_json_put_bool(j, "kernel", weir_controller_kernel_takes(c, why));
	weir_json_put_string(j, "about", d->about);
	weir_json_put_string(j, "source", d->source);
	weir_json_put_array(j, "params");
	for (u32 i = 0; i < d->n_params; i++) {
		const struct weir_param *p = &d->params[i];
		weir_json_line(j);
		weir_json_object(j);
		weir_json_put_string(j, "name", p->name);
		weir_json_put_string(j, "unit", p->unit);
		put_value(j, "default", p, p->default_value);
		put_value(j, "min", p, p->min);
		put_value(j, "max", p, p->max);
		weir_json_put_string(j, "help", p->help);
		weir_json_object_end(j);
	}
	weir_json_array_end(j);
	weir_json_put_array(j, "signals");
	for (u32 i = 0; i < d->n_signals; i++) {
		weir_json_line(j);
		weir_json_object(j);
		weir_json_put_string(j, "name", d->signals[i].name);
		weir_json_put_string(j, "unit", d->signals[i].unit);
		weir_json_object_end(j);
	}
	weir_json_array_end(j);
	weir_json_object_end(j);
}

/* "1 s", "on", "0.7", "2 packets" */
static void format_default(const struct weir_param *p, char *to, size_t room)
{
	static const struct {
		u64 ns;
		const char *unit;
	} times[] = {{WEIR_NS_PER_S, "s"}, {WEIR_NS_PER_MS, "ms"}, {WEIR_NS_PER_US, "us"}, {1, "ns"}};
	u64 x = p->default_value;
	if (!strcmp(p->unit, "flag")) {
		snprintf(to, room, "%s", x ? "on" : "off");
	} else if (weir_param_in_millionths(p)) {
		snprintf(to, room, "%g%s", (double)x / 1e6, strcmp(p->unit, "Hz") ? "" : " Hz");
	} else if (weir_words_are(p->unit)) {
		size_t bytes;
		const char *word = weir_words_at(p->unit, x, &bytes);
		snprintf(to, room, "%.*s", (int)bytes, word ? word : "");
	} else if (!strcmp(p->unit, "ns")) {
		size_t i = 0;
		while (x % times[i].ns)
			i++;
		snprintf(to, room, "%llu %s", x / times[i].ns, times[i].unit);
	} else {
		snprintf(to, room, "%llu%s%s", x, *p->unit ? " " : "", p->unit);
	}
}

static void controller_text(const struct weir_controller *c)
{
	const struct weir_controller_about about = weir_controller_about(c), *d = &about;
	printf("%-14s %s (%s)\n", d->name, d->about, d->source);
	for (u32 k = 0; k < d->n_params; k++) {
		char text[64];
		format_default(&d->params[k], text, sizeof text);
		printf("%16s = %-10s %s\n", d->params[k].name, text, d->params[k].help);
	}
}

/* Of one kind, after a heading if there is any. */
static void kind_text(const char *kind, const char *heading)
{
	struct weir_controller c;
	for (u32 i = 0; weir_controller_at(i, &c); i++) {
		if (strcmp(weir_controller_about(&c).kind, kind))
			continue;
		printf("%s", heading);
		heading = "";
		controller_text(&c);
	}
}

static void controllers_text(void)
{
	const char *alias;
	const struct weir_cc_ops *ops;
	kind_text("cc", "");
	for (u32 i = 0; (ops = weir_cc_alias_at(i, &alias)); i++)
		printf("%-14s the same as %s\n", alias, ops->name);
	kind_text("pilot", "\nPilots (they watch a connection and choose how it is driven):\n");
	kind_text("age", "\nFor telemetry (how often an update is sent):\n");
}

static int list_controllers(const struct weir_invocation *call, struct weir_json *j)
{
	struct weir_controller c;
	(void)call;
	if (!j)
		controllers_text();
	for (u32 i = 0; j && weir_controller_at(i, &c); i++)
		controller_json(j, &c);
	return WEIR_EXIT_OK;
}

/* ---- applications and elements ---- */

/* One row of a simple list; NULL values are left out of the text and null in JSON. */
static void row(struct weir_json *j, const char *name, const char *kind, const char *about,
		const char *source)
{
	if (!j) {
		printf("%-18s %-12s %s%s%s%s\n", name, kind, about, source ? " (" : "", source ? source : "",
		       source ? ")" : "");
		return;
	}
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_string(j, "name", name);
	weir_json_put_string(j, "kind", kind);
	weir_json_put_string(j, "about", about);
	weir_json_put_string(j, "source", source);
	weir_json_object_end(j);
}

static int list_applications(const struct weir_invocation *call, struct weir_json *j)
{
	(void)call;
	for (u32 i = 0; i < WEIR_APP_KINDS; i++)
		row(j, weir_app_infos[i].name, weir_app_infos[i].datagram ? "datagrams" : "stream",
		    weir_app_infos[i].about, NULL);
	return WEIR_EXIT_OK;
}

static int list_elements(const struct weir_invocation *call, struct weir_json *j)
{
	(void)call;
	for (const struct weir_element_info *e = weir_element_infos; e->name; e++)
		row(j, e->name, e->kind, e->about, e->source);
	return WEIR_EXIT_OK;
}

/* ---- files ---- */

static void file_row(struct weir_json *j, const char *name, const char *path, const char *title)
{
	if (!j) {
		printf("%-36s %s\n", path, title ? title : "");
		return;
	}
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_string(j, "name", name);
	weir_json_put_string(j, "file", path);
	weir_json_put_string(j, "title", title);
	weir_json_object_end(j);
}

/* The stem of the file, after its folder for one that lies deeper: "two-cubic", "nimbus/fig8". */
static void name_of(const char *folder, const char *path, char *name, size_t room)
{
	snprintf(name, room, "%s", path + strlen(folder) + 1);
	char *dot = strrchr(name, '.');
	if (dot)
		*dot = 0;
}

/* The key `title` of a YAML file, or NULL where it has none. */
static const char *title_of(struct weir_arena *arena, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = f ? weir_arena_get(arena, WEIR_YAML_MAX_BYTES) : NULL;
	size_t bytes = text ? fread(text, 1, WEIR_YAML_MAX_BYTES, f) : 0;
	if (f)
		fclose(f);
	struct weir_diag diag = {0};
	struct weir_scenario_set nobody = {0};
	const struct weir_yaml *tree =
	    bytes ? weir_yaml_parse(arena, text, bytes, 0, 0, &nobody, &diag) : NULL;
	const struct weir_yaml *title = tree ? weir_yaml_find(tree, "title") : NULL;
	return title && title->kind == WEIR_YAML_TEXT ? title->text : NULL;
}

static int list_files(const struct weir_invocation *call, struct weir_json *j, const char *what)
{
	char folder[PATH_MAX];
	struct weir_shipped_list list = {0};
	if (!weir_shipped_folder(what, folder, sizeof folder))
		return weir_error(call, WEIR_EXIT_MACHINE,
				  "there is no folder %s/ here or beside the program", what);
	int code = WEIR_EXIT_OK;
	if (weir_shipped_files(folder, &list))
		code = weir_error(call, WEIR_EXIT_FAILED, "%s: %s", folder, strerror(errno));
	for (u32 i = 0; !code && i < list.n; i++) {
		struct weir_arena arena = {0};
		char name[NAME_MAX];
		name_of(folder, list.paths[i], name, sizeof name);
		file_row(j, name, list.paths[i], title_of(&arena, list.paths[i]));
		weir_arena_free(&arena);
	}
	weir_shipped_free(&list);
	return code;
}

static int list_scenarios(const struct weir_invocation *call, struct weir_json *j)
{
	return list_files(call, j, "scenarios");
}

static int list_experiments(const struct weir_invocation *call, struct weir_json *j)
{
	return list_files(call, j, "experiments");
}

/* ---- the verb ---- */

static const struct kind {
	const char *name;
	int (*list)(const struct weir_invocation *call, struct weir_json *j);
} kinds[] = {
    {"controllers", list_controllers},	 {"scenarios", list_scenarios}, {"experiments", list_experiments},
    {"applications", list_applications}, {"elements", list_elements},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static int list_json(const struct weir_invocation *call, const struct kind *kind)
{
	struct weir_json j;
	weir_json_to_buffer(&j);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.list/1");
	weir_json_put_array(&j, kind->name);
	int code = kind->list(call, &j);
	if (code) {
		weir_json_abandon(&j);
		return code;
	}
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	if (weir_json_finish(&j))
		return weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	size_t bytes;
	char *text = weir_json_take(&j, &bytes);
	fwrite(text, 1, bytes, stdout);
	free(text);
	return WEIR_EXIT_OK;
}

static int cmd_list(struct weir_invocation *call)
{
	const char *words[KINDS + 1];
	for (size_t i = 0; i < KINDS; i++)
		words[i] = kinds[i].name;
	words[KINDS] = NULL;
	u32 i = weir_one_of(call, "", call->operands[0], words);
	if (i == WEIR_NO_WORD)
		return WEIR_EXIT_USAGE;
	return weir_option(call, "json") ? list_json(call, &kinds[i]) : kinds[i].list(call, NULL);
}

static const struct weir_option options[] = {WEIR_OPTION_JSON, {0}};

const struct weir_command weir_cmd_list = {
    .name = "list",
    .synopsis = "controllers|scenarios|experiments|applications|elements [--json]",
    .help = "list what there is to run, and what to run it with",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = cmd_list,
};

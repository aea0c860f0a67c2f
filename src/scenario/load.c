/* SPDX-License-Identifier: MIT */
/* The room's door: file -> tree -> axes -> checked points. */
#include "check.h"

#include <errno.h>
#include <stdio.h>

/* Checking every point of a sweep before the first one runs is what makes "all mistakes at once" true; this
 * bounds what it may cost. */
#define WORK_MAX 5000000ULL

void weir_scenario_mistake(const struct weir_scenario_set *set, struct weir_diag *diag,
			   struct weir_scenario_place at, const char *format, ...)
{
	char text[sizeof diag->entry[0].text];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	u32 n = diag->n;
	weir_diag_add(diag, at.set ? at.set : at.line, at.column, "%s", text);
	if (diag->n == n)
		return;
	struct weir_diag_entry *e = &diag->entry[n];
	if (at.set) {
		snprintf(e->option, sizeof e->option, "--set");
		snprintf(e->argument, sizeof e->argument, "%s", set->tree->sets[at.set - 1]);
	}
}

/* ---- one point ---- */

static void check_times(struct weir_checker *c, struct weir_scenario *s)
{
	struct weir_yaml *root = c->tree->root;
	if (!s->duration_ns)
		return;
	if (s->warmup_ns >= s->duration_ns)
		weir_check_mistake(c, weir_yaml_find(root, "warmup")->at,
				   "warmup: it must be below the duration");
	if (!s->sample_ns)
		s->sample_ns = weir_max(10 * WEIR_NS_PER_MS, s->duration_ns / 2000);
	else if (s->duration_ns / s->sample_ns > 1000000)
		weir_check_mistake(c, weir_yaml_find(root, "sample")->at,
				   "sample: the run would have %llu samples, at most 1000000",
				   s->duration_ns / s->sample_ns);
}

/* The whole check of one point; false when there were mistakes. */
static bool check_point(const struct weir_scenario_set *set, const u32 *choice, struct weir_scenario *s,
			struct weir_diag *diag)
{
	*s = (struct weir_scenario){.name = set->name, .title = set->name};
	s->arena = calloc(1, sizeof *s->arena);
	struct weir_checker c = {
	    .set = set, .tree = set->tree, .diag = diag, .arena = s->arena, .choice = choice};
	if (!s->arena) {
		weir_diag_add(diag, 0, 0, "not enough memory");
		return false;
	}
	weir_check_scope(&c, WEIR_SCOPE_SCENARIO, set->tree->root, s, NULL, true);
	if (set->tree->root->kind == WEIR_YAML_MAP) {
		check_times(&c, s);
		weir_check_flows(&c, s, weir_check_network(&c, s));
	}
	return c.mistakes == 0;
}

void weir_scenario_free(struct weir_scenario *s)
{
	if (s->arena)
		weir_arena_free(s->arena);
	free(s->arena);
	*s = (struct weir_scenario){0};
}

u32 weir_scenario_choice(const struct weir_scenario_set *set, u32 axis, u64 index)
{
	for (u32 i = set->n_axes; i-- > axis + 1;)
		index /= set->axes[i].n;
	return (u32)(index % set->axes[axis].n);
}

int weir_scenario_point(const struct weir_scenario_set *set, u64 index, struct weir_scenario *out,
			struct weir_diag *diag)
{
	u32 *choice = calloc(set->n_axes + 1, sizeof *choice);
	if (!choice) {
		*out = (struct weir_scenario){0};
		weir_diag_add(diag, 0, 0, "not enough memory");
		return -1;
	}
	for (u32 i = 0; i < set->n_axes; i++)
		choice[i] = weir_scenario_choice(set, i, index);
	bool good = check_point(set, choice, out, diag);
	free(choice);
	return good ? 0 : -1;
}

/* ---- axes ---- */

/* What a person reads, and --set takes: flow style. */
static void write_value(const struct weir_yaml *node, FILE *to)
{
	if (node->kind == WEIR_YAML_TEXT) {
		fputs(node->text, to);
		return;
	}
	fputc('{', to);
	for (const struct weir_yaml *child = node->first; child; child = child->next) {
		fprintf(to, "%s%s: ", child == node->first ? "" : ", ", child->key ? child->key : "");
		write_value(child, to);
	}
	fputc('}', to);
}

static void write_key(const struct weir_yaml *node, FILE *to)
{
	if (!node->parent)
		return;
	write_key(node->parent, to);
	if (node->parent->parent)
		fputc('.', to);
	const struct weir_yaml *name = weir_yaml_find(node, "name");
	if (node->parent->kind == WEIR_YAML_MAP) {
		fputs(node->key, to);
	} else if (name && name->kind == WEIR_YAML_TEXT) {
		fputs(name->text, to);
	} else {
		u32 index = 0;
		for (const struct weir_yaml *n = node->parent->first; n != node; n = n->next)
			index++;
		fprintf(to, "%u", index);
	}
}

static const char *written(struct weir_arena *arena, const struct weir_yaml *node,
			   void (*write)(const struct weir_yaml *, FILE *))
{
	char *text = NULL, *copy = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	if (!to)
		return NULL;
	write(node, to);
	if (fclose(to) == 0)
		copy = weir_arena_text(arena, text, bytes);
	free(text);
	return copy;
}

/* In the order of the file, then of the arguments. */
static int by_place(const void *a, const void *b)
{
	const struct weir_scenario_place *x = &((const struct weir_axis_list *)a)->list->at;
	const struct weir_scenario_place *y = &((const struct weir_axis_list *)b)->list->at;
	u32 left[] = {x->set, x->line, x->column}, right[] = {y->set, y->line, y->column};
	for (u32 i = 0; i < 3; i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

static bool describe_axes(struct weir_scenario_set *set)
{
	struct weir_scenario_tree *t = set->tree;
	if (t->n_axes)
		qsort(t->axes, t->n_axes, sizeof *t->axes, by_place);
	struct weir_scenario_axis *axes = weir_arena_get(&t->arena, (t->n_axes + 1) * sizeof *axes);
	for (u32 i = 0; axes && i < t->n_axes; i++) {
		struct weir_yaml *list = t->axes[i].list;
		const char **values = weir_arena_get(&t->arena, list->n * sizeof *values);
		list->axis = i + 1;
		axes[i] = (struct weir_scenario_axis){written(&t->arena, list, write_key), list->n, values};
		for (u32 k = 0; values && k < list->n; k++)
			values[k] = written(&t->arena, t->axes[i].items[k], write_value);
		if (!values || !axes[i].key || !values[list->n - 1])
			return false;
	}
	set->axes = axes;
	set->n_axes = t->n_axes;
	return axes != NULL;
}

/* The number of points, 0 after reporting that there are too many. */
static u64 count_points(const struct weir_scenario_set *set, struct weir_diag *diag)
{
	u64 n = 1;
	for (u32 i = 0; i < set->n_axes; i++) {
		n *= set->axes[i].n;
		if (n <= WEIR_SCENARIO_MAX_POINTS)
			continue;
		weir_scenario_mistake(set, diag, set->tree->axes[i].list->at,
				      "the lists up to here make more than 10000 combinations");
		return 0;
	}
	if (n * set->tree->nodes <= WORK_MAX)
		return n;
	weir_scenario_mistake(set, diag, set->tree->axes[0].list->at,
			      "%llu combinations of so large a file are too many", n);
	return 0;
}

/* ---- the whole set ---- */

/* Mistakes of one call in the order of the file, then of the arguments. */
static void sort_mistakes(struct weir_diag *d, u32 from)
{
	for (u32 i = from + 1; i < d->n; i++) {
		struct weir_diag_entry e = d->entry[i];
		u32 k = i;
		for (; k > from; k--) {
			const struct weir_diag_entry *b = &d->entry[k - 1];
			bool arg = e.option[0], other_arg = b->option[0];
			bool after = arg != other_arg	 ? arg
				     : e.line != b->line ? e.line > b->line
							 : e.column >= b->column;
			if (after)
				break;
			d->entry[k] = *b;
		}
		d->entry[k] = e;
	}
}

static u32 count_nodes(const struct weir_yaml *node)
{
	u32 n = 1;
	for (const struct weir_yaml *child = node->first; child; child = child->next)
		n += count_nodes(child);
	return n;
}

static bool check_set(struct weir_scenario_set *set, struct weir_diag *diag)
{
	struct weir_scenario_tree *t = set->tree;
	struct weir_checker c = {.set = set, .tree = t, .diag = diag};
	u32 before = diag->n + diag->more;
	t->root = weir_yaml_parse(&t->arena, set->text, set->text_bytes, 0, 1, set, diag);
	if (!t->root)
		return false;
	for (u32 i = 0; i < t->n_sets; i++)
		weir_tree_set(&c, i + 1, t->sets[i]);
	t->nodes = count_nodes(t->root);

	struct weir_scenario s;
	bool good = check_point(set, NULL, &s, diag);
	weir_scenario_free(&s);
	if (!describe_axes(set)) {
		weir_diag_add(diag, 0, 0, "not enough memory");
		return false;
	}
	set->n_points = count_points(set, diag);
	for (u64 i = 1; i < set->n_points; i++) {
		good &= weir_scenario_point(set, i, &s, diag) == 0;
		weir_scenario_free(&s);
	}
	return good && set->n_points && diag->n + diag->more == before;
}

/* The file's name without folder and ending. It names a folder of results that is replaced whole, so that
 * nothing that begins with a dot will do. */
static const char *stem(struct weir_arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	size_t bytes = dot && dot > base ? (size_t)(dot - base) : strlen(base);
	return !bytes || base[0] == '.' ? "scenario" : weir_arena_text(arena, base, bytes);
}

static bool begin(const char *path, const char *const *sets, u32 n_sets,
		  const struct weir_scenario_catalog *catalog, struct weir_scenario_set *out,
		  struct weir_diag *diag)
{
	*out = (struct weir_scenario_set){0};
	snprintf(diag->file, sizeof diag->file, "%s", path);
	struct weir_scenario_tree *t = out->tree = calloc(1, sizeof *t);
	const char **copies = t ? weir_arena_get(&t->arena, (n_sets + 1) * sizeof *copies) : NULL;
	const char *slash = strrchr(path, '/');
	bool good = copies != NULL;
	for (u32 i = 0; good && i < n_sets; i++)
		good = (copies[i] = weir_arena_text(&t->arena, sets[i], strlen(sets[i]))) != NULL;
	if (good) {
		t->catalog = catalog;
		t->sets = copies;
		t->n_sets = n_sets;
		t->folder = slash ? weir_arena_text(&t->arena, path, (size_t)(slash + 1 - path)) : "";
		out->name = stem(&t->arena, path);
	}
	if (!good || !t->folder || !out->name) {
		weir_diag_add(diag, 0, 0, "not enough memory");
		return false;
	}
	return true;
}

static int finish(struct weir_scenario_set *out, struct weir_diag *diag)
{
	u32 from = diag->n;
	bool good = check_set(out, diag);
	sort_mistakes(diag, from);
	return good ? 0 : -1;
}

int weir_scenario_parse(const char *path, const char *text, size_t bytes, const char *const *sets, u32 n_sets,
			const struct weir_scenario_catalog *catalog, struct weir_scenario_set *out,
			struct weir_diag *diag)
{
	if (!begin(path, sets, n_sets, catalog, out, diag))
		return -1;
	if (bytes > WEIR_YAML_MAX_BYTES) {
		weir_diag_add(diag, 0, 0, "larger than 4 MiB: not a scenario");
		return -1;
	}
	out->text = weir_arena_text(&out->tree->arena, text, bytes);
	out->text_bytes = bytes;
	if (!out->text) {
		weir_diag_add(diag, 0, 0, "not enough memory");
		return -1;
	}
	return finish(out, diag);
}

int weir_scenario_load(const char *path, const char *const *sets, u32 n_sets,
		       const struct weir_scenario_catalog *catalog, struct weir_scenario_set *out,
		       struct weir_diag *diag)
{
	if (!begin(path, sets, n_sets, catalog, out, diag))
		return -1;
	FILE *file = fopen(path, "rb");
	char *text = file ? weir_arena_get(&out->tree->arena, WEIR_YAML_MAX_BYTES + 2) : NULL;
	if (!file || !text) {
		weir_diag_add(diag, 0, 0, "cannot be read: %s", strerror(file ? ENOMEM : errno));
		if (file)
			fclose(file);
		return -1;
	}
	size_t bytes = fread(text, 1, WEIR_YAML_MAX_BYTES + 1, file);
	int error = ferror(file) ? errno : 0;
	fclose(file);
	if (error || bytes > WEIR_YAML_MAX_BYTES) {
		weir_diag_add(diag, 0, 0, error ? "cannot be read: %s" : "larger than 4 MiB: not a scenario",
			      strerror(error));
		return -1;
	}
	out->text = text;
	out->text_bytes = bytes;
	return finish(out, diag);
}

void weir_scenario_set_free(struct weir_scenario_set *set)
{
	if (set->tree)
		weir_arena_free(&set->tree->arena);
	free(set->tree);
	*set = (struct weir_scenario_set){0};
}

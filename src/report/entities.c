/* SPDX-License-Identifier: MIT */
#include "entities.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENTITIES_MAX (WEIR_THEME_COLOURS * WEIR_THEME_DASHES)

/* Length of the name without the number at its end: "cubic-12" and "cubic-7" belong together. A group that
 * the summary made ("cubic.*") is alone. */
static size_t stem(const char *name)
{
	size_t n = strlen(name), all = n;
	while (n && isdigit((u8)name[n - 1]))
		n--;
	return n ? n : all;
}

static bool same_group(const char *a, const char *b)
{
	size_t n = stem(a);
	return n == stem(b) && !strncmp(a, b, n) && (!a[n] == !b[n]);
}

static const json_t *flows_of(const struct weir_entities *e, u32 r)
{
	return e->listed[r];
}

static const char *name_at(const json_t *list, size_t i)
{
	return weir_get_text(json_array_get(list, i), "name", "");
}

/* Of the group "wan.*": "wan.7". */
static bool has_member(const json_t *flows, const char *group)
{
	size_t n = strlen(group);
	n -= n && group[n - 1] == '*';
	for (size_t i = 0; i < json_array_size(flows); i++)
		if (!strncmp(name_at(flows, i), group, n))
			return true;
	return false;
}

/* All flows that have records, and the groups of those that have none. NULL: no memory. */
static json_t *list_flows(const struct weir_run_data *run)
{
	const json_t *groups = json_object_get(run->summary, "groups");
	json_t *flows = json_object_get(run->summary, "flows"), *all = json_array();
	bool ok = all && (!flows || json_array_extend(all, flows) == 0);
	for (size_t i = 0; ok && i < json_array_size(groups); i++)
		if (!has_member(flows, name_at(groups, i)))
			ok = json_array_append(all, json_array_get(groups, i)) == 0;
	if (!ok)
		json_decref(all);
	return ok ? all : NULL;
}

static struct weir_entity *add(struct weir_entity *list, u32 *n, u32 room)
{
	if (*n == room)
		return NULL;
	list[*n] = (struct weir_entity){0};
	return &list[(*n)++];
}

/* "label" or "run · label". */
static void set_label(struct weir_entity *x, const struct weir_run_data *run, const char *label)
{
	if (*run->label && *label)
		snprintf(x->label, sizeof x->label, "%s \302\267 %.150s", run->label, label);
	else
		snprintf(x->label, sizeof x->label, "%.150s", *run->label ? run->label : label);
}

static int add_single(struct weir_entities *e, const struct weir_report_data *data, u32 r, size_t i,
		      bool alone)
{
	const json_t *flows = flows_of(e, r);
	struct weir_entity *x = add(e->flow, &e->n_flows, ENTITIES_MAX);
	if (!x)
		return 0;
	x->run = r;
	x->summary = json_array_get(flows, i);
	x->member = calloc(1, sizeof *x->member);
	if (!x->member)
		return -1;
	x->member[x->n_members++] = name_at(flows, i);
	set_label(x, &data->run[r], alone ? "" : x->member[0]);
	return 0;
}

/* How many groups the names of one run make; stops counting at the limit. */
static u32 count_groups(const json_t *flows)
{
	u32 groups = 0;
	const char *first[WEIR_THEME_LINES_MAX + 1];
	for (size_t i = 0; i < json_array_size(flows) && groups <= WEIR_THEME_LINES_MAX; i++) {
		u32 g = 0;
		while (g < groups && !same_group(first[g], name_at(flows, i)))
			g++;
		if (g == groups)
			first[groups++] = name_at(flows, i);
	}
	return groups;
}

/* The group that a flow of run r belongs to; a new one if it is the first of its kind. */
static struct weir_entity *group_for(struct weir_entities *e, const struct weir_report_data *data, u32 r,
				     const char *name, bool one)
{
	for (u32 g = 0; g < e->n_flows; g++)
		if (e->flow[g].run == r && (one || same_group(e->flow[g].member[0], name)))
			return &e->flow[g];
	struct weir_entity *x = add(e->flow, &e->n_flows, ENTITIES_MAX);
	if (!x)
		return NULL;
	x->run = r;
	size_t flows = json_array_size(flows_of(e, r));
	x->member = calloc(flows, sizeof *x->member);
	if (!x->member)
		return NULL;
	char pattern[WEIR_LABEL_BYTES];
	if (one)
		snprintf(pattern, sizeof pattern, "%s", *data->run[r].label ? "" : "all flows");
	else
		snprintf(pattern, sizeof pattern, "%.*s%s", (int)(stem(name) < 100 ? stem(name) : 100), name,
			 name[stem(name)] ? "*" : "");
	set_label(x, &data->run[r], pattern);
	return x;
}

static void add_groups(struct weir_entities *e, const struct weir_report_data *data, u32 r, bool one)
{
	const json_t *flows = flows_of(e, r);
	for (size_t i = 0; i < json_array_size(flows); i++) {
		struct weir_entity *x = group_for(e, data, r, name_at(flows, i), one);
		if (x && x->member)
			x->member[x->n_members++] = name_at(flows, i);
		else
			e->left_out++;
	}
}

static int add_flows(struct weir_entities *e, const struct weir_report_data *data)
{
	u32 groups = 0, widest = 0;
	bool sums_only = false;
	for (u32 r = 0; r < data->n_runs; r++) {
		u32 n = (u32)json_array_size(flows_of(e, r));
		e->flows_total += n;
		widest = n > widest ? n : widest;
		sums_only |= json_array_size(json_object_get(data->run[r].summary, "flows")) == 0;
		groups += count_groups(flows_of(e, r));
	}
	/* Runs of one flow each are still single lines when there are a few more of them. */
	u32 most = widest == 1 ? ENTITIES_MAX : WEIR_THEME_LINES_MAX;
	e->grouped = e->flows_total > most || sums_only;
	for (u32 r = 0; r < data->n_runs; r++) {
		size_t n = json_array_size(flows_of(e, r));
		if (e->grouped) {
			add_groups(e, data, r, groups > WEIR_THEME_LINES_MAX && !sums_only);
			continue;
		}
		for (size_t i = 0; i < n; i++)
			if (add_single(e, data, r, i, n == 1 && data->n_runs > 1))
				return -1;
	}
	return 0;
}

/* Links of infinite speed hold no queue and have no capacity to show. */
static bool is_finite_link(const json_t *link)
{
	return !json_is_null(json_object_get(link, "capacity_bps"));
}

static int add_links(struct weir_entities *e, const struct weir_report_data *data)
{
	for (u32 r = 0; r < data->n_runs; r++) {
		const json_t *links = json_object_get(data->run[r].summary, "links");
		for (size_t i = 0; i < json_array_size(links); i++) {
			if (!is_finite_link(json_array_get(links, i)))
				continue;
			struct weir_entity *x = add(e->link, &e->n_links, ENTITIES_MAX);
			if (!x)
				return 0;
			x->run = r;
			x->summary = json_array_get(links, i);
			x->member = calloc(1, sizeof *x->member);
			if (!x->member)
				return -1;
			x->member[x->n_members++] = name_at(links, i);
			set_label(x, &data->run[r], x->member[0]);
		}
	}
	return 0;
}

/* What stands on both sides of an overlay has one colour: solid on the first, dashed on the second. */
static void colour_pairs(struct weir_entity *list, u32 n, const struct weir_report_data *data, u32 *next)
{
	for (u32 i = 0; i < n; i++) {
		u32 k = 0;
		while (k < i && (data->run[list[k].run].pair != data->run[list[i].run].pair ||
				 strcmp(list[k].member[0], list[i].member[0]) != 0))
			k++;
		list[i].colour = k < i ? list[k].colour : weir_theme_colour((*next)++);
		list[i].dash = data->run[list[i].run].side;
	}
}

/* Flows in order; links go on from there, so that a link never looks like a flow of its own run. In a
 * comparison of runs with one link each, the link takes its run's colour. */
static void give_colours(struct weir_entities *e, const struct weir_report_data *data)
{
	u32 next = 0;
	if (data->overlay) {
		colour_pairs(e->flow, e->n_flows, data, &next);
		colour_pairs(e->link, e->n_links, data, &next);
		return;
	}
	for (u32 i = 0; i < e->n_flows; i++) {
		e->flow[i].colour = weir_theme_colour(i);
		e->flow[i].dash = weir_theme_dash(i);
	}
	for (u32 i = 0; i < e->n_links; i++) {
		u32 look = e->n_flows + i;
		if (data->n_runs > 1 && e->n_links <= data->n_runs)
			for (u32 k = e->n_flows; k-- > 0;)
				look = e->flow[k].run == e->link[i].run ? k : look;
		e->link[i].colour = weir_theme_colour(look);
		e->link[i].dash = weir_theme_dash(look);
	}
}

int weir_entities_make(const struct weir_report_data *data, struct weir_entities *e)
{
	*e = (struct weir_entities){.listed = calloc(data->n_runs + 1u, sizeof(json_t *))};
	e->flow = calloc(ENTITIES_MAX, sizeof *e->flow);
	e->link = calloc(ENTITIES_MAX, sizeof *e->link);
	bool listed = e->listed;
	for (; listed && e->n_listed < data->n_runs; e->n_listed += listed)
		listed = (e->listed[e->n_listed] = list_flows(&data->run[e->n_listed])) != NULL;
	if (!listed || !e->flow || !e->link || add_flows(e, data) || add_links(e, data)) {
		weir_entities_free(e);
		return -1;
	}
	give_colours(e, data);
	return 0;
}

void weir_entities_free(struct weir_entities *e)
{
	for (u32 i = 0; i < e->n_flows; i++)
		free(e->flow[i].member);
	for (u32 i = 0; i < e->n_links; i++)
		free(e->link[i].member);
	for (u32 i = 0; i < e->n_listed; i++)
		json_decref(e->listed[i]);
	free(e->listed);
	free(e->flow);
	free(e->link);
	*e = (struct weir_entities){0};
}

/* SPDX-License-Identifier: MIT */
/* Hops and paths: definitions first, then references to them by name. */
#include "check.h"

#include "core/nearest.h"

#include <stdio.h>

/* Hops are defined in the order of the file: first under `hops`, then path by path, the way there before
 * the way back. References are resolved in a second round that counts definitions in the same order. */
struct network {
	struct weir_scenario_hop *hops;
	u32 n_hops, resolved;
	const struct weir_yaml *top, *paths;
};

static bool is_list(const struct weir_yaml *node)
{
	return node && node->kind == WEIR_YAML_LIST && !node->bad;
}

static u32 count_maps(const struct weir_yaml *list)
{
	u32 n = 0;
	for (const struct weir_yaml *item = is_list(list) ? list->first : NULL; item; item = item->next)
		n += item->kind == WEIR_YAML_MAP;
	return n;
}

static u32 find_hop(const struct network *net, const char *name)
{
	for (u32 i = 0; i < net->n_hops; i++)
		if (net->hops[i].name && !strcmp(net->hops[i].name, name))
			return i;
	return WEIR_SCENARIO_NONE;
}

/* ---- one hop ---- */

static void check_rate(struct weir_checker *c, const struct weir_yaml *node, struct weir_scenario_hop *hop)
{
	static const char *const keys[] = {"rate", "trace", "walk"};
	const struct weir_yaml *first = NULL;
	for (u32 i = 0; i < 3; i++) {
		const struct weir_yaml *child = weir_yaml_find(node, keys[i]);
		if (child && first)
			weir_check_mistake(c, child->key_at, "\"%s\" and \"%s\" exclude each other", keys[i],
					   first->key);
		if (child && !first) {
			first = child;
			hop->rate_kind = i;
		}
	}
	if (!first)
		weir_check_mistake(c, node->at, "a hop needs \"rate\", \"trace\" or \"walk\"");
	if (hop->service == WEIR_SCENARIO_EXPONENTIAL &&
	    (hop->rate_kind != WEIR_SCENARIO_FIXED || !hop->rate_bps))
		weir_check_mistake(c, weir_yaml_find(node, "service")->key_at,
				   "service: exponential needs a fixed rate");
}

static void check_after(struct weir_checker *c, const struct weir_yaml *node)
{
	const struct weir_yaml *after = weir_yaml_find(node, "after");
	for (const struct weir_yaml *child = after ? after->first : NULL; child; child = child->next) {
		const struct weir_yaml *twin = child->key ? weir_yaml_find(node, child->key) : NULL;
		if (twin)
			weir_check_mistake(c, twin->key_at,
					   "\"%.60s\" is given twice: here and under `after`", twin->key);
	}
}

static void check_red(struct weir_checker *c, struct weir_scenario_hop *hop)
{
	struct weir_scenario_aqm *red = &hop->aqm;
	if (red->kind != WEIR_SCENARIO_RED)
		return;
	struct weir_scenario_buffer part = hop->buffer;
	part.at = (struct weir_scenario_place){0};
	if (!red->red_min.value) {
		red->red_min = part;
		red->red_min.value = weir_max(part.value / 6, 1);
		red->red_min.least_packets = weir_max(part.least_packets / 6, 1);
	}
	if (!red->red_max.value) {
		red->red_max = part;
		red->red_max.value = weir_max(part.value / 2, 2);
		red->red_max.least_packets = weir_max(part.least_packets / 2, 2);
	}
	if (hop->buffer.kind == WEIR_SCENARIO_UNLIMITED && (!red->red_min.at.line || !red->red_max.at.line))
		weir_check_mistake(c, hop->at, "red on an unlimited buffer needs \"min\" and \"max\"");
	else if (red->red_min.kind == red->red_max.kind && red->red_min.value >= red->red_max.value)
		weir_check_mistake(c, red->red_max.at.line ? red->red_max.at : red->red_min.at,
				   "red: min must be below max");
}

static void define_hop(struct weir_checker *c, struct network *net, const struct weir_yaml *node)
{
	struct weir_scenario_hop *hop = &net->hops[net->n_hops];
	u32 before = c->mistakes;
	hop->at = node->at;
	hop->buffer = (struct weir_scenario_buffer){WEIR_SCENARIO_BDP, 1000000, 10, {0}};
	weir_check_scope(c, WEIR_SCOPE_HOP, node, hop, NULL, true);
	check_rate(c, node, hop);
	check_after(c, node);
	u32 twin = hop->name ? find_hop(net, hop->name) : WEIR_SCENARIO_NONE;
	if (twin != WEIR_SCENARIO_NONE)
		weir_check_mistake(c, weir_yaml_find(node, "name")->at,
				   "a hop \"%.60s\" is defined already in line %u", hop->name,
				   net->hops[twin].at.line);
	net->n_hops++;
	if (c->mistakes != before)
		return;
	if (hop->rate_kind == WEIR_SCENARIO_FIXED && hop->rate_bps == 0 && !hop->buffer.at.line)
		hop->buffer = (struct weir_scenario_buffer){.kind = WEIR_SCENARIO_UNLIMITED};
	if (hop->rate_kind == WEIR_SCENARIO_WALK &&
	    !(hop->walk_min_bps <= hop->rate_bps && hop->rate_bps <= hop->walk_max_bps))
		weir_check_mistake(c, weir_yaml_find(node, "walk")->at,
				   "walk: the mean must lie between min and max");
	check_red(c, hop);
}

static void define_hops(struct weir_checker *c, struct network *net, const struct weir_yaml *list)
{
	for (const struct weir_yaml *item = is_list(list) ? list->first : NULL; item; item = item->next)
		if (item->kind == WEIR_YAML_MAP)
			define_hop(c, net, item);
}

/* ---- paths ---- */

static void unknown_hop(struct weir_checker *c, const struct network *net, const struct weir_yaml *item)
{
	struct weir_nearest near = weir_nearest_to(item->text);
	for (u32 i = 0; i < net->n_hops; i++)
		if (net->hops[i].name)
			weir_nearest_try(&near, net->hops[i].name);
	if (near.name)
		weir_check_mistake(c, item->at, "no hop is called \"%.60s\"; did you mean %s?", item->text,
				   near.name);
	else
		weir_check_mistake(c, item->at, "no hop is called \"%.60s\"", item->text);
}

/* The hops of one direction as indexes; *n counts those that could be resolved. */
static const u32 *resolve(struct weir_checker *c, struct network *net, const struct weir_yaml *list, u32 *n)
{
	*n = 0;
	if (!list || list->bad)
		return NULL;
	if (list->kind != WEIR_YAML_LIST || !list->n) {
		weir_check_mistake(c, list->at,
				   "hops: a list of at least one hop is needed, such as [{name: ...}]");
		return NULL;
	}
	u32 *hops = weir_check_get(c, list->n, sizeof *hops);
	u8 *seen = weir_check_get(c, net->n_hops + 1, 1);
	for (const struct weir_yaml *item = list->first; item && hops && seen; item = item->next) {
		u32 hop = WEIR_SCENARIO_NONE;
		if (item->bad)
			continue;
		if (item->kind == WEIR_YAML_MAP)
			hop = net->resolved++;
		else if (item->kind == WEIR_YAML_LIST)
			weir_check_mistake(c, item->at,
					   "a list in a list: a hop is a map or the name of a hop");
		else if ((hop = find_hop(net, item->text)) == WEIR_SCENARIO_NONE)
			unknown_hop(c, net, item);
		if (hop == WEIR_SCENARIO_NONE)
			continue;
		if (seen[hop])
			weir_check_mistake(c, item->at,
					   "hop \"%.60s\" stands twice in one direction of a path",
					   net->hops[hop].name ? net->hops[hop].name : "?");
		seen[hop] = 1;
		hops[(*n)++] = hop;
	}
	return hops;
}

static void check_back(struct weir_checker *c, struct network *net, struct weir_yaml *back,
		       struct weir_scenario_path *path)
{
	bool was;
	struct weir_back_input in = {.delay_ns = path->back_delay_ns};
	const struct weir_yaml *value = back ? weir_check_pick(c, true, back, &was) : NULL;
	if (!back)
		return;
	weir_check_unpick(c, was);
	if (!value)
		return;
	weir_check_scope(c, WEIR_SCOPE_BACK, value, &in, NULL, true);
	path->back_delay_ns = in.delay_ns;
	const struct weir_yaml *hops = weir_yaml_find(value, "hops"), *delay = weir_yaml_find(value, "delay");
	path->back = resolve(c, net, hops, &path->n_back);
	if (hops && delay)
		weir_check_mistake(c, delay->key_at,
				   "\"delay\" and \"hops\" exclude each other: the hops have delays");
	if (!hops && !delay && value->kind == WEIR_YAML_MAP)
		weir_check_mistake(c, value->at, "a way back needs \"delay\" or \"hops\"");
}

static bool takes_time(const struct weir_scenario_hop *h)
{
	return h->delay_ns || h->rate_kind != WEIR_SCENARIO_FIXED || h->rate_bps;
}

/* Where neither way takes time, no window is enough: a flow would send for ever at one instant. */
static void check_duration(struct weir_checker *c, const struct network *net,
			   const struct weir_scenario_path *path)
{
	bool timed = path->n_hops == 0 || c->tree->catalog->real_packet_bytes ||
		     (path->n_back == 0 && path->back_delay_ns);
	for (u32 i = 0; i < path->n_hops; i++)
		timed |= takes_time(&net->hops[path->hops[i]]);
	for (u32 i = 0; i < path->n_back; i++)
		timed |= takes_time(&net->hops[path->back[i]]);
	if (!timed && c->mistakes == 0)
		weir_check_mistake(c, path->at,
				   "this path takes no time at all: give a hop a rate or a delay");
}

static void check_path(struct weir_checker *c, struct network *net, struct weir_yaml *node,
		       struct weir_scenario_path *path)
{
	path->name = node->key;
	path->at = node->at;
	if (!weir_check_is_name(node->key))
		weir_check_mistake(c, node->key_at, "\"%.64s\" must be 1 to 64 letters, digits, - or _",
				   node->key);
	weir_check_scope(c, WEIR_SCOPE_PATH, node, path, NULL, true);
	path->hops = resolve(c, net, weir_yaml_find(node, "hops"), &path->n_hops);
	for (u32 i = 0; i < path->n_hops; i++)
		path->back_delay_ns += net->hops[path->hops[i]].delay_ns;
	check_back(c, net, weir_yaml_find(node, "back"), path);
	check_duration(c, net, path);
}

static void check_top(struct weir_checker *c, const struct network *net)
{
	if (net->top && !net->top->bad && net->top->kind != WEIR_YAML_LIST)
		weir_check_mistake(c, net->top->at, "hops: a list is needed, such as [{name: ...}]");
	for (const struct weir_yaml *item = is_list(net->top) ? net->top->first : NULL; item;
	     item = item->next)
		if (item->kind != WEIR_YAML_MAP && !item->bad)
			weir_check_mistake(c, item->at, "a hop is a map of keys, such as {name: ...}");
	if (net->paths && !net->paths->bad && (net->paths->kind != WEIR_YAML_MAP || !net->paths->n))
		weir_check_mistake(c, net->paths->at,
				   "paths: a map of at least one path is needed, such as {main: ...}");
}

struct weir_scenario_hop *weir_check_network(struct weir_checker *c, struct weir_scenario *s)
{
	const struct weir_yaml *root = c->tree->root;
	struct network net = {.top = weir_yaml_find(root, "hops"), .paths = weir_yaml_find(root, "paths")};
	check_top(c, &net);
	struct weir_yaml *first_path =
	    net.paths && net.paths->kind == WEIR_YAML_MAP ? net.paths->first : NULL;
	u32 n = count_maps(net.top), n_paths = 0;
	for (const struct weir_yaml *p = first_path; p; p = p->next, n_paths++)
		n += count_maps(weir_yaml_find(p, "hops")) +
		     count_maps(weir_yaml_find(weir_yaml_find(p, "back"), "hops"));
	if (n > WEIR_SCENARIO_MAX_HOPS) {
		weir_check_mistake(c, net.paths ? net.paths->at : root->at, "%u hops: at most 1000", n);
		return NULL;
	}
	net.hops = weir_check_get(c, n + 1, sizeof *net.hops);
	struct weir_scenario_path *paths = weir_check_get(c, n_paths + 1, sizeof *paths);
	if (!net.hops || !paths)
		return NULL;

	define_hops(c, &net, net.top);
	net.resolved = net.n_hops;
	for (const struct weir_yaml *p = first_path; p; p = p->next) {
		define_hops(c, &net, weir_yaml_find(p, "hops"));
		define_hops(c, &net, weir_yaml_find(weir_yaml_find(p, "back"), "hops"));
	}
	u32 i = 0;
	for (struct weir_yaml *p = first_path; p; p = p->next)
		check_path(c, &net, p, &paths[i++]);
	s->hops = net.hops;
	s->n_hops = net.n_hops;
	s->paths = paths;
	s->n_paths = n_paths;
	return net.hops;
}

/* SPDX-License-Identifier: MIT */
/* Flows, and what has to hold between them, their paths and the buffers on these. */
#include "check.h"

#include "core/nearest.h"

#include <stdio.h>

#define HISTORIC_RWND_BYTES 4096
#define HISTORIC_RWND_MAX_BYTES 65535

static bool is_datagram(u32 app)
{
	return app == WEIR_SCENARIO_CBR || app == WEIR_SCENARIO_POISSON;
}

static void find_path(struct weir_checker *c, const struct weir_scenario *s, const struct weir_flow_input *in,
		      const struct weir_yaml *node, struct weir_scenario_flow *flow)
{
	struct weir_nearest near = weir_nearest_to(in->path ? in->path : "");
	if (!in->path && s->n_paths > 1 && !weir_yaml_find(node, "path"))
		weir_check_mistake(c, node->at, "a flow needs \"path\": there are several");
	if (!in->path)
		return;
	for (u32 i = 0; i < s->n_paths; i++) {
		weir_nearest_try(&near, s->paths[i].name);
		if (!strcmp(s->paths[i].name, in->path)) {
			flow->path = i;
			return;
		}
	}
	if (near.name)
		weir_check_mistake(c, in->path_at, "no path is called \"%.60s\"; did you mean %s?", in->path,
				   near.name);
	else
		weir_check_mistake(c, in->path_at, "no path is called \"%.60s\"", in->path);
}

static const char *era_word(u32 era)
{
	return era == WEIR_SCENARIO_ERA_1986 ? "1986" : era == WEIR_SCENARIO_ERA_1988 ? "1988" : "today";
}

/* A datagram application just sends; a stream needs somebody who decides how fast. */
static void check_sender(struct weir_checker *c, const struct weir_yaml *node,
			 const struct weir_scenario_flow *flow)
{
	static const char *const keys[] = {"controller", "endpoint", "transport"};
	const struct weir_yaml *controller = weir_yaml_find(node, "controller");
	if (!is_datagram(flow->app.kind)) {
		bool historic = flow->endpoint.era != WEIR_SCENARIO_MODERN;
		if (!controller && !historic)
			weir_check_mistake(c, node->at, "a flow needs \"controller\"");
		if (controller && historic)
			weir_check_mistake(
			    c, controller->key_at,
			    "controller: an endpoint of %s controls itself: leave it out, or set "
			    "endpoint: {era: modern}",
			    era_word(flow->endpoint.era));
		return;
	}
	for (u32 i = 0; i < 3; i++) {
		const struct weir_yaml *child = weir_yaml_find(node, keys[i]);
		if (child)
			weir_check_mistake(c, child->key_at, "\"%s\" does not apply to datagrams (%s)",
					   keys[i], flow->app.kind == WEIR_SCENARIO_CBR ? "cbr" : "poisson");
	}
}

static bool is_bsd_policy(const struct weir_scenario_endpoint *e)
{
	if (e->ack_policy == WEIR_SCENARIO_ACK_OF_ERA)
		return e->era != WEIR_SCENARIO_MODERN;
	return e->ack_policy != WEIR_SCENARIO_ACK_STANDARD;
}

/* Keys of one way to acknowledge beside the choice of another. */
static void check_ack_keys(struct weir_checker *c, const struct weir_yaml *node, const char *prefix,
			   const struct weir_scenario_endpoint *e)
{
	static const char *const standard[] = {"ack_every", "delayed_ack"};
	const struct weir_yaml *holes = weir_yaml_find(node, "ack_out_of_order");
	for (u32 i = 0; i < 2 && e->era == WEIR_SCENARIO_MODERN && is_bsd_policy(e); i++) {
		const struct weir_yaml *child = weir_yaml_find(node, standard[i]);
		if (child)
			weir_check_mistake(
			    c, child->key_at, "%s\"%s\" does not apply to ack_policy: %s", prefix,
			    standard[i], e->ack_policy == WEIR_SCENARIO_ACK_BSD_OLD ? "bsd-old" : "bsd-new");
	}
	if (e->ack_out_of_order == WEIR_SCENARIO_HOLES_LATE && !is_bsd_policy(e) && holes)
		weir_check_mistake(c, holes->key_at,
				   "%sack_out_of_order: delayed needs ack_policy: bsd-old or bsd-new",
				   prefix);
}

static void check_endpoint(struct weir_checker *c, const struct weir_yaml *node, const char *prefix,
			   const struct weir_scenario_endpoint *e)
{
	/* 0: the value was wrong and that is reported, or it does not apply. */
	if (e->rto_max_ns && e->rto_min_ns > e->rto_max_ns)
		weir_check_mistake(c, node->at, "%srto_min must not be above rto_max", prefix);
	if (e->rwnd_bytes && e->rwnd_bytes < e->mss_bytes)
		weir_check_mistake(c, node->at, "%sreceiver_window must hold at least one mss", prefix);
	if (e->era != WEIR_SCENARIO_MODERN && e->rwnd_bytes > HISTORIC_RWND_MAX_BYTES)
		weir_check_mistake(c, node->at,
				   "%sreceiver_window: of %s it is at most %d B (16 bits of the header)",
				   prefix, era_word(e->era), HISTORIC_RWND_MAX_BYTES);
	check_ack_keys(c, node, prefix, e);
}

/* A receiver of then had 4 KiB where nobody said more. */
static void settle_window(struct weir_scenario_endpoint *e)
{
	if (e->era != WEIR_SCENARIO_MODERN && e->rwnd_bytes == WEIR_SCENARIO_RWND_BYTES)
		e->rwnd_bytes = weir_max(HISTORIC_RWND_BYTES, e->mss_bytes);
}

static void check_flow(struct weir_checker *c, struct weir_scenario *s, const struct weir_yaml *node,
		       bool traffic, struct weir_scenario_flow *flow)
{
	struct weir_flow_input in = {
	    .flow = {.stop_ns = WEIR_NEVER, .endpoint = s->endpoint, .at = node->at}};
	u32 before = c->mistakes;
	if (node->bad)
		return;
	weir_check_scope(c, WEIR_SCOPE_FLOW, node, &in, NULL, true);
	in.flow.traffic = traffic;
	if (node->kind == WEIR_YAML_MAP) {
		find_path(c, s, &in, node, &in.flow);
		check_sender(c, node, &in.flow);
	}
	*flow = in.flow;
	if (flow->start_ns >= flow->stop_ns)
		weir_check_mistake(c, weir_yaml_find(node, "stop")->at, "stop: it must be after the start");
	if (c->mistakes != before)
		return;
	settle_window(&flow->endpoint);
	if (weir_yaml_find(node, "endpoint"))
		check_endpoint(c, weir_yaml_find(node, "endpoint"), "", &flow->endpoint);
	bool in_mss = flow->app.kind == WEIR_SCENARIO_PACED || flow->app.kind == WEIR_SCENARIO_ON_OFF;
	if (in_mss && flow->app.chunk_bytes == 0)
		flow->app.chunk_bytes = flow->endpoint.mss_bytes;
	s->total_flows = weir_add(s->total_flows, flow->count);
}

/* ---- all flows together ---- */

static int by_name(const void *a, const void *b)
{
	const struct weir_scenario_flow *x = *(const struct weir_scenario_flow *const *)a;
	const struct weir_scenario_flow *y = *(const struct weir_scenario_flow *const *)b;
	int order = strcmp(x->name, y->name);
	return order ? order : x < y ? -1 : x > y;
}

static void check_names(struct weir_checker *c, const struct weir_scenario *s)
{
	u32 n = 0;
	const struct weir_scenario_flow **sorted = weir_check_get(c, s->n_flows + 1, sizeof(void *));
	for (u32 i = 0; sorted && i < s->n_flows; i++)
		if (s->flows[i].name)
			sorted[n++] = &s->flows[i];
	if (!sorted)
		return;
	qsort(sorted, n, sizeof(void *), by_name);
	for (u32 i = 1; i < n; i++)
		if (!strcmp(sorted[i - 1]->name, sorted[i]->name))
			weir_check_mistake(c, sorted[i]->at, "a flow \"%.60s\" stands already in line %u",
					   sorted[i]->name, sorted[i - 1]->at.line);
}

/* The largest packet that any flow sends each way along a path. */
struct largest {
	u64 there, back;
};

static void check_hop_buffer(struct weir_checker *c, const struct weir_scenario_hop *hop)
{
	const struct weir_scenario_buffer *b = &hop->buffer;
	u64 bytes = WEIR_NEVER;
	char at_rate[64] = "";
	if (b->kind == WEIR_SCENARIO_BYTES)
		bytes = b->value;
	if (b->kind == WEIR_SCENARIO_NS && hop->rate_kind == WEIR_SCENARIO_FIXED && hop->rate_bps) {
		bytes = weir_muldiv(b->value, hop->rate_bps, 8 * WEIR_NS_PER_S);
		snprintf(at_rate, sizeof at_rate, " at the hop's rate is %llu bytes,", bytes);
	}
	if (bytes < hop->largest_packet_bytes)
		weir_check_mistake(c, b->at, "buffer:%s less than one packet of %llu bytes", at_rate,
				   hop->largest_packet_bytes);
}

static void raise_to(u64 *largest, u64 bytes)
{
	*largest = weir_max(*largest, bytes);
}

/* What does not depend on traces or on whole paths; run/ judges the rest once these are known. */
static void check_buffers(struct weir_checker *c, const struct weir_scenario *s,
			  struct weir_scenario_hop *hops)
{
	struct largest *largest = weir_check_get(c, s->n_paths + 1, sizeof *largest);
	if (!largest)
		return;
	for (u32 i = 0; i < s->n_flows; i++) {
		const struct weir_scenario_flow *f = &s->flows[i];
		struct largest *l = &largest[f->path];
		bool datagram = is_datagram(f->app.kind);
		u64 data = datagram ? f->app.chunk_bytes : f->endpoint.mss_bytes + f->endpoint.header_bytes;
		u64 ack = datagram ? 0 : f->endpoint.header_bytes;
		l->there = weir_max(l->there, f->reverse ? ack : data);
		l->back = weir_max(l->back, f->reverse ? data : ack);
	}
	for (u32 i = 0; i < s->n_paths; i++) {
		const struct weir_scenario_path *p = &s->paths[i];
		raise_to(&largest[i].there, c->tree->catalog->real_packet_bytes);
		raise_to(&largest[i].back, c->tree->catalog->real_packet_bytes);
		for (u32 k = 0; k < p->n_hops; k++)
			raise_to(&hops[p->hops[k]].largest_packet_bytes, largest[i].there);
		for (u32 k = 0; k < p->n_back; k++)
			raise_to(&hops[p->back[k]].largest_packet_bytes, largest[i].back);
	}
	for (u32 i = 0; i < s->n_hops; i++)
		check_hop_buffer(c, &hops[i]);
}

static u32 count_flows(struct weir_checker *c, const struct weir_yaml *list, const char *key)
{
	if (!list || list->bad)
		return 0;
	if (list->kind != WEIR_YAML_LIST || !list->n) {
		weir_check_mistake(c, list->at,
				   "%s: a list of at least one flow is needed, such as [{name: ...}]", key);
		return 0;
	}
	return list->n;
}

void weir_check_flows(struct weir_checker *c, struct weir_scenario *s, struct weir_scenario_hop *hops)
{
	static const char *const keys[] = {"flows", "traffic"};
	const struct weir_yaml *root = c->tree->root, *lists[2];
	u32 before = c->mistakes, n = 0;
	const struct weir_yaml *endpoint = weir_yaml_find(root, "endpoint");
	if (endpoint && endpoint->kind == WEIR_YAML_MAP) {
		struct weir_scenario_endpoint settled = s->endpoint;
		settle_window(&settled);
		check_endpoint(c, endpoint, "endpoint: ", &settled);
	}
	for (u32 i = 0; i < 2; i++) {
		lists[i] = weir_yaml_find(root, keys[i]);
		n += count_flows(c, lists[i], keys[i]);
	}
	if (!lists[0] && !lists[1] && !c->tree->catalog->real_packet_bytes)
		weir_check_mistake(c, root->at, "a scenario needs \"flows\" (or \"traffic\")");
	struct weir_scenario_flow *flows = weir_check_get(c, n + 1, sizeof *flows);
	if (!flows)
		return;
	s->flows = flows;
	for (u32 i = 0; i < 2; i++) {
		bool list = lists[i] && lists[i]->kind == WEIR_YAML_LIST;
		for (const struct weir_yaml *item = list ? lists[i]->first : NULL; item; item = item->next)
			check_flow(c, s, item, i == 1, &flows[s->n_flows++]);
	}
	check_names(c, s);
	if (s->total_flows > WEIR_SCENARIO_MAX_FLOWS)
		weir_check_mistake(c, root->at, "%llu flows: at most 1000000", s->total_flows);
	if (c->mistakes == before)
		check_buffers(c, s, hops);
}

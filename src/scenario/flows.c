/* SPDX-License-Identifier: MIT */
/* Flows, and what has to hold between them, their paths and the buffers on these. */
#include "check.h"

#include "core/nearest.h"

#include <stdio.h>

#define HISTORIC_RWND_BYTES 4096
#define HISTORIC_RWND_MAX_BYTES 65535
#define UDP_HEADER_BYTES 28

static bool is_datagram(u32 app)
{
	return app == WEIR_SCENARIO_CBR || app == WEIR_SCENARIO_POISSON;
}

bool weir_scenario_is_datagram(const struct weir_scenario_flow *f)
{
	return f->transport == WEIR_SCENARIO_UDP || is_datagram(f->app.kind);
}

u64 weir_scenario_packet_bytes(const struct weir_scenario_flow *f)
{
	if (f->transport == WEIR_SCENARIO_ACP)
		return f->app.update_bytes + WEIR_SCENARIO_ACP_HEADER_BYTES + f->endpoint.header_bytes;
	if (f->app.kind == WEIR_SCENARIO_UPDATES && f->transport == WEIR_SCENARIO_UDP)
		return f->app.update_bytes + f->endpoint.header_bytes;
	if (weir_scenario_is_datagram(f))
		return f->app.chunk_bytes;
	return f->endpoint.mss_bytes + f->endpoint.header_bytes;
}

u64 weir_scenario_ack_bytes(const struct weir_scenario_flow *f)
{
	if (f->transport == WEIR_SCENARIO_ACP)
		return WEIR_SCENARIO_ACP_ANSWER_BYTES + f->endpoint.header_bytes;
	return weir_scenario_is_datagram(f) ? 0 : f->endpoint.header_bytes;
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

static const char *app_word(u32 kind)
{
	return kind == WEIR_SCENARIO_CBR ? "cbr" : kind == WEIR_SCENARIO_POISSON ? "poisson" : "updates";
}

void weir_check_refuse(struct weir_checker *c, const struct weir_yaml *node, const char *key,
		       const char *what)
{
	const struct weir_yaml *child = weir_yaml_find(node, key);
	if (child)
		weir_check_mistake(c, child->key_at, "\"%s\" does not apply to %s", key, what);
}

/* A stream needs somebody who decides how fast. */
static void check_stream(struct weir_checker *c, const struct weir_yaml *node,
			 const struct weir_scenario_flow *flow)
{
	const struct weir_yaml *controller = weir_yaml_find(node, "controller");
	bool historic = flow->endpoint.era != WEIR_SCENARIO_MODERN;
	if (!controller && !historic)
		weir_check_mistake(c, node->at, "a flow needs \"controller\"");
	if (controller && historic)
		weir_check_mistake(c, controller->key_at,
				   "controller: an endpoint of %s controls itself: leave it out, or set "
				   "endpoint: {era: modern}",
				   era_word(flow->endpoint.era));
}

/* A datagram application just sends. */
static void check_datagrams(struct weir_checker *c, const struct weir_yaml *node,
			    const struct weir_scenario_flow *flow)
{
	char what[32];
	snprintf(what, sizeof what, "datagrams (%s)", app_word(flow->app.kind));
	weir_check_refuse(c, node, "controller", what);
	if (flow->transport == WEIR_SCENARIO_UDP)
		return;
	weir_check_refuse(c, node, "endpoint", what);
	weir_check_refuse(c, node, "transport", what);
}

static void check_application(struct weir_checker *c, const struct weir_yaml *node,
			      const struct weir_scenario_flow *flow)
{
	const struct weir_yaml *at = weir_yaml_find(node, "application");
	bool updates = flow->app.kind == WEIR_SCENARIO_UPDATES;
	if (flow->transport == WEIR_SCENARIO_ACP && !updates)
		weir_check_mistake(c, at->at, "application: acp carries `updates` only");
	if (flow->transport == WEIR_SCENARIO_UDP && !updates && !is_datagram(flow->app.kind))
		weir_check_mistake(c, at->at,
				   "application: udp carries `updates`, `cbr` or `poisson`: the others are "
				   "streams");
}

static void check_age_controller(struct weir_checker *c, const struct weir_yaml *node,
				 const struct weir_scenario_flow *flow)
{
	const struct weir_scenario_controller *k = &flow->controller;
	bool acp = flow->transport == WEIR_SCENARIO_ACP;
	if (acp && !weir_yaml_find(node, "controller"))
		weir_check_mistake(c, node->at, "a flow needs \"controller\", such as acp-robust");
	if (!k->name || k->subject)
		return;
	bool age = k->index != WEIR_SCENARIO_NONE && c->tree->catalog->controllers[k->index].age;
	bool known = k->index != WEIR_SCENARIO_NONE;
	if (acp && (k->kernel || (known && !age)))
		weir_check_mistake(c, k->at,
				   "%s sets a window; transport: acp needs an age controller, such "
				   "as acp-robust",
				   k->name);
	if (!acp && known && age)
		weir_check_mistake(c, k->at, "%s is an age controller: it needs transport: acp", k->name);
}

/* If so and it is 0, it was wrong, and that is told. */
static bool has_rate(const struct weir_yaml *node)
{
	const struct weir_yaml *application = weir_yaml_find(node, "application");
	return weir_yaml_find(node, "rate") || (application && weir_yaml_find(application, "rate"));
}

/* When values come into being, where nobody said: by their rate if there is one. */
static void settle_updates(struct weir_checker *c, const struct weir_yaml *node,
			   struct weir_scenario_flow *flow)
{
	struct weir_scenario_app *app = &flow->app;
	bool acp = flow->transport == WEIR_SCENARIO_ACP;
	if (app->kind != WEIR_SCENARIO_UPDATES)
		return;
	flow->age.measured = true;
	if (!app->rate_uhz && !has_rate(node) &&
	    (!acp ||
	     (app->generate != WEIR_SCENARIO_NONE && app->generate != WEIR_SCENARIO_GENERATE_AT_SLOT)))
		weir_check_mistake(c, node->at, "updates need \"rate\", such as 20 Hz");
	else if (app->generate == WEIR_SCENARIO_GENERATE_AT_SLOT && !acp)
		weir_check_mistake(c, node->at, "generate: at-slot needs transport: acp");
	else if (app->generate == WEIR_SCENARIO_GENERATE_AT_SLOT && app->rate_uhz)
		weir_check_mistake(c, node->at, "generate: at-slot has no rate of its own");
	if (acp && app->update_bytes > WEIR_SCENARIO_ACP_UPDATE_MAX_BYTES)
		weir_check_mistake(c, node->at,
				   "update: acp carries at most %d B: it must fit into one datagram",
				   WEIR_SCENARIO_ACP_UPDATE_MAX_BYTES);
	if (app->generate == WEIR_SCENARIO_NONE)
		app->generate =
		    app->rate_uhz ? WEIR_SCENARIO_GENERATE_PERIODIC : WEIR_SCENARIO_GENERATE_AT_SLOT;
}

/* Below the updates of udp and acp there are IPv4 and UDP, unless the flow itself says more (IPv6: 48). */
static void settle_header(const struct weir_yaml *node, struct weir_scenario_flow *flow)
{
	const struct weir_yaml *endpoint = weir_yaml_find(node, "endpoint");
	if (flow->transport == WEIR_SCENARIO_TCP)
		return;
	flow->endpoint.era = WEIR_SCENARIO_MODERN;
	if (!endpoint || !weir_yaml_find(endpoint, "header"))
		flow->endpoint.header_bytes = UDP_HEADER_BYTES;
}

/* Who sends, and what fits to whom. */
static void check_sender(struct weir_checker *c, const struct weir_yaml *node,
			 struct weir_scenario_flow *flow)
{
	settle_header(node, flow);
	check_application(c, node, flow);
	check_age_controller(c, node, flow);
	settle_updates(c, node, flow);
	weir_check_content(c, node, flow);
	flow->age.measured |= flow->age.bound_ns > 0;
	if (weir_scenario_is_datagram(flow))
		check_datagrams(c, node, flow);
	else if (flow->transport == WEIR_SCENARIO_TCP)
		check_stream(c, node, flow);
	if (flow->age.ceiling_uhz && flow->age.floor_uhz > flow->age.ceiling_uhz)
		weir_check_mistake(c, weir_yaml_find(node, "floor")->at, "floor: it is above the ceiling");
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
	struct weir_flow_input in = {.flow = {.stop_ns = WEIR_NEVER,
					      .endpoint = s->endpoint,
					      .app = {.generate = WEIR_SCENARIO_NONE},
					      .at = node->at}};
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
	if (flow->transport == WEIR_SCENARIO_TCP && flow->app.kind == WEIR_SCENARIO_UPDATES)
		flow->app.chunk_bytes = flow->app.update_bytes;
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
		u64 data = weir_scenario_packet_bytes(f), ack = weir_scenario_ack_bytes(f);
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

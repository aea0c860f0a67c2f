/* SPDX-License-Identifier: MIT */
#include "emulable.h"

#include "age/wire.h"
#include "core/exit_code.h"
#include "kern/preflight.h"
#include "ktcp/flow.h"
#include "net/udp.h"

#include <stdio.h>
#include <string.h>

/* Linux: TCP_MIN_MSS is 88, and the time stamps take 12 of it. */
#define LEAST_MSS_BYTES 76
#define MTU_MAX_BYTES 65535

static bool is_tcp(const struct weir_scenario_flow *f)
{
	return f->controller.name != NULL && f->transport == WEIR_SCENARIO_TCP;
}

static void check_acp(const struct weir_scenario_set *set, const struct weir_scenario_flow *f,
		      struct weir_diag *diag)
{
	u64 header_bytes = f->endpoint.header_bytes;
	if (header_bytes != WEIR_EMULATED_UDP_HEADER4 && header_bytes != WEIR_EMULATED_UDP_HEADER6)
		weir_scenario_mistake(
		    set, diag, f->at,
		    "%s: header: below real datagrams are %d bytes (IPv4, UDP) or %d (IPv6), not %llu",
		    f->name, WEIR_EMULATED_UDP_HEADER4, WEIR_EMULATED_UDP_HEADER6, header_bytes);
	if (f->app.update_bytes > WEIR_UDP_BYTES - WEIR_AGE_HEADER_BYTES)
		weir_scenario_mistake(set, diag, f->at,
				      "%s: update: real sources send at most %d B, not %llu", f->name,
				      WEIR_UDP_BYTES - WEIR_AGE_HEADER_BYTES, f->app.update_bytes);
}

static void check_flow(const struct weir_scenario_set *set, const struct weir_scenario_flow *f,
		       struct weir_diag *diag)
{
	const struct weir_scenario_endpoint *e = &f->endpoint;
	if (e->era != WEIR_SCENARIO_MODERN)
		weir_scenario_mistake(
		    set, diag, f->at,
		    "%s: era: the endpoint of %s exists in the simulator only: run it with --on sim", f->name,
		    e->era == WEIR_SCENARIO_ERA_1986 ? "1986" : "1988");
	if (f->transport == WEIR_SCENARIO_ACP)
		check_acp(set, f, diag);
	if (!is_tcp(f))
		return;
	if (e->header_bytes != WEIR_EMULATED_HEADER4 && e->header_bytes != WEIR_EMULATED_HEADER6)
		weir_scenario_mistake(
		    set, diag, f->at,
		    "%s: header: the headers of kernel TCP are %d bytes (IPv4) or %d (IPv6), not %llu",
		    f->name, WEIR_EMULATED_HEADER4, WEIR_EMULATED_HEADER6, e->header_bytes);
	if (e->mss_bytes < LEAST_MSS_BYTES || e->mss_bytes + e->header_bytes > MTU_MAX_BYTES)
		weir_scenario_mistake(set, diag, f->at,
				      "%s: mss: kernel TCP takes %d to %llu bytes, not %llu", f->name,
				      LEAST_MSS_BYTES, MTU_MAX_BYTES - e->header_bytes, e->mss_bytes);
}

static u32 paths_in_use(const struct weir_scenario *s)
{
	u32 n = 0;
	for (u32 p = 0; p < s->n_paths; p++) {
		bool used = false;
		for (u32 i = 0; i < s->n_flows; i++)
			used = used || s->flows[i].path == p;
		n += used;
	}
	return n;
}

u32 weir_emulable_check(const struct weir_scenario_set *set, const struct weir_scenario *s,
			struct weir_diag *diag)
{
	u32 before = diag->n;
	if (s->total_flows > WEIR_EMULATED_FLOWS_MAX && s->n_flows)
		weir_scenario_mistake(
		    set, diag, s->flows[0].at,
		    "count: %llu flows; an emulation takes at most %d, each is two processes", s->total_flows,
		    WEIR_EMULATED_FLOWS_MAX);
	if (paths_in_use(s) > WEIR_EMULATED_PAIRS_MAX)
		weir_scenario_mistake(
		    set, diag, s->flows[0].at,
		    "paths: flows on %u of them; an emulation has at most %d pairs of hosts", paths_in_use(s),
		    WEIR_EMULATED_PAIRS_MAX);
	if (s->stop_after_packets && s->n_flows)
		weir_scenario_mistake(set, diag, s->flows[0].at,
				      "stop_after: only a simulation ends by its packets");
	for (u32 i = 0; i < s->n_flows; i++)
		check_flow(set, &s->flows[i], diag);
	return diag->n - before;
}

const char *weir_emulable_controller(const char *name)
{
	return strncmp(name, "kernel:", 7) == 0 ? name + 7 : name;
}

/* Of an entry with a controller of the kernel's own; else NULL. */
static const char *native_of(const struct weir_scenario *s, const struct weir_build_with *with,
			     const struct weir_scenario_flow *f)
{
	if (!weir_build_is_native(s, with, f))
		return NULL;
	return weir_emulable_controller(weir_build_replaces(s, with, f) ? with->controller_name
									: f->controller.name);
}

static bool is_in(const char *name, const char *list)
{
	size_t n = strlen(name);
	for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0))
			return true;
	return false;
}

static void join(void *why, const char *line)
{
	size_t used = strlen(why);
	snprintf((char *)why + used, 512 - used, "%s%s", used ? "; " : "", line);
}

static int check_ours(const struct weir_scenario_flow *f, const struct weir_controller *ours, char why[512])
{
	char sentence[WEIR_KERN_WHY_BYTES];
	if (!is_tcp(f) || weir_controller_is_none(ours))
		return 0;
	if (!weir_controller_kernel_takes(ours, sentence)) {
		snprintf(why, 512, "%.64s: %s", f->name, sentence);
		return WEIR_EXIT_USAGE;
	}
	*why = 0;
	if (!weir_kern_preflight(join, why))
		return 0;
	join(why, "controllers of the kernel's own run without, as kernel:cubic does; so does --on sim");
	return WEIR_EXIT_MACHINE;
}

int weir_emulable_controllers(const struct weir_scenario *s, const struct weir_build_with *with,
			      char why[512])
{
	char list[WEIR_KTCP_WHY_BYTES] = "";
	weir_ktcp_has_controller("reno", list);
	for (u32 i = 0; i < s->n_flows; i++) {
		const u64 *params;
		const struct weir_controller ours = weir_build_ops(s, with, &s->flows[i], &params);
		const char *native = native_of(s, with, &s->flows[i]);
		int code = check_ours(&s->flows[i], &ours, why);
		if (code)
			return code;
		if (!native || is_in(native, list))
			continue;
		snprintf(why, 512, "%s: this kernel has no controller \"%.64s\" of its own; it has: %s",
			 s->flows[i].name, native, list);
		return WEIR_EXIT_MACHINE;
	}
	return 0;
}

/* What an endpoint may ask for and the kernel does in its own way. `asked`: the scenario's value, where it is
 * not what the kernel does anyway. */
struct own_way {
	const char *key, *kernel;
	char asked[48];
};

#define OWN_WAYS 9

static void text_ms(char text[48], u64 ns, u64 usual_ns)
{
	*text = 0;
	if (ns != usual_ns)
		snprintf(text, 48, "%g ms", (double)ns / 1e6);
}

static void text_count(char text[48], u64 n, u64 usual, const char *unit)
{
	*text = 0;
	if (n != usual)
		snprintf(text, 48, "%llu%s", n, unit);
}

static void compare_ways(const struct weir_scenario_endpoint *e, struct own_way way[OWN_WAYS])
{
	static const char *const recovery[] = {"sack", "newreno", "reno"};
	static const struct own_way names[OWN_WAYS] = {
	    {.key = "recovery", .kernel = "SACK, RACK-TLP and PRR"},
	    {.key = "initial_window", .kernel = "10 packets"},
	    {.key = "ack_every", .kernel = "an acknowledgement for each second packet, at first for each"},
	    {.key = "delayed_ack", .kernel = "40 to 200 ms, as it sees fit"},
	    {.key = "rto_min", .kernel = "200 ms"},
	    {.key = "rto_max", .kernel = "120 s"},
	    {.key = "tail_loss_probe", .kernel = "on"},
	    {.key = "undo", .kernel = "on"},
	    {.key = "first_sequence", .kernel = "a random one"},
	};
	memcpy(way, names, sizeof names);
	if (e->recovery != WEIR_SCENARIO_SACK)
		snprintf(way[0].asked, sizeof way[0].asked, "%s", recovery[e->recovery]);
	text_count(way[1].asked, e->initial_window_packets, 10, " packets");
	text_count(way[2].asked, e->ack_every, 2, " packet");
	text_ms(way[3].asked, e->delayed_ack_ns, 200 * WEIR_NS_PER_MS);
	text_ms(way[4].asked, e->rto_min_ns, 200 * WEIR_NS_PER_MS);
	text_ms(way[5].asked, e->rto_max_ns, 120 * WEIR_NS_PER_S);
	snprintf(way[6].asked, sizeof way[6].asked, "%s", e->tail_loss_probe ? "" : "off");
	snprintf(way[7].asked, sizeof way[7].asked, "%s", e->undo ? "" : "off");
	text_count(way[8].asked, e->first_sequence, 0, "");
}

static bool asks_the_same(const struct weir_scenario_flow *f, u32 k, const char *asked)
{
	struct own_way way[OWN_WAYS];
	if (!is_tcp(f))
		return false;
	compare_ways(&f->endpoint, way);
	return strcmp(way[k].asked, asked) == 0;
}

/* "first, second and 3 more": who asks for it, in the order of the scenario. */
static void list_flows(const struct weir_scenario *s, u32 from, u32 k, const char *asked, char text[128])
{
	u32 more = 0;
	size_t used = 0;
	*text = 0;
	for (u32 i = from; i < s->n_flows; i++) {
		if (!asks_the_same(&s->flows[i], k, asked))
			continue;
		if (used + strlen(s->flows[i].name) + 20 > 127)
			more++;
		else
			used += (size_t)snprintf(text + used, 128 - used, "%s%.90s", used ? ", " : "",
						 s->flows[i].name);
	}
	if (more)
		snprintf(text + used, 128 - used, " and %u more", more);
}

static void note_endpoints(const struct weir_scenario *s, struct weir_summary *out)
{
	for (u32 i = 0; i < s->n_flows; i++) {
		struct own_way way[OWN_WAYS];
		if (!is_tcp(&s->flows[i]))
			continue;
		compare_ways(&s->flows[i].endpoint, way);
		for (u32 k = 0; k < OWN_WAYS; k++) {
			bool told = false;
			for (u32 before = 0; before < i; before++)
				told = told || asks_the_same(&s->flows[before], k, way[k].asked);
			if (!*way[k].asked || told)
				continue;
			char who[128];
			list_flows(s, i, k, way[k].asked, who);
			weir_summary_note(out, "%s: the kernel keeps its own %s (%s), not %s", who,
					  way[k].key, way[k].kernel, way[k].asked);
		}
	}
}

static void note_controllers(const struct weir_scenario *s, const struct weir_build_with *with,
			     struct weir_summary *out)
{
	for (u32 i = 0; i < s->n_flows; i++) {
		const struct weir_scenario_controller *c = &s->flows[i].controller;
		if (!c->name || !c->kernel || weir_build_replaces(s, with, &s->flows[i]) ||
		    c->index == WEIR_SCENARIO_NONE)
			continue;
		const struct weir_scenario_catalog_entry *known =
		    &with->registry->catalog.controllers[c->index];
		for (u32 k = 0; k < c->n_params && k < known->n_params; k++)
			if (c->params[k] != known->params[k].default_value)
				weir_summary_note(out,
						  "%s: controller.%s: the kernel's %s has its own parameters",
						  s->flows[i].name, known->params[k].name, c->name);
	}
}

static void note_ecn(const struct weir_scenario *s, struct weir_summary *out)
{
	bool with_ecn = false, without = false;
	for (u32 i = 0; i < s->n_flows; i++) {
		with_ecn = with_ecn || (is_tcp(&s->flows[i]) && s->flows[i].endpoint.ecn);
		without = without || (is_tcp(&s->flows[i]) && !s->flows[i].endpoint.ecn);
	}
	if (with_ecn && without)
		weir_summary_note(out, "ecn: in an emulation all flows have it where one has");
}

/* A datagram says when it left, where it has room for it. */
static void note_ages(const struct weir_scenario *s, struct weir_summary *out)
{
	for (u32 i = 0; i < s->n_flows; i++) {
		const struct weir_scenario_flow *f = &s->flows[i];
		if (!f->age.measured || is_tcp(f) || f->transport == WEIR_SCENARIO_ACP)
			continue;
		if (weir_scenario_packet_bytes(f) < WEIR_EMULATED_UDP_HEADER4 + WEIR_KTCP_STAMP_BYTES)
			weir_summary_note(out,
					  "%s: of datagrams of less than %d bytes no age is measured in an "
					  "emulation",
					  f->name, WEIR_EMULATED_UDP_HEADER4 + WEIR_KTCP_STAMP_BYTES);
	}
}

void weir_emulable_notes(const struct weir_scenario *s, const struct weir_build_with *with,
			 struct weir_summary *out)
{
	note_controllers(s, with, out);
	note_endpoints(s, out);
	note_ecn(s, out);
	note_ages(s, out);
}

u32 weir_emulable_mtu_bytes(const struct weir_scenario *s)
{
	u64 most = 1500;
	for (u32 i = 0; i < s->n_flows; i++) {
		const struct weir_scenario_flow *f = &s->flows[i];
		most = weir_max(most, weir_scenario_packet_bytes(f));
	}
	return (u32)weir_min(most, MTU_MAX_BYTES);
}

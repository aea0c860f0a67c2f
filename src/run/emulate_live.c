/* SPDX-License-Identifier: MIT */
#include "emulate_live.h"

#include "link/trace.h"
#include "traces.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAP_BYTES 128

/* A walk is random: that of its mean. */
static u64 capacity_bytes(void *ctx, u32 hop, u64 now_ns)
{
	const struct weir_emulate_live *l = ctx;
	const struct weir_simulate_config *c = &l->config->run;
	const struct weir_scenario_hop *h = &c->scenario->hops[hop];
	if (h->rate_kind == WEIR_SCENARIO_TRACE)
		return weir_trace_count(weir_traces_find(c->traces, h->trace)->trace, now_ns) *
		       WEIR_TRACE_BYTES;
	return weir_muldiv(l->mean_bps[hop], now_ns, 8 * WEIR_NS_PER_S);
}

int weir_emulate_live_begin(struct weir_emulate_live *l, const struct weir_emulate_config *c,
			    const struct weir_build *b, char why[512])
{
	char log[PATH_MAX], capture[PATH_MAX], sentence[WEIR_LIVE_WHY_BYTES];
	const struct weir_scenario *s = b->scenario;
	*l = (struct weir_emulate_live){.config = c, .mean_bps = b->mean_bps};
	if (!c->live.pcap && !c->live.mahimahi)
		return 0;
	struct weir_live_hop *hop = calloc(s->n_hops + 1u, sizeof *hop);
	if (!hop) {
		snprintf(why, 512, "out of memory");
		return -1;
	}
	for (u32 i = 0; i < s->n_hops; i++) {
		hop[i] = (struct weir_live_hop){.name = s->hops[i].name,
						.queue = weir_exports_queue_name(s->hops[i].aqm.kind)};
		snprintf(
		    hop[i].about, sizeof hop[i].about,
		    "times: ms since the start of the scenario; delays: the wait in the queue of this hop");
	}
	snprintf(log, sizeof log, "%s/mahimahi", c->directory);
	snprintf(capture, sizeof capture, "%s/packets.pcap", c->directory);
	l->live = weir_live_open(&(struct weir_live_config){.command = "weir run",
							    .log = c->live.mahimahi ? log : NULL,
							    .capture = c->live.pcap ? capture : NULL,
							    .snap_bytes = SNAP_BYTES,
							    .hop = hop,
							    .n_hops = c->live.mahimahi ? s->n_hops : 0,
							    .capacity_bytes = capacity_bytes,
							    .ctx = l},
				 sentence);
	free(hop);
	if (!l->live)
		snprintf(why, 512, "%s", sentence);
	return l->live ? 0 : -1;
}

static int give_name(const char *directory, const char *from, const char *to, char why[512])
{
	char old[PATH_MAX], new[PATH_MAX];
	snprintf(old, sizeof old, "%s/%s", directory, from);
	snprintf(new, sizeof new, "%s/%s", directory, to);
	if (rename(old, new) == 0)
		return 0;
	snprintf(why, 512, "cannot write %.200s: %s", to, strerror(errno));
	return -1;
}

int weir_emulate_live_end(struct weir_emulate_live *l, u64 end_ns, struct weir_summary *out, char why[512])
{
	const struct weir_emulate_config *c = l->config;
	const struct weir_scenario *s = c->run.scenario;
	struct weir_live_lost lost = {0};
	char sentence[WEIR_LIVE_WHY_BYTES];
	if (!l->live)
		return 0;
	int failed = weir_live_close(l->live, end_ns, &lost, sentence);
	l->live = NULL;
	if (failed)
		snprintf(why, 512, "%s", sentence);
	for (u32 i = 0; c->live.mahimahi && !failed && i < s->n_hops; i++) {
		char from[128], to[128];
		snprintf(from, sizeof from, "mahimahi.%.100s", s->hops[i].name);
		snprintf(to, sizeof to, "mahimahi-%.100s.log", s->hops[i].name);
		failed = give_name(c->directory, from, to, why);
	}
	if (c->live.pcap && !failed)
		failed = give_name(c->directory, "packets-beyond.pcap", "packets-receiver.pcap", why);
	if (lost.events || lost.packets)
		weir_summary_note(out,
				  "logs: %llu events and %llu packets are missing, the disk was too slow",
				  lost.events, lost.packets);
	return failed;
}

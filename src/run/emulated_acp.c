/* SPDX-License-Identifier: MIT */
/* The parent's side of an acp flow. */
#include "emulated_acp_shared.h"
#include "net/monitor_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct weir_emulated_acp {
	struct weir_acp_shared *shared;
	struct weir_ktcp_pair pair;
	/* as read last */
	struct weir_acp_source_said source;
	struct weir_acp_monitor_said monitor;
};

static int live(void *ctx, const struct weir_ktcp_birth *b)
{
	return b->side == WEIR_KTCP_SENDER ? weir_acp_source_live(ctx, b) : weir_acp_monitor_live(ctx, b);
}

/* The reason of a side that failed. */
static bool explain(const struct weir_emulated_acp *a, char why[WEIR_KTCP_WHY_BYTES])
{
	static const char *const names[] = {"source", "monitor"};
	for (u32 i = 0; i < WEIR_KTCP_SIDES; i++) {
		const struct weir_acp_side *side = &a->shared->side[i];
		if (!__atomic_load_n(&side->failed, __ATOMIC_ACQUIRE))
			continue;
		snprintf(why, WEIR_KTCP_WHY_BYTES, "acp, %s: %.200s", names[i], side->why);
		return true;
	}
	return false;
}

struct weir_emulated_acp *weir_emulated_acp_start(const struct weir_emulated_acp_config *c,
						  char why[WEIR_KTCP_WHY_BYTES])
{
	struct weir_emulated_acp *a = calloc(1, sizeof *a);
	if (!a) {
		snprintf(why, WEIR_KTCP_WHY_BYTES, "acp: out of memory");
		return NULL;
	}
	a->shared = mmap(NULL, sizeof *a->shared, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (a->shared == MAP_FAILED) {
		snprintf(why, WEIR_KTCP_WHY_BYTES, "acp: no shared memory: %s", strerror(errno));
		free(a);
		return NULL;
	}
	a->shared->config = *c;
	if (weir_ktcp_pair_start(&a->pair, c->ns, live, a->shared, why) < 0) {
		explain(a, why);
		weir_emulated_acp_free(a);
		return NULL;
	}
	return a;
}

/* Between two events the estimate grows, and the backlog is what it is. */
static void count_on(struct weir_flow_age *out, const struct weir_acp_source_said *s, u64 until_ns)
{
	if (!s->age.estimate.known || until_ns <= s->counted_ns)
		return;
	weir_ledger_advance(&out->estimate, NULL, until_ns);
	out->backlog_area_s += (double)s->in_flight * (double)(until_ns - s->counted_ns) / 1e9;
}

void weir_emulated_acp_look(struct weir_emulated_acp *a, u64 now_ns, struct weir_emulated_acp_seen *out)
{
	const struct weir_acp_shared *shared = a->shared;
	u64 until_ns = weir_min(now_ns, shared->config.stop_ns);
	char why[WEIR_KTCP_WHY_BYTES];
	weir_published(&shared->side[WEIR_KTCP_SENDER].version, shared->source, &a->source, sizeof a->source);
	weir_published(&shared->side[WEIR_KTCP_RECEIVER].version, shared->monitor, &a->monitor,
		       sizeof a->monitor);
	*out = (struct weir_emulated_acp_seen){
	    .age = a->source.age,
	    .delivered_bytes = a->monitor.delivered_bytes,
	    .srtt_ns = a->source.srtt_ns,
	    .min_rtt_ns = a->source.min_rtt_ns,
	    .rtt_n = a->source.rtt_n,
	    .rtt_sum_ns = a->source.rtt_sum_ns,
	    .in_flight = a->source.in_flight,
	    .failed = explain(a, why),
	};
	out->age.acp = true;
	out->age.age = a->monitor.age;
	out->age.fresh = a->monitor.fresh;
	out->age.late = a->monitor.late;
	weir_ledger_advance(&out->age.age, NULL, until_ns);
	count_on(&out->age, &a->source, until_ns);
}

void weir_emulated_acp_tell(struct weir_emulated_acp *a)
{
	__atomic_store_n(&a->shared->ending, 1, __ATOMIC_RELEASE);
	weir_ktcp_pair_tell(&a->pair);
}

int weir_emulated_acp_finish(struct weir_emulated_acp *a, char why[WEIR_KTCP_WHY_BYTES])
{
	weir_emulated_acp_tell(a);
	if (weir_ktcp_pair_finish(&a->pair, why) < 0)
		return -1;
	return explain(a, why) ? -1 : 0;
}

void weir_emulated_acp_spreads(const struct weir_emulated_acp *a, struct weir_hist *rtt_ns,
			       struct weir_age_spread *age)
{
	weir_hist_merge(rtt_ns, &a->shared->rtt_ns);
	if (age)
		*age = a->shared->age;
}

void weir_emulated_acp_free(struct weir_emulated_acp *a)
{
	char why[WEIR_KTCP_WHY_BYTES];
	if (!a)
		return;
	weir_emulated_acp_finish(a, why);
	munmap(a->shared, sizeof *a->shared);
	free(a);
}

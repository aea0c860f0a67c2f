/* SPDX-License-Identifier: MIT */
#include "ferry_state.h"

#include <stdlib.h>
#include <string.h>

#define HOP_WORDS (sizeof(struct weir_ferry_hop) / sizeof(u64))
#define FLOW_WORDS (sizeof(struct weir_ferry_flow) / sizeof(u64))
#define SELF_WORDS (sizeof(struct weir_ferry_self) / sizeof(u64))
_Static_assert(sizeof(struct weir_ferry_hop) % sizeof(u64) == 0, "copied in words");
_Static_assert(sizeof(struct weir_ferry_flow) % sizeof(u64) == 0, "copied in words");

int ferry_watch_begin(struct weir_ferry *f)
{
	const struct weir_ferry_config *c = &f->config;
	f->mark_ns = weir_min(c->publish_ns ? 0 : WEIR_NEVER, c->warmup_ns ? c->warmup_ns : WEIR_NEVER);
	f->snapshot_words = SELF_WORDS + f->n_hops * HOP_WORDS + c->n_flows * FLOW_WORDS;
	if (!c->publish_ns)
		return 0;
	for (u32 i = 0; i < FERRY_SNAPSHOTS; i++) {
		free(f->snapshot[i].words);
		f->snapshot[i].words = calloc(f->snapshot_words, sizeof(u64));
		if (!f->snapshot[i].words)
			return -1;
	}
	return 0;
}

void ferry_watch_end(struct weir_ferry *f)
{
	for (u32 i = 0; i < FERRY_SNAPSHOTS; i++)
		free(f->snapshot[i].words);
}

/* ---- flows ---- */

static struct ferry_flow *flow_of(struct weir_ferry *f, u32 flow)
{
	return flow < f->config.n_flows ? &f->flow[flow] : NULL;
}

static bool is_data(const struct weir_ferry *f, const struct ferry_flow *flow, const struct weir_slot *slot)
{
	return f->port[slot->port].way == flow->way;
}

void ferry_flow_entered(struct weir_ferry *f, const struct weir_slot *slot, u32 bytes)
{
	struct ferry_flow *flow = flow_of(f, slot->flow);
	if (!flow)
		return;
	if (is_data(f, flow, slot)) {
		flow->seen.in_packets++;
		flow->seen.in_bytes += bytes;
	} else {
		flow->seen.ack_in_packets++;
	}
}

void ferry_flow_dropped(struct weir_ferry *f, const struct weir_slot *slot)
{
	struct ferry_flow *flow = flow_of(f, slot->flow);
	if (flow && is_data(f, flow, slot))
		flow->seen.dropped_packets++;
	else if (flow)
		flow->seen.ack_dropped_packets++;
}

void ferry_flow_delivered(struct weir_ferry *f, const struct weir_slot *slot, const struct ferry_leaving *l,
			  u64 after_ns)
{
	struct ferry_flow *flow = flow_of(f, l->flow);
	if (!flow)
		return;
	struct weir_ferry_flow *seen = &flow->seen;
	if (!is_data(f, flow, slot)) {
		seen->ack_out_packets++;
		return;
	}
	u64 delay_ns = weir_sub(after_ns, slot->arrived_ns);
	seen->out_packets++;
	seen->out_bytes += l->bytes;
	seen->ce_packets += l->marked;
	seen->delay_n++;
	seen->delay_sum_ns += delay_ns;
	seen->queue_n++;
	seen->queue_sum_ns += l->wait_ns;
	if (seen->delay_ns)
		weir_hist_add(seen->delay_ns, delay_ns);
	if (seen->queue_ns)
		weir_hist_add(seen->queue_ns, l->wait_ns);
}

/* ---- snapshots ---- */

static void look_at_hop(struct ferry_hop *hop, u64 now_ns, struct weir_ferry_hop *out)
{
	u64 packets, bytes;
	struct weir_link *link = hop->link;
	link->ops->settle(link, now_ns);
	link->ops->held(link, now_ns, &packets, &bytes, &out->waiting_bytes);
	out->stats = link->stats;
	out->wait_n = hop->waited_n + (link->stats.wait ? link->stats.wait->n : 0);
	out->wait_sum_ns = hop->waited_sum_ns + (link->stats.wait ? link->stats.wait->sum : 0);
}

static u64 *put_words(u64 *to, const void *from, size_t words)
{
	u64 word;
	for (size_t i = 0; i < words; i++) {
		memcpy(&word, (const u8 *)from + i * sizeof word, sizeof word);
		__atomic_store_n(to + i, word, __ATOMIC_RELAXED);
	}
	return to + words;
}

static const u64 *get_words(const u64 *from, void *to, size_t words)
{
	for (size_t i = 0; to && i < words; i++) {
		u64 word = __atomic_load_n(from + i, __ATOMIC_RELAXED);
		memcpy((u8 *)to + i * sizeof word, &word, sizeof word);
	}
	return from + words;
}

/* A sequence lock: readers see an even version before and the same after, or try later. */
static void publish(struct weir_ferry *f)
{
	u64 index = f->published++;
	struct ferry_snapshot *s = &f->snapshot[index % FERRY_SNAPSHOTS];
	u64 *to = s->words;
	__atomic_store_n(&s->version, 2 * index + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	to = put_words(to, &f->self, SELF_WORDS);
	f->self.late_max_ns = 0;
	for (u32 i = 0; i < f->n_hops; i++) {
		struct weir_ferry_hop hop;
		look_at_hop(f->hop[i], f->now_ns, &hop);
		to = put_words(to, &hop, HOP_WORDS);
	}
	for (u32 i = 0; i < f->config.n_flows; i++)
		to = put_words(to, &f->flow[i].seen, FLOW_WORDS);
	__atomic_store_n(&s->version, 2 * index + 2, __ATOMIC_RELEASE);
}

static void clear(struct weir_hist *h)
{
	if (h)
		weir_hist_clear(h);
}

static void end_warmup(struct weir_ferry *f)
{
	for (u32 i = 0; i < f->n_hops; i++) {
		struct weir_hist *wait = f->hop[i]->link->stats.wait;
		f->hop[i]->waited_n += wait ? wait->n : 0;
		f->hop[i]->waited_sum_ns += wait ? wait->sum : 0;
		clear(wait);
	}
	for (u32 i = 0; i < f->config.n_flows; i++) {
		clear(f->flow[i].seen.delay_ns);
		clear(f->flow[i].seen.queue_ns);
	}
}

void ferry_mark(struct weir_ferry *f)
{
	const struct weir_ferry_config *c = &f->config;
	u64 mark_ns = f->mark_ns;
	if (mark_ns == c->warmup_ns && c->warmup_ns)
		end_warmup(f);
	if (c->publish_ns && mark_ns == f->published * c->publish_ns)
		publish(f);
	f->mark_ns = c->publish_ns ? f->published * c->publish_ns : WEIR_NEVER;
	if (c->warmup_ns > mark_ns)
		f->mark_ns = weir_min(f->mark_ns, c->warmup_ns);
}

int weir_ferry_snapshot(struct weir_ferry *f, u64 index, struct weir_ferry_snapshot *out)
{
	struct ferry_snapshot *s = &f->snapshot[index % FERRY_SNAPSHOTS];
	u64 wanted = 2 * index + 2, version = __atomic_load_n(&s->version, __ATOMIC_ACQUIRE);
	if (version < wanted || !s->words)
		return 1;
	const u64 *from = get_words(s->words, &out->self, SELF_WORDS);
	for (u32 i = 0; i < f->n_hops; i++)
		from = get_words(from, out->hop ? &out->hop[i] : NULL, HOP_WORDS);
	for (u32 i = 0; i < f->config.n_flows; i++)
		from = get_words(from, out->flow ? &out->flow[i] : NULL, FLOW_WORDS);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	out->now_ns = index * f->config.publish_ns;
	return __atomic_load_n(&s->version, __ATOMIC_RELAXED) == wanted ? 0 : -1;
}

void weir_ferry_now(struct weir_ferry *f, struct weir_ferry_snapshot *out)
{
	out->now_ns = f->now_ns;
	out->self = f->self;
	for (u32 i = 0; out->hop && i < f->n_hops; i++)
		look_at_hop(f->hop[i], f->now_ns, &out->hop[i]);
	for (u32 i = 0; out->flow && i < f->config.n_flows; i++)
		out->flow[i] = f->flow[i].seen;
}

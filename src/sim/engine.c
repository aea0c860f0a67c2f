/* SPDX-License-Identifier: MIT */
/* The clock: what is next, and nothing else. */
#include "state.h"

#include <assert.h>

/* A cache miss lasts about as long as ten events. The lines that every packet of its kind touches are asked
 * for that long before; what hangs on their contents half as long. */
#define PREFETCH_FLOW_AHEAD 12
#define PREFETCH_MORE_AHEAD 5
#define PREFETCH_FROM_FLOWS 64 /* fewer flows stay in the cache by themselves */
#define LINE_BYTES 64
#define SENDER_HOT_LINES 7
#define SENDER_LINES 11

static inline void prefetch_lines(const void *from, u32 first, u32 end)
{
	for (u32 line = first; line < end; line++)
		__builtin_prefetch((const char *)from + line * LINE_BYTES, 1);
}

static inline void prefetch_flow(const struct weir_world *w, const struct weir_packet *p)
{
	const struct weir_sim_flow *f = &w->flows[p->flow];
	__builtin_prefetch(f, 1);
	if (p->flags & WEIR_SIM_BACKWARD)
		prefetch_lines(&f->sender, 0, SENDER_HOT_LINES);
	else
		prefetch_lines(&f->receiver, 0, 2);
}

static inline void prefetch_more(const struct weir_world *w, const struct weir_packet *p)
{
	const struct weir_sim_flow *f = &w->flows[p->flow];
	const struct weir_sender *s = &f->sender;
	if (!(p->flags & WEIR_SIM_BACKWARD)) {
		if (f->receiver.n_ranges)
			__builtin_prefetch(&f->receiver.ranges[f->receiver.n_ranges - 1], 1);
		return;
	}
	if (!s->slots.at)
		return;
	__builtin_prefetch(weir_slots_get(&s->slots, s->slots.head), 1);
	__builtin_prefetch(weir_slots_get(&s->slots, s->slots.tail), 1);
	if (!s->steady)
		prefetch_lines(s, SENDER_HOT_LINES, SENDER_LINES);
	if (p->ext && p->flags & WEIR_SIM_ACK)
		__builtin_prefetch(weir_slip(&w->sacks, p->ext), 1);
}

static inline void prefetch(const struct weir_world *w, const struct weir_line *line)
{
	const struct weir_packet *far = weir_line_peek(line, PREFETCH_FLOW_AHEAD);
	const struct weir_packet *near = weir_line_peek(line, PREFETCH_MORE_AHEAD);
	if (far)
		prefetch_flow(w, far);
	if (near)
		prefetch_more(w, near);
}

static u32 hop_after(const struct weir_world *w, u32 hop, const struct weir_packet *p)
{
	const struct weir_sim_flow *f = &w->flows[p->flow];
	return w->next[(u64)weir_sim_row(f, p->flags & WEIR_SIM_BACKWARD) * w->n_hops + hop];
}

static void tap_departure(struct weir_world *w, u32 hop, const struct weir_packet *p)
{
	if (w->taps.on_hop_departure)
		w->taps.on_hop_departure(w->taps.ctx, w->now_ns - w->hops[hop].delay_ns, hop, p->bytes,
					 weir_waits_leave(&w->waits, hop, p));
}

/* Apart, so that the way to an endpoint, which every packet goes, stays short. */
static __attribute__((noinline)) void push_on(struct weir_world *w, u32 hop, const struct weir_packet *p)
{
	weir_sim_push(w, hop, p);
}

static inline void forward(struct weir_world *w, u32 hop, const struct weir_packet *p)
{
	const struct weir_sim_hop *h = &w->hops[hop];
	u32 next = __builtin_expect(h->mixed, 0) ? hop_after(w, hop, p) : h->next;
	if (__builtin_expect(w->tapped, 0))
		tap_departure(w, hop, p);
	if (next == WEIR_NONE)
		weir_sim_arrive(w, p);
	else
		push_on(w, next, p);
}

static inline void run_line(struct weir_world *w, u32 hop)
{
	struct weir_line *line = w->hops[hop].line;
	struct weir_packet p;
	u64 due_ns;
	if (w->n_flows > PREFETCH_FROM_FLOWS)
		prefetch(w, line);
	bool taken = weir_line_pop(line, w->now_ns, &p, &due_ns);
	weir_heads_set(&w->heads, hop, weir_line_head_ns(line));
	if (taken)
		forward(w, hop, &p);
}

static void run_link(struct weir_world *w, u32 hop)
{
	struct weir_link *link = w->hops[hop].link;
	struct weir_packet p;
	u64 due_ns;
	u32 port;
	bool taken = link->ops->pop(link, w->now_ns, &port, &p, &due_ns);
	weir_heads_set(&w->heads, hop, link->ops->next_ns(link));
	if (taken)
		forward(w, hop, &p);
}

/* An entry that is not the earliest of its kind and flow any more is dropped here. */
static bool is_current(u64 *armed_ns, u64 at_ns)
{
	if (*armed_ns != at_ns)
		return false;
	*armed_ns = WEIR_NEVER;
	return true;
}

static void run_timer(struct weir_world *w)
{
	struct weir_timer_entry e = weir_timers_pop(&w->timers);
	u32 flow = (u32)e.key;
	struct weir_sim_flow *f = &w->flows[flow];
	weir_heads_set(&w->heads, w->n_hops, weir_timers_head_ns(&w->timers));
	switch ((enum weir_timer_kind)(e.key >> 32)) {
	case WEIR_TIMER_START:
		weir_sim_start(w, flow);
		break;
	case WEIR_TIMER_STOP:
		weir_sim_stop(w, flow);
		break;
	case WEIR_TIMER_APP:
		if (is_current(&f->app->armed_ns, e.at_ns))
			weir_sim_app_due(w, flow);
		break;
	case WEIR_TIMER_REQUEST:
		if (is_current(&f->app->request_armed_ns, e.at_ns))
			weir_sim_request_due(w, flow);
		break;
	case WEIR_TIMER_SENDER:
		if (is_current(&f->sender_armed_ns, e.at_ns))
			weir_sim_sender_due(w, flow);
		break;
	case WEIR_TIMER_RECEIVER:
		if (is_current(&f->receiver_armed_ns, e.at_ns))
			weir_sim_receiver_due(w, flow);
		break;
	case WEIR_TIMER_KINDS:
		break;
	}
}

#ifdef WEIR_DEBUG_CHECKS
/* Nothing appears or vanishes: each hop's books balance after every event. */
static void check_conservation(struct weir_world *w)
{
	for (u32 i = 0; i < w->n_hops; i++) {
		struct weir_link *link = w->hops[i].link;
		u64 packets, bytes, waiting_bytes, dropped_bytes = 0;
		link->ops->settle(link, w->now_ns);
		link->ops->held(link, w->now_ns, &packets, &bytes, &waiting_bytes);
		const struct weir_link_stats *s = &link->stats;
		for (int why = 0; why < WEIR_DROP_REASONS; why++)
			dropped_bytes += s->dropped_bytes[why];
		assert(s->in_packets + s->duplicated_packets ==
		       s->out_packets + weir_link_dropped(s) + packets);
		assert(s->in_bytes + s->duplicated_bytes == s->out_bytes + dropped_bytes + bytes);
		assert(waiting_bytes <= bytes);
	}
}
#endif

static void run_events(struct weir_world *w, u64 until_ns)
{
	u32 timers = w->n_hops;
	while (!w->failed) {
		u32 first = weir_heads_first(&w->heads);
		u64 at_ns = w->heads.at_ns[first];
		if (at_ns > until_ns)
			break;
		assert(at_ns >= w->now_ns);
		w->now_ns = at_ns;
		w->events++;
		if (first == timers)
			run_timer(w);
		else if (w->hops[first].line)
			run_line(w, first);
		else
			run_link(w, first);
#ifdef WEIR_DEBUG_CHECKS
		check_conservation(w);
#endif
	}
}

int weir_world_run(struct weir_world *w, u64 until_ns)
{
	if (!w->ready && (w->failed || !weir_sim_prepare(w)))
		return -1;
	run_events(w, weir_min(until_ns, WEIR_NEVER - 1));
	if (!w->failed && until_ns != WEIR_NEVER)
		w->now_ns = weir_max(w->now_ns, until_ns);
	for (u32 i = 0; i < w->n_hops; i++) {
		struct weir_link *link = w->hops[i].link;
		link->ops->settle(link, w->now_ns); /* totals of flows know of every loss by now */
		w->failed |= link->failed;
	}
	return w->failed ? -1 : 0;
}

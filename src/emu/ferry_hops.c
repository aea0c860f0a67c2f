/* SPDX-License-Identifier: MIT */
#include "ferry_state.h"

static void on_drop(void *ctx, struct weir_link *link, u64 now_ns, const struct weir_packet *p,
		    enum weir_drop_reason why)
{
	struct ferry_hop *hop = ctx;
	struct weir_ferry *f = hop->ferry;
	struct weir_slot *slot = weir_slot_at(&f->pool, ferry_packet_slot(p));
	(void)link;
	(void)why;
	ferry_flow_dropped(f, slot);
	if (f->taps.on_hop_drop)
		f->taps.on_hop_drop(f->taps.ctx, now_ns, hop->index, p->bytes);
	weir_slot_drop(&f->pool, slot);
}

static void on_duplicate(void *ctx, const struct weir_packet *p)
{
	struct ferry_hop *hop = ctx;
	weir_slot_at(&hop->ferry->pool, ferry_packet_slot(p))->users++;
}

struct weir_link_owner ferry_hop_owner(struct ferry_hop *hop)
{
	return (struct weir_link_owner){.ctx = hop, .on_drop = on_drop, .on_duplicate = on_duplicate};
}

static bool has_room(const struct weir_ferry *f)
{
	return f->n_runs < FERRY_RUNS && f->n_leaving < FERRY_LEAVING;
}

static void push(struct weir_ferry *f, u32 h, u64 now_ns, const struct weir_packet *p)
{
	struct weir_link *link = f->hop[h]->link;
	if (f->taps.on_hop_arrival)
		f->taps.on_hop_arrival(f->taps.ctx, now_ns, h, p->bytes);
	link->ops->push(link, now_ns, 0, p);
}

/* All segments of the packet arrive together, as they would behind a network card far faster than the link.
 */
static void enter(struct weir_ferry *f, struct ferry_port *port)
{
	struct weir_slot *slot = weir_slot_at(&f->pool, port->first_staged);
	u32 n = slot->cut.segments, h = f->path[port->path].hop[0];
	ferry_stage_pop(f, port);
	slot->pushed_ns = f->now_ns;
	slot->users = n;
	struct weir_packet p = {.flow = slot->flow, .ecn = slot->frame.ecn};
	for (u32 i = 0; i < n; i++) {
		p.ref = (u64)i << 32 | slot->self;
		p.bytes = (u16)weir_cut_segment_bytes(&slot->cut, &slot->frame, slot->bytes, i);
		ferry_flow_entered(f, slot, p.bytes);
		if (f->taps.on_packet)
			ferry_tap_packet(f, f->now_ns, slot, i, false, slot->port, false);
		push(f, h, f->now_ns, &p);
	}
	f->next_ns[h] = f->hop[h]->link->ops->next_ns(f->hop[h]->link);
}

static void depart(struct weir_ferry *f, u32 h, struct weir_packet *p, u64 due_ns)
{
	struct weir_slot *slot = weir_slot_at(&f->pool, ferry_packet_slot(p));
	const struct ferry_path *path = &f->path[f->port[slot->port].path];
	if (f->taps.on_hop_departure)
		f->taps.on_hop_departure(f->taps.ctx, due_ns, h, p->bytes, weir_packet_wait_ns(p));
	if (p->flags + 1u == path->n) {
		ferry_leave(f, slot, p, due_ns);
		return;
	}
	u32 next = path->hop[++p->flags];
	p->ext = (u32)weir_min((u64)p->ext + p->queued_16ns, 0xffffffffU);
	p->queued_16ns = 0;
	push(f, next, due_ns, p);
	f->next_ns[next] = f->hop[next]->link->ops->next_ns(f->hop[next]->link);
}

/* One packet that leaves hop h by until_ns. A hop may have had something to do inside only. */
static void take(struct weir_ferry *f, u32 h, u64 until_ns)
{
	struct weir_link *link = f->hop[h]->link;
	struct weir_packet p;
	u64 due_ns;
	bool any = weir_hop_pop_certain(link, f->now_ns, until_ns, &p, &due_ns);
	f->next_ns[h] = link->ops->next_ns(link);
	if (any)
		depart(f, h, &p, due_ns);
	else
		f->next_ns[h] = weir_max(f->next_ns[h], until_ns + 1);
}

static u32 earliest_hop(const struct weir_ferry *f)
{
	u32 best = 0;
	for (u32 i = 1; i < f->n_hops; i++)
		best = f->next_ns[i] < f->next_ns[best] ? i : best;
	return best;
}

static struct ferry_port *earliest_staged(const struct weir_ferry *f, u64 *at_ns)
{
	struct ferry_port *best = NULL;
	*at_ns = WEIR_NEVER;
	for (u32 i = 0; i < f->n_staging; i++) {
		struct ferry_port *port = &f->port[f->staging[i]];
		u64 ns = weir_slot_at(&f->pool, port->first_staged)->pushed_ns;
		if (ns < *at_ns) {
			*at_ns = ns;
			best = port;
		}
	}
	return best;
}

/* Everything up to the horizon, in the order of time; at equal times departures come first. False when the
 * runs are full before that. */
static bool advance_all(struct weir_ferry *f, u64 horizon_ns)
{
	while (has_room(f)) {
		u32 h = earliest_hop(f);
		u64 arrival_ns, hop_ns = f->next_ns[h];
		struct ferry_port *port = earliest_staged(f, &arrival_ns);
		u64 now_ns = weir_min(weir_min(arrival_ns, hop_ns), f->mark_ns);
		if (now_ns > horizon_ns) {
			f->now_ns = weir_max(f->now_ns, horizon_ns);
			return true;
		}
		f->now_ns = weir_max(f->now_ns, now_ns);
		if (hop_ns <= now_ns)
			take(f, h, f->now_ns);
		else if (f->mark_ns <= now_ns)
			ferry_mark(f);
		else
			enter(f, port);
	}
	return false;
}

/* What leaves after the horizon, but is certain by now: what arrives later leaves still later. */
static bool take_certain(struct weir_ferry *f, u64 until_ns)
{
	for (;;) {
		u64 best_ns = WEIR_NEVER;
		u32 best = 0;
		for (u32 i = 0; i < f->n_hops; i++) {
			if (f->next_ns[i] < best_ns && f->next_ns[i] <= f->now_ns + f->ahead_ns[i]) {
				best_ns = f->next_ns[i];
				best = i;
			}
		}
		if (best_ns > until_ns)
			return true;
		if (!has_room(f))
			return false;
		take(f, best, best_ns);
	}
}

void ferry_advance(struct weir_ferry *f, u64 horizon_ns, u64 until_ns)
{
	f->held_back = !advance_all(f, horizon_ns) || !take_certain(f, until_ns);
}

u64 ferry_next_departure_ns(const struct weir_ferry *f)
{
	return f->next_ns[earliest_hop(f)];
}

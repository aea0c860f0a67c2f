/* SPDX-License-Identifier: MIT */
#include "hop.h"
#include "element.h"
#include "line.h"
#include "server.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_PARTS 12

struct hop {
	struct weir_link link;
	struct weir_element *parts[MOST_PARTS];
	u32 n_parts;
	struct weir_element *server, *delay; /* two of them; server is NULL for an infinite rate */
	u64 delay_ns;
};

#ifdef WEIR_DEBUG_CHECKS
static void check(const struct hop *h)
{
	const struct weir_link_stats *s = &h->link.stats;
	u64 packets = s->out_packets, bytes = s->out_bytes;
	for (u32 i = 0; i < h->n_parts; i++) {
		packets += h->parts[i]->held_packets;
		bytes += h->parts[i]->held_bytes;
	}
	for (int i = 0; i < WEIR_DROP_REASONS; i++) {
		packets += s->dropped_packets[i];
		bytes += s->dropped_bytes[i];
	}
	assert(s->in_packets + s->duplicated_packets == packets);
	assert(s->in_bytes + s->duplicated_bytes == bytes);
}
#else
static void check(const struct hop *h)
{
	(void)h;
}
#endif

static void settle(struct weir_link *link, u64 now_ns)
{
	struct hop *h = (struct hop *)link;
	for (u32 i = 0; i < h->n_parts; i++)
		if (h->parts[i]->ops->run)
			h->parts[i]->ops->run(h->parts[i], now_ns);
	check(h);
}

static void push(struct weir_link *link, u64 now_ns, u32 port, const struct weir_packet *p)
{
	struct hop *h = (struct hop *)link;
	(void)port;
	settle(link, now_ns);
	link->stats.in_packets++;
	link->stats.in_bytes += p->bytes;
	h->parts[0]->ops->arrive(h->parts[0], now_ns, p);
	check(h);
}

static bool pop_certain(struct weir_link *link, u64 now_ns, u64 until_ns, struct weir_packet *p, u64 *due_ns)
{
	struct hop *h = (struct hop *)link;
	settle(link, now_ns);
	if (!weir_delay_pop(h->delay, until_ns, p, due_ns))
		return false;
	link->stats.out_packets++;
	link->stats.out_bytes += p->bytes;
	check(h);
	return true;
}

static bool pop(struct weir_link *link, u64 now_ns, u32 *port, struct weir_packet *p, u64 *due_ns)
{
	*port = 0;
	return pop_certain(link, now_ns, now_ns, p, due_ns);
}

/* What happens in a part shows at the far end no sooner than the delay later. */
static u64 next_ns(const struct weir_link *link)
{
	const struct hop *h = (const struct hop *)link;
	u64 next = h->delay->ops->next_ns(h->delay);
	for (u32 i = 0; i < h->n_parts; i++) {
		const struct weir_element *part = h->parts[i];
		if (part != h->delay && part->ops->next_ns)
			next = weir_min(next, weir_add(part->ops->next_ns(part), h->delay_ns));
	}
	return next;
}

static void held(const struct weir_link *link, u64 now_ns, u64 *packets, u64 *bytes, u64 *waiting_bytes)
{
	const struct hop *h = (const struct hop *)link;
	(void)now_ns;
	*packets = *bytes = 0;
	for (u32 i = 0; i < h->n_parts; i++) {
		*packets += h->parts[i]->held_packets;
		*bytes += h->parts[i]->held_bytes;
	}
	*waiting_bytes = h->server ? weir_server_waiting_bytes(h->server) : 0;
}

static void free_hop(struct weir_link *link)
{
	struct hop *h = (struct hop *)link;
	for (u32 i = 0; i < h->n_parts; i++) {
		if (h->parts[i]->ops->fini)
			h->parts[i]->ops->fini(h->parts[i]);
		free(h->parts[i]);
	}
	free(h);
}

static const struct weir_link_ops ops = {
    .name = "hop",
    .push = push,
    .pop = pop,
    .next_ns = next_ns,
    .settle = settle,
    .held = held,
    .free = free_hop,
};

/* Appends a part to the chain; false when there is none, for want of memory. */
static bool add(struct hop *h, struct weir_element *part)
{
	if (!part)
		return false;
	part->link = &h->link;
	if (h->n_parts)
		h->parts[h->n_parts - 1]->down = part;
	h->parts[h->n_parts++] = part;
	return true;
}

static struct weir_rng stream(u64 seed, const char *hop, const char *side, const char *part)
{
	char point[256];
	snprintf(point, sizeof point, "%s.%s%s", hop, side, part);
	struct weir_rng rng;
	weir_rng_init(&rng, seed, weir_rng_point(point), 0);
	return rng;
}

static bool add_impairments(struct hop *h, const struct weir_impair_config *c, const char *name,
			    const char *side, u64 seed)
{
	struct weir_rng loss = stream(seed, name, side, "loss");
	struct weir_rng duplicate = stream(seed, name, side, "duplicate");
	struct weir_rng reorder = stream(seed, name, side, "reorder");
	struct weir_rng jitter = stream(seed, name, side, "jitter");

	if (c->loss.model != WEIR_LOSS_NONE && !add(h, weir_loss_new(&c->loss, &loss)))
		return false;
	if (c->duplicate_p > 0 && !add(h, weir_duplicate_new(c->duplicate_p, &duplicate)))
		return false;
	if (c->reorder_p > 0 && !add(h, weir_reorder_new(c->reorder_p, c->reorder_delay_ns, &reorder)))
		return false;
	return !c->jitter_ns || add(h, weir_jitter_new(c->jitter_ns, c->jitter_reorders, &jitter));
}

static bool has_server(const struct weir_rate_config *c)
{
	return c->kind != WEIR_RATE_FIXED || c->bps;
}

static bool add_server(struct hop *h, const struct weir_hop_config *c, u64 seed)
{
	if (!has_server(&c->rate))
		return add(h, weir_wire_new());
	struct weir_rng walk = stream(seed, c->name, "", "rate");
	struct weir_queue *queue =
	    weir_queue_new(&c->queue, &h->link, c->name, seed, weir_rate_nominal_bps(&c->rate));
	if (!queue || !add(h, weir_server_new(&c->rate, queue, &walk)))
		return false;
	h->server = h->parts[h->n_parts - 1];
	return true;
}

static bool build(struct hop *h, const struct weir_hop_config *c, u64 seed)
{
	if (c->policer_bps && !add(h, weir_policer_new(c->policer_bps, c->policer_burst_bytes)))
		return false;
	if (!add_impairments(h, &c->before, c->name, "before.", seed) || !add_server(h, c, seed))
		return false;
	if (c->aggregate_ns && !add(h, weir_aggregate_new(c->aggregate_ns)))
		return false;
	if (!add_impairments(h, &c->after, c->name, "after.", seed) || !add(h, weir_delay_new(c->delay_ns)))
		return false;
	h->delay = h->parts[h->n_parts - 1];
	h->delay_ns = c->delay_ns;
	return true;
}

static bool only_loses(const struct weir_impair_config *c)
{
	return !(c->duplicate_p > 0) && !(c->reorder_p > 0) && !c->jitter_ns;
}

static bool is_line(const struct weir_hop_config *c)
{
	return !c->general && c->rate.kind == WEIR_RATE_FIXED && !c->rate.exponential &&
	       c->queue.aqm == WEIR_AQM_DROPTAIL && !c->policer_bps && !c->aggregate_ns &&
	       only_loses(&c->before) && only_loses(&c->after);
}

/* NULL also when nothing is lost; *failed tells the two apart. */
static struct weir_loss_process *new_loss(const struct weir_loss_config *c, const char *name,
					  const char *side, u64 seed, bool *failed)
{
	if (c->model == WEIR_LOSS_NONE)
		return NULL;
	struct weir_loss_process *loss = malloc(sizeof *loss);
	*failed |= !loss;
	if (loss)
		*loss = (struct weir_loss_process){.config = *c, .rng = stream(seed, name, side, "loss")};
	return loss;
}

static struct weir_link *new_line(const struct weir_hop_config *c, u64 seed, struct weir_link_owner owner)
{
	bool failed = false;
	struct weir_line_config config = {
	    .rate_bps = c->rate.bps,
	    .delay_ns = c->delay_ns,
	    .limit_bytes = c->queue.limit_bytes,
	    .limit_packets = c->queue.limit_packets,
	    .before = new_loss(&c->before.loss, c->name, "before.", seed, &failed),
	    .after = new_loss(&c->after.loss, c->name, "after.", seed, &failed),
	};
	struct weir_line *line = malloc(sizeof *line);
	if (!line || failed) {
		free(config.before);
		free(config.after);
	} else if (weir_line_init(line, &config, owner) == 0) {
		return &line->link;
	}
	free(line);
	return NULL;
}

struct weir_link *weir_hop_new(const struct weir_hop_config *c, u64 seed, struct weir_link_owner owner)
{
	if (is_line(c))
		return new_line(c, seed, owner);
	struct hop *h = calloc(1, sizeof *h);
	if (!h)
		return NULL;
	h->link.ops = &ops;
	h->link.owner = owner;
	if (build(h, c, seed))
		return &h->link;
	free_hop(&h->link);
	return NULL;
}

/* A line knows each departure from the arrival on. */
bool weir_hop_pop_certain(struct weir_link *hop, u64 now_ns, u64 until_ns, struct weir_packet *p, u64 *due_ns)
{
	struct weir_line *line = weir_link_as_line(hop);
	return line ? weir_line_pop(line, until_ns, p, due_ns)
		    : pop_certain(hop, now_ns, until_ns, p, due_ns);
}

void weir_hop_free(struct weir_link *hop)
{
	if (hop)
		hop->ops->free(hop);
}

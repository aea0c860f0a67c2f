/* SPDX-License-Identifier: MIT */
/* FlowQueue-CoDel, RFC 8290: a queue for each hash of a flow, deficit round robin between them with new
 * queues first, CoDel within each, and the fattest queue gives way when the whole is full. */
#include "codel_law.h"

#include <stdlib.h>

#define NONE 0xffffffffU
#define DROP_BATCH 64 /* at most so many, and at most half of the fattest queue (section 4.1) */

struct node {
	struct weir_queued item;
	u32 next;
};

enum list { NOWHERE, NEW, OLD };

struct flow {
	struct weir_codel law;
	i64 deficit;
	u64 bytes;
	u32 packets, head, tail; /* nodes */
	u32 next;		 /* flow in the same list */
	enum list in;
};

struct flow_list {
	u32 head, tail;
};

struct fq {
	struct weir_queue queue;
	struct flow *flows;
	u32 n_flows;
	struct flow_list lists[3];
	struct node *nodes;
	u32 n_nodes, spare; /* spare: head of the list of free nodes */
	u64 perturbation, largest_packet;
};

struct flow_ref {
	struct fq *fq;
	struct flow *flow;
};

static void list_append(struct fq *f, enum list in, u32 i)
{
	struct flow_list *l = &f->lists[in];
	f->flows[i].next = NONE;
	f->flows[i].in = in;
	if (l->head == NONE)
		l->head = i;
	else
		f->flows[l->tail].next = i;
	l->tail = i;
}

static u32 list_take(struct fq *f, enum list in)
{
	struct flow_list *l = &f->lists[in];
	u32 i = l->head;
	l->head = f->flows[i].next;
	f->flows[i].in = NOWHERE;
	return i;
}

static bool grow(struct fq *f)
{
	u32 n = f->n_nodes ? 2 * f->n_nodes : 256;
	struct node *nodes = n <= 1U << 30 ? realloc(f->nodes, n * sizeof *nodes) : NULL;
	if (!nodes)
		return false;
	for (u32 i = f->n_nodes; i < n; i++)
		nodes[i].next = i + 1 < n ? i + 1 : f->spare;
	f->spare = f->n_nodes;
	f->nodes = nodes;
	f->n_nodes = n;
	return true;
}

static bool flow_take(void *ctx, struct weir_queued *out)
{
	struct fq *f = ((struct flow_ref *)ctx)->fq;
	struct flow *flow = ((struct flow_ref *)ctx)->flow;
	if (flow->packets == 0)
		return false;
	u32 i = flow->head;
	*out = f->nodes[i].item;
	flow->head = f->nodes[i].next;
	f->nodes[i].next = f->spare;
	f->spare = i;
	flow->packets--;
	flow->bytes -= out->packet.bytes;
	f->queue.packets--;
	f->queue.bytes -= out->packet.bytes;
	return true;
}

static u64 flow_bytes(const void *ctx)
{
	return ((const struct flow_ref *)ctx)->flow->bytes;
}

/* False when memory ran out. */
static bool flow_append(struct fq *f, struct flow *flow, u64 now_ns, const struct weir_packet *p)
{
	if (f->spare == NONE && !grow(f))
		return false;
	u32 i = f->spare;
	f->spare = f->nodes[i].next;
	f->nodes[i] = (struct node){{now_ns, *p}, NONE};
	if (flow->packets == 0)
		flow->head = i;
	else
		f->nodes[flow->tail].next = i;
	flow->tail = i;
	flow->packets++;
	flow->bytes += p->bytes;
	f->queue.packets++;
	f->queue.bytes += p->bytes;
	return true;
}

static void drop_from_fattest(struct fq *f, u64 now_ns)
{
	struct flow *fattest = &f->flows[0];
	for (u32 i = 1; i < f->n_flows; i++)
		if (f->flows[i].bytes > fattest->bytes)
			fattest = &f->flows[i];
	struct flow_ref ref = {f, fattest};
	u64 batch = weir_clamp(fattest->packets / 2, 1, DROP_BATCH);
	struct weir_queued old;
	while (batch-- && flow_take(&ref, &old))
		weir_link_drop(f->queue.link, now_ns, &old.packet, WEIR_DROP_OVERFLOW);
}

static void enqueue(struct weir_queue *q, u64 now_ns, const struct weir_packet *p, bool idle)
{
	struct fq *f = (struct fq *)q;
	u64 hash = p->flow ^ f->perturbation;
	u32 i = (u32)(weir_splitmix64(&hash) % f->n_flows);
	struct flow *flow = &f->flows[i];

	f->largest_packet = weir_max(f->largest_packet, p->bytes);
	if (!flow_append(f, flow, now_ns, p)) {
		q->link->failed = true;
		weir_link_drop(q->link, now_ns, p, WEIR_DROP_OVERFLOW);
		return;
	}
	if (flow->in == NOWHERE) {
		flow->deficit = (i64)q->config.fq_quantum_bytes;
		list_append(f, NEW, i);
	}
	const struct weir_queue_config *c = &q->config;
	while (!idle && q->packets &&
	       ((c->limit_bytes && q->bytes > c->limit_bytes) ||
		(c->limit_packets && q->packets > c->limit_packets)))
		drop_from_fattest(f, now_ns);
}

static bool dequeue(struct weir_queue *q, u64 now_ns, struct weir_queued *out)
{
	struct fq *f = (struct fq *)q;
	for (;;) {
		enum list in = f->lists[NEW].head != NONE ? NEW : OLD;
		u32 i = f->lists[in].head;
		if (i == NONE)
			return false;
		struct flow *flow = &f->flows[i];
		if (flow->deficit <= 0) {
			flow->deficit += (i64)q->config.fq_quantum_bytes;
			list_append(f, OLD, list_take(f, in));
			continue;
		}
		struct flow_ref ref = {f, flow};
		struct weir_codel_source from = {q, &ref, flow_take, flow_bytes, f->largest_packet};
		if (weir_codel_dequeue(&flow->law, &from, now_ns, out)) {
			flow->deficit -= out->packet.bytes;
			return true;
		}
		/* a new queue that ran empty waits behind the old ones, or it would be new again at once */
		list_take(f, in);
		if (in == NEW)
			list_append(f, OLD, i);
	}
}

static void fini(struct weir_queue *q)
{
	struct fq *f = (struct fq *)q;
	free(f->flows);
	free(f->nodes);
}

static const struct weir_queue_ops ops = {"fq-codel", enqueue, dequeue, fini};

struct weir_queue *weir_fq_codel_new(u32 flows, const struct weir_rng *rng)
{
	struct fq *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	struct weir_rng draws = *rng;
	f->queue.ops = &ops;
	f->perturbation = weir_rng_u64(&draws);
	f->n_flows = flows;
	f->spare = f->lists[NEW].head = f->lists[OLD].head = NONE;
	f->flows = calloc(flows, sizeof *f->flows);
	if (!f->flows) {
		free(f);
		return NULL;
	}
	return &f->queue;
}

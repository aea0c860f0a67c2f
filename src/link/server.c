/* SPDX-License-Identifier: MIT */
#include "server.h"
#include "trace.h"

#include <stdlib.h>

struct weir_element *weir_server_new(const struct weir_rate_config *c, struct weir_queue *queue,
				     const struct weir_rng *rng)
{
	struct weir_server *s =
	    c->kind == WEIR_RATE_TRACE ? weir_trace_server_new(c->trace) : weir_rate_server_new(c, rng);
	if (!s) {
		weir_queue_free(queue);
		return NULL;
	}
	s->queue = queue;
	return &s->element;
}

u64 weir_rate_nominal_bps(const struct weir_rate_config *c)
{
	u64 bps = c->kind == WEIR_RATE_TRACE ? (u64)weir_trace_mean_bps(c->trace) : c->bps;
	return weir_max(bps, 1);
}

/* What the queue holds is what it says; drops inside it never reach the element's own counters. */
static void recount(struct weir_server *s)
{
	s->element.held_packets = s->queue->packets + s->busy;
	s->element.held_bytes = s->queue->bytes + (s->busy ? s->packet.bytes : 0U);
}

bool weir_server_begin(struct weir_server *s, u64 now_ns)
{
	struct weir_link *link = s->element.link;
	struct weir_queued item;
	s->busy = s->queue->ops->dequeue(s->queue, now_ns, &item);
	if (s->busy) {
		u64 wait_ns = now_ns - item.at_ns;
		s->packet = item.packet;
		s->unsent_bytes = item.packet.bytes;
		weir_packet_add_wait(&s->packet, wait_ns);
		if (link->stats.wait)
			weir_hist_add(link->stats.wait, wait_ns);
	}
	recount(s);
	return s->busy;
}

void weir_server_finish(struct weir_server *s, u64 now_ns)
{
	s->element.link->stats.sent_bytes += s->packet.bytes;
	s->busy = false;
	recount(s);
	weir_element_emit(&s->element, now_ns, &s->packet);
}

void weir_server_enqueue(struct weir_server *s, u64 now_ns, const struct weir_packet *p)
{
	s->queue->ops->enqueue(s->queue, now_ns, p, !s->busy && s->queue->packets == 0);
	recount(s);
}

void weir_server_fini(struct weir_element *e)
{
	weir_queue_free(((struct weir_server *)e)->queue);
}

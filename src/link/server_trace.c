/* SPDX-License-Identifier: MIT */
/* A server that may send only at the times of a trace, WEIR_TRACE_BYTES each time: several small packets
 * share an opportunity, a large one needs several, and what is not used at once is lost. */
#include "server.h"
#include "trace.h"

#include <stdlib.h>

struct trace_server {
	struct weir_server server;
	const struct weir_trace *trace;
	u64 next; /* number of the next opportunity, from 0, on through all periods */
};

static void use_opportunity(struct trace_server *t, u64 now_ns)
{
	struct weir_server *s = &t->server;
	u32 left = WEIR_TRACE_BYTES;

	t->next++;
	s->element.link->stats.capacity_bytes += WEIR_TRACE_BYTES;
	while (left && (s->busy || weir_server_begin(s, now_ns))) {
		u32 now = s->unsent_bytes < left ? s->unsent_bytes : left;
		s->unsent_bytes -= now;
		left -= now;
		if (s->unsent_bytes == 0)
			weir_server_finish(s, now_ns);
	}
}

static void run(struct weir_element *e, u64 until_ns)
{
	struct trace_server *t = (struct trace_server *)e;
	while (t->server.busy || t->server.queue->packets) {
		u64 now_ns = weir_trace_time_ns(t->trace, t->next);
		if (now_ns > until_ns)
			return;
		use_opportunity(t, now_ns);
	}
	u64 past = weir_trace_count(t->trace, until_ns);
	if (past > t->next) {
		e->link->stats.capacity_bytes += (past - t->next) * WEIR_TRACE_BYTES;
		t->next = past;
	}
}

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	struct trace_server *t = (struct trace_server *)e;
	run(e, now_ns);
	e->link->stats.oversize_packets += p->bytes > WEIR_TRACE_BYTES;
	weir_server_enqueue(&t->server, now_ns, p);
}

static u64 next_ns(const struct weir_element *e)
{
	const struct trace_server *t = (const struct trace_server *)e;
	bool work = t->server.busy || t->server.queue->packets;
	return work ? weir_trace_time_ns(t->trace, t->next) : WEIR_NEVER;
}

static const struct weir_element_ops ops = {"trace", arrive, run, next_ns, weir_server_fini};

struct weir_server *weir_trace_server_new(const struct weir_trace *trace)
{
	struct trace_server *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->server.element.ops = &ops;
	t->trace = trace;
	return &t->server;
}

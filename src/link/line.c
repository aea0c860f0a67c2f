/* SPDX-License-Identifier: MIT */
#include "line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define RING_START 1024u
#define RUNS_START 16u
/* Positions in a ring fit 32 bits with room for their difference, and a backlog lasts under 146 years,
 * so that no time can wrap. */
#define MOST_PACKETS (1ULL << 31)
#define LONGEST_BACKLOG_NS (1ULL << 62)

int weir_line_init(struct weir_line *line, const struct weir_line_config *c, struct weir_link_owner owner)
{
	*line = (struct weir_line){
	    .link = {.ops = &weir_line_ops, .owner = owner},
	    .mask = RING_START - 1,
	    .rate_bps = c->rate_bps,
	    .delay_ns = c->delay_ns,
	    .runs_mask = RUNS_START - 1,
	};
	u64 longest_bytes = weir_muldiv(LONGEST_BACKLOG_NS, c->rate_bps, 8 * WEIR_NS_PER_S);
	line->limit_bytes = weir_min(c->limit_bytes ? c->limit_bytes : WEIR_NEVER, longest_bytes);
	line->limit_packets = weir_min(c->limit_packets ? c->limit_packets : WEIR_NEVER, MOST_PACKETS);
	line->ring = malloc(RING_START * sizeof *line->ring);
	line->runs = malloc(RUNS_START * sizeof *line->runs);
	if (line->ring && line->runs)
		return 0;
	weir_line_fini(line);
	return -1;
}

void weir_line_fini(struct weir_line *line)
{
	free(line->ring);
	free(line->runs);
	line->ring = NULL;
	line->runs = NULL;
}

/* Twice the ring; what it holds keeps its positions modulo the new size. */
bool weir_line_grow(struct weir_line *l)
{
	u64 size = l->mask + 1;
	struct weir_line_record *ring = size < MOST_PACKETS ? malloc(2 * size * sizeof *ring) : NULL;
	if (!ring) {
		l->link.failed = true;
		return false;
	}
	for (u64 i = l->head; i != l->tail; i++)
		ring[i & (2 * size - 1)] = l->ring[i & l->mask];
	free(l->ring);
	l->ring = ring;
	l->mask = 2 * size - 1;
	return true;
}

/* Room for one more run: first by forgetting those that have been sent, then by doubling. */
bool weir_line_grow_runs(struct weir_line *l, u64 now_ns)
{
	weir_line_advance(l, now_ns);
	u32 size = l->runs_mask + 1, held = l->runs_tail - l->runs_head;
	if (held <= size / 2)
		return true;
	struct weir_line_time *runs = size < MOST_PACKETS ? malloc(2 * (size_t)size * sizeof *runs) : NULL;
	if (!runs) {
		l->link.failed = held == size;
		return held < size;
	}
	for (u32 i = l->runs_head; i != l->runs_tail; i++)
		runs[i & (2 * size - 1)] = l->runs[i & l->runs_mask];
	free(l->runs);
	l->runs = runs;
	l->runs_mask = 2 * size - 1;
	return true;
}

void weir_line_set_time(const struct weir_line *line, struct weir_line_time *time, u32 bytes)
{
	u64 work = bytes * 8 * WEIR_NS_PER_S;
	time->bytes = bytes;
	time->ns = work / line->rate_bps;
	time->rest = work % line->rate_bps;
}

void weir_line_settle(struct weir_line *l, u64 now_ns)
{
	struct weir_link_stats *s = &l->link.stats;
	u64 dropped_packets = s->dropped_packets[WEIR_DROP_OVERFLOW];
	u64 dropped_bytes = s->dropped_bytes[WEIR_DROP_OVERFLOW];

	weir_line_advance(l, now_ns);
	s->in_packets = l->tail + dropped_packets;
	s->in_bytes = l->accepted_bytes + dropped_bytes;
	s->out_packets = l->head;
	s->out_bytes = l->out_bytes;
	s->sent_bytes = l->accepted_bytes - l->waiting_bytes;
	if (l->serving_ns > now_ns)
		s->sent_bytes -= l->serving_bytes;
}

/* Conservation by counting, over the newest records so that it stays cheap. */
void weir_line_check(const struct weir_line *l, u64 now_ns)
{
	u64 bytes = 0, held = l->tail - l->head;
	assert(held <= l->mask + 1);
	if (held <= 64) {
		for (u64 i = l->head; i != l->tail; i++)
			bytes += l->ring[i & l->mask].packet.bytes;
		assert(l->accepted_bytes == l->out_bytes + bytes);
	}
	if (held > 1)
		assert(l->ring[(l->tail - 1) & l->mask].due_ns >= l->ring[(l->tail - 2) & l->mask].due_ns);
	assert(l->waiting_bytes <= l->limit_bytes && l->waiting_packets <= l->limit_packets);
	assert(!l->rate_bps || l->free_ns >= now_ns);
	u64 run_packets = 0, run_bytes = 0;
	if (l->runs_tail - l->runs_head <= 64) {
		for (u32 i = l->runs_head; i != l->runs_tail; i++) {
			const struct weir_line_time *run = &l->runs[i & l->runs_mask];
			run_packets += run->packets;
			run_bytes += (u64)run->packets * run->bytes;
		}
		assert(run_packets == l->waiting_packets && run_bytes == l->waiting_bytes);
	}
}

static void push(struct weir_link *link, u64 now_ns, u32 port, const struct weir_packet *p)
{
	(void)port;
	weir_line_push((struct weir_line *)link, now_ns, p);
}

static bool pop(struct weir_link *link, u64 now_ns, u32 *port, struct weir_packet *p, u64 *due_ns)
{
	*port = 0;
	return weir_line_pop((struct weir_line *)link, now_ns, p, due_ns);
}

static u64 next_ns(const struct weir_link *link)
{
	return weir_line_head_ns((const struct weir_line *)link);
}

static void settle(struct weir_link *link, u64 now_ns)
{
	weir_line_settle((struct weir_line *)link, now_ns);
}

static void held(const struct weir_link *link, u64 now_ns, u64 *packets, u64 *bytes, u64 *waiting_bytes)
{
	(void)now_ns;
	const struct weir_line *l = (const struct weir_line *)link;
	*packets = l->tail - l->head;
	*bytes = l->accepted_bytes - l->out_bytes;
	*waiting_bytes = l->waiting_bytes;
}

static void free_line(struct weir_link *link)
{
	weir_line_fini((struct weir_line *)link);
	free(link);
}

const struct weir_link_ops weir_line_ops = {
    .name = "line",
    .push = push,
    .pop = pop,
    .next_ns = next_ns,
    .settle = settle,
    .held = held,
    .free = free_line,
};

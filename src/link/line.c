/* SPDX-License-Identifier: MIT */
#include "line.h"
#include "core/pages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define RING_START 1024u
#define RING_FIRST_MOST (1u << 21)
#define LARGE_PACKET_BYTES 1500
/* Positions in a ring fit 32 bits with room for their difference, and a backlog lasts under 146 years,
 * so that no time can wrap. */
#define MOST_PACKETS (1ULL << 31)
#define LONGEST_BACKLOG_NS (1ULL << 62)

/* Room for a full buffer and a full wire of large packets, up to RING_FIRST_MOST: memory that is not touched
 * costs nothing, and a long ring need not be copied while it grows. */
static u64 first_size(const struct weir_line *l)
{
	u64 wire_bytes = weir_muldiv(l->rate_bps, l->delay_ns, 8 * WEIR_NS_PER_S), size = RING_START;
	u64 packets = weir_min(l->limit_packets, l->limit_bytes / LARGE_PACKET_BYTES);
	packets = weir_add(packets, wire_bytes / LARGE_PACKET_BYTES);
	if (l->rate_bps == 0 || packets > RING_FIRST_MOST)
		return RING_START;
	while (size < packets)
		size *= 2;
	return size;
}

int weir_line_init(struct weir_line *line, const struct weir_line_config *c, struct weir_link_owner owner)
{
	*line = (struct weir_line){
	    .link = {.ops = &weir_line_ops, .owner = owner},
	    .rate_bps = c->rate_bps,
	    .delay_ns = c->delay_ns,
	    .least_bytes = WEIR_NEVER,
	    .before = c->before,
	    .after = c->after,
	};
	u64 longest_bytes = weir_muldiv(LONGEST_BACKLOG_NS, c->rate_bps, 8 * WEIR_NS_PER_S);
	line->limit_bytes = weir_min(c->limit_bytes ? c->limit_bytes : WEIR_NEVER, longest_bytes);
	line->limit_packets = weir_min(c->limit_packets ? c->limit_packets : WEIR_NEVER, MOST_PACKETS);
	line->mask = first_size(line) - 1;
	line->ring = weir_pages_alloc((line->mask + 1) * sizeof *line->ring);
	if (line->ring)
		return 0;
	weir_line_fini(line);
	return -1;
}

void weir_line_fini(struct weir_line *line)
{
	free(line->ring);
	free(line->before);
	free(line->after);
	line->ring = NULL;
	line->before = line->after = NULL;
}

/* Twice the ring; what it holds keeps its positions modulo the new size. */
bool weir_line_grow(struct weir_line *l)
{
	u64 size = l->mask + 1;
	struct weir_line_record *ring =
	    size < MOST_PACKETS ? weir_pages_alloc(2 * size * sizeof *ring) : NULL;
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

static u64 time_on_wire_ns(const struct weir_line *l, u64 bytes)
{
	return weir_muldiv(bytes, 8 * WEIR_NS_PER_S, l->rate_bps);
}

/* The backlog in time is longer than what waits takes to send, since the packet in transmission comes on
 * top: if the room left were sent in that time, it is there. With a limit in packets the same holds for
 * packets of the smallest size met; a smaller one makes all that is remembered void. */
void weir_line_set_size(struct weir_line *l, struct weir_line_size *size, u32 bytes)
{
	if (bytes < l->least_bytes) {
		l->least_bytes = bytes;
		for (u32 i = 0; i < WEIR_LINE_SIZES; i++)
			l->sizes[i].bytes = WEIR_NEVER;
	}
	u64 work = bytes * 8 * WEIR_NS_PER_S;
	u64 by_bytes_ns = time_on_wire_ns(l, weir_sub(l->limit_bytes, bytes));
	u64 by_packets_ns = time_on_wire_ns(l, weir_sub(l->limit_packets, 1) * l->least_bytes);
	*size = (struct weir_line_size){
	    .ns = work / l->rate_bps,
	    .rest = work % l->rate_bps,
	    .safe_ns = weir_min(by_bytes_ns, by_packets_ns),
	    .bytes = bytes,
	};
}

/* Counts what has begun transmission by now_ns. What has been taken out has begun long ago. */
static void advance(struct weir_line *l, u64 now_ns)
{
	if (l->cursor < l->head) {
		l->cursor = l->head;
		l->begun_bytes = l->out_bytes;
		l->begin_ns = 0;
	}
	while (l->cursor != l->tail && l->begin_ns <= now_ns) {
		const struct weir_line_record *record = &l->ring[l->cursor++ & l->mask];
		l->begun_bytes += record->packet.bytes;
		l->begin_ns = record->due_ns - l->delay_ns;
	}
}

bool weir_line_has_room(struct weir_line *l, u64 now_ns, u32 bytes)
{
	advance(l, now_ns);
	u64 waiting_bytes = l->accepted_bytes - l->begun_bytes, waiting_packets = l->tail - l->cursor;
	return waiting_bytes + bytes <= l->limit_bytes && waiting_packets < l->limit_packets;
}

bool weir_line_loses(struct weir_line *l, u64 now_ns, const struct weir_packet *p)
{
	if (!weir_loss_takes(l->before))
		return false;
	weir_link_drop(&l->link, now_ns, p, WEIR_DROP_LOSS);
	return true;
}

/* Told when the caller comes by, with the time at which it happened. */
static void tell_lost(struct weir_line *l, u64 position)
{
	u64 departure_ns = l->ring[position & l->mask].due_ns - l->delay_ns;
	struct weir_packet *p = &l->ring[position & l->mask].packet;
	if (!(p->ecn & WEIR_LINE_LOST) || (p->ecn & WEIR_LINE_TOLD))
		return;
	struct weir_packet lost = *p;
	p->ecn |= WEIR_LINE_TOLD;
	lost.ecn &= WEIR_ECN_CE;
	l->lost_packets++;
	l->lost_bytes += lost.bytes;
	weir_link_drop(&l->link, departure_ns, &lost, WEIR_DROP_LOSS);
}

/* Passes over lost packets at the head that are due. */
void weir_line_skip_lost(struct weir_line *l, u64 now_ns)
{
	while (l->head != l->tail) {
		const struct weir_line_record *record = &l->ring[l->head & l->mask];
		if (record->due_ns > now_ns || !(record->packet.ecn & WEIR_LINE_LOST))
			return;
		tell_lost(l, l->head);
		l->out_bytes += record->packet.bytes;
		l->passed_bytes += record->packet.bytes;
		l->passed_packets++;
		l->head++;
	}
}

/* Losses after the queue happen at the departure, a delay before they are passed over. */
static void tell_departed(struct weir_line *l, u64 now_ns)
{
	l->lost_cursor = weir_max(l->lost_cursor, l->head);
	for (; l->lost_cursor != l->tail; l->lost_cursor++) {
		if (l->ring[l->lost_cursor & l->mask].due_ns - l->delay_ns > now_ns)
			return;
		tell_lost(l, l->lost_cursor);
	}
}

/* begin_ns is also when the last packet that has begun is sent completely. */
static u64 in_transmission_bytes(const struct weir_line *l, u64 now_ns)
{
	if (l->cursor == l->head || l->begin_ns <= now_ns)
		return 0;
	return l->ring[(l->cursor - 1) & l->mask].packet.bytes;
}

void weir_line_settle(struct weir_line *l, u64 now_ns)
{
	struct weir_link_stats *s = &l->link.stats;
	if (l->after)
		tell_departed(l, now_ns);
	u64 lost_before_packets = s->dropped_packets[WEIR_DROP_LOSS] - l->lost_packets;
	u64 lost_before_bytes = s->dropped_bytes[WEIR_DROP_LOSS] - l->lost_bytes;

	s->in_packets = l->tail + s->dropped_packets[WEIR_DROP_OVERFLOW] + lost_before_packets;
	s->in_bytes = l->accepted_bytes + s->dropped_bytes[WEIR_DROP_OVERFLOW] + lost_before_bytes;
	s->out_packets = l->head - l->passed_packets;
	s->out_bytes = l->out_bytes - l->passed_bytes;
	s->sent_bytes = l->accepted_bytes;
	if (l->rate_bps) {
		advance(l, now_ns);
		s->sent_bytes = l->begun_bytes - in_transmission_bytes(l, now_ns);
	}
}

/* Conservation by counting, over short rings so that it stays cheap. */
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
	assert(!l->rate_bps || l->free_ns >= now_ns);
	assert(l->cursor <= l->tail && l->begun_bytes <= l->accepted_bytes);
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
	/* What was lost after the queue is in the ring still, but not in the hop. */
	*packets = l->tail - l->head - (l->lost_packets - l->passed_packets);
	*bytes = l->accepted_bytes - l->out_bytes - (l->lost_bytes - l->passed_bytes);
	*waiting_bytes = l->rate_bps ? l->accepted_bytes - l->begun_bytes : 0;
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

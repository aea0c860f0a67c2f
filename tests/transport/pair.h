/* SPDX-License-Identifier: MIT */
/* A sender, a receiver and two pipes in virtual time. What happens to a packet is scripted by its number on
 * its pipe (the first is 1), drawn by a seed, or both. Everything that is sent is written down, and the
 * sender's invariants are checked after every event. */
#ifndef TESTS_TRANSPORT_PAIR_H
#define TESTS_TRANSPORT_PAIR_H

#include "core/rng.h"
#include "invariants.h"
#include "probe.h"
#include "transport/receiver.h"
#include "transport/steady.h"

enum { PAIR_DATA, PAIR_ACKS };
enum pair_action { PAIR_DROP, PAIR_LATE, PAIR_COPY, PAIR_MARK };

struct pair_rule {
	u32 number; /* 0: by what it carries, below */
	enum pair_action action;
	u64 ns;	    /* LATE: by so much */
	u64 offset; /* where the segment begins; of ACKs: the first that acknowledges beyond it */
	u8 attempt;
	bool spent;
};

struct pair_pipe {
	u64 delay_ns;
	u64 rate_Bps;	   /* 0: infinitely fast */
	u32 limit_packets; /* that wait or are sent; 0: any number */
	double drop, late, copy;
	u64 late_ns;   /* how late a late one is */
	u64 jitter_ns; /* uniform, on top */
	bool ordered;  /* jitter keeps the order */
	struct pair_rule rule[128];
	u32 n_rules;
	/* its own */
	u32 n;
	u64 free_ns, last_ns;
};

struct pair_item {
	u64 at_ns, order;
	bool is_ack, ce;
	struct weir_segment data;
	struct weir_ack_segment ack;
};

struct pair_sent {
	u64 at_ns, seq;
	u32 bytes, after_acks; /* how many ACKs had been taken */
	u8 attempt, state;     /* of the sender */
};

struct pair {
	struct weir_sender sender;
	struct weir_receiver receiver;
	struct weir_endpoint_config config;
	struct pair_pipe pipe[2];
	struct weir_rng rng;
	u64 now_ns, order;
	struct pair_item *heap;
	u32 n_items, items_capacity;
	struct pair_sent *sent;
	u32 n_sent, sent_capacity;
	u32 acks_sent, acks_taken, rtt_samples;
	u32 steady; /* ACKs that found the short way open */
	u64 hash, mind;
	bool unchecked; /* too long for the invariants after every event */
};

static inline struct pair *pair_new(const struct weir_endpoint_config *c, const struct weir_cc_ops *cc,
				    const void *params, u64 delay_ns, u64 now_ns)
{
	struct pair *p = calloc(1, sizeof *p);
	assert_non_null(p);
	p->config = *c;
	p->now_ns = now_ns;
	p->pipe[PAIR_DATA].delay_ns = p->pipe[PAIR_ACKS].delay_ns = delay_ns;
	p->hash = 0xcbf29ce484222325ULL;
	weir_rng_init(&p->rng, 1, 0, 0);
	probe_reset(&p->sender);
	weir_receiver_init(&p->receiver, &p->config);
	assert_true(weir_sender_init(&p->sender, &p->config, cc, params, now_ns));
	return p;
}

static inline void pair_free(struct pair *p)
{
	weir_sender_free(&p->sender);
	weir_receiver_free(&p->receiver);
	free(p->heap);
	free(p->sent);
	free(p);
}

static inline void pair_rule(struct pair *p, u32 pipe, u32 number, enum pair_action action, u64 ns)
{
	struct pair_pipe *way = &p->pipe[pipe];
	assert_true(way->n_rules < sizeof way->rule / sizeof way->rule[0]);
	way->rule[way->n_rules++] = (struct pair_rule){.number = number, .action = action, .ns = ns};
}

/* This transmission of the segment at this offset. */
static inline void pair_segment_rule(struct pair *p, u64 offset, u8 attempt, enum pair_action action, u64 ns)
{
	pair_rule(p, PAIR_DATA, 0, action, ns);
	struct pair_pipe *way = &p->pipe[PAIR_DATA];
	way->rule[way->n_rules - 1].offset = offset;
	way->rule[way->n_rules - 1].attempt = attempt;
}

/* The first ACK beyond this offset. */
static inline void pair_drop_ack_beyond(struct pair *p, u64 offset)
{
	pair_rule(p, PAIR_ACKS, 0, PAIR_DROP, 0);
	p->pipe[PAIR_ACKS].rule[p->pipe[PAIR_ACKS].n_rules - 1].offset = offset;
}

static inline void pair_drop(struct pair *p, u32 number)
{
	pair_rule(p, PAIR_DATA, number, PAIR_DROP, 0);
}

static inline bool pair_before(const struct pair_item *a, const struct pair_item *b)
{
	return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->order < b->order);
}

static inline void pair_enter(struct pair *p, struct pair_item item)
{
	if (p->n_items == p->items_capacity) {
		p->items_capacity = p->items_capacity ? 2 * p->items_capacity : 256;
		p->heap = realloc(p->heap, p->items_capacity * sizeof *p->heap);
		assert_non_null(p->heap);
	}
	item.order = p->order++;
	u32 i = p->n_items++;
	for (; i && pair_before(&item, &p->heap[(i - 1) / 2]); i = (i - 1) / 2)
		p->heap[i] = p->heap[(i - 1) / 2];
	p->heap[i] = item;
}

static inline struct pair_item pair_leave(struct pair *p)
{
	struct pair_item first = p->heap[0], last = p->heap[--p->n_items];
	u32 i = 0, child;
	for (; (child = 2 * i + 1) < p->n_items; i = child) {
		if (child + 1 < p->n_items && pair_before(&p->heap[child + 1], &p->heap[child]))
			child++;
		if (!pair_before(&p->heap[child], &last))
			break;
		p->heap[i] = p->heap[child];
	}
	p->heap[i] = last;
	return first;
}

/* Through the server of a pipe: when the packet has been sent, or WEIR_NEVER when it found no room. */
static inline u64 pair_serve(struct pair *p, struct pair_pipe *way, u32 wire_bytes)
{
	if (!way->rate_Bps)
		return p->now_ns;
	u64 busy_ns = weir_sub(way->free_ns, p->now_ns);
	u64 queued = weir_muldiv(busy_ns, way->rate_Bps, WEIR_NS_PER_S);
	if (way->limit_packets && queued + wire_bytes > (u64)way->limit_packets * wire_bytes)
		return WEIR_NEVER;
	way->free_ns =
	    weir_max(way->free_ns, p->now_ns) + weir_muldiv(wire_bytes, WEIR_NS_PER_S, way->rate_Bps);
	return way->free_ns;
}

static inline bool pair_applies(const struct pair *p, struct pair_rule *r, u32 number,
				const struct pair_item *item)
{
	if (r->number || r->spent)
		return r->number == number;
	u64 offset = r->offset + p->config.first_sequence;
	if (!item->is_ack)
		return item->data.seq == offset && item->data.attempt == r->attempt;
	r->spent = (i32)(item->ack.ack - (u32)offset) > 0;
	return r->spent;
}

static inline void pair_put(struct pair *p, struct pair_item item, u32 wire_bytes)
{
	struct pair_pipe *way = &p->pipe[item.is_ack];
	bool drop = way->drop > 0 && weir_rng_chance(&p->rng, way->drop);
	bool copy = way->copy > 0 && weir_rng_chance(&p->rng, way->copy);
	u64 late_ns = way->late > 0 && weir_rng_chance(&p->rng, way->late) ? way->late_ns : 0;
	if (way->jitter_ns)
		late_ns += weir_rng_below(&p->rng, way->jitter_ns + 1);
	way->n++;
	for (u32 i = 0; i < way->n_rules; i++) {
		if (!pair_applies(p, &way->rule[i], way->n, &item))
			continue;
		drop |= way->rule[i].action == PAIR_DROP;
		copy |= way->rule[i].action == PAIR_COPY;
		item.ce |= way->rule[i].action == PAIR_MARK && item.data.ect;
		late_ns += way->rule[i].action == PAIR_LATE ? way->rule[i].ns : 0;
	}
	u64 out_ns = drop ? WEIR_NEVER : pair_serve(p, way, wire_bytes);
	if (out_ns == WEIR_NEVER)
		return;
	item.at_ns = out_ns + way->delay_ns + late_ns;
	if (way->ordered)
		item.at_ns = weir_max(item.at_ns, way->last_ns);
	way->last_ns = item.at_ns;
	pair_enter(p, item);
	if (copy)
		pair_enter(p, item);
}

static inline void pair_hash(struct pair *p, u64 x)
{
	p->hash = (p->hash ^ x) * 0x100000001b3ULL;
}

static inline void pair_write_down(struct pair *p, const struct weir_segment *s)
{
	if (p->n_sent == p->sent_capacity) {
		p->sent_capacity = p->sent_capacity ? 2 * p->sent_capacity : 256;
		p->sent = realloc(p->sent, p->sent_capacity * sizeof *p->sent);
		assert_non_null(p->sent);
	}
	p->sent[p->n_sent++] = (struct pair_sent){.at_ns = p->now_ns,
						  .seq = s->seq,
						  .bytes = s->bytes,
						  .after_acks = p->acks_taken,
						  .attempt = s->attempt,
						  .state = p->sender.state};
	pair_hash(p, p->now_ns);
	pair_hash(p, s->seq - p->config.first_sequence);
	pair_hash(p, s->bytes | (u64)s->attempt << 32);
}

/* After each event: the invariants, and what the sender has in mind, into a hash of its own. */
static inline void pair_check(struct pair *p)
{
	const struct weir_sender *s = &p->sender;
	if (p->unchecked)
		return;
	check_sender(s);
	const u64 mind[] = {s->una,
			    s->pipe_bytes,
			    s->cwnd_bytes,
			    s->deadline_ns,
			    s->rack.sent_ns,
			    s->rack.rtt_ns,
			    s->rack.end_seq,
			    s->rack.fack_seq,
			    s->rtt.srtt_ns,
			    s->rtt.rttvar_ns,
			    s->delivery_Bps,
			    s->last_ack_ns,
			    s->last_send_ns,
			    s->limited_now,
			    s->limited_before,
			    s->edge,
			    s->round_start_ns,
			    s->was_idle,
			    s->app_limited_until_bytes,
			    s->app_limited_from_ns,
			    s->app_limited_to_ns,
			    s->delivered_bytes};
	for (u32 i = 0; i < sizeof mind / sizeof mind[0]; i++)
		p->mind = (p->mind ^ mind[i]) * 0x100000001b3ULL;
}

static inline void pair_poll(struct pair *p)
{
	struct pair_item item = {.is_ack = false};
	while (weir_sender_poll(&p->sender, p->now_ns, &item.data)) {
		assert_true(item.data.bytes > 0 && item.data.bytes <= p->config.mss_bytes);
		pair_write_down(p, &item.data);
		pair_put(p, item, item.data.bytes + p->config.header_bytes);
		pair_check(p);
	}
	pair_check(p);
}

static inline void pair_send_ack(struct pair *p, const struct weir_ack_segment *ack)
{
	p->acks_sent++;
	pair_put(p, (struct pair_item){.is_ack = true, .ack = *ack}, p->config.header_bytes);
}

static inline void pair_acknowledge(struct pair *p)
{
	struct weir_ack_segment ack;
	weir_receiver_ack(&p->receiver, &ack);
	pair_send_ack(p, &ack);
}

static inline void pair_data_arrives(struct pair *p, const struct pair_item *item)
{
	struct weir_receiver *r = &p->receiver;
	const struct weir_segment *s = &item->data;
	enum weir_receive_verdict verdict;
	struct weir_ack_segment flushed;
	bool flush;
	if (!weir_receiver_in_order(r, p->now_ns, (u32)s->seq, s->bytes, s->attempt, item->ce, &verdict)) {
		verdict = weir_receiver_on_data(r, p->now_ns, (u32)s->seq, s->bytes, s->attempt, item->ce,
						&flush, &flushed);
		if (flush)
			pair_send_ack(p, &flushed);
	}
	if (verdict == WEIR_RECEIVE_ACK)
		pair_acknowledge(p);
	else
		assert_int_not_equal(r->delayed_ns, WEIR_NEVER);
}

static inline void pair_ack_arrives(struct pair *p, const struct weir_ack_segment *ack)
{
	probe.ack_number = ++p->acks_taken;
	p->steady += p->sender.steady;
	p->rtt_samples += weir_sender_on_ack(&p->sender, p->now_ns, ack) > 0;
	probe.ack_number = 0;
	pair_check(p);
	pair_poll(p);
}

static inline u64 pair_next_ns(const struct pair *p)
{
	u64 next_ns = weir_min(p->receiver.delayed_ns, weir_sender_next_ns(&p->sender));
	return p->n_items ? weir_min(next_ns, p->heap[0].at_ns) : next_ns;
}

/* Arrivals before timers, as in the simulator. */
static inline void pair_step(struct pair *p)
{
	u64 next_ns = pair_next_ns(p);
	assert_true(next_ns >= p->now_ns);
	p->now_ns = next_ns;
	if (p->n_items && p->heap[0].at_ns == next_ns) {
		struct pair_item item = pair_leave(p);
		if (item.is_ack)
			pair_ack_arrives(p, &item.ack);
		else
			pair_data_arrives(p, &item);
		return;
	}
	if (weir_sender_next_ns(&p->sender) == next_ns) {
		weir_sender_on_timer(&p->sender, p->now_ns);
		pair_check(p);
		pair_poll(p);
		return;
	}
	pair_acknowledge(p);
}

static inline void pair_run(struct pair *p, u64 until_ns)
{
	while (pair_next_ns(p) <= until_ns)
		pair_step(p);
	p->now_ns = weir_max(p->now_ns, until_ns);
}

static inline void pair_write(struct pair *p, u64 total_bytes)
{
	weir_sender_written(&p->sender, total_bytes);
	pair_poll(p);
}

/* Runs until all that was written has been delivered; fails when that takes longer than until_ns. */
static inline void pair_finish(struct pair *p, u64 until_ns)
{
	while (!weir_sender_done(&p->sender)) {
		u64 next_ns = pair_next_ns(p);
		if (next_ns > until_ns)
			fail_msg("not done at %llu ns: %llu of %llu bytes", until_ns,
				 p->sender.una - p->config.first_sequence,
				 p->sender.app_end - p->config.first_sequence);
		pair_step(p);
	}
	assert_int_equal(p->receiver.next, p->sender.app_end);
	assert_int_equal(p->receiver.n_ranges, 0);
}

static inline u64 pair_delivered(const struct pair *p)
{
	return p->receiver.next - p->config.first_sequence;
}

/* The n-th packet sent, from 1, as on the pipe. */
static inline const struct pair_sent *pair_nth(const struct pair *p, u32 n)
{
	assert_true(n >= 1 && n <= p->n_sent);
	return &p->sent[n - 1];
}

static inline u32 pair_retransmissions(const struct pair *p)
{
	u32 n = 0;
	for (u32 i = 0; i < p->n_sent; i++)
		n += p->sent[i].attempt > 0;
	return n;
}

/* The first retransmission of the segment that begins at `offset` bytes; NULL if there was none. */
static inline const struct pair_sent *pair_retransmission(const struct pair *p, u64 offset, u8 attempt)
{
	for (u32 i = 0; i < p->n_sent; i++)
		if (p->sent[i].seq == p->config.first_sequence + offset && p->sent[i].attempt == attempt)
			return &p->sent[i];
	return NULL;
}

#endif

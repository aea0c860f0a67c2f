/* SPDX-License-Identifier: MIT */
/* Drives a hop with a list of arrivals and writes down everything that happens to them. */
#ifndef TESTS_LINK_DRIVE_H
#define TESTS_LINK_DRIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/draw.h"
#include "link/hop.h"

#define MS WEIR_NS_PER_MS
#define S WEIR_NS_PER_S

struct arrival {
	u64 at_ns;
	struct weir_packet packet;
};

struct event {
	u64 at_ns, ref;
	u64 wait_ns;
	enum { OUT, DROP } kind;
	enum weir_drop_reason why;
	u8 ecn;
	u16 bytes;
	u32 flow;
};

struct record {
	struct event *out, *drop;
	size_t n_out, n_drop, size, duplicates;
	struct weir_link_stats stats;
	struct weir_hist wait;
	u64 waiting_bytes; /* at the end */
};

static inline void record_drop(void *ctx, struct weir_link *link, u64 now_ns, const struct weir_packet *p,
			       enum weir_drop_reason why)
{
	struct record *r = ctx;
	(void)link;
	assert_true(r->n_drop < r->size);
	r->drop[r->n_drop++] = (struct event){.at_ns = now_ns,
					      .ref = p->ref,
					      .kind = DROP,
					      .why = why,
					      .ecn = p->ecn,
					      .bytes = p->bytes,
					      .flow = p->flow};
}

static inline void record_duplicate(void *ctx, const struct weir_packet *p)
{
	(void)p;
	((struct record *)ctx)->duplicates++;
}

static inline void check_conservation(struct weir_link *link, u64 now_ns)
{
	u64 packets, bytes, waiting, dropped_bytes = 0;
	link->ops->settle(link, now_ns);
	link->ops->held(link, now_ns, &packets, &bytes, &waiting);
	const struct weir_link_stats *s = &link->stats;
	for (int i = 0; i < WEIR_DROP_REASONS; i++)
		dropped_bytes += s->dropped_bytes[i];
	assert_true(s->in_packets + s->duplicated_packets == s->out_packets + weir_link_dropped(s) + packets);
	assert_true(s->in_bytes + s->duplicated_bytes == s->out_bytes + dropped_bytes + bytes);
	assert_true(waiting <= bytes && s->sent_bytes + s->duplicated_bytes >= s->out_bytes);
	assert_false(link->failed);
}

static inline void drain(struct weir_link *link, u64 now_ns, struct record *r)
{
	struct weir_packet p;
	u64 due_ns, last_ns = r->n_out ? r->out[r->n_out - 1].at_ns : 0;
	u32 port;
	while (link->ops->pop(link, now_ns, &port, &p, &due_ns)) {
		assert_true(due_ns <= now_ns && due_ns >= last_ns);
		last_ns = due_ns;
		assert_true(r->n_out < r->size);
		r->out[r->n_out++] = (struct event){.at_ns = due_ns,
						    .ref = p.ref,
						    .wait_ns = weir_packet_wait_ns(&p),
						    .ecn = p.ecn,
						    .bytes = p.bytes,
						    .flow = p.flow};
	}
}

/* `late_ns`: the caller looks only at multiples of it, as a host that is late; 0: at each next_ns.
 * After the last arrival everything is drained. */
static inline struct record drive(const struct weir_hop_config *c, u64 seed, const struct arrival *a,
				  size_t n, u64 late_ns)
{
	struct record r = {.size = 2 * n + 1};
	r.out = calloc(r.size, sizeof *r.out);
	r.drop = calloc(r.size, sizeof *r.drop);
	struct record *kept = malloc(sizeof *kept);
	*kept = r;
	struct weir_link *link = weir_hop_new(
	    c, seed,
	    (struct weir_link_owner){.ctx = kept, .on_drop = record_drop, .on_duplicate = record_duplicate});
	assert_non_null(link);
	link->stats.wait = &kept->wait;
	u64 now_ns = 0;
	for (size_t i = 0; i <= n; i++) {
		u64 until_ns = i < n ? a[i].at_ns : WEIR_NEVER - 1, next;
		while (!late_ns && (next = link->ops->next_ns(link)) <= until_ns) {
			assert_true(next >= now_ns);
			now_ns = next;
			drain(link, now_ns, kept);
		}
		if (i == n)
			break;
		if (late_ns && a[i].at_ns / late_ns > now_ns / late_ns)
			drain(link, a[i].at_ns, kept);
		now_ns = a[i].at_ns;
		link->ops->push(link, now_ns, 0, &a[i].packet);
		if (i % 16 == 0)
			check_conservation(link, now_ns);
	}
	for (u64 next; (next = link->ops->next_ns(link)) != WEIR_NEVER; drain(link, now_ns, kept))
		now_ns = weir_max(now_ns, next) + late_ns;
	check_conservation(link, now_ns);
	u64 packets, bytes;
	link->ops->held(link, now_ns, &packets, &bytes, &kept->waiting_bytes);
	assert_true(packets == 0 && bytes == 0 && kept->waiting_bytes == 0);
	kept->stats = link->stats;
	weir_hop_free(link);
	r = *kept;
	free(kept);
	assert_true(r.n_out + r.n_drop == n + r.duplicates);
	return r;
}

static inline void record_free(struct record *r)
{
	free(r->out);
	free(r->drop);
}

static inline void assert_same_events(const struct event *a, size_t n, const struct event *b, size_t m)
{
	assert_int_equal(n, m);
	for (size_t i = 0; i < n; i++) {
		assert_true(a[i].at_ns == b[i].at_ns && a[i].ref == b[i].ref && a[i].why == b[i].why);
		assert_true(a[i].wait_ns == b[i].wait_ns && a[i].ecn == b[i].ecn && a[i].bytes == b[i].bytes);
	}
}

/* Drops may be told in another order by another element, or to a late caller. */
static inline int by_ref(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	if (x->ref != y->ref)
		return x->ref < y->ref ? -1 : 1;
	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static inline void assert_same_hist(const struct weir_hist *a, const struct weir_hist *b)
{
	assert_true(a->n == b->n && a->min == b->min && a->max == b->max && !(a->sum < b->sum) &&
		    !(a->sum > b->sum));
	for (u32 i = 0; i < WEIR_HIST_BUCKETS; i++)
		assert_true(a->bucket[i] == b->bucket[i]);
}

/* Packets of one size that arrive as a Poisson process. */
static inline struct arrival *poisson_arrivals(size_t n, double mean_gap_ns, u16 bytes, u64 seed)
{
	struct arrival *a = calloc(n, sizeof *a);
	struct weir_rng rng;
	weir_rng_init(&rng, seed, weir_rng_point("arrivals"), 0);
	double at_ns = 0;
	for (size_t i = 0; i < n; i++) {
		at_ns += weir_draw_exponential(&rng, mean_gap_ns);
		a[i] = (struct arrival){(u64)at_ns, {.ref = i, .bytes = bytes}};
	}
	return a;
}

/* Packets of one size at equal gaps. */
static inline struct arrival *regular_arrivals(size_t n, u64 start_ns, u64 gap_ns, u16 bytes)
{
	struct arrival *a = calloc(n, sizeof *a);
	for (size_t i = 0; i < n; i++)
		a[i] = (struct arrival){start_ns + i * gap_ns, {.ref = i, .bytes = bytes}};
	return a;
}

#endif

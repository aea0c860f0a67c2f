/* SPDX-License-Identifier: MIT */
/* A historic sender and nobody else: what it sends is written down, the ACKs come from the test. */
#ifndef TESTS_TRANSPORT_BSD43_HOST_H
#define TESTS_TRANSPORT_BSD43_HOST_H

#include "transport/bsd43.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SEGMENT 512ULL
#define WINDOW 16384U
#define TICK WEIR_BSD43_TICK_NS
#define MS WEIR_NS_PER_MS

struct host {
	struct weir_bsd43 s;
	u64 now_ns;
	u32 window; /* on the wire */
	struct weir_segment sent[256];
	u32 n;
};

/* Since the last look: how many segments, each of them whole and in order from `seq` on. */
static inline void host_sent(struct host *h, u32 n, u64 segment)
{
	assert_int_equal(h->n, n);
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(h->sent[i].seq, h->s.first_sequence + (segment + i) * SEGMENT);
		assert_int_equal(h->sent[i].bytes, SEGMENT);
	}
	h->n = 0;
}

static inline void host_poll(struct host *h)
{
	while (h->n < 256 && weir_bsd43_poll(&h->s, h->now_ns, &h->sent[h->n]))
		h->n++;
	assert_true(h->n < 256);
}

static inline struct host host_of(struct weir_bsd43_config c, u64 total_bytes, u64 first_sequence)
{
	struct host h = {.window = WINDOW >> WEIR_WINDOW_SHIFT};
	struct weir_endpoint_config e = weir_endpoint_defaults();
	e.mss_bytes = SEGMENT;
	e.rwnd_bytes = WINDOW;
	e.initial_window_packets = 1;
	e.first_sequence = first_sequence;
	weir_bsd43_init(&h.s, &e, &c, 0);
	weir_bsd43_written(&h.s, total_bytes);
	host_poll(&h);
	return h;
}

static inline struct host host_of_era(enum weir_era era)
{
	return host_of(weir_bsd43_of_era(era), WEIR_NEVER, 0);
}

/* An ACK of the first so many segments, of a copy with this number. */
static inline void host_ack_of(struct host *h, u64 segments, u8 attempt)
{
	const struct weir_ack_segment ack = {
	    .ack = (u32)(h->s.first_sequence + segments * SEGMENT), .window = h->window, .attempt = attempt};
	weir_bsd43_on_ack(&h->s, h->now_ns, &ack);
	host_poll(h);
}

static inline void host_ack(struct host *h, u64 segments)
{
	host_ack_of(h, segments, 0);
}

/* The clock goes on; the timer runs out when it is due. */
static inline void host_wait(struct host *h, u64 ns)
{
	u64 until_ns = h->now_ns + ns;
	while (weir_bsd43_next_ns(&h->s) <= until_ns) {
		h->now_ns = weir_bsd43_next_ns(&h->s);
		weir_bsd43_on_timer(&h->s, h->now_ns);
		host_poll(h);
	}
	h->now_ns = until_ns;
}

/* To the next timeout; its distance in ticks. */
static inline u64 host_time_out(struct host *h)
{
	u64 before = weir_bsd43_tick(&h->s, h->now_ns), timeouts = h->s.timeouts;
	assert_int_not_equal(weir_bsd43_next_ns(&h->s), WEIR_NEVER);
	host_wait(h, weir_bsd43_next_ns(&h->s) - h->now_ns);
	assert_int_equal(h->s.timeouts, timeouts + 1);
	return weir_bsd43_tick(&h->s, h->now_ns) - before;
}

#endif

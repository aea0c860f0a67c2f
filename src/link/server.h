/* SPDX-License-Identifier: MIT */
/* The servers: each owns the queue in front of it, sends one packet after the other and hands it on when
 * its last byte has been sent. */
#ifndef WEIR_LINK_SERVER_H
#define WEIR_LINK_SERVER_H

#include "element.h"
#include "queue.h"

struct weir_server {
	struct weir_element element;
	struct weir_queue *queue;
	struct weir_packet packet; /* in transmission, where `busy` */
	bool busy;
	u32 unsent_bytes; /* of it */
};

/* A server of the configured kind; takes the queue over, also when it fails (NULL: out of memory). */
struct weir_element *weir_server_new(const struct weir_rate_config *c, struct weir_queue *queue,
				     const struct weir_rng *rng);
struct weir_server *weir_rate_server_new(const struct weir_rate_config *c, const struct weir_rng *rng);
struct weir_server *weir_trace_server_new(const struct weir_trace *trace);

/* Begins with the next packet that waits; false when there is none. */
bool weir_server_begin(struct weir_server *s, u64 now_ns);
/* The packet in transmission has been sent. */
void weir_server_finish(struct weir_server *s, u64 now_ns);
/* Hands an arrival to the queue. */
void weir_server_enqueue(struct weir_server *s, u64 now_ns, const struct weir_packet *p);
void weir_server_fini(struct weir_element *e);

/* How fast the server is on average, for disciplines that want a typical time on the wire. */
u64 weir_rate_nominal_bps(const struct weir_rate_config *c);

static inline u64 weir_server_waiting_bytes(const struct weir_element *server)
{
	return ((const struct weir_server *)server)->queue->bytes;
}

#endif

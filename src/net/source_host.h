/* SPDX-License-Identifier: MIT */
/* A source of age/source.h over a UDP socket: probes and updates go out when they are due, answers come in,
 *the next of several addresses is tried until one answers, and a changed address of this machine is noticed.
 *
 *	weir_source_host_open(&h, &loop, &config, why);
 *	h.guard = weir_guard_plain_new(&(struct weir_guard_port){...});   see weir_source_host_port
 *	weir_source_host_begin(&h);
 *	while (...) {
 *		weir_source_host_offer(&h, now, made)       there is a newer value
 *		weir_loop_wait(&loop, weir_source_host_step(&h));
 *	}
 */
#ifndef WEIR_NET_SOURCE_HOST_H
#define WEIR_NET_SOURCE_HOST_H

#include "age/source.h"
#include "net/loop.h"
#include "net/resolver.h"
#include "net/session.h"
#include "net/udp.h"

#define WEIR_SOURCE_NAME_BYTES 31 /* of the name that a monitor shows */
#define WEIR_SOURCE_HOST_ADDRESSES 8

struct weir_source_host_config {
	struct weir_source_config source;
	struct weir_address to[WEIR_SOURCE_HOST_ADDRESSES]; /* of the monitor, in the order of trying */
	u32 n_to;
	/* Asked for again while nobody answers for resolve_after_ns (0: 10 s), at most each 30 s; "": never.
	 */
	char host[WEIR_NET_HOST_BYTES];
	u16 port;
	bool loopback_only; /* no keys and no word that none are meant: other addresses are not taken */
	u64 resolve_after_ns;
	weir_resolve *resolve; /* NULL: weir_address_resolve */
	bool answers_marks;    /* the controller slows down when updates come marked CE: ask for marks */
	char name[WEIR_SOURCE_NAME_BYTES + 1]; /* "": the flow id will do */
	/* Puts the newest value at `to`, at most `room` bytes, and returns how many: called when an update
	 * leaves. */
	size_t (*value)(void *owner, u8 *to, size_t room);
	/* An ACK in sequence came, with a round trip of so long; NULL: nobody wants to know. */
	void (*acked)(void *owner, u64 rtt_ns);
	void *owner;
};

struct weir_source_host_stats {
	u64 strange;  /* datagrams that are none of this protocol, or truncated */
	u64 moves;    /* the address of this machine changed */
	u64 renames;  /* the monitor's name led to other addresses */
	u64 attempts; /* addresses of the monitor that were tried after the first */
	u64 unsent;   /* updates for which there was no session or no room */
};

struct weir_source_host {
	struct weir_source source;
	struct weir_udp udp;
	struct weir_guard *guard; /* set by the caller before begin, closed by close */
	struct weir_source_host_stats stats;
	u32 at;	    /* which address */
	bool heard; /* an answer came from it */

	/* private */
	struct weir_source_host_config config;
	struct weir_loop *loop;
	struct weir_watch watch;
	u64 now_ns, look_ns, tried_ns, unanswered_ns, renewed_ns, silent_ns, resolve_ns;
	struct weir_lookup *lookup;
	u64 udp_strange;	     /* stats of sockets that were closed */
	enum weir_guard_state state; /* of the guard, when it was last looked at */
};

/* Opens a socket towards the first address to which there is a way. 0, or -1 and why. */
int weir_source_host_open(struct weir_source_host *h, struct weir_loop *loop,
			  const struct weir_source_host_config *c, char why[WEIR_NET_WHY_BYTES]);
/* What to make the guard with. */
struct weir_guard_port weir_source_host_port(struct weir_source_host *h);
void weir_source_host_begin(struct weir_source_host *h);

/* As weir_source_offer. */
bool weir_source_host_offer(struct weir_source_host *h, u64 now_ns, u64 generated_ns);
/* Does what is due and tells when to come again. */
u64 weir_source_host_step(struct weir_source_host *h);
/* The most bytes of a value. */
size_t weir_source_host_room(const struct weir_source_host *h);

void weir_source_host_close(struct weir_source_host *h);

#endif

/* SPDX-License-Identifier: MIT */
/* What stands between a UDP socket and those who speak over it: a guard turns a datagram from an address into
 * none, one or several plain datagrams of a peer, and a plain datagram for a peer into what goes on the wire.
 * There are two: `plain` (session_plain.c) passes everything on, `dtls` (dtls*.c) keeps keys.
 *
 * A guard is sans-I/O as all that speaks: time and datagrams are handed in, what it has to say goes out by
 * the two calls of its port, synchronously, inside of receive, send, wake, connect and renew. It never waits,
 * keeps no state for an address before that address has returned a valid cookie, never sends more bytes to
 * such an address than came from it, and has a bound on all of its state. One guard per socket, used by one
 * thread.
 *
 * One who listens:                              One who connects:
 *   receive(datagram) -> deliver(peer, plain)     connect(to) -> handshake -> state becomes READY
 *   inside of deliver: send(peer, answer)         send(NULL, plain); receive(datagram) -> deliver(plain)
 *   wake() at wake_ns()                           renew() when the other end seems gone: a resumed handshake
 */
#ifndef WEIR_NET_SESSION_H
#define WEIR_NET_SESSION_H

#include "net/address.h"

struct weir_guard;

/* Who sent a plain datagram. Stands only until the call returns: what outlasts sessions and addresses is the
 * flow id inside of the datagram, together with `identity`. */
struct weir_peer {
	struct weir_address address;
	void *session; /* the guard's own; NULL in plain */
	/* A hash of who has proved to be there (the key's identity, the certificate), the same after a
	 * resumed handshake and from another address; 0: nobody has proved anything. */
	u64 identity;
	const char *who; /* the name that was proved, printable; "" for nobody */
};

struct weir_guard_port {
	void *owner;
	void (*send)(void *owner, const struct weir_address *to, const u8 *data, size_t bytes);
	void (*deliver)(void *owner, const struct weir_peer *from, const u8 *data, size_t bytes);
};

enum weir_guard_state {
	WEIR_GUARD_LISTENING,
	WEIR_GUARD_CONNECTING, /* send fails, nothing is wrong yet */
	WEIR_GUARD_READY,
	WEIR_GUARD_RENEWING, /* the old session still sends and receives until the new one stands */
	WEIR_GUARD_REFUSED,  /* a key or certificate does not fit: `why` says which; it tries again, seldom */
};

/* A counter of a guard, for metrics: a name in snake_case without prefix ("handshakes_failed") and its help.
 */
struct weir_guard_counter {
	const char *name, *help;
	u64 value;
};

struct weir_guard_ops {
	const char *name;
	/* A datagram came in. */
	void (*receive)(struct weir_guard *g, u64 now_ns, const struct weir_address *from, const u8 *data,
			size_t bytes);
	/* A plain datagram goes out. `to`: the peer of the deliver that runs now; NULL where connected.
	 * false: not now (no session yet) or too large; nothing was sent. */
	bool (*send)(struct weir_guard *g, u64 now_ns, const struct weir_peer *to, const u8 *data,
		     size_t bytes);
	/* When wake wants to be called: retransmissions, expiry. WEIR_NEVER: nothing waits. */
	u64 (*wake_ns)(const struct weir_guard *g);
	void (*wake)(struct weir_guard *g, u64 now_ns);
	/* Towards `to`, from the beginning. */
	void (*connect)(struct weir_guard *g, u64 now_ns, const struct weir_address *to);
	/* No sign of life from the peer, or this end has another address now: a handshake, resumed where
	 * possible, and nothing at all in plain. Called again while it lasts, it does nothing. */
	void (*renew)(struct weir_guard *g, u64 now_ns);
	enum weir_guard_state (*state)(const struct weir_guard *g);
	/* Why it is REFUSED, or what the last handshake failed of; "" when there is nothing to say. */
	const char *(*why)(const struct weir_guard *g);
	/* The most bytes of a plain datagram in a UDP payload of `bytes`. */
	size_t (*room)(const struct weir_guard *g, size_t bytes);
	/* The i-th counter; false past the last. */
	bool (*counter)(const struct weir_guard *g, u32 i, struct weir_guard_counter *c);
	/* Says goodbye to whom it can (close_notify) and frees everything. */
	void (*close)(struct weir_guard *g, u64 now_ns);
};

/* The first member of every implementation. */
struct weir_guard {
	const struct weir_guard_ops *ops;
	struct weir_guard_port port;
};

/* No keys: every datagram is as plain as it came. Never fails but for memory: then NULL. */
struct weir_guard *weir_guard_plain_new(const struct weir_guard_port *port);

#endif

/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <stdlib.h>

struct plain {
	struct weir_guard guard;
	struct weir_address peer; /* where connected */
};

static void receive(struct weir_guard *g, u64 now_ns, const struct weir_address *from, const u8 *data,
		    size_t bytes)
{
	const struct weir_peer peer = {.address = *from, .who = ""};
	(void)now_ns;
	g->port.deliver(g->port.owner, &peer, data, bytes);
}

static bool send_plain(struct weir_guard *g, u64 now_ns, const struct weir_peer *to, const u8 *data,
		       size_t bytes)
{
	(void)now_ns;
	g->port.send(g->port.owner, to ? &to->address : &((struct plain *)g)->peer, data, bytes);
	return true;
}

static u64 wake_ns(const struct weir_guard *g)
{
	(void)g;
	return WEIR_NEVER;
}

static void nothing(struct weir_guard *g, u64 now_ns)
{
	(void)g;
	(void)now_ns;
}

static void connect_to(struct weir_guard *g, u64 now_ns, const struct weir_address *to)
{
	(void)now_ns;
	((struct plain *)g)->peer = *to;
}

static enum weir_guard_state state(const struct weir_guard *g)
{
	return ((const struct plain *)g)->peer.bytes ? WEIR_GUARD_READY : WEIR_GUARD_LISTENING;
}

static const char *why(const struct weir_guard *g)
{
	(void)g;
	return "";
}

static size_t room(const struct weir_guard *g, size_t bytes)
{
	(void)g;
	return bytes;
}

static bool counter(const struct weir_guard *g, u32 i, struct weir_guard_counter *c)
{
	(void)g;
	(void)i;
	(void)c;
	return false;
}

static void close_plain(struct weir_guard *g, u64 now_ns)
{
	(void)now_ns;
	free(g);
}

static const struct weir_guard_ops ops = {
    .name = "plain",
    .receive = receive,
    .send = send_plain,
    .wake_ns = wake_ns,
    .wake = nothing,
    .connect = connect_to,
    .renew = nothing,
    .state = state,
    .why = why,
    .room = room,
    .counter = counter,
    .close = close_plain,
};

struct weir_guard *weir_guard_plain_new(const struct weir_guard_port *port)
{
	struct plain *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->guard = (struct weir_guard){&ops, *port};
	return &p->guard;
}

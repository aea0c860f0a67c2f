/* SPDX-License-Identifier: MIT */
/* A network in virtual time between one guard that listens and many that connect: constant delay, seeded
 * losses, addresses that change, and somebody on the way who sees and forges. GnuTLS asks the system for the
 * time; here it gets the network's, so that seconds of retransmission take no time and every run is the same.
 */
#ifndef WEIR_TESTS_NET_DTLS_NETWORK_H
#define WEIR_TESTS_NET_DTLS_NETWORK_H

#include "core/rng.h"
#include "net/dtls.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NET_PEERS 256u
#define NET_QUEUE 65536u
#define NET_DATAGRAM 1500u
#define NET_START_NS (1000000 * WEIR_NS_PER_S)

struct net_datagram {
	u64 due_ns;
	struct weir_address from, to;
	u32 bytes;
	u8 data[NET_DATAGRAM];
};

struct net;

struct net_end {
	struct net *net;
	struct weir_guard *guard;
	struct weir_address address;
	u64 sent_bytes, sent_datagrams;
	u32 delivered;
	u8 last[NET_DATAGRAM]; /* plain */
	size_t last_bytes;
	u64 last_identity;
	u64 last_ns;
	char last_who[64];
};

struct net {
	u64 now_ns, delay_ns;
	double loss;
	bool cut; /* nothing arrives */
	bool no_echo;
	struct weir_rng rng;
	struct net_datagram *queue;
	u32 first, n;
	struct net_end server, client[NET_PEERS];
	u32 clients;
	/* Sees each datagram before it is lost; may be NULL. */
	void (*seen)(struct net *net, const struct net_datagram *d);
	void *seen_by;
};

static u64 net_clock_ns = NET_START_NS;

#ifndef NET_REAL_CLOCK
static i64 net_wall_step_s; /* what somebody has done to the wall clock */

int clock_gettime(clockid_t id, struct timespec *to)
{
	u64 ns = net_clock_ns;
	to->tv_sec = (time_t)(ns / WEIR_NS_PER_S) + (id == CLOCK_REALTIME ? net_wall_step_s : 0);
	to->tv_nsec = (long)(ns % WEIR_NS_PER_S);
	return 0;
}

time_t time(time_t *to)
{
	time_t now = (time_t)(net_clock_ns / WEIR_NS_PER_S) + net_wall_step_s;
	if (to)
		*to = now;
	return now;
}
#endif

static inline struct weir_address net_address(u32 host, u16 port)
{
	struct weir_address a = {.bytes = sizeof a.v4};
	a.v4.sin_family = AF_INET;
	a.v4.sin_port = htons(port);
	a.v4.sin_addr.s_addr = htonl(0x0a000000 + host);
	return a;
}

static inline void net_post(struct net *net, const struct weir_address *from, const struct weir_address *to,
			    const u8 *data, size_t bytes)
{
	if (bytes > NET_DATAGRAM || net->n == NET_QUEUE)
		abort();
	struct net_datagram *d = &net->queue[(net->first + net->n) % NET_QUEUE];
	d->due_ns = net->now_ns + net->delay_ns;
	d->from = *from;
	d->to = *to;
	d->bytes = (u32)bytes;
	memcpy(d->data, data, bytes);
	if (net->seen)
		net->seen(net, d);
	if (net->cut || weir_rng_unit(&net->rng) < net->loss)
		return;
	net->n++;
}

static inline void net_send(void *owner, const struct weir_address *to, const u8 *data, size_t bytes)
{
	struct net_end *e = owner;
	e->sent_bytes += bytes;
	e->sent_datagrams++;
	net_post(e->net, &e->address, to, data, bytes);
}

static inline void net_deliver(void *owner, const struct weir_peer *from, const u8 *data, size_t bytes)
{
	struct net_end *e = owner;
	e->delivered++;
	e->last_bytes = bytes;
	memcpy(e->last, data, bytes);
	e->last_identity = from->identity;
	e->last_ns = e->net->now_ns;
	snprintf(e->last_who, sizeof e->last_who, "%s", from->who ? from->who : "");
	if (e == &e->net->server && !e->net->no_echo)
		e->guard->ops->send(e->guard, e->net->now_ns, from, data, bytes);
}

static inline struct weir_guard_port net_port(struct net_end *e)
{
	return (struct weir_guard_port){.owner = e, .send = net_send, .deliver = net_deliver};
}

static inline void net_open(struct net *net, u64 seed)
{
	memset(net, 0, sizeof *net);
	net->queue = calloc(NET_QUEUE, sizeof *net->queue);
	net->now_ns = net_clock_ns;
	net->delay_ns = 10 * WEIR_NS_PER_MS;
	weir_rng_init(&net->rng, seed, weir_rng_point("network"), 0);
	net->server.net = net;
	net->server.address = net_address(1, 49050);
}

static inline bool net_listen(struct net *net, const struct weir_dtls_config *config)
{
	char why[WEIR_NET_WHY_BYTES];
	struct weir_guard_port port = net_port(&net->server);
	net->server.guard = weir_guard_dtls_new_server(config, &port, why);
	if (!net->server.guard)
		fprintf(stderr, "%s\n", why);
	return net->server.guard != NULL;
}

static inline struct net_end *net_join(struct net *net, const struct weir_dtls_config *config)
{
	char why[WEIR_NET_WHY_BYTES];
	struct net_end *e = &net->client[net->clients];
	e->net = net;
	e->address = net_address(100 + net->clients, (u16)(20000 + net->clients));
	struct weir_guard_port port = net_port(e);
	e->guard = weir_guard_dtls_new_client(config, &port, why);
	if (!e->guard) {
		fprintf(stderr, "%s\n", why);
		return NULL;
	}
	net->clients++;
	return e;
}

static inline void net_connect(struct net_end *e)
{
	e->guard->ops->connect(e->guard, e->net->now_ns, &e->net->server.address);
}

static inline bool net_say(struct net_end *e, const char *text)
{
	return e->guard->ops->send(e->guard, e->net->now_ns, NULL, (const u8 *)text, strlen(text));
}

static inline struct net_end *net_at(struct net *net, const struct weir_address *a)
{
	if (weir_address_equal(a, &net->server.address))
		return &net->server;
	for (u32 i = 0; i < net->clients; i++)
		if (weir_address_equal(a, &net->client[i].address))
			return &net->client[i];
	return NULL;
}

static inline u64 net_wake_ns(const struct net_end *e)
{
	return e->guard ? e->guard->ops->wake_ns(e->guard) : WEIR_NEVER;
}

static inline void net_wake(struct net_end *e)
{
	if (net_wake_ns(e) <= e->net->now_ns)
		e->guard->ops->wake(e->guard, e->net->now_ns);
}

/* Everything that happens until then. */
static inline void net_run(struct net *net, u64 until_ns)
{
	for (;;) {
		u64 next = net->n ? net->queue[net->first].due_ns : WEIR_NEVER;
		u64 wake = net_wake_ns(&net->server);
		for (u32 i = 0; i < net->clients; i++) {
			u64 w = net_wake_ns(&net->client[i]);
			wake = w < wake ? w : wake;
		}
		u64 at = next < wake ? next : wake;
		if (at > until_ns)
			break;
		net->now_ns = net_clock_ns = at > net->now_ns ? at : net->now_ns;
		if (next <= wake) {
			struct net_datagram d = net->queue[net->first];
			net->first = (net->first + 1) % NET_QUEUE;
			net->n--;
			struct net_end *e = net_at(net, &d.to);
			if (e && e->guard)
				e->guard->ops->receive(e->guard, net->now_ns, &d.from, d.data, d.bytes);
			continue;
		}
		net_wake(&net->server);
		for (u32 i = 0; i < net->clients; i++)
			net_wake(&net->client[i]);
	}
	net->now_ns = net_clock_ns = until_ns;
}

static inline void net_pass(struct net *net, u64 ns)
{
	net_run(net, net->now_ns + ns);
}

static inline u64 net_count(const struct net_end *e, const char *name)
{
	struct weir_guard_counter c;
	for (u32 i = 0; e->guard->ops->counter(e->guard, i, &c); i++)
		if (!strcmp(c.name, name))
			return c.value;
	abort();
}

static inline enum weir_guard_state net_state(const struct net_end *e)
{
	return e->guard->ops->state(e->guard);
}

static inline void net_leave(struct net_end *e)
{
	if (e->guard)
		e->guard->ops->close(e->guard, e->net->now_ns);
	e->guard = NULL;
}

static inline void net_close(struct net *net)
{
	for (u32 i = 0; i < net->clients; i++)
		net_leave(&net->client[i]);
	net_leave(&net->server);
	free(net->queue);
}

/* The keys that the tests use: client-0 to client-255, each its own. */
static inline struct weir_keys *net_keys(u32 n, const char *only)
{
	static struct weir_diag d;
	char *text = malloc(n * 64u), *at = text;
	for (u32 i = 0; i < n; i++)
		at += sprintf(at, "client-%u:%032x\n", i, 0x1000 + i);
	struct weir_keys *keys = weir_keys_parse(text, (size_t)(at - text), only, &d);
	free(text);
	return keys;
}

#endif

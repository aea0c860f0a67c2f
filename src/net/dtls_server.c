/* SPDX-License-Identifier: MIT */
/* The side that listens: many peers on one socket, nothing kept for an address before it has returned a
 * cookie. */
#include "net/dtls_server.h"
#include "weir/num.h"

#include <gnutls/crypto.h>
#include <stdlib.h>
#include <string.h>

#define COOKIE_TURN_NS (30 * WEIR_NS_PER_S) /* a cookie is good for one to two of these */

static struct weir_dtls_server *server_of(struct weir_guard *g)
{
	return (struct weir_dtls_server *)g;
}

static const struct weir_dtls_server *server_of_const(const struct weir_guard *g)
{
	return (const struct weir_dtls_server *)g;
}

/* Where a cookie goes, and how much may be sent there. */
struct reply {
	struct weir_dtls_server *server;
	const struct weir_address *to;
	size_t most;
};

static ssize_t send_cookie(gnutls_transport_ptr_t of, const void *data, size_t bytes)
{
	const struct reply *r = of;
	if (bytes <= r->most) {
		r->server->count.cookies_sent++;
		r->server->guard.port.send(r->server->guard.port.owner, r->to, data, bytes);
	}
	return (ssize_t)bytes;
}

/* A new secret from time to time, so that a cookie that somebody saw is of no use for long. */
static void turn_cookies(struct weir_dtls_server *v, u64 now_ns)
{
	if (now_ns < v->cookie_turn_ns)
		return;
	gnutls_datum_t older = v->cookie_key[1];
	v->cookie_key[1] = v->cookie_key[0];
	v->cookie_key[0] = older;
	(void)gnutls_rnd(GNUTLS_RND_KEY, older.data, older.size);
	if (now_ns >= v->cookie_turn_ns + COOKIE_TURN_NS) /* the other one is too old as well */
		(void)gnutls_rnd(GNUTLS_RND_KEY, v->cookie_key[1].data, v->cookie_key[1].size);
	v->cookie_turn_ns = now_ns + COOKIE_TURN_NS;
}

static void greet(struct weir_dtls_server *v, u64 now_ns, const struct weir_address *from,
		  struct weir_dtls_slot *slot, const struct weir_dtls_hello *hello, const u8 *data,
		  size_t bytes)
{
	/* The cookie is good for this address and this hello only. */
	u8 claim[sizeof(struct sockaddr_in6) + WEIR_DTLS_RANDOM_BYTES];
	memcpy(claim, &from->any, from->bytes);
	memcpy(claim + from->bytes, hello->random, WEIR_DTLS_RANDOM_BYTES);
	size_t claim_bytes = from->bytes + WEIR_DTLS_RANDOM_BYTES;
	gnutls_dtls_prestate_st prestate = {0};
	void *datagram = (void *)(uintptr_t)data;
	turn_cookies(v, now_ns);
	for (u32 i = 0; i < 2 && hello->cookie_bytes; i++) {
		if (gnutls_dtls_cookie_verify(&v->cookie_key[i], claim, claim_bytes, datagram, bytes,
					      &prestate) < 0)
			continue;
		weir_dtls_peers_begin(v, now_ns, from, slot, hello, &prestate, data, bytes);
		return;
	}
	struct reply reply = {.server = v, .to = from, .most = bytes};
	/* The check also learns the hello's numbers, which the answer repeats. */
	(void)gnutls_dtls_cookie_verify(&v->cookie_key[0], claim, claim_bytes, datagram, bytes, &prestate);
	(void)gnutls_dtls_cookie_send(&v->cookie_key[0], claim, claim_bytes, &prestate, &reply, send_cookie);
}

static void receive_hello(struct weir_dtls_server *v, u64 now_ns, const struct weir_address *from,
			  struct weir_dtls_slot *slot, const struct weir_dtls_hello *hello, const u8 *data,
			  size_t bytes)
{
	if (slot && slot->candidate &&
	    !memcmp(slot->candidate->random, hello->random, WEIR_DTLS_RANDOM_BYTES)) {
		weir_dtls_peers_step(v, now_ns, slot, data, bytes);
	} else if (slot && slot->current &&
		   !memcmp(slot->current->random, hello->random, WEIR_DTLS_RANDOM_BYTES)) {
		v->count.dropped_replayed++; /* of the session that stands: late, or seen on the way */
	} else {
		greet(v, now_ns, from, slot, hello, data, bytes);
	}
}

static void receive(struct weir_guard *g, u64 now_ns, const struct weir_address *from, const u8 *data,
		    size_t bytes)
{
	struct weir_dtls_server *v = server_of(g);
	struct weir_dtls_record first;
	struct weir_dtls_hello hello;
	if (from->bytes > sizeof from->v6 || !weir_dtls_datagram_take(data, bytes, &first)) {
		v->count.dropped_malformed++;
		return;
	}
	struct weir_dtls_slot *slot = weir_dtls_table_find(&v->table, from);
	bool standing = slot && slot->current;
	bool recent = standing && weir_sub(now_ns, slot->current->established_ns) < WEIR_DTLS_LAST_FLIGHT_NS;
	if (weir_dtls_hello_take(&first, &hello))
		receive_hello(v, now_ns, from, slot, &hello, data, bytes);
	else if (first.epoch && standing && (first.type == WEIR_DTLS_DATA || first.type == WEIR_DTLS_ALERT))
		weir_dtls_peers_take(v, now_ns, slot, data, bytes, &first);
	else if (first.epoch && first.type == WEIR_DTLS_DATA)
		v->count.dropped_unknown++;
	else if (!first.epoch && (first.type == WEIR_DTLS_ALERT || first.type == WEIR_DTLS_DATA))
		v->count.dropped_unexpected++;
	else if (slot && slot->candidate)
		weir_dtls_peers_step(v, now_ns, slot, data, bytes);
	else if (recent || (standing && first.epoch))
		weir_dtls_peers_take(v, now_ns, slot, data, bytes, &first);
	else
		*(first.epoch ? &v->count.dropped_unknown : &v->count.dropped_unexpected) += 1;
}

static bool send_record(struct weir_guard *g, u64 now_ns, const struct weir_peer *to, const u8 *data,
			size_t bytes)
{
	const struct weir_dtls_server *v = server_of(g);
	(void)now_ns;
	return to && to->session && bytes + WEIR_DTLS_OVERHEAD_BYTES <= v->limits.datagram_bytes &&
	       weir_dtls_session_send(to->session, data, bytes);
}

static u64 wake_ns(const struct weir_guard *g)
{
	return server_of_const(g)->wake_ns;
}

static void wake(struct weir_guard *g, u64 now_ns)
{
	if (now_ns >= server_of(g)->wake_ns)
		weir_dtls_peers_wake(server_of(g), now_ns);
}

static void connect_to(struct weir_guard *g, u64 now_ns, const struct weir_address *to)
{
	(void)g;
	(void)now_ns;
	(void)to;
}

static void renew(struct weir_guard *g, u64 now_ns)
{
	(void)g;
	(void)now_ns;
}

static enum weir_guard_state state(const struct weir_guard *g)
{
	(void)g;
	return WEIR_GUARD_LISTENING;
}

static const char *why(const struct weir_guard *g)
{
	(void)g;
	return "";
}

static size_t room(const struct weir_guard *g, size_t bytes)
{
	const struct weir_dtls_server *v = server_of_const(g);
	bytes = bytes < v->limits.datagram_bytes ? bytes : v->limits.datagram_bytes;
	return bytes > WEIR_DTLS_OVERHEAD_BYTES ? bytes - WEIR_DTLS_OVERHEAD_BYTES : 0;
}

static bool counter(const struct weir_guard *g, u32 i, struct weir_guard_counter *c)
{
	const struct weir_dtls_counts *n = &server_of_const(g)->count;
	const struct weir_guard_counter all[] = {
#define X(name, help) {#name, help, n->name},
	    WEIR_DTLS_SERVER_COUNTERS(X)
#undef X
	};
	if (i >= sizeof all / sizeof *all)
		return false;
	*c = all[i];
	return true;
}

static void free_server(struct weir_dtls_server *v)
{
	for (u32 i = 0; i < 2; i++) {
		if (v->cookie_key[i].data)
			gnutls_memset(v->cookie_key[i].data, 0, v->cookie_key[i].size);
		gnutls_free(v->cookie_key[i].data);
	}
	weir_dtls_table_free(&v->table);
	weir_dtls_credentials_free(&v->credentials);
	gnutls_memset(v, 0, sizeof *v);
	free(v);
}

static void close_all(struct weir_guard *g, u64 now_ns)
{
	(void)now_ns;
	weir_dtls_peers_close(server_of(g));
	free_server(server_of(g));
}

static const struct weir_guard_ops ops = {
    .name = "dtls",
    .receive = receive,
    .send = send_record,
    .wake_ns = wake_ns,
    .wake = wake,
    .connect = connect_to,
    .renew = renew,
    .state = state,
    .why = why,
    .room = room,
    .counter = counter,
    .close = close_all,
};

struct weir_guard *weir_guard_dtls_new_server(const struct weir_dtls_config *config,
					      const struct weir_guard_port *port,
					      char why_not[WEIR_NET_WHY_BYTES])
{
	struct weir_dtls_server *v = calloc(1, sizeof *v);
	if (!v) {
		snprintf(why_not, WEIR_NET_WHY_BYTES, "out of memory");
		return NULL;
	}
	v->guard = (struct weir_guard){.ops = &ops, .port = *port};
	v->wake_ns = WEIR_NEVER;
	v->limits = weir_dtls_config_complete(config);
	struct weir_siphash_key key;
	bool good = weir_dtls_credentials_init(&v->credentials, config, true, why_not);
	if (good) {
		good = gnutls_rnd(GNUTLS_RND_KEY, &key, sizeof key) >= 0 &&
		       gnutls_key_generate(&v->cookie_key[0], GNUTLS_COOKIE_KEY_SIZE) >= 0 &&
		       gnutls_key_generate(&v->cookie_key[1], GNUTLS_COOKIE_KEY_SIZE) >= 0 &&
		       weir_dtls_table_init(&v->table, v->limits.sessions + v->limits.half_open, key);
		if (!good)
			snprintf(why_not, WEIR_NET_WHY_BYTES, "no random numbers, or no memory");
	}
	if (!good) {
		free_server(v);
		return NULL;
	}
	return &v->guard;
}

/* SPDX-License-Identifier: MIT */
/* The side that connects: one peer, and a session that is renewed while the old one still serves. */
#include "net/dtls_flight.h"
#include "net/dtls_session.h"
#include "net/dtls_words.h"
#include "weir/num.h"

#include <stdlib.h>
#include <string.h>

#define HELLO_AGE_NS (20 * WEIR_NS_PER_S)   /* a hello is sent again for so long, then there is a new one */
#define PATIENCE_NS (2500 * WEIR_NS_PER_MS) /* with one who has answered, per attempt that broke off so */
#define PATIENCE_MOST 8u
#define REFUSED_NS                                                                                           \
	(10 * WEIR_NS_PER_S) /* until the next attempt with one who does not accept us, or we them */
#define UNCONFIRMED_MOST 2u  /* handshakes without the other end's last word: then the keys differ */
#define LAST_FLIGHT_NS (30 * WEIR_NS_PER_S)

#define COUNTERS(X)                                                                                          \
	X(records, "authentic records delivered")                                                            \
	X(hellos, "first datagrams of handshakes, repeats included")                                         \
	X(handshakes_completed, "handshakes completed")                                                      \
	X(handshakes_resumed, "completed handshakes that resumed a session")                                 \
	X(handshakes_failed, "handshakes that broke off")                                                    \
	X(sessions_closed, "sessions that the other end closed")                                             \
	X(dropped_foreign, "datagrams from another address")                                                 \
	X(dropped_malformed, "datagrams that are no DTLS: too short, truncated, another version")            \
	X(dropped_unexpected, "records that belong to no handshake and no session")                          \
	X(dropped_late, "records of a handshake that is complete")                                           \
	X(dropped_forged, "records that the session's key did not make")                                     \
	X(dropped_replayed, "records that had been seen, or too old to tell")

struct counts {
#define X(name, help) u64 name;
	COUNTERS(X)
#undef X
};

struct client {
	struct weir_guard guard;
	struct weir_dtls_credentials credentials;
	struct weir_dtls_config limits;
	struct weir_guard_port tap; /* of the handshake: keeps what goes out as well */
	struct weir_address to;	    /* bytes 0: nowhere yet */
	struct weir_dtls_session *current, *candidate;
	gnutls_datum_t ticket; /* to resume with */
	bool with_ticket;      /* the attempt that runs tries it */
	bool heard;	       /* it has had an answer */
	bool refused;
	u8 alert; /* unprotected, so anybody can have sent it: for the message alone; 0: none */
	u32 broken_off, unconfirmed;
	u64 begun_ns, hello_ns, next_ns; /* of the attempt; of the last hello; when the next attempt begins */
	struct weir_dtls_flight flight;
	char why[WEIR_NET_WHY_BYTES];
	struct counts count;
	u8 plain[WEIR_DTLS_RECORD_BYTES];
};

static struct client *client_of(struct weir_guard *g)
{
	return (struct client *)g;
}

static const struct client *client_of_const(const struct weir_guard *g)
{
	return (const struct client *)g;
}

static void tap(void *owner, const struct weir_address *to, const u8 *data, size_t bytes)
{
	struct client *c = owner;
	if (!c->heard)
		weir_dtls_flight_add(&c->flight, data, bytes);
	c->guard.port.send(c->guard.port.owner, to, data, bytes);
}

static void repeat_hello(struct client *c, u64 now_ns)
{
	const u8 *at = c->flight.data;
	for (u32 i = 0; i < c->flight.n; at += c->flight.bytes[i++])
		c->guard.port.send(c->guard.port.owner, &c->to, at, c->flight.bytes[i]);
	c->count.hellos++;
	c->hello_ns = now_ns;
}

static void forget_ticket(struct client *c)
{
	if (c->ticket.data)
		gnutls_memset(c->ticket.data, 0, c->ticket.size);
	gnutls_free(c->ticket.data);
	c->ticket = (gnutls_datum_t){0};
}

static void break_off(struct client *c, u64 next_ns)
{
	weir_dtls_session_free(c->candidate, false);
	c->candidate = NULL;
	c->next_ns = next_ns;
}

static void failed(struct client *c, u64 now_ns)
{
	int error = c->candidate->error;
	c->count.handshakes_failed++;
	c->refused = !c->current;
	weir_dtls_tell_failure(c->why, c->candidate, c->credentials.host, error);
	forget_ticket(c);
	/* With a session that stood, it is rather that somebody disturbed the handshake. */
	break_off(c, now_ns + (c->current ? c->limits.hello_ns : REFUSED_NS));
}

/* No more answers in the middle of a handshake. */
static void fell_silent(struct client *c, u64 now_ns)
{
	bool last_word = gnutls_handshake_get_last_out(c->candidate->tls) == GNUTLS_HANDSHAKE_FINISHED;
	c->count.handshakes_failed++;
	c->broken_off++;
	if (c->with_ticket)
		forget_ticket(c);
	else
		c->unconfirmed = last_word ? c->unconfirmed + 1 : 0;
	c->refused = c->unconfirmed >= UNCONFIRMED_MOST;
	if (c->unconfirmed) {
		weir_dtls_tell_unconfirmed(c->why, c->credentials.keys);
	} else if (c->alert) {
		c->refused = !c->current;
		weir_dtls_tell_alert(c->why, c->alert);
	}
	break_off(c, c->refused ? now_ns + REFUSED_NS : now_ns);
}

static void completed(struct client *c, u64 now_ns)
{
	weir_dtls_session_free(c->current, false);
	c->current = c->candidate;
	c->candidate = NULL;
	c->current->port = &c->guard.port;
	c->count.handshakes_completed++;
	c->count.handshakes_resumed += c->current->resumed;
	c->refused = false;
	c->broken_off = c->unconfirmed = 0;
	c->why[0] = 0;
	forget_ticket(c);
	if (gnutls_session_get_data2(c->current->tls, &c->ticket) < 0)
		c->ticket = (gnutls_datum_t){0};
	weir_dtls_session_take(c->current, now_ns, NULL, 0, 0, c->plain);
}

static void step(struct client *c, u64 now_ns, const u8 *data, size_t bytes)
{
	if (data)
		c->heard = true;
	switch (weir_dtls_session_step(c->candidate, now_ns, data, bytes, c->limits.datagram_bytes)) {
	case WEIR_DTLS_DONE:
		completed(c, now_ns);
		break;
	case WEIR_DTLS_FAILED:
		failed(c, now_ns);
		break;
	case WEIR_DTLS_GOING:
		break;
	}
}

static void begin(struct client *c, u64 now_ns)
{
	weir_dtls_session_free(c->candidate, false);
	c->candidate = weir_dtls_session_new(&c->credentials, &c->tap, &c->to, NULL, now_ns);
	c->begun_ns = now_ns;
	c->next_ns = now_ns + c->limits.hello_ns;
	if (!c->candidate)
		return;
	c->with_ticket =
	    c->ticket.data && gnutls_session_set_data(c->candidate->tls, c->ticket.data, c->ticket.size) >= 0;
	c->heard = false;
	c->alert = 0;
	weir_dtls_flight_clear(&c->flight);
	c->hello_ns = now_ns;
	c->count.hellos++;
	step(c, now_ns, NULL, 0);
}

static void connect_to(struct weir_guard *g, u64 now_ns, const struct weir_address *to)
{
	struct client *c = client_of(g);
	weir_dtls_session_free(c->current, true);
	c->current = NULL;
	forget_ticket(c);
	c->to = *to;
	c->refused = false;
	c->broken_off = c->unconfirmed = 0;
	c->why[0] = 0;
	begin(c, now_ns);
}

static void renew(struct weir_guard *g, u64 now_ns)
{
	struct client *c = client_of(g);
	if (c->current && !c->candidate && now_ns >= c->next_ns)
		begin(c, now_ns);
}

/* A datagram for the session that stands. */
static void take(struct client *c, u64 now_ns, const u8 *data, size_t bytes, const struct weir_dtls_record *r)
{
	bool seen = weir_dtls_window_seen(&c->current->window, r->sequence);
	switch (weir_dtls_session_take(c->current, now_ns, data, bytes, r->sequence, c->plain)) {
	case WEIR_DTLS_RECORDS:
		c->count.records++;
		c->next_ns = now_ns; /* a session that works may be renewed at once when it no longer does */
		/* The other end is there and knows this session: no need for another one. Once it has
		 * answered the hello it may have put the new one in this one's place. */
		if (c->candidate && !c->heard)
			break_off(c, now_ns);
		break;
	case WEIR_DTLS_CLOSED:
		c->count.sessions_closed++;
		weir_dtls_session_free(c->current, false);
		c->current = NULL;
		if (!c->candidate && now_ns >= c->begun_ns + c->limits.hello_ns)
			begin(c, now_ns);
		else if (!c->candidate)
			c->next_ns = c->begun_ns + c->limits.hello_ns;
		break;
	case WEIR_DTLS_NOTHING:
		if (r->type == WEIR_DTLS_HANDSHAKE || r->type == WEIR_DTLS_CHANGE_CIPHER)
			c->count.dropped_late++;
		else
			*(seen ? &c->count.dropped_replayed : &c->count.dropped_forged) += 1;
		break;
	}
}

static void receive(struct weir_guard *g, u64 now_ns, const struct weir_address *from, const u8 *data,
		    size_t bytes)
{
	struct client *c = client_of(g);
	struct weir_dtls_record first;
	if (!weir_address_equal(from, &c->to)) {
		c->count.dropped_foreign++;
		return;
	}
	if (!weir_dtls_datagram_take(data, bytes, &first)) {
		c->count.dropped_malformed++;
		return;
	}
	bool recent = c->current && weir_sub(now_ns, c->current->established_ns) < LAST_FLIGHT_NS;
	if (!first.epoch && first.type == WEIR_DTLS_ALERT) {
		c->count.dropped_unexpected++;
		c->alert = first.bytes == 2 ? first.body[1] : 0;
	} else if (c->current && first.epoch &&
		   (first.type == WEIR_DTLS_DATA || first.type == WEIR_DTLS_ALERT)) {
		take(c, now_ns, data, bytes, &first);
	} else if (first.type != WEIR_DTLS_DATA && c->candidate) {
		step(c, now_ns, data, bytes);
	} else if (first.type != WEIR_DTLS_DATA && (recent || (c->current && first.epoch))) {
		take(c, now_ns, data, bytes, &first);
	} else {
		c->count.dropped_unexpected++;
	}
}

static bool send_record(struct weir_guard *g, u64 now_ns, const struct weir_peer *to, const u8 *data,
			size_t bytes)
{
	struct client *c = client_of(g);
	(void)now_ns;
	(void)to;
	return c->current && bytes + WEIR_DTLS_OVERHEAD_BYTES <= c->limits.datagram_bytes &&
	       weir_dtls_session_send(c->current, data, bytes);
}

static u64 patience_ns(const struct client *c)
{
	return PATIENCE_NS * (1 + (c->broken_off < PATIENCE_MOST ? c->broken_off : PATIENCE_MOST));
}

static u64 earlier(u64 a, u64 b)
{
	return a < b ? a : b;
}

static u64 wake_ns(const struct weir_guard *g)
{
	const struct client *c = client_of_const(g);
	if (!c->to.bytes)
		return WEIR_NEVER;
	if (!c->candidate)
		return c->current ? WEIR_NEVER : c->next_ns;
	if (!c->heard)
		return c->hello_ns + c->limits.hello_ns;
	return earlier(c->candidate->retransmit_ns, c->candidate->heard_ns + patience_ns(c));
}

static void wake(struct weir_guard *g, u64 now_ns)
{
	struct client *c = client_of(g);
	if (now_ns < wake_ns(g))
		return;
	if (!c->candidate) {
		begin(c, now_ns);
	} else if (!c->heard) {
		if (weir_sub(now_ns, c->begun_ns) >= HELLO_AGE_NS)
			begin(c, now_ns);
		else
			repeat_hello(c, now_ns);
	} else if (now_ns >= c->candidate->heard_ns + patience_ns(c)) {
		fell_silent(c, now_ns);
		if (!c->refused)
			begin(c, now_ns);
	} else {
		step(c, now_ns, NULL, 0);
	}
}

static enum weir_guard_state state(const struct weir_guard *g)
{
	const struct client *c = client_of_const(g);
	if (c->current)
		return c->candidate ? WEIR_GUARD_RENEWING : WEIR_GUARD_READY;
	return c->refused ? WEIR_GUARD_REFUSED : WEIR_GUARD_CONNECTING;
}

static const char *why(const struct weir_guard *g)
{
	return client_of_const(g)->why;
}

static size_t room(const struct weir_guard *g, size_t bytes)
{
	const struct client *c = client_of_const(g);
	bytes = bytes < c->limits.datagram_bytes ? bytes : c->limits.datagram_bytes;
	return bytes > WEIR_DTLS_OVERHEAD_BYTES ? bytes - WEIR_DTLS_OVERHEAD_BYTES : 0;
}

static bool counter(const struct weir_guard *g, u32 i, struct weir_guard_counter *to)
{
	const struct counts *n = &client_of_const(g)->count;
	const struct weir_guard_counter all[] = {
#define X(name, help) {#name, help, n->name},
	    COUNTERS(X)
#undef X
	};
	if (i >= sizeof all / sizeof *all)
		return false;
	*to = all[i];
	return true;
}

static void free_client(struct client *c)
{
	forget_ticket(c);
	weir_dtls_credentials_free(&c->credentials);
	gnutls_memset(c, 0, sizeof *c);
	free(c);
}

static void close_all(struct weir_guard *g, u64 now_ns)
{
	struct client *c = client_of(g);
	(void)now_ns;
	weir_dtls_session_free(c->candidate, false);
	weir_dtls_session_free(c->current, true);
	free_client(c);
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

struct weir_guard *weir_guard_dtls_new_client(const struct weir_dtls_config *config,
					      const struct weir_guard_port *port,
					      char why_not[WEIR_NET_WHY_BYTES])
{
	struct client *c = calloc(1, sizeof *c);
	if (!c) {
		snprintf(why_not, WEIR_NET_WHY_BYTES, "out of memory");
		return NULL;
	}
	c->guard = (struct weir_guard){.ops = &ops, .port = *port};
	c->tap = (struct weir_guard_port){.owner = c, .send = tap};
	c->limits = weir_dtls_config_complete(config);
	if (!weir_dtls_credentials_init(&c->credentials, config, false, why_not)) {
		free_client(c);
		return NULL;
	}
	return &c->guard;
}

/* SPDX-License-Identifier: MIT */
#include "source_host.h"

#include "age/wire.h"
#include "weir/num.h"

#include <string.h>

#define LOOK_NS WEIR_NS_PER_S /* how often addresses are looked at */
#define TRY_NS                                                                                               \
	(1500 * WEIR_NS_PER_MS)	 /* without an answer, before the next address of the monitor is tried */
#define SILENCE_NS WEIR_NS_PER_S /* without an answer, before the session is renewed: at least */
#define SILENCE_MAX_NS (2 * WEIR_NS_PER_S)
#define RESOLVE_AFTER_NS (10 * WEIR_NS_PER_S)
#define RESOLVE_EVERY_NS (30 * WEIR_NS_PER_S)
#define BATCHES_MAX 16

/* ---- in ---- */

static void deliver(void *owner, const struct weir_peer *from, const u8 *data, size_t bytes)
{
	struct weir_source_host *h = owner;
	struct weir_age_packet in;
	(void)from;
	if (weir_age_decode(&in, data, bytes) != WEIR_AGE_WIRE_OK) {
		h->stats.strange++;
		return;
	}
	enum weir_source_verdict verdict = weir_source_receive(&h->source, h->now_ns, &in);
	if (verdict == WEIR_SOURCE_FOREIGN || verdict == WEIR_SOURCE_BAD)
		return;
	h->heard = true;
	h->unanswered_ns = WEIR_NEVER;
	h->silent_ns = h->now_ns;
	if (verdict == WEIR_SOURCE_ACKED && h->config.acked)
		h->config.acked(h->config.owner,
				weir_sub(h->now_ns - in.sent_ns, in.held_us * WEIR_NS_PER_US));
}

static void take(void *owner, const struct weir_address *from, const u8 *data, size_t bytes, u64 arrived_ns)
{
	struct weir_source_host *h = owner;
	h->now_ns = arrived_ns;
	h->guard->ops->receive(h->guard, arrived_ns, from, data, bytes);
}

static void pump(struct weir_source_host *h);

static void on_socket(void *owner, u32 events)
{
	struct weir_source_host *h = owner;
	(void)events;
	u32 n = h->udp.batch_in;
	for (u32 i = 0; i < BATCHES_MAX && n == h->udp.batch_in; i++) {
		n = weir_udp_receive(&h->udp, take, h);
	}
	pump(h);
}

/* ---- out ---- */

static void to_wire(void *owner, const struct weir_address *to, const u8 *data, size_t bytes)
{
	weir_udp_send(&((struct weir_source_host *)owner)->udp, to, data, bytes);
}

static bool usable(const struct weir_source_host *h)
{
	enum weir_guard_state s = h->guard->ops->state(h->guard);
	return s == WEIR_GUARD_READY || s == WEIR_GUARD_RENEWING;
}

static size_t name_bytes(const struct weir_source_host *h)
{
	size_t n = strlen(h->config.name);
	return n ? n + 1 : 0;
}

size_t weir_source_host_room(const struct weir_source_host *h)
{
	size_t room = h->guard->ops->room(h->guard, WEIR_UDP_BYTES) - WEIR_AGE_HEADER_BYTES - name_bytes(h);
	return weir_min(room, WEIR_AGE_VALUE_BYTES_MAX);
}

static void send_packet(struct weir_source_host *h, struct weir_age_packet *p)
{
	u8 data[WEIR_UDP_BYTES];
	size_t name = name_bytes(h);
	if (name)
		p->flags |= WEIR_AGE_NAMED;
	size_t used = weir_age_encode(p, data, sizeof data);
	if (name) {
		data[used] = (u8)(name - 1);
		memcpy(data + used + 1, h->config.name, name - 1);
		used += name;
	}
	if (p->type == WEIR_AGE_UPDATE)
		used += h->config.value(h->config.owner, data + used, weir_source_host_room(h));
	if (!h->guard->ops->send(h->guard, h->now_ns, NULL, data, used))
		h->stats.unsent++;
	if (h->unanswered_ns == WEIR_NEVER)
		h->unanswered_ns = h->now_ns;
}

static void pump(struct weir_source_host *h)
{
	struct weir_age_packet p;
	h->now_ns = weir_clock_ns();
	if (h->guard->ops->wake_ns(h->guard) <= h->now_ns)
		h->guard->ops->wake(h->guard, h->now_ns);
	while (usable(h) && weir_source_poll(&h->source, h->now_ns, &p))
		send_packet(h, &p);
	weir_udp_flush(&h->udp);
}

bool weir_source_host_offer(struct weir_source_host *h, u64 now_ns, u64 generated_ns)
{
	bool taken = weir_source_offer(&h->source, now_ns, generated_ns);
	pump(h);
	return taken;
}

/* ---- addresses ---- */

static int open_towards(struct weir_source_host *h, u32 at, char why[WEIR_NET_WHY_BYTES])
{
	struct weir_udp udp;
	if (weir_udp_connect(&udp, &h->config.to[at], 0, why) < 0)
		return -1;
	if (h->watch.fd >= 0) {
		weir_loop_remove(h->loop, &h->watch);
		udp.stats = h->udp.stats;
		weir_udp_close(&h->udp);
	}
	h->udp = udp;
	if (h->config.answers_marks)
		weir_udp_ask_marks(&h->udp);
	h->at = at;
	h->watch = (struct weir_watch){udp.fd, on_socket, h};
	h->tried_ns = weir_clock_ns();
	h->unanswered_ns = WEIR_NEVER;
	return weir_loop_add(h->loop, &h->watch, EPOLLIN);
}

/* The next address to which there is a way. */
static void try_next(struct weir_source_host *h)
{
	char why[WEIR_NET_WHY_BYTES];
	for (u32 i = 1; i <= h->config.n_to; i++) {
		u32 at = (h->at + i) % h->config.n_to;
		if (open_towards(h, at, why) < 0)
			continue;
		h->stats.attempts++;
		h->guard->ops->connect(h->guard, h->now_ns, &h->config.to[at]);
		weir_source_path_changed(&h->source, h->now_ns);
		return;
	}
}

/* Whether what this machine would speak from is no longer what the socket is bound to. */
static bool moved(const struct weir_source_host *h)
{
	struct weir_address now;
	if (!weir_udp_source_address(&h->config.to[h->at], &now))
		return false; /* no way at all: that of before may come back */
	if (now.any.sa_family == AF_INET)
		return now.v4.sin_addr.s_addr != h->udp.local.v4.sin_addr.s_addr;
	return memcmp(&now.v6.sin6_addr, &h->udp.local.v6.sin6_addr, sizeof now.v6.sin6_addr) != 0;
}

static bool is_known(const struct weir_source_host *h, const struct weir_address *a)
{
	for (u32 i = 0; i < h->config.n_to; i++)
		if (weir_address_equal(&h->config.to[i], a))
			return true;
	return false;
}

/* Whether there is an address that was not there before; all of them are taken then. */
static bool take_addresses(struct weir_source_host *h, const struct weir_address *to, u32 n)
{
	struct weir_address allowed[WEIR_RESOLVER_ROOM];
	u32 n_allowed = 0;
	bool is_new = false;
	for (u32 i = 0; i < n && n_allowed < WEIR_SOURCE_HOST_ADDRESSES; i++) {
		if (h->config.loopback_only && !weir_address_is_loopback(&to[i]))
			continue;
		is_new = is_new || !is_known(h, &to[i]);
		allowed[n_allowed++] = to[i];
	}
	if (!is_new)
		return false;
	h->config.n_to = n_allowed;
	for (u32 i = 0; i < n_allowed; i++)
		h->config.to[i] = allowed[i];
	return true;
}

/* The monitor may have moved meanwhile, and its name with it. */
static void resolve_again(struct weir_source_host *h)
{
	struct weir_address to[WEIR_RESOLVER_ROOM];
	u64 after_ns = h->config.resolve_after_ns ? h->config.resolve_after_ns : RESOLVE_AFTER_NS;
	u32 n = 0;
	if (!h->lookup) {
		if (h->config.host[0] && h->unanswered_ns != WEIR_NEVER &&
		    h->now_ns >= h->silent_ns + after_ns && h->now_ns >= h->resolve_ns) {
			h->resolve_ns = h->now_ns + RESOLVE_EVERY_NS;
			h->lookup =
			    weir_lookup_begin(h->config.host, h->config.port,
					      h->config.resolve ? h->config.resolve : weir_address_resolve);
		}
		return;
	}
	if (!weir_lookup_take(h->lookup, to, &n))
		return;
	h->lookup = NULL;
	if (!take_addresses(h, to, n))
		return;
	h->stats.renames++;
	h->heard = false;
	h->at = h->config.n_to - 1; /* so that the first is the next */
	try_next(h);
}

static void look(struct weir_source_host *h)
{
	char why[WEIR_NET_WHY_BYTES];
	h->look_ns = h->now_ns + LOOK_NS;
	resolve_again(h);
	if (moved(h) && open_towards(h, h->at, why) == 0) {
		h->stats.moves++;
		weir_source_path_changed(&h->source, h->now_ns);
		h->guard->ops->renew(h->guard, h->now_ns);
	} else if (!h->heard && h->config.n_to > 1 && h->now_ns >= h->tried_ns + TRY_NS) {
		try_next(h);
	}
}

static void renew_when_silent(struct weir_source_host *h)
{
	u64 patience_ns = weir_clamp((u64)(3e9 * h->source.srtt_s), SILENCE_NS, SILENCE_MAX_NS);
	if (h->unanswered_ns == WEIR_NEVER || h->now_ns < h->unanswered_ns + patience_ns ||
	    h->now_ns < h->renewed_ns + patience_ns)
		return;
	h->renewed_ns = h->now_ns;
	h->guard->ops->renew(h->guard, h->now_ns);
}

/* A session that has come about again: what was learnt belongs to another path, maybe, and one probe finds
 * out at once. */
static void note_state(struct weir_source_host *h)
{
	enum weir_guard_state before = h->state;
	h->state = h->guard->ops->state(h->guard);
	if (h->state == WEIR_GUARD_READY && before != WEIR_GUARD_READY && h->source.stats.updates)
		weir_source_path_changed(&h->source, h->now_ns);
}

u64 weir_source_host_step(struct weir_source_host *h)
{
	h->now_ns = weir_clock_ns();
	if (h->now_ns >= h->look_ns)
		look(h);
	renew_when_silent(h);
	note_state(h);
	pump(h);
	u64 next_ns = weir_min(h->look_ns, h->guard->ops->wake_ns(h->guard));
	return usable(h) ? weir_min(next_ns, weir_source_wake_ns(&h->source)) : next_ns;
}

/* ---- from start to end ---- */

int weir_source_host_open(struct weir_source_host *h, struct weir_loop *loop,
			  const struct weir_source_host_config *c, char why[WEIR_NET_WHY_BYTES])
{
	*h = (struct weir_source_host){.config = *c, .loop = loop, .watch = {.fd = -1}, .udp = {.fd = -1}};
	for (u32 i = 0; i < c->n_to; i++)
		if (open_towards(h, i, why) == 0)
			return 0;
	return -1;
}

struct weir_guard_port weir_source_host_port(struct weir_source_host *h)
{
	return (struct weir_guard_port){h, to_wire, deliver};
}

void weir_source_host_begin(struct weir_source_host *h)
{
	h->now_ns = weir_clock_ns();
	h->look_ns = h->now_ns + LOOK_NS;
	h->silent_ns = h->now_ns;
	h->guard->ops->connect(h->guard, h->now_ns, &h->config.to[h->at]);
	h->state = h->guard->ops->state(h->guard);
	weir_source_init(&h->source, &h->config.source, h->now_ns);
	pump(h);
}

void weir_source_host_close(struct weir_source_host *h)
{
	weir_lookup_drop(h->lookup);
	h->lookup = NULL;
	if (h->guard) {
		h->guard->ops->close(h->guard, weir_clock_ns());
		weir_udp_flush(&h->udp);
	}
	if (h->watch.fd >= 0) {
		weir_loop_remove(h->loop, &h->watch);
		weir_udp_close(&h->udp);
	}
	h->guard = NULL;
	h->watch.fd = -1;
}

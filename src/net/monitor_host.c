/* SPDX-License-Identifier: MIT */
#include "monitor_host.h"

#include "core/rng.h"
#include "weir/num.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define BATCHES_MAX 16 /* of one socket before the others have their turn */
#define EXPIRE_EVERY_NS (100 * WEIR_NS_PER_MS)
#define EXPIRE_LOOK_AT 4096 /* places at a time: 10 times a second that is a million in half a minute */

/* ---- in and out ---- */

static void to_wire(void *owner, const struct weir_address *to, const u8 *data, size_t bytes)
{
	weir_udp_send(&((struct weir_monitor_port *)owner)->udp, to, data, bytes);
}

/* Two who prove to be different are different sources, whatever they call themselves. */
static u64 key_of(u64 flow_id, u64 identity)
{
	u64 x = identity;
	return identity ? flow_id ^ weir_splitmix64(&x) : flow_id;
}

/* Letters that would break a line or a page become '?'. What is not UTF-8 is left to whoever writes it out.
 */
static void note_id(struct weir_monitor_host *h, u32 place, u64 flow_id, const struct weir_age_body *body)
{
	char *id = h->id[place];
	u32 n = (u32)weir_min(body->name_bytes, WEIR_MONITOR_ID_BYTES - 1);
	if (n == 0) {
		if (!id[0])
			snprintf(id, WEIR_MONITOR_ID_BYTES, "%016llx", flow_id);
		return;
	}
	if (!memcmp(id, body->name, n) && id[n] == 0)
		return;
	for (u32 i = 0; i < n; i++)
		id[i] = (char)(body->name[i] < 32 || body->name[i] == 127 ? '?' : body->name[i]);
	id[n] = 0;
}

/* Whoever replays an old packet makes one return, and no word of it. */
static void note_life(struct weir_monitor_host *h, u32 place)
{
	struct weir_monitor_lives *l = &h->lives[place];
	u32 now = weir_monitors_at(&h->table, place)->incarnation;
	if (now == l->newest)
		return;
	bool again = l->before && now == l->before;
	l->before = l->newest;
	l->newest = now;
	if (again && ++l->returns == 2 && h->config.contested)
		h->config.contested(h->config.owner, place);
}

static void deliver(void *owner, const struct weir_peer *from, const u8 *data, size_t bytes)
{
	struct weir_monitor_port *p = owner;
	struct weir_monitor_host *h = p->host;
	struct weir_age_packet in, answer;
	struct weir_age_body body = {0};
	enum weir_monitor_verdict verdict;
	enum weir_age_wire kind = weir_age_decode(&in, data, bytes);
	h->wire[kind]++;
	if (kind != WEIR_AGE_WIRE_OK)
		return;
	bool question = in.type == WEIR_AGE_PROBE || in.type == WEIR_AGE_UPDATE;
	if (question && !weir_age_body(&in, data, bytes, &body)) {
		h->nameless++;
		return;
	}
	in.marked = p->udp.marked;
	u64 created = h->table.created;
	u32 place = weir_monitors_receive(&h->table, key_of(in.flow_id, from->identity), h->now_ns, &in,
					  &answer, &verdict);
	if (place == WEIR_MONITORS_NONE)
		return;
	if (h->table.created != created) {
		/* The table may have made room by itself. */
		if (h->id[place][0] && h->config.gone)
			h->config.gone(h->config.owner, place);
		h->id[place][0] = 0;
		h->lives[place] = (struct weir_monitor_lives){0};
	}
	note_id(h, place, in.flow_id, &body);
	note_life(h, place);
	if (*from->who || h->who[place][0])
		snprintf(h->who[place], WEIR_MONITOR_WHO_BYTES, "%s", from->who);
	if (answer.type != WEIR_AGE_NONE) {
		u8 out[WEIR_AGE_ANSWER_BYTES];
		u32 n = weir_age_encode(&answer, out, sizeof out);
		p->guard->ops->send(p->guard, h->now_ns, from, out, n);
	}
	if (verdict != WEIR_MONITOR_FRESH)
		return;
	const struct weir_monitor *m = weir_monitors_at(&h->table, place);
	h->delivered++;
	h->config.fresh(h->config.owner, &(struct weir_monitor_value){.place = place,
								      .now_ns = h->now_ns,
								      .monitor = m,
								      .id = h->id[place],
								      .from = from,
								      .data = body.value,
								      .bytes = body.value_bytes,
								      .sequence = (u32)m->highest});
}

static void take(void *owner, const struct weir_address *from, const u8 *data, size_t bytes, u64 arrived_ns)
{
	struct weir_monitor_port *p = owner;
	p->host->now_ns = arrived_ns;
	p->guard->ops->receive(p->guard, arrived_ns, from, data, bytes);
}

static void on_socket(void *owner, u32 events)
{
	struct weir_monitor_port *p = owner;
	(void)events;
	u32 n = p->udp.batch_in;
	for (u32 i = 0; i < BATCHES_MAX && n == p->udp.batch_in; i++) {
		n = weir_udp_receive(&p->udp, take, p);
		weir_udp_flush(&p->udp);
	}
}

u64 weir_monitor_host_step(struct weir_monitor_host *h)
{
	u64 next_ns = WEIR_NEVER;
	h->now_ns = weir_clock_ns();
	for (u32 i = 0; i < h->n_ports; i++) {
		struct weir_guard *g = h->port[i].guard;
		if (g->ops->wake_ns(g) <= h->now_ns) {
			g->ops->wake(g, h->now_ns);
			weir_udp_flush(&h->port[i].udp);
		}
		next_ns = weir_min(next_ns, g->ops->wake_ns(g));
	}
	if (h->now_ns >= h->expire_ns) {
		h->expire_ns = h->now_ns + EXPIRE_EVERY_NS;
		for (u32 look_at = EXPIRE_LOOK_AT;; look_at = 64) {
			u32 place = weir_monitors_expire(&h->table, h->now_ns, look_at);
			if (place == WEIR_MONITORS_NONE)
				break;
			if (h->config.gone)
				h->config.gone(h->config.owner, place);
			h->id[place][0] = 0;
		}
	}
	return h->table.count ? weir_min(next_ns, h->expire_ns) : next_ns;
}

/* ---- from start to end ---- */

size_t weir_monitor_host_bytes(u32 capacity)
{
	return weir_monitors_bytes(capacity) +
	       (size_t)capacity *
		   (WEIR_MONITOR_ID_BYTES + WEIR_MONITOR_WHO_BYTES + sizeof(struct weir_monitor_lives));
}

int weir_monitor_host_open(struct weir_monitor_host *h, struct weir_loop *loop,
			   const struct weir_monitor_host_config *c, char why[WEIR_NET_WHY_BYTES])
{
	*h = (struct weir_monitor_host){.config = *c, .loop = loop};
	size_t table = weir_monitors_bytes(c->capacity);
	h->memory_bytes = weir_monitor_host_bytes(c->capacity);
	/* Pages come into being when a source does. */
	h->memory = table ? mmap(NULL, h->memory_bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
			  : MAP_FAILED;
	if (h->memory == MAP_FAILED) {
		h->memory = NULL;
		snprintf(why, WEIR_NET_WHY_BYTES, "no memory for %u sources: %s", c->capacity,
			 strerror(table ? errno : ENOMEM));
		return -1;
	}
	weir_monitors_init(&h->table, h->memory, c->capacity, c->seed, c->expiry_ns, c->bound_ns);
	h->id = (char(*)[WEIR_MONITOR_ID_BYTES])((u8 *)h->memory + table);
	h->who = (char(*)[WEIR_MONITOR_WHO_BYTES])(h->id + c->capacity);
	h->lives = (struct weir_monitor_lives *)(h->who + c->capacity);
	return 0;
}

struct weir_monitor_port *weir_monitor_host_listen(struct weir_monitor_host *h, const struct weir_address *at,
						   char why[WEIR_NET_WHY_BYTES])
{
	if (h->n_ports == WEIR_MONITOR_PORTS) {
		snprintf(why, WEIR_NET_WHY_BYTES, "at most %d addresses to listen at", WEIR_MONITOR_PORTS);
		return NULL;
	}
	struct weir_monitor_port *p = &h->port[h->n_ports];
	if (weir_udp_listen(&p->udp, at, why) < 0)
		return NULL;
	p->host = h;
	p->watch = (struct weir_watch){p->udp.fd, on_socket, p};
	if (weir_loop_add(h->loop, &p->watch, EPOLLIN) < 0) {
		snprintf(why, WEIR_NET_WHY_BYTES, "%s", strerror(errno));
		weir_udp_close(&p->udp);
		return NULL;
	}
	h->n_ports++;
	return p;
}

struct weir_guard_port weir_monitor_host_guard_port(struct weir_monitor_port *p)
{
	return (struct weir_guard_port){p, to_wire, deliver};
}

void weir_monitor_host_close(struct weir_monitor_host *h)
{
	for (u32 i = 0; i < h->n_ports; i++) {
		struct weir_monitor_port *p = &h->port[i];
		if (p->guard) {
			p->guard->ops->close(p->guard, weir_clock_ns());
			weir_udp_flush(&p->udp);
		}
		weir_loop_remove(h->loop, &p->watch);
		weir_udp_close(&p->udp);
	}
	if (h->memory)
		munmap(h->memory, h->memory_bytes);
	h->n_ports = 0;
	h->memory = NULL;
}

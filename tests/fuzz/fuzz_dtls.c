/* SPDX-License-Identifier: MIT */
/* Somebody on the way between a monitor and a source with keys: any bytes, and any of the true datagrams
 * again, changed, cut short or turned around, to both ends, at any time. Nothing of it is ever delivered, an
 * address that has shown no cookie never gets more than it sent, and in the end the two still, or again,
 * speak to each other. */
#define NET_REAL_CLOCK
#include "../net/dtls_network.h"
#include "bytes.h"

#include <assert.h>

#define KEPT 32u
#define OPS 64u

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

static struct net net;
static struct net_datagram kept[KEPT];
static u32 n_kept;
static u64 to_stranger, from_stranger;
static u32 said;

static const struct weir_address *stranger(void)
{
	static struct weir_address a;
	a = net_address(9, 9);
	return &a;
}

static void keep(struct net *n, const struct net_datagram *d)
{
	(void)n;
	kept[n_kept++ % KEPT] = *d;
	if (weir_address_equal(&d->to, stranger()))
		to_stranger += d->bytes;
	assert(to_stranger <= from_stranger);
}

static void say(void)
{
	said += net_say(&net.client[0], "a value");
}

static void inject(struct net_end *to, const struct weir_address *from, const u8 *data, size_t bytes)
{
	if (weir_address_equal(from, stranger()))
		from_stranger += bytes;
	to->guard->ops->receive(to->guard, net.now_ns, from, data, bytes);
}

static void raw(struct reader *r, struct net_end *to, const struct weir_address *from)
{
	u8 data[255];
	size_t n = byte(r), taken = n < r->left ? n : r->left;
	memset(data, 0, sizeof data);
	memcpy(data, r->data, taken);
	r->data += taken;
	r->left -= taken;
	inject(to, from, data, n);
}

static void again(struct reader *r, u8 how)
{
	if (!n_kept)
		return;
	struct net_datagram d = kept[byte(r) % (n_kept < KEPT ? n_kept : KEPT)];
	for (u32 changes = how >> 4 & 3; changes; changes--) {
		u32 at = byte(r);
		d.data[at % d.bytes] ^= byte(r);
	}
	if (how & 0x40)
		d.bytes = byte(r) % (d.bytes + 1);
	struct net_end *to = net_at(&net, how & 0x80 ? &d.from : &d.to);
	if (to)
		inject(to, how & 8 ? stranger() : how & 0x80 ? &d.to : &d.from, d.data, d.bytes);
}

static void one(struct reader *r)
{
	struct net_end *c = &net.client[0];
	u8 op = byte(r);
	switch (op & 7) {
	case 0:
		net_pass(&net, (1 + byte(r)) * WEIR_NS_PER_MS * 4);
		break;
	case 1:
		raw(r, &net.server, op & 8 ? stranger() : &c->address);
		break;
	case 2:
		raw(r, c, op & 8 ? stranger() : &net.server.address);
		break;
	case 3:
		c->guard->ops->renew(c->guard, net.now_ns);
		break;
	case 4:
		say();
		break;
	default:
		again(r, op);
		break;
	}
	assert(net.server.delivered <= said && c->delivered <= net.server.delivered);
}

static void open_once(void)
{
	static bool opened;
	if (opened)
		return;
	opened = true;
	net_open(&net, 1);
	net.seen = keep;
	/* Both live as long as the program. */
	if (!net_listen(&net, &(struct weir_dtls_config){.keys = net_keys(1, NULL)}) ||
	    !net_join(&net, &(struct weir_dtls_config){.keys = net_keys(1, NULL)}))
		abort();
	net_connect(&net.client[0]);
	net_pass(&net, WEIR_NS_PER_S);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	struct reader r = {data, bytes};
	open_once();
	for (u32 i = 0; i < OPS && r.left; i++)
		one(&r);
	/* In peace: what was disturbed is tried again, as the host of a source does it when nobody answers.
	 */
	struct net_end *c = &net.client[0];
	net_pass(&net, WEIR_NS_PER_S);
	u32 before = net.server.delivered, answers = c->delivered;
	for (u32 s = 0; s < 120 && c->delivered == answers; s++) {
		say();
		net_pass(&net, WEIR_NS_PER_S);
		c->guard->ops->renew(c->guard, net.now_ns);
		net_pass(&net, WEIR_NS_PER_S);
	}
	/* Not == before + 1: a message that somebody puts into a handshake, unprotected as it is by then, can
	 * stay in the library's buffer and hold up what comes later, until the session is renewed. */
	assert(net.server.delivered > before && c->delivered == answers + 1);
	assert(net.server.last_bytes == 7 && !memcmp(net.server.last, "a value", 7));
	return 0;
}

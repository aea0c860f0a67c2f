/* SPDX-License-Identifier: MIT */
/* Anything that a peer, a path, a clock and an application can do to the two ends: any ACK, any segment, any
 * order of events. The invariants hold after each. The first bytes choose the endpoint and the controller,
 * each further block of them is one event. */
#include "../transport/invariants.h"
#include "bytes.h"
#include "cc/table.h"
#include "transport/receiver.h"
#include "transport/steady.h"

#include <string.h>

#define EVENTS_MAX 3000
#define SENT_MAX 3000
#define ON_THE_WAY 64

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

struct ends {
	struct weir_sender sender;
	struct weir_receiver receiver;
	struct weir_endpoint_config config;
	u64 params[64];
	u64 now_ns, written;
	u32 n_sent, n_way;
	struct weir_segment way[ON_THE_WAY]; /* sent lately, the newest last */
};

/* Any power of two and what lies near it, up to 2^40. */
static u64 size(struct reader *r)
{
	return size_up_to(r, 32);
}

/* Near a segment's border as often as not. */
static u64 offset(struct reader *r, u32 mss_bytes)
{
	u32 kind = byte(r);
	u64 n = (u64)byte(r) * (kind & 1 ? mss_bytes : 1);
	return kind & 2 ? (u64)0 - n : kind & 4 ? size(r) : n;
}

static void check_receiver(const struct weir_receiver *r)
{
	u64 last = r->next;
	for (u32 i = 0; i < r->n_ranges; i++) {
		INVARIANT(r->ranges[i].start > last && r->ranges[i].end > r->ranges[i].start);
		last = r->ranges[i].end;
	}
	INVARIANT(r->n_recent <= WEIR_SACK_BLOCKS);
}

static void take_ack(struct ends *e, const struct weir_ack_segment *ack)
{
	u64 delivered = e->sender.delivered_bytes, una = e->sender.una;
	weir_sender_on_ack(&e->sender, e->now_ns, ack);
	INVARIANT(e->sender.una >= una && e->sender.delivered_bytes >= delivered);
	INVARIANT(e->sender.delivered_bytes <= e->sender.nxt - e->config.first_sequence);
}

static void poll(struct ends *e, u32 times)
{
	struct weir_segment s;
	while (times-- && e->n_sent < SENT_MAX && weir_sender_poll(&e->sender, e->now_ns, &s)) {
		INVARIANT(s.bytes > 0 && s.bytes <= e->config.mss_bytes);
		INVARIANT(s.seq >= e->sender.una && s.seq + s.bytes <= e->sender.nxt);
		INVARIANT(s.seq + s.bytes <= e->sender.app_end);
		if (e->n_way == ON_THE_WAY)
			memmove(e->way, e->way + 1, --e->n_way * sizeof *e->way);
		e->way[e->n_way++] = s;
		e->n_sent++;
	}
}

/* A segment reaches the receiver, and what that answers reaches the sender. */
static void deliver(struct ends *e, const struct weir_segment *s, bool ce, bool ack_lost)
{
	struct weir_ack_segment ack, flushed;
	bool flush = false;
	enum weir_receive_verdict verdict;
	if (!weir_receiver_in_order(&e->receiver, e->now_ns, (u32)s->seq, s->bytes, s->attempt, ce, &verdict))
		verdict = weir_receiver_on_data(&e->receiver, e->now_ns, (u32)s->seq, s->bytes, s->attempt,
						ce, &flush, &flushed);
	check_receiver(&e->receiver);
	if (flush && !ack_lost)
		take_ack(e, &flushed);
	if (verdict == WEIR_RECEIVE_WAIT && e->receiver.delayed_ns > e->now_ns)
		return;
	weir_receiver_ack(&e->receiver, &ack);
	INVARIANT(ack.n_sack <= WEIR_SACK_BLOCKS && e->receiver.pending_bytes == 0);
	if (!ack_lost)
		take_ack(e, &ack);
}

static void arbitrary_ack(struct ends *e, struct reader *r)
{
	u32 mss_bytes = e->config.mss_bytes;
	struct weir_ack_segment ack = {.ack = (u32)(e->sender.una + offset(r, mss_bytes)),
				       .window = (u32)size(r),
				       .n_sack = byte(r),
				       .attempt = byte(r) & WEIR_ATTEMPT_MAX,
				       .ce = byte(r) & 1};
	for (u32 i = 0; i < WEIR_SACK_BLOCKS; i++) {
		ack.sack[i].start = (u32)(e->sender.una + offset(r, mss_bytes));
		ack.sack[i].end = (u32)(ack.sack[i].start + offset(r, mss_bytes));
	}
	take_ack(e, &ack);
}

static void arbitrary_data(struct ends *e, struct reader *r)
{
	struct weir_segment s = {.seq = e->receiver.next + offset(r, e->config.mss_bytes),
				 .bytes = (u32)size(r) & 0xffff,
				 .attempt = byte(r) & WEIR_ATTEMPT_MAX};
	deliver(e, &s, byte(r) & 1, byte(r) & 1);
}

static void one_on_its_way(struct ends *e, u32 choice)
{
	if (!e->n_way)
		return;
	u32 i = choice & 0x80 ? choice % e->n_way : 0;
	struct weir_segment s = e->way[i];
	if (!(choice & 0x40)) /* else it stays: a copy is to come */
		memmove(e->way + i, e->way + i + 1, (--e->n_way - i) * sizeof *e->way);
	if (choice & 0x20 && choice & 1) /* lost */
		return;
	deliver(e, &s, choice & 0x10 && s.ect, choice & 8);
}

static void event(struct ends *e, struct reader *r)
{
	switch (byte(r) % 8) {
	case 0:
		e->now_ns += size(r) >> (byte(r) & 31);
		break;
	case 1:
		/* An endless stream ends no sooner than at what has been sent. */
		e->written = weir_max(e->written, e->sender.nxt - e->config.first_sequence);
		e->written += size(r) & 0xffff;
		weir_sender_written(&e->sender, byte(r) == 0xff ? WEIR_NEVER : e->written);
		break;
	case 2:
		poll(e, byte(r));
		break;
	case 3:
		arbitrary_ack(e, r);
		break;
	case 4:
		arbitrary_data(e, r);
		break;
	case 5:
		if (weir_sender_next_ns(&e->sender) != WEIR_NEVER)
			e->now_ns = weir_max(e->now_ns, weir_sender_next_ns(&e->sender));
		weir_sender_on_timer(&e->sender, e->now_ns);
		poll(e, 2);
		break;
	default:
		one_on_its_way(e, byte(r));
		poll(e, 4);
	}
}

static bool begin(struct ends *e, struct reader *r)
{
	struct weir_endpoint_config *c = &e->config;
	const struct weir_cc_ops *ops = weir_cc_at(byte(r) % weir_cc_count());
	u32 flags = byte(r);
	*c = weir_endpoint_defaults();
	c->recovery = (enum weir_recovery)(byte(r) % 3);
	c->mss_bytes = 1 + (u32)(size(r) & 0x3fff);
	c->rwnd_bytes = size(r);
	c->first_sequence = flags & 1 ? 0xffffffffULL - byte(r) * c->mss_bytes : 0;
	c->ack_every = 1 + (flags >> 1 & 1);
	c->undo = flags >> 2 & 1;
	c->ecn = flags >> 3 & 1;
	c->pace = flags >> 4 & 1;
	c->tail_loss_probe = flags >> 5 & 1;
	c->rto_min_ns = flags >> 6 & 1 ? WEIR_NS_PER_MS : 200 * WEIR_NS_PER_MS;
	weir_cc_defaults(ops, e->params);
	weir_receiver_init(&e->receiver, c);
	return weir_sender_init(&e->sender, c, ops, e->params, e->now_ns);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	struct reader r = {data, bytes};
	static struct ends e;
	e = (struct ends){.now_ns = 1};
	INVARIANT(begin(&e, &r));
	for (u32 i = 0; r.left && i < EVENTS_MAX; i++) {
		event(&e, &r);
		INVARIANT(!e.sender.failed && !e.receiver.failed);
		check_sender(&e.sender);
	}
	weir_sender_free(&e.sender);
	weir_receiver_free(&e.receiver);
	return 0;
}

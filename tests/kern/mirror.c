/* SPDX-License-Identifier: MIT */
#include "mirror.h"

#include "transport/loss.h"
#include "transport/steady.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_TIMEOUT_NS (100 * WEIR_NS_PER_S)
#define ANYTHING (1ULL << 50)

/* The controller's state is a pointer to its mirror. */
static struct mirror *mirror_of(const void *state)
{
	struct mirror *m;
	memcpy(&m, state, sizeof m);
	return m;
}

static void note(struct mirror *m, const struct mirror_call *c)
{
	if (m->n == m->room) {
		m->room = m->room ? 2 * m->room : 1024;
		m->call = realloc(m->call, m->room * sizeof *m->call);
		assert(m->call);
	}
	m->call[m->n++] = *c;
}

static void begin(void *s, const void *p, const struct weir_view *v, struct weir_out *o)
{
	(void)v;
	memcpy(s, p, sizeof(struct mirror *));
	o->cwnd_bytes = ANYTHING;
}

static void on_ack(void *s, const void *p, const struct weir_view *v, const struct weir_ack *a,
		   struct weir_out *o)
{
	struct mirror *m = mirror_of(s);
	(void)p;
	note(m, &(struct mirror_call){.view = *v, .of_ack = *a});
	o->cwnd_bytes = m->cwnd_bytes;
}

static void on_loss(void *s, const void *p, const struct weir_view *v, const struct weir_loss *l,
		    struct weir_out *o)
{
	struct mirror *m = mirror_of(s);
	(void)p;
	note(m, &(struct mirror_call){.loss = true, .view = *v, .of_loss = *l});
	o->cwnd_bytes = m->cwnd_bytes;
}

static void on_timeout(void *s, const void *p, const struct weir_view *v, struct weir_out *o)
{
	(void)s;
	(void)p;
	(void)v;
	(void)o;
}

static const struct weir_cc_ops ops = {
    .name = "mirror",
    .needs = WEIR_NEED_RATE,
    .state_bytes = sizeof(struct mirror *),
    .init = begin,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
};

/* No timers: what they send is in the capture. The handshake gives the first sample, as in the kernel. */
void mirror_init(struct mirror *m, u64 now_ns, u64 handshake_ns, u32 mss_bytes)
{
	memset(m, 0, sizeof *m);
	m->config = weir_endpoint_defaults();
	m->config.mss_bytes = mss_bytes;
	m->config.tail_loss_probe = m->config.undo = false;
	m->config.rto_min_ns = m->config.rto_max_ns = NO_TIMEOUT_NS;
	m->config.full_form = true;
	m->cwnd_bytes = ANYTHING;
	/* The parameters are the address of this mirror, which init keeps. */
	u64 params = (u64)(size_t)m;
	bool good = weir_sender_init(&m->sender, &m->config, &ops, &params, now_ns);
	assert(good);
	weir_rtt_sample(&m->sender.rtt, now_ns, handshake_ns);
}

void mirror_free(struct mirror *m)
{
	weir_sender_free(&m->sender);
	free(m->call);
}

static void run_timers(struct mirror *m, u64 now_ns)
{
	u64 due_ns;
	while ((due_ns = weir_sender_next_ns(&m->sender)) <= now_ns)
		weir_sender_on_timer(&m->sender, due_ns);
}

/* It has left already: neither window nor anything else may hold it back. */
static bool poll_freely(struct mirror *m, u64 now_ns, struct weir_segment *out)
{
	struct weir_sender *s = &m->sender;
	u64 cwnd_bytes = s->cwnd_bytes;
	s->cwnd_bytes = s->prr.budget_bytes = ANYTHING;
	s->force_retransmit = true;
	bool sent = weir_sender_poll(s, now_ns, out);
	s->force_retransmit = false;
	s->cwnd_bytes = cwnd_bytes;
	return sent;
}

static void sent_new(struct mirror *m, u64 now_ns, u32 bytes)
{
	struct weir_sender *s = &m->sender;
	struct weir_segment out;
	/* New data goes first here, whatever waits to be sent again. */
	u64 lost_bytes = s->lost_bytes;
	s->lost_bytes = 0;
	weir_sender_written(s, s->nxt + bytes);
	bool sent = poll_freely(m, now_ns, &out);
	assert(sent && out.bytes == bytes);
	s->lost_bytes = lost_bytes;
}

static void sent_again(struct mirror *m, u64 now_ns, u64 seq)
{
	struct weir_sender *s = &m->sender;
	struct weir_progress p = {0};
	struct weir_segment out;
	u32 number = weir_slots_find(&s->slots, seq, s->una, s->mss_bytes);
	if (seq < s->una || weir_slots_get(&s->slots, number)->sacked) {
		m->ignored++;
		return;
	}
	m->forced += !weir_slots_get(&s->slots, number)->lost;
	weir_loss_mark(s, now_ns, number, &p);
	/* This one, and no other that might be first. */
	s->relost.head = s->relost.tail;
	s->lost_hand = number;
	bool sent = poll_freely(m, now_ns, &out);
	assert(sent && out.attempt);
	s->lost_hand = s->slots.head;
}

void mirror_sent(struct mirror *m, u64 now_ns, u32 low, u32 bytes, u64 written_bytes)
{
	struct weir_sender *s = &m->sender;
	u64 seq = weir_seq_expand(low, s->nxt);
	run_timers(m, now_ns);
	if (seq > s->nxt)
		m->ignored++;
	for (; seq == s->nxt && bytes;
	     seq += weir_min(bytes, s->mss_bytes), bytes -= (u32)weir_min(bytes, s->mss_bytes))
		sent_new(m, now_ns, (u32)weir_min(bytes, s->mss_bytes));
	if (seq < s->nxt && bytes)
		sent_again(m, now_ns, seq);
	weir_sender_written(s, written_bytes);
}

/* With data left the sender would go on if it were asked: it is asked only where the application has none. */
void mirror_rests(struct mirror *m, u64 now_ns)
{
	struct weir_sender *s = &m->sender;
	struct weir_segment out;
	if (s->nxt < s->app_end || s->lost_bytes)
		return;
	bool sent = weir_sender_poll(s, now_ns, &out);
	assert(!sent);
}

void mirror_ack(struct mirror *m, u64 now_ns, const struct captured *c)
{
	struct weir_ack_segment in = {.ack = c->low, .window = weir_endpoint_window(&m->config)};
	run_timers(m, now_ns);
	in.n_sack = (u8)c->n_sack;
	memcpy(in.sack, c->sack, sizeof in.sack);
	weir_sender_on_ack(&m->sender, now_ns, &in);
}

/* SPDX-License-Identifier: MIT */
/* What the ferry does to packets, held against the link elements by themselves. */
#include "quay.h"

#define PEER 0x64400002u

static struct packet p;

/* ---- the same departures as the hops alone, in virtual time ---- */

struct alone {
	struct weir_link *hop[3];
	struct quay_event out[QUAY_EVENTS_MAX];
	u32 n_hops, n_out;
	u64 next_id;
};

static void alone_move(struct alone *a, u64 now_ns);

static void alone_push(struct alone *a, u32 h, u64 now_ns, const struct weir_packet *packet)
{
	a->hop[h]->ops->push(a->hop[h], now_ns, 0, packet);
}

/* Each hop's departures up to now, the earliest first. */
static void alone_move(struct alone *a, u64 now_ns)
{
	for (;;) {
		u32 best = 0;
		for (u32 i = 1; i < a->n_hops; i++)
			if (a->hop[i]->ops->next_ns(a->hop[i]) < a->hop[best]->ops->next_ns(a->hop[best]))
				best = i;
		u64 next_ns = a->hop[best]->ops->next_ns(a->hop[best]), due_ns;
		struct weir_packet packet;
		u32 port;
		if (next_ns > now_ns)
			return;
		if (!a->hop[best]->ops->pop(a->hop[best], next_ns, &port, &packet, &due_ns))
			continue;
		if (best + 1 < a->n_hops)
			alone_push(a, best + 1, due_ns, &packet);
		else
			a->out[a->n_out++] =
			    (struct quay_event){due_ns, (u32)packet.ref, 0, packet.bytes, packet.ecn};
	}
}

static void assert_same_departures(const struct quay *q, const struct weir_hop_config *c, u32 n_hops,
				   u64 seed)
{
	struct alone *a = calloc(1, sizeof *a);
	assert_non_null(a);
	a->n_hops = n_hops;
	for (u32 i = 0; i < n_hops; i++) {
		a->hop[i] = weir_hop_new(&c[i], seed, (struct weir_link_owner){0});
		assert_non_null(a->hop[i]);
	}
	for (u32 i = 0; i < q->n_in; i++) {
		const struct quay_event *e = &q->in[i];
		assert_true(i == 0 || e->at_ns >= e[-1].at_ns);
		alone_move(a, e->at_ns);
		struct weir_packet packet = {
		    .ref = e->id, .flow = 1, .bytes = (u16)e->wire_bytes, .ecn = e->ecn};
		alone_push(a, 0, e->at_ns, &packet);
	}
	alone_move(a, q->until_ns);
	assert_int_equal(q->n_out, a->n_out);
	for (u32 i = 0; i < a->n_out; i++) {
		assert_int_equal(q->out[i].id, a->out[i].id);
		assert_int_equal(q->out[i].at_ns, a->out[i].at_ns);
		assert_int_equal(q->out[i].ecn, a->out[i].ecn);
	}
	for (u32 i = 0; i < n_hops; i++)
		weir_hop_free(a->hop[i]);
	free(a);
}

/* Bursts and gaps of random sizes for most of the time that the ferry runs. */
static u32 send_random(struct quay *q, u32 port, u64 seed)
{
	struct weir_rng r;
	u32 id = 0;
	weir_rng_init(&r, seed, weir_rng_point("ferry"), 0);
	while (quay_clock_ns() < q->origin_clock_ns + q->until_ns * 2 / 3) {
		for (u64 burst = 1 + weir_rng_below(&r, 12); burst; burst--) {
			quay_packet(&p, 40 + (u32)weir_rng_below(&r, 1461), ++id, PEER, 4000, 5000);
			quay_send(q, port, &p);
		}
		if (weir_rng_below(&r, 4))
			quay_sleep(weir_rng_below(&r, 2 * MS));
	}
	return id;
}

static void carries_as_the_hops_alone(const struct weir_hop_config *c, u32 n_hops, bool stamped)
{
	struct weir_ferry_config config = {
	    .seed = 7, .base_rtt_ns = 20 * MS, .publish_ns = 10 * MS, .realtime = WEIR_REALTIME_OFF};
	struct quay *q = quay_new(&config);
	u32 hops[3];
	for (u32 i = 0; i < n_hops; i++)
		hops[i] = quay_hop(q, &c[i]);
	u32 in = quay_port(q, quay_path(q, hops, n_hops, WEIR_UP), WEIR_FERRY_NONE, stamped);
	struct weir_hop_config wire = {.name = "back"};
	u32 back = quay_hop(q, &wire);
	weir_ferry_set_exit(q->ferry, in, quay_port(q, quay_path(q, &back, 1, WEIR_DOWN), in, stamped));
	q->until_ns = 250 * MS;
	quay_begin(q);
	u32 sent = send_random(q, in, n_hops);
	quay_end(q, true);
	assert_true(sent > 50);
	assert_int_equal(q->n_in, sent);
	assert_same_departures(q, c, n_hops, config.seed);
	quay_free(q);
}

static void a_line_departs_as_in_virtual_time(void **unused)
{
	(void)unused;
	struct weir_hop_config c = {.name = "line",
				    .rate.bps = 30000000,
				    .delay_ns = 5 * MS,
				    .queue.limit_bytes = 20000,
				    .before.loss = {.model = WEIR_LOSS_BERNOULLI, .p = .02},
				    .after.loss = {.model = WEIR_LOSS_BERNOULLI, .p = .02}};
	carries_as_the_hops_alone(&c, 1, true);
	c.delay_ns = 0;
	carries_as_the_hops_alone(&c, 1, false);
}

static void everything_a_hop_can_do_departs_as_in_virtual_time(void **unused)
{
	(void)unused;
	struct weir_hop_config c = {
	    .name = "all",
	    .rate.bps = 25000000,
	    .delay_ns = 3 * MS,
	    .queue = {.limit_bytes = 40000,
		      .aqm = WEIR_AQM_CODEL,
		      .ecn = true,
		      .target_ns = 1 * MS,
		      .interval_ns = 10 * MS},
	    .before = {.duplicate_p = .02, .jitter_ns = MS / 2},
	    .after = {.loss = {.model = WEIR_LOSS_PERIODIC, .period_packets = 37},
		      .reorder_p = .05,
		      .reorder_delay_ns = 2 * MS},
	    .policer_bps = 60000000,
	    .policer_burst_bytes = 30000,
	};
	carries_as_the_hops_alone(&c, 1, true);
	c.delay_ns = 0;
	carries_as_the_hops_alone(&c, 1, true);
}

static void several_hops_depart_as_in_virtual_time(void **unused)
{
	(void)unused;
	const struct weir_hop_config c[] = {
	    {.name = "a", .rate.bps = 60000000, .delay_ns = 1 * MS, .queue.limit_packets = 30},
	    {.name = "b",
	     .rate.bps = 40000000,
	     .delay_ns = MS / 2,
	     .queue = {.limit_bytes = 30000,
		       .aqm = WEIR_AQM_RED,
		       .red_min_bytes = 5000,
		       .red_max_bytes = 15000,
		       .red_max_p = .1,
		       .red_weight = .1}},
	    {.name = "c", .rate.bps = 30000000, .delay_ns = 2 * MS, .queue.limit_bytes = 9000},
	};
	carries_as_the_hops_alone(c, 2, true);
	carries_as_the_hops_alone(c, 3, true);
	carries_as_the_hops_alone(c, 3, false);
}

/* ---- nothing is lost but what the counters say ---- */

static void everything_is_accounted_for(void **unused)
{
	(void)unused;
	struct weir_ferry_config config = {
	    .seed = 3, .realtime = WEIR_REALTIME_OFF, .first_port = 5000, .n_flows = 1};
	struct quay *q = quay_new(&config);
	const struct weir_hop_config c[] = {
	    {.name = "up",
	     .rate.bps = 20000000,
	     .delay_ns = 2 * MS,
	     .queue.limit_bytes = 20000,
	     .before = {.loss = {.model = WEIR_LOSS_BERNOULLI, .p = .05}, .duplicate_p = .05}},
	    {.name = "second", .rate.bps = 20000000, .delay_ns = 1 * MS, .queue.limit_bytes = 10000},
	};
	u32 hops[] = {quay_hop(q, &c[0]), quay_hop(q, &c[1])};
	struct weir_hop_config wire = {.name = "back"};
	u32 back = quay_hop(q, &wire);
	u32 in = quay_port(q, quay_path(q, hops, 2, WEIR_UP), WEIR_FERRY_NONE, true);
	u32 out = quay_port(q, quay_path(q, &back, 1, WEIR_DOWN), in, true);
	weir_ferry_set_exit(q->ferry, in, out);
	q->until_ns = 200 * MS;
	quay_begin(q);
	u32 sent = send_random(q, in, 5);
	quay_end(q, true); /* a third of the time, everything has left */

	struct weir_ferry_hop hop[3];
	struct weir_ferry_flow flow;
	struct weir_ferry_snapshot s = {.hop = hop, .flow = &flow};
	static struct weir_fidelity fidelity;
	weir_ferry_now(q->ferry, &s);
	weir_ferry_fidelity(q->ferry, &fidelity);
	assert_int_equal(s.now_ns, 200 * MS);
	assert_int_equal(hop[0].stats.in_packets, sent);
	u64 dropped = 0, duplicated = hop[0].stats.duplicated_packets;
	for (u32 i = 0; i < 2; i++) {
		dropped += weir_link_dropped(&hop[i].stats);
		assert_int_equal(hop[i].stats.in_packets + hop[i].stats.duplicated_packets,
				 hop[i].stats.out_packets + weir_link_dropped(&hop[i].stats));
	}
	assert_int_equal(hop[1].stats.in_packets, hop[0].stats.out_packets);
	assert_true(dropped > 10 && duplicated > 2);
	assert_int_equal(q->n_dropped, dropped);
	assert_int_equal(q->n_arrived, hop[0].stats.in_packets + hop[1].stats.in_packets);
	assert_int_equal(q->n_departed, hop[0].stats.out_packets + hop[1].stats.out_packets);
	assert_int_equal(flow.in_packets, sent);
	assert_int_equal(flow.dropped_packets, dropped);
	assert_int_equal(flow.out_packets, hop[1].stats.out_packets);
	assert_int_equal(flow.out_bytes, hop[1].stats.out_bytes);
	assert_int_equal(flow.delay_n, flow.out_packets);
	assert_int_equal(fidelity.packets[WEIR_UP], flow.out_packets);
	assert_int_equal(fidelity.bytes[WEIR_UP], flow.out_bytes);
	assert_int_equal(fidelity.due_bytes, flow.out_bytes);
	assert_int_equal(fidelity.lateness_ns[WEIR_UP].n, flow.out_packets);
	assert_int_equal(fidelity.arrival_ns[WEIR_UP].n, sent);
	assert_int_equal(fidelity.overruns, 0);
	assert_true(fidelity.stamped && fidelity.unstamped == 0);
	assert_int_equal(quay_slots_in_use(q), 0);
	struct weir_vnet v;
	u32 received = 0;
	for (; quay_receive(q, out, &v, &p); received++) {
		finish_checksum(&p);
		assert_checksums(&p);
	}
	assert_int_equal(received, flow.out_packets);
	quay_free(q);
}

/* A receiver that does not take its packets, and a pool that is too small, lose packets outside the model. */
static void what_is_lost_outside_the_model_is_an_overrun(void **unused)
{
	(void)unused;
	enum { SENT = 6000, BYTES = 1500 };
	struct weir_ferry_config config = {.realtime = WEIR_REALTIME_OFF, .pool_bytes = 4 << 20};
	struct quay *q = quay_new(&config);
	struct weir_hop_config c = {.name = "slow", .delay_ns = 60 * MS};
	u32 hop = quay_hop(q, &c), received = 0;
	u32 in = quay_port(q, quay_path(q, &hop, 1, WEIR_UP), WEIR_FERRY_NONE, false);
	u32 out = quay_port(q, quay_path(q, &hop, 1, WEIR_UP), in, false);
	weir_ferry_set_exit(q->ferry, in, out);
	int few = 1 << 20;
	setsockopt(q->tun[out].fd, SOL_SOCKET, SO_SNDBUF, &few, sizeof few);
	quay_begin(q);
	for (u32 i = 1; i <= SENT; i++) {
		quay_packet(&p, BYTES, i, PEER, 1, 2);
		quay_send(q, in, &p);
		if (i % 64 == 0)
			quay_sleep(MS / 4);
	}
	quay_sleep(150 * MS);
	quay_end(q, false);
	static struct weir_fidelity fidelity;
	struct weir_judgement j;
	struct weir_vnet v;
	weir_ferry_fidelity(q->ferry, &fidelity);
	while (quay_receive(q, out, &v, &p))
		received++;
	assert_int_equal(fidelity.packets[WEIR_UP], received);
	assert_int_equal(fidelity.overruns, SENT - received);
	assert_true(fidelity.overruns > 100 && received > 100);
	weir_fidelity_judge(&fidelity, &j);
	assert_int_equal(j.verdict, WEIR_INVALID);
	assert_int_equal(quay_slots_in_use(q), 0);
	quay_free(q);
}

/* ---- super-packets ---- */

static u32 super_packet(u32 payload, u32 segment_bytes, struct weir_vnet *v)
{
	struct weir_rng r;
	weir_rng_init(&r, payload, weir_rng_point("super"), 0);
	do
		random_packet(&r, payload, &p);
	while (!p.tcp);
	*v = vnet_of(&p, segment_bytes);
	return (payload + segment_bytes - 1) / segment_bytes;
}

static struct quay *super_quay(u64 rate_bps, u32 *in, u32 *out)
{
	struct weir_ferry_config config = {.base_rtt_ns = 100 * MS, .realtime = WEIR_REALTIME_OFF};
	struct quay *q = quay_new(&config);
	struct weir_hop_config c = {.name = "up", .rate.bps = rate_bps, .delay_ns = MS};
	u32 hop = quay_hop(q, &c);
	*in = quay_port(q, quay_path(q, &hop, 1, WEIR_UP), WEIR_FERRY_NONE, true);
	*out = quay_port(q, quay_path(q, &hop, 1, WEIR_UP), *in, true);
	weir_ferry_set_exit(q->ferry, *in, *out);
	q->until_ns = 120 * MS;
	return q;
}

/* Soon: the ferry has a thread of its own, and the machine other things to do. */
static bool receives(struct quay *q, u32 port, struct weir_vnet *v, struct packet *to)
{
	for (u32 patience = 0; patience < 2000; patience++) {
		if (quay_receive(q, port, v, to))
			return true;
		quay_sleep(MS);
	}
	return false;
}

/* Due at once: written as it came, byte for byte. Making one may take milliseconds, so the ferry runs on. */
static void an_unhurried_super_packet_comes_out_as_it_was(void **unused)
{
	(void)unused;
	static struct packet sent;
	u32 in, out;
	struct quay *q = super_quay(0, &in, &out);
	struct weir_vnet v, got;
	q->until_ns = WEIR_NEVER;
	quay_begin(q);
	for (u32 payload = 3000; payload < 65000; payload += 4999) {
		super_packet(payload, 1400, &v);
		sent = p;
		quay_send_as(q, in, &v, &p);
		assert_true(receives(q, out, &got, &p));
		assert_int_equal(p.bytes, sent.bytes);
		assert_memory_equal(p.data, sent.data, p.bytes);
		assert_memory_equal(&got, &v, sizeof v);
	}
	quay_sleep(4 * MS);
	assert_false(quay_receive(q, out, &got, &p));
	quay_end(q, false);
	assert_int_equal(quay_slots_in_use(q), 0);
	quay_free(q);
}

/* At a rate: each segment takes its time on the wire, and all bytes come. */
static void a_rate_takes_super_packets_apart(void **unused)
{
	(void)unused;
	u32 in, out;
	struct quay *q = super_quay(10000000, &in, &out);
	struct weir_vnet v;
	static struct packet sent;
	u32 segments = super_packet(65000, 1400, &v), payload = 0, packets = 0;
	sent = p;
	quay_begin(q);
	quay_send_as(q, in, &v, &p);
	quay_end(q, true);
	assert_int_equal(q->n_in, segments);
	assert_int_equal(q->n_out, segments);
	u64 bits = 0;
	for (u32 i = 0; i < segments; i++) {
		bits += 8 * (u64)q->out[i].wire_bytes;
		assert_int_equal(q->in[i].at_ns, q->in[0].at_ns);
		assert_int_equal(q->out[i].at_ns, q->in[0].at_ns + bits * 100 + MS);
		assert_int_equal(q->out[i].wire_bytes,
				 i + 1 < segments ? p.payload_at + 1400 : p.payload_at + 65000 % 1400);
	}
	for (struct weir_vnet got; quay_receive(q, out, &got, &p); packets++) {
		u32 bytes = p.bytes - p.payload_at;
		assert_memory_equal(p.data + p.payload_at, sent.data + sent.payload_at + payload, bytes);
		payload += bytes;
		assert_int_equal(got.gso_type != 0, bytes > 1400);
		finish_checksum(&p);
		assert_checksums(&p);
	}
	assert_int_equal(payload, 65000);
	assert_true(packets > segments / 4);
	quay_free(q);
}

/* What AQM marks arrives marked, with a right checksum, and counts as such; nothing else is touched. */
static void marks_arrive(void **unused)
{
	(void)unused;
	struct weir_ferry_config config = {.realtime = WEIR_REALTIME_OFF, .first_port = 7, .n_flows = 1};
	struct quay *q = quay_new(&config);
	struct weir_hop_config c = {.name = "up",
				    .rate.bps = 10000000,
				    .queue = {.aqm = WEIR_AQM_RED,
					      .ecn = true,
					      .limit_packets = 1000,
					      .red_min_bytes = 1000,
					      .red_max_bytes = 20000,
					      .red_max_p = .5,
					      .red_weight = 1}};
	u32 hop = quay_hop(q, &c), marked = 0, plain = 0;
	u32 in = quay_port(q, quay_path(q, &hop, 1, WEIR_UP), WEIR_FERRY_NONE, true);
	u32 out = quay_port(q, quay_path(q, &hop, 1, WEIR_UP), in, true);
	weir_ferry_set_exit(q->ferry, in, out);
	q->until_ns = 100 * MS;
	quay_begin(q);
	for (u32 i = 1; i <= 60; i++) {
		quay_packet(&p, 1000, i, PEER, 7, 99);
		quay_send(q, in, &p);
	}
	quay_end(q, true);
	struct weir_vnet v;
	struct weir_ferry_hop h;
	struct weir_ferry_flow flow;
	struct weir_ferry_snapshot s = {.hop = &h, .flow = &flow};
	weir_ferry_now(q->ferry, &s);
	while (quay_receive(q, out, &v, &p)) {
		finish_checksum(&p);
		assert_checksums(&p);
		marked += (p.data[1] & 3) == WEIR_ECN_CE;
		plain += (p.data[1] & 3) == WEIR_ECN_ECT0;
	}
	assert_int_equal(marked + plain, h.stats.out_packets);
	assert_int_equal(marked, h.stats.marked_packets);
	assert_int_equal(marked, flow.ce_packets);
	assert_true(marked > 5 && plain > 0);
	quay_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_line_departs_as_in_virtual_time),
	    cmocka_unit_test(everything_a_hop_can_do_departs_as_in_virtual_time),
	    cmocka_unit_test(several_hops_depart_as_in_virtual_time),
	    cmocka_unit_test(everything_is_accounted_for),
	    cmocka_unit_test(what_is_lost_outside_the_model_is_an_overrun),
	    cmocka_unit_test(an_unhurried_super_packet_comes_out_as_it_was),
	    cmocka_unit_test(a_rate_takes_super_packets_apart),
	    cmocka_unit_test(marks_arrive),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

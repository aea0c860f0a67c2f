/* SPDX-License-Identifier: MIT */
/* The tie rule (docs/formats.md) in worlds small enough to be worked out by hand: inside a hop departure
 * before arrival; between hops the one that was added first; then timers by kind, then by flow. Each world is
 * run with lines and with general hops. */
#include "net.h"

#define SEEN 256

struct seen {
	u32 n;
	char what[SEEN]; /* arrival at a hop: A, B...; departure: a, b...; a datagram sent: 0, 1... by flow */
	u32 bytes[SEEN];
	u64 at_ns[SEEN];
};

static void see(struct seen *s, u64 now_ns, char what, u32 bytes)
{
	if (s->n == SEEN)
		return;
	s->what[s->n] = what;
	s->bytes[s->n] = bytes;
	s->at_ns[s->n++] = now_ns;
}

static void see_send(void *ctx, u64 now_ns, u32 flow, bool is_ack, u64 seq, u64 ack, u32 wire_bytes,
		     bool retransmit)
{
	(void)is_ack, (void)seq, (void)ack, (void)retransmit;
	see(ctx, now_ns, (char)('0' + flow), wire_bytes);
}

static void see_arrival(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	see(ctx, now_ns, (char)('A' + hop), wire_bytes);
}

static void see_departure(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes, u64 wait_ns)
{
	(void)wait_ns;
	see(ctx, now_ns, (char)('a' + hop), wire_bytes);
}

static void watch(struct net *n, struct seen *s)
{
	memset(s, 0, sizeof *s);
	weir_world_set_taps(n->world, &(struct weir_world_taps){.ctx = s,
								.on_send = see_send,
								.on_hop_arrival = see_arrival,
								.on_hop_departure = see_departure});
}

/* A datagram of `bytes` each ms. */
static u32 each_ms(struct net *n, u32 path, u32 bytes, u64 start_ns)
{
	struct weir_flow_config f = net_flow(n, path, NULL);
	f.app =
	    (struct weir_app_config){.kind = WEIR_APP_CBR, .rate_bps = bytes * 8000ULL, .chunk_bytes = bytes};
	f.start_ns = start_ns;
	return net_add(n, f);
}

/* 1000 bytes take 1 ms; one packet may wait. Two arrive each ms, just when one has been sent: the one that
 * waited begins, the first of the two takes its place, the second finds no room. Were the arrival first, both
 * would be dropped. */
static void departure_before_arrival(void **state)
{
	(void)state;
	static struct net n;
	struct weir_flow_totals first, second;
	for (u32 general = 0; general < 2; general++) {
		net_new(&n, 1, general);
		u32 path = net_between(&n, 8000000, MS, 1, 0, MS, 0);
		each_ms(&n, path, 1000, 0);
		each_ms(&n, path, 1000, 0);
		net_run(&n, 100 * MS + MS / 2);
		weir_world_flow_totals(n.world, 0, &first);
		weir_world_flow_totals(n.world, 1, &second);
		assert_int_equal(first.sent_packets, 101);
		assert_int_equal(first.lost_packets, 0);
		assert_int_equal(second.sent_packets, 101);
		assert_int_equal(second.lost_packets, 100); /* its first one found a place */
		weir_world_free(n.world);
	}
}

/* The same by bytes, with the fraction of a ns that 3 Mbit/s leaves: 375 bytes take 1 ms, 1000 bytes of
 * buffer hold two. */
static void departure_before_arrival_by_bytes(void **state)
{
	(void)state;
	static struct net n;
	struct weir_flow_totals t[2];
	for (u32 general = 0; general < 2; general++) {
		net_new(&n, 1, general);
		u32 forth = net_hop(
		    &n, (struct weir_hop_config){.rate = {.bps = 3000000}, .queue = {.limit_bytes = 1000}});
		u32 path = net_path(&n, forth, net_line(&n, 0, 0, 0));
		each_ms(&n, path, 375, 0);
		each_ms(&n, path, 375, 0);
		net_run(&n, 1000 * MS + MS / 2);
		for (u32 i = 0; i < 2; i++)
			weir_world_flow_totals(n.world, i, &t[i]);
		/* t = 0: one sent, one waits. 1 ms: it goes, two wait. Then one leaves and one comes in,
		 * always the first flow's. */
		assert_int_equal(t[0].lost_packets, 0);
		assert_int_equal(t[1].lost_packets, 1001 - 2);
		weir_world_free(n.world);
	}
}

/* Two hops of equal delay lead to a third. What leaves them at the same time arrives there in the order in
 * which they were added, whichever sent first. */
static void the_hop_added_first(void **state)
{
	(void)state;
	static struct net n;
	struct seen s;
	for (u32 k = 0; k < 4; k++) {
		bool swapped = k & 1;
		net_new(&n, 1, k & 2);
		u32 one = net_line(&n, 0, 5 * MS, 0), two = net_line(&n, 0, 5 * MS, 0);
		u32 third = net_line(&n, 0, MS, 0), back = net_line(&n, 0, MS, 0);
		const u32 way[2][2] = {{one, third}, {two, third}};
		u32 path[2];
		for (u32 i = 0; i < 2; i++) {
			path[i] = weir_world_add_path(n.world, way[i ^ swapped], 2, &back, 1);
			assert_int_not_equal(path[i], WEIR_NONE);
		}
		watch(&n, &s);
		each_ms(&n, path[0], 1000, 0);
		each_ms(&n, path[1], 500, 0);
		net_run(&n, 50 * MS);
		u32 arrivals = 0;
		for (u32 i = 0; i < s.n; i++)
			if (s.what[i] == 'C')
				assert_int_equal(s.bytes[i], (arrivals++ % 2 == 0) ^ swapped ? 1000 : 500);
		assert_true(arrivals > 10);
		weir_world_free(n.world);
	}
}

/* A packet leaves its hop at the very time at which datagrams are sent: the hop first, then the timers, the
 * first flow's before the second's. */
static void hops_before_timers_by_flow(void **state)
{
	(void)state;
	static struct net n;
	struct seen s;
	for (u32 general = 0; general < 2; general++) {
		net_new(&n, 1, general);
		u32 path = net_between(&n, 0, 3 * MS, 0, 0, MS, 0);
		watch(&n, &s);
		each_ms(&n, path, 1000, 0);
		each_ms(&n, path, 1000, 0);
		net_run(&n, 10 * MS);
		/* 0, 1, 2 ms: two sent each; from 3 ms on two leave first. A tap sees a departure with the
		 * time at which it left the queue, the delay earlier. */
		const char right[] = "0A1A0A1A0A1Aaa0A1Aaa0A1Aaa0A1A";
		assert_true(s.n > sizeof right);
		assert_memory_equal(s.what, right, sizeof right - 1);
		weir_world_free(n.world);
	}
}

/* Start comes before stop, whatever the flow: a flow that begins when another ends is there already. And a
 * flow that begins and ends at once sends what it may at that instant. */
static void start_before_stop(void **state)
{
	(void)state;
	static struct net n;
	struct seen s;
	struct weir_flow_totals t;
	net_new(&n, 1, false);
	u32 path = net_between(&n, 0, 3 * MS, 0, 0, MS, 0);
	watch(&n, &s);
	struct weir_flow_config f = net_flow(&n, path, "reno");
	f.start_ns = f.stop_ns = 5 * MS;
	net_add(&n, f);
	net_run(&n, 1000 * MS);
	weir_world_flow_totals(n.world, 0, &t);
	assert_int_equal(t.sent_packets, 10);
	assert_int_equal(t.delivered_bytes, 10 * 1448);
	weir_world_free(n.world);
}

/* An ACK and the sender's timer at the same time: the ACK comes first and restarts it, so that a path whose
 * round trip is exactly the timeout never times out. 1 s there and back, before the first sample. */
static void ack_before_timeout(void **state)
{
	(void)state;
	static struct net n;
	struct weir_flow_totals t;
	for (u32 general = 0; general < 2; general++) {
		net_new(&n, 1, general);
		u32 path = net_between(&n, 0, 500 * MS, 0, 0, 500 * MS, 0);
		struct weir_flow_config f = net_flow(&n, path, "reno");
		f.endpoint.ack_every = 1;
		net_add(&n, f);
		net_run(&n, 10000 * MS);
		weir_world_flow_totals(n.world, 0, &t);
		assert_int_equal(t.timeouts, 0);
		assert_int_equal(t.retransmitted_packets, 0);
		weir_world_free(n.world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(departure_before_arrival), cmocka_unit_test(departure_before_arrival_by_bytes),
	    cmocka_unit_test(the_hop_added_first),	cmocka_unit_test(hops_before_timers_by_flow),
	    cmocka_unit_test(start_before_stop),	cmocka_unit_test(ack_before_timeout),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The engine: the same world gives the same numbers, bit for bit, whichever way its hops are computed, in
 * however many steps it is run and whoever looks on. */
#include "net.h"

/* ---- worlds ---- */

static void one_reno(struct net *n)
{
	u32 path = net_between(n, 10000000, 10 * MS, 80, 0, 10 * MS, 0);
	net_bulk(n, path, "reno", 0);
}

/* Everything on the lattice of 8 us: 1000-byte packets at 1 Gbit/s into a buffer of four. */
static void lattice(struct net *n, u32 flows, const char *controller)
{
	u32 path = net_between(n, 1000000000, 5 * MS, 4, 0, 5 * MS, 0);
	for (u32 i = 0; i < flows; i++) {
		struct weir_flow_config f = net_flow(n, path, controller);
		f.endpoint.mss_bytes = 948;
		net_add(n, f);
	}
}

static void lattice_cubic(struct net *n)
{
	lattice(n, 1, "cubic");
}

static void lattice_two_reno(struct net *n)
{
	lattice(n, 2, "reno");
}

static void lattice_each_packet_acknowledged(struct net *n)
{
	u32 path = net_between(n, 1000000000, 5 * MS, 4, 1000000000, 5 * MS, 4);
	for (u32 i = 0; i < 3; i++) {
		struct weir_flow_config f = net_flow(n, path, "reno");
		f.endpoint.mss_bytes = 948;
		f.endpoint.ack_every = 1;
		net_add(n, f);
	}
}

static void mixed_sizes(struct net *n)
{
	const u32 mss[] = {1448, 948, 448, 100};
	u32 forth =
	    net_hop(n, (struct weir_hop_config){.rate = {.bps = 20000000},
						.delay_ns = 10 * MS,
						.queue = {.limit_bytes = 30000, .limit_packets = 40}});
	u32 path = net_path(n, forth, net_line(n, 1000000, 10 * MS, 30));
	for (u32 i = 0; i < 4; i++) {
		struct weir_flow_config f = net_flow(n, path, i % 2 ? "cubic" : "reno");
		f.endpoint.mss_bytes = mss[i];
		f.start_ns = i * 7 * MS;
		net_add(n, f);
	}
}

static void losses_both_ways(struct net *n)
{
	struct weir_hop_config forth = {
	    .rate = {.bps = 30000000}, .delay_ns = 15 * MS, .queue = {.limit_packets = 60}};
	struct weir_hop_config back = {.name = "back", .delay_ns = 15 * MS};
	forth.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .002};
	forth.before.loss = (struct weir_loss_config){.model = WEIR_LOSS_PERIODIC, .period_packets = 777};
	back.before.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .05};
	u32 there = net_hop(n, forth);
	u32 path = net_path(n, there, net_hop(n, back));
	net_bulk(n, path, "cubic", 0);
	net_bulk(n, path, "reno", 3 * MS);
}

/* Three hops, a long path over all of them and a short one over each: a parking lot. */
static void parking_lot(struct net *n)
{
	u32 hop[3], back[3];
	for (u32 i = 0; i < 3; i++)
		hop[i] = net_line(n, 20000000, 5 * MS, 30);
	for (u32 i = 0; i < 3; i++)
		back[i] = net_line(n, 0, 5 * MS, 0);
	const u32 home[] = {back[2], back[1], back[0]};
	u32 all = weir_world_add_path(n->world, hop, 3, home, 3);
	net_bulk(n, all, "reno", 0);
	for (u32 i = 0; i < 3; i++)
		net_bulk(n, net_path(n, hop[i], back[i]), "reno", i * MS);
}

/* Data both ways through the same two hops, and one hop that both directions of a path share. */
static void reverse_and_shared(struct net *n)
{
	u32 there = net_line(n, 20000000, 10 * MS, 40), again = net_line(n, 20000000, 10 * MS, 40);
	u32 path = net_path(n, there, again);
	net_bulk(n, path, "reno", 0);
	struct weir_flow_config f = net_flow(n, path, "reno");
	f.reverse = true;
	net_add(n, f);
	u32 air = net_line(n, 15000000, 2 * MS, 50);
	net_bulk(n, net_path(n, air, air), "cubic", 0);
}

static void applications(struct net *n)
{
	u32 path = net_between(n, 10000000, 10 * MS, 50, 10000000, 10 * MS, 50);
	for (u32 kind = WEIR_APP_SIZED; kind < WEIR_APP_KINDS; kind++) {
		struct weir_flow_config f =
		    net_flow(n, path, weir_app_is_datagram((enum weir_app_kind)kind) ? NULL : "cubic");
		f.app = (struct weir_app_config){.kind = (enum weir_app_kind)kind,
						 .rate_bps = 1000000,
						 .chunk_bytes = 700,
						 .size_bytes = 50000,
						 .on_ns = 30 * MS,
						 .off_ns = 20 * MS,
						 .exponential = true,
						 .think_ns = 5 * MS};
		f.fct = true;
		f.start_ns = kind * MS;
		f.stop_ns = 1500 * MS + kind * MS;
		net_add(n, f);
	}
}

static void no_delay(struct net *n)
{
	u32 path = net_between(n, 50000000, 0, 10, 0, 0, 0);
	net_bulk(n, path, "reno", 0);
	net_bulk(n, path, "vegas", 0);
}

static const struct {
	void (*build)(struct net *n);
	u64 until_ns;
} worlds[] = {
    {one_reno, 4000 * MS},	  {lattice_cubic, 600 * MS},
    {lattice_two_reno, 600 * MS}, {lattice_each_packet_acknowledged, 600 * MS},
    {mixed_sizes, 1500 * MS},	  {losses_both_ways, 2000 * MS},
    {parking_lot, 1500 * MS},	  {reverse_and_shared, 1500 * MS},
    {applications, 2000 * MS},	  {no_delay, 500 * MS},
};
#define WORLDS (sizeof worlds / sizeof worlds[0])

static void run_world(u32 k, bool general, struct net_reading *r)
{
	static struct net n;
	net_new(&n, 5, general);
	worlds[k].build(&n);
	net_run(&n, worlds[k].until_ns);
	net_read(&n, r);
	weir_world_free(n.world);
}

static void lines_and_general_hops_agree(void **state)
{
	(void)state;
	static struct net_reading line, general;
	for (u32 k = 0; k < WORLDS; k++) {
		run_world(k, false, &line);
		run_world(k, true, &general);
		assert_true(line.totals[0].sent_packets > 0);
		assert_same_reading(&line, &general);
	}
}

/* In steps of any length, read in between, the end is the same. */
static void steps_change_nothing(void **state)
{
	(void)state;
	static struct net_reading once, steps;
	static struct net n;
	for (u32 k = 0; k < WORLDS; k++) {
		struct weir_rng r;
		weir_rng_init(&r, k, 1, 1);
		run_world(k, false, &once);
		net_new(&n, 5, false);
		worlds[k].build(&n);
		for (u64 at = 0; at < worlds[k].until_ns; at += weir_rng_below(&r, 20 * MS)) {
			net_run(&n, at);
			net_read(&n, &steps);
		}
		net_run(&n, worlds[k].until_ns);
		net_read(&n, &steps);
		weir_world_free(n.world);
		assert_same_reading(&once, &steps);
	}
}

struct seen {
	u64 sent, received, acks_done, arrivals, departures, drops;
};

static void see_send(void *ctx, u64 now_ns, u32 flow, bool is_ack, u64 seq, u64 ack, u32 wire_bytes,
		     bool retransmit)
{
	(void)now_ns, (void)flow, (void)seq, (void)ack, (void)wire_bytes, (void)retransmit;
	((struct seen *)ctx)->sent += !is_ack;
}

static void see_receive(void *ctx, u64 now_ns, u32 flow, bool is_ack, u64 seq, u64 ack, u32 wire_bytes)
{
	(void)now_ns, (void)flow, (void)seq, (void)ack, (void)wire_bytes;
	((struct seen *)ctx)->received += !is_ack;
}

static void see_ack(void *ctx, u64 now_ns, u32 flow, const struct weir_flow_now *now)
{
	(void)now_ns, (void)flow, (void)now;
	((struct seen *)ctx)->acks_done++;
}

static void see_arrival(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	(void)now_ns, (void)hop, (void)wire_bytes;
	((struct seen *)ctx)->arrivals++;
}

static void see_departure(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes, u64 wait_ns)
{
	(void)now_ns, (void)hop, (void)wire_bytes, (void)wait_ns;
	((struct seen *)ctx)->departures++;
}

static void see_drop(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	(void)now_ns, (void)hop, (void)wire_bytes;
	((struct seen *)ctx)->drops++;
}

static void taps_change_nothing(void **state)
{
	(void)state;
	static struct net_reading untapped, tapped;
	static struct net n;
	for (u32 k = 0; k < WORLDS; k++) {
		struct seen seen = {0};
		run_world(k, false, &untapped);
		net_new(&n, 5, false);
		worlds[k].build(&n);
		weir_world_set_taps(n.world, &(struct weir_world_taps){&seen, see_send, see_receive, see_ack,
								       see_arrival, see_departure, see_drop});
		net_run(&n, worlds[k].until_ns);
		net_read(&n, &tapped);
		u64 sent = 0, in = 0, out = 0, drops = 0;
		for (u32 i = 0; i < weir_world_n_flows(n.world); i++)
			sent += tapped.totals[i].sent_packets;
		for (u32 i = 0; i < weir_world_n_hops(n.world); i++) {
			in += tapped.hop[i].stats.in_packets;
			out += tapped.hop[i].stats.out_packets;
			drops += weir_link_dropped(&tapped.hop[i].stats);
		}
		weir_world_free(n.world);
		assert_same_reading(&untapped, &tapped);
		assert_int_equal(seen.sent, sent);
		assert_int_equal(seen.arrivals, in);
		assert_int_equal(seen.departures, out);
		assert_int_equal(seen.drops, drops);
		assert_true(seen.received > 0);
	}
}

static void same_seed_same_world(void **state)
{
	(void)state;
	static struct net_reading first, second;
	for (u32 k = 0; k < WORLDS; k++) {
		run_world(k, false, &first);
		run_world(k, false, &second);
		assert_same_reading(&first, &second);
	}
}

/* ---- what paths are for ---- */

/* Max-min is 10 each; Reno punishes the long path, but it lives, and each hop is full. */
static void parking_lot_shares(void **state)
{
	(void)state;
	static struct net n;
	static struct net_reading r;
	net_new(&n, 1, false);
	parking_lot(&n);
	net_run(&n, 20000 * MS);
	net_read(&n, &r);
	for (u32 i = 0; i < 3; i++)
		assert_true(r.hop[i].stats.sent_bytes * 8 > 20000000ULL * 20 * 93 / 100);
	u64 through = r.totals[0].delivered_bytes;
	assert_true(through > 0);
	for (u32 i = 1; i < 4; i++) {
		assert_true(r.totals[i].delivered_bytes > through);
		/* All that hop i - 1 carried belongs to these two. */
		assert_true(r.totals[i].received_wire_bytes + r.totals[0].received_wire_bytes <=
			    r.hop[i - 1].stats.out_bytes);
	}
	weir_world_free(n.world);
}

/* A path turned round is the same path: two flows against each other get the same. */
static void reverse_is_symmetric(void **state)
{
	(void)state;
	static struct net n;
	struct weir_flow_totals a, b;
	net_new(&n, 1, false);
	u32 path = net_between(&n, 20000000, 10 * MS, 40, 20000000, 10 * MS, 40);
	net_bulk(&n, path, "reno", 0);
	struct weir_flow_config f = net_flow(&n, path, "reno");
	f.reverse = true;
	net_add(&n, f);
	net_run(&n, 20000 * MS);
	weir_world_flow_totals(n.world, 0, &a);
	weir_world_flow_totals(n.world, 1, &b);
	assert_true(a.delivered_bytes > 20ULL * 20000000 / 8 * 60 / 100); /* ACKs wait behind data */
	assert_true(a.delivered_bytes * 100 < b.delivered_bytes * 105 &&
		    b.delivered_bytes * 100 < a.delivered_bytes * 105);
	weir_world_free(n.world);
}

/* A flow that is stopped before it starts does nothing; one that stops delivers what it had sent. */
static void stop(void **state)
{
	(void)state;
	static struct net n;
	static struct net_reading r;
	net_new(&n, 1, false);
	u32 path = net_between(&n, 10000000, 10 * MS, 20, 0, 10 * MS, 0);
	struct weir_flow_config f = net_flow(&n, path, "reno");
	f.start_ns = 100 * MS;
	f.stop_ns = 50 * MS;
	net_add(&n, f);
	f = net_flow(&n, path, "reno");
	f.stop_ns = 500 * MS;
	net_add(&n, f);
	assert_int_equal(weir_world_run(n.world, WEIR_NEVER), 0); /* ends, since the flows do */
	assert_true(weir_world_now_ns(n.world) < 60000 * MS);
	net_read(&n, &r);
	assert_int_equal(r.totals[0].sent_packets, 0);
	assert_true(r.totals[1].delivered_bytes > 400000);
	assert_true(r.now[1].done);
	assert_int_equal(r.now[1].inflight_bytes, 0);
	weir_world_free(n.world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_and_general_hops_agree),
	    cmocka_unit_test(steps_change_nothing),
	    cmocka_unit_test(taps_change_nothing),
	    cmocka_unit_test(same_seed_same_world),
	    cmocka_unit_test(parking_lot_shares),
	    cmocka_unit_test(reverse_is_symmetric),
	    cmocka_unit_test(stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

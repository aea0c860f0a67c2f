/* SPDX-License-Identifier: MIT */
/* The historic endpoint on random paths, with any of the 2^7 and more settings of its switches: all arrives
 * in order in the end, nothing appears or vanishes, no timer waits longer than the largest timeout. */
#include "historic_net.h"

#define SEEDS 800
#define S WEIR_NS_PER_S

static struct weir_bsd43_config draw_switches(struct weir_rng *r)
{
	return (struct weir_bsd43_config){
	    .rtt_variance = (enum weir_rtt_variance)weir_rng_below(r, 3),
	    .exponential_backoff = weir_rng_below(r, 2),
	    .slow_start = weir_rng_below(r, 2),
	    .dynamic_window = weir_rng_below(r, 2),
	    .karn = weir_rng_below(r, 2),
	    .fast_retransmit = weir_rng_below(r, 2),
	};
}

static struct weir_hop_config draw_hop(struct weir_rng *r, bool narrow)
{
	struct weir_hop_config c = {.delay_ns = weir_rng_below(r, 300 * MS)};
	if (narrow) {
		c.rate.bps = 100000 + weir_rng_below(r, 2000000);
		c.queue.limit_packets = 3 + weir_rng_below(r, 60);
	}
	c.after.loss.model = WEIR_LOSS_BERNOULLI;
	c.after.loss.p = .01 * (double)weir_rng_below(r, 8);
	c.after.duplicate_p = .01 * (double)weir_rng_below(r, 3);
	c.after.reorder_p = .01 * (double)weir_rng_below(r, 4);
	c.after.reorder_delay_ns = weir_rng_below(r, 800 * MS);
	c.after.jitter_ns = weir_rng_below(r, 50 * MS);
	c.after.jitter_reorders = weir_rng_below(r, 2);
	return c;
}

static struct weir_flow_config draw_flow(struct weir_rng *r, u32 path, struct weir_bsd43_config *sender,
					 u64 seed, u32 number)
{
	*sender = draw_switches(r);
	struct weir_flow_config f = historic_flow(path, sender, seed, number);
	f.app.size_bytes = 1 + weir_rng_below(r, 60000);
	f.start_ns = weir_rng_below(r, S);
	f.endpoint.mss_bytes = 64 + (u32)weir_rng_below(r, 1000);
	f.endpoint.rwnd_bytes = f.endpoint.mss_bytes + 256 + weir_rng_below(r, 60000);
	f.endpoint.ack_policy = (enum weir_ack_policy)weir_rng_below(r, 3);
	f.endpoint.ack_out_of_order_late = weir_rng_below(r, 2);
	f.endpoint.first_sequence = weir_rng_below(r, 2) ? (1ULL << 32) - weir_rng_below(r, 60000) : 0;
	return f;
}

static bool look(const struct net *n, const struct weir_flow_config *f, u32 flow)
{
	struct weir_flow_totals t;
	struct weir_flow_now now;
	weir_world_flow_totals(n->world, flow, &t);
	weir_world_flow_now(n->world, flow, &now);
	assert_true(now.rto_ns <= 64 * S && (now.rto_ns >= S || weir_world_now_ns(n->world) < f->start_ns));
	assert_true(now.cwnd_bytes <= 65535);
	assert_true(now.inflight_bytes <= f->endpoint.rwnd_bytes);
	assert_true(t.retransmitted_packets <= t.sent_packets && t.delivered_bytes <= f->app.size_bytes);
	assert_true(t.spurious <= t.timeouts);
	if (!f->historic->fast_retransmit)
		assert_int_equal(t.recoveries, 0);
	return t.delivered_bytes == f->app.size_bytes && now.done;
}

/* All that was sent went into the path, and what came out of it arrived. */
static void balance(struct net *n)
{
	u64 sent = 0, received = 0, waiting;
	for (u32 i = 0; i < weir_world_n_flows(n->world); i++) {
		struct weir_flow_totals t;
		weir_world_flow_totals(n->world, i, &t);
		sent += t.sent_wire_bytes;
		received += t.received_wire_bytes;
	}
	const struct weir_link_stats *s = weir_world_hop_stats(n->world, 0, &waiting);
	assert_int_equal(s->in_bytes, sent);
	assert_int_equal(s->out_bytes, received);
	assert_int_equal(s->in_packets + s->duplicated_packets, s->out_packets + weir_link_dropped(s));
}

static void all_arrives_in_the_end(void **unused)
{
	(void)unused;
	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct net n;
		struct weir_rng r;
		struct weir_bsd43_config sender[3];
		struct weir_flow_config f[3];
		weir_rng_init(&r, seed, weir_rng_point("historic-losses"), 0);
		net_new(&n, seed, weir_rng_below(&r, 2));
		u32 forth = net_hop(&n, draw_hop(&r, true)), back = net_hop(&n, draw_hop(&r, false));
		u32 path = net_path(&n, forth, back), flows = 1 + (u32)weir_rng_below(&r, 3), done = 0;
		for (u32 i = 0; i < flows; i++) {
			f[i] = draw_flow(&r, path, &sender[i], seed, i);
			net_add(&n, f[i]);
		}
		for (u64 now_ns = 0; done < flows; now_ns += 5 * S) {
			if (now_ns > 20000 * S)
				fail_msg("seed %llu stands still", seed);
			net_run(&n, now_ns);
			done = 0;
			for (u32 i = 0; i < flows; i++)
				done += look(&n, &f[i], i);
		}
		net_run(&n, weir_world_now_ns(n.world) + 300 * S); /* what is still on its way, and no more */
		balance(&n);
		weir_world_free(n.world);
	}
}

/* Stopped in the middle, the flow ends with what it had sent. */
static void stops_cleanly(void **unused)
{
	(void)unused;
	for (u32 era = WEIR_ERA_1986; era <= WEIR_ERA_1988; era++) {
		struct net n;
		struct weir_bsd43_config sender = weir_bsd43_of_era((enum weir_era)era);
		net_new(&n, 1, false);
		u32 path = net_between(&n, 230400, 30 * MS, 8, 0, 30 * MS, 0);
		struct weir_flow_config f = historic_flow(path, &sender, 1, 0);
		struct weir_flow_totals t;
		struct weir_flow_now now;
		f.app.kind = WEIR_APP_BULK;
		f.stop_ns = 7 * S;
		net_add(&n, f);
		net_run(&n, 200 * S);
		weir_world_flow_totals(n.world, 0, &t);
		weir_world_flow_now(n.world, 0, &now);
		assert_true(now.done && now.inflight_bytes == 0);
		assert_int_equal(t.delivered_bytes, (t.sent_packets - t.retransmitted_packets) * 512);
		weir_world_free(n.world);
	}
}

/* Nobody answers: it gives up after twelve timeouts, and the world comes to rest. */
static void gives_up(void **unused)
{
	(void)unused;
	for (u32 era = WEIR_ERA_1986; era <= WEIR_ERA_1988; era++) {
		struct net n;
		struct weir_bsd43_config sender = weir_bsd43_of_era((enum weir_era)era);
		net_new(&n, 1, false);
		u32 forth = net_hop(
		    &n, (struct weir_hop_config){.after.loss = {.model = WEIR_LOSS_BERNOULLI, .p = 1}});
		u32 back = net_hop(&n, (struct weir_hop_config){.delay_ns = MS});
		struct weir_flow_config f = historic_flow(net_path(&n, forth, back), &sender, 1, 0);
		struct weir_flow_totals t;
		struct weir_flow_now now;
		net_add(&n, f);
		assert_int_equal(weir_world_run(n.world, WEIR_NEVER), 0);
		weir_world_flow_totals(n.world, 0, &t);
		weir_world_flow_now(n.world, 0, &now);
		assert_int_equal(t.timeouts, 12);
		assert_int_equal(t.delivered_bytes, 0);
		assert_true(now.done);
		weir_world_free(n.world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_arrives_in_the_end),
	    cmocka_unit_test(stops_cleanly),
	    cmocka_unit_test(gives_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Nothing appears or vanishes: random worlds of every kind of hop, looked at again and again. With
 * WEIR_DEBUG_CHECKS, in the sanitizer builds, the engine itself looks after every event. */
#include "core/rng.h"
#include "net.h"
#include "sim/state.h"

#define SEEDS 150

static struct weir_loss_config draw_loss(struct weir_rng *r)
{
	const struct weir_loss_config kinds[] = {
	    {.model = WEIR_LOSS_NONE},
	    {.model = WEIR_LOSS_BERNOULLI, .p = .03},
	    {.model = WEIR_LOSS_PERIODIC, .period_packets = 50},
	    {.model = WEIR_LOSS_GILBERT_ELLIOTT, .p_good_to_bad = .01, .p_bad_to_good = .3, .p_loss_bad = .5},
	};
	return kinds[weir_rng_below(r, 4)];
}

static struct weir_impair_config draw_impairments(struct weir_rng *r)
{
	struct weir_impair_config c = {.loss = draw_loss(r)};
	if (weir_rng_below(r, 3) == 0)
		c.duplicate_p = .02;
	if (weir_rng_below(r, 3) == 0) {
		c.reorder_p = .02;
		c.reorder_delay_ns = weir_rng_below(r, 10 * MS);
	}
	if (weir_rng_below(r, 3) == 0) {
		c.jitter_ns = weir_rng_below(r, 5 * MS);
		c.jitter_reorders = weir_rng_below(r, 2);
	}
	return c;
}

static struct weir_hop_config draw_hop(struct weir_rng *r)
{
	struct weir_hop_config c = {.delay_ns = weir_rng_below(r, 15 * MS), .general = weir_rng_below(r, 2)};
	c.rate.bps = weir_rng_below(r, 5) ? 2000000 + weir_rng_below(r, 30000000) : 0;
	if (weir_rng_below(r, 2))
		c.queue.limit_packets = 1 + weir_rng_below(r, 60);
	if (weir_rng_below(r, 2))
		c.queue.limit_bytes = 3000 + weir_rng_below(r, 100000);
	if (c.rate.bps && weir_rng_below(r, 2)) {
		c.queue.aqm = (enum weir_aqm_kind)weir_rng_below(r, WEIR_AQM_FQ_CODEL + 1);
		c.queue.limit_packets = c.queue.limit_packets ? c.queue.limit_packets : 100;
		c.queue.ecn = weir_rng_below(r, 2);
		c.queue.red_min_bytes = 15000;
		c.queue.red_max_bytes = 45000;
		c.queue.red_max_p = .1;
		c.queue.red_weight = .002;
		c.queue.target_ns = 5 * MS;
		c.queue.interval_ns = 100 * MS;
		c.queue.fq_flows = 16;
		c.queue.fq_quantum_bytes = 1514;
	}
	if (c.rate.bps && weir_rng_below(r, 6) == 0)
		c.rate = (struct weir_rate_config){.kind = WEIR_RATE_WALK,
						   .bps = c.rate.bps,
						   .walk_min_bps = 1000000,
						   .walk_max_bps = 40000000,
						   .walk_step_ns = 20 * MS,
						   .walk_sigma = .1};
	if (weir_rng_below(r, 2)) {
		c.before = draw_impairments(r);
		c.after = draw_impairments(r);
	}
	if (weir_rng_below(r, 8) == 0) {
		c.policer_bps = 5000000;
		c.policer_burst_bytes = 20000;
	}
	if (weir_rng_below(r, 8) == 0)
		c.aggregate_ns = 1 + weir_rng_below(r, 8 * MS);
	return c;
}

static u32 draw_route(struct weir_rng *r, u32 hops, u32 *route)
{
	u32 n = 1 + (u32)weir_rng_below(r, hops < 4 ? hops : 4), first = (u32)weir_rng_below(r, hops);
	for (u32 i = 0; i < n; i++)
		route[i] = (first + i) % hops;
	return n;
}

static void draw_world(struct net *n, u64 seed)
{
	struct weir_rng r;
	weir_rng_init(&r, seed, 21, 0);
	net_new(n, seed, false);
	u32 hops = 2 + (u32)weir_rng_below(&r, 7), paths = 1 + (u32)weir_rng_below(&r, 4);
	for (u32 i = 0; i < hops; i++) {
		struct weir_hop_config c = draw_hop(&r);
		char name[16] = {'h', (char)('0' + i)};
		c.name = name;
		assert_int_equal(weir_world_add_hop(n->world, &c), i);
	}
	for (u32 i = 0; i < paths; i++) {
		u32 forth[4], back[4], n_forth = draw_route(&r, hops, forth),
				       n_back = draw_route(&r, hops, back);
		assert_int_equal(weir_world_add_path(n->world, forth, n_forth, back, n_back), i);
	}
	for (u32 i = 0, flows = 1 + (u32)weir_rng_below(&r, 6); i < flows; i++) {
		enum weir_app_kind kind = (enum weir_app_kind)weir_rng_below(&r, WEIR_APP_KINDS);
		const char *cc[] = {"reno", "cubic", "vegas"};
		struct weir_flow_config f = net_flow(n, (u32)weir_rng_below(&r, paths),
						     weir_app_is_datagram(kind) ? NULL : cc[i % 3]);
		f.reverse = weir_rng_below(&r, 3) == 0;
		f.app = (struct weir_app_config){.kind = kind,
						 .rate_bps = 500000 + weir_rng_below(&r, 3000000),
						 .chunk_bytes = 100 + weir_rng_below(&r, 1300),
						 .size_bytes = 1 + weir_rng_below(&r, 200000),
						 .on_ns = 100 * MS,
						 .off_ns = 50 * MS,
						 .exponential = weir_rng_below(&r, 2),
						 .think_ns = weir_rng_below(&r, 20 * MS)};
		f.endpoint.recovery = (enum weir_recovery)weir_rng_below(&r, 3);
		f.endpoint.rwnd_bytes = 100000; /* some of these paths have no bottleneck */
		f.endpoint.mss_bytes = 100 + (u32)weir_rng_below(&r, 1400);
		f.endpoint.ack_every = 1 + (u32)weir_rng_below(&r, 2);
		f.endpoint.ecn = weir_rng_below(&r, 2);
		f.endpoint.pace = weir_rng_below(&r, 4) == 0;
		f.fct = true;
		f.start_ns = weir_rng_below(&r, 200 * MS);
		f.stop_ns = weir_rng_below(&r, 2) ? 400 * MS + weir_rng_below(&r, 800 * MS) : WEIR_NEVER;
		net_add(n, f);
	}
}

static void check_books(struct net *n)
{
	struct weir_world *w = n->world;
	for (u32 i = 0; i < weir_world_n_hops(w); i++) {
		u64 packets, bytes, waiting_bytes, dropped_bytes = 0;
		const struct weir_link_stats *s = weir_world_hop_stats(w, i, &waiting_bytes);
		struct weir_link *link = w->hops[i].link;
		link->ops->held(link, w->now_ns, &packets, &bytes, &waiting_bytes);
		for (u32 why = 0; why < WEIR_DROP_REASONS; why++)
			dropped_bytes += s->dropped_bytes[why];
		assert_int_equal(s->in_packets + s->duplicated_packets,
				 s->out_packets + weir_link_dropped(s) + packets);
		assert_int_equal(s->in_bytes + s->duplicated_bytes, s->out_bytes + dropped_bytes + bytes);
		assert_true(waiting_bytes <= bytes);
	}
	for (u32 i = 0; i < weir_world_n_flows(w); i++) {
		struct weir_flow_totals t;
		struct weir_flow_now now;
		weir_world_flow_totals(w, i, &t);
		weir_world_flow_now(w, i, &now);
		assert_true(t.retransmitted_packets <= t.sent_packets);
		assert_true(t.ce_packets * 40 <= t.received_wire_bytes);
		assert_true(t.delivered_bytes <= t.received_wire_bytes);
		assert_true(now.inflight_bytes <= t.sent_wire_bytes);
	}
}

static void books_balance(void **state)
{
	(void)state;
	static struct net n;
	static struct net_reading first, second;
	for (u64 seed = 0; seed < SEEDS; seed++) {
		draw_world(&n, seed);
		for (u64 at = 0; at <= 1000; at += 100) {
			net_run(&n, at * MS);
			check_books(&n);
		}
		net_read(&n, &first);
		weir_world_free(n.world);
		draw_world(&n, seed);
		net_run(&n, 1000 * MS);
		net_read(&n, &second);
		weir_world_free(n.world);
		assert_same_reading(&first, &second);
	}
}

/* When a flow has ended, every packet that it sent has arrived or was lost, and what was copied came twice.
 */
static void all_is_accounted_for_at_the_end(void **state)
{
	(void)state;
	static struct net n;
	for (u64 seed = 0; seed < 30; seed++) {
		net_new(&n, seed, seed % 2);
		struct weir_hop_config hop = {.rate = {.bps = 10000000}, .delay_ns = 5 * MS};
		hop.queue.limit_packets = 30;
		hop.before.loss = hop.after.loss =
		    (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .01};
		hop.before.duplicate_p = seed % 3 ? .02 : 0;
		u32 forth = net_hop(&n, hop), path = net_path(&n, forth, net_line(&n, 0, 5 * MS, 0));
		for (u32 i = 0; i < 2; i++) {
			struct weir_flow_config f = net_flow(&n, path, "reno");
			/* Full segments only, so that packets can be told from bytes. */
			f.app = (struct weir_app_config){.kind = WEIR_APP_SIZED, .size_bytes = 500 * 1448};
			net_add(&n, f);
		}
		assert_int_equal(weir_world_run(n.world, WEIR_NEVER), 0);
		check_books(&n);
		u64 waiting_bytes, received = 0, sent = 0, lost = 0;
		const struct weir_link_stats *s = weir_world_hop_stats(n.world, forth, &waiting_bytes);
		for (u32 i = 0; i < 2; i++) {
			struct weir_flow_totals t;
			weir_world_flow_totals(n.world, i, &t);
			assert_int_equal(t.delivered_bytes, 500 * 1448);
			assert_int_equal(t.sent_wire_bytes, t.sent_packets * 1500);
			assert_int_equal(t.sent_packets, 500 + t.retransmitted_packets);
			received += t.received_wire_bytes;
			sent += t.sent_packets;
			lost += t.lost_packets;
		}
		assert_int_equal(received, (sent + s->duplicated_packets - lost) * 1500);
		assert_int_equal(s->in_packets, sent);
		assert_int_equal(weir_link_dropped(s), lost);
		assert_int_equal(waiting_bytes, 0);
		weir_world_free(n.world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(books_balance),
	    cmocka_unit_test(all_is_accounted_for_at_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

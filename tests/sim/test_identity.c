/* SPDX-License-Identifier: MIT */
/* What must not change a result: running it again, starting later, another initial sequence number. And
 * what must: the seed. */
#include "dumbbell.h"

/* A mixed bag: three controllers, lossy and jittery hop, datagrams, an on-off flow, a request-response. */
#define BAG_FLOWS 7
struct bag {
	struct weir_flow_totals total[BAG_FLOWS];
	struct weir_flow_now now[BAG_FLOWS];
	u64 sent_bytes, dropped;
};

static void add_bag_flows(struct dumbbell *d, u64 shift_ns, u64 first_sequence)
{
	static const char *const controllers[] = {"reno", "cubic", "vegas", NULL, "cubic", "reno", NULL};
	for (u32 i = 0; i < BAG_FLOWS; i++) {
		struct weir_flow_config f = dumbbell_flow(d, controllers[i]);
		f.start_ns = shift_ns + i * 100 * WEIR_NS_PER_MS;
		f.stop_ns = i == 2 ? shift_ns + 6 * WEIR_NS_PER_S : WEIR_NEVER;
		f.endpoint.first_sequence = first_sequence;
		switch (i) {
		case 3:
			f.app = (struct weir_app_config){
			    .kind = WEIR_APP_POISSON, .rate_bps = 1000000, .chunk_bytes = 700};
			break;
		case 4:
			f.app = (struct weir_app_config){.kind = WEIR_APP_ON_OFF,
							 .on_ns = WEIR_NS_PER_S / 2,
							 .off_ns = WEIR_NS_PER_S / 2,
							 .exponential = true};
			break;
		case 5:
			f.app = (struct weir_app_config){
			    .kind = WEIR_APP_REQUEST, .size_bytes = 100000, .think_ns = 50 * WEIR_NS_PER_MS};
			break;
		case 6:
			f.app = (struct weir_app_config){
			    .kind = WEIR_APP_CBR, .rate_bps = 500000, .chunk_bytes = 200};
			break;
		default:
			break;
		}
		dumbbell_add(d, f);
	}
}

static struct bag run_bag(u64 seed, u64 shift_ns, u64 first_sequence, bool in_steps)
{
	struct bag b;
	struct weir_hop_config hop = dumbbell_hop(20000000, 40 * WEIR_NS_PER_MS);
	hop.queue.limit_bytes = 100000;
	hop.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = 2e-3};
	hop.after.jitter_ns = 3 * WEIR_NS_PER_MS;
	struct dumbbell d = dumbbell_new(&hop, seed);
	add_bag_flows(&d, shift_ns, first_sequence);
	u64 end_ns = shift_ns + 10 * WEIR_NS_PER_S;
	for (u64 t = shift_ns; in_steps && t < end_ns; t += 7777777)
		dumbbell_run(&d, t);
	dumbbell_run(&d, end_ns);
	memset(&b, 0, sizeof b);
	for (u32 i = 0; i < BAG_FLOWS; i++) {
		b.total[i] = dumbbell_totals(&d, i);
		weir_world_flow_now(d.world, i, &b.now[i]);
	}
	u64 waiting_bytes;
	const struct weir_link_stats *s = weir_world_hop_stats(d.world, DUMBBELL_BOTTLENECK, &waiting_bytes);
	b.sent_bytes = s->sent_bytes;
	b.dropped = weir_link_dropped(s);
	dumbbell_free(&d);
	return b;
}

static void assert_same(const struct bag *a, const struct bag *b)
{
	for (u32 i = 0; i < BAG_FLOWS; i++) {
		assert_memory_equal(&a->total[i], &b->total[i], sizeof a->total[i]);
		assert_int_equal(a->now[i].cwnd_bytes, b->now[i].cwnd_bytes);
		assert_int_equal(a->now[i].inflight_bytes, b->now[i].inflight_bytes);
		assert_int_equal(a->now[i].srtt_ns, b->now[i].srtt_ns);
		assert_int_equal(a->now[i].min_rtt_ns, b->now[i].min_rtt_ns);
		assert_int_equal(a->now[i].rto_ns, b->now[i].rto_ns);
	}
	assert_int_equal(a->sent_bytes, b->sent_bytes);
	assert_int_equal(a->dropped, b->dropped);
}

static void the_same_seed_gives_the_same_run(void **state)
{
	(void)state;
	struct bag a = run_bag(1, 0, 0, false), b = run_bag(1, 0, 0, false), c = run_bag(2, 0, 0, false);
	assert_same(&a, &b);
	assert_true(a.total[0].lost_packets > 10 && a.total[0].delivered_bytes > 1000000);
	assert_true(a.total[5].delivered_bytes > 1000000 && a.total[4].delivered_bytes > 1000000);
	assert_int_not_equal(a.total[0].delivered_bytes, c.total[0].delivered_bytes);
	assert_int_not_equal(a.total[3].sent_packets, c.total[3].sent_packets);
}

/* Stopping to look must not move anything. */
static void looking_changes_nothing(void **state)
{
	(void)state;
	struct bag a = run_bag(1, 0, 0, false), b = run_bag(1, 0, 0, true);
	assert_same(&a, &b);
}

/* J20: nothing takes a time near 0 for "not set", and only differences of times count. */
static void J20_the_time_of_the_start_does_not_matter(void **state)
{
	(void)state;
	static const u64 shifts_ns[] = {1, 999, 1234567890123ULL, 30 * 86400 * WEIR_NS_PER_S};
	struct bag a = run_bag(1, 0, 0, false);
	for (u32 i = 0; i < sizeof shifts_ns / sizeof shifts_ns[0]; i++) {
		struct bag b = run_bag(1, shifts_ns[i], 0, false);
		assert_same(&a, &b);
	}
}

/* G32: sequence numbers on the wire have 32 bits; where they wrap nothing happens. */
static void G32_the_first_sequence_number_does_not_matter(void **state)
{
	(void)state;
	static const u64 firsts[] = {1,
				     (1ULL << 31) - 50000,
				     (1ULL << 32) - 1,
				     (1ULL << 32) - 1448,
				     (1ULL << 32) - 5000000,
				     (1ULL << 40) - 777777};
	struct bag a = run_bag(1, 0, 0, false);
	for (u32 i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
		struct bag b = run_bag(1, 0, firsts[i], false);
		assert_same(&a, &b);
	}
}

/* J8: totals beyond 2^32 bytes, the stream wraps on the wire three times. */
static void J8_totals_have_64_bits(void **state)
{
	(void)state;
	struct weir_hop_config hop = dumbbell_hop(10000000000ULL, 10 * WEIR_NS_PER_MS);
	hop.queue.limit_bytes = 12500000;
	struct dumbbell d = dumbbell_new(&hop, 1);
	struct weir_flow_config f = dumbbell_flow(&d, "cubic");
	f.endpoint.mss_bytes = 8948;
	u32 flow = dumbbell_add(&d, f);
	dumbbell_run(&d, 12 * WEIR_NS_PER_S);
	struct weir_flow_totals t = dumbbell_totals(&d, flow);
	assert_true(t.delivered_bytes > 3ULL << 32);
	assert_true(t.received_wire_bytes > t.delivered_bytes && t.sent_wire_bytes >= t.received_wire_bytes);
	/* all of the link but the first second */
	assert_true(t.received_wire_bytes > 11ULL * 1250000000 &&
		    t.received_wire_bytes <= 12ULL * 1250000000);
	dumbbell_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_same_seed_gives_the_same_run),
	    cmocka_unit_test(looking_changes_nothing),
	    cmocka_unit_test(J20_the_time_of_the_start_does_not_matter),
	    cmocka_unit_test(G32_the_first_sequence_number_does_not_matter),
	    cmocka_unit_test(J8_totals_have_64_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

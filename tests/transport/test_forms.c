/* SPDX-License-Identifier: MIT */
/* The short way of steady.h against the full functions, and the invariants of the sender, on random paths:
 * the same segments at the same times, the same totals, the same state at the end. */
#include "cc/table.h"
#include "steady_path.h"

#define SEEDS 150

struct outcome {
	u64 hash, mind, now_ns;
	u64 sent, again, timeouts, recoveries, spurious, srtt_ns, cwnd_bytes, deadline_ns, acks, steady;
};

static void draw_path(struct pair *p, struct weir_rng *r)
{
	for (u32 k = 0; k < 2; k++) {
		struct pair_pipe *way = &p->pipe[k];
		way->delay_ns = weir_rng_below(r, 3) ? weir_rng_below(r, 60 * WEIR_NS_PER_MS) : 0;
		if (k == PAIR_DATA || weir_rng_below(r, 3) == 0)
			way->rate_Bps = 100000 + weir_rng_below(r, 2000000);
		way->limit_packets = 3 + (u32)weir_rng_below(r, 100);
		way->drop = weir_rng_below(r, 2) ? .03 * weir_rng_unit(r) : 0;
		way->copy = weir_rng_below(r, 4) ? 0 : .02 * weir_rng_unit(r);
		way->late = weir_rng_below(r, 3) ? 0 : .02 * weir_rng_unit(r);
		way->late_ns = weir_rng_below(r, 60 * WEIR_NS_PER_MS);
		way->jitter_ns = weir_rng_below(r, 4) ? 0 : weir_rng_below(r, 20 * WEIR_NS_PER_MS);
		way->ordered = weir_rng_below(r, 2);
	}
}

static struct weir_endpoint_config draw_endpoint(struct weir_rng *r, u64 seed)
{
	struct weir_endpoint_config c = steady_config();
	c.recovery = (enum weir_recovery)(seed % 3);
	c.ack_every = 1 + (u32)weir_rng_below(r, 2);
	c.delayed_ack_ns = weir_rng_below(r, 2) ? 40 * WEIR_NS_PER_MS : 200 * WEIR_NS_PER_MS;
	c.undo = weir_rng_below(r, 4) > 0;
	c.ecn = weir_rng_below(r, 3) == 0;
	c.pace = weir_rng_below(r, 8) == 0;
	if (weir_rng_below(r, 4) == 0)
		c.rwnd_bytes = 1000 + weir_rng_below(r, 50000);
	return c;
}

/* Bulk in the main, with pauses of the application; ends with an odd size. */
static void drive(struct pair *p, struct weir_rng *r)
{
	u64 written = 0;
	for (u32 i = 0; i < 6; i++) {
		bool odd = weir_rng_below(r, 4) == 0;
		written += (50 + weir_rng_below(r, 300)) * MSS + (odd ? weir_rng_below(r, MSS) : 0);
		pair_write(p, written);
		pair_run(p, p->now_ns + weir_rng_below(r, 2 * WEIR_NS_PER_S));
	}
	pair_finish(p, p->now_ns + 10000 * WEIR_NS_PER_S);
	assert_int_equal(pair_delivered(p), written);
}

static struct outcome run(u64 seed, const struct weir_cc_ops *ops, bool full_form)
{
	struct weir_rng r;
	u64 params[64];
	weir_rng_init(&r, seed, 11, 0);
	weir_cc_defaults(ops, params);
	struct weir_endpoint_config c = draw_endpoint(&r, seed);
	c.full_form = full_form;
	struct pair *p = pair_new(&c, ops, params, 0, weir_rng_below(&r, 1ULL << 50));
	weir_rng_init(&p->rng, seed, 0, 0);
	draw_path(p, &r);
	for (u32 n = 20; c.ecn && n < 2000; n += 97)
		pair_rule(p, PAIR_DATA, n, PAIR_MARK, 0);
	drive(p, &r);
	const struct weir_sender *s = &p->sender;
	struct outcome o = {
	    .hash = p->hash,
	    .mind = p->mind,
	    .now_ns = p->now_ns,
	    .sent = s->sent_packets,
	    .again = s->retransmitted_packets,
	    .timeouts = s->timeouts,
	    .recoveries = s->recoveries,
	    .spurious = s->spurious,
	    .srtt_ns = s->rtt.srtt_ns,
	    .cwnd_bytes = s->cwnd_bytes,
	    .deadline_ns = s->deadline_ns,
	    .acks = p->acks_taken,
	    .steady = p->steady,
	};
	assert_int_equal(s->sent_packets, p->n_sent);
	assert_true(p->n_sent < 20000);
	pair_free(p);
	return o;
}

static void both_ways_agree(void **state)
{
	(void)state;
	const char *names[] = {"reno", "cubic", "vegas"};
	u64 steady = 0, acks = 0;
	for (u64 seed = 0; seed < SEEDS; seed++) {
		const struct weir_cc_ops *ops = weir_cc_find(names[seed / 3 % 3]);
		struct outcome fast = run(seed, ops, false), full = run(seed, ops, true);
		assert_int_equal(full.steady, 0);
		steady += fast.steady;
		acks += fast.acks;
		fast.steady = full.steady = 0;
		assert_memory_equal(&fast, &full, sizeof fast);
	}
	assert_true(steady > acks / 4); /* the test is about something */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(both_ways_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

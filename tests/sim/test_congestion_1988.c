/* SPDX-License-Identifier: MIT */
/* Jacobson and Karels, "Congestion Avoidance and Control" (1988): the experiment of four conversations over a
 * link of 230.4 kbit/s before and after, against the paper and against an independent reconstruction of it by
 * the same rules; and what losses cost an RFC 793 TCP (the paper's footnote on damage). */
#include "historic_net.h"

#include <math.h>

#define FLOWS 4
#define S WEIR_NS_PER_S
#define BYTES (1 << 20)
#define LINK_BPS 230400

struct experiment {
	enum weir_era era;
	bool fast_retransmit;
	enum weir_rtt_variance rtt_variance;
	u32 new_receivers; /* so many, from the first conversation on */
	u64 base_rtt_ns, stop_packets;
};

struct outcome {
	double sent, again, duration_s, useful_KBps, slowest_KBps, fastest_KBps;
	double busy;		 /* the link, from 25 s to the first finish */
	double rate_KBps[FLOWS]; /* until the first finish */
};

static void add_conversation(struct net *n, const struct experiment *e, u32 path, u64 seed, u32 i)
{
	struct weir_bsd43_config sender = weir_bsd43_of_era(e->era);
	sender.rtt_variance = e->rtt_variance;
	sender.fast_retransmit = e->fast_retransmit;
	struct weir_flow_config f = historic_flow(path, &sender, seed, i);
	f.start_ns = 3 * S * i;
	f.endpoint.ack_out_of_order_late = e->era == WEIR_ERA_1986;
	if (i < e->new_receivers)
		f.endpoint.ack_policy = WEIR_ACK_BSD_NEW;
	net_add(n, f);
}

static u64 link_bytes(struct net *n)
{
	u64 waiting;
	return weir_world_hop_stats(n->world, 0, &waiting)->sent_bytes;
}

static u32 count(struct net *n, struct outcome *o, u64 delivered[FLOWS])
{
	u32 done = 0;
	o->sent = o->again = 0;
	for (u32 i = 0; i < FLOWS; i++) {
		struct weir_flow_totals t;
		weir_world_flow_totals(n->world, i, &t);
		o->sent += (double)t.sent_packets;
		o->again += (double)t.retransmitted_packets;
		delivered[i] = t.delivered_bytes;
		done += t.delivered_bytes == BYTES;
	}
	return done;
}

static struct outcome converse(const struct experiment *e, u64 seed)
{
	struct net n;
	struct outcome o = {.slowest_KBps = 1e9};
	u64 delivered[FLOWS], total = 0, at_25_s = 0, first_end_ns = 0, end_ns[FLOWS] = {0};
	net_new(&n, seed, false);
	u32 path = net_between(&n, LINK_BPS, e->base_rtt_ns / 2, 50, 0, e->base_rtt_ns / 2, 0);
	for (u32 i = 0; i < FLOWS; i++)
		add_conversation(&n, e, path, seed, i);
	u64 now_ns = 0;
	for (u32 done = 0; done < FLOWS && (!e->stop_packets || o.sent < (double)e->stop_packets);) {
		assert_true(now_ns < 600 * S);
		net_run(&n, now_ns += 20 * MS);
		done = count(&n, &o, delivered);
		at_25_s = now_ns == 25 * S ? link_bytes(&n) : at_25_s;
		for (u32 i = 0; i < FLOWS; i++)
			if (delivered[i] == BYTES && !end_ns[i])
				end_ns[i] = now_ns;
		if (done && !first_end_ns) {
			first_end_ns = now_ns;
			o.busy =
			    (double)(link_bytes(&n) - at_25_s) * 8e9 / ((double)(now_ns - 25 * S) * LINK_BPS);
			for (u32 i = 0; i < FLOWS; i++)
				o.rate_KBps[i] = (double)delivered[i] * 1e6 / (double)(now_ns - 3 * S * i);
		}
	}
	for (u32 i = 0; i < FLOWS; i++) {
		double KBps =
		    (double)delivered[i] * 1e6 / (double)((end_ns[i] ? end_ns[i] : now_ns) - 3 * S * i);
		o.slowest_KBps = fmin(o.slowest_KBps, KBps);
		o.fastest_KBps = fmax(o.fastest_KBps, KBps);
		total += delivered[i];
	}
	o.duration_s = (double)now_ns / 1e9;
	o.useful_KBps = (double)total / o.duration_s / 1e3;
	weir_world_free(n.world);
	return o;
}

/* Means over the seeds, and the range of what was sent again. */
static struct outcome mean(const struct experiment *e, u32 seeds, double again[2])
{
	struct outcome sum = {0};
	again[0] = 1e9;
	again[1] = 0;
	for (u32 seed = 1; seed <= seeds; seed++) {
		struct outcome o = converse(e, seed);
		const double *from = &o.sent;
		double *to = &sum.sent;
		for (u32 k = 0; k < sizeof o / sizeof(double); k++)
			to[k] += from[k] / seeds;
		again[0] = fmin(again[0], o.again);
		again[1] = fmax(again[1], o.again);
	}
	return sum;
}

static void assert_within(double x, double low, double high)
{
	if (!(x >= low && x <= high))
		fail_msg("%g is not within %g and %g", x, low, high);
}

/* C4: 4507 [3463..4776] of 11000 at a base RTT of 60 ms, 4402 at 150 ms, 3586 at 300 ms; 173, 179 and 201 s;
 * 18.9, 18.6 and 18.7 KBps; slowest and fastest 3.9 and 6.2 KBps. The paper: 4000, 18.5 KBps. */
static void before(void **unused)
{
	(void)unused;
	static const struct {
		u64 ms;
		double again, duration_s, KBps;
	} wanted[] = {{60, 4507, 173, 18.9}, {150, 4402, 179, 18.6}, {300, 3586, 201, 18.7}};
	for (u32 i = 0; i < 3; i++) {
		const struct experiment e = {WEIR_ERA_1986,	false, WEIR_VARIANCE_NONE, 0,
					     wanted[i].ms * MS, 11000};
		double again[2];
		struct outcome o = mean(&e, 20, again);
		print_message(
		    "%llu ms: %.0f [%.0f..%.0f] of %.0f sent again, %.0f s, %.2f KBps, %.1f to %.1f\n",
		    wanted[i].ms, o.again, again[0], again[1], o.sent, o.duration_s, o.useful_KBps,
		    o.slowest_KBps, o.fastest_KBps);
		assert_within(o.again, 3000, 4800);
		assert_within(o.useful_KBps, 17.5, 20);
		assert_within(o.again / wanted[i].again, .93, 1.07);
		assert_within(o.duration_s / wanted[i].duration_s, .95, 1.05);
		assert_within(o.useful_KBps / wanted[i].KBps, .95, 1.05);
		assert_within(again[0], 2900, 4800);
		assert_within(o.slowest_KBps, 3, 5);
		assert_within(o.fastest_KBps, 5, 7);
	}
}

/* C4: 8272 sent, 80 [66..91] of them again in 10 seeds; 4V 84, all new receivers 102, with fast
 * retransmit 58. The paper: 8281, 89. */
static void after(void **unused)
{
	(void)unused;
	static const struct {
		const char *name;
		struct experiment e;
		double again;
	} variants[] = {
	    {"A + 2V", {WEIR_ERA_1988, false, WEIR_VARIANCE_2V, 2, 60 * MS, 0}, 80},
	    {"A + 4V", {WEIR_ERA_1988, false, WEIR_VARIANCE_4V, 2, 60 * MS, 0}, 84},
	    {"all receivers new", {WEIR_ERA_1988, false, WEIR_VARIANCE_2V, 4, 60 * MS, 0}, 102},
	    {"fast retransmit", {WEIR_ERA_1988, true, WEIR_VARIANCE_2V, 2, 60 * MS, 0}, 58},
	};
	for (u32 i = 0; i < 4; i++) {
		double again[2];
		struct outcome o = mean(&variants[i].e, 20, again);
		print_message(
		    "%s: %.0f sent, %.0f [%.0f..%.0f] again, %.0f s; busy %.4f, %.1f %.1f %.1f %.1f KBps\n",
		    variants[i].name, o.sent, o.again, again[0], again[1], o.duration_s, o.busy,
		    o.rate_KBps[0], o.rate_KBps[1], o.rate_KBps[2], o.rate_KBps[3]);
		assert_within(o.again, 40, 110);
		assert_within(o.sent - o.again, 8191.99, 8192.01);
		assert_within(o.again / variants[i].again, .8, 1.25);
		assert_within(o.duration_s, 165, 176);
		assert_true(o.busy > .97);
		if (variants[i].e.new_receivers == 2)
			assert_true(o.rate_KBps[0] + o.rate_KBps[1] > o.rate_KBps[2] + o.rate_KBps[3]);
	}
}

/* The paper: a TCP as of RFC 793 with window w on a path that loses p of the packets keeps 1 / (1 + 2 p w) of
 * its throughput (1 % and w = 8: 14 % are lost), as if a loss cost the timeout of two round trips and nothing
 * else. Exactly, with windows that leave in one burst: the timer begins with the last ACK before the hole, a
 * round trip after the loss, and one more passes until the repair is acknowledged; of these two, that of the
 * burst itself is none lost, and (w - 1) / 2 segments more got through on average. That is
 * rto + R (1 - (w - 1) / 2w) a loss, the timer on average half a tick short: the paper's is the lower bound.
 * The round trip is long, so that ticks of 500 ms hardly matter, but below 6 s, the timeout while nothing is
 * known: else nothing would ever be measured, since a timeout ends each measurement. */
static void what_damage_costs(void **unused)
{
	(void)unused;
	static const struct {
		double p;
		u32 w;
	} at[] = {{.01, 8}, {.005, 8}, {.002, 8}, {.01, 4}, {.0025, 16}, {.005, 16}};
	const u64 rtt_ns = 4900 * MS, rtts = 60000;
	for (u32 i = 0; i < sizeof at / sizeof at[0]; i++) {
		struct net n;
		struct weir_bsd43_config sender = weir_bsd43_of_era(WEIR_ERA_1986);
		net_new(&n, 1 + i, false);
		u32 forth = net_hop(
		    &n, (struct weir_hop_config){.delay_ns = rtt_ns / 2,
						 .after.loss = {.model = WEIR_LOSS_BERNOULLI, .p = at[i].p}});
		u32 back = net_hop(&n, (struct weir_hop_config){.delay_ns = rtt_ns / 2});
		struct weir_flow_config f = historic_flow(net_path(&n, forth, back), &sender, 1, 0);
		f.app.kind = WEIR_APP_BULK;
		f.endpoint.rwnd_bytes = at[i].w * 512;
		f.endpoint.ack_policy = WEIR_ACK_STANDARD;
		f.endpoint.ack_every = 1;
		net_add(&n, f);
		net_run(&n, rtts * rtt_ns);
		struct weir_flow_totals t;
		weir_world_flow_totals(n.world, 0, &t);
		double kept = (double)t.delivered_bytes / (512. * at[i].w * (double)rtts);
		struct weir_flow_now now;
		weir_world_flow_now(n.world, 0, &now);
		double pw = at[i].p * at[i].w, paper = 1 / (1 + 2 * pw);
		double rto_rtts = (double)(now.rto_ns - WEIR_BSD43_TICK_NS / 2) / (double)rtt_ns;
		double exact = 1 / (1 + pw * (rto_rtts + 1 - (at[i].w - 1) / (2. * at[i].w)));
		print_message("p %g, w %u: %.4f of the throughput is kept, exactly %.4f, the paper's %.4f\n",
			      at[i].p, at[i].w, kept, exact, paper);
		assert_within(kept, exact - .015, exact + .015); /* two losses in a window share a timeout */
		assert_within(kept, 1 / (1 + 3 * pw), paper);
		weir_world_free(n.world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(before),
	    cmocka_unit_test(after),
	    cmocka_unit_test(what_damage_costs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Field case A13: what a hop's log calls delay is the wait in that hop's queue, however many hops a packet
 * has passed; all hops together are the queueing delay that the flow sees. */
#include "core/hist.h"
#include "core/rng.h"
#include "net.h"
#include "sim/waits.h"

struct heard {
	u64 n[4], wait_ns[4], longest_ns[4];
};

static void hear_departure(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes, u64 wait_ns)
{
	struct heard *h = ctx;
	(void)now_ns, (void)wire_bytes;
	h->n[hop]++;
	h->wait_ns[hop] += wait_ns;
	h->longest_ns[hop] = weir_max(h->longest_ns[hop], wait_ns);
}

/* Three hops, each slower than the one before it, so that a queue stands at each; a way back that queues too.
 */
static void a_hop_tells_its_own_wait_field_A13(void **state)
{
	(void)state;
	static struct net n;
	static struct weir_hist wait[4], queue;
	for (u32 general = 0; general < 2; general++) {
		struct heard heard = {0};
		net_new(&n, 1, general);
		u32 hops[] = {net_line(&n, 20000000, 5 * MS, 60), net_line(&n, 16000000, 5 * MS, 60),
			      net_line(&n, 12000000, 5 * MS, 60)};
		u32 back = net_line(&n, 300000, 5 * MS, 60);
		u32 path = weir_world_add_path(n.world, hops, 3, &back, 1);
		for (u32 i = 0; i < 4; i++) {
			memset(&wait[i], 0, sizeof wait[i]);
			weir_world_set_hop_wait(n.world, i, &wait[i]);
		}
		memset(&queue, 0, sizeof queue);
		struct weir_flow_config f = net_flow(&n, path, "reno");
		f.queue_ns = &queue;
		net_add(&n, f);
		net_add(&n, net_flow(&n, path, "reno"));
		weir_world_set_taps(
		    n.world, &(struct weir_world_taps){.ctx = &heard, .on_hop_departure = hear_departure});
		net_run(&n, 10000 * MS);
		for (u32 i = 0; i < 4; i++) {
			/* What left its wire waited before; at the end some is still on the wire. */
			assert_true(heard.n[i] > 1000 && wait[i].n >= heard.n[i] &&
				    wait[i].n <= heard.n[i] + 60);
			double told = (double)heard.wait_ns[i] / (double)heard.n[i];
			double own = weir_hist_mean(&wait[i]);
			assert_true(told > own * .98 - 16 && told < own * 1.02 + 16);
		}
		/* No hop of 60 packets can hold one for longer than it takes to send 60 of 1500 bytes. */
		assert_true(heard.longest_ns[0] <= 36 * MS && heard.longest_ns[2] <= 60 * MS);
		assert_true(heard.longest_ns[0] > 5 * MS && heard.longest_ns[2] > 30 * MS);
		/* Data: all three together. Half of it is the first flow's. */
		double sum = 0;
		for (u32 i = 0; i < 3; i++)
			sum += (double)heard.wait_ns[i] / (double)heard.n[i];
		assert_true(weir_hist_mean(&queue) > sum * .9 && weir_hist_mean(&queue) < sum * 1.1);
		weir_world_free(n.world);
	}
}

/* Against a plain list: packets come, are doubled, dropped and leave in any order. */
static void waits_are_remembered_exactly(void **state)
{
	(void)state;
	enum { MOST = 700 };
	static struct {
		struct weir_packet packet;
		u32 hop, came_16ns;
	} inside[MOST];
	struct weir_waits w = {0};
	struct weir_rng r;
	u32 n = 0;
	weir_rng_init(&r, 1, 2, 3);
	for (u64 step = 0; step < 200000; step++) {
		if (n < MOST && weir_rng_below(&r, 2)) {
			struct weir_packet p = {.ref = step / 2 * 1448,
						.flow = (u32)weir_rng_below(&r, 5),
						.flags = (u8)(step % 2)};
			u32 hop = (u32)weir_rng_below(&r, 3);
			p.queued_16ns = (u32)weir_rng_below(&r, 3) * 1000;
			assert_true(weir_waits_enter(&w, hop, &p));
			inside[n].packet = p;
			inside[n].hop = hop;
			inside[n++].came_16ns = p.queued_16ns;
			if (n < MOST && weir_rng_below(&r, 20) == 0) {
				weir_waits_copy(&w, hop, &p);
				inside[n] = inside[n - 1];
				n++;
			}
		} else if (n) {
			u32 i = (u32)weir_rng_below(&r, n);
			inside[i].packet.queued_16ns += (u32)weir_rng_below(&r, 100);
			u64 own = (u64)(inside[i].packet.queued_16ns - inside[i].came_16ns) << 4;
			assert_int_equal(weir_waits_leave(&w, inside[i].hop, &inside[i].packet), own);
			inside[i] = inside[--n];
		}
	}
	while (n--)
		weir_waits_leave(&w, inside[n].hop, &inside[n].packet);
	u32 free_entries = 0;
	for (u32 at = w.free; at; at = w.entry[at - 1].next)
		free_entries++;
	assert_int_equal(free_entries, w.n);
	assert_true(w.n <= MOST);
	weir_waits_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_hop_tells_its_own_wait_field_A13),
	    cmocka_unit_test(waits_are_remembered_exactly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

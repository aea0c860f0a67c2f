/* SPDX-License-Identifier: MIT */
/* SACK blocks beside the packets that carry them: each comes back, and one that stays makes nothing grow. */
#include "net.h"
#include "sim/state.h"

static u32 sacks_in_use(const struct weir_world *w)
{
	u32 n = 0;
	for (u32 i = 0; i < w->sacks.capacity; i++)
		n += weir_slip(&w->sacks, i + 1)->refs > 0;
	assert_int_equal(n, w->sacks.used);
	return n;
}

/* Loss, copies and disorder on the way back: when all is through, no block is left, and there were never more
 * of them than ACKs under way. */
static void sack_blocks_come_back(void **state)
{
	(void)state;
	static struct net n;
	for (u32 general = 0; general < 2; general++) {
		net_new(&n, 3, general);
		struct weir_hop_config forth = {
		    .rate = {.bps = 50000000}, .delay_ns = 10 * MS, .queue = {.limit_packets = 50}};
		struct weir_hop_config back = {.name = "back",
					       .rate = {.bps = 2000000},
					       .delay_ns = 10 * MS,
					       .queue = {.limit_packets = 20}};
		forth.after.loss = (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = .02};
		back.before = back.after =
		    (struct weir_impair_config){.loss = {.model = WEIR_LOSS_BERNOULLI, .p = .1},
						.duplicate_p = .1,
						.reorder_p = .1,
						.reorder_delay_ns = 3 * MS};
		u32 there = net_hop(&n, forth);
		u32 path = net_path(&n, there, net_hop(&n, back));
		for (u32 i = 0; i < 4; i++) {
			struct weir_flow_config f = net_flow(&n, path, "cubic");
			f.app = (struct weir_app_config){.kind = WEIR_APP_SIZED, .size_bytes = 2000000};
			net_add(&n, f);
		}
		assert_int_equal(weir_world_run(n.world, WEIR_NEVER), 0);
		for (u32 i = 0; i < 4; i++) {
			struct weir_flow_now now;
			weir_world_flow_now(n.world, i, &now);
			assert_true(now.done);
		}
		assert_true(n.world->sacks.capacity >= 64 && n.world->sacks.capacity <= 256);
		assert_int_equal(sacks_in_use(n.world), 0);
		weir_world_free(n.world);
	}
}

/* One ACK that waits for long while a million others come and go makes nothing grow. */
static void one_old_block_is_passed_over(void **state)
{
	(void)state;
	struct weir_world *w = weir_world_new(&(struct weir_world_config){0});
	struct weir_ack_segment ack = {.n_sack = 2, .sack = {{1, 2}, {3, 4}}}, got;
	u32 old[20];
	for (u32 i = 0; i < 20; i++)
		assert_int_not_equal(old[i] = weir_sim_sack_put(w, &ack), 0);
	for (u32 i = 0; i < 100000; i++) {
		ack.sack[0].start = i;
		u32 ext = weir_sim_sack_put(w, &ack);
		weir_sim_sack_get(w, ext, &got);
		assert_int_equal(got.sack[0].start, i);
		assert_int_equal(got.n_sack, 2);
		weir_slips_drop(&w->sacks, ext);
	}
	weir_sim_sack_get(w, old[7], &got);
	assert_int_equal(got.sack[0].start, 1);
	assert_int_equal(w->sacks.capacity, 64);
	assert_int_equal(sacks_in_use(w), 20);
	weir_world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sack_blocks_come_back),
	    cmocka_unit_test(one_old_block_is_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

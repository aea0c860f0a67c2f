/* SPDX-License-Identifier: MIT */
/* Where packets come out, and what others see of it while the ferry runs. */
#include "quay.h"

#define PEER 0x64400002u

static struct packet p;

/* 80 hosts a side, each known by its address; one shared path each way. */
static void eighty_hosts_a_side_find_each_other(void **unused)
{
	(void)unused;
	enum { SIDE = 80, ROUNDS = 5 };
	struct weir_ferry_config config = {.realtime = WEIR_REALTIME_OFF};
	struct quay *q = quay_new(&config);
	struct weir_hop_config c[] = {{.name = "up", .rate.bps = 1000000000, .delay_ns = MS},
				      {.name = "down", .rate.bps = 1000000000, .delay_ns = MS}};
	for (u32 way = 0; way < 2; way++) {
		u32 hop = quay_hop(q, &c[way]), path = quay_path(q, &hop, 1, way);
		for (u32 i = 0; i < SIDE; i++)
			quay_port(q, path, WEIR_FERRY_NONE, i % 2);
	}
	/* Added in no order; each has four addresses. */
	for (u32 i = 0; i < 2 * SIDE; i++) {
		u32 port = i * 37 % (2 * SIDE);
		assert_int_equal(weir_ferry_route(q->ferry, PEER + 4 * port, PEER + 4 * port + 4, port), 0);
	}
	quay_begin(q);
	for (u32 round = 0; round < ROUNDS; round++)
		for (u32 i = 0; i < SIDE; i++) {
			u32 peer = SIDE + (i * 7 + round) % SIDE;
			quay_packet(&p, 100, peer, PEER + 4 * peer + round % 4, 1, 2);
			quay_send(q, i, &p);
			quay_packet(&p, 100, i, PEER + 4 * i + 3, 2, 1);
			quay_send(q, peer, &p);
		}
	quay_sleep(100 * MS);
	quay_end(q, false);
	for (u32 i = 0; i < 2 * SIDE; i++) {
		struct weir_vnet v;
		u32 n = 0;
		for (; quay_receive(q, i, &v, &p); n++)
			assert_int_equal(weir_frame_u32(p.data + p.payload_at), i);
		assert_int_equal(n, ROUNDS);
	}
	quay_free(q);
}

static void what_has_no_way_never_enters_a_link(void **unused)
{
	(void)unused;
	static const u32 nowhere[] = {PEER - 1, PEER + 10, 0xe0000001, 0xffffffff, 0xa9fe0001, 0};
	struct weir_ferry_config config = {.realtime = WEIR_REALTIME_OFF};
	struct quay *q = quay_new(&config);
	struct weir_hop_config c = {.name = "up"};
	u32 hop = quay_hop(q, &c), n = sizeof nowhere / sizeof *nowhere;
	u32 in = quay_port(q, quay_path(q, &hop, 1, WEIR_UP), WEIR_FERRY_NONE, false);
	assert_int_equal(weir_ferry_route(q->ferry, PEER, PEER + 10, in), 0);
	quay_begin(q);
	for (u32 i = 0; i < n; i++) {
		quay_packet(&p, 100, i, nowhere[i], 1, 2);
		quay_send(q, in, &p);
	}
	assert_int_equal(send(q->far[in], "0123456789\x50rubbish", 18, 0), 18);
	assert_int_equal(send(q->far[in], "short", 5, 0), 5);
	quay_packet(&p, 100, 1, PEER + 9, 1, 2);
	quay_send(q, in, &p);
	quay_sleep(50 * MS);
	quay_end(q, false);
	static struct weir_fidelity fidelity;
	weir_ferry_fidelity(q->ferry, &fidelity);
	assert_int_equal(fidelity.unroutable, n + 2);
	assert_int_equal(q->n_in, 1);
	assert_int_equal(q->n_out, 1);
	assert_int_equal(quay_slots_in_use(q), 0);
	quay_free(q);
}

static void ports_tell_flows_and_ways(void **unused)
{
	(void)unused;
	struct weir_ferry_config config = {.realtime = WEIR_REALTIME_OFF, .first_port = 6000, .n_flows = 3};
	static struct weir_hist delay_ns, queue_ns;
	struct quay *q = quay_new(&config);
	struct weir_hop_config c = {.name = "up", .rate.bps = 8000000, .delay_ns = 5 * MS};
	struct weir_hop_config d = {.name = "down"};
	u32 up = quay_hop(q, &c), down = quay_hop(q, &d);
	u32 a = quay_port(q, quay_path(q, &up, 1, WEIR_UP), WEIR_FERRY_NONE, true);
	u32 b = quay_port(q, quay_path(q, &down, 1, WEIR_DOWN), a, true);
	weir_ferry_set_exit(q->ferry, a, b);
	weir_ferry_set_flow(q->ferry, 1, WEIR_UP, &delay_ns, &queue_ns);
	weir_ferry_set_flow(q->ferry, 2, WEIR_DOWN, NULL, NULL);
	quay_begin(q);
	for (u32 i = 0; i < 10; i++) {
		quay_packet(&p, 1000, i, PEER, 33000,
			    6001); /* flow 1, by the destination: 1 ms on the wire */
		quay_send(q, a, &p);
	}
	for (u32 i = 0; i < 4; i++) {
		quay_packet(&p, 50, i, PEER, 6001, 33000); /* its answers, by the source */
		quay_send(q, b, &p);
		quay_packet(&p, 50, i, PEER, 6002, 6001); /* the source comes first: flow 2, data */
		quay_send(q, b, &p);
	}
	quay_packet(&p, 50, 0, PEER, 5999, 6003); /* neither */
	quay_send(q, b, &p);
	quay_sleep(60 * MS);
	quay_end(q, false);
	struct weir_ferry_flow f[3];
	struct weir_ferry_snapshot s = {.flow = f};
	weir_ferry_now(q->ferry, &s);
	assert_true(f[0].in_packets == 0 && f[0].ack_in_packets == 0);
	assert_true(f[1].in_packets == 10 && f[1].out_packets == 10 && f[1].in_bytes == 10000);
	assert_true(f[1].ack_in_packets == 4 && f[1].ack_out_packets == 4 && f[1].dropped_packets == 0);
	assert_true(f[2].in_packets == 4 && f[2].out_packets == 4 && f[2].ack_in_packets == 0);
	assert_true(f[1].delay_n == 10 && delay_ns.n == 10 && queue_ns.n == 10);
	u64 free_ns = 0, waited_ns = 0, longest_ns = 0;
	for (u32 i = 0; i < q->n_in; i++) {
		if (q->in[i].port != a)
			continue;
		u64 wait_ns = weir_sub(free_ns, q->in[i].at_ns);
		free_ns = weir_max(free_ns, q->in[i].at_ns) + 1 * MS;
		longest_ns = weir_max(longest_ns, wait_ns);
		waited_ns += wait_ns;
	}
	/* Waits are kept in units of 16 ns. */
	assert_true(longest_ns - queue_ns.max < 16 && waited_ns - f[1].queue_sum_ns < 160);
	assert_true(delay_ns.min >= 6 * MS && delay_ns.max >= longest_ns + 6 * MS);
	assert_true(f[1].delay_sum_ns >= f[1].queue_sum_ns + 10 * 6 * MS);
	quay_free(q);
}

struct watcher {
	struct quay *q;
	u32 seen, lost;
	u64 last_index;
};

/* Each snapshot is whole: what went into each hop is accounted for, and nothing ever goes back. */
static void *watch(void *ctx)
{
	struct watcher *w = ctx;
	struct weir_ferry_hop hop[2], before[2];
	struct weir_ferry_flow flow;
	struct weir_ferry_snapshot s = {.hop = hop, .flow = &flow};
	memset(before, 0, sizeof before);
	for (u64 index = 0; index <= w->last_index;) {
		int got = weir_ferry_snapshot(w->q->ferry, index, &s);
		if (got > 0) {
			quay_sleep(US * 100);
			continue;
		}
		w->lost += got < 0;
		w->seen += got == 0;
		for (u32 i = 0; got == 0 && i < 2; i++) {
			const struct weir_link_stats *now = &hop[i].stats, *then = &before[i].stats;
			assert_int_equal(s.now_ns, index * 2 * MS);
			assert_true(now->in_packets >= now->out_packets + weir_link_dropped(now));
			assert_true(now->in_packets >= then->in_packets);
			assert_true(now->sent_bytes >= then->sent_bytes);
			assert_true(now->sent_bytes + hop[i].waiting_bytes <= now->in_bytes);
			/* 40 Mbit/s, for exactly 2 ms */
			assert_true(now->sent_bytes - then->sent_bytes <= 10000 + 1500);
			assert_true(hop[i].wait_n >= before[i].wait_n);
			before[i] = hop[i];
		}
		if (got == 0)
			assert_int_equal(flow.in_packets, hop[0].stats.in_packets);
		index++;
	}
	return NULL;
}

static void snapshots_are_whole_and_at_their_time(void **unused)
{
	(void)unused;
	struct weir_ferry_config config = {.realtime = WEIR_REALTIME_OFF,
					   .publish_ns = 2 * MS,
					   .warmup_ns = 101 * MS,
					   .first_port = 5000,
					   .n_flows = 1};
	static struct weir_hist wait_ns[2];
	struct quay *q = quay_new(&config);
	struct weir_hop_config c = {
	    .name = "one", .rate.bps = 40000000, .delay_ns = MS, .queue.limit_bytes = 20000};
	struct weir_hop_config d = {
	    .name = "two", .rate.bps = 40000000, .queue = {.limit_bytes = 9000, .aqm = WEIR_AQM_DROPHEAD}};
	u32 hops[] = {quay_hop(q, &c), quay_hop(q, &d)};
	weir_ferry_set_hop_wait(q->ferry, 0, &wait_ns[0]);
	weir_ferry_set_hop_wait(q->ferry, 1, &wait_ns[1]);
	u32 in = quay_port(q, quay_path(q, hops, 2, WEIR_UP), WEIR_FERRY_NONE, true);
	weir_ferry_set_exit(q->ferry, in, quay_port(q, quay_path(q, hops, 2, WEIR_UP), in, true));
	q->until_ns = 200 * MS;
	struct watcher w = {.q = q, .last_index = 100};
	pthread_t thread;
	quay_begin(q);
	assert_int_equal(pthread_create(&thread, NULL, watch, &w), 0);
	u32 sent = 0;
	while (quay_clock_ns() < q->origin_clock_ns + 180 * MS) {
		for (u32 i = 0; i < 10; i++) {
			quay_packet(&p, 1500, ++sent, PEER, 1, 5000);
			quay_send(q, in, &p);
		}
		quay_sleep(MS);
	}
	quay_end(q, true);
	pthread_join(thread, NULL);
	assert_int_equal(w.seen + w.lost, 101);
	assert_true(w.seen > 20);
	struct weir_ferry_hop hop[2];
	struct weir_ferry_snapshot s = {.hop = hop};
	assert_int_equal(weir_ferry_snapshot(q->ferry, 101, &s), 1);
	assert_int_equal(weir_ferry_snapshot(q->ferry, 100, &s), 0);
	assert_int_equal(weir_ferry_snapshot(q->ferry, 80, &s), -1);
	/* The histograms begin again after the warm-up, the sums do not. */
	weir_ferry_now(q->ferry, &s);
	assert_int_equal(hop[0].wait_n, hop[0].stats.in_packets - weir_link_dropped(&hop[0].stats));
	assert_true(wait_ns[0].n > 20 && wait_ns[0].n < hop[0].wait_n);
	quay_free(q);
}

/* It stops when it is told to, and at its time; what is inside goes with it. */
static void the_end_comes_soon(void **unused)
{
	(void)unused;
	struct weir_ferry_config config = {.realtime = WEIR_REALTIME_OFF};
	for (int told = 0; told < 2; told++) {
		struct quay *q = quay_new(&config);
		struct weir_hop_config c = {.name = "far", .delay_ns = 10 * WEIR_NS_PER_S};
		u32 hop = quay_hop(q, &c);
		u32 in = quay_port(q, quay_path(q, &hop, 1, WEIR_UP), 0, true);
		q->until_ns = told ? WEIR_NEVER : 30 * MS;
		quay_begin(q);
		quay_packet(&p, 1500, 1, PEER, 1, 2);
		quay_send(q, in, &p);
		quay_sleep(10 * MS);
		u64 from_ns = quay_clock_ns();
		quay_end(q, !told);
		assert_true(quay_clock_ns() - from_ns < 1000 * MS);
		assert_int_equal(quay_slots_in_use(q), 1);
		quay_free(q);
	}
}

static void a_device_that_is_gone_is_the_end(void **unused)
{
	(void)unused;
	struct weir_ferry_config config = {.realtime = WEIR_REALTIME_OFF};
	struct quay *q = quay_new(&config);
	struct weir_hop_config c = {.name = "up"};
	u32 hop = quay_hop(q, &c);
	u32 in = quay_port(q, quay_path(q, &hop, 1, WEIR_UP), 0, true);
	quay_begin(q);
	quay_sleep(5 * MS);
	shutdown(q->far[in], SHUT_RDWR);
	pthread_join(q->thread, NULL);
	assert_int_equal(q->result, -1);
	quay_free(q);
}

/* What fidelity.h says of packets without a stamp. */
static void without_stamps_the_wait_is_guessed(void **unused)
{
	(void)unused;
	enum { DRAWS = 1000 };
	struct weir_ferry *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->looked_before_ns = 1000 * US;
	f->looked_ns = 5000 * US;
	f->wake_ns = 4000 * US;
	f->rest = FERRY_AWAKE;
	assert_int_equal(ferry_waiting_since_ns(f), 1000 * US);
	f->rest = FERRY_SLEPT; /* until 1 ms after the alarm */
	assert_int_equal(ferry_waiting_since_ns(f), 4000 * US);
	f->rest = FERRY_WOKEN; /* no alarm was late yet */
	assert_int_equal(ferry_waiting_since_ns(f), 5000 * US);
	for (u32 i = 0; i < 3; i++)
		f->timer_late_ns[f->n_timers++] = (i + 1) * 10 * (u32)US;
	for (u32 i = 0; i < 6; i++)
		assert_int_equal(ferry_waiting_since_ns(f), (5000 - (i % 3 + 1) * 10) * US);
	f->looked_before_ns = 4999 * US;
	assert_int_equal(ferry_waiting_since_ns(f), 4999 * US);
	for (int alone = 0; alone < 2; alone++) {
		u64 sum = 0, least = WEIR_NEVER, most = 0, from = alone ? 0 : 500000;
		for (int i = 0; i < DRAWS; i++) {
			u64 guess = ferry_guess_wait_ns(f, 1000000, alone);
			sum += guess;
			least = weir_min(least, guess);
			most = weir_max(most, guess);
		}
		assert_true(least >= from && least < from + 2000 && most <= 1000000 && most > 998000);
		assert_true(llabs((i64)(sum / DRAWS) - (i64)(from + 1000000) / 2) < 1000);
	}
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(eighty_hosts_a_side_find_each_other),
	    cmocka_unit_test(what_has_no_way_never_enters_a_link),
	    cmocka_unit_test(ports_tell_flows_and_ways),
	    cmocka_unit_test(snapshots_are_whole_and_at_their_time),
	    cmocka_unit_test(without_stamps_the_wait_is_guessed),
	    cmocka_unit_test(the_end_comes_soon),
	    cmocka_unit_test(a_device_that_is_gone_is_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

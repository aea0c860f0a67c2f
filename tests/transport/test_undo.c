/* SPDX-License-Identifier: MIT */
/* Cuts that proved to be mistakes are taken back, and only those: RFC 3522 by the echo, RFC 3708 by DSACK. */
#include "cc/cubic.h"
#include "cc/reno.h"
#include "steady_path.h"

/* Overtaken by six: sent again, but the original comes first, and its ACK says so. */
static void the_echo_undoes(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct pair *p = steady_path(recovery);
		pair_rule(p, PAIR_DATA, 50, PAIR_LATE, 6 * GAP_NS);
		pair_write(p, 300 * MSS);
		pair_finish(p, 10 * WEIR_NS_PER_S);
		assert_int_equal(probe.cuts, 1);
		assert_int_equal(probe.n_of[PROBE_SPURIOUS], 1);
		assert_int_equal(p->sender.spurious, 1);
		assert_int_equal(p->sender.cwnd_bytes, WINDOW * MSS);
		assert_int_equal(pair_retransmissions(p), 1);
		assert_int_equal(p->sender.timeouts, 0);
		pair_free(p);
	}
}

/* So late that the retransmission fills the hole: the duplicate tells, after recovery has ended. */
static void a_duplicate_undoes(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_rule(p, PAIR_DATA, 50, PAIR_LATE, RTT_NS + 10 * GAP_NS);
	pair_write(p, 300 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(probe.cuts, 1);
	assert_int_equal(p->sender.spurious, 1);
	assert_int_equal(p->sender.cwnd_bytes, WINDOW * MSS);
	pair_free(p);
}

/* Two sent again, one of them in vain: the cut stands. */
static void one_needless_of_two_undoes_nothing(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_drop(p, 50);
	pair_rule(p, PAIR_DATA, 51, PAIR_LATE, RTT_NS + 10 * GAP_NS);
	pair_write(p, 300 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(probe.cuts, 1);
	assert_int_equal(p->sender.spurious, 0);
	assert_int_equal(p->sender.cwnd_bytes, 10 * MSS);
	pair_free(p);
}

static void switched_off_it_undoes_nothing(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	p->config.undo = false;
	pair_rule(p, PAIR_DATA, 50, PAIR_LATE, 6 * GAP_NS);
	pair_write(p, 300 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(p->sender.spurious, 0);
	assert_int_equal(p->sender.cwnd_bytes, 10 * MSS);
	pair_free(p);
}

/* A real loss, then the network copies a packet of a later window: the copy proves nothing about the loss. */
static void a_copy_of_later_data_undoes_nothing(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_drop(p, 50);
	pair_rule(p, PAIR_DATA, 200, PAIR_COPY, 0);
	pair_write(p, 300 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(p->sender.spurious, 0);
	assert_int_equal(p->sender.cwnd_bytes, 10 * MSS);
	pair_free(p);
}

/* A real loss, and the ACK of its retransmission is lost: the next ACK is caused by an original that was sent
 * later, which must not pass for the original of the hole. */
static void a_lost_ack_undoes_nothing(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct pair *p = steady_path(recovery);
		pair_drop(p, 50);
		pair_drop_ack_beyond(p, nth_offset(50));
		pair_write(p, 300 * MSS);
		pair_finish(p, 10 * WEIR_NS_PER_S);
		assert_int_equal(probe.cuts, 1);
		assert_int_equal(p->sender.spurious, 0);
		assert_int_equal(p->sender.cwnd_bytes, 10 * MSS);
		pair_free(p);
	}
}

/* The first retransmission returns after the second has left: the loss was real all the same. */
static void a_late_retransmission_undoes_nothing(void **state)
{
	(void)state;
	struct pair *p = steady_path(WEIR_RECOVERY_SACK);
	pair_drop(p, 50);
	pair_segment_rule(p, nth_offset(50), 1, PAIR_LATE, 6 * GAP_NS);
	pair_write(p, 300 * MSS);
	pair_finish(p, 10 * WEIR_NS_PER_S);
	assert_int_equal(pair_retransmissions(p), 2);
	assert_int_equal(p->sender.spurious, 0);
	assert_int_equal(p->sender.cwnd_bytes, 10 * MSS);
	pair_free(p);
}

/* The path stands still for half a second: the timeout is undone by the first ACK, what was judged lost is
 * not sent again, the window is what it was. */
static void a_timeout_is_undone(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct pair *p = steady_path(recovery);
		for (u32 n = 101; n <= 120; n++)
			pair_rule(p, PAIR_DATA, n, PAIR_LATE, WEIR_NS_PER_S / 2);
		p->pipe[PAIR_DATA].ordered = true;
		pair_write(p, 400 * MSS);
		pair_finish(p, 20 * WEIR_NS_PER_S);
		assert_int_equal(p->sender.timeouts, 1);
		assert_int_equal(p->sender.spurious, 1);
		assert_int_equal(p->sender.cwnd_bytes, WINDOW * MSS);
		assert_int_equal(pair_retransmissions(p), 1);
		pair_free(p);
	}
}

/* A timeout that was right is not undone, whatever else arrives. */
static void a_real_timeout_stands(void **state)
{
	(void)state;
	for (enum weir_recovery recovery = WEIR_RECOVERY_SACK; recovery <= WEIR_RECOVERY_RENO; recovery++) {
		struct pair *p = steady_path(recovery);
		for (u32 n = 101; n <= 120; n++)
			pair_drop(p, n);
		pair_write(p, 130 * MSS);
		pair_finish(p, 100 * WEIR_NS_PER_S);
		assert_true(p->sender.timeouts >= 1);
		assert_int_equal(p->sender.spurious, 0);
		pair_free(p);
	}
}

/* On a path that keeps the order, without copies and with an even delay, nothing is ever spurious - however
 * many ACKs are lost. */
static void nothing_is_spurious_on_an_orderly_path(void **state)
{
	(void)state;
	u32 judged = 0;
	for (u64 seed = 0; seed < 60; seed++) {
		struct pair *p = steady_path((enum weir_recovery)(seed % 3));
		weir_rng_init(&p->rng, seed, 0, 0);
		p->pipe[PAIR_DATA].drop = .03;
		p->pipe[PAIR_ACKS].drop = .3;
		pair_write(p, 300 * MSS);
		pair_finish(p, 1000 * WEIR_NS_PER_S);
		if (p->sender.timeouts == 0) {
			assert_int_equal(p->sender.spurious, 0);
			judged += p->sender.recoveries > 0;
		}
		pair_free(p);
	}
	assert_true(judged >= 10);
}

static double goodput(const struct weir_cc_ops *cc, const u64 *params, u64 jitter_ns, bool ordered)
{
	struct weir_endpoint_config c = weir_endpoint_defaults();
	struct pair *p = pair_new(&c, cc, params, 100 * WEIR_NS_PER_MS, 0);
	const u64 begin_ns = 10 * WEIR_NS_PER_S, end_ns = 40 * WEIR_NS_PER_S;
	p->unchecked = true;
	p->pipe[PAIR_DATA].rate_Bps = 1250000; /* 10 Mbit/s */
	p->pipe[PAIR_DATA].limit_packets = 170;
	p->pipe[PAIR_DATA].delay_ns -= jitter_ns / 2;
	p->pipe[PAIR_DATA].jitter_ns = jitter_ns;
	p->pipe[PAIR_DATA].ordered = ordered;
	pair_write(p, WEIR_NEVER);
	pair_run(p, begin_ns);
	u64 before = pair_delivered(p);
	pair_run(p, end_ns);
	double rate = (double)(pair_delivered(p) - before) / (double)(end_ns - begin_ns) * 1e9;
	pair_free(p);
	return rate;
}

/* G22: 200 ms, +-30 ms of jitter, no loss but by the buffer: at least 80 % of what the path gives without. */
static void g22_jitter(void **state)
{
	(void)state;
	const u64 reno_params[] = {WEIR_NS_PER_S};
	u64 cubic_params[16];
	for (u32 i = 0; i < weir_cc_cubic.n_params; i++)
		cubic_params[i] = weir_cc_cubic.params[i].default_value;
	const struct {
		const struct weir_cc_ops *cc;
		const u64 *params;
	} with[] = {{&weir_cc_reno, reno_params}, {&weir_cc_cubic, cubic_params}};
	for (u32 i = 0; i < 2; i++) {
		double calm = goodput(with[i].cc, with[i].params, 0, true);
		assert_true(calm > .95 * 1250000 * 1448 / 1500);
		assert_true(goodput(with[i].cc, with[i].params, 60 * WEIR_NS_PER_MS, true) > .8 * calm);
		assert_true(goodput(with[i].cc, with[i].params, 60 * WEIR_NS_PER_MS, false) > .8 * calm);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_echo_undoes),
	    cmocka_unit_test(a_duplicate_undoes),
	    cmocka_unit_test(one_needless_of_two_undoes_nothing),
	    cmocka_unit_test(switched_off_it_undoes_nothing),
	    cmocka_unit_test(a_copy_of_later_data_undoes_nothing),
	    cmocka_unit_test(a_lost_ack_undoes_nothing),
	    cmocka_unit_test(a_late_retransmission_undoes_nothing),
	    cmocka_unit_test(a_timeout_is_undone),
	    cmocka_unit_test(a_real_timeout_stands),
	    cmocka_unit_test(nothing_is_spurious_on_an_orderly_path),
	    cmocka_unit_test(g22_jitter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

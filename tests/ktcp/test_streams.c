/* SPDX-License-Identifier: MIT */
/* Streams over the kernel's TCP, each application: what is delivered, when it ends, what was asked of the
 * socket. Bounds on time are wide, since the machine may be busy; bytes are exact. */
#include "two_hosts.h"

static void bulk_ends_with_all_delivered(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	c.mss_bytes = 1000;
	c.stop_ns = c.start_ns + 500 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	struct weir_ktcp_seen s = watch(f, c.stop_ns + 5 * SECOND);
	assert_true(s.connected && s.done && !s.failed);
	s = finish(f);
	assert_true(s.delivered_bytes > 1000000);
	assert_int_equal(s.delivered_bytes, s.sent_bytes);
	assert_int_equal(s.info.mss_bytes, 1000);
	assert_true(s.info.unacked_packets <= 1); /* the FIN may be on its way */
	/* What the kernel counts is what we counted; Linux counts the SYN and the FIN too. */
	assert_in_range(s.info.acked_bytes, s.sent_bytes, s.sent_bytes + 2);
	assert_int_equal(s.info.sent_bytes - s.info.retransmitted_bytes, s.sent_bytes);
	assert_true(s.started_ns >= c.start_ns && s.started_ns < c.start_ns + SECOND);
	assert_int_equal(s.completions, 0);
	end(f);
}

static void bulk_over_ipv6(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	set_addresses(&c, AF_INET6);
	c.stop_ns = c.start_ns + 200 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	struct weir_ktcp_seen s = finish(f);
	assert_true(s.delivered_bytes > 100000);
	assert_int_equal(s.delivered_bytes, s.sent_bytes);
	assert_int_equal(s.info.mss_bytes, 1428); /* 1500 - 40 - 20 - 12 */
	end(f);
}

/* 200 ms at 20 ms: 0, 20 ... 180 and what comes at the end; a late one is left out, none comes early. */
static void samples_come_on_a_grid(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	c.sample_ns = 20 * MS;
	c.stop_ns = c.start_ns + 200 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	struct weir_ktcp_seen s = finish(f);
	struct weir_ktcp_info info;
	u64 n = 0, at_ns = 0, before_ns = 0;
	for (; weir_ktcp_sample(f, n, &at_ns, &info); n++) {
		assert_true(at_ns >= c.start_ns && at_ns > before_ns);
		assert_true(info.state == 1 || n > 1); /* established, until its FIN */
		before_ns = at_ns;
	}
	assert_in_range(n, 2, 10 + 25); /* done within 500 ms of the stop, or the machine stood still */
	assert_int_equal(weir_ktcp_first_sample(f), 0);
	assert_true(s.info_ns == at_ns);
	end(f);
}

static void sized_delivers_its_size_once(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_SIZED);
	struct weir_ktcp_completion done[2];
	c.app.size_bytes = 1234567;
	struct weir_ktcp_flow *f = begin(&c);
	struct weir_ktcp_seen s = watch(f, c.start_ns + 5 * SECOND);
	assert_true(s.done);
	assert_int_equal(s.delivered_bytes, 1234567);
	assert_int_equal(weir_ktcp_completions(f, done, 2), 1);
	assert_int_equal(done[0].bytes, 1234567);
	assert_true(done[0].start_ns == s.started_ns && done[0].end_ns > done[0].start_ns);
	assert_true(done[0].end_ns < now_ns());
	end(f);
}

/* Of nothing, too: the end of the stream alone is delivered. */
static void sized_of_no_bytes_is_done(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_SIZED);
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.start_ns + 5 * SECOND).done);
	assert_int_equal(finish(f).delivered_bytes, 0);
	end(f);
}

/* 8 Mbit/s for a second is 1,000,000 bytes and the chunk at the start; a late stop writes some more. */
static void paced_keeps_its_rate(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_PACED);
	c.app.rate_bps = 8000000;
	c.app.chunk_bytes = 1000;
	c.stop_ns = c.start_ns + SECOND;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	struct weir_ktcp_seen s = finish(f);
	assert_int_equal(s.delivered_bytes, s.sent_bytes);
	assert_int_equal(s.delivered_bytes % 1000, 0);
	assert_in_range(s.delivered_bytes, 1000000, 1010000);
	/* Each chunk left by itself: Nagle is off. */
	assert_true(s.info.data_segments > 500);
	end(f);
}

/* On 50 ms, off 50 ms: half the rate. */
static void on_off_is_silent_between(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_ON_OFF);
	c.app.rate_bps = 8000000;
	c.app.chunk_bytes = 1000;
	c.app.on_ns = c.app.off_ns = 50 * MS;
	c.stop_ns = c.start_ns + 975 * MS; /* in the middle of an off period */
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	struct weir_ktcp_seen s = finish(f);
	assert_int_equal(s.delivered_bytes, s.sent_bytes);
	assert_in_range(s.delivered_bytes, 500000, 510000);
	end(f);
}

static void requests_are_answered_one_by_one(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_REQUEST);
	struct weir_ktcp_completion done[200];
	c.app.size_bytes = 20000;
	c.app.think_ns = 10 * MS;
	c.stop_ns = c.start_ns + 500 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	struct weir_ktcp_seen s = finish(f);
	u32 n = weir_ktcp_completions(f, done, 200);
	assert_int_equal(n, s.completions);
	assert_in_range(n, 10, 50); /* 500 ms / (10 ms + its own time) */
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(done[i].bytes, 20000);
		assert_true(done[i].end_ns > done[i].start_ns);
		if (i)
			assert_true(done[i].start_ns >= done[i - 1].end_ns + 10 * MS);
	}
	assert_true(done[0].start_ns >= c.start_ns);
	/* One answer may have been cut short by the stop. */
	assert_in_range(s.delivered_bytes, n * 20000ULL, (n + 1) * 20000ULL);
	end(f);
}

static void the_controller_is_what_was_asked(void **state)
{
	(void)state;
	const char *const names[] = {"reno", "cubic", "bbr"};
	char list[WEIR_KTCP_WHY_BYTES];
	for (size_t i = 0; i < 3; i++) {
		if (!weir_ktcp_has_controller(names[i], list))
			continue;
		/* The default is another one: that of the kernel, or reno, which is allowed everywhere. */
		if (i)
			assert_int_equal(
			    in_host(LEFT, "echo reno > /proc/sys/net/ipv4/tcp_congestion_control"), 0);
		struct weir_ktcp_config c = a_flow(WEIR_APP_SIZED);
		c.controller = names[i];
		c.app.size_bytes = 100000;
		struct weir_ktcp_flow *f = begin(&c);
		assert_true(watch(f, c.start_ns + 5 * SECOND).done);
		assert_string_equal(finish(f).controller, names[i]);
		end(f);
	}
}

/* At most one segment below, and one unit of the window scale above; the first round trip aside. */
static void the_receiver_offers_what_was_asked(void **state)
{
	(void)state;
	const u64 windows[] = {20000, 100000, 3000000};
	for (size_t i = 0; i < 3; i++) {
		struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
		struct weir_ktcp_info info;
		u64 at_ns, n = 0, most = 0;
		c.rwnd_bytes = windows[i];
		c.mss_bytes = 1448;
		c.stop_ns = c.start_ns + 500 * MS;
		struct weir_ktcp_flow *f = begin(&c);
		assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
		finish(f);
		for (; weir_ktcp_sample(f, n, &at_ns, &info); n++) {
			if (at_ns < c.start_ns + 100 * MS)
				continue;
			most = info.peer_window_bytes > most ? info.peer_window_bytes : most;
			assert_true(info.unacked_packets * 1448 <= windows[i] + 2 * 1448);
		}
		assert_in_range(most, windows[i] - 1448, windows[i] + windows[i] / 16384 + 1);
		end(f);
	}
}

/* Without a limit on the window the kernel chooses, and says more than 64 KiB. */
static void the_kernel_chooses_where_nothing_is_asked(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	c.stop_ns = c.start_ns + 300 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	assert_true(finish(f).info.peer_window_bytes > 65536);
	end(f);
}

static void ecn_is_verified(void **state)
{
	(void)state;
	char why[WEIR_KTCP_WHY_BYTES] = "";
	struct weir_ktcp_config c = a_flow(WEIR_APP_SIZED);
	c.app.size_bytes = 1000;
	c.ecn = true;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.start_ns + 5 * SECOND).failed);
	assert_int_equal(weir_ktcp_end(f, why), -1);
	assert_non_null(strstr(why, "net.ipv4.tcp_ecn=1"));
	assert_int_equal(in_host(LEFT, "echo 1 > /proc/sys/net/ipv4/tcp_ecn"), 0);
	c = a_flow(WEIR_APP_SIZED);
	c.app.size_bytes = 1000;
	c.ecn = true;
	f = begin(&c);
	assert_true(watch(f, c.start_ns + 5 * SECOND).done);
	assert_true(finish(f).info.ecn);
	end(f);
}

/* What lies in the socket unsent leaves after the stop: 2 Mbit/s and at most two windows of 10. And yet the
 * socket never ran dry, which would keep the window from growing after its losses. */
static void little_is_left_unsent_and_never_nothing(void **state)
{
	(void)state;
	if (!make_slow("2mbit", 15000))
		skip();
	struct weir_ktcp_config c = a_flow(WEIR_APP_BULK);
	struct weir_ktcp_info info;
	u64 at_ns, n = 0, most_bytes = 0, most_packets = 0;
	c.stop_ns = c.start_ns + 2500 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	struct weir_ktcp_seen s = finish(f);
	assert_int_equal(s.delivered_bytes, s.sent_bytes);
	assert_true(s.delivered_bytes > 400000); /* of 604,000 */
	for (; weir_ktcp_sample(f, n, &at_ns, &info); n++) {
		if (at_ns < c.start_ns + 500 * MS || at_ns > c.stop_ns)
			continue;
		most_bytes = info.notsent_bytes > most_bytes ? info.notsent_bytes : most_bytes;
		most_packets = info.cwnd_packets > most_packets ? info.cwnd_packets : most_packets;
	}
	assert_in_range(most_bytes, 1448, 40000);
	assert_in_range(most_packets, 8, 40); /* the queue holds 10 packets */
	end(f);
}

/* One packet per 120 ms: 60 bytes of a SYN pass, and the data after it. */
static void a16_a_very_slow_link_completes_its_handshake(void **state)
{
	(void)state;
	if (!make_slow("100kbit", 15000))
		skip();
	struct weir_ktcp_config c = a_flow(WEIR_APP_SIZED);
	c.app.size_bytes = 12000;
	struct weir_ktcp_flow *f = begin(&c);
	struct weir_ktcp_seen s = watch(f, c.start_ns + 10 * SECOND);
	assert_true(s.done);
	assert_int_equal(s.delivered_bytes, 12000);
	end(f);
}

#define FLOW_TEST(f) cmocka_unit_test_setup_teardown(f, open_hosts, close_hosts)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    FLOW_TEST(bulk_ends_with_all_delivered),
	    FLOW_TEST(bulk_over_ipv6),
	    FLOW_TEST(samples_come_on_a_grid),
	    FLOW_TEST(sized_delivers_its_size_once),
	    FLOW_TEST(sized_of_no_bytes_is_done),
	    FLOW_TEST(paced_keeps_its_rate),
	    FLOW_TEST(on_off_is_silent_between),
	    FLOW_TEST(requests_are_answered_one_by_one),
	    FLOW_TEST(the_controller_is_what_was_asked),
	    FLOW_TEST(the_receiver_offers_what_was_asked),
	    FLOW_TEST(the_kernel_chooses_where_nothing_is_asked),
	    FLOW_TEST(ecn_is_verified),
	    FLOW_TEST(little_is_left_unsent_and_never_nothing),
	    FLOW_TEST(a16_a_very_slow_link_completes_its_handshake),
	};
	skip_without_ground();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Datagram applications over the kernel's UDP: how many, how long on the wire. */
#include "two_hosts.h"

/* Bytes of IP packets that the left host put on its loopback device, which counts no link header. */
static u64 loopback_bytes(void)
{
	char line[256];
	unsigned long long bytes = 0;
	assert_int_equal(setns(host[LEFT], CLONE_NEWNET), 0);
	FILE *f = fopen("/proc/thread-self/net/dev", "r");
	assert_int_equal(setns(home, CLONE_NEWNET), 0);
	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, " lo: %llu", &bytes) == 1)
			break;
	fclose(f);
	return bytes;
}

static void put_on_loopback(struct weir_ktcp_config *c, int family)
{
	u16 port = next_port++;
	c->receiver_ns = c->sender_ns;
	memset(&c->sender, 0, sizeof c->sender);
	if (family == AF_INET6) {
		c->sender.sin6_family = AF_INET6;
		c->sender.sin6_addr = in6addr_loopback;
		c->sender.sin6_port = htons(port);
	} else {
		struct sockaddr_in *from = (void *)&c->sender;
		*from = (struct sockaddr_in){.sin_family = AF_INET,
					     .sin_port = htons(port),
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	}
	c->receiver = c->sender;
	c->receiver.sin6_port = htons((u16)(port + 10000)); /* the same place in both */
}

/* 1 Mbit/s of packets of 125 bytes: one a millisecond, the first at the start, the last before the stop. */
static void cbr_counts_the_bytes_on_the_wire(void **state)
{
	(void)state;
	const int families[] = {AF_INET, AF_INET6};
	for (size_t i = 0; i < 2; i++) {
		struct weir_ktcp_config c = a_flow(WEIR_APP_CBR);
		c.app.rate_bps = 1000000;
		c.app.chunk_bytes = 125;
		c.stop_ns = c.start_ns + 500 * MS + 1;
		put_on_loopback(&c, families[i]);
		u64 before = loopback_bytes();
		struct weir_ktcp_flow *f = begin(&c);
		assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
		struct weir_ktcp_seen s = finish(f);
		u64 header_bytes = families[i] == AF_INET ? 28 : 48;
		assert_int_equal(s.sent_packets + s.refused_packets, 501);
		assert_int_equal(s.refused_packets, 0);
		assert_int_equal(s.overrun_packets, 0);
		assert_int_equal(s.received_packets, 501);
		assert_int_equal(s.delivered_bytes, 501 * (125 - header_bytes));
		assert_int_equal(loopback_bytes() - before, 501 * 125);
		assert_int_equal(s.info_ns, 0);
		end(f);
	}
}

/* 4 Mbit/s of 500 bytes: 1000 a second. 500 expected, standard deviation 22.4. */
static void poisson_keeps_its_mean_rate(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_POISSON);
	c.app.rate_bps = 4000000;
	c.app.chunk_bytes = 500;
	c.stop_ns = c.start_ns + 500 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	usleep(20000); /* the last ones cross */
	struct weir_ktcp_seen s = finish(f);
	assert_in_range(s.sent_packets, 500 - 5 * 22, 500 + 5 * 22);
	assert_int_equal(s.received_packets, s.sent_packets);
	assert_int_equal(s.delivered_bytes, s.sent_packets * 472);
	end(f);
}

/* The same datagrams at the same distances as the application alone: the seed is the scenario's. */
static void poisson_follows_its_seed(void **state)
{
	(void)state;
	struct weir_ktcp_config c = a_flow(WEIR_APP_POISSON);
	struct weir_app app;
	u64 expected = 0;
	c.app.rate_bps = 4000000;
	c.app.chunk_bytes = 500;
	c.seed = 7;
	c.flow = 3;
	c.stop_ns = c.start_ns + 300 * MS;
	weir_app_start(&app, &c.app, c.seed, c.flow, c.start_ns);
	while (app.wake_ns <= c.stop_ns) {
		weir_app_on_wake(&app, app.wake_ns, 0);
		expected++;
	}
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	assert_int_equal(finish(f).sent_packets, expected);
	end(f);
}

static void what_cannot_be_on_the_wire_is_refused(void **state)
{
	(void)state;
	char why[WEIR_KTCP_WHY_BYTES] = "";
	struct weir_ktcp_config c = a_flow(WEIR_APP_CBR);
	c.app.rate_bps = 1000000;
	c.app.chunk_bytes = 27;
	assert_null(weir_ktcp_start(&c, why));
	assert_string_equal(why,
			    "a datagram of 27 bytes on the wire cannot be: IP and UDP take 28, and 65535 is "
			    "the most");
	c.app.chunk_bytes = 65536;
	assert_null(weir_ktcp_start(&c, why));
	c.app.chunk_bytes = 28; /* no payload at all */
	c.stop_ns = c.start_ns + 10 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	usleep(20000);
	struct weir_ktcp_seen s = finish(f);
	assert_int_equal(s.delivered_bytes, 0);
	assert_true(s.sent_packets > 40);
	assert_int_equal(s.received_packets, s.sent_packets);
	end(f);
}

#define FLOW_TEST(f) cmocka_unit_test_setup_teardown(f, open_hosts, close_hosts)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    FLOW_TEST(cbr_counts_the_bytes_on_the_wire),
	    FLOW_TEST(poisson_keeps_its_mean_rate),
	    FLOW_TEST(poisson_follows_its_seed),
	    FLOW_TEST(what_cannot_be_on_the_wire_is_refused),
	};
	skip_without_ground();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

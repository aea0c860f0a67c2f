/* SPDX-License-Identifier: MIT */
/* Batches over loopback, both families on one port, truncated datagrams, refused ones. */
#include "net/loop.h"
#include "net/udp.h"
#include "weir/num.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
	u32 n;
	u64 bytes, late_ns;
	struct weir_address from;
};

static void take(void *owner, const struct weir_address *from, const u8 *data, size_t bytes, u64 arrived_ns)
{
	struct seen *s = owner;
	(void)data;
	s->n++;
	s->bytes += bytes;
	s->from = *from;
	s->late_ns = weir_max(s->late_ns, weir_clock_ns() - arrived_ns);
}

/* What comes within a second, until `n` have. */
static void drain(struct weir_udp *u, struct seen *s, u32 n)
{
	for (u64 end_ns = weir_clock_ns() + WEIR_NS_PER_S; s->n < n && weir_clock_ns() < end_ns;) {
		struct pollfd p = {.fd = u->fd, .events = POLLIN};
		poll(&p, 1, 100);
		weir_udp_receive(u, take, s);
	}
}

static struct weir_address at(const char *host, u16 port)
{
	struct weir_address a = {0};
	char why[WEIR_NET_WHY_BYTES];
	assert_true(weir_address_resolve(host, port, &a, 1, why) == 1);
	return a;
}

static void test_both_families(void **state)
{
	char why[WEIR_NET_WHY_BYTES] = "";
	struct weir_udp server, client;
	struct weir_address any = at("*", 0);
	(void)state;
	assert_int_equal(weir_udp_listen(&server, &any, why), 0);
	bool v6 = server.local.any.sa_family == AF_INET6;
	for (u32 i = 0; i < 1 + (u32)v6; i++) {
		struct weir_address to = at(i ? "::1" : "127.0.0.1", weir_address_port(&server.local));
		struct seen s = {0}, back = {0};
		u8 data[100] = {1, 2, 3};
		if (weir_udp_connect(&client, &to, 0, why) < 0)
			continue; /* a machine without ::1 */
		for (u32 k = 0; k < 3 * WEIR_UDP_BATCH; k++)
			weir_udp_send(&client, NULL, data, sizeof data);
		weir_udp_flush(&client);
		assert_int_equal(client.stats.sent, 3 * WEIR_UDP_BATCH);
		drain(&server, &s, 3 * WEIR_UDP_BATCH);
		assert_int_equal(s.n, 3 * WEIR_UDP_BATCH);
		assert_int_equal(s.bytes, 100 * 3 * WEIR_UDP_BATCH);
		assert_int_equal(weir_address_port(&s.from), weir_address_port(&client.local));
		assert_true(weir_address_is_loopback(&s.from));
		weir_udp_send(&server, &s.from, data, 10);
		weir_udp_flush(&server);
		drain(&client, &back, 1);
		assert_int_equal(back.bytes, 10);
		weir_udp_close(&client);
	}
	weir_udp_close(&server);
}

/* Field case C2: a datagram larger than any buffer is dropped whole, and counted. */
static void test_c2_truncated(void **state)
{
	char why[WEIR_NET_WHY_BYTES] = "";
	struct weir_udp server, client;
	struct weir_address any = at("127.0.0.1", 0);
	struct seen s = {0};
	static u8 large[WEIR_UDP_ROOM + 1];
	(void)state;
	assert_int_equal(weir_udp_listen(&server, &any, why), 0);
	assert_int_equal(weir_udp_connect(&client, &server.local, 0, why), 0);
	assert_true(send(client.fd, large, sizeof large, 0) == (ssize_t)sizeof large);
	weir_udp_send(&client, NULL, large, sizeof large);
	assert_int_equal(client.stats.unsent, 1);
	weir_udp_send(&client, NULL, large, 5);
	weir_udp_flush(&client);
	drain(&server, &s, 1);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.bytes, 5);
	assert_int_equal(server.stats.truncated, 1);
	weir_udp_close(&server);
	weir_udp_close(&client);
}

/* Nobody listens: the ICMP answer is counted, nothing else happens. */
static void test_refused(void **state)
{
	char why[WEIR_NET_WHY_BYTES] = "";
	struct weir_udp gone, client;
	struct weir_address any = at("127.0.0.1", 0), local;
	struct seen s = {0};
	(void)state;
	assert_int_equal(weir_udp_listen(&gone, &any, why), 0);
	struct weir_address to = gone.local;
	weir_udp_close(&gone);
	assert_int_equal(weir_udp_connect(&client, &to, 0, why), 0);
	weir_udp_send(&client, NULL, (const u8 *)"x", 1);
	weir_udp_flush(&client);
	drain(&client, &s, 1);
	assert_int_equal(s.n, 0);
	assert_true(client.stats.refused >= 1);
	assert_true(client.last_error != 0);
	assert_true(weir_udp_source_address(&to, &local));
	assert_true(weir_address_is_loopback(&local));
	weir_udp_close(&client);
}

static void test_port_in_use(void **state)
{
	char why[WEIR_NET_WHY_BYTES] = "";
	struct weir_udp one, two;
	struct weir_address any = at("127.0.0.1", 0);
	(void)state;
	assert_int_equal(weir_udp_listen(&one, &any, why), 0);
	assert_int_equal(weir_udp_listen(&two, &one.local, why), -1);
	assert_non_null(strstr(why, "another port"));
	weir_udp_close(&one);
}

/* A mark on the way is seen: here the sender sets it, as a router would. */
static void test_marks(void **state)
{
	char why[WEIR_NET_WHY_BYTES] = "";
	(void)state;
	for (u32 v6 = 0; v6 < 2; v6++) {
		struct weir_udp server, client;
		struct weir_address any = at("*", 0);
		assert_int_equal(weir_udp_listen(&server, &any, why), 0);
		struct weir_address to = at(v6 ? "::1" : "127.0.0.1", weir_address_port(&server.local));
		if (weir_udp_connect(&client, &to, 0, why) == 0) {
			for (int class = 0; class < 4; class ++) {
				struct seen s = {0};
				if (class == 2)
					weir_udp_ask_marks(&client);
				else
					setsockopt(client.fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP,
						   v6 ? IPV6_TCLASS : IP_TOS, &class, sizeof class);
				weir_udp_send(&client, NULL, (const u8 *)"x", 1);
				weir_udp_flush(&client);
				drain(&server, &s, 1);
				assert_int_equal(s.n, 1);
				assert_int_equal(server.marked, class == 3);
			}
			weir_udp_close(&client);
		}
		weir_udp_close(&server);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_both_families), cmocka_unit_test(test_c2_truncated),
	    cmocka_unit_test(test_refused), cmocka_unit_test(test_marks), cmocka_unit_test(test_port_in_use)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

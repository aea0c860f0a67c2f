/* SPDX-License-Identifier: MIT */
/* Sites: what hosts have and see, and how long it takes. */
#include "yard.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

static long setting(const char *path)
{
	long value = -1;
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%*d %*d %ld", &value) != 1) {
		rewind(f);
		if (fscanf(f, "%ld", &value) != 1)
			value = -1;
	}
	if (f)
		fclose(f);
	return value;
}

/* ---- what hosts have ---- */

/* The address from which a packet to `to` would come, host order; 0: no way. */
static u32 source_to(u32 to)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(to)};
	socklen_t length = sizeof a;
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok = connect(s, (struct sockaddr *)&a, sizeof a) == 0 &&
		  getsockname(s, (struct sockaddr *)&a, &length) == 0;
	close(s);
	return ok ? ntohl(a.sin_addr.s_addr) : 0;
}

static u32 source6_to(struct in6_addr to)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(9), .sin6_addr = to};
	socklen_t length = sizeof a;
	u32 low = 0;
	int s = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (connect(s, (struct sockaddr *)&a, sizeof a) == 0 &&
	    getsockname(s, (struct sockaddr *)&a, &length) == 0)
		memcpy(&low, &a.sin6_addr.s6_addr[12], sizeof low);
	close(s);
	return ntohl(low);
}

static void a_host_knows_its_peer_and_only_a_left_one_forwards(void **state)
{
	open_site(&site, &(struct weir_site_config){.hosts = 1, .ecn = true});
	for (u32 side = 0; side < WEIR_SIDES; side++) {
		const struct weir_site_host *h = &site.host[side][0], *peer = &site.host[!side][0];
		assert_int_equal(weir_netns_enter(&h->ns), 0);
		assert_int_equal(devices(), 2);
		assert_int_equal(source_to(peer->address), h->address);
		/* all the world is behind the device */
		assert_int_equal(source_to(0x08080808), h->address);
		if (site.ipv6)
			assert_int_equal(source6_to(weir_site_address6(&site, peer->address)), h->address);
		assert_int_equal(setting("/proc/sys/net/ipv4/tcp_rmem"), 64 << 20);
		assert_int_equal(setting("/proc/sys/net/ipv4/tcp_wmem"), 64 << 20);
		assert_int_equal(setting("/proc/sys/net/ipv4/tcp_ecn"), 1);
		assert_int_equal(setting("/proc/sys/net/ipv4/ip_forward"), side == WEIR_LEFT);
	}
	assert_int_equal(weir_netns_enter(*state), 0);
	weir_site_close(&site);
	assert_int_equal(records(), 0);
}

static void the_callers_namespace_gets_a_device_and_nothing_else(void **state)
{
	(void)state;
	long forward = setting("/proc/sys/net/ipv4/ip_forward"),
	     rmem = setting("/proc/sys/net/ipv4/tcp_rmem");
	open_site(&site, &(struct weir_site_config){.hosts = 3, .right_is_here = true});
	assert_int_equal(devices(), 2);
	u32 own = site.host[WEIR_RIGHT][0].address;
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(source_to(site.host[WEIR_LEFT][i].address), own);
	assert_int_equal(source_to(0x08080808), 0);
	assert_int_equal(setting("/proc/sys/net/ipv4/ip_forward"), forward);
	assert_int_equal(setting("/proc/sys/net/ipv4/tcp_rmem"), rmem);
	/* a second one beside it */
	open_site(&other, &(struct weir_site_config){.hosts = 1, .right_is_here = true});
	assert_int_equal(devices(), 3);
	assert_int_equal(source_to(other.host[WEIR_LEFT][0].address), other.host[WEIR_RIGHT][0].address);
	assert_int_equal(source_to(site.host[WEIR_LEFT][1].address), own);
	weir_site_close(&other);
	weir_site_close(&site);
	assert_true(devices_become(1));
	assert_int_equal(records(), 0);
}

static void opened_devices_are_silent(void **state)
{
	(void)state;
	open_site(&site, &(struct weir_site_config){.hosts = 1, .right_is_here = true});
	struct pollfd p[2] = {{.fd = site.host[0][0].tun.fd, .events = POLLIN},
			      {.fd = site.host[1][0].tun.fd, .events = POLLIN}};
	assert_int_equal(poll(p, 2, 2500), 0);
	weir_site_close(&site);
}

/* A ring of 10000 packets, and one more. */
static void overruns_are_counted_from_anywhere(void **state)
{
	u64 before = 7, after = 0;
	open_site(&site, &(struct weir_site_config){.hosts = 1});
	const struct weir_tun *tun = &site.host[WEIR_LEFT][0].tun;
	assert_int_equal(weir_tun_overruns(tun, &before), 0);
	assert_int_equal(before, 0);
	assert_int_equal(weir_netns_enter(&site.host[WEIR_LEFT][0].ns), 0);
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons(9),
				.sin_addr.s_addr = htonl(site.host[WEIR_RIGHT][0].address)};
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), room = 1 << 30;
	setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
	for (u32 i = 0; i < 10050; i++)
		sendto(s, "x", 1, 0, (struct sockaddr *)&a, sizeof a);
	close(s);
	assert_int_equal(weir_netns_enter(*state), 0);
	assert_int_equal(weir_tun_overruns(tun, &after), 0);
	assert_in_range(after, 50, 51);
	weir_site_close(&site);
}

static void impossible_wishes_are_told(void **state)
{
	(void)state;
	static const struct {
		struct weir_site_config c;
		const char *words;
	} cases[] = {{{.hosts = 0}, "1 to 80"},
		     {{.hosts = 81}, "1 to 80"},
		     {{.hosts = 1, .mtu_bytes = 67}, "68 to 65535"},
		     {{.hosts = 1, .mtu_bytes = 65536}, "68 to 65535"}};
	char why[WEIR_WHY_BYTES];
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(weir_site_open(&site, &cases[i].c, why), -1);
		assert_non_null(strstr(why, cases[i].words));
	}
	/* inside of a range that is too small for so many */
	setenv("WEIR_RANGE", "100.64.0.0/26", 1);
	assert_int_equal(weir_site_open(&site, &(struct weir_site_config){.hosts = 80}, why), -1);
	assert_non_null(strstr(why, "80 hosts a side do not fit"));
	unsetenv("WEIR_RANGE");
	assert_int_equal(devices(), 1);
	assert_int_equal(records(), 0);
}

static void small_mtu_has_no_ipv6(void **state)
{
	(void)state;
	open_site(&site, &(struct weir_site_config){.hosts = 1, .mtu_bytes = 576, .right_is_here = true});
	assert_false(site.ipv6);
	assert_int_equal(source_to(site.host[WEIR_LEFT][0].address), site.host[WEIR_RIGHT][0].address);
	assert_int_equal(weir_site_export(&site, 0), 0);
	assert_null(getenv("WEIR_PEER6"));
	assert_string_equal(getenv("WEIR_PEER"), "100.64.0.1");
	assert_string_equal(getenv("WEIR_RANGE"), "100.64.0.0/16");
	weir_site_close(&site);
}

/* field case A19: no helper that has to come up, nobody to ask for names, and port 53 may be anybody's. */
static void A19_starts_in_seconds_with_port_53_taken(void **state)
{
	(void)state;
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(53)};
	int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
	    udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(tcp, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(listen(tcp, 1), 0);
	assert_int_equal(bind(udp, (struct sockaddr *)&a, sizeof a), 0);
	u64 begin_ns = now_ns();
	open_site(&site, &(struct weir_site_config){.hosts = 1, .right_is_here = true});
	weir_site_close(&site);
	assert_true(now_ns() - begin_ns < 3 * WEIR_NS_PER_S);
	close(tcp);
	close(udp);
}

static void eighty_hosts_a_side_take_seconds(void **state)
{
	(void)state;
	u64 begin_ns = now_ns();
	open_site(&site, &(struct weir_site_config){.hosts = WEIR_SITE_HOSTS_MAX});
	u64 opened_ns = now_ns();
	for (u32 i = 0; i < WEIR_SITE_HOSTS_MAX; i++)
		for (u32 j = 0; j < WEIR_SITE_HOSTS_MAX; j++) {
			const struct weir_site_host *a = &site.host[WEIR_LEFT][i],
						    *b = &site.host[WEIR_RIGHT][j],
						    *c = &site.host[WEIR_LEFT][j];
			assert_true(b->range_end <= a->address &&
				    (i == j || a->address >= c->range_end || a->range_end <= c->address));
		}
	for (u32 i = 0; i < WEIR_SITE_HOSTS_MAX; i += 13) {
		assert_int_equal(weir_netns_enter(&site.host[WEIR_LEFT][i].ns), 0);
		assert_int_equal(source_to(site.host[WEIR_RIGHT][i].address),
				 site.host[WEIR_LEFT][i].address);
	}
	assert_int_equal(weir_netns_enter(*state), 0);
	u64 closing_ns = now_ns();
	weir_site_close(&site);
	print_message("80 hosts a side: opened in %.2f s, closed in %.2f s\n",
		      (double)(opened_ns - begin_ns) * 1e-9, (double)(now_ns() - closing_ns) * 1e-9);
	assert_true(opened_ns - begin_ns < 3 * WEIR_NS_PER_S);
	assert_true(now_ns() - closing_ns < 5 * WEIR_NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, fresh, sweep)
	    T(a_host_knows_its_peer_and_only_a_left_one_forwards),
	    T(the_callers_namespace_gets_a_device_and_nothing_else),
	    T(opened_devices_are_silent),
	    T(overruns_are_counted_from_anywhere),
	    T(impossible_wishes_are_told),
	    T(small_mtu_has_no_ipv6),
	    T(A19_starts_in_seconds_with_port_53_taken),
	    T(eighty_hosts_a_side_take_seconds),
	};
	skip_without_ground();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

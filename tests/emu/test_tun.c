/* SPDX-License-Identifier: MIT */
/* What comes out of a device: stamp, packet, virtio header. Stamps are held to the time before and after the
 * call that sent the packet: the kernel carries it to the device inside that call. */
#include "ground.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/virtio_net.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#define UDP_L4 5 /* virtio's VIRTIO_NET_HDR_GSO_UDP_L4; newer than Debian's headers */

struct taken {
	struct virtio_net_hdr header;
	struct weir_stamp stamp;
	u8 packet[70000];
	size_t bytes;
};

static struct weir_site site;
static struct taken taken;

static void open_site(const struct weir_site_config *c)
{
	char why[WEIR_WHY_BYTES] = "";
	assert_done(weir_site_open(&site, c, why), why);
	assert_int_equal(weir_netns_enter(&site.host[WEIR_LEFT][0].ns), 0);
}

static void close_site(const struct weir_netns *home)
{
	assert_int_equal(weir_netns_enter(home), 0);
	weir_site_close(&site);
}

/* The next packet out of the left host's device, within a second. */
static bool take(bool stamped)
{
	static u8 raw[80000];
	const struct weir_tun *tun = &site.host[WEIR_LEFT][0].tun;
	struct pollfd p = {.fd = tun->fd, .events = POLLIN};
	size_t at = sizeof taken.header;
	if (poll(&p, 1, 1000) != 1)
		return false;
	ssize_t n = read(tun->fd, raw, sizeof raw);
	assert_true(n > (ssize_t)(at + sizeof taken.stamp));
	memcpy(&taken.header, raw, at);
	if (stamped) {
		memcpy(&taken.stamp, raw + at, sizeof taken.stamp);
		at += sizeof taken.stamp;
	}
	taken.bytes = (size_t)n - at;
	memcpy(taken.packet, raw + at, taken.bytes);
	return true;
}

static int connected(int family, int type)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(4711),
				 .sin_addr.s_addr = htonl(site.host[WEIR_RIGHT][0].address)};
	struct sockaddr_in6 to6 = {.sin6_family = AF_INET6,
				   .sin6_port = htons(4711),
				   .sin6_addr = weir_site_address6(&site, site.host[WEIR_RIGHT][0].address)};
	int s = socket(family, type | SOCK_CLOEXEC, 0);
	assert_true(s >= 0);
	assert_int_equal(family == AF_INET ? connect(s, (struct sockaddr *)&to, sizeof to)
					   : connect(s, (struct sockaddr *)&to6, sizeof to6),
			 0);
	return s;
}

static u32 ip_bytes(void)
{
	if (taken.packet[0] >> 4 == 4)
		return ntohs(((struct iphdr *)taken.packet)->tot_len);
	return ntohs(((struct ip6_hdr *)taken.packet)->ip6_plen) + 40U;
}

/* Stamped inside of [from, to], and behind the stamp a packet of `version` that is as long as it says. */
static void check_packet(u64 from_ns, u64 to_ns, int version)
{
	assert_true(taken.stamp.magic == WEIR_STAMP_MAGIC);
	/* the kernel's clock for BPF may be a tick of a few ns away from ours */
	assert_true(taken.stamp.ns + 1000 >= from_ns && taken.stamp.ns <= to_ns + 1000);
	assert_int_equal(taken.packet[0] >> 4, version);
	assert_int_equal(ip_bytes(), taken.bytes);
}

static void each_datagram_has_its_time(int family, int version)
{
	static const size_t sizes[] = {1, 100, 1400};
	u8 data[1400] = {0};
	int s = connected(family, SOCK_DGRAM);
	size_t headers = version == 4 ? 28 : 48;
	for (size_t i = 0; i < 30; i++) {
		size_t size = sizes[i % 3];
		data[0] = (u8)i;
		u64 from_ns = now_ns();
		assert_int_equal(send(s, data, size, 0), size);
		u64 to_ns = now_ns();
		usleep(500); /* a late reader changes nothing */
		assert_true(take(true));
		check_packet(from_ns, to_ns, version);
		assert_int_equal(taken.bytes, size + headers);
		assert_int_equal(taken.packet[headers], i);
	}
	close(s);
}

static void stamps_of_udp(void **state)
{
	open_site(&(struct weir_site_config){.hosts = 1});
	assert_true(site.stamped);
	each_datagram_has_its_time(AF_INET, 4);
	if (site.ipv6)
		each_datagram_has_its_time(AF_INET6, 6);
	close_site(*state);
}

/* Each fragment is a packet of its own. */
static void stamps_of_fragments(void **state)
{
	u8 data[4000] = {0};
	open_site(&(struct weir_site_config){.hosts = 1});
	int s = connected(AF_INET, SOCK_DGRAM);
	int off = IP_PMTUDISC_DONT;
	assert_int_equal(setsockopt(s, IPPROTO_IP, IP_MTU_DISCOVER, &off, sizeof off), 0);
	u64 from_ns = now_ns();
	assert_int_equal(send(s, data, sizeof data, 0), sizeof data);
	u64 to_ns = now_ns(), bytes = 0;
	for (int i = 0; i < 3; i++) {
		assert_true(take(true));
		check_packet(from_ns, to_ns, 4);
		bytes += taken.bytes - 20;
	}
	assert_int_equal(bytes, sizeof data + 8);
	close(s);
	close_site(*state);
}

static void stamps_of_raw_icmp(void **state)
{
	struct icmphdr echo = {.type = ICMP_ECHO, .un.echo.id = htons(77), .un.echo.sequence = htons(3)};
	open_site(&(struct weir_site_config){.hosts = 1});
	int s = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(site.host[WEIR_RIGHT][0].address)};
	u64 from_ns = now_ns();
	assert_int_equal(sendto(s, &echo, sizeof echo, 0, (struct sockaddr *)&to, sizeof to), sizeof echo);
	u64 to_ns = now_ns();
	assert_true(take(true));
	check_packet(from_ns, to_ns, 4);
	assert_memory_equal(taken.packet + 20, &echo, sizeof echo);
	close(s);
	close_site(*state);
}

/* One call, forty datagrams, one super-packet: the header counts from the front of what was read. */
static void a_super_packet_of_udp(void **state)
{
	u8 data[40000] = {0};
	int segment = 1000;
	open_site(&(struct weir_site_config){.hosts = 1});
	int s = connected(AF_INET, SOCK_DGRAM);
	assert_int_equal(setsockopt(s, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment), 0);
	u64 from_ns = now_ns();
	assert_int_equal(send(s, data, sizeof data, 0), sizeof data);
	u64 to_ns = now_ns();
	u32 packets = 0, bytes = 0;
	while (bytes < sizeof data && take(true)) {
		check_packet(from_ns, to_ns, 4);
		bytes += (u32)taken.bytes - 28;
		packets++;
	}
	assert_int_equal(bytes, sizeof data);
	if (site.host[WEIR_LEFT][0].tun.uso) {
		assert_int_equal(packets, 1);
		assert_int_equal(taken.header.gso_type, UDP_L4);
		assert_int_equal(taken.header.gso_size, segment);
		assert_int_equal(taken.header.csum_start, sizeof(struct weir_stamp) + 20);
		assert_int_equal(taken.header.csum_offset, offsetof(struct udphdr, check));
	}
	close(s);
	close_site(*state);
}

/* Nothing to finish, nothing to cut: not even where the sender's kernel works with super-packets. */
static void without_offload_all_is_whole(void **state)
{
	u8 data[40000] = {0};
	int segment = 1000;
	open_site(&(struct weir_site_config){.hosts = 1, .no_offload = true});
	int s = connected(AF_INET, SOCK_DGRAM);
	assert_int_equal(setsockopt(s, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment), 0);
	u64 from_ns = now_ns();
	assert_int_equal(send(s, data, sizeof data, 0), sizeof data);
	u64 to_ns = now_ns();
	for (int i = 0; i < 40; i++) {
		assert_true(take(true));
		check_packet(from_ns, to_ns, 4);
		assert_int_equal(taken.bytes, 1028);
		assert_int_equal(taken.header.gso_type, VIRTIO_NET_HDR_GSO_NONE);
		assert_int_equal(taken.header.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM, 0);
	}
	close(s);
	close_site(*state);
}

/* ---- TCP: over two devices, carried by hand ---- */

struct carried {
	u32 super, plain;
	u32 longest; /* bytes of the longest packet */
	u32 header_length_wrong, start_wrong;
};

/* Reads one packet from a device, takes the stamp off and writes it to the other. */
static bool carry(const struct weir_tun *from, const struct weir_tun *to, struct carried *seen)
{
	static u8 raw[80000];
	struct virtio_net_hdr h;
	const size_t stamp = sizeof(struct weir_stamp);
	ssize_t n = read(from->fd, raw, sizeof raw);
	if (n < 0)
		return false;
	memcpy(&h, raw, sizeof h);
	assert_true(n > (ssize_t)(sizeof h + stamp));
	const u8 *ip = raw + sizeof h + stamp;
	u32 bytes = (u32)n - (u32)(sizeof h + stamp), ip_header = ip[0] >> 4 == 4 ? 20 : 40;
	u32 header = ip_header + (ip[ip_header + 12] >> 4) * 4U;
	seen->longest = bytes > seen->longest ? bytes : seen->longest;
	if (h.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) {
		seen->start_wrong += h.csum_start != stamp + ip_header;
		h.csum_start = (u16)(h.csum_start - stamp);
	}
	if (h.gso_type != VIRTIO_NET_HDR_GSO_NONE) {
		seen->super++;
		seen->header_length_wrong += h.hdr_len != stamp + header;
		h.hdr_len = (u16)header;
	} else {
		seen->plain++;
	}
	memcpy(raw + stamp, &h, sizeof h);
	assert_int_equal(write(to->fd, raw + stamp, sizeof h + bytes), sizeof h + bytes);
	return true;
}

static void tcp(int family, const struct weir_netns *home, bool supers, struct carried *seen)
{
	enum { SIZE = 8 << 20 };
	static u8 out[1 << 16], in[1 << 16];
	const struct weir_tun *left = &site.host[WEIR_LEFT][0].tun, *right = &site.host[WEIR_RIGHT][0].tun;
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(4712)};
	struct sockaddr_in6 a6 = {.sin6_family = AF_INET6, .sin6_port = htons(4712)};
	u32 address = site.host[WEIR_RIGHT][0].address;
	a.sin_addr.s_addr = htonl(address);
	a6.sin6_addr = weir_site_address6(&site, address);
	const struct sockaddr *to = family == AF_INET ? (struct sockaddr *)&a : (struct sockaddr *)&a6;
	socklen_t length = family == AF_INET ? sizeof a : sizeof a6;
	int on = 1;
	assert_int_equal(weir_netns_enter(&site.host[WEIR_RIGHT][0].ns), 0);
	int listener = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	assert_int_equal(bind(listener, to, length), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(weir_netns_enter(&site.host[WEIR_LEFT][0].ns), 0);
	int client = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), server = -1;
	assert_true(connect(client, to, length) == 0 || errno == EINPROGRESS);
	size_t sent = 0, got = 0;
	u64 end_ns = now_ns() + 20 * WEIR_NS_PER_S;
	while (got < SIZE && now_ns() < end_ns) {
		for (size_t i = 0; i < sizeof out; i++)
			out[i] = (u8)((sent + i) * 7 >> 3);
		ssize_t n = sent < SIZE
				? send(client, out, sent + sizeof out < SIZE ? sizeof out : SIZE - sent, 0)
				: 0;
		sent += n > 0 ? (size_t)n : 0;
		while (carry(left, right, seen))
			;
		if (server < 0)
			server = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		while (server >= 0 && (n = recv(server, in, sizeof in, 0)) > 0)
			for (ssize_t i = 0; i < n; i++, got++)
				assert_int_equal(in[i], (u8)(got * 7 >> 3));
		struct carried unused = {0};
		while (carry(right, left, &unused))
			;
	}
	assert_int_equal(got, SIZE);
	assert_int_equal(seen->super > 0, supers);
	assert_int_equal(seen->start_wrong, 0);
	assert_int_equal(seen->header_length_wrong, 0);
	close(client);
	close(server);
	close(listener);
	assert_int_equal(weir_netns_enter(home), 0);
}

static void super_packets_of_tcp(void **state)
{
	struct carried seen = {0}, seen6 = {0};
	open_site(&(struct weir_site_config){.hosts = 1});
	tcp(AF_INET, *state, true, &seen);
	assert_true(seen.longest > 10000);
	if (site.ipv6)
		tcp(AF_INET6, *state, true, &seen6);
	close_site(*state);
}

static void no_gso_means_single_packets(void **state)
{
	struct carried seen = {0};
	open_site(&(struct weir_site_config){.hosts = 1, .no_gso = true});
	tcp(AF_INET, *state, false, &seen);
	assert_int_equal(seen.longest, 1500);
	close_site(*state);
}

int main(void)
{
	static struct weir_netns home;
	char why[WEIR_WHY_BYTES] = "";
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_prestate(stamps_of_udp, &home),
	    cmocka_unit_test_prestate(stamps_of_fragments, &home),
	    cmocka_unit_test_prestate(stamps_of_raw_icmp, &home),
	    cmocka_unit_test_prestate(a_super_packet_of_udp, &home),
	    cmocka_unit_test_prestate(without_offload_all_is_whole, &home),
	    cmocka_unit_test_prestate(super_packets_of_tcp, &home),
	    cmocka_unit_test_prestate(no_gso_means_single_packets, &home),
	};
	skip_without_ground();
	assert_done(weir_netns_here(&home, why), why);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Sockets with the kernel's time stamps: Documentation/networking/timestamping.rst. */
#include "probe.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/udp.h>
#include <netinet/ip.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#define NS_PER_S 1000000000ULL
#define BUFFER_BYTES (64 << 20)

u64 probe_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * NS_PER_S + (u64)t.tv_nsec;
}

/* Between steps the two clocks run alike, so the offset is a constant but for the noise of reading it. */
void probe_clock_sample(struct probe_clock *c)
{
	u64 best_ns = UINT64_MAX, offset_ns = 0;
	for (int i = 0; i < 10 && best_ns > 200; i++) {
		struct timespec t;
		u64 before_ns = probe_now();
		clock_gettime(CLOCK_REALTIME, &t);
		u64 after_ns = probe_now();
		if (after_ns - before_ns < best_ns) {
			best_ns = after_ns - before_ns;
			offset_ns = (u64)t.tv_sec * NS_PER_S + (u64)t.tv_nsec - before_ns - best_ns / 2;
		}
	}
	i64 change_ns = (i64)(offset_ns - c->offset_ns[0]);
	if (c->offset_ns[0] == 0) {
		c->offset_ns[0] = c->offset_ns[1] = offset_ns;
	} else if (best_ns <= 10000 && (change_ns > 20000 || change_ns < -20000)) {
		c->offset_ns[1] = c->offset_ns[0];
		c->offset_ns[0] = offset_ns;
		c->steps++;
	}
}

u64 probe_clock_convert(const struct probe_clock *c, u64 wall_ns, u64 about_ns)
{
	u64 now = wall_ns - c->offset_ns[0], before = wall_ns - c->offset_ns[1];
	i64 off_now = (i64)(now - about_ns), off_before = (i64)(before - about_ns);
	off_now = off_now < 0 ? -off_now : off_now;
	off_before = off_before < 0 ? -off_before : off_before;
	return off_before < off_now ? before : now;
}

u32 probe_header_bytes(const struct sockaddr_storage *to)
{
	return to->ss_family == AF_INET6 ? 48 : 28;
}

static void option(int fd, int level, int name, int value, const char *what)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)) < 0)
		probe_die("%s: %s", what, strerror(errno));
}

int probe_socket(const struct sockaddr_storage *bind_to, const struct sockaddr_storage *connect_to,
		 const struct probe_config *c)
{
	bool v6 = c->to.ss_family == AF_INET6;
	socklen_t bytes = v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	int fd = socket(c->to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		probe_die("socket: %s", strerror(errno));
	if (bind_to && bind(fd, (const struct sockaddr *)bind_to, bytes) < 0)
		probe_die("bind: %s", strerror(errno));
	if (connect_to && connect(fd, (const struct sockaddr *)connect_to, bytes) < 0)
		probe_die("connect: %s", strerror(errno));
	int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
	if (!c->plain)
		flags |= SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
	option(fd, SOL_SOCKET, SO_TIMESTAMPING, flags, "SO_TIMESTAMPING");
	/* The stamps of departures count against the receive buffer. */
	option(fd, SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES, "SO_RCVBUFFORCE (needs root)");
	option(fd, SOL_SOCKET, SO_SNDBUFFORCE, BUFFER_BYTES, "SO_SNDBUFFORCE (needs root)");
	option(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVTCLASS : IP_RECVTOS, 1, "IP_RECVTOS");
	if (c->ecn)
		option(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_TCLASS : IP_TOS, IPTOS_ECN_ECT0,
		       "IP_TOS");
	return fd;
}

static u64 wall_ns(const struct cmsghdr *m)
{
	struct scm_timestamping t;
	memcpy(&t, CMSG_DATA(m), sizeof(t));
	return (u64)t.ts[0].tv_sec * NS_PER_S + (u64)t.ts[0].tv_nsec;
}

static void read_control(struct msghdr *h, struct probe_got *got)
{
	for (struct cmsghdr *m = CMSG_FIRSTHDR(h); m; m = CMSG_NXTHDR(h, m)) {
		if (m->cmsg_level == SOL_SOCKET && m->cmsg_type == SCM_TIMESTAMPING)
			got->rx_wall_ns = wall_ns(m);
		/* One byte in IPv4, an int in IPv6: the low byte comes first here. */
		if ((m->cmsg_level == IPPROTO_IP && m->cmsg_type == IP_TOS) ||
		    (m->cmsg_level == IPPROTO_IPV6 && m->cmsg_type == IPV6_TCLASS))
			got->ce = (*CMSG_DATA(m) & IPTOS_ECN_MASK) == IPTOS_ECN_CE;
	}
}

struct batch {
	struct mmsghdr messages[PROBE_BATCH];
	struct iovec vectors[PROBE_BATCH][2];
	_Alignas(struct cmsghdr) u8 control[PROBE_BATCH][256];
};

u32 probe_receive(int fd, struct probe_got *got)
{
	static struct batch b;
	memset(got, 0, sizeof(*got) * PROBE_BATCH);
	for (u32 i = 0; i < PROBE_BATCH; i++) {
		b.vectors[i][0] = (struct iovec){&got[i].wire, sizeof(got[i].wire)};
		b.messages[i].msg_hdr = (struct msghdr){.msg_name = &got[i].from,
							.msg_namelen = sizeof(got[i].from),
							.msg_iov = b.vectors[i],
							.msg_iovlen = 1,
							.msg_control = b.control[i],
							.msg_controllen = sizeof(b.control[i])};
	}
	int n = recvmmsg(fd, b.messages, PROBE_BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
	u32 kept = 0;
	for (int i = 0; i < n; i++) {
		if (b.messages[i].msg_len < sizeof(struct probe_wire) || got[i].wire.magic != PROBE_MAGIC)
			continue;
		got[i].payload_bytes = b.messages[i].msg_len;
		got[i].from_bytes = b.messages[i].msg_hdr.msg_namelen;
		read_control(&b.messages[i].msg_hdr, &got[i]);
		got[kept++] = got[i];
	}
	return kept;
}

static bool read_stamp(struct msghdr *h, struct probe_stamp *stamp)
{
	bool known = false;
	u64 ns = 0;
	for (struct cmsghdr *m = CMSG_FIRSTHDR(h); m; m = CMSG_NXTHDR(h, m)) {
		if (m->cmsg_level == SOL_SOCKET && m->cmsg_type == SCM_TIMESTAMPING)
			ns = wall_ns(m);
		if ((m->cmsg_level == IPPROTO_IP && m->cmsg_type == IP_RECVERR) ||
		    (m->cmsg_level == IPPROTO_IPV6 && m->cmsg_type == IPV6_RECVERR)) {
			struct sock_extended_err e;
			memcpy(&e, CMSG_DATA(m), sizeof(e));
			known = e.ee_origin == SO_EE_ORIGIN_TIMESTAMPING;
			stamp->sequence = e.ee_data;
		}
	}
	stamp->tx_wall_ns = ns;
	return known && ns;
}

u32 probe_stamps(int fd, struct probe_stamp *stamps)
{
	static struct batch b;
	for (u32 i = 0; i < PROBE_BATCH; i++)
		b.messages[i].msg_hdr =
		    (struct msghdr){.msg_control = b.control[i], .msg_controllen = sizeof(b.control[i])};
	int n = recvmmsg(fd, b.messages, PROBE_BATCH, MSG_ERRQUEUE | MSG_DONTWAIT, NULL);
	u32 kept = 0;
	for (int i = 0; i < n; i++)
		kept += read_stamp(&b.messages[i].msg_hdr, &stamps[kept]);
	return kept;
}

static const u8 zeros[65536];

void probe_send(int fd, const struct sockaddr_storage *to, const struct probe_wire *wires, u32 n,
		u32 payload_bytes)
{
	static struct batch b;
	for (u32 i = 0; i < n; i++) {
		b.vectors[i][0] = (struct iovec){(void *)(uintptr_t)&wires[i], sizeof(wires[i])};
		b.vectors[i][1] = (struct iovec){(void *)(uintptr_t)zeros, payload_bytes - sizeof(wires[i])};
		b.messages[i].msg_hdr =
		    (struct msghdr){.msg_name = (void *)(uintptr_t)to,
				    .msg_namelen = !to			       ? 0
						   : to->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
									       : sizeof(struct sockaddr_in),
				    .msg_iov = b.vectors[i],
				    .msg_iovlen = 2};
	}
	/* An error half-way would leave the kernel's numbers of the stamps out of step with ours. */
	for (u32 sent = 0; sent < n;) {
		int k = sendmmsg(fd, b.messages + sent, n - sent, 0);
		if (k < 0 && errno != EINTR)
			probe_die("send: %s", strerror(errno));
		sent += k > 0 ? (u32)k : 0;
	}
}

void probe_send_burst(int fd, const struct probe_wire *wires, u32 n, u32 payload_bytes)
{
	static struct iovec vectors[2 * PROBE_BATCH];
	u16 segment_bytes = (u16)payload_bytes;
	_Alignas(struct cmsghdr) u8 control[CMSG_SPACE(sizeof(segment_bytes))] = {0};
	struct msghdr h = {.msg_iov = vectors,
			   .msg_iovlen = 2 * (size_t)n,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	struct cmsghdr *m = CMSG_FIRSTHDR(&h);
	m->cmsg_level = IPPROTO_UDP;
	m->cmsg_type = UDP_SEGMENT;
	m->cmsg_len = CMSG_LEN(sizeof(segment_bytes));
	memcpy(CMSG_DATA(m), &segment_bytes, sizeof(segment_bytes));
	for (u32 i = 0; i < n; i++) {
		vectors[2 * i] = (struct iovec){(void *)(uintptr_t)&wires[i], sizeof(wires[i])};
		vectors[2 * i + 1] =
		    (struct iovec){(void *)(uintptr_t)zeros, payload_bytes - sizeof(wires[i])};
	}
	while (sendmsg(fd, &h, 0) < 0)
		if (errno != EINTR)
			probe_die("send of %u packets at once: %s", n, strerror(errno));
}

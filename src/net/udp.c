/* SPDX-License-Identifier: MIT */
#include "udp.h"

#include "loop.h"
#include "weir/num.h"

#include <errno.h>
#include <linux/in6.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES (4 << 20)
#define CONTROL_BYTES 128
#define CE 3
#define CLIENT_BATCH 4 /* of one who speaks to one other, now and then */
#define STAMP_OLDEST_NS WEIR_NS_PER_S
#define CLOCK_STEP_NS (5 * (i64)WEIR_NS_PER_MS)

struct weir_udp_message {
	struct sockaddr_in6 from;
	struct weir_address to;
	struct iovec part;
	_Alignas(8) u8 control[CONTROL_BYTES];
	_Alignas(64) u8 data[WEIR_UDP_ROOM];
};

struct weir_udp_batch {
	struct mmsghdr *in, *out;
	struct weir_udp_message *message_in, *message_out;
	u32 n_in, n_out, out_used;
	bool connected;
};

static bool batch_new(struct weir_udp *u, u32 n_in, u32 n_out)
{
	struct weir_udp_batch *b;
	size_t headers = (n_in + n_out) * sizeof *b->in, messages = (n_in + n_out) * sizeof *b->message_in;
	u8 *memory = aligned_alloc(64, messages + (headers + sizeof *b + 63) / 64 * 64);
	u->batch = NULL;
	if (!memory)
		return false;
	memset(memory, 0, messages + headers + sizeof *b);
	b = (struct weir_udp_batch *)(void *)(memory + messages + headers);
	u->batch = b;
	u->memory = memory;
	b->n_in = u->batch_in = n_in;
	b->n_out = n_out;
	b->message_in = (struct weir_udp_message *)(void *)memory;
	b->message_out = b->message_in + n_in;
	b->in = (struct mmsghdr *)(void *)(memory + messages);
	b->out = b->in + n_in;
	for (u32 i = 0; i < n_in + n_out; i++) {
		struct weir_udp_message *m = &b->message_in[i];
		m->part = (struct iovec){m->data, WEIR_UDP_ROOM};
		b->in[i].msg_hdr = (struct msghdr){.msg_iov = &m->part, .msg_iovlen = 1};
		if (i < n_in) {
			b->in[i].msg_hdr.msg_name = &m->from;
			b->in[i].msg_hdr.msg_control = m->control;
		}
	}
	return true;
}

/* What is asked of every socket. What a kernel does not have is no reason to stop: a smaller buffer, a time
 * stamp that the loop takes itself. */
static void ask(int fd, int family)
{
	int on = 1, size = BUFFER_BYTES, probe = IP_PMTUDISC_PROBE, probe6 = IPV6_PMTUDISC_PROBE;
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
	setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof on);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &probe, sizeof probe);
	if (family == AF_INET6) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &probe6, sizeof probe6);
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, &on, sizeof on);
	}
}

static int open_socket(struct weir_udp *u, int family, u32 batch, char why[WEIR_NET_WHY_BYTES])
{
	*u = (struct weir_udp){.fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
	if (u->fd >= 0 && batch_new(u, batch, batch)) {
		ask(u->fd, family);
		return 0;
	}
	snprintf(why, WEIR_NET_WHY_BYTES, "no UDP socket: %s", strerror(errno));
	weir_udp_close(u);
	return -1;
}

static void note_local(struct weir_udp *u)
{
	struct sockaddr_in6 name = {0};
	socklen_t bytes = sizeof name;
	if (getsockname(u->fd, (struct sockaddr *)&name, &bytes) == 0)
		weir_address_take(&u->local, (struct sockaddr *)&name, bytes);
}

static int fail(struct weir_udp *u, const char *what, const struct weir_address *at,
		char why[WEIR_NET_WHY_BYTES])
{
	char text[WEIR_ADDRESS_TEXT];
	int error = errno;
	const char *hint = error == EADDRINUSE	    ? " (another monitor? choose another port)"
			   : error == EADDRNOTAVAIL ? " (this machine has no such address)"
						    : "";
	snprintf(why, WEIR_NET_WHY_BYTES, "%s %s: %s%s", what, weir_address_print(at, text), strerror(error),
		 hint);
	weir_udp_close(u);
	errno = error;
	return -1;
}

/* Whether this machine speaks IPv6 at all. */
static bool has_ipv6(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != EAFNOSUPPORT;
}

int weir_udp_listen(struct weir_udp *u, const struct weir_address *local, char why[WEIR_NET_WHY_BYTES])
{
	struct weir_address at = *local;
	int off = 0;
	bool any = at.any.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&at.v6.sin6_addr);
	if (any && !has_ipv6()) {
		any = false;
		at = (struct weir_address){.v4 = {.sin_family = AF_INET, .sin_port = local->v6.sin6_port},
					   .bytes = sizeof at.v4};
	}
	if (open_socket(u, at.any.sa_family, WEIR_UDP_BATCH, why) < 0)
		return -1;
	if (any)
		setsockopt(u->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	if (bind(u->fd, &at.any, at.bytes) < 0)
		return fail(u, "cannot listen at", &at, why);
	note_local(u);
	return 0;
}

int weir_udp_connect(struct weir_udp *u, const struct weir_address *peer, u16 from_port,
		     char why[WEIR_NET_WHY_BYTES])
{
	if (open_socket(u, peer->any.sa_family, CLIENT_BATCH, why) < 0)
		return -1;
	if (from_port) {
		struct weir_address at = {.bytes = peer->bytes};
		at.any.sa_family = peer->any.sa_family;
		*(at.any.sa_family == AF_INET ? &at.v4.sin_port : &at.v6.sin6_port) = htons(from_port);
		if (bind(u->fd, &at.any, at.bytes) < 0)
			return fail(u, "cannot bind", &at, why);
	}
	if (connect(u->fd, &peer->any, peer->bytes) < 0)
		return fail(u, "no way to", peer, why);
	u->batch->connected = true;
	note_local(u);
	return 0;
}

void weir_udp_ask_marks(struct weir_udp *u)
{
	int ect0 = 2;
	if (u->local.any.sa_family == AF_INET6)
		setsockopt(u->fd, IPPROTO_IPV6, IPV6_TCLASS, &ect0, sizeof ect0);
	else
		setsockopt(u->fd, IPPROTO_IP, IP_TOS, &ect0, sizeof ect0);
}

void weir_udp_close(struct weir_udp *u)
{
	if (u->fd >= 0)
		close(u->fd);
	free(u->memory);
	u->fd = -1;
	u->batch = NULL;
	u->memory = NULL;
}

/* ---- in ---- */

#define READ_TOGETHER_NS 5000 /* two clocks read within this time belong together */

/* Both clocks at one moment, as nearly as a machine that may be interrupted allows. */
static u64 read_clocks(i64 *real_ns)
{
	struct timespec t;
	u64 before_ns, after_ns = weir_clock_ns();
	for (u32 i = 0; i < 4; i++) {
		before_ns = after_ns;
		clock_gettime(CLOCK_REALTIME, &t);
		after_ns = weir_clock_ns();
		if (after_ns - before_ns < READ_TOGETHER_NS)
			break;
	}
	*real_ns = (i64)t.tv_sec * (i64)WEIR_NS_PER_S + t.tv_nsec;
	return after_ns;
}

/* The kernel stamps by the clock that people set. It serves for a difference alone, and only where that clock
 * has not been set since the last batch. Returns whether stamps hold. */
static bool check_clock(struct weir_udp *u, u64 now_ns, i64 real_ns)
{
	i64 gap = real_ns - (i64)now_ns, moved = gap - u->clock_gap_ns;
	bool good = u->has_clock_gap && moved < CLOCK_STEP_NS && moved > -CLOCK_STEP_NS;
	u->clock_gap_ns = gap;
	u->has_clock_gap = true;
	return good;
}

/* What the kernel says beside the datagram; returns when it came. */
static u64 take_control(struct weir_udp *u, const struct msghdr *m, u64 now_ns, bool stamps, i64 real_ns)
{
	u64 at_ns = now_ns;
	u->marked = false;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR((struct msghdr *)m, c)) {
		if (c->cmsg_level != SOL_SOCKET) {
			if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
				u->marked = (*CMSG_DATA(c) & CE) == CE;
			if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS) {
				int class;
				memcpy(&class, CMSG_DATA(c), sizeof class);
				u->marked = (class & CE) == CE;
			}
			continue;
		}
		if (c->cmsg_type == SCM_TIMESTAMPNS && stamps) {
			struct timespec t;
			memcpy(&t, CMSG_DATA(c), sizeof t);
			i64 waited = real_ns - ((i64)t.tv_sec * (i64)WEIR_NS_PER_S + t.tv_nsec);
			if (waited > 0 && (u64)waited < STAMP_OLDEST_NS)
				at_ns = weir_sub(now_ns, (u64)waited);
		} else if (c->cmsg_type == SO_RXQ_OVFL) {
			u32 dropped;
			memcpy(&dropped, CMSG_DATA(c), sizeof dropped);
			u->stats.overflowed += dropped - u->dropped_before;
			u->dropped_before = dropped;
		}
	}
	return at_ns;
}

u32 weir_udp_receive(struct weir_udp *u, weir_udp_take *take, void *owner)
{
	struct weir_udp_batch *b = u->batch;
	for (u32 i = 0; i < b->n_in; i++) {
		b->in[i].msg_hdr.msg_namelen = sizeof b->message_in[i].from;
		b->in[i].msg_hdr.msg_controllen = CONTROL_BYTES;
	}
	int n = recvmmsg(u->fd, b->in, b->n_in, MSG_DONTWAIT, NULL);
	if (n <= 0) {
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			u->last_error = errno;
			u->stats.refused++;
		}
		return 0;
	}
	i64 real_ns;
	u64 now_ns = read_clocks(&real_ns);
	bool stamps = check_clock(u, now_ns, real_ns);
	for (u32 i = 0; i < (u32)n; i++) {
		const struct msghdr *m = &b->in[i].msg_hdr;
		struct weir_address from;
		weir_address_take(&from, (struct sockaddr *)&b->message_in[i].from, m->msg_namelen);
		u64 at_ns = take_control(u, m, now_ns, stamps, real_ns);
		u->stats.received++;
		u->stats.received_bytes += b->in[i].msg_len;
		if (m->msg_flags & MSG_TRUNC)
			u->stats.truncated++;
		else
			take(owner, &from, b->message_in[i].data, b->in[i].msg_len, at_ns);
	}
	return (u32)n;
}

/* ---- out ---- */

void weir_udp_send(struct weir_udp *u, const struct weir_address *to, const u8 *data, size_t bytes)
{
	struct weir_udp_batch *b = u->batch;
	if (bytes > WEIR_UDP_ROOM) {
		u->stats.unsent++;
		return;
	}
	if (b->out_used == b->n_out)
		weir_udp_flush(u);
	struct msghdr *h = &b->out[b->out_used].msg_hdr;
	struct weir_udp_message *m = &b->message_out[b->out_used++];
	memcpy(m->data, data, bytes);
	m->part.iov_len = bytes;
	if (!b->connected) {
		m->to = *to;
		h->msg_name = &m->to.any;
		h->msg_namelen = m->to.bytes;
	}
}

void weir_udp_flush(struct weir_udp *u)
{
	struct weir_udp_batch *b = u->batch;
	u32 tried = b->out_used; /* the datagram whose sending has failed once */
	for (u32 i = 0; i < b->out_used;) {
		int n = sendmmsg(u->fd, b->out + i, b->out_used - i, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0) {
			for (u32 end = i + (u32)n; i < end; i++) {
				u->stats.sent++;
				u->stats.sent_bytes += b->message_out[i].part.iov_len;
			}
		} else if (n < 0 && errno == EINTR) {
			continue;
		} else {
			/* The first of the rest has failed; after a full buffer the others would as well. An
			 * ICMP error of earlier days is told once, in place of sending. */
			bool full = n < 0 && (errno == EAGAIN || errno == ENOBUFS);
			u32 lost = full ? b->out_used - i : 1;
			u->last_error = errno;
			if (!full && tried != i) {
				tried = i;
				continue;
			}
			u->stats.unsent += full ? lost : 0;
			u->stats.refused += full ? 0 : lost;
			i += lost;
		}
	}
	b->out_used = 0;
}

bool weir_udp_source_address(const struct weir_address *peer, struct weir_address *local)
{
	struct sockaddr_in6 name = {0};
	socklen_t bytes = sizeof name;
	int fd = socket(peer->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool good = fd >= 0 && connect(fd, &peer->any, peer->bytes) == 0 &&
		    getsockname(fd, (struct sockaddr *)&name, &bytes) == 0;
	if (good)
		weir_address_take(local, (struct sockaddr *)&name, bytes);
	if (fd >= 0)
		close(fd);
	return good;
}

/* SPDX-License-Identifier: MIT */
/* A ferry between pairs of sockets in place of TUN devices: what the far ends write is read by the ferry with
 * the frame that a TUN gives (virtio header, stamp, packet), and what it writes comes back there. No rights
 * needed. The ferry runs in a thread of its own. */
#ifndef WEIR_TESTS_EMU_QUAY_H
#define WEIR_TESTS_EMU_QUAY_H

#include "emu/ferry_state.h"
#include "packets.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS WEIR_NS_PER_MS
#define US WEIR_NS_PER_US
#define QUAY_PORTS_MAX 160
#define QUAY_EVENTS_MAX 100000

struct quay_event {
	u64 at_ns;
	u32 id, port, wire_bytes;
	u8 ecn;
};

struct quay {
	struct weir_ferry *ferry;
	struct weir_tun tun[QUAY_PORTS_MAX];
	int far[QUAY_PORTS_MAX];
	u32 n;
	u64 origin_clock_ns, until_ns;
	volatile sig_atomic_t stop;
	pthread_t thread;
	int result;
	/* By the taps; valid when the thread has ended. */
	struct quay_event in[QUAY_EVENTS_MAX], out[QUAY_EVENTS_MAX];
	u32 n_in, n_out, n_dropped, n_arrived, n_departed;
};

static inline u64 quay_clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

static inline void quay_sleep(u64 ns)
{
	struct timespec t = {(time_t)(ns / WEIR_NS_PER_S), (long)(ns % WEIR_NS_PER_S)};
	nanosleep(&t, NULL);
}

/* The first four bytes of the payload of our packets. */
static inline u32 quay_id(const u8 *ip, u32 bytes)
{
	struct weir_frame f;
	if (weir_frame_read(ip, bytes, &f) || !f.payload_at || f.payload_at + 4u > bytes)
		return 0;
	return weir_frame_u32(ip + f.payload_at);
}

static inline void quay_on_packet(void *ctx, u64 now_ns, u32 port, bool exited, const u8 *ip,
				  u32 captured_bytes, u32 wire_bytes)
{
	struct quay *q = ctx;
	u32 *n = exited ? &q->n_out : &q->n_in;
	struct quay_event *e = exited ? q->out : q->in;
	assert_true(*n < QUAY_EVENTS_MAX && captured_bytes <= wire_bytes);
	u8 ecn = ip[0] >> 4 == 6 ? ip[1] >> 4 & 3 : ip[1] & 3;
	e[(*n)++] = (struct quay_event){now_ns, quay_id(ip, captured_bytes), port, wire_bytes, ecn};
}

static inline void quay_on_arrival(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	(void)now_ns, (void)hop, (void)wire_bytes;
	((struct quay *)ctx)->n_arrived++;
}

static inline void quay_on_departure(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes, u64 wait_ns)
{
	(void)now_ns, (void)hop, (void)wire_bytes, (void)wait_ns;
	((struct quay *)ctx)->n_departed++;
}

static inline void quay_on_drop(void *ctx, u64 now_ns, u32 hop, u32 wire_bytes)
{
	(void)now_ns, (void)hop, (void)wire_bytes;
	((struct quay *)ctx)->n_dropped++;
}

static inline struct quay *quay_new(const struct weir_ferry_config *c)
{
	struct quay *q = calloc(1, sizeof *q);
	assert_non_null(q);
	q->ferry = weir_ferry_new(c);
	assert_non_null(q->ferry);
	q->until_ns = WEIR_NEVER;
	struct weir_ferry_taps taps = {.ctx = q,
				       .snap_bytes = 200,
				       .on_packet = quay_on_packet,
				       .on_hop_arrival = quay_on_arrival,
				       .on_hop_departure = quay_on_departure,
				       .on_hop_drop = quay_on_drop};
	weir_ferry_set_taps(q->ferry, &taps);
	return q;
}

static inline u32 quay_hop(struct quay *q, const struct weir_hop_config *c)
{
	u32 hop = weir_ferry_add_hop(q->ferry, c);
	assert_int_not_equal(hop, WEIR_FERRY_NONE);
	return hop;
}

static inline u32 quay_path(struct quay *q, const u32 *hops, u32 n, u32 way)
{
	u32 path = weir_ferry_add_path(q->ferry, hops, n, way);
	assert_int_not_equal(path, WEIR_FERRY_NONE);
	return path;
}

static inline u32 quay_port(struct quay *q, u32 path, u32 exit, bool stamped)
{
	int pair[2], bytes = 8 << 20;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	for (int i = 0; i < 2; i++)
		setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
	q->tun[q->n] =
	    (struct weir_tun){.fd = pair[0], .stamp_fd = -1, .mtu_bytes = 1500, .stamped = stamped};
	q->far[q->n] = pair[1];
	u32 port = weir_ferry_add_port(q->ferry, &q->tun[q->n], path, exit);
	assert_int_equal(port, q->n);
	return q->n++;
}

static inline void *quay_thread(void *ctx)
{
	struct quay *q = ctx;
	q->result = weir_ferry_run(q->ferry, &q->stop, q->until_ns);
	return NULL;
}

static inline void quay_begin(struct quay *q)
{
	q->origin_clock_ns = weir_ferry_start(q->ferry);
	assert_int_equal(pthread_create(&q->thread, NULL, quay_thread, q), 0);
}

/* `wait`: until until_ns; else stop at once. */
static inline void quay_end(struct quay *q, bool wait)
{
	q->stop = !wait;
	pthread_join(q->thread, NULL);
	assert_int_equal(q->result, 0);
}

static inline void quay_free(struct quay *q)
{
	weir_ferry_free(q->ferry);
	for (u32 i = 0; i < q->n; i++) {
		close(q->tun[i].fd);
		close(q->far[i]);
	}
	free(q);
}

/* As a TUN gives it: with a stamp of now where the port has one. */
static inline void quay_send_as(struct quay *q, u32 port, const struct weir_vnet *vnet,
				const struct packet *p)
{
	static _Thread_local u8 buffer[PACKET_BYTES_MAX + 64];
	u32 at = sizeof *vnet;
	struct weir_vnet v = *vnet;
	if (q->tun[port].stamped) {
		struct weir_stamp stamp = {WEIR_STAMP_MAGIC, quay_clock_ns()};
		v.checksum_from = (u16)(v.checksum_from + sizeof stamp);
		memcpy(buffer + at, &stamp, sizeof stamp);
		at += sizeof stamp;
	}
	memcpy(buffer, &v, sizeof v);
	memcpy(buffer + at, p->data, p->bytes);
	ssize_t sent = send(q->far[port], buffer, at + p->bytes, MSG_NOSIGNAL);
	for (int patience = 2000; sent < 0 && errno == EAGAIN && patience; patience--) {
		quay_sleep(MS);
		sent = send(q->far[port], buffer, at + p->bytes, MSG_NOSIGNAL);
	}
	assert_int_equal(sent, at + p->bytes);
}

/* An IPv4 UDP packet of that size whose payload begins with its number. */
static inline void quay_packet(struct packet *p, u32 bytes, u32 id, u32 to, u16 from_port, u16 to_port)
{
	p->six = p->tcp = false;
	p->bytes = bytes;
	p->transport_at = 20;
	p->payload_at = 28;
	memset(p->data, 0, bytes);
	p->data[0] = 0x45;
	p->data[1] = WEIR_ECN_ECT0;
	p->data[9] = 17;
	weir_frame_put_u32(p->data + 12, 0x64400001);
	weir_frame_put_u32(p->data + 16, to);
	put16(p->data + 20, from_port);
	put16(p->data + 22, to_port);
	weir_frame_put_u32(p->data + 28, id);
	set_lengths(p);
	leave_checksum(p);
}

static inline void quay_send(struct quay *q, u32 port, const struct packet *p)
{
	struct weir_vnet v = {
	    .flags = WEIR_VNET_NEEDS_CHECKSUM, .checksum_from = (u16)p->transport_at, .checksum_at = 6};
	quay_send_as(q, port, &v, p);
}

/* The next packet that came out at the far end of this port. False when there is none. */
static inline bool quay_receive(struct quay *q, u32 port, struct weir_vnet *vnet, struct packet *p)
{
	static _Thread_local u8 buffer[PACKET_BYTES_MAX + 64];
	ssize_t got = recv(q->far[port], buffer, sizeof buffer, 0);
	if (got < 0) {
		assert_int_equal(errno, EAGAIN);
		return false;
	}
	struct weir_frame f;
	assert_true((size_t)got > sizeof *vnet);
	memcpy(vnet, buffer, sizeof *vnet);
	p->bytes = (u32)got - (u32)sizeof *vnet;
	memcpy(p->data, buffer + sizeof *vnet, p->bytes);
	assert_int_equal(weir_frame_read(p->data, p->bytes, &f), 0);
	assert_int_equal(f.bytes, p->bytes);
	p->six = f.version == 6;
	p->tcp = f.protocol == WEIR_FRAME_TCP;
	p->transport_at = f.transport_at;
	p->payload_at = f.payload_at;
	return true;
}

static inline u64 quay_slots_in_use(const struct quay *q)
{
	u64 n = 0;
	for (u32 i = 0; i < WEIR_SLOT_KINDS; i++)
		n += q->ferry->pool.used[i];
	return n - WEIR_SLOT_KINDS; /* the spare ones */
}

#endif

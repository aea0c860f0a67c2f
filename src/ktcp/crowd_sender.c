/* SPDX-License-Identifier: MIT */
/* The sending process of a crowd: each connection is made before its start, writes what it has, ends, and is
 * closed when the receiver has read its end. */
#include "socket.h"

#include "weir/num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define WRITE_BYTES (128U << 10)
#define WRITES_MAX 16 /* of one connection before the others have their turn */
/* A reset that the path lost leaves a connection behind, and its time is looked after so often. */
#define SWEEP_NS WEIR_NS_PER_S

static const u8 zeros[WRITE_BYTES];

struct crowd {
	struct weir_ktcp_child *c;
	const struct weir_ktcp_crowd *plan;
	struct weir_ktcp_crowd_one *one;
	u32 made, begun; /* numbers below them: have a socket, or had; have reached their start */
	u32 oldest;	 /* no number below it is open */
	u32 open, at_once;
	u64 sweep_ns, sent_bytes;
	bool listens, stopped;
	u32 again[WEIR_KTCP_EVENTS_MAX], n_again; /* have more to write and were not refused */
};

static u64 start_ns(const struct crowd *x, u32 k)
{
	return weir_add(x->plan->zero_ns, x->plan->start_ns[k]);
}

static u64 connect_ns(const struct crowd *x, u32 k)
{
	return weir_sub(start_ns(x, k), WEIR_KTCP_EARLY_NS);
}

static int socket_of(const struct weir_ktcp_crowd_one *one)
{
	return one->sending - 1;
}

static void close_one(struct crowd *x, u32 k)
{
	struct weir_ktcp_crowd_one *one = &x->one[k];
	if (!one->sending)
		return;
	close(socket_of(one));
	one->sending = 0;
	x->open--;
	while (x->oldest < x->made && !x->one[x->oldest].sending)
		x->oldest++;
}

static void refuse(struct crowd *x, u32 k)
{
	x->one[k].refused = true;
	x->c->crowd->refused++;
}

static in_port_t own_port(int fd)
{
	struct sockaddr_in6 own = {0};
	socklen_t bytes = sizeof own;
	if (getsockname(fd, (struct sockaddr *)&own, &bytes) < 0)
		return 0;
	return ntohs(own.sin6_port); /* the same place in both families */
}

/* The receiver learns by the port whose connection it is. */
static int make(struct crowd *x, u32 k)
{
	struct weir_ktcp_crowd_one *one = &x->one[k];
	const struct weir_ktcp_config *config = x->c->config;
	if (x->open >= x->at_once) {
		refuse(x, k);
		return 0;
	}
	int fd = weir_ktcp_stream_socket(x->c);
	if (fd < 0)
		return -1;
	one->sending = fd + 1;
	x->open++;
	x->c->crowd->of_port[own_port(fd)] = k + 1;
	if (connect(fd, (const struct sockaddr *)&config->receiver,
		    weir_ktcp_address_bytes(&config->receiver)) < 0 &&
	    errno != EINPROGRESS)
		return weir_ktcp_fail(x->c, WEIR_KTCP_CONNECT, errno);
	return weir_ktcp_watch_each(x->c, fd, k);
}

/* False: no room; then it goes on now. */
static bool write_later(struct crowd *x, u32 k)
{
	for (u32 i = 0; i < x->n_again; i++)
		if (x->again[i] == k)
			return true;
	if (x->n_again == WEIR_KTCP_EVENTS_MAX)
		return false;
	x->again[x->n_again++] = k;
	return true;
}

static int end_stream(struct weir_ktcp_crowd_one *one)
{
	if (one->shut)
		return 0;
	one->shut = true;
	return shutdown(socket_of(one), SHUT_WR) < 0 ? errno : 0;
}

/* 0, or the error that ended the connection. */
static int write_all(struct crowd *x, u32 k)
{
	struct weir_ktcp_crowd_one *one = &x->one[k];
	u64 bytes = x->plan->bytes[k];
	for (u32 i = 0; one->handed_bytes < bytes; i++) {
		u64 rest = bytes - one->handed_bytes;
		if (i >= WRITES_MAX && write_later(x, k))
			return 0;
		ssize_t n = send(socket_of(one), zeros, (size_t)weir_min(rest, sizeof zeros),
				 MSG_NOSIGNAL | (rest > sizeof zeros ? MSG_MORE : 0));
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			one->handed_bytes += (u64)n;
			x->sent_bytes += (u64)n;
		}
	}
	return end_stream(one);
}

/* Connected, and its time has come. */
static void go_on(struct crowd *x, u32 k, u64 now_ns)
{
	struct weir_ktcp_crowd_one *one = &x->one[k];
	if (!one->sending || !one->connected || k >= x->begun)
		return;
	if (!one->started_ns)
		one->started_ns = now_ns;
	if (write_all(x, k) != 0)
		close_one(x, k);
}

static void begin_due(struct crowd *x, u64 now_ns)
{
	while (x->begun < x->made && start_ns(x, x->begun) <= now_ns) {
		u32 k = x->begun++;
		/* Where it was connected by then, time counts from the start that was asked for. */
		if (x->one[k].connected)
			x->one[k].started_ns = start_ns(x, k);
		go_on(x, k, now_ns);
	}
}

static int make_due(struct crowd *x, u64 now_ns)
{
	while (x->listens && x->made < x->plan->n && connect_ns(x, x->made) <= now_ns)
		if (make(x, x->made++) < 0)
			return -1;
	return 0;
}

/* The receiver resets a connection whose end it has read, so that nothing lingers. */
static int on_event(struct crowd *x, struct weir_ktcp_event e, u64 now_ns)
{
	struct weir_ktcp_crowd_one *one = &x->one[e.number];
	if (!one->sending)
		return 0;
	int error = e.on & WEIR_KTCP_ON_READ ? weir_ktcp_pending_error(socket_of(one)) : 0;
	if (error && !one->connected && error != ETIMEDOUT)
		return weir_ktcp_fail(x->c, WEIR_KTCP_CONNECT, error);
	if (error || one->done) {
		close_one(x, e.number);
		return 0;
	}
	if (e.on & WEIR_KTCP_ON_WRITE)
		one->connected = true;
	go_on(x, e.number, now_ns);
	return 0;
}

static void sweep(struct crowd *x, u64 now_ns)
{
	if (now_ns < x->sweep_ns)
		return;
	x->sweep_ns = now_ns + SWEEP_NS;
	for (u32 k = x->oldest; k < x->made; k++)
		if (x->one[k].done)
			close_one(x, k);
}

static void stop(struct crowd *x)
{
	for (u32 k = x->oldest; k < x->made; k++)
		close_one(x, k);
	x->made = x->begun = x->oldest = x->plan->n;
	x->stopped = true;
	x->n_again = 0;
}

static void write_again(struct crowd *x, u64 now_ns)
{
	u32 n = x->n_again;
	x->n_again = 0;
	for (u32 i = 0; i < n; i++)
		go_on(x, x->again[i], now_ns);
}

static u64 next_ns(const struct crowd *x)
{
	u64 next = x->open ? x->sweep_ns : WEIR_NEVER;
	if (x->n_again)
		return 0;
	if (x->listens && x->made < x->plan->n)
		next = weir_min(next, connect_ns(x, x->made));
	if (x->begun < x->made)
		next = weir_min(next, start_ns(x, x->begun));
	return x->stopped ? next : weir_min(next, x->c->config->stop_ns);
}

static int live(struct crowd *x)
{
	for (;;) {
		struct weir_ktcp_event event[WEIR_KTCP_EVENTS_MAX];
		u32 n, on = weir_ktcp_wait_each(x->c, next_ns(x), event, &n);
		u64 now_ns = weir_ktcp_now_ns();
		if (on & WEIR_KTCP_ON_SIGNAL)
			return 0;
		if (on & WEIR_KTCP_ON_PEER) {
			enum weir_ktcp_word word = weir_ktcp_hear(x->c);
			x->listens |= word == WEIR_KTCP_LISTENS;
			if (word == WEIR_KTCP_GONE)
				return weir_ktcp_fail(x->c, WEIR_KTCP_PEER_GONE, 0);
		}
		for (u32 i = 0; i < n; i++)
			if (on_event(x, event[i], now_ns) < 0)
				return -1;
		if (!x->stopped && now_ns >= x->c->config->stop_ns)
			stop(x);
		if (make_due(x, now_ns) < 0)
			return -1;
		begin_due(x, now_ns);
		write_again(x, now_ns);
		sweep(x, now_ns);
		x->c->shared->sender.sent_bytes = x->sent_bytes;
	}
}

int weir_ktcp_crowd_sender(struct weir_ktcp_child *c)
{
	struct crowd x = {.c = c, .plan = &c->config->crowd, .one = c->crowd->one};
	x.at_once = weir_ktcp_crowd_room();
	int probe = weir_ktcp_stream_socket(c); /* what is not allowed shows at once */
	if (probe < 0)
		return 1;
	close(probe);
	c->shared->sender.connected_ns = c->shared->sender.started_ns = weir_ktcp_now_ns();
	weir_ktcp_ready(c);
	return live(&x) < 0;
}

/* SPDX-License-Identifier: MIT */
/* The receiving process of a crowd: takes each connection, counts what it reads, and resets it when its end
 * is read. */
#include "socket.h"

#include "weir/num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES (4U << 20)

struct crowd {
	struct weir_ktcp_child *c;
	const struct weir_ktcp_crowd *plan;
	struct weir_ktcp_crowd_one *one;
	struct weir_ktcp_receiver_side *seen;
	int listener;
};

/* The listener's number is that of no connection. */
static u32 listener_number(const struct crowd *x)
{
	return x->plan->n;
}

static void complete(struct crowd *x, u32 k, u64 now_ns)
{
	u64 n = x->seen->completions;
	struct weir_ktcp_completion *out = &x->c->shared->completion[n];
	if (n < WEIR_KTCP_COMPLETIONS_KEPT)
		*out = (struct weir_ktcp_completion){.start_ns = x->one[k].started_ns,
						     .end_ns = now_ns,
						     .bytes = x->plan->bytes[k],
						     .number = k};
	x->seen->completions = n + 1;
}

static int socket_of(const struct weir_ktcp_crowd_one *one)
{
	return one->receiving - 1;
}

static void end_one(struct crowd *x, u32 k)
{
	close(socket_of(&x->one[k])); /* a reset: SO_LINGER comes from the listener */
	x->one[k].receiving = 0;
	x->one[k].done = true;
}

/* MSG_TRUNC: the kernel drops the bytes instead of copying them. */
static void read_all(struct crowd *x, u32 k)
{
	struct weir_ktcp_crowd_one *one = &x->one[k];
	for (;;) {
		ssize_t n = recv(socket_of(one), NULL, READ_BYTES, MSG_TRUNC);
		if (n > 0) {
			one->delivered_bytes += (u64)n;
			x->seen->delivered_bytes += (u64)n;
			u64 now_ns = weir_ktcp_now_ns();
			if (one->delivered_bytes == x->plan->bytes[k] && now_ns < x->c->config->stop_ns)
				complete(x, k, now_ns);
			if (x->c->config->rwnd_bytes)
				weir_ktcp_clamp_window(socket_of(one), x->c->config->rwnd_bytes);
		} else if (n < 0 && errno == EINTR) {
			continue;
		} else if (n < 0 && errno == EAGAIN) {
			return;
		} else {
			end_one(x, k);
			return;
		}
	}
}

static u32 number_of(const struct crowd *x, int fd)
{
	struct sockaddr_in6 from = {0};
	socklen_t bytes = sizeof from;
	if (getpeername(fd, (struct sockaddr *)&from, &bytes) < 0)
		return 0;
	return x->c->crowd->of_port[ntohs(from.sin6_port)];
}

static int take_connections(struct crowd *x)
{
	int fd;
	while ((fd = weir_ktcp_accept(x->c, x->listener)) >= 0) {
		u32 number = number_of(x, fd);
		if (number == 0 || number > x->plan->n || x->one[number - 1].receiving) {
			close(fd);
			continue;
		}
		u32 k = number - 1;
		x->one[k].receiving = fd + 1;
		if (x->c->config->rwnd_bytes)
			weir_ktcp_clamp_window(fd, x->c->config->rwnd_bytes);
		if (weir_ktcp_watch_each(x->c, fd, k) < 0)
			return -1;
		read_all(x, k);
	}
	return x->c->fault->what ? -1 : 0;
}

static int live(struct crowd *x)
{
	for (;;) {
		struct weir_ktcp_event event[WEIR_KTCP_EVENTS_MAX];
		u32 n, on = weir_ktcp_wait_each(x->c, WEIR_NEVER, event, &n);
		if (on & WEIR_KTCP_ON_SIGNAL)
			return 0;
		if ((on & WEIR_KTCP_ON_PEER) && weir_ktcp_hear(x->c) == WEIR_KTCP_GONE)
			return weir_ktcp_fail(x->c, WEIR_KTCP_PEER_GONE, 0);
		for (u32 i = 0; i < n; i++) {
			u32 k = event[i].number;
			if (k == listener_number(x) && take_connections(x) < 0)
				return -1;
			if (k < x->plan->n && x->one[k].receiving && (event[i].on & WEIR_KTCP_ON_READ))
				read_all(x, k);
		}
	}
}

int weir_ktcp_crowd_receiver(struct weir_ktcp_child *c)
{
	struct crowd x = {
	    .c = c, .plan = &c->config->crowd, .one = c->crowd->one, .seen = &c->shared->receiver};
	(void)weir_ktcp_crowd_room();
	x.listener = weir_ktcp_listener(c);
	if (x.listener < 0 || weir_ktcp_watch_each(c, x.listener, listener_number(&x)) < 0)
		return 1;
	weir_ktcp_ready(c);
	weir_ktcp_say(c, WEIR_KTCP_LISTENS);
	return live(&x) < 0;
}

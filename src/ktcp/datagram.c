/* SPDX-License-Identifier: MIT */
/* Both processes of a datagram application. */
#include "socket.h"

#include "weir/num.h"

#include <endian.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>

#define PAYLOAD_MAX 65535
#define SENDS_MAX 256 /* before looking at the other events again */
#define BATCH 64
#define LAST_BATCHES 1024
#define OVERRUNS_NS (10 * WEIR_NS_PER_MS) /* how often they are asked for */

struct source {
	struct weir_ktcp_child *c;
	const struct weir_ktcp_config *config;
	struct weir_ktcp_sender_side *seen;
	int socket;
	bool listens, runs;
	u64 number, header_bytes;
	struct weir_app app;
};

static u8 payload[PAYLOAD_MAX];

static void send_datagram(struct source *s, u64 wire_bytes)
{
	u64 head[2] = {htobe64(s->number++), htobe64(weir_ktcp_now_ns())};
	size_t bytes = (size_t)weir_min(weir_sub(wire_bytes, s->header_bytes), PAYLOAD_MAX);
	_Static_assert(sizeof head == WEIR_KTCP_STAMP_BYTES, "as told in flow.h");
	memcpy(payload, head, sizeof head);
	/* A refusal (no room, or a packet that the other side's port did not want a moment ago) is a datagram
	 * that was not sent, nothing more. */
	if (send(s->socket, payload, bytes, MSG_NOSIGNAL) >= 0) {
		s->seen->sent_packets++;
		s->seen->sent_bytes += bytes;
	} else {
		s->seen->refused_packets++;
	}
}

static void run_source(struct source *s, u64 now_ns)
{
	if (!s->runs) {
		weir_app_start(&s->app, &s->config->app, s->config->seed, s->config->flow,
			       s->config->start_ns);
		s->runs = true;
		s->seen->started_ns = now_ns;
	}
	u64 until_ns = weir_min(now_ns, s->config->stop_ns);
	for (u32 i = 0; s->app.wake_ns <= until_ns && i < SENDS_MAX; i++) {
		u64 wire_bytes = weir_app_on_wake(&s->app, now_ns, 0);
		if (wire_bytes)
			send_datagram(s, wire_bytes);
	}
	if (now_ns >= s->config->stop_ns && s->app.wake_ns > s->config->stop_ns && !s->seen->done) {
		weir_app_stop(&s->app, now_ns, 0);
		s->seen->done = true;
	}
}

static u64 source_next_ns(const struct source *s)
{
	if (!s->listens)
		return WEIR_NEVER;
	if (!s->runs)
		return s->config->start_ns;
	return s->seen->done ? WEIR_NEVER : weir_min(s->app.wake_ns, s->config->stop_ns);
}

int weir_ktcp_datagram_sender(struct weir_ktcp_child *c)
{
	struct source s = {.c = c,
			   .config = c->config,
			   .seen = &c->shared->sender,
			   .header_bytes = c->config->sender.sin6_family == AF_INET ? 28 : 48};
	s.socket = weir_ktcp_datagram_socket(c, true);
	if (s.socket < 0)
		return 1;
	weir_ktcp_ready(c);
	for (;;) {
		u64 now_ns = weir_ktcp_now_ns();
		if (s.listens && now_ns >= s.config->start_ns)
			run_source(&s, now_ns);
		u32 on = weir_ktcp_wait(c, source_next_ns(&s));
		if (on & WEIR_KTCP_ON_SIGNAL)
			return 0;
		if (!(on & WEIR_KTCP_ON_PEER))
			continue;
		switch (weir_ktcp_hear(c)) {
		case WEIR_KTCP_LISTENS:
			s.listens = true;
			s.seen->connected_ns = weir_ktcp_now_ns();
			break;
		case WEIR_KTCP_GONE:
			weir_ktcp_fail(c, WEIR_KTCP_PEER_GONE, 0);
			return 1;
		default:
			break;
		}
	}
}

struct sink {
	struct weir_ktcp_receiver_side *seen;
	int socket;
	u64 asked_ns;
};

static void count_overruns(struct sink *s, u64 now_ns)
{
	u32 memory[SK_MEMINFO_VARS];
	socklen_t bytes = sizeof memory;
	s->asked_ns = now_ns;
	if (getsockopt(s->socket, SOL_SOCKET, SO_MEMINFO, memory, &bytes) == 0 && bytes == sizeof memory)
		s->seen->overrun_packets = memory[SK_MEMINFO_DROPS];
}

/* Only lengths are of interest: the kernel tells them with MSG_TRUNC, whatever the room. Whether there is
 * nothing more; an error is another packet's, and reading on clears it. */
static bool read_batch(struct sink *s)
{
	static struct mmsghdr messages[BATCH]; /* no names, no buffers: nothing to be set up again */
	int n = recvmmsg(s->socket, messages, BATCH, MSG_TRUNC | MSG_DONTWAIT, NULL);
	u64 bytes = 0;
	for (int i = 0; i < n; i++)
		bytes += messages[i].msg_len;
	if (n > 0) {
		s->seen->delivered_bytes += bytes;
		s->seen->received_packets += (u64)n;
	}
	return n < 0 ? errno == EAGAIN : n < BATCH;
}

int weir_ktcp_datagram_receiver(struct weir_ktcp_child *c)
{
	struct sink s = {.seen = &c->shared->receiver};
	bool empty = true;
	s.socket = weir_ktcp_datagram_socket(c, false);
	if (s.socket < 0 || weir_ktcp_watch(c, s.socket) < 0)
		return 1;
	weir_ktcp_ready(c);
	weir_ktcp_say(c, WEIR_KTCP_LISTENS);
	for (;;) {
		u32 on = weir_ktcp_wait(c, empty ? WEIR_NEVER : 0);
		if ((on & WEIR_KTCP_ON_READ) || !empty)
			empty = read_batch(&s);
		u64 now_ns = weir_ktcp_now_ns();
		if (now_ns >= s.asked_ns + OVERRUNS_NS || (on & WEIR_KTCP_ON_SIGNAL))
			count_overruns(&s, now_ns);
		if (on & WEIR_KTCP_ON_SIGNAL) { /* what has arrived counts */
			for (u32 i = 0; !empty && i < LAST_BATCHES; i++)
				empty = read_batch(&s);
			return 0;
		}
		if ((on & WEIR_KTCP_ON_PEER) && weir_ktcp_hear(c) == WEIR_KTCP_GONE) {
			weir_ktcp_fail(c, WEIR_KTCP_PEER_GONE, 0);
			return 1;
		}
	}
}

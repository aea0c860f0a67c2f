/* SPDX-License-Identifier: MIT */
/* The receiving process of a stream: counts what it reads, asks where there are requests. */
#include "socket.h"

#include "weir/num.h"

#include <endian.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES (4U << 20)
#define READS_MAX 16 /* before looking at the other events again */

struct receiver {
	struct weir_ktcp_child *c;
	const struct weir_ktcp_config *config;
	struct weir_ktcp_receiver_side *seen;
	int socket; /* of the listener, then of the connection */
	bool accepted, asks, complete, unread;
	u64 delivered_bytes, answered_bytes;
	u64 accepted_ns;
	u64 request_ns, asked_ns;
	struct weir_app app; /* REQUEST, VIDEO: the receiving half */
};

static bool is_asked_for(const struct receiver *r)
{
	return weir_app_is_asked_for(r->config->app.kind);
}

/* The parent reads it at any time: an odd number says that it is being written. */
static void show_video(struct receiver *r)
{
	if (r->config->app.kind != WEIR_APP_VIDEO)
		return;
	r->seen->video_version++;
	atomic_thread_fence(memory_order_seq_cst);
	r->seen->video = r->app.video;
	atomic_thread_fence(memory_order_seq_cst);
	r->seen->video_version++;
}

static void complete(struct receiver *r, u64 start_ns, u64 end_ns, u64 bytes)
{
	u64 n = r->seen->completions;
	if (n < WEIR_KTCP_COMPLETIONS_KEPT)
		r->c->shared->completion[n] = (struct weir_ktcp_completion){start_ns, end_ns, bytes, 0};
	r->seen->completions = n + 1;
}

static void on_delivered(struct receiver *r, u64 now_ns)
{
	u64 total_bytes = r->delivered_bytes;
	r->seen->delivered_bytes = total_bytes;
	if (r->config->app.kind == WEIR_APP_SIZED && total_bytes == r->config->app.size_bytes &&
	    !r->complete && now_ns < r->config->stop_ns) {
		r->complete = true;
		complete(r, r->c->shared->sender.started_ns, now_ns, total_bytes);
	}
	if (!r->asks)
		return;
	u64 request_ns = weir_app_on_delivered(&r->app, now_ns, total_bytes);
	if (request_ns == WEIR_NEVER)
		return;
	show_video(r);
	if (r->config->app.kind == WEIR_APP_REQUEST)
		complete(r, r->asked_ns, now_ns, total_bytes - r->answered_bytes);
	r->answered_bytes = total_bytes;
	r->request_ns = request_ns;
}

static int finish(struct receiver *r)
{
	if (r->seen->done)
		return 0;
	if (r->delivered_bytes != r->c->shared->sender.closed_bytes)
		return weir_ktcp_fail(r->c, WEIR_KTCP_CUT_SHORT, 0);
	r->seen->done = true;
	weir_ktcp_say(r->c, WEIR_KTCP_HAS_ALL);
	return 0;
}

/* MSG_TRUNC: the kernel drops the bytes instead of copying them. */
static int read_all(struct receiver *r)
{
	for (u32 i = 0; i < READS_MAX; i++) {
		ssize_t n = recv(r->socket, NULL, READ_BYTES, MSG_TRUNC);
		if (n > 0) {
			r->delivered_bytes += (u64)n;
			on_delivered(r, weir_ktcp_now_ns());
			if (r->config->rwnd_bytes)
				weir_ktcp_clamp_window(r->socket, r->config->rwnd_bytes);
		} else if (n == 0) {
			r->unread = false;
			return finish(r);
		} else if (errno == EAGAIN) {
			r->unread = false;
			return 0;
		} else if (errno != EINTR) {
			return weir_ktcp_fail(r->c, WEIR_KTCP_RECEIVE, errno);
		}
	}
	return 0;
}

static int take_connection(struct receiver *r, u64 now_ns)
{
	int fd = weir_ktcp_accept(r->c, r->socket);
	if (fd < 0)
		return r->c->fault->what ? -1 : 0;
	close(r->socket);
	r->socket = fd;
	r->accepted = r->unread = true;
	r->accepted_ns = now_ns;
	if (r->config->rwnd_bytes)
		weir_ktcp_clamp_window(fd, r->config->rwnd_bytes);
	return weir_ktcp_watch(r->c, fd);
}

/* When the application begins: on a slow path, once connected. */
static u64 begin_ns(const struct receiver *r)
{
	return weir_max(r->config->start_ns, r->accepted_ns);
}

static void begin_asking(struct receiver *r)
{
	weir_app_start(&r->app, &r->config->app, r->config->seed, r->config->flow, begin_ns(r));
	r->asks = true;
	r->request_ns = weir_app_on_delivered(&r->app, begin_ns(r), 0);
	show_video(r);
}

static int ask(struct receiver *r, u64 now_ns)
{
	r->request_ns = WEIR_NEVER;
	r->asked_ns = now_ns;
	u64 number = htobe64(r->app.requests);
	bool video = r->config->app.kind == WEIR_APP_VIDEO;
	ssize_t bytes = video ? sizeof number : 1;
	if (send(r->socket, video ? (const void *)&number : "r", (size_t)bytes, MSG_NOSIGNAL) != bytes)
		return weir_ktcp_fail(r->c, WEIR_KTCP_RECEIVE, errno);
	return 0;
}

static int step(struct receiver *r, u64 now_ns)
{
	if (!is_asked_for(r) || !r->accepted)
		return 0;
	if (!r->asks && now_ns >= begin_ns(r))
		begin_asking(r);
	if (now_ns >= r->config->stop_ns) {
		if (r->asks)
			weir_app_stop(&r->app, now_ns, 0);
		r->request_ns = WEIR_NEVER;
	}
	return now_ns >= r->request_ns ? ask(r, now_ns) : 0;
}

static u64 next_ns(const struct receiver *r)
{
	if (r->unread)
		return 0;
	if (!is_asked_for(r) || !r->accepted)
		return WEIR_NEVER;
	return r->asks
		   ? weir_min(r->request_ns, r->app.stop_ns == WEIR_NEVER ? r->config->stop_ns : WEIR_NEVER)
		   : begin_ns(r);
}

static int live(struct receiver *r)
{
	for (;;) {
		if (step(r, weir_ktcp_now_ns()) < 0)
			return -1;
		u32 on = weir_ktcp_wait(r->c, next_ns(r));
		if ((on & WEIR_KTCP_ON_READ) && !r->accepted && take_connection(r, weir_ktcp_now_ns()) < 0)
			return -1;
		if (((on & WEIR_KTCP_ON_READ) || r->unread) && r->accepted && read_all(r) < 0)
			return -1;
		if (on & WEIR_KTCP_ON_SIGNAL)
			return 0;
		if ((on & WEIR_KTCP_ON_PEER) && weir_ktcp_hear(r->c) == WEIR_KTCP_GONE)
			return weir_ktcp_fail(r->c, WEIR_KTCP_PEER_GONE, 0);
	}
}

int weir_ktcp_stream_receiver(struct weir_ktcp_child *c)
{
	struct receiver r = {
	    .c = c, .config = c->config, .seen = &c->shared->receiver, .request_ns = WEIR_NEVER};
	r.socket = weir_ktcp_listener(c);
	if (r.socket < 0 || weir_ktcp_watch(c, r.socket) < 0)
		return 1;
	weir_ktcp_ready(c);
	weir_ktcp_say(c, WEIR_KTCP_LISTENS);
	return live(&r) < 0;
}

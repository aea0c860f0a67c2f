/* SPDX-License-Identifier: MIT */
/* The sending process of a stream: connects, lets the application write, samples TCP_INFO. */
#include "socket.h"
#include "unsent.h"

#include "weir/num.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_DEFAULT_NS (10 * WEIR_NS_PER_S)
#define SAMPLE_DEFAULT_NS (10 * WEIR_NS_PER_MS)
#define ADAPT_NS WEIR_NS_PER_MS /* unsent.h: the connection is looked at no more often than that */
/* Bounds on what is done before looking at the time and the other events again. */
#define WAKES_MAX 4096
#define WRITES_MAX 32
#define WRITE_BYTES (256U << 10)

/* Never written to, so that all of it is the kernel's one page of zeros. */
static const u8 zeros[WRITE_BYTES];

enum state {
	WAITS_FOR_LISTENER,
	WAITS_TO_CONNECT,
	CONNECTING,
	CONNECTED,
	RUNNING,
	FINISHED, /* all delivered */
};

struct sender {
	struct weir_ktcp_child *c;
	const struct weir_ktcp_config *config;
	struct weir_ktcp_sender_side *seen;
	enum state state;
	int socket;
	bool writable;	/* else we are told */
	bool all_read;	/* by the receiver */
	bool shut;	/* the FIN is queued */
	bool unchecked; /* the socket may have something to read */
	u64 connect_by_ns;
	u64 next_sample_ns;
	struct weir_ktcp_unsent unsent;
	u64 handed_bytes, requests; /* requests: bytes of them */
	u64 number;
	struct weir_app app;
};

static void take_sample(struct sender *s, u64 now_ns)
{
	u64 n = s->seen->samples;
	struct weir_ktcp_one_sample *slot = &s->c->shared->sample[n % WEIR_KTCP_RING];
	slot->at_ns = now_ns;
	if (weir_ktcp_info_read(s->socket, &slot->info) < 0)
		return;
	s->seen->samples = n + 1;
	if (s->all_read && slot->info.unacked_packets == 0) /* the FIN too */
		s->state = FINISHED;
	weir_ktcp_unsent_adapt(&s->unsent, &slot->info, s->writable, now_ns);
}

/* On a grid from the start; what was missed is left out. */
static void sample_if_due(struct sender *s, u64 now_ns)
{
	u64 period_ns = s->config->sample_ns ? s->config->sample_ns : SAMPLE_DEFAULT_NS;
	if (now_ns < s->next_sample_ns)
		return;
	take_sample(s, now_ns);
	s->next_sample_ns = weir_add(s->next_sample_ns, period_ns);
	if (s->next_sample_ns <= now_ns)
		s->next_sample_ns += (now_ns - s->next_sample_ns) / period_ns * period_ns + period_ns;
}

static int verify_controller(struct sender *s)
{
	char found[WEIR_KTCP_NAME_BYTES];
	if (weir_ktcp_controller_is(s->socket, s->config->controller, found))
		return 0;
	memcpy(s->seen->found, found, sizeof found);
	return weir_ktcp_fail(s->c, WEIR_KTCP_CONTROLLER_CHANGED, 0);
}

static u64 connect_at_ns(const struct sender *s)
{
	u64 start_ns = s->config->start_ns;
	return start_ns == WEIR_NEVER ? WEIR_NEVER : weir_sub(start_ns, WEIR_KTCP_EARLY_NS);
}

static int begin_connecting(struct sender *s, u64 now_ns)
{
	u64 patience_ns = s->config->connect_ns ? s->config->connect_ns : CONNECT_DEFAULT_NS;
	s->state = CONNECTING;
	s->connect_by_ns = weir_add(now_ns, patience_ns);
	if (connect(s->socket, (const struct sockaddr *)&s->config->receiver,
		    weir_ktcp_address_bytes(&s->config->receiver)) < 0 &&
	    errno != EINPROGRESS)
		return weir_ktcp_fail(s->c, WEIR_KTCP_CONNECT, errno);
	return weir_ktcp_watch(s->c, s->socket); /* before connect it would be told of a hang-up */
}

static int become_connected(struct sender *s, u64 now_ns)
{
	struct weir_ktcp_info info;
	int error = weir_ktcp_pending_error(s->socket);
	if (error)
		return weir_ktcp_fail(s->c, WEIR_KTCP_CONNECT, error);
	if (weir_ktcp_info_read(s->socket, &info) < 0)
		return weir_ktcp_fail(s->c, WEIR_KTCP_CONNECT, errno);
	if (info.state != 1) /* ESTABLISHED */
		return 0;
	s->state = CONNECTED;
	s->seen->connected_ns = now_ns;
	s->seen->mss_bytes = info.mss_bytes == WEIR_KTCP_UNKNOWN ? 0 : (u32)info.mss_bytes;
	if (s->config->mss_bytes && s->seen->mss_bytes > s->config->mss_bytes)
		return weir_ktcp_fail(s->c, WEIR_KTCP_SEGMENT_SIZE, 0);
	if (s->config->ecn && !info.ecn)
		return weir_ktcp_fail(s->c, WEIR_KTCP_NO_ECN, 0);
	return verify_controller(s);
}

static void begin_running(struct sender *s, u64 now_ns)
{
	/* Punctual but for the wake-up: what the application counts from is the time that was asked for. */
	bool on_time = s->seen->connected_ns <= s->config->start_ns;
	weir_app_start(&s->app, &s->config->app, s->config->seed, s->config->flow,
		       on_time ? s->config->start_ns : now_ns);
	s->state = RUNNING;
	s->next_sample_ns = s->app.started_ns;
	s->writable = s->unchecked = true;
	s->seen->started_ns = now_ns;
}

/* Each is one byte; of a video eight, the number itself. */
static void take_requests(struct sender *s, const u8 *bytes, u32 n, u64 now_ns)
{
	for (u32 i = 0; i < n; i++) {
		s->requests++;
		s->number = s->number << 8 | bytes[i];
		if (s->config->app.kind != WEIR_APP_VIDEO)
			weir_app_on_request(&s->app, now_ns, s->requests);
		else if (s->requests % sizeof s->number == 0)
			weir_app_on_request(&s->app, now_ns, s->number);
	}
}

/* Requests; or the receiver went away. */
static int read_requests(struct sender *s, u64 now_ns)
{
	u8 bytes[256];
	s->unchecked = false;
	for (;;) {
		ssize_t n = recv(s->socket, bytes, sizeof bytes, 0);
		if (n > 0) {
			take_requests(s, bytes, (u32)n, now_ns);
		} else if (n == 0) {
			return weir_ktcp_fail(s->c, WEIR_KTCP_PEER_GONE, 0);
		} else if (errno != EINTR) {
			return errno == EAGAIN ? 0 : weir_ktcp_fail(s->c, WEIR_KTCP_SEND, errno);
		}
	}
}

static int write_what_is_written(struct sender *s)
{
	for (u32 i = 0; s->writable && i < WRITES_MAX; i++) {
		u64 rest = weir_sub(s->app.written_bytes, s->handed_bytes);
		if (rest == 0)
			return 0;
		size_t bytes = (size_t)weir_ktcp_unsent_may_write(&s->unsent, rest, sizeof zeros);
		if (bytes == 0) {
			s->writable = false;
			return weir_ktcp_watch_again(s->c, s->socket);
		}
		ssize_t n = send(s->socket, zeros, bytes, MSG_NOSIGNAL | (rest > bytes ? MSG_MORE : 0));
		if (n >= 0)
			s->handed_bytes += (u64)n;
		else if (errno == EAGAIN)
			s->writable = false;
		else if (errno != EINTR)
			return weir_ktcp_fail(s->c, WEIR_KTCP_SEND, errno);
	}
	return 0;
}

static int close_stream(struct sender *s)
{
	if (s->shut || !s->app.closed || s->app.written_bytes != s->handed_bytes)
		return 0;
	s->shut = true;
	s->seen->closed_bytes = s->handed_bytes;
	if (shutdown(s->socket, SHUT_WR) < 0)
		return weir_ktcp_fail(s->c, WEIR_KTCP_SEND, errno);
	return 0;
}

static int run(struct sender *s, u64 now_ns)
{
	u64 until_ns = weir_min(now_ns, s->config->stop_ns);
	for (u32 i = 0; s->app.wake_ns <= until_ns && i < WAKES_MAX; i++)
		weir_app_on_wake(&s->app, now_ns, s->handed_bytes);
	if (s->unchecked && read_requests(s, now_ns) < 0)
		return -1;
	sample_if_due(s, now_ns);
	if (write_what_is_written(s) < 0)
		return -1;
	/* Only now: we may be late, and what was written before the stop counts. */
	if (now_ns >= s->config->stop_ns && s->app.wake_ns > s->config->stop_ns)
		weir_app_stop(&s->app, now_ns, s->handed_bytes);
	s->seen->sent_bytes = s->handed_bytes;
	return close_stream(s);
}

/* Does what is due. */
static int step(struct sender *s, u64 now_ns)
{
	if (s->state == WAITS_TO_CONNECT && now_ns >= connect_at_ns(s) && begin_connecting(s, now_ns) < 0)
		return -1;
	if (s->state == CONNECTING && now_ns >= s->connect_by_ns)
		return weir_ktcp_fail(s->c, WEIR_KTCP_CONNECT_LATE, 0);
	if (s->state == CONNECTED && now_ns >= s->config->start_ns)
		begin_running(s, now_ns);
	return s->state == RUNNING ? run(s, now_ns) : 0;
}

static u64 next_ns(const struct sender *s)
{
	switch (s->state) {
	case WAITS_TO_CONNECT:
		return connect_at_ns(s);
	case CONNECTING:
		return s->connect_by_ns;
	case CONNECTED:
		return s->config->start_ns;
	case RUNNING:
		if (s->writable && s->app.written_bytes > s->handed_bytes)
			return 0; /* WRITES_MAX came in between */
		return weir_min(weir_min(s->app.wake_ns, s->next_sample_ns),
				s->app.stop_ns == WEIR_NEVER ? s->config->stop_ns : WEIR_NEVER);
	default:
		return WEIR_NEVER;
	}
}

static int on_peer(struct sender *s, u64 now_ns)
{
	switch (weir_ktcp_hear(s->c)) {
	case WEIR_KTCP_LISTENS:
		if (s->state == WAITS_FOR_LISTENER)
			s->state = WAITS_TO_CONNECT;
		return 0;
	case WEIR_KTCP_HAS_ALL:
		s->all_read = true;
		if (s->state == RUNNING)
			take_sample(s, now_ns);
		return 0;
	case WEIR_KTCP_GONE:
		return weir_ktcp_fail(s->c, WEIR_KTCP_PEER_GONE, 0);
	default:
		return 0;
	}
}

static int on_socket(struct sender *s, u32 on, u64 now_ns)
{
	if (s->state == CONNECTING)
		return become_connected(s, now_ns);
	if (s->state != RUNNING) {
		int error = weir_ktcp_pending_error(s->socket);
		return error ? weir_ktcp_fail(s->c, WEIR_KTCP_SEND, error) : 0;
	}
	if (on & WEIR_KTCP_ON_READ)
		s->unchecked = true;
	if (on & WEIR_KTCP_ON_WRITE) {
		struct weir_ktcp_info info;
		s->writable = true;
		if (now_ns >= s->unsent.adapted_ns + ADAPT_NS && weir_ktcp_info_read(s->socket, &info) == 0)
			weir_ktcp_unsent_adapt(&s->unsent, &info, true, now_ns);
	}
	return 0;
}

static int live(struct sender *s)
{
	for (;;) {
		if (step(s, weir_ktcp_now_ns()) < 0)
			return -1;
		u32 on = weir_ktcp_wait(s->c, next_ns(s));
		u64 now_ns = weir_ktcp_now_ns();
		if (on & WEIR_KTCP_ON_SIGNAL)
			break;
		if ((on & WEIR_KTCP_ON_PEER) && on_peer(s, now_ns) < 0)
			return -1;
		if ((on & (WEIR_KTCP_ON_READ | WEIR_KTCP_ON_WRITE)) && on_socket(s, on, now_ns) < 0)
			return -1;
	}
	if (s->state == RUNNING)
		take_sample(s, weir_ktcp_now_ns());
	return verify_controller(s);
}

int weir_ktcp_stream_sender(struct weir_ktcp_child *c)
{
	struct sender s = {.c = c, .config = c->config, .seen = &c->shared->sender};
	s.seen->closed_bytes = WEIR_NEVER;
	s.socket = s.unsent.socket = weir_ktcp_stream_socket(c);
	if (s.socket < 0)
		return 1;
	weir_ktcp_ready(c);
	return live(&s) < 0;
}

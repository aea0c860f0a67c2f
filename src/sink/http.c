/* SPDX-License-Identifier: MIT */
#include "http.h"

#include "weir/num.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define CONNECTIONS 64
#define CLIENTS 32
#define IDLE_S 30u
#define EVENT_NS (250 * WEIR_NS_PER_MS)
#define EVENT_SHARE 50 /* an event that takes long comes so seldom that all take 1/50 of the time */
#define PAGE_MARK                                                                                            \
	"00000000000000000000000000000000" /* in live.html: becomes a number that nobody can guess */

extern const unsigned char weir_live_page[];
extern const u64 weir_live_page_bytes;

/* One who takes events. */
struct client {
	struct weir_http *http;
	struct client *next;
	struct MHD_Connection *connection;
	struct weir_board_query query;
	struct weir_json json;
	char *event;
	size_t bytes, at;
	u64 since_ns, next_ns;
	bool suspended;
};

struct weir_http {
	struct weir_http_config config;
	struct MHD_Daemon *daemon;
	struct client *clients;
	struct weir_http_stats stats;
	u64 now_ns, cost_ns;
	u16 port;
	char nonce[sizeof PAGE_MARK];
	char *page;
};

/* ---- events ---- */

static void make_event(struct client *c)
{
	static const char head[] = "retry: 1000\ndata: ";
	struct weir_http *h = c->http;
	size_t bytes = 0;
	free(c->event);
	c->event = NULL;
	c->at = c->bytes = 0;
	weir_json_to_buffer(&c->json);
	weir_board_event(h->config.live, h->now_ns, c->since_ns, &c->query, &c->json);
	if (weir_json_finish(&c->json) < 0)
		return;
	char *text = weir_json_take(&c->json, &bytes);
	c->event = malloc(sizeof head + bytes + 1);
	if (c->event) {
		/* The document ends with one newline; an event with two. */
		memcpy(c->event, head, sizeof head - 1);
		memcpy(c->event + sizeof head - 1, text, bytes);
		c->event[sizeof head - 1 + bytes] = '\n';
		c->bytes = sizeof head + bytes;
		c->since_ns = h->now_ns;
		h->stats.events++;
	}
	free(text);
}

static ssize_t read_events(void *owner, uint64_t position, char *to, size_t room)
{
	struct client *c = owner;
	(void)position;
	if (c->at == c->bytes) {
		MHD_suspend_connection(c->connection);
		c->suspended = true;
		return 0;
	}
	size_t n = weir_min(c->bytes - c->at, room);
	memcpy(to, c->event + c->at, n);
	c->at += n;
	return (ssize_t)n;
}

static void end_events(void *owner)
{
	struct client *c = owner, **link = &c->http->clients;
	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
	c->http->stats.clients--;
	free(c->event);
	free(c);
}

/* Whoever has taken the last event gets the next. Returns when the next one is due. */
static u64 step_events(struct weir_http *h)
{
	u64 next_ns = WEIR_NEVER;
	for (struct client *c = h->clients; c; c = c->next) {
		if (h->now_ns >= c->next_ns) {
			struct timespec begin, end;
			c->next_ns = h->now_ns + weir_max(EVENT_NS, h->cost_ns * EVENT_SHARE);
			if (!c->suspended) {
				h->stats.coalesced++;
			} else {
				clock_gettime(CLOCK_MONOTONIC, &begin);
				make_event(c);
				clock_gettime(CLOCK_MONOTONIC, &end);
				h->cost_ns = (u64)((end.tv_sec - begin.tv_sec) * (i64)WEIR_NS_PER_S +
						   (end.tv_nsec - begin.tv_nsec)) *
					     h->stats.clients;
				c->suspended = false;
				MHD_resume_connection(c->connection);
			}
		}
		next_ns = weir_min(next_ns, c->next_ns);
	}
	return next_ns;
}

/* ---- requests ---- */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, struct MHD_Response *r,
			      const char *type, const struct weir_http *h)
{
	char policy[256];
	if (!r)
		return MHD_NO;
	snprintf(
	    policy, sizeof policy,
	    "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
	    "frame-ancestors 'none'; style-src 'nonce-%s'; script-src 'nonce-%s'",
	    h->nonce, h->nonce);
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "Content-Security-Policy", policy);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Cache-Control", "no-store");
	enum MHD_Result result = MHD_queue_response(connection, status, r);
	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *text,
			   const struct weir_http *h)
{
	return answer(
	    connection, status,
	    MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY),
	    "text/plain; charset=utf-8", h);
}

static void take_query(struct MHD_Connection *connection, struct weir_board_query *q)
{
	const char *sort = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "sort");
	const char *search = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "search");
	const char *order = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "order");
	const char *rows = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "rows");
	*q = (struct weir_board_query){.rows = 100, .descending = order && !strcmp(order, "down")};
	for (u32 i = 0; sort && i < WEIR_BOARD_SORTS; i++)
		if (!strcmp(sort, weir_board_sort_words[i]))
			q->sort = (enum weir_board_sort)i;
	if (rows)
		q->rows = (u32)weir_clamp((u64)strtoull(rows, NULL, 10), 1, WEIR_BOARD_ROWS_MAX);
	for (u32 i = 0; search && search[i] && i + 1 < sizeof q->search; i++)
		q->search[i] = (char)tolower((u8)search[i]);
}

static enum MHD_Result give_events(struct MHD_Connection *connection, struct weir_http *h)
{
	if (h->stats.clients >= CLIENTS)
		return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pages are open\n", h);
	struct client *c = calloc(1, sizeof *c);
	if (!c)
		return MHD_NO;
	c->http = h;
	c->connection = connection;
	take_query(connection, &c->query);
	struct MHD_Response *r =
	    MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 65536, read_events, c, end_events);
	if (!r) {
		free(c);
		return MHD_NO;
	}
	c->next = h->clients;
	h->clients = c;
	h->stats.clients++;
	make_event(c);
	c->next_ns = h->now_ns + EVENT_NS;
	return answer(connection, MHD_HTTP_OK, r, "text/event-stream; charset=utf-8", h);
}

static enum MHD_Result give_metrics(struct MHD_Connection *connection, struct weir_http *h)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	if (!out)
		return MHD_NO;
	h->config.metrics(h->config.owner, out);
	if (fclose(out) != 0) {
		free(text);
		return MHD_NO;
	}
	return answer(connection, MHD_HTTP_OK,
		      MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE),
		      "text/plain; version=0.0.4; charset=utf-8", h);
}

/* "localhost", "127.0.0.1:8080", "[::1]:8080". */
static bool names_this_machine(const char *host)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
	for (u32 i = 0; host && i < sizeof names / sizeof names[0]; i++) {
		size_t n = strlen(names[i]);
		if (!strncasecmp(host, names[i], n) && (host[n] == 0 || host[n] == ':'))
			return true;
	}
	return false;
}

static enum MHD_Result on_request(void *owner, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_bytes, void **state)
{
	struct weir_http *h = owner;
	(void)version;
	(void)upload;
	(void)upload_bytes;
	if (!*state) { /* the headers are there; asked again when the request is whole */
		*state = h;
		return MHD_YES;
	}
	h->stats.requests++;
	const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	if (h->config.loopback && !names_this_machine(host)) {
		h->stats.refused++;
		return say(connection, MHD_HTTP_FORBIDDEN, "this is for this machine alone\n", h);
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0) {
		h->stats.refused++;
		return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET is all there is\n", h);
	}
	if (!strcmp(url, "/metrics"))
		return give_metrics(connection, h);
	if (h->config.live && !strcmp(url, "/events"))
		return give_events(connection, h);
	if (h->config.live && !strcmp(url, "/"))
		return answer(connection, MHD_HTTP_OK,
			      MHD_create_response_from_buffer((size_t)weir_live_page_bytes, h->page,
							      MHD_RESPMEM_PERSISTENT),
			      "text/html; charset=utf-8", h);
	return say(connection, MHD_HTTP_NOT_FOUND,
		   h->config.live ? "there is /, /events and /metrics\n" : "there is /metrics\n", h);
}

/* ---- from start to end ---- */

/* The page with a number of this process in place of the mark: no other script than its own runs in it. */
static bool make_page(struct weir_http *h)
{
	u8 random[sizeof PAGE_MARK / 2];
	size_t bytes = (size_t)weir_live_page_bytes;
	h->page = malloc(bytes + 1);
	if (!h->page || getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return false;
	for (u32 i = 0; i < sizeof random; i++)
		snprintf(h->nonce + (size_t)2 * i, 3, "%02x", random[i]);
	memcpy(h->page, weir_live_page, bytes);
	h->page[bytes] = 0;
	for (char *at = h->page; (at = strstr(at, PAGE_MARK)) != NULL;)
		memcpy(at, h->nonce, sizeof PAGE_MARK - 1);
	return true;
}

struct weir_http *weir_http_open(const struct weir_http_config *c, char why[WEIR_HTTP_WHY_BYTES])
{
	struct weir_http *h = calloc(1, sizeof *h);
	if (!h || (h->config = *c, !make_page(h))) {
		snprintf(why, WEIR_HTTP_WHY_BYTES, "out of memory");
		weir_http_close(h);
		return NULL;
	}
	unsigned flags =
	    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (c->at->sa_family == AF_INET6 ? MHD_USE_IPv6 : 0u);
	errno = 0;
	h->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, h, MHD_OPTION_SOCK_ADDR, c->at,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
				     MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)131072, MHD_OPTION_END);
	if (!h->daemon) {
		snprintf(why, WEIR_HTTP_WHY_BYTES, "%s",
			 errno ? strerror(errno) : "the address cannot be used");
		weir_http_close(h);
		return NULL;
	}
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);
	h->port = info ? info->port : 0;
	return h;
}

int weir_http_fd(const struct weir_http *h)
{
	return MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

u16 weir_http_port(const struct weir_http *h)
{
	return h->port;
}

u64 weir_http_step(struct weir_http *h, u64 now_ns)
{
	MHD_UNSIGNED_LONG_LONG wait_ms;
	h->now_ns = now_ns;
	MHD_run(h->daemon);
	u64 next_ns = step_events(h);
	MHD_run(h->daemon); /* what was resumed */
	if (MHD_get_timeout(h->daemon, &wait_ms) == MHD_YES)
		next_ns = weir_min(next_ns, now_ns + (u64)wait_ms * WEIR_NS_PER_MS);
	return next_ns;
}

struct weir_http_stats weir_http_stats(const struct weir_http *h)
{
	return h->stats;
}

void weir_http_close(struct weir_http *h)
{
	if (!h)
		return;
	for (struct client *c = h->clients; c; c = c->next)
		if (c->suspended)
			MHD_resume_connection(c->connection);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	free(h->page);
	free(h);
}

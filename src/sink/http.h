/* SPDX-License-Identifier: MIT */
/* The web side of a monitor, inside of somebody's loop: /metrics for Prometheus, and the live page with its
 * stream of events. A client that reads slowly gets fewer events, each of them the newest; nothing here waits
 * for it. */
#ifndef WEIR_SINK_HTTP_H
#define WEIR_SINK_HTTP_H

#include "board.h"

#include <stdio.h>
#include <sys/socket.h>

#define WEIR_HTTP_WHY_BYTES 256

struct weir_http_config {
	const struct sockaddr *at; /* IPv4 or IPv6 */
	/* Only requests that name this machine are answered: a page from elsewhere whose name was made to
	 * point here (DNS rebinding) learns nothing. */
	bool loopback;
	struct weir_board *live; /* NULL: no page, metrics alone */
	void (*metrics)(void *owner, FILE *out);
	void *owner;
};

struct weir_http_stats {
	u64 requests, refused, events;
	u64 coalesced; /* events that were left out because a client had not taken the one before */
	u32 clients;   /* that take events now */
};

struct weir_http;

/* NULL and why. */
struct weir_http *weir_http_open(const struct weir_http_config *c, char why[WEIR_HTTP_WHY_BYTES]);
/* To be watched for EPOLLIN; when it is ready, step. */
int weir_http_fd(const struct weir_http *h);
u16 weir_http_port(const struct weir_http *h);
/* Does what is due; when to come again. */
u64 weir_http_step(struct weir_http *h, u64 now_ns);
struct weir_http_stats weir_http_stats(const struct weir_http *h);
void weir_http_close(struct weir_http *h);

#endif

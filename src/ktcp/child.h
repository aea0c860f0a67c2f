/* SPDX-License-Identifier: MIT */
/* What both processes of a flow have in common: one event loop, with system calls only. Inside ktcp/ only. */
#ifndef WEIR_KTCP_CHILD_H
#define WEIR_KTCP_CHILD_H

#include "shared.h"

enum {
	WEIR_KTCP_ON_SIGNAL = 1, /* told to end */
	WEIR_KTCP_ON_PEER = 2,	 /* the other process says something, or is gone */
	WEIR_KTCP_ON_READ = 4,	 /* the socket: data, an end, an error */
	WEIR_KTCP_ON_WRITE = 8,
};

struct weir_ktcp_child {
	struct weir_ktcp_config *config; /* of this process alone; weir_ktcp_wait may change start and stop */
	struct weir_ktcp_shared *shared;
	struct weir_ktcp_crowd_shared *crowd; /* NULL: one connection only */
	struct weir_ktcp_fault *fault;	      /* this process's */
	int peer;			      /* one end of a socket pair between the two */
	int ready;			      /* a pipe to the parent: one byte once the socket is made */
	int epoll, timer, signals;
	u64 armed_ns;
};

/* In the new process: makes the loop. 0, or -1 with the fault told. */
int weir_ktcp_child_begin(struct weir_ktcp_child *c, const struct weir_ktcp_birth *b);
/* Tells the fault to the parent (the first one counts). -1. */
int weir_ktcp_fail(struct weir_ktcp_child *c, enum weir_ktcp_failure what, int error);
void weir_ktcp_ready(struct weir_ktcp_child *c);

/* Edge-triggered, both directions. 0, or -1 with the fault told. */
int weir_ktcp_watch(struct weir_ktcp_child *c, int socket);
/* Tells of what is there already once more, and of what comes. */
int weir_ktcp_watch_again(struct weir_ktcp_child *c, int socket);
/* Sleeps until something happens or until_ns has come: a set of WEIR_KTCP_ON_*. WEIR_NEVER: no timer. */
u32 weir_ktcp_wait(struct weir_ktcp_child *c, u64 until_ns);

/* Many sockets, by numbers of the caller's: what happened to which, beside what weir_ktcp_wait tells. */
#define WEIR_KTCP_EVENTS_MAX 64
struct weir_ktcp_event {
	u32 number, on;
};
int weir_ktcp_watch_each(struct weir_ktcp_child *c, int socket, u32 number);
u32 weir_ktcp_wait_each(struct weir_ktcp_child *c, u64 until_ns,
			struct weir_ktcp_event event[WEIR_KTCP_EVENTS_MAX], u32 *n_events);

/* The other process. */
enum weir_ktcp_word {
	WEIR_KTCP_NOTHING,
	WEIR_KTCP_GONE,
	WEIR_KTCP_LISTENS = 'l', /* receiver to sender */
	WEIR_KTCP_HAS_ALL = 'd', /* receiver to sender: the end of the stream was read */
};
void weir_ktcp_say(struct weir_ktcp_child *c, enum weir_ktcp_word word);
enum weir_ktcp_word weir_ktcp_hear(struct weir_ktcp_child *c);

/* The whole lives of the six kinds of process; the exit status. */
int weir_ktcp_stream_sender(struct weir_ktcp_child *c);
int weir_ktcp_stream_receiver(struct weir_ktcp_child *c);
int weir_ktcp_datagram_sender(struct weir_ktcp_child *c);
int weir_ktcp_datagram_receiver(struct weir_ktcp_child *c);
int weir_ktcp_crowd_sender(struct weir_ktcp_child *c);
int weir_ktcp_crowd_receiver(struct weir_ktcp_child *c);

#endif

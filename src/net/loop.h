/* SPDX-License-Identifier: MIT */
/* A loop for one thread: descriptors, one time to wake at, signals as a descriptor. Nothing that is called
 *from here may wait.
 *
 *	struct weir_watch socket = {.fd = fd, .ready = on_socket, .owner = me};
 *	weir_loop_open(&loop);
 *	weir_loop_add(&loop, &socket, EPOLLIN);
 *	while (!done)
 *		weir_loop_wait(&loop, next_ns);
 */
#ifndef WEIR_NET_LOOP_H
#define WEIR_NET_LOOP_H

#include "weir/types.h"

#include <signal.h>
#include <sys/epoll.h>

#define WEIR_LOOP_EVENTS 64

struct weir_watch {
	int fd;
	void (*ready)(void *owner, u32 events); /* EPOLLIN, EPOLLOUT, EPOLLHUP ... */
	void *owner;
};

struct weir_loop {
	int epoll_fd;
	u32 n, next; /* events of the wait that runs */
	struct epoll_event event[WEIR_LOOP_EVENTS];
	/* Signals: those that came since the last look, as a set of bits. */
	struct weir_watch signals;
	u64 came;
	sigset_t before;
};

/* The clock of all that has an age: it goes on while the machine sleeps, and no one sets it. */
u64 weir_clock_ns(void);

/* 0, or -1 with errno. */
int weir_loop_open(struct weir_loop *loop);
/* These signals no longer interrupt anything: weir_loop_came tells of them. */
int weir_loop_signals(struct weir_loop *loop, const int *signals, u32 n);
bool weir_loop_came(struct weir_loop *loop, int number); /* since it was last asked */
void weir_loop_close(struct weir_loop *loop);

/* `w` stays where it is until it is removed. */
int weir_loop_add(struct weir_loop *loop, struct weir_watch *w, u32 events);
int weir_loop_change(struct weir_loop *loop, struct weir_watch *w, u32 events);
/* Before the descriptor is closed. Its events of this wait are not called any more. */
void weir_loop_remove(struct weir_loop *loop, struct weir_watch *w);

/* Until something is ready, or until_ns of weir_clock_ns(): a time that is past looks without waiting.
 * Returns how many were called, -1 with errno on a failure that is none of a signal's. */
int weir_loop_wait(struct weir_loop *loop, u64 until_ns);

#endif

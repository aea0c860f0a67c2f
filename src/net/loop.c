/* SPDX-License-Identifier: MIT */
#include "loop.h"

#include "weir/num.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

u64 weir_clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

int weir_loop_open(struct weir_loop *loop)
{
	*loop = (struct weir_loop){.signals = {.fd = -1}};
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return loop->epoll_fd < 0 ? -1 : 0;
}

static void on_signal(void *owner, u32 events)
{
	struct weir_loop *loop = owner;
	struct signalfd_siginfo info;
	(void)events;
	while (read(loop->signals.fd, &info, sizeof info) == (ssize_t)sizeof info)
		loop->came |= info.ssi_signo < 64 ? 1ULL << info.ssi_signo : 0;
}

int weir_loop_signals(struct weir_loop *loop, const int *signals, u32 n)
{
	sigset_t set;
	sigemptyset(&set);
	for (u32 i = 0; i < n; i++)
		sigaddset(&set, signals[i]);
	if (sigprocmask(SIG_BLOCK, &set, &loop->before) < 0)
		return -1;
	loop->signals = (struct weir_watch){signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), on_signal, loop};
	return loop->signals.fd < 0 ? -1 : weir_loop_add(loop, &loop->signals, EPOLLIN);
}

bool weir_loop_came(struct weir_loop *loop, int number)
{
	bool came = loop->came >> number & 1;
	loop->came &= ~(1ULL << number);
	return came;
}

void weir_loop_close(struct weir_loop *loop)
{
	if (loop->signals.fd >= 0) {
		close(loop->signals.fd);
		sigprocmask(SIG_SETMASK, &loop->before, NULL);
	}
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	loop->signals.fd = loop->epoll_fd = -1;
}

int weir_loop_add(struct weir_loop *loop, struct weir_watch *w, u32 events)
{
	struct epoll_event e = {.events = events, .data.ptr = w};
	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, w->fd, &e);
}

int weir_loop_change(struct weir_loop *loop, struct weir_watch *w, u32 events)
{
	struct epoll_event e = {.events = events, .data.ptr = w};
	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, w->fd, &e);
}

void weir_loop_remove(struct weir_loop *loop, struct weir_watch *w)
{
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, w->fd, NULL);
	for (u32 i = loop->next; i < loop->n; i++)
		if (loop->event[i].data.ptr == w)
			loop->event[i].data.ptr = NULL;
}

int weir_loop_wait(struct weir_loop *loop, u64 until_ns)
{
	u64 left_ns = weir_sub(until_ns, weir_clock_ns());
	struct timespec left = {(time_t)(left_ns / WEIR_NS_PER_S), (long)(left_ns % WEIR_NS_PER_S)};
	int n = epoll_pwait2(loop->epoll_fd, loop->event, WEIR_LOOP_EVENTS,
			     until_ns == WEIR_NEVER ? NULL : &left, NULL);
	if (n < 0 && errno == ENOSYS) { /* before Linux 5.11 */
		int wait_ms =
		    until_ns == WEIR_NEVER ? -1 : (int)weir_min((left_ns + 999999) / 1000000, 60000);
		n = epoll_wait(loop->epoll_fd, loop->event, WEIR_LOOP_EVENTS, wait_ms);
	}
	if (n < 0)
		return errno == EINTR ? 0 : -1;
	loop->n = (u32)n;
	for (loop->next = 0; loop->next < loop->n;) {
		const struct epoll_event *e = &loop->event[loop->next++];
		const struct weir_watch *w = e->data.ptr;
		if (w)
			w->ready(w->owner, e->events);
	}
	loop->n = loop->next = 0;
	return n;
}

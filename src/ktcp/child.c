/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { TAG_SIGNAL, TAG_PEER, TAG_TIMER, TAG_SOCKET };

int weir_ktcp_fail(struct weir_ktcp_child *c, enum weir_ktcp_failure what, int error)
{
	bool counts = !c->shared->ending || what == WEIR_KTCP_CONTROLLER_CHANGED;
	if (c->fault->what == WEIR_KTCP_FINE && counts) {
		c->fault->error = error;
		c->fault->what = what;
	}
	return -1;
}

void weir_ktcp_ready(struct weir_ktcp_child *c)
{
	(void)!write(c->ready, "r", 1);
	close(c->ready);
	c->ready = -1;
}

static int add(struct weir_ktcp_child *c, int fd, u32 events, u32 tag)
{
	struct epoll_event e = {.events = events, .data.u32 = tag};
	return epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &e);
}

static int open_loop(struct weir_ktcp_child *c)
{
	sigset_t heard;
	sigemptyset(&heard);
	sigaddset(&heard, SIGTERM);
	sigaddset(&heard, WEIR_KTCP_SCHEDULED_SIGNAL);
	c->armed_ns = WEIR_NEVER;
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	c->signals = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
	if (c->epoll < 0 || c->timer < 0 || c->signals < 0 || add(c, c->signals, EPOLLIN, TAG_SIGNAL) < 0 ||
	    add(c, c->peer, EPOLLIN, TAG_PEER) < 0 || add(c, c->timer, EPOLLIN, TAG_TIMER) < 0)
		return weir_ktcp_fail(c, WEIR_KTCP_EVENTS, errno);
	return 0;
}

int weir_ktcp_child_begin(struct weir_ktcp_child *c, const struct weir_ktcp_birth *b)
{
	c->peer = b->peer;
	c->ready = b->ready;
	if (b->error)
		return weir_ktcp_fail(c, WEIR_KTCP_NAMESPACE, b->error);
	return open_loop(c);
}

static int watch(struct weir_ktcp_child *c, int operation, int socket, u32 number)
{
	struct epoll_event e = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
				.data.u32 = TAG_SOCKET + number};
	if (epoll_ctl(c->epoll, operation, socket, &e) < 0)
		return weir_ktcp_fail(c, WEIR_KTCP_EVENTS, errno);
	return 0;
}

int weir_ktcp_watch(struct weir_ktcp_child *c, int socket)
{
	return watch(c, EPOLL_CTL_ADD, socket, 0);
}

int weir_ktcp_watch_each(struct weir_ktcp_child *c, int socket, u32 number)
{
	return watch(c, EPOLL_CTL_ADD, socket, number);
}

int weir_ktcp_watch_again(struct weir_ktcp_child *c, int socket)
{
	return watch(c, EPOLL_CTL_MOD, socket, 0);
}

/* A timerfd is not subject to the slack of ordinary tasks, as the time-out of epoll_pwait2 is. */
static void arm(struct weir_ktcp_child *c, u64 until_ns)
{
	if (until_ns == c->armed_ns)
		return;
	struct itimerspec t = {{0, 0}, {0, 0}};
	if (until_ns < WEIR_NS_PER_S << 33) { /* what time_t surely holds: 272 years */
		u64 at_ns = until_ns ? until_ns : 1;
		t.it_value.tv_sec = (time_t)(at_ns / WEIR_NS_PER_S);
		t.it_value.tv_nsec = (long)(at_ns % WEIR_NS_PER_S);
	}
	timerfd_settime(c->timer, TFD_TIMER_ABSTIME, &t, NULL);
	c->armed_ns = until_ns;
}

/* Whether it is time to end. */
static bool hear_signal(struct weir_ktcp_child *c)
{
	struct signalfd_siginfo s;
	if (read(c->signals, &s, sizeof s) != sizeof s)
		return false;
	if (s.ssi_signo == SIGTERM)
		return true;
	c->config->start_ns = c->shared->start_ns;
	c->config->stop_ns = c->shared->stop_ns;
	return false;
}

static u32 on_socket(u32 events)
{
	u32 on = 0;
	if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		on |= WEIR_KTCP_ON_READ;
	if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
		on |= WEIR_KTCP_ON_WRITE;
	return on;
}

u32 weir_ktcp_wait_each(struct weir_ktcp_child *c, u64 until_ns,
			struct weir_ktcp_event event[WEIR_KTCP_EVENTS_MAX], u32 *n_events)
{
	struct epoll_event e[WEIR_KTCP_EVENTS_MAX];
	arm(c, until_ns);
	int n = epoll_wait(c->epoll, e, WEIR_KTCP_EVENTS_MAX, -1);
	u32 on = 0;
	*n_events = 0;
	for (int i = 0; i < n; i++) {
		switch (e[i].data.u32) {
		case TAG_SIGNAL:
			if (hear_signal(c))
				on |= WEIR_KTCP_ON_SIGNAL;
			break;
		case TAG_PEER:
			on |= WEIR_KTCP_ON_PEER;
			break;
		case TAG_TIMER: /* level-triggered: arming it anew is what silences it */
			break;
		default:
			event[(*n_events)++] = (struct weir_ktcp_event){.number = e[i].data.u32 - TAG_SOCKET,
									.on = on_socket(e[i].events)};
			break;
		}
	}
	return on;
}

u32 weir_ktcp_wait(struct weir_ktcp_child *c, u64 until_ns)
{
	struct weir_ktcp_event event[WEIR_KTCP_EVENTS_MAX];
	u32 n, on = weir_ktcp_wait_each(c, until_ns, event, &n);
	for (u32 i = 0; i < n; i++)
		on |= event[i].on;
	return on;
}

void weir_ktcp_say(struct weir_ktcp_child *c, enum weir_ktcp_word word)
{
	char w = (char)word;
	(void)!send(c->peer, &w, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

enum weir_ktcp_word weir_ktcp_hear(struct weir_ktcp_child *c)
{
	char w;
	ssize_t n = recv(c->peer, &w, 1, MSG_DONTWAIT);
	if (n == 1)
		return (enum weir_ktcp_word)w;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? WEIR_KTCP_NOTHING : WEIR_KTCP_GONE;
}

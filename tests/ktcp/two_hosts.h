/* SPDX-License-Identifier: MIT */
/* Two namespaces of the test's own with a veth pair between them, and flows from the left to the right one.
 */
#ifndef TESTS_KTCP_TWO_HOSTS_H
#define TESTS_KTCP_TWO_HOSTS_H

#include "ktcp/flow.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MS WEIR_NS_PER_MS
#define SECOND WEIR_NS_PER_S

enum { LEFT, RIGHT };
static int home = -1, host[2] = {-1, -1}; /* namespaces */
static u16 next_port = 5000;		  /* each flow its own */

static inline u64 now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * SECOND + (u64)t.tv_nsec;
}

static inline void sleep_until(u64 at_ns)
{
	struct timespec t = {.tv_sec = (time_t)(at_ns / SECOND), .tv_nsec = (long)(at_ns % SECOND)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
		;
}

/* A command of the shell in one of the two; its exit status. */
__attribute__((format(printf, 2, 3))) static inline int in_host(u32 side, const char *format, ...)
{
	char command[512];
	va_list list;
	va_start(list, format);
	vsnprintf(command, sizeof command, format, list);
	va_end(list);
	assert_int_equal(setns(host[side], CLONE_NEWNET), 0);
	int status = system(command);
	assert_int_equal(setns(home, CLONE_NEWNET), 0);
	return status;
}

static inline int open_hosts(void **state)
{
	(void)state;
	for (u32 side = LEFT; side <= RIGHT; side++) {
		assert_int_equal(unshare(CLONE_NEWNET), 0);
		host[side] = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
		assert_true(host[side] >= 0);
		assert_int_equal(setns(home, CLONE_NEWNET), 0);
	}
	assert_int_equal(in_host(LEFT,
				 "ip link add name left0 type veth peer name right0 netns /proc/%d/fd/%d",
				 (int)getpid(), host[RIGHT]),
			 0);
	for (u32 side = LEFT; side <= RIGHT; side++) {
		const char *dev = side == LEFT ? "left0" : "right0";
		/* No waiting for duplicates of our addresses, nor for neighbours of a device that is just up;
		 * and a later flow shall not begin with what an earlier one learnt of the path. */
		assert_int_equal(in_host(side,
					 "echo 0 > /proc/sys/net/ipv6/conf/%s/accept_dad; "
					 "echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save; "
					 "ip link set %s address 02:00:00:00:00:0%u",
					 dev, dev, side + 1),
				 0);
		assert_int_equal(in_host(side,
					 "ip link set lo up && ip addr add 10.9.8.%u/24 dev %s && "
					 "ip addr add fd00:98::%u/64 dev %s nodad && ip link set %s up && "
					 "ip neigh add fd00:98::%u lladdr 02:00:00:00:00:0%u dev %s",
					 side + 1, dev, side + 1, dev, dev, 2 - side, 2 - side, dev),
				 0);
	}
	return 0;
}

static inline int close_hosts(void **state)
{
	(void)state;
	close(host[LEFT]);
	close(host[RIGHT]);
	return 0;
}

/* The left host's device becomes this slow; false where the kernel has no tbf. */
static inline bool make_slow(const char *rate, u32 limit_bytes)
{
	return in_host(LEFT, "tc qdisc add dev left0 root tbf rate %s burst 1600 limit %u 2>/dev/null", rate,
		       limit_bytes) == 0;
}

static inline void set_addresses(struct weir_ktcp_config *c, int family)
{
	u16 port = next_port++;
	memset(&c->sender, 0, sizeof c->sender);
	memset(&c->receiver, 0, sizeof c->receiver);
	if (family == AF_INET6) {
		c->sender.sin6_family = c->receiver.sin6_family = AF_INET6;
		c->sender.sin6_port = c->receiver.sin6_port = htons(port);
		inet_pton(AF_INET6, "fd00:98::1", &c->sender.sin6_addr);
		inet_pton(AF_INET6, "fd00:98::2", &c->receiver.sin6_addr);
		return;
	}
	struct sockaddr_in *from = (void *)&c->sender, *to = (void *)&c->receiver;
	from->sin_family = to->sin_family = AF_INET;
	from->sin_port = to->sin_port = htons(port);
	inet_pton(AF_INET, "10.9.8.1", &from->sin_addr);
	inet_pton(AF_INET, "10.9.8.2", &to->sin_addr);
}

/* From the left to the right, beginning soon. */
static inline struct weir_ktcp_config a_flow(enum weir_app_kind kind)
{
	struct weir_ktcp_config c = {
	    .sender_ns = host[LEFT],
	    .receiver_ns = host[RIGHT],
	    .controller = weir_app_is_datagram(kind) ? NULL : "reno",
	    .app = {.kind = kind, .chunk_bytes = 1448},
	    .seed = 1,
	    .start_ns = now_ns() + 150 * MS,
	    .stop_ns = WEIR_NEVER,
	};
	set_addresses(&c, AF_INET);
	return c;
}

static inline struct weir_ktcp_flow *begin(const struct weir_ktcp_config *c)
{
	char why[WEIR_KTCP_WHY_BYTES] = "";
	struct weir_ktcp_flow *f = weir_ktcp_start(c, why);
	if (!f)
		fail_msg("%s", why);
	return f;
}

/* Until it is done, or until then; fails when it fails. */
static inline struct weir_ktcp_seen watch(struct weir_ktcp_flow *f, u64 until_ns)
{
	struct weir_ktcp_seen s;
	for (weir_ktcp_look(f, &s); !s.done && !s.failed && now_ns() < until_ns; weir_ktcp_look(f, &s))
		usleep(2000);
	return s;
}

/* Ends it; what there was to see last. */
static inline struct weir_ktcp_seen finish(struct weir_ktcp_flow *f)
{
	char why[WEIR_KTCP_WHY_BYTES] = "";
	struct weir_ktcp_seen s;
	if (weir_ktcp_finish(f, why) < 0)
		fail_msg("%s", why);
	weir_ktcp_look(f, &s);
	return s;
}

static inline void end(struct weir_ktcp_flow *f)
{
	char why[WEIR_KTCP_WHY_BYTES] = "";
	assert_int_equal(weir_ktcp_end(f, why), 0);
}

static inline void skip_without_ground(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNET) < 0) {
		puts("needs root and network namespaces");
		exit(77);
	}
	/* All tests run in a namespace of this program, and never in the machine's. */
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home < 0 ||
	    system("ip link add name weir0 type veth peer name weir1 2>/dev/null && ip link del weir0")) {
		puts("needs veth devices and the command ip (iproute2)");
		exit(77);
	}
}

#endif

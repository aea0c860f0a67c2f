/* SPDX-License-Identifier: MIT */
#include "socket.h"

#include "weir/num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define TIMESTAMP_OPTION_BYTES 12
#define FILES_BESIDE 64 /* that are no connection of a crowd */
/* Payload and overhead of the skbs: a segment of a few bytes occupies some 20 times its size, a usual one at
 * most four times. The kernel doubles what it is asked for. */
#define BUFFER_PER_WINDOW 4
#define WINDOW_MAX_BYTES (1ULL << 30)	 /* 65535 << 14, RFC 7323 */
#define SEND_BUFFER_BYTES (64 << 20)	 /* never the limit: that is unsent.h */
#define RECEIVE_BUFFER_BYTES (64 << 20)	 /* likewise, where no window is asked for */
#define DATAGRAM_BUFFER_BYTES (16 << 20) /* bursts while the receiving process waits for the CPU */
#define CROWD_UNSENT_BYTES (128 << 10)
#define CROWD_BACKLOG 4096	  /* net.core.somaxconn since Linux 5.4 */
#define RMEM_DEFAULT_BYTES 212992 /* net.core.rmem_max unless somebody changed it */

static int set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof value);
}

socklen_t weir_ktcp_address_bytes(const struct sockaddr_in6 *a)
{
	return a->sin6_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

/* What is of no use any more leaves at once, with a reset: a socket that lingers would hold its namespace. */
static int open_socket(struct weir_ktcp_child *c, int type)
{
	int fd = socket(c->config->sender.sin6_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return weir_ktcp_fail(c, WEIR_KTCP_SOCKET, errno);
	struct linger at_once = {.l_onoff = 1, .l_linger = 0};
	set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (type == SOCK_STREAM && (setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) < 0 ||
				    set(fd, IPPROTO_TCP, TCP_NODELAY, 1) < 0)) {
		weir_ktcp_fail(c, WEIR_KTCP_SOCKET, errno);
		close(fd);
		return -1;
	}
	return fd;
}

static int bind_to(struct weir_ktcp_child *c, int fd, const struct sockaddr_in6 *a)
{
	if (bind(fd, (const struct sockaddr *)a, weir_ktcp_address_bytes(a)) < 0)
		return weir_ktcp_fail(c, WEIR_KTCP_BIND, errno);
	return 0;
}

/* The namespace's own setting, of this process's namespace. */
static bool timestamps_are_on(void)
{
	char text = '1';
	int fd = open("/proc/sys/net/ipv4/tcp_timestamps", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		(void)!read(fd, &text, 1);
		close(fd);
	}
	return text != '0';
}

static int set_sender_options(struct weir_ktcp_child *c, int fd)
{
	const struct weir_ktcp_config *config = c->config;
	int error = weir_ktcp_controller_set(fd, config->controller);
	if (error)
		return weir_ktcp_fail(c, WEIR_KTCP_CONTROLLER, error);
	if (!weir_ktcp_controller_is(fd, config->controller, c->shared->sender.found))
		return weir_ktcp_fail(c, WEIR_KTCP_CONTROLLER_CHANGED, 0);
	if (config->mss_bytes) {
		u64 segment = config->mss_bytes + (timestamps_are_on() ? TIMESTAMP_OPTION_BYTES : 0U);
		if (set(fd, IPPROTO_TCP, TCP_MAXSEG, (int)weir_min(segment, 1 << 20)) < 0)
			return weir_ktcp_fail(c, WEIR_KTCP_SEGMENT_SIZE, errno);
	}
	unsigned long no_limit = ~0UL - 1; /* ~0 itself would leave pacing off */
	if (config->pace && setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &no_limit, sizeof no_limit) < 0)
		return weir_ktcp_fail(c, WEIR_KTCP_SOCKET, errno);
	if (c->crowd) { /* thousands of them: the kernel sizes the buffer, and we are called when it runs low
			 */
		set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, CROWD_UNSENT_BYTES);
		return 0;
	}
	/* Where it is not allowed (a user namespace) the kernel sizes it, up to tcp_wmem. */
	set(fd, SOL_SOCKET, SO_SNDBUFFORCE, SEND_BUFFER_BYTES);
	return 0;
}

int weir_ktcp_stream_socket(struct weir_ktcp_child *c)
{
	int fd = open_socket(c, SOCK_STREAM);
	if (fd >= 0 && (set_sender_options(c, fd) < 0 || bind_to(c, fd, &c->config->sender) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

void weir_ktcp_clamp_window(int socket, u64 rwnd_bytes)
{
	set(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP, (int)weir_min(rwnd_bytes, WINDOW_MAX_BYTES));
}

/* The clamp makes the window, the buffer behind it only has to be large enough. Without the right to a large
 * one the kernel lets it grow, up to tcp_rmem. */
static void set_receive_buffer(int fd, u64 rwnd_bytes)
{
	u64 bytes = weir_min(rwnd_bytes, WINDOW_MAX_BYTES / BUFFER_PER_WINDOW) * BUFFER_PER_WINDOW;
	bytes = weir_min(bytes, WINDOW_MAX_BYTES - 1);
	if (set(fd, SOL_SOCKET, SO_RCVBUFFORCE, (int)bytes) < 0 && bytes <= RMEM_DEFAULT_BYTES)
		set(fd, SOL_SOCKET, SO_RCVBUF, (int)bytes);
	weir_ktcp_clamp_window(fd, rwnd_bytes);
}

int weir_ktcp_listener(struct weir_ktcp_child *c)
{
	int fd = open_socket(c, SOCK_STREAM);
	if (fd < 0)
		return -1;
	/* Left to itself the kernel makes the buffer larger once in what it takes for a round trip. It
	 * measures that as the time in which a window arrives, which begins with the handshake: the wait for
	 * the first data counts, and for so long the sender could not grow beyond 60 packets. */
	if (c->config->rwnd_bytes)
		set_receive_buffer(fd, c->config->rwnd_bytes);
	else
		set(fd, SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES);
	if (bind_to(c, fd, &c->config->receiver) < 0) {
		close(fd);
		return -1;
	}
	if (listen(fd, c->crowd ? CROWD_BACKLOG : 1) < 0) {
		weir_ktcp_fail(c, WEIR_KTCP_BIND, errno);
		close(fd);
		return -1;
	}
	return fd;
}

static bool is_sender(const struct sockaddr_in6 *from, const struct sockaddr_in6 *sender)
{
	if (from->sin6_family != sender->sin6_family)
		return false;
	if (sender->sin6_port && from->sin6_port != sender->sin6_port) /* the same place in both families */
		return false;
	if (from->sin6_family == AF_INET)
		return ((const struct sockaddr_in *)(const void *)from)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)(const void *)sender)->sin_addr.s_addr;
	return memcmp(&from->sin6_addr, &sender->sin6_addr, sizeof from->sin6_addr) == 0;
}

int weir_ktcp_accept(struct weir_ktcp_child *c, int listener)
{
	for (;;) {
		struct sockaddr_in6 from;
		socklen_t bytes = sizeof from;
		memset(&from, 0, sizeof from);
		int fd = accept4(listener, (struct sockaddr *)&from, &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0 && is_sender(&from, &c->config->sender))
			return fd;
		if (fd >= 0) { /* somebody else */
			close(fd);
			continue;
		}
		if (errno == EAGAIN)
			return -1;
		if (errno != EINTR && errno != ECONNABORTED)
			return weir_ktcp_fail(c, WEIR_KTCP_RECEIVE, errno);
	}
}

int weir_ktcp_datagram_socket(struct weir_ktcp_child *c, bool sender)
{
	const struct sockaddr_in6 *own = sender ? &c->config->sender : &c->config->receiver;
	const struct sockaddr_in6 *other = sender ? &c->config->receiver : &c->config->sender;
	int option = sender ? SO_SNDBUF : SO_RCVBUF, force = sender ? SO_SNDBUFFORCE : SO_RCVBUFFORCE;
	int fd = open_socket(c, SOCK_DGRAM);
	if (fd < 0)
		return -1;
	if (set(fd, SOL_SOCKET, force, DATAGRAM_BUFFER_BYTES) < 0)
		set(fd, SOL_SOCKET, option, DATAGRAM_BUFFER_BYTES);
	if (bind_to(c, fd, own) < 0) {
		close(fd);
		return -1;
	}
	/* Connected: nobody else's datagrams count. */
	if (other->sin6_port &&
	    connect(fd, (const struct sockaddr *)other, weir_ktcp_address_bytes(other)) < 0) {
		weir_ktcp_fail(c, WEIR_KTCP_CONNECT, errno);
		close(fd);
		return -1;
	}
	return fd;
}

int weir_ktcp_pending_error(int socket)
{
	int error = 0;
	socklen_t bytes = sizeof error;
	return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &bytes) < 0 ? errno : error;
}

u32 weir_ktcp_crowd_room(void)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return FILES_BESIDE;
	r.rlim_cur = weir_min(r.rlim_max, WEIR_KTCP_CROWD_AT_ONCE + 2 * FILES_BESIDE);
	(void)setrlimit(RLIMIT_NOFILE, &r);
	(void)getrlimit(RLIMIT_NOFILE, &r);
	return (u32)weir_min(weir_sub(r.rlim_cur, FILES_BESIDE), WEIR_KTCP_CROWD_AT_ONCE);
}

/* SPDX-License-Identifier: MIT */
/* Every controller carries real TCP over loopback in a namespace of its own: chosen per socket, read back, no
 * byte lost or changed; watched call by call; and gone when its owner goes, whatever takes it. */
#include "cc/table.h"
#include "kern/registered.h"
#include "kern/watch.h"
#include "machine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define BYTES (8U << 20)
#define BLOCK 65536
#define WAIT_S 20

static char why[WEIR_KERN_WHY_BYTES];

static void put_in_kernel(struct weir_kern *kern, const char *name, enum weir_kern_life life)
{
	struct weir_kern_object object;
	assert_true(weir_kern_object_find(name, &object));
	if (weir_kern_load(kern, &object, NULL, life, false, why) || weir_kern_register(kern, why))
		fail_msg("%s", why);
}

static void choose(int fd, const char *name)
{
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)))
		fail_msg("TCP_CONGESTION %s: %s", name, strerror(errno));
}

static void has(int fd, const char *name)
{
	char got[WEIR_KERN_NAME_BYTES] = "";
	socklen_t bytes = sizeof got;
	assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, got, &bytes), 0);
	assert_string_equal(got, name);
}

static u8 byte_at(u64 offset)
{
	return (u8)(offset * 2654435761U >> 13);
}

/* Two connected sockets that both have it; neither waits for ever. */
static void connect_pair(int ends[2], const char *name)
{
	const struct timeval wait = {.tv_sec = WAIT_S};
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t bytes = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	choose(listener, name);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, bytes), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &bytes), 0);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	choose(ends[0], name);
	assert_int_equal(connect(ends[0], (struct sockaddr *)&address, bytes), 0);
	ends[1] = accept(listener, NULL, NULL);
	assert_true(ends[1] >= 0);
	for (u32 i = 0; i < 2; i++) {
		has(ends[i], name);
		setsockopt(ends[i], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
		setsockopt(ends[i], SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
	}
	close(listener);
}

static void send_all(int fd)
{
	u8 block[BLOCK];
	for (u64 sent = 0; sent < BYTES;) {
		u64 n = BYTES - sent < BLOCK ? BYTES - sent : BLOCK;
		for (u64 i = 0; i < n; i++)
			block[i] = byte_at(sent + i);
		ssize_t done = send(fd, block, n, MSG_NOSIGNAL);
		if (done <= 0)
			_exit(1);
		sent += (u64)done;
	}
}

static void receive_all(int fd)
{
	u8 block[BLOCK];
	u64 got = 0;
	ssize_t n;
	while ((n = recv(fd, block, sizeof block, 0)) > 0)
		for (ssize_t i = 0; i < n; i++, got++)
			assert_int_equal(block[i], byte_at(got));
	assert_int_equal(n, 0);
	assert_int_equal(got, BYTES);
}

static void move(const char *name)
{
	int ends[2], status;
	connect_pair(ends, name);
	pid_t sender = fork();
	if (sender == 0) {
		alarm(WAIT_S);
		send_all(ends[0]);
		_exit(0);
	}
	close(ends[0]);
	receive_all(ends[1]);
	has(ends[1], name);
	close(ends[1]);
	assert_int_equal(waitpid(sender, &status, 0), sender);
	assert_int_equal(status, 0);
}

/* ---- tests ---- */

static void every_controller_moves_data(void **unused)
{
	(void)unused;
	for (u32 i = 0; i < weir_cc_count(); i++) {
		struct weir_kern kern;
		put_in_kernel(&kern, weir_cc_at(i)->name, WEIR_KERN_PROCESS);
		assert_true(weir_kern_is_registered(kern.name));
		move(kern.name);
		weir_kern_close(&kern);
		assert_false(weir_kern_is_registered(kern.name));
	}
}

struct seen {
	u64 calls[WEIR_KERN_EVENTS], socket, acked_bytes, last_delivered_bytes, bad;
};

static void see(void *context, const struct weir_kern_record *r)
{
	struct seen *s = context;
	const struct weir_kern_call *c = &r->call;
	s->bad += c->event >= WEIR_KERN_EVENTS;
	s->calls[c->event % WEIR_KERN_EVENTS]++;
	if (s->socket && s->socket != r->socket)
		return;
	/* the first that acknowledges something is the one that sends */
	if (c->event == WEIR_KERN_ACK && c->ack.acked_bytes > 1000)
		s->socket = r->socket;
	if (!s->socket)
		return;
	s->bad += c->view.delivered_bytes < s->last_delivered_bytes;
	s->bad += c->view.mss_bytes == 0 || !r->cwnd_packets;
	s->last_delivered_bytes = c->view.delivered_bytes;
	s->acked_bytes += c->event == WEIR_KERN_ACK ? c->ack.acked_bytes : 0;
}

/* Small enough for the ring: nothing may be missing, and the bytes add up. */
static void calls_can_be_watched(void **unused)
{
	(void)unused;
	struct weir_kern kern;
	struct weir_kern_watch watch;
	struct seen seen = {0};
	put_in_kernel(&kern, "reno", WEIR_KERN_PROCESS);
	assert_int_equal(weir_kern_watch_open(&watch, kern.name, see, &seen, why), 0);
	move(kern.name);
	while (weir_kern_watch_poll(&watch, 0) > 0)
		;
	assert_int_equal(weir_kern_watch_dropped(&watch), 0);
	assert_int_equal(seen.bad, 0);
	assert_int_equal(seen.calls[WEIR_KERN_INIT], 2);
	assert_true(seen.calls[WEIR_KERN_ACK] > 10);
	/* The end of the connection may come before the last ACK is looked at; counted are 16 bytes at a
	 * time. */
	assert_in_range(seen.acked_bytes, BYTES - BYTES / 4, BYTES + 16);
	weir_kern_watch_close(&watch);
	weir_kern_close(&kern);
}

/* K10: the kernel's refusals are words that can be understood. */
static void k10_names_that_are_taken_or_too_long_are_refused_in_words(void **unused)
{
	(void)unused;
	struct weir_kern first, second;
	struct weir_kern_object object;
	char name[WEIR_KERN_NAME_BYTES];
	put_in_kernel(&first, "reno", WEIR_KERN_PROCESS);
	assert_true(weir_kern_object_find("reno", &object));
	assert_int_equal(weir_kern_load(&second, &object, NULL, WEIR_KERN_PROCESS, false, why), 0);
	assert_int_equal(weir_kern_register(&second, why), 1);
	assert_non_null(strstr(why, "weir_reno is registered already"));
	weir_kern_close(&second);
	assert_true(weir_kern_is_registered("weir_reno"));
	weir_kern_close(&first);

	struct weir_cc_ops ops = *object.ops;
	ops.name = "elevenchars";
	object.ops = &ops;
	assert_false(weir_kern_name(ops.name, name));
	assert_int_equal(weir_kern_load(&second, &object, NULL, WEIR_KERN_PROCESS, false, why), 2);
	assert_non_null(strstr(why, "10 characters"));
	assert_true(weir_kern_name("ten-chars1", name));
	assert_string_equal(name, "weir_ten_chars1");
}

static void needs_that_the_kernel_cannot_meet_are_named(void **unused)
{
	(void)unused;
	static const struct {
		u16 need;
		const char *word;
	} needs[] = {{WEIR_NEED_SEND, "WEIR_NEED_SEND"},
		     {WEIR_NEED_TICK, "WEIR_NEED_TICK"},
		     {WEIR_NEED_OWD, "WEIR_NEED_OWD"}};
	for (u32 i = 0; i < 3; i++) {
		struct weir_kern kern;
		struct weir_kern_object object;
		assert_true(weir_kern_object_find("reno", &object));
		struct weir_cc_ops ops = *object.ops;
		ops.needs = needs[i].need;
		object.ops = &ops;
		assert_int_equal(weir_kern_load(&kern, &object, NULL, WEIR_KERN_PROCESS, false, why), 2);
		assert_non_null(strstr(why, needs[i].word));
	}
}

/* K1: unloaded while a connection uses it: the connection goes on, new ones cannot have it. */
static void k1_connections_outlive_an_unload(void **unused)
{
	(void)unused;
	struct weir_kern kern;
	int ends[2], fd;
	char text[4] = "";
	u64 n;
	put_in_kernel(&kern, "cubic", WEIR_KERN_STAYS);
	u32 map_id = kern.map_id;
	weir_kern_close(&kern);
	assert_true(weir_kern_is_registered("weir_cubic"));
	connect_pair(ends, "weir_cubic");
	assert_int_equal(weir_kern_sockets("weir_cubic", &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(weir_kern_unregister(map_id), 0);
	assert_false(weir_kern_is_registered("weir_cubic"));
	for (u32 i = 0; i < 1000; i++) {
		assert_int_equal(send(ends[0], "abc", 4, MSG_NOSIGNAL), 4);
		assert_int_equal(recv(ends[1], text, sizeof text, MSG_WAITALL), 4);
	}
	fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "weir_cubic", 10), -1);
	close(fd);
	/* and the name is free again */
	put_in_kernel(&kern, "cubic", WEIR_KERN_PROCESS);
	move(kern.name);
	weir_kern_close(&kern);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(weir_kern_unregister(map_id), -1);
}

/* Its owner is killed, and nobody can tidy up. */
static void sigkill_leaves_nothing_registered(void **unused)
{
	(void)unused;
	int pipe_fd[2], status;
	char byte;
	assert_int_equal(pipe(pipe_fd), 0);
	pid_t owner = fork();
	if (owner == 0) {
		struct weir_kern kern;
		put_in_kernel(&kern, "vegas", WEIR_KERN_PROCESS);
		if (write(pipe_fd[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(pipe_fd[0], &byte, 1), 1);
	assert_true(weir_kern_is_registered("weir_vegas"));
	kill(owner, SIGKILL);
	assert_int_equal(waitpid(owner, &status, 0), owner);
	for (u32 i = 0; i < 200 && weir_kern_is_registered("weir_vegas"); i++)
		usleep(10000);
	assert_false(weir_kern_is_registered("weir_vegas"));
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

static int loopback_up(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	int result = ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
	return result;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_controller_moves_data),
	    cmocka_unit_test(calls_can_be_watched),
	    cmocka_unit_test(k10_names_that_are_taken_or_too_long_are_refused_in_words),
	    cmocka_unit_test(needs_that_the_kernel_cannot_meet_are_named),
	    cmocka_unit_test(k1_connections_outlive_an_unload),
	    cmocka_unit_test(sigkill_leaves_nothing_registered),
	};
	machine_or_skip();
	if (unshare(CLONE_NEWNET) || loopback_up()) {
		puts("no network namespace of our own");
		return WEIR_EXIT_SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

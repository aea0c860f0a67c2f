/* SPDX-License-Identifier: MIT */
/* A sensor that stays fresh at its monitor:  cc source.c weir_acp.c -o source && ./source 127.0.0.1 49050 */
#include "weir_acp.h"

#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Asked just before an update leaves; here it counts. */
static size_t read_sensor(void *context, void *value, size_t room)
{
	static int count;
	(void)context;
	return (size_t)snprintf(value, room, "{\"reading\": %d}", ++count);
}

static void send_datagram(void *context, const void *datagram, size_t bytes)
{
	send(*(int *)context, datagram, bytes, 0); /* what cannot be sent is lost, as anywhere on the path */
}

int main(int argc, char **argv)
{
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *to;
	if (argc != 3 || getaddrinfo(argv[1], argv[2], &hints, &to))
		return fprintf(stderr, "usage: source HOST PORT\n"), 2;
	int fd = socket(to->ai_family, SOCK_DGRAM, 0);
	if (fd < 0 || connect(fd, to->ai_addr, to->ai_addrlen))
		return perror("connect"), 1;
	static unsigned char buffer[WEIR_ACP_HEADER_BYTES + 100];
	static struct weir_acp_source source;
	struct weir_acp_source_options o = {.sensor = 1,
					    .max_rate_hz = 100,
					    .buffer = buffer,
					    .context = &fd,
					    .buffer_bytes = sizeof buffer,
					    .ready = read_sensor,
					    .send = send_datagram};
	if (getentropy(&o.flow_id, sizeof o.flow_id) || getentropy(&o.incarnation, sizeof o.incarnation) ||
	    weir_acp_source_init(&source, &o, now_ns()))
		return 1;
	for (;;) {
		uint64_t wake_ns = weir_acp_source_run(&source, now_ns()), now = now_ns();
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		poll(&ready, 1,
		     wake_ns == WEIR_ACP_NEVER ? -1
		     : wake_ns <= now	       ? 0
					       : (int)((wake_ns - now) / 1000000 + 1));
		unsigned char answer[WEIR_ACP_ANSWER_BYTES];
		ssize_t bytes = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
		if (bytes > 0)
			weir_acp_source_datagram(&source, now_ns(), answer, (size_t)bytes);
	}
}

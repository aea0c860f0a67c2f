/* SPDX-License-Identifier: MIT */
/* Prints what sources send, and how old it is:  cc monitor.c weir_acp.c -o monitor && ./monitor 49050 */
#include "weir_acp.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SOURCES 64

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	struct sockaddr_in6 here = {.sin6_family = AF_INET6,
				    .sin6_port = htons(argc == 2 ? (uint16_t)atoi(argv[1]) : 0)};
	int fd =
	    socket(AF_INET6, SOCK_DGRAM, 0); /* takes IPv4 too; on all addresses, without keys: for a lab */
	if (argc != 2 || fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here))
		return fprintf(stderr, "usage: monitor PORT (which must be free)\n"), 2;
	static uint64_t memory[WEIR_ACP_MONITOR_BYTES(SOURCES) / 8], seed;
	static struct weir_acp_monitor monitor;
	if (getentropy(&seed, sizeof seed) ||
	    weir_acp_monitor_init(&monitor, SOURCES, memory, seed, 3600000000000U) != WEIR_ACP_OK)
		return 1;
	for (;;) {
		unsigned char datagram[2048], answer[WEIR_ACP_ANSWER_BYTES];
		struct sockaddr_storage from;
		socklen_t length = sizeof from;
		struct weir_acp_event e;
		ssize_t bytes = recvfrom(fd, datagram, sizeof datagram, 0, (struct sockaddr *)&from, &length);
		if (bytes < 0)
			continue;
		size_t back =
		    weir_acp_monitor_datagram(&monitor, now_ns(), datagram, (size_t)bytes, answer, &e);
		if (back)
			sendto(fd, answer, back, 0, (struct sockaddr *)&from, length);
		if (e.kind == WEIR_ACP_VALUE)
			printf("%016llx %.3f ms (%.3f to %.3f), %llu lost: %.*s\n",
			       (unsigned long long)e.flow_id, e.age_s * 1e3, e.age_low_s * 1e3,
			       e.age_high_s * 1e3, (unsigned long long)e.lost, (int)e.bytes,
			       (const char *)e.value);
		fflush(stdout);
	}
}

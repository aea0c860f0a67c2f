/* SPDX-License-Identifier: MIT */
#include "ends.h"

#include "weir/types.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT 5300
#define WRITES 12
#define BETWEEN_WRITES_US 35000 /* more than a round trip: nothing of the last write is left */
#define WAIT_S 40

static int send_all(int fd, const u8 *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = send(fd, data, bytes, MSG_NOSIGNAL);
		if (n <= 0)
			return 1;
		bytes -= (size_t)n;
	}
	return 0;
}

int ends_send(void)
{
	static const u8 data[ENDS_BULK_BYTES];
	const char *peer = getenv("WEIR_PEER");
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	char byte;
	alarm(WAIT_S);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* a write leaves whole */
	if (!peer || inet_pton(AF_INET, peer, &to.sin_addr) != 1 ||
	    connect(fd, (struct sockaddr *)&to, sizeof to))
		return 1;
	int failed = send_all(fd, data, ENDS_BULK_BYTES);
	/* All of it has arrived before the pauses begin. */
	failed = failed || recv(fd, &byte, 1, 0) != 1;
	for (u32 i = 0; i < WRITES && !failed; i++) {
		usleep(BETWEEN_WRITES_US);
		failed = send_all(fd, data, ENDS_WRITE_BYTES);
	}
	shutdown(fd, SHUT_WR);
	return failed || recv(fd, &byte, 1, 0) != 0;
}

int ends_take(void)
{
	static u8 block[1 << 16];
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	u64 got = 0;
	ssize_t n;
	alarm(WAIT_S);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 1))
		return 1;
	int fd = accept(listener, NULL, NULL);
	while ((n = recv(fd, block, sizeof block, 0)) > 0) {
		if (got < ENDS_BULK_BYTES && got + (u64)n >= ENDS_BULK_BYTES &&
		    send(fd, "", 1, MSG_NOSIGNAL) != 1)
			return 1;
		got += (u64)n;
	}
	return n != 0;
}

/* SPDX-License-Identifier: MIT */
/* Internet addresses with a port, of both families, and how people write them. */
#ifndef WEIR_NET_ADDRESS_H
#define WEIR_NET_ADDRESS_H

#include "weir/types.h"

#include <netinet/in.h>
#include <sys/socket.h>

#define WEIR_PORT_DEFAULT 49050 /* the port of the paper's own programs */
#define WEIR_ADDRESS_TEXT 64	/* "[v6%zone]:port" and its zero */
#define WEIR_NET_WHY_BYTES 256
#define WEIR_NET_HOST_BYTES 256

/* IPv4 on a socket of both families looks as the kernel gives it, as a mapped IPv6 address. Bytes that have
 * no meaning are 0, so that two addresses are equal when their bytes are. */
struct weir_address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	u32 bytes; /* of the socket address; 0: none */
};

/* "HOST", "HOST:PORT", "[V6]:PORT", "V6", ":PORT", "PORT" only where a host may be missing (`host` is then
 * ""). false: *why says what is wrong and what is expected. */
bool weir_address_split(const char *text, char host[WEIR_NET_HOST_BYTES], u16 *port,
			char why[WEIR_NET_WHY_BYTES]);

/* All addresses of a host's name, in the order in which the resolver wants them tried; `host` "" is loopback,
 * "*" every address of this machine. This waits for name servers: not for a loop. Returns how many, or 0 and
 * why. */
u32 weir_address_resolve(const char *host, u16 port, struct weir_address *to, u32 room,
			 char why[WEIR_NET_WHY_BYTES]);

/* As the kernel gave it: padding becomes 0. */
void weir_address_take(struct weir_address *a, const struct sockaddr *from, u32 bytes);
bool weir_address_equal(const struct weir_address *a, const struct weir_address *b);
/* For tables; not for those whom an attacker may fill without a key of theirs. */
u64 weir_address_hash(const struct weir_address *a, u64 key);
bool weir_address_is_loopback(const struct weir_address *a);
u16 weir_address_port(const struct weir_address *a);
/* The same as a mapped IPv6 address, which is what a socket of both families wants. */
void weir_address_map(struct weir_address *a);
/* "127.0.0.1:49050", "[::1]:49050"; a mapped address is written as the IPv4 one. */
const char *weir_address_print(const struct weir_address *a, char text[WEIR_ADDRESS_TEXT]);

#endif

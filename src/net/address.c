/* SPDX-License-Identifier: MIT */
#include "address.h"

#include "core/rng.h"
#include "weir/num.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool take_port(const char *text, u16 *port, char why[WEIR_NET_WHY_BYTES])
{
	char *end;
	unsigned long x = strtoul(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && *end == 0 && end - text <= 5 && x <= 65535) {
		*port = (u16)x;
		return true;
	}
	snprintf(why, WEIR_NET_WHY_BYTES, "'%.64s' is no port: a number up to 65535 is expected", text);
	return false;
}

bool weir_address_split(const char *text, char host[WEIR_NET_HOST_BYTES], u16 *port,
			char why[WEIR_NET_WHY_BYTES])
{
	const char *first = strchr(text, ':'), *last = strrchr(text, ':'), *rest = NULL;
	const char *begin = text, *end = text + strlen(text);
	if (*text == '[') {
		begin = text + 1;
		end = strchr(text, ']');
		if (!end || (end[1] != 0 && end[1] != ':')) {
			snprintf(why, WEIR_NET_WHY_BYTES, "'%.64s': [ADDRESS] or [ADDRESS]:PORT is expected",
				 text);
			return false;
		}
		rest = end[1] == ':' ? end + 2 : NULL;
	} else if (first && first == last) {
		end = first;
		rest = first + 1;
	}
	if (end - begin >= WEIR_NET_HOST_BYTES) {
		snprintf(why, WEIR_NET_WHY_BYTES, "the name of a host has at most 255 letters");
		return false;
	}
	memcpy(host, begin, (size_t)(end - begin));
	host[end - begin] = 0;
	return !rest || take_port(rest, port, why);
}

static u32 put_literal(const char *const *literals, u16 port, struct weir_address *to, u32 room)
{
	u32 n = 0;
	for (; *literals && n < room; literals++, n++) {
		memset(&to[n], 0, sizeof to[n]);
		if (strchr(*literals, ':')) {
			to[n].v6.sin6_family = AF_INET6;
			to[n].v6.sin6_port = htons(port);
			to[n].bytes = sizeof to[n].v6;
			inet_pton(AF_INET6, *literals, &to[n].v6.sin6_addr);
		} else {
			to[n].v4.sin_family = AF_INET;
			to[n].v4.sin_port = htons(port);
			to[n].bytes = sizeof to[n].v4;
			inet_pton(AF_INET, *literals, &to[n].v4.sin_addr);
		}
	}
	return n;
}

u32 weir_address_resolve(const char *host, u16 port, struct weir_address *to, u32 room,
			 char why[WEIR_NET_WHY_BYTES])
{
	static const char *const loopback[] = {"127.0.0.1", "::1", NULL}, *const every[] = {"::", NULL};
	if (!*host)
		return put_literal(loopback, port, to, room);
	if (!strcmp(host, "*"))
		return put_literal(every, port, to, room);
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_family = AF_UNSPEC}, *list = NULL;
	int error = getaddrinfo(host, NULL, &hints, &list);
	if (error) {
		snprintf(why, WEIR_NET_WHY_BYTES, "%.128s: %s", host, gai_strerror(error));
		return 0;
	}
	u32 n = 0;
	for (const struct addrinfo *a = list; a && n < room; a = a->ai_next) {
		if (a->ai_family != AF_INET && a->ai_family != AF_INET6)
			continue;
		weir_address_take(&to[n], a->ai_addr, a->ai_addrlen);
		*(a->ai_family == AF_INET ? &to[n].v4.sin_port : &to[n].v6.sin6_port) = htons(port);
		n++;
	}
	freeaddrinfo(list);
	if (n == 0)
		snprintf(why, WEIR_NET_WHY_BYTES, "%.128s has no Internet address", host);
	return n;
}

void weir_address_take(struct weir_address *a, const struct sockaddr *from, u32 bytes)
{
	memset(a, 0, sizeof *a);
	if (from->sa_family == AF_INET6 && bytes >= sizeof a->v6) {
		struct sockaddr_in6 in;
		memcpy(&in, from, sizeof in);
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = in.sin6_port;
		a->v6.sin6_addr = in.sin6_addr;
		a->v6.sin6_scope_id = in.sin6_scope_id;
		a->bytes = sizeof a->v6;
	} else if (from->sa_family == AF_INET && bytes >= sizeof a->v4) {
		struct sockaddr_in in;
		memcpy(&in, from, sizeof in);
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = in.sin_port;
		a->v4.sin_addr = in.sin_addr;
		a->bytes = sizeof a->v4;
	}
}

bool weir_address_equal(const struct weir_address *a, const struct weir_address *b)
{
	return a->bytes == b->bytes && !memcmp(&a->any, &b->any, a->bytes);
}

u64 weir_address_hash(const struct weir_address *a, u64 key)
{
	u64 word[4] = {0};
	memcpy(word, &a->v6, weir_min(a->bytes, sizeof word));
	for (u32 i = 0; i < 4; i++) {
		key ^= word[i];
		key = weir_splitmix64(&key);
	}
	return key;
}

static bool is_mapped(const struct weir_address *a)
{
	return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&a->v6.sin6_addr);
}

bool weir_address_is_loopback(const struct weir_address *a)
{
	if (a->any.sa_family == AF_INET)
		return ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
	return is_mapped(a) ? a->v6.sin6_addr.s6_addr[12] == 127 : IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

u16 weir_address_port(const struct weir_address *a)
{
	return ntohs(a->any.sa_family == AF_INET ? a->v4.sin_port : a->v6.sin6_port);
}

void weir_address_map(struct weir_address *a)
{
	if (a->any.sa_family != AF_INET)
		return;
	struct sockaddr_in v4 = a->v4;
	memset(a, 0, sizeof *a);
	a->v6.sin6_family = AF_INET6;
	a->v6.sin6_port = v4.sin_port;
	a->v6.sin6_addr.s6_addr[10] = a->v6.sin6_addr.s6_addr[11] = 0xff;
	memcpy(&a->v6.sin6_addr.s6_addr[12], &v4.sin_addr, 4);
	a->bytes = sizeof a->v6;
}

const char *weir_address_print(const struct weir_address *a, char text[WEIR_ADDRESS_TEXT])
{
	char number[INET6_ADDRSTRLEN] = "?", zone[IF_NAMESIZE] = "";
	if (a->bytes == 0) {
		snprintf(text, WEIR_ADDRESS_TEXT, "nowhere");
	} else if (a->any.sa_family == AF_INET || is_mapped(a)) {
		const void *v4 =
		    is_mapped(a) ? (const void *)&a->v6.sin6_addr.s6_addr[12] : (const void *)&a->v4.sin_addr;
		inet_ntop(AF_INET, v4, number, sizeof number);
		snprintf(text, WEIR_ADDRESS_TEXT, "%s:%u", number, weir_address_port(a));
	} else {
		inet_ntop(AF_INET6, &a->v6.sin6_addr, number, sizeof number);
		if (a->v6.sin6_scope_id && if_indextoname(a->v6.sin6_scope_id, zone))
			snprintf(text, WEIR_ADDRESS_TEXT, "[%.40s%%%.14s]:%u", number, zone,
				 weir_address_port(a));
		else
			snprintf(text, WEIR_ADDRESS_TEXT, "[%s]:%u", number, weir_address_port(a));
	}
	return text;
}

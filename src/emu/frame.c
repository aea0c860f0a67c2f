/* SPDX-License-Identifier: MIT */
#include "frame.h"

#include <string.h>

#define LARGEST 65535 /* so that a place in a packet fits 16 bits */
#define IPV4_HEAD 20
#define IPV6_HEAD 40
#define TCP_HEAD 20
#define UDP_HEAD 8

enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, AUTHENTICATION = 51, DESTINATION = 60, MOBILITY = 135 };

static bool routable4(u32 address)
{
	u32 first = address >> 24;
	return first != 0 && first != 127 && first < 224 && address >> 16 != 0xa9fe;
}

/* Multicast, link-local (fe80::/10), unspecified and loopback. */
static bool routable6(const u8 *address)
{
	static const u8 zero[15];
	bool link_local = address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
	return address[0] != 0xff && !link_local && !(memcmp(address, zero, 15) == 0 && address[15] <= 1);
}

static void read_transport(const u8 *ip, u32 end, struct weir_frame *f)
{
	u32 at = f->transport_at, left = end - at;
	if (f->fragment || (f->protocol != WEIR_FRAME_TCP && f->protocol != WEIR_FRAME_UDP) || left < 4)
		return;
	f->ports = true;
	f->source_port = (u16)weir_frame_u16(ip + at);
	f->destination_port = (u16)weir_frame_u16(ip + at + 2);
	u32 header = UDP_HEAD;
	if (f->protocol == WEIR_FRAME_TCP)
		header = left >= TCP_HEAD ? (u32)(ip[at + 12] >> 4) * 4 : 0;
	bool whole = header >= (f->protocol == WEIR_FRAME_TCP ? TCP_HEAD : UDP_HEAD) && header <= left;
	f->payload_at = whole ? (u16)(at + header) : 0;
}

static int read4(const u8 *ip, u32 bytes, struct weir_frame *f)
{
	u32 header = bytes >= IPV4_HEAD ? (u32)(ip[0] & 15) * 4 : 0;
	if (header < IPV4_HEAD || header > bytes)
		return -1;
	u32 total = weir_frame_u16(ip + 2);
	if (total < header)
		return -1;
	f->bytes = total < bytes ? total : bytes;
	f->ecn = ip[1] & 3;
	f->protocol = ip[9];
	f->fragment = weir_frame_u16(ip + 6) & 0x3fff; /* more fragments, or an offset */
	f->transport_at = (u16)header;
	f->destination = weir_frame_u32(ip + 16);
	f->routable = routable4(f->destination) && weir_frame_u32(ip + 12) >> 16 != 0xa9fe;
	return 0;
}

static bool is_extension(u32 protocol)
{
	return protocol == HOP_BY_HOP || protocol == ROUTING || protocol == FRAGMENT ||
	       protocol == AUTHENTICATION || protocol == DESTINATION || protocol == MOBILITY;
}

static int read6(const u8 *ip, u32 bytes, struct weir_frame *f)
{
	if (bytes < IPV6_HEAD)
		return -1;
	u32 total = IPV6_HEAD + weir_frame_u16(ip + 4), at = IPV6_HEAD, next = ip[6];
	f->bytes = total < bytes ? total : bytes;
	f->ecn = ip[1] >> 4 & 3;
	f->destination = weir_frame_u32(ip + 36);
	f->routable = routable6(ip + 24) && !(ip[8] == 0xfe && (ip[9] & 0xc0) == 0x80);
	for (u32 i = 0; i < WEIR_FRAME_EXTENSIONS_MAX && is_extension(next) && at + 8 <= f->bytes; i++) {
		u32 words = ip[at + 1]; /* fixed in a fragment header, where this byte is reserved */
		u32 length = next == AUTHENTICATION ? (words + 2) * 4
			     : next == FRAGMENT	    ? 8
						    : (words + 1) * 8;
		if (length > f->bytes - at)
			break;
		f->routed |= next == ROUTING;
		f->fragment |= next == FRAGMENT && (weir_frame_u16(ip + at + 2) & 0xfff9) != 0;
		next = ip[at];
		at += length;
	}
	f->protocol = (u8)next;
	f->transport_at = (u16)at;
	return 0;
}

int weir_frame_read(const u8 *ip, u32 bytes, struct weir_frame *f)
{
	*f = (struct weir_frame){0};
	if (bytes == 0)
		return -1;
	bytes = bytes < LARGEST ? bytes : LARGEST;
	f->version = ip[0] >> 4;
	int result = f->version == 4 ? read4(ip, bytes, f) : f->version == 6 ? read6(ip, bytes, f) : -1;
	if (result == 0)
		read_transport(ip, f->bytes, f);
	return result;
}

static u64 mix(u64 h, u64 x)
{
	h = (h ^ x) * 0x9fb21c651e98df25ULL;
	return h ^ h >> 32;
}

static u64 load64(const u8 *p)
{
	u64 x;
	memcpy(&x, p, sizeof x);
	return x;
}

u32 weir_frame_hash(const u8 *ip, const struct weir_frame *f, u64 key)
{
	u64 h = mix(key, (u64)f->source_port << 32 | (u64)f->destination_port << 16 | f->protocol);
	if (f->version == 4) {
		h = mix(h ^ key >> 32, load64(ip + 12));
	} else {
		for (u32 at = 8; at < IPV6_HEAD; at += 8)
			h = mix(h ^ key >> 32, load64(ip + at));
	}
	h = mix(h, key << 1 | 1);
	return (u32)(h ^ h >> 29);
}

void weir_frame_mark_ce(u8 *ip)
{
	if (ip[0] >> 4 == 6) {
		ip[1] |= 0x30;
		return;
	}
	u32 before = weir_frame_u16(ip);
	ip[1] |= WEIR_ECN_CE;
	u32 sum = (~weir_frame_u16(ip + 10) & 0xffff) + (~before & 0xffff) + weir_frame_u16(ip);
	weir_frame_put_u16(ip + 10, ~weir_frame_fold(sum) & 0xffff);
}

/* Four bytes at a time: a sum of network-order words is the same in any grouping of even length. */
u64 weir_frame_sum(const u8 *p, u32 bytes, u64 sum)
{
	for (; bytes >= 4; bytes -= 4, p += 4)
		sum += weir_frame_u32(p);
	if (bytes >= 2) {
		sum += weir_frame_u16(p);
		bytes -= 2;
		p += 2;
	}
	return bytes ? sum + ((u64)*p << 8) : sum;
}

u32 weir_frame_fold(u64 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (u32)sum;
}

u32 weir_frame_pseudo_sum(const u8 *ip, const struct weir_frame *f, u32 transport_bytes)
{
	u64 sum = f->protocol + (u64)transport_bytes;
	sum = f->version == 4 ? weir_frame_sum(ip + 12, 8, sum) : weir_frame_sum(ip + 8, 32, sum);
	return weir_frame_fold(sum);
}

/* SPDX-License-Identifier: MIT */
#include "checksum.h"

#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
#define TCP_BYTES 20
#define UDP_BYTES 8

static u32 get16(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

static u64 sum_of(const u8 *p, u32 bytes)
{
	u64 sum = 0;
	u32 i = 0;
	for (; i + 1 < bytes; i += 2)
		sum += get16(p + i);
	return i < bytes ? sum + ((u64)p[i] << 8) : sum;
}

static u32 fold(u64 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (u32)sum;
}

/* What the checksum is about. */
struct segment {
	u8 *at;
	u32 bytes, protocol;
	u64 pseudo; /* sum of the pseudo header */
};

static bool find_segment(u8 *ip, u32 bytes, struct segment *s)
{
	if (bytes >= IPV4_BYTES && ip[0] >> 4 == 4) {
		u32 header = (ip[0] & 15u) * 4, total = get16(ip + 2);
		bool fragment = (get16(ip + 6) & 0x3fff) != 0;
		if (header < IPV4_BYTES || total != bytes || header > bytes || fragment)
			return false;
		*s = (struct segment){ip + header, bytes - header, ip[9], sum_of(ip + 12, 8)};
	} else if (bytes >= IPV6_BYTES && ip[0] >> 4 == 6) {
		if (get16(ip + 4) + IPV6_BYTES != bytes)
			return false;
		*s = (struct segment){ip + IPV6_BYTES, bytes - IPV6_BYTES, ip[6], sum_of(ip + 8, 32)};
	} else {
		return false;
	}
	s->pseudo += s->protocol + s->bytes;
	return true;
}

bool weir_checksum_finish(u8 *ip, u32 bytes)
{
	struct segment s;
	u32 field;
	if (!find_segment(ip, bytes, &s))
		return false;
	if (s.protocol == PROTOCOL_TCP && s.bytes >= TCP_BYTES)
		field = 16;
	else if (s.protocol == PROTOCOL_UDP && s.bytes >= UDP_BYTES)
		field = 6;
	else
		return false;
	if (get16(s.at + field) != fold(s.pseudo))
		return false;
	/* The sum of the pseudo header stands in the field already. */
	u32 sum = ~fold(sum_of(s.at, s.bytes)) & 0xffff;
	if (sum == 0 && s.protocol == PROTOCOL_UDP)
		sum = 0xffff; /* RFC 768: 0 means none */
	s.at[field] = (u8)(sum >> 8);
	s.at[field + 1] = (u8)sum;
	return true;
}

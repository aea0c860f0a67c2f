/* SPDX-License-Identifier: MIT */
/* IP packets for tests, and checksums by a sum of their own: one byte pair after the other, as RFC 1071 has
 * it. */
#ifndef WEIR_TESTS_EMU_PACKETS_H
#define WEIR_TESTS_EMU_PACKETS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "emu/cut.h"

#define PACKET_BYTES_MAX 65535

struct packet {
	u32 bytes, transport_at, payload_at;
	bool six, tcp;
	u8 data[PACKET_BYTES_MAX];
};

static inline u32 naive_sum(const u8 *p, u32 bytes, u32 sum)
{
	for (u32 i = 0; i < bytes; i++) {
		sum += i % 2 ? p[i] : (u32)p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static inline u32 naive_pseudo(const struct packet *p)
{
	u32 transport = p->bytes - p->transport_at;
	u32 sum = p->six ? naive_sum(p->data + 8, 32, 0) : naive_sum(p->data + 12, 8, 0);
	u8 rest[4] = {0, p->tcp ? 6 : 17, (u8)(transport >> 8), (u8)transport};
	return naive_sum(rest, 4, sum);
}

static inline u32 checksum_at(const struct packet *p)
{
	return p->transport_at + (p->tcp ? 16 : 6);
}

static inline void put16(u8 *p, u32 x)
{
	p[0] = (u8)(x >> 8);
	p[1] = (u8)x;
}

static inline void set_lengths(struct packet *p)
{
	if (p->six) {
		put16(p->data + 4, p->bytes - 40);
	} else {
		put16(p->data + 2, p->bytes);
		put16(p->data + 10, 0);
		put16(p->data + 10, ~naive_sum(p->data, (p->data[0] & 15u) * 4, 0) & 0xffff);
	}
	if (!p->tcp)
		put16(p->data + p->transport_at + 4, p->bytes - p->transport_at);
}

/* As a sender leaves it to its network card. */
static inline void leave_checksum(struct packet *p)
{
	put16(p->data + checksum_at(p), naive_pseudo(p));
}

/* What the network card makes of that. */
static inline void finish_checksum(struct packet *p)
{
	u32 at = p->transport_at;
	put16(p->data + checksum_at(p), ~naive_sum(p->data + at, p->bytes - at, 0) & 0xffff);
}

static inline void assert_checksums(const struct packet *p)
{
	u32 at = p->transport_at;
	if (!p->six)
		assert_int_equal(naive_sum(p->data, at, 0), 0xffff);
	assert_int_equal(naive_sum(p->data + at, p->bytes - at, naive_pseudo(p)), 0xffff);
}

/* Headers with random options, then random payload. Addresses are routable; ECN is not CE. */
static inline void random_packet(struct weir_rng *r, u32 payload, struct packet *p)
{
	p->six = weir_rng_below(r, 2);
	p->tcp = weir_rng_below(r, 2);
	for (u32 i = 0; i < 200; i++)
		p->data[i] = (u8)weir_rng_u64(r);
	u8 protocol = p->tcp ? 6 : 17, ecn = (u8)weir_rng_below(r, 3);
	if (p->six) {
		u32 extensions = (u32)weir_rng_below(r, 3), at = 40;
		p->data[0] = 0x60;
		p->data[1] = (u8)(ecn << 4);
		p->data[6] = extensions ? 60 : protocol;
		memcpy(p->data + 8, "\xfd\x01", 2);
		memcpy(p->data + 24, "\xfd\x02", 2);
		for (u32 i = 0; i < extensions; i++) {
			u32 words = (u32)weir_rng_below(r, 3);
			p->data[at] = i + 1 < extensions ? 60 : protocol;
			p->data[at + 1] = (u8)words;
			at += (words + 1) * 8;
		}
		p->transport_at = at;
	} else {
		u32 header = 20 + 4 * (u32)weir_rng_below(r, 11);
		p->data[0] = (u8)(0x40 | header / 4);
		p->data[1] = (u8)((p->data[1] & 0xfc) | ecn);
		put16(p->data + 6, 0x4000);
		p->data[9] = protocol;
		p->data[12] = p->data[16] = 100;
		p->transport_at = header;
	}
	u32 transport = p->tcp ? 20 + 4 * (u32)weir_rng_below(r, 11) : 8;
	if (p->tcp)
		p->data[p->transport_at + 12] = (u8)(transport / 4 << 4);
	p->payload_at = p->transport_at + transport;
	p->bytes = p->payload_at + payload;
	assert_true(p->bytes <= PACKET_BYTES_MAX);
	for (u32 i = p->payload_at; i < p->bytes; i++)
		p->data[i] = (u8)weir_rng_u64(r);
	set_lengths(p);
	leave_checksum(p);
}

static inline struct weir_vnet vnet_of(const struct packet *p, u32 segment_bytes)
{
	return (struct weir_vnet){
	    .flags = WEIR_VNET_NEEDS_CHECKSUM,
	    .gso_type = (u8)(!p->tcp  ? WEIR_VNET_UDP
			     : p->six ? WEIR_VNET_TCP6
				      : WEIR_VNET_TCP4),
	    .header_bytes = (u16)p->payload_at,
	    .segment_bytes = (u16)segment_bytes,
	    .checksum_from = (u16)p->transport_at,
	    .checksum_at = (u16)(checksum_at(p) - p->transport_at),
	};
}

#endif

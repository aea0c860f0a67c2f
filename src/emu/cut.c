/* SPDX-License-Identifier: MIT */
#include "cut.h"

#include <string.h>

enum { FIN = 0x01, PSH = 0x08, CWR = 0x80 };
enum { TCP_SEQUENCE = 4, TCP_FLAGS = 13, TCP_CHECKSUM = 16, UDP_LENGTH = 4, UDP_CHECKSUM = 6 };

static bool fits(u8 type, const struct weir_frame *f)
{
	if (f->fragment || f->routed || f->payload_at == 0 || f->payload_at > WEIR_CUT_HEADER_MAX)
		return false;
	if (type == WEIR_VNET_UDP)
		return f->protocol == WEIR_FRAME_UDP;
	return f->protocol == WEIR_FRAME_TCP && (type == WEIR_VNET_TCP4	  ? f->version == 4
						 : type == WEIR_VNET_TCP6 ? f->version == 6
									  : false);
}

void weir_cut_plan(const struct weir_vnet *v, const struct weir_frame *f, u32 bytes, struct weir_cut *out)
{
	u8 type = v->gso_type & (u8)~WEIR_VNET_ECN;
	*out = (struct weir_cut){.segments = 1};
	if (type == WEIR_VNET_SINGLE || v->segment_bytes == 0 || f->bytes != bytes || !fits(type, f))
		return;
	u32 payload = bytes - f->payload_at;
	u32 segments = (payload + v->segment_bytes - 1) / v->segment_bytes;
	if (segments <= 1)
		return;
	*out = (struct weir_cut){
	    .segments = (u16)segments,
	    .segment_bytes = v->segment_bytes,
	    .gso_type = type,
	};
}

static void write_ip(u8 *ip, const struct weir_frame *f, u32 bytes, u32 first, bool ce)
{
	if (f->version == 6) {
		weir_frame_put_u16(ip + 4, bytes - 40);
		ip[1] |= ce ? 0x30 : 0;
		return;
	}
	u32 header = (u32)(ip[0] & 15) * 4;
	weir_frame_put_u16(ip + 2, bytes);
	weir_frame_put_u16(ip + 4, weir_frame_u16(ip + 4) + first);
	ip[1] |= ce ? WEIR_ECN_CE : 0;
	weir_frame_put_u16(ip + 10, 0);
	weir_frame_put_u16(ip + 10, ~weir_frame_fold(weir_frame_sum(ip, header, 0)) & 0xffff);
}

static void write_tcp(u8 *tcp, const struct weir_cut *c, u32 first, u32 n)
{
	weir_frame_put_u32(tcp + TCP_SEQUENCE, weir_frame_u32(tcp + TCP_SEQUENCE) + first * c->segment_bytes);
	if (first)
		tcp[TCP_FLAGS] &= (u8)~CWR;
	if (first + n < c->segments)
		tcp[TCP_FLAGS] &= (u8) ~(FIN | PSH);
}

void weir_cut_piece(const u8 *ip, u32 bytes, const struct weir_frame *f, const struct weir_cut *c, u32 first,
		    u32 n, bool ce, struct weir_cut_piece *out)
{
	u32 offset = first * c->segment_bytes, rest = bytes - f->payload_at - offset;
	u32 most = n * c->segment_bytes, at = f->transport_at;
	bool tcp = f->protocol == WEIR_FRAME_TCP;

	out->header_bytes = f->payload_at;
	out->payload_at = f->payload_at + offset;
	out->payload_bytes = rest < most ? rest : most;
	memcpy(out->header, ip, f->payload_at);
	u32 transport_bytes = f->payload_at - at + out->payload_bytes;
	write_ip(out->header, f, at + transport_bytes, first, ce);
	if (tcp)
		write_tcp(out->header + at, c, first, n);
	else
		weir_frame_put_u16(out->header + at + UDP_LENGTH, transport_bytes);

	u32 checksum_at = tcp ? TCP_CHECKSUM : UDP_CHECKSUM;
	weir_frame_put_u16(out->header + at + checksum_at,
			   weir_frame_pseudo_sum(out->header, f, transport_bytes));
	bool cwr = tcp && out->header[at + TCP_FLAGS] & CWR;
	out->vnet = (struct weir_vnet){
	    .flags = WEIR_VNET_NEEDS_CHECKSUM,
	    .gso_type = n == 1 ? WEIR_VNET_SINGLE : (u8)(c->gso_type | (cwr ? WEIR_VNET_ECN : 0)),
	    .header_bytes = n == 1 ? 0 : f->payload_at,
	    .segment_bytes = n == 1 ? 0 : c->segment_bytes,
	    .checksum_from = f->transport_at,
	    .checksum_at = (u16)checksum_at,
	};
}

/* SPDX-License-Identifier: MIT */
#include "wire.h"

#include <string.h>

const char *const weir_age_wire_words[WEIR_AGE_WIRE_KINDS] = {"well formed", "truncated", "another protocol",
							      "an unknown version", "an unknown type"};

static u8 *put_bytes(u8 *to, u64 value, u32 bytes)
{
	for (u32 i = bytes; i-- > 0; value >>= 8)
		to[i] = (u8)(value & 0xff);
	return to + bytes;
}

static u64 take_bytes(const u8 **from, u32 bytes)
{
	u64 value = 0;
	for (u32 i = 0; i < bytes; i++)
		value = value << 8 | (*from)[i];
	*from += bytes;
	return value;
}

static u32 wire_bytes(u8 type)
{
	switch (type) {
	case WEIR_AGE_PROBE:
	case WEIR_AGE_UPDATE:
		return WEIR_AGE_HEADER_BYTES;
	case WEIR_AGE_PROBE_ACK:
	case WEIR_AGE_ACK:
	case WEIR_AGE_RESET:
		return WEIR_AGE_ANSWER_BYTES;
	default:
		return 0;
	}
}

u32 weir_age_encode(const struct weir_age_packet *p, u8 *to, size_t room)
{
	u32 bytes = wire_bytes(p->type);
	if (!bytes || room < bytes)
		return 0;
	bool answer = bytes == WEIR_AGE_ANSWER_BYTES;
	to = put_bytes(to, WEIR_AGE_WIRE_MAGIC, 1);
	to = put_bytes(to, WEIR_AGE_WIRE_VERSION, 1);
	to = put_bytes(to, p->type, 1);
	to = put_bytes(to, p->flags, 1);
	to = put_bytes(to, p->incarnation, 4);
	to = put_bytes(to, p->flow_id, 8);
	to = put_bytes(to, p->sequence, 4);
	to = put_bytes(to, p->session, 4);
	to = put_bytes(to, p->sent_ns, 8);
	to = put_bytes(to, p->generated_ns, 8);
	to = put_bytes(to, answer ? p->received_ns : (u64)p->offset_ns, 8);
	to = put_bytes(to, answer ? p->held_us : p->offset_error_us, 4);
	to = put_bytes(to, answer ? p->received : p->rtt_us, 4);
	to = put_bytes(to, answer ? p->marked_count : p->rate_mhz, 4);
	if (!answer)
		put_bytes(to, p->backlog_updates, 4);
	return bytes;
}

static void take_fields(struct weir_age_packet *p, const u8 *from, bool answer)
{
	p->type = from[2];
	p->flags = from[3];
	from += 4;
	p->incarnation = (u32)take_bytes(&from, 4);
	p->flow_id = take_bytes(&from, 8);
	p->sequence = (u32)take_bytes(&from, 4);
	p->session = (u32)take_bytes(&from, 4);
	p->sent_ns = take_bytes(&from, 8);
	p->generated_ns = take_bytes(&from, 8);
	u64 time_ns = take_bytes(&from, 8);
	u32 first = (u32)take_bytes(&from, 4), second = (u32)take_bytes(&from, 4),
	    third = (u32)take_bytes(&from, 4);
	if (answer) {
		p->received_ns = time_ns;
		p->held_us = first;
		p->received = second;
		p->marked_count = third;
		return;
	}
	p->offset_ns = (i64)time_ns;
	p->offset_error_us = first;
	p->rtt_us = second;
	p->rate_mhz = third;
	p->backlog_updates = (u32)take_bytes(&from, 4);
}

enum weir_age_wire weir_age_decode(struct weir_age_packet *p, const u8 *from, size_t bytes)
{
	if (bytes && from[0] != WEIR_AGE_WIRE_MAGIC)
		return WEIR_AGE_WIRE_STRANGE;
	if (bytes < 3)
		return WEIR_AGE_WIRE_SHORT;
	if (from[1] != WEIR_AGE_WIRE_VERSION)
		return WEIR_AGE_WIRE_NEWER;
	u32 wanted = wire_bytes(from[2]);
	if (!wanted)
		return WEIR_AGE_WIRE_TYPE;
	if (bytes < wanted)
		return WEIR_AGE_WIRE_SHORT;
	memset(p, 0, sizeof *p);
	take_fields(p, from, wanted == WEIR_AGE_ANSWER_BYTES);
	return WEIR_AGE_WIRE_OK;
}

bool weir_age_body(const struct weir_age_packet *p, const u8 *from, size_t bytes, struct weir_age_body *body)
{
	memset(body, 0, sizeof *body);
	if (bytes < WEIR_AGE_HEADER_BYTES)
		return false;
	from += WEIR_AGE_HEADER_BYTES;
	bytes -= WEIR_AGE_HEADER_BYTES;
	if (p->flags & WEIR_AGE_NAMED) {
		if (!bytes || bytes - 1 < from[0])
			return false;
		body->name_bytes = from[0];
		body->name = from + 1;
		from += 1 + body->name_bytes;
		bytes -= 1 + body->name_bytes;
	}
	body->value = from;
	body->value_bytes = (u32)bytes;
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "age/wire.h"
#include "ends.h"

#include "core/rng.h"

static struct weir_age_packet full(u8 type)
{
	struct weir_age_packet p = {.type = type,
				    .flags = WEIR_AGE_AGAIN,
				    .flow_id = 0x0102030405060708ULL,
				    .incarnation = 0x11121314,
				    .session = 0x21222324,
				    .sequence = 0x31323334,
				    .sent_ns = 0x4142434445464748ULL,
				    .generated_ns = 0x5152535455565758ULL};
	if (type == WEIR_AGE_PROBE || type == WEIR_AGE_UPDATE) {
		p.offset_ns = -2;
		p.offset_error_us = 0x61626364;
		p.rtt_us = 0x71727374;
		p.rate_mhz = 0x81828384;
		p.backlog_updates = 0x91929394;
	} else {
		p.received_ns = 0xa1a2a3a4a5a6a7a8ULL;
		p.held_us = 0xb1b2b3b4;
		p.received = 0xc1c2c3c4;
		p.marked_count = 0xd1d2d3d4;
	}
	return p;
}

/* Byte for byte as docs/formats.md has it. */
static void an_update_byte_for_byte(void **unused)
{
	(void)unused;
	static const u8 wanted[WEIR_AGE_HEADER_BYTES] = {
	    0x57, 1,	3,    1,    0x11, 0x12, 0x13, 0x14, 1,	  2,	3,    4,    5,	  6,	7,    8,
	    0x31, 0x32, 0x33, 0x34, 0x21, 0x22, 0x23, 0x24, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,
	    0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
	    0x61, 0x62, 0x63, 0x64, 0x71, 0x72, 0x73, 0x74, 0x81, 0x82, 0x83, 0x84, 0x91, 0x92, 0x93, 0x94};
	u8 bytes[WEIR_AGE_HEADER_BYTES];
	struct weir_age_packet p = full(WEIR_AGE_UPDATE);
	assert_int_equal(weir_age_encode(&p, bytes, sizeof bytes), sizeof wanted);
	assert_memory_equal(bytes, wanted, sizeof wanted);
}

static void what_is_written_is_read(void **unused)
{
	(void)unused;
	for (u8 type = WEIR_AGE_PROBE; type < WEIR_AGE_TYPES; type++) {
		u8 bytes[80];
		struct weir_age_packet p = full(type), q;
		memset(&q, 0xee, sizeof q);
		u32 n = weir_age_encode(&p, bytes, sizeof bytes);
		assert_int_equal(weir_age_decode(&q, bytes, n), WEIR_AGE_WIRE_OK);
		u8 again[80];
		assert_int_equal(weir_age_encode(&q, again, sizeof again), n);
		assert_memory_equal(again, bytes, n);
		assert_true(q.sent_ns == p.sent_ns && q.offset_ns == p.offset_ns && q.received == p.received);
	}
}

/* An answer is never larger than what it answers (no amplification), and all of its bytes are written. */
static void answers_are_smaller_and_every_byte_is_defined(void **unused)
{
	(void)unused;
	assert_true(WEIR_AGE_ANSWER_BYTES <= WEIR_AGE_HEADER_BYTES);
	for (u8 type = WEIR_AGE_PROBE; type < WEIR_AGE_TYPES; type++) {
		u8 a[80], b[80];
		struct weir_age_packet p = full(type);
		memset(a, 0x00, sizeof a);
		memset(b, 0xff, sizeof b);
		u32 n = weir_age_encode(&p, a, sizeof a);
		assert_int_equal(weir_age_encode(&p, b, sizeof b), n);
		assert_memory_equal(a, b, n);
		assert_true(a[n] == 0 && b[n] == 0xff);
		assert_int_equal(weir_age_encode(&p, a, n - 1),
				 0); /* no room: nothing is written beyond it */
	}
}

static void what_is_not_ours_is_told_apart(void **unused)
{
	(void)unused;
	u8 bytes[WEIR_AGE_HEADER_BYTES];
	struct weir_age_packet p = full(WEIR_AGE_UPDATE), q;
	u32 n = weir_age_encode(&p, bytes, sizeof bytes);
	assert_int_equal(weir_age_decode(&q, bytes, 0), WEIR_AGE_WIRE_SHORT);
	for (u32 i = 1; i < n; i++)
		assert_int_equal(weir_age_decode(&q, bytes, i), WEIR_AGE_WIRE_SHORT);
	for (u32 type = 0; type < 256; type++) {
		bytes[2] = (u8)type;
		bool known = type >= WEIR_AGE_PROBE && type < WEIR_AGE_TYPES;
		assert_int_equal(weir_age_decode(&q, bytes, n),
				 known ? WEIR_AGE_WIRE_OK : WEIR_AGE_WIRE_TYPE);
	}
	bytes[2] = WEIR_AGE_UPDATE;
	bytes[1] = 2;
	assert_int_equal(weir_age_decode(&q, bytes, n), WEIR_AGE_WIRE_NEWER);
	bytes[0] = 22; /* DTLS */
	assert_int_equal(weir_age_decode(&q, bytes, n), WEIR_AGE_WIRE_STRANGE);
	for (u32 i = 0; i < WEIR_AGE_WIRE_KINDS; i++)
		assert_non_null(weir_age_wire_words[i]);
}

static void the_body_is_within_the_bytes(void **unused)
{
	(void)unused;
	u8 bytes[WEIR_AGE_HEADER_BYTES + 8] = {0};
	struct weir_age_packet p = full(WEIR_AGE_UPDATE);
	struct weir_age_body body;
	assert_int_equal(weir_age_encode(&p, bytes, sizeof bytes), WEIR_AGE_HEADER_BYTES);
	u8 *at = bytes + WEIR_AGE_HEADER_BYTES;
	memcpy(at, "\3abcdefg", 8);
	assert_true(weir_age_body(&p, bytes, sizeof bytes, &body));
	assert_true(body.name_bytes == 0 && body.value == at && body.value_bytes == 8);
	p.flags = WEIR_AGE_NAMED;
	assert_true(weir_age_body(&p, bytes, sizeof bytes, &body));
	assert_true(body.name_bytes == 3 && body.value_bytes == 4);
	assert_memory_equal(body.name, "abc", 3);
	assert_memory_equal(body.value, "defg", 4);
	at[0] = 7;
	assert_true(weir_age_body(&p, bytes, sizeof bytes, &body));
	assert_int_equal(body.value_bytes, 0);
	at[0] = 8;
	assert_false(weir_age_body(&p, bytes, sizeof bytes, &body));
	assert_false(weir_age_body(&p, bytes, WEIR_AGE_HEADER_BYTES, &body));
	assert_false(weir_age_body(&p, bytes, 3, &body));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_update_byte_for_byte),
	    cmocka_unit_test(what_is_written_is_read),
	    cmocka_unit_test(answers_are_smaller_and_every_byte_is_defined),
	    cmocka_unit_test(what_is_not_ours_is_told_apart),
	    cmocka_unit_test(the_body_is_within_the_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

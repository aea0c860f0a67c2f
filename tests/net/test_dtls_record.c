/* SPDX-License-Identifier: MIT */
/* Records and hellos as RFC 6347 draws them, and what is none. */
#include "net/dtls_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A ClientHello: record, handshake header, version, random, no session, a cookie of two bytes, suites. */
static const u8 hello[] = {
    22,	  0xfe, 0xff, 0,  0,  0,  0,  0,  0,  0,  5,  0,  12 + 44, /* record */
    1,	  0,	0,    44, 0,  1,  0,  0,  0,  0,  0,  44,	   /* handshake */
    0xfe, 0xfd, 1,    2,  3,  4,  5,  6,  7,  8,  9,  10, 11,	   12, 13,   14,   15, 16, 17,	 18,   19, 20,
    21,	  22,	23,   24, 25, 26, 27, 28, 29, 30, 31, 32, 0,	   2,  0xaa, 0xbb, 0,  2,  0xcc, 0xa8, 1,  0,
};

static void a_record_is_taken_apart(void **state)
{
	(void)state;
	static const u8 data[] = {23, 0xfe, 0xfd, 0x12, 0x34, 1, 2, 3, 4, 5, 6, 0, 2, 0xaa, 0xbb, 0xcc};
	struct weir_dtls_record r;
	assert_int_equal(weir_dtls_record_take(data, sizeof data, &r), 15);
	assert_int_equal(r.type, WEIR_DTLS_DATA);
	assert_int_equal(r.epoch, 0x1234);
	assert_true(r.sequence == 0x010203040506);
	assert_int_equal(r.bytes, 2);
	assert_ptr_equal(r.body, data + 13);
	assert_false(weir_dtls_datagram_take(data, sizeof data, &r)); /* a byte too many */
	assert_true(weir_dtls_datagram_take(data, 15, &r));
	for (size_t bytes = 0; bytes < 15; bytes++)
		assert_int_equal(weir_dtls_record_take(data, bytes, &r), 0);
}

static void other_things_are_no_records(void **state)
{
	(void)state;
	struct weir_dtls_record r;
	u8 data[sizeof hello];
	static const struct {
		u32 at;
		u8 value;
	} wrong[] = {{0, 19}, {0, 24}, {1, 3}, {2, 0xfe}, {2, 0xfc}, {11, 1}, {11, 0xff}};
	for (u32 i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		memcpy(data, hello, sizeof hello);
		data[wrong[i].at] = wrong[i].value;
		assert_int_equal(weir_dtls_record_take(data, sizeof data, &r), 0);
	}
	memcpy(data, hello, sizeof hello);
	data[12] = 0;
	assert_int_equal(weir_dtls_record_take(data, sizeof data, &r), 0);
}

static void a_hello_shows_its_random_and_cookie(void **state)
{
	(void)state;
	struct weir_dtls_record r;
	struct weir_dtls_hello h;
	assert_int_equal(weir_dtls_record_take(hello, sizeof hello, &r), sizeof hello);
	assert_true(weir_dtls_hello_take(&r, &h));
	assert_int_equal(h.random[0], 1);
	assert_int_equal(h.random[31], 32);
	assert_int_equal(h.cookie_bytes, 2);
}

static void fields_that_point_outside_make_no_hello(void **state)
{
	(void)state;
	static const struct {
		u32 at;
		u8 value;
	} wrong[] = {
	    {4, 1},    {13, 2},	 {16, 43},  /* another epoch, another message, a fragment longer than all */
	    {19, 1},   {21, 9},		    /* not the first fragment */
	    {24, 200}, {24, 34}, {25, 3},   /* past the record, too short for the random, no DTLS */
	    {59, 33},  {59, 10}, {60, 200}, /* session, cookie */
	};
	for (u32 i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		u8 data[sizeof hello];
		struct weir_dtls_record r;
		struct weir_dtls_hello h;
		memcpy(data, hello, sizeof hello);
		data[wrong[i].at] = wrong[i].value;
		assert_int_equal(weir_dtls_record_take(data, sizeof data, &r), sizeof data);
		assert_false(weir_dtls_hello_take(&r, &h));
	}
	for (u8 fragment = 37; fragment <= 44; fragment++) {
		u8 data[sizeof hello];
		struct weir_dtls_record r;
		struct weir_dtls_hello h;
		memcpy(data, hello, sizeof hello);
		data[24] = fragment;
		assert_int_equal(weir_dtls_record_take(data, sizeof data, &r), sizeof data);
		assert_int_equal(weir_dtls_hello_take(&r, &h), fragment >= 38);
	}
}

static void the_window_knows_the_newest_64(void **state)
{
	(void)state;
	struct weir_dtls_window w = {0};
	assert_false(weir_dtls_window_seen(&w, 0));
	weir_dtls_window_add(&w, 0);
	assert_true(weir_dtls_window_seen(&w, 0));
	assert_false(weir_dtls_window_seen(&w, 1));
	weir_dtls_window_add(&w, 63);
	assert_true(weir_dtls_window_seen(&w, 0));
	assert_false(weir_dtls_window_seen(&w, 62));
	weir_dtls_window_add(&w, 62);
	assert_true(weir_dtls_window_seen(&w, 62));
	weir_dtls_window_add(&w, 127);
	assert_true(weir_dtls_window_seen(&w, 63));
	assert_true(weir_dtls_window_seen(&w, 1)); /* too old to tell */
	assert_false(weir_dtls_window_seen(&w, 64));
	weir_dtls_window_add(&w, 1ULL << 47);
	assert_true(weir_dtls_window_seen(&w, 127));
	assert_false(weir_dtls_window_seen(&w, (1ULL << 47) - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_record_is_taken_apart),
	    cmocka_unit_test(other_things_are_no_records),
	    cmocka_unit_test(a_hello_shows_its_random_and_cookie),
	    cmocka_unit_test(fields_that_point_outside_make_no_hello),
	    cmocka_unit_test(the_window_knows_the_newest_64),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

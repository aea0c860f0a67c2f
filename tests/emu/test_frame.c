/* SPDX-License-Identifier: MIT */
#include "packets.h"

static struct packet p;

static void headers_of_both_families_are_read(void **unused)
{
	(void)unused;
	struct weir_rng r;
	weir_rng_init(&r, 1, weir_rng_point("frame"), 0);
	for (int i = 0; i < 20000; i++) {
		struct weir_frame f;
		random_packet(&r, (u32)weir_rng_below(&r, 100), &p);
		assert_int_equal(weir_frame_read(p.data, p.bytes, &f), 0);
		assert_int_equal(f.version, p.six ? 6 : 4);
		assert_int_equal(f.protocol, p.tcp ? WEIR_FRAME_TCP : WEIR_FRAME_UDP);
		assert_int_equal(f.bytes, p.bytes);
		assert_int_equal(f.transport_at, p.transport_at);
		assert_int_equal(f.payload_at, p.payload_at);
		assert_int_equal(f.ecn, p.six ? p.data[1] >> 4 & 3 : p.data[1] & 3);
		assert_true(f.ports && f.routable && !f.fragment && !f.routed);
		const u8 *t = p.data + p.transport_at, *d = p.data + (p.six ? 36 : 16);
		assert_int_equal(f.source_port, t[0] << 8 | t[1]);
		assert_int_equal(f.destination_port, t[2] << 8 | t[3]);
		assert_int_equal(f.destination, (u32)d[0] << 24 | (u32)d[1] << 16 | (u32)d[2] << 8 | d[3]);
	}
}

/* Each block ends where the packet is cut off, so that the sanitizer sees who looks further. */
static void nothing_past_the_end_is_read(void **unused)
{
	(void)unused;
	struct weir_rng r;
	weir_rng_init(&r, 2, weir_rng_point("frame"), 0);
	for (int i = 0; i < 200; i++) {
		random_packet(&r, 4, &p);
		for (u32 bytes = 0; bytes <= p.bytes; bytes++) {
			struct weir_frame f;
			u8 *exact = malloc(bytes ? bytes : 1);
			assert_non_null(exact);
			memcpy(exact, p.data, bytes);
			bool ip = weir_frame_read(exact, bytes, &f) == 0;
			assert_true(ip == (bytes >= (p.six ? 40 : (p.data[0] & 15u) * 4)));
			assert_true(!ip || (f.bytes == bytes && f.transport_at <= bytes));
			assert_true(!ip || f.payload_at <= bytes);
			assert_true(!ip || f.ports == (bytes >= p.transport_at + 4));
			free(exact);
		}
	}
}

static void a_header_that_contradicts_itself_is_no_packet(void **unused)
{
	(void)unused;
	struct weir_rng r;
	struct weir_frame f;
	weir_rng_init(&r, 3, weir_rng_point("frame"), 0);
	do
		random_packet(&r, 10, &p);
	while (p.six);
	p.data[0] = 0x44; /* a header of 16 bytes */
	assert_int_equal(weir_frame_read(p.data, p.bytes, &f), -1);
	p.data[0] = 0x4f; /* of 60, in 40 bytes */
	assert_int_equal(weir_frame_read(p.data, 40, &f), -1);
	p.data[0] = 0x45;
	put16(p.data + 2, 19); /* all of it shorter than its header */
	assert_int_equal(weir_frame_read(p.data, p.bytes, &f), -1);
	p.data[0] = 0x55;
	assert_int_equal(weir_frame_read(p.data, p.bytes, &f), -1);
}

static void a_chain_of_extensions_ends_somewhere(void **unused)
{
	(void)unused;
	struct weir_frame f;
	memset(&p, 0, sizeof p);
	p.data[0] = 0x60;
	put16(p.data + 4, 60000);
	p.data[6] = 60;
	for (u32 at = 40; at < 60000; at += 8)
		p.data[at] = 60;
	assert_int_equal(weir_frame_read(p.data, 60040, &f), 0);
	assert_int_equal(f.transport_at, 40 + 8 * WEIR_FRAME_EXTENSIONS_MAX);
	assert_false(f.ports);
}

/* All parts of a packet go one way, though only the first has ports. */
static void fragments_are_alike(void **unused)
{
	(void)unused;
	struct weir_rng r;
	struct weir_frame f, g;
	weir_rng_init(&r, 4, weir_rng_point("frame"), 0);
	do
		random_packet(&r, 100, &p);
	while (p.six || !p.tcp);
	put16(p.data + 6, 0x2000); /* more to come */
	assert_int_equal(weir_frame_read(p.data, p.bytes, &f), 0);
	u32 first = weir_frame_hash(p.data, &f, 7);
	put16(p.data + 6, 25); /* from byte 200 on */
	memset(p.data + p.transport_at, 0x5a, 40);
	assert_int_equal(weir_frame_read(p.data, p.bytes, &g), 0);
	assert_true(f.fragment && g.fragment && !f.ports && !g.ports && f.payload_at == 0);
	assert_int_equal(first, weir_frame_hash(p.data, &g, 7));

	memset(&p, 0, sizeof p);
	p.data[0] = 0x60;
	put16(p.data + 4, 28);
	p.data[6] = 44;
	p.data[40] = 6;
	put16(p.data + 42, 1);
	assert_int_equal(weir_frame_read(p.data, 68, &f), 0);
	assert_true(f.fragment && !f.ports && f.protocol == 6 && f.transport_at == 48);
	put16(p.data + 42, 0); /* all in one (RFC 6946) */
	assert_int_equal(weir_frame_read(p.data, 68, &f), 0);
	assert_true(!f.fragment && f.ports);
}

static void some_addresses_are_for_no_link(void **unused)
{
	(void)unused;
	static const u8 v4[][5] = {{1, 100, 64, 0, 1}, {1, 8, 8, 8, 8},	    {0, 224, 0, 0, 1},
				   {0, 127, 0, 0, 1},  {0, 169, 254, 1, 1}, {0, 255, 255, 255, 255},
				   {0, 0, 0, 0, 0},    {1, 223, 1, 1, 1}};
	static const u8 v6[][4] = {{1, 0xfd, 0x01, 5}, {1, 0x20, 0x01, 5}, {0, 0xff, 0x02, 5},
				   {0, 0xfe, 0x80, 5}, {0, 0xfe, 0xbf, 5}, {1, 0xfe, 0xc0, 5},
				   {0, 0, 0, 0},       {0, 0, 0, 1},	   {1, 0, 0, 2}};
	struct weir_frame f;
	for (size_t i = 0; i < sizeof v4 / sizeof *v4; i++) {
		u8 ip[20] = {0x45, 0, 0, 20, [12] = 100, [15] = 1};
		memcpy(ip + 16, v4[i] + 1, 4);
		assert_int_equal(weir_frame_read(ip, 20, &f), 0);
		assert_int_equal(f.routable, v4[i][0]);
	}
	for (size_t i = 0; i < sizeof v6 / sizeof *v6; i++) {
		u8 ip[40] = {0x60, [6] = 59, [8] = 0xfd, [23] = 9};
		memcpy(ip + 24, v6[i] + 1, 2);
		ip[39] = v6[i][3];
		assert_int_equal(weir_frame_read(ip, 40, &f), 0);
		assert_int_equal(f.routable, v6[i][0]);
	}
	u8 from_link_local[40] = {0x60, [6] = 58, [8] = 0xfe, [9] = 0x80, [24] = 0xfd};
	assert_int_equal(weir_frame_read(from_link_local, 40, &f), 0);
	assert_false(f.routable);
}

static void marking_keeps_the_checksum(void **unused)
{
	(void)unused;
	struct weir_rng r;
	weir_rng_init(&r, 5, weir_rng_point("frame"), 0);
	for (int i = 0; i < 50000; i++) {
		struct weir_frame f;
		random_packet(&r, 0, &p);
		weir_frame_mark_ce(p.data);
		assert_int_equal(weir_frame_read(p.data, p.bytes, &f), 0);
		assert_int_equal(f.ecn, WEIR_ECN_CE);
		finish_checksum(&p);
		assert_checksums(&p);
	}
}

static void sums_are_those_of_the_rfc(void **unused)
{
	(void)unused;
	static const u8 example[] = {0x00, 0x01, 0xf2, 0x03,
				     0xf4, 0xf5, 0xf6, 0xf7}; /* RFC 1071, section 3 */
	struct weir_rng r;
	weir_rng_init(&r, 6, weir_rng_point("frame"), 0);
	assert_int_equal(weir_frame_fold(weir_frame_sum(example, 8, 0)), 0xddf2);
	for (u32 bytes = 0; bytes < 300; bytes++) {
		random_packet(&r, 300, &p);
		assert_int_equal(weir_frame_fold(weir_frame_sum(p.data, bytes, 0)),
				 naive_sum(p.data, bytes, 0));
	}
	memset(p.data, 0xff, sizeof p.data);
	assert_int_equal(weir_frame_fold(weir_frame_sum(p.data, 65535, 0)), naive_sum(p.data, 65535, 0));
}

/* Conversations spread evenly over 1024 places, whatever the key, and change place with the key. */
static void hashes_spread(void **unused)
{
	(void)unused;
	u8 ip[28] = {0x45, 0, 0, 28, [9] = 17, [12] = 100, [16] = 100, [25] = 8};
	for (u64 key = 1; key < 1000; key *= 9) {
		static u32 places[1024];
		u32 moved = 0, most = 0;
		memset(places, 0, sizeof places);
		for (u32 i = 0; i < 102400; i++) {
			struct weir_frame f;
			put16(ip + 18, i >> 8);
			put16(ip + 20, 1000 + (i & 255));
			assert_int_equal(weir_frame_read(ip, 28, &f), 0);
			u32 h = weir_frame_hash(ip, &f, key);
			places[h % 1024]++;
			moved += h != weir_frame_hash(ip, &f, key + 1);
		}
		for (u32 i = 0; i < 1024; i++)
			most = places[i] > most ? places[i] : most;
		assert_true(most < 160); /* 100 expected, six deviations above */
		assert_true(moved > 102390);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(headers_of_both_families_are_read),
	    cmocka_unit_test(nothing_past_the_end_is_read),
	    cmocka_unit_test(a_header_that_contradicts_itself_is_no_packet),
	    cmocka_unit_test(a_chain_of_extensions_ends_somewhere),
	    cmocka_unit_test(fragments_are_alike),
	    cmocka_unit_test(some_addresses_are_for_no_link),
	    cmocka_unit_test(marking_keeps_the_checksum),
	    cmocka_unit_test(sums_are_those_of_the_rfc),
	    cmocka_unit_test(hashes_spread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

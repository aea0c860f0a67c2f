/* SPDX-License-Identifier: MIT */
#include "packets.h"

enum { FIN = 1, PSH = 8, CWR = 0x80 };

static struct packet super, segment, joined, again;

/* What is written for a piece, as one packet. */
static void assemble(const struct weir_cut_piece *piece, const struct packet *from, struct packet *to)
{
	to->six = from->six;
	to->tcp = from->tcp;
	to->transport_at = from->transport_at;
	to->payload_at = from->payload_at;
	to->bytes = piece->header_bytes + piece->payload_bytes;
	assert_true(piece->payload_at + piece->payload_bytes <= from->bytes);
	memcpy(to->data, piece->header, piece->header_bytes);
	memcpy(to->data + piece->header_bytes, from->data + piece->payload_at, piece->payload_bytes);
}

static struct weir_frame frame_of(const struct packet *p)
{
	struct weir_frame f;
	assert_int_equal(weir_frame_read(p->data, p->bytes, &f), 0);
	return f;
}

static void cut(const struct packet *p, const struct weir_vnet *v, u32 first, u32 n, bool ce,
		struct packet *to, struct weir_vnet *to_vnet)
{
	struct weir_frame f = frame_of(p);
	struct weir_cut c;
	struct weir_cut_piece piece;
	weir_cut_plan(v, &f, p->bytes, &c);
	assert_true(first + n <= c.segments);
	weir_cut_piece(p->data, p->bytes, &f, &c, first, n, ce, &piece);
	assemble(&piece, p, to);
	*to_vnet = piece.vnet;
}

static u32 u16_at(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

static u32 u32_at(const u8 *p)
{
	return u16_at(p) << 16 | u16_at(p + 2);
}

static void assert_segment(u32 i, u32 n, u32 size, bool ce)
{
	u32 at = segment.transport_at, offset = i * size;
	u32 payload = segment.bytes - segment.payload_at;
	struct weir_frame f = frame_of(&segment);
	assert_int_equal(f.bytes, segment.bytes);
	assert_int_equal(payload, i + 1 < n ? size : super.bytes - super.payload_at - offset);
	assert_memory_equal(segment.data + segment.payload_at, super.data + super.payload_at + offset,
			    payload);
	finish_checksum(&segment);
	assert_checksums(&segment);
	assert_int_equal(f.ecn, ce ? WEIR_ECN_CE : frame_of(&super).ecn);
	if (!segment.six)
		assert_int_equal(u16_at(segment.data + 4), (u16_at(super.data + 4) + i) & 0xffff);
	if (!segment.tcp) {
		assert_int_equal(u16_at(segment.data + at + 4), 8 + payload);
		return;
	}
	u8 flags = super.data[at + 13], last = i + 1 == n ? FIN | PSH : 0, first = i == 0 ? CWR : 0;
	assert_int_equal(segment.data[at + 13], (flags & (u8) ~(FIN | PSH | CWR)) | (flags & (last | first)));
	assert_int_equal(u32_at(segment.data + at + 4), u32_at(super.data + at + 4) + offset);
}

static u32 random_super(struct weir_rng *r, u32 *size)
{
	u32 payload = 2 + (u32)weir_rng_below(r, weir_rng_below(r, 8) ? 6000 : 65000);
	random_packet(r, payload, &super);
	*size = 1 + (u32)weir_rng_below(r, payload - 1);
	*size = weir_rng_below(r, 3) || payload < 1500 ? *size : 1448;
	*size = payload / *size > 400 ? payload / 400 : *size;
	return (payload + *size - 1) / *size;
}

static void each_segment_is_a_right_packet(void **unused)
{
	(void)unused;
	struct weir_rng r;
	weir_rng_init(&r, 1, weir_rng_point("cut"), 0);
	for (int round = 0; round < 400; round++) {
		u32 size, n = random_super(&r, &size);
		struct weir_vnet v = vnet_of(&super, size), got;
		if (weir_rng_below(&r, 2)) /* finished by somebody else, for the whole; cut all the same */
			finish_checksum(&super);
		struct weir_frame f = frame_of(&super);
		struct weir_cut c;
		weir_cut_plan(&v, &f, super.bytes, &c);
		assert_int_equal(c.segments, n);
		for (u32 i = 0; i < n; i++) {
			bool ce = weir_rng_below(&r, 4) == 0;
			cut(&super, &v, i, 1, ce, &segment, &got);
			assert_int_equal(segment.bytes, weir_cut_segment_bytes(&c, &f, super.bytes, i));
			assert_true(got.flags == WEIR_VNET_NEEDS_CHECKSUM && got.gso_type == 0);
			assert_int_equal(got.checksum_from, v.checksum_from);
			assert_int_equal(got.checksum_at, v.checksum_at);
			assert_segment(i, n, size, ce);
		}
	}
}

/* Whoever gets joined segments cuts them again: the same packets, as if they had come one by one. */
static void joining_loses_nothing(void **unused)
{
	(void)unused;
	struct weir_rng r;
	weir_rng_init(&r, 2, weir_rng_point("cut"), 0);
	for (int round = 0; round < 400; round++) {
		u32 size, n = random_super(&r, &size), first = 0;
		struct weir_vnet v = vnet_of(&super, size), got, unused_vnet;
		while (first < n) {
			u32 count = 1 + (u32)weir_rng_below(&r, n - first);
			cut(&super, &v, first, count, false, &joined, &got);
			assert_int_equal(u16_at(joined.data + checksum_at(&joined)), naive_pseudo(&joined));
			for (u32 i = 0; i < count && count > 1; i++) {
				assert_int_equal(got.gso_type & ~WEIR_VNET_ECN, v.gso_type);
				assert_int_equal(got.segment_bytes, size);
				cut(&joined, &got, i, 1, false, &again, &unused_vnet);
				cut(&super, &v, first + i, 1, false, &segment, &unused_vnet);
				assert_int_equal(again.bytes, segment.bytes);
				assert_memory_equal(again.data, segment.data, segment.bytes);
			}
			first += count;
		}
		cut(&super, &v, 0, n, false, &joined, &got);
		assert_int_equal(joined.bytes, super.bytes);
		assert_memory_equal(joined.data, super.data, super.bytes);
	}
}

/* RFC 3168, 6.1.2: CWR tells of one reduction, once; the virtio header says that it is there. */
static void cwr_is_said_once(void **unused)
{
	(void)unused;
	struct weir_rng r;
	struct weir_vnet got;
	weir_rng_init(&r, 3, weir_rng_point("cut"), 0);
	do
		random_packet(&r, 5000, &super);
	while (!super.tcp);
	super.data[super.transport_at + 13] |= CWR;
	struct weir_vnet v = vnet_of(&super, 1000);
	v.gso_type |= WEIR_VNET_ECN;
	cut(&super, &v, 0, 2, false, &joined, &got);
	assert_int_equal(got.gso_type, v.gso_type);
	cut(&super, &v, 2, 3, false, &joined, &got);
	assert_int_equal(got.gso_type, v.gso_type & ~WEIR_VNET_ECN);
	assert_false(joined.data[joined.transport_at + 13] & CWR);
}

static void assert_whole(const struct weir_vnet *v)
{
	struct weir_frame f = frame_of(&super);
	struct weir_cut c;
	weir_cut_plan(v, &f, super.bytes, &c);
	assert_int_equal(c.segments, 1);
	assert_int_equal(weir_cut_segment_bytes(&c, &f, super.bytes, 0), super.bytes);
}

static void what_does_not_fit_its_description_stays_whole(void **unused)
{
	(void)unused;
	struct weir_rng r;
	weir_rng_init(&r, 4, weir_rng_point("cut"), 0);
	for (int i = 0; i < 2000; i++) {
		random_packet(&r, 5000, &super);
		const struct weir_vnet right = vnet_of(&super, 1000);
		struct weir_vnet v = right;
		v.segment_bytes = 0;
		assert_whole(&v);
		v.segment_bytes = 5000;
		assert_whole(&v);
		v = right;
		v.gso_type = (u8)(super.tcp ? WEIR_VNET_UDP : super.six ? WEIR_VNET_TCP6 : WEIR_VNET_TCP4);
		assert_whole(&v);
		v.gso_type = 3; /* the old UDP fragmentation, which nobody offers */
		assert_whole(&v);
		v = right;
		if (super.six)
			put16(super.data + 4, super.bytes - 41); /* shorter than what is there */
		else
			put16(super.data + 6, 0x2000); /* a fragment */
		assert_whole(&v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_segment_is_a_right_packet),
	    cmocka_unit_test(joining_loses_nothing),
	    cmocka_unit_test(cwr_is_said_once),
	    cmocka_unit_test(what_does_not_fit_its_description_stays_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "witness.h"

#include <stdlib.h>

/* Sequence numbers wrap (RFC 9293, section 3.4). */
static bool before(u32 a, u32 b)
{
	return (i32)(a - b) < 0;
}

static struct weir_witness_segment *at(const struct weir_witness *w, u32 i)
{
	return &w->ring[(w->first + i) & (WEIR_WITNESS_SEGMENTS - 1)];
}

/* How many segments end at or before this number. */
static u32 ended_by(const struct weir_witness *w, u32 sequence)
{
	u32 low = 0, high = w->n;
	while (low < high) {
		u32 middle = low + (high - low) / 2;
		if (before(sequence, at(w, middle)->end))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void pop(struct weir_witness *w, u32 n)
{
	w->first = (w->first + n) & (WEIR_WITNESS_SEGMENTS - 1);
	w->n -= n;
	w->told = w->told > n ? w->told - n : 0;
}

static void push(struct weir_witness *w, u64 now_ns, u32 end, bool again)
{
	if (w->n == WEIR_WITNESS_SEGMENTS)
		pop(w, 1);
	*at(w, w->n++) = (struct weir_witness_segment){.at_ns = now_ns, .end = end, .again = again};
	w->highest = end;
}

int weir_witness_sent(struct weir_witness *w, u64 now_ns, u32 sequence, u32 bytes)
{
	u32 end = sequence + bytes;
	if (bytes == 0)
		return 0;
	if (!w->ring && !(w->ring = malloc(WEIR_WITNESS_SEGMENTS * sizeof *w->ring)))
		return -1;
	bool again = w->begun && before(sequence, w->highest);
	if (again)
		for (u32 i = ended_by(w, sequence); i < w->n; i++) {
			at(w, i)->again = true;
			if (!before(at(w, i)->end, end))
				break;
		}
	if (!w->begun || before(w->highest, end))
		push(w, now_ns, end, again);
	w->begun = true;
	return 0;
}

static u64 time_of(const struct weir_witness_segment *s, u64 now_ns)
{
	return s->again || s->sacked ? WEIR_NEVER : weir_sub(now_ns, s->at_ns);
}

/* The first block has what arrived last; below the acknowledgement it is a duplicate's (RFC 2883). */
static u64 see_block(struct weir_witness *w, u64 now_ns, u32 ack, const struct weir_witness_block *b)
{
	u32 n = ended_by(w, b->right);
	if (!before(ack, b->right) || n == 0 || at(w, n - 1)->end != b->right)
		return WEIR_NEVER;
	struct weir_witness_segment *s = at(w, n - 1);
	u64 rtt_ns = time_of(s, now_ns);
	s->sacked = true;
	if (!w->hole || before(w->highest_sacked, b->right))
		w->highest_sacked = b->right;
	w->hole = true;
	return rtt_ns;
}

u64 weir_witness_acked(struct weir_witness *w, u64 now_ns, u32 ack, const struct weir_witness_block *block,
		       u32 n_blocks)
{
	u64 rtt_ns = WEIR_NEVER;
	u32 n = w->n ? ended_by(w, ack) : 0;
	if (!w->begun || before(w->highest, ack))
		return WEIR_NEVER;
	/* What a repair brings in order arrived long before, up to the highest that was reported. */
	bool fresh = !w->hole || before(w->highest_sacked, ack);
	if (n) {
		if (fresh && at(w, n - 1)->end == ack)
			rtt_ns = time_of(at(w, n - 1), now_ns);
		pop(w, n);
	}
	w->hole = w->hole && !fresh && w->highest_sacked != ack;
	if (n_blocks) {
		u64 sacked_ns = see_block(w, now_ns, ack, &block[0]);
		rtt_ns = weir_min(rtt_ns, sacked_ns);
	}
	return rtt_ns;
}

u64 weir_witness_arrived(struct weir_witness *w, u32 sequence, u32 bytes)
{
	u64 sent_ns = WEIR_NEVER;
	u32 end = sequence + bytes;
	if (!w->begun || bytes == 0 || before(w->highest, end))
		return WEIR_NEVER;
	for (u32 i = ended_by(w, sequence); i < w->n && !before(end, at(w, i)->end); i++)
		at(w, i)->arrived = true;
	while (w->told < w->n && at(w, w->told)->arrived)
		sent_ns = at(w, w->told++)->at_ns;
	return sent_ns;
}

void weir_witness_free(struct weir_witness *w)
{
	free(w->ring);
	*w = (struct weir_witness){0};
}

static u32 word(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

/* Kinds 0 (end) and 1 (none) are one byte; all others have their length in the second one; SACK is 5. */
u32 weir_witness_blocks(const u8 *options, u32 bytes, struct weir_witness_block out[WEIR_WITNESS_BLOCKS])
{
	u32 i = 0, n = 0;
	while (i < bytes && options[i] != 0) {
		if (options[i] == 1) {
			i++;
			continue;
		}
		u32 length = i + 1 < bytes ? options[i + 1] : 0;
		if (length < 2 || length > bytes - i)
			break;
		for (u32 k = 2; options[i] == 5 && k + 8 <= length && n < WEIR_WITNESS_BLOCKS; k += 8) {
			const u8 *p = options + i + k;
			out[n++] = (struct weir_witness_block){word(p), word(p + 4)};
		}
		i += length;
	}
	return n;
}

/* SPDX-License-Identifier: MIT */
#include "receiver.h"

#include <stdlib.h>
#include <string.h>

#define RANGES_START 4
#define RANGES_MAX 32768

void weir_receiver_init(struct weir_receiver *r, const struct weir_endpoint_config *c)
{
	*r = (struct weir_receiver){
	    .next = c->first_sequence,
	    .delayed_ns = WEIR_NEVER,
	    .window = (u32)weir_min(c->rwnd_bytes >> WEIR_WINDOW_SHIFT, 0xffffffffU),
	    .ack_bytes = c->ack_every * c->mss_bytes,
	    .delayed_ack_ns = c->delayed_ack_ns,
	};
}

void weir_receiver_free(struct weir_receiver *r)
{
	free(r->ranges);
	r->ranges = NULL;
}

/* Index of the first range that ends at or after `seq`. */
static u32 first_reaching(const struct weir_receiver *r, u64 seq)
{
	u32 low = 0, high = r->n_ranges;
	if (high && r->ranges[high - 1].end < seq)
		return high;
	while (low < high) {
		u32 middle = (low + high) / 2;
		if (r->ranges[middle].end < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void remove_ranges(struct weir_receiver *r, u32 from, u32 n)
{
	memmove(&r->ranges[from], &r->ranges[from + n], (r->n_ranges - from - n) * sizeof *r->ranges);
	r->n_ranges = (u16)(r->n_ranges - n);
}

static bool grow_ranges(struct weir_receiver *r)
{
	u32 capacity = r->capacity ? 2u * r->capacity : RANGES_START;
	struct weir_range *ranges =
	    capacity > RANGES_MAX ? NULL : realloc(r->ranges, capacity * sizeof *ranges);
	if (!ranges)
		return false;
	r->ranges = ranges;
	r->capacity = (u16)capacity;
	return true;
}

/* The range that holds `seq` moves to the front of what the next ACK reports (RFC 2018 section 4). */
static void touch_recent(struct weir_receiver *r, u64 start, u64 end)
{
	u32 kept = 0;
	u64 old[WEIR_SACK_BLOCKS];
	for (u32 i = 0; i < r->n_recent; i++)
		if (r->recent[i] < start || r->recent[i] >= end)
			old[kept++] = r->recent[i];
	r->n_recent = (u8)weir_min(kept + 1, WEIR_SACK_BLOCKS);
	for (u32 i = 1; i < r->n_recent; i++)
		r->recent[i] = old[i - 1];
	r->recent[0] = start;
}

/* Keeps [start, end), which lies beyond `next`. False: no room, the data counts as never received. */
static bool keep_out_of_order(struct weir_receiver *r, u64 start, u64 end)
{
	u32 i = first_reaching(r, start), last = i;
	if (i < r->n_ranges && r->ranges[i].start <= start && end <= r->ranges[i].end) {
		r->duplicate = (struct weir_range){start, end};
		r->has_duplicate = true;
		touch_recent(r, r->ranges[i].start, r->ranges[i].end);
		return true;
	}
	while (last < r->n_ranges && r->ranges[last].start <= end)
		last++;
	if (i == last) {
		if (r->n_ranges == r->capacity && !grow_ranges(r))
			return false;
		memmove(&r->ranges[i + 1], &r->ranges[i], (r->n_ranges - i) * sizeof *r->ranges);
		r->ranges[i] = (struct weir_range){start, end};
		r->n_ranges++;
	} else {
		r->ranges[i].start = weir_min(r->ranges[i].start, start);
		r->ranges[i].end = weir_max(r->ranges[last - 1].end, end);
		remove_ranges(r, i + 1, last - i - 1);
	}
	touch_recent(r, r->ranges[i].start, r->ranges[i].end);
	return true;
}

static void deliver_in_order(struct weir_receiver *r, u64 end)
{
	r->next = end;
	u32 n = 0;
	while (n < r->n_ranges && r->ranges[n].start <= r->next) {
		r->next = weir_max(r->next, r->ranges[n].end);
		n++;
	}
	if (n)
		remove_ranges(r, 0, n);
}

/* DCTCP's rule (RFC 8257 section 3.2): a change of CE state is reported before it is mixed. */
static bool ce_changes(struct weir_receiver *r, bool ce, struct weir_ack_segment *flushed)
{
	bool flush = ce != r->ce_state && r->pending_bytes > 0;
	if (flush)
		weir_receiver_ack(r, flushed);
	r->ce_state = ce;
	return flush;
}

enum weir_receive_verdict weir_receiver_on_data(struct weir_receiver *r, u64 now_ns, u32 low, u32 bytes,
						u8 attempt, bool ce, bool *flush,
						struct weir_ack_segment *flushed)
{
	u64 start = weir_seq_expand(low, r->next), end = start + bytes;
	u64 edge = r->next + ((u64)r->window << WEIR_WINDOW_SHIFT);
	*flush = ce_changes(r, ce, flushed);

	if (end <= r->next || end < start) { /* all of it has been delivered before */
		r->duplicate = (struct weir_range){start, end};
		r->has_duplicate = true;
		r->echo_attempt = attempt;
		return WEIR_RECEIVE_ACK;
	}
	if (start > r->next) {
		if (end <= edge && !keep_out_of_order(r, start, end))
			r->failed = true;
		r->echo_attempt = attempt;
		return WEIR_RECEIVE_ACK;
	}
	if (r->pending_bytes == 0)
		r->echo_attempt = attempt; /* as TS.Recent: the earliest segment that the ACK answers */
	r->pending_bytes += (u32)(end - r->next);
	bool had_holes = r->n_ranges > 0;
	deliver_in_order(r, end);
	if (had_holes || r->pending_bytes >= r->ack_bytes)
		return WEIR_RECEIVE_ACK;
	if (r->delayed_ns == WEIR_NEVER)
		r->delayed_ns = now_ns + r->delayed_ack_ns;
	return WEIR_RECEIVE_WAIT;
}

static void add_sack_blocks(struct weir_receiver *r, struct weir_ack_segment *out)
{
	u32 kept = 0;
	for (u32 i = 0; i < r->n_recent; i++) {
		u32 k = first_reaching(r, r->recent[i]);
		if (k == r->n_ranges || r->ranges[k].start > r->recent[i])
			continue; /* delivered meanwhile */
		r->recent[kept++] = r->recent[i];
		if (out->n_sack < WEIR_SACK_BLOCKS)
			out->sack[out->n_sack++] =
			    (struct weir_sack_block){(u32)r->ranges[k].start, (u32)r->ranges[k].end};
	}
	r->n_recent = (u8)kept;
}

void weir_receiver_report(struct weir_receiver *r, struct weir_ack_segment *out)
{
	if (r->has_duplicate) {
		out->sack[out->n_sack++] =
		    (struct weir_sack_block){(u32)r->duplicate.start, (u32)r->duplicate.end};
		r->has_duplicate = false;
	}
	if (r->n_ranges)
		add_sack_blocks(r, out);
	else
		r->n_recent = 0;
}

/* SPDX-License-Identifier: MIT */
#include "receiver.h"

#include <string.h>

#define RANGES_START 4
#define RANGES_MAX (1u << 20)

/* In-order data that is acknowledged without waiting. Of 4.3BSD: what the window has opened by, in percent
 * rounded down, is at least 35; the application reads at once. */
static u32 ack_bytes(const struct weir_endpoint_config *c)
{
	u64 old_bytes = (35 * weir_min(c->rwnd_bytes, 1ULL << 40) + 99) / 100;
	if (c->ack_policy == WEIR_ACK_STANDARD)
		return c->ack_every > 1 ? c->ack_every * c->mss_bytes : 1;
	if (c->ack_policy == WEIR_ACK_BSD_NEW)
		old_bytes = weir_min(old_bytes, 2 * c->mss_bytes);
	return (u32)weir_min(old_bytes, 0xffffffffU);
}

#define NEVER_SHORT 2

static u8 habits(const struct weir_endpoint_config *c)
{
	bool bsd = c->ack_policy != WEIR_ACK_STANDARD;
	return (u8)((bsd ? WEIR_RECEIVER_TICKS : 0) |
		    (bsd && c->ack_out_of_order_late ? WEIR_RECEIVER_LATE_HOLES : 0) |
		    (c->plain_acks ? WEIR_RECEIVER_PLAIN_ACKS : 0));
}

void weir_receiver_init(struct weir_receiver *r, const struct weir_endpoint_config *c)
{
	bool bsd = c->ack_policy != WEIR_ACK_STANDARD;
	*r = (struct weir_receiver){
	    .next = c->first_sequence,
	    .delayed_ns = WEIR_NEVER,
	    .window = weir_endpoint_window(c),
	    .ack_bytes = ack_bytes(c),
	    .habits = habits(c),
	    .short_ce = bsd ? NEVER_SHORT : false,
	    .delayed_ack_ns = bsd ? WEIR_ACK_BSD_TICK_NS : c->delayed_ack_ns,
	    .tick_phase_ns = c->ack_phase_ns,
	    .pool = c->pool,
	};
}

void weir_receiver_free(struct weir_receiver *r)
{
	weir_pool_put(r->pool, r->room, r->capacity * sizeof *r->room);
	r->room = r->ranges = NULL;
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

/* Holes fill from the front, so it is the front that moves up: a window with a hole in every second place
 * would cost its square otherwise. */
static void remove_ranges(struct weir_receiver *r, u32 from, u32 n)
{
	u32 behind = r->n_ranges - from - n;
	if (from < behind) {
		memmove(&r->ranges[n], &r->ranges[0], from * sizeof *r->ranges);
		r->ranges += n;
	} else {
		memmove(&r->ranges[from], &r->ranges[from + n], behind * sizeof *r->ranges);
	}
	r->n_ranges -= n;
}

/* Room behind the last range: where half of all is free it lies in front, else twice as much. False when
 * there is none: out of memory, then `failed` is set, or at the limit. */
static bool make_room(struct weir_receiver *r)
{
	u32 before = (u32)(r->ranges - r->room);
	if (before + r->n_ranges < r->capacity)
		return true;
	if (before > r->capacity / 2) {
		memmove(r->room, r->ranges, r->n_ranges * sizeof *r->ranges);
		r->ranges = r->room;
		return true;
	}
	u32 capacity = r->capacity ? 2u * r->capacity : RANGES_START;
	if (capacity > RANGES_MAX)
		return false;
	struct weir_range *room = weir_pool_get(r->pool, capacity * sizeof *room);
	if (!room) {
		r->failed = true;
		return false;
	}
	if (r->n_ranges)
		memcpy(room + before, r->ranges, r->n_ranges * sizeof *room);
	weir_pool_put(r->pool, r->room, r->capacity * sizeof *r->room);
	r->room = room;
	r->ranges = room + before;
	r->capacity = capacity;
	return true;
}

static bool insert_range(struct weir_receiver *r, u32 at, u64 start, u64 end)
{
	if (at < r->n_ranges / 2 && r->ranges > r->room) {
		memmove(&r->ranges[-1], &r->ranges[0], at * sizeof *r->ranges);
		r->ranges--;
	} else {
		if (!make_room(r))
			return false;
		memmove(&r->ranges[at + 1], &r->ranges[at], (r->n_ranges - at) * sizeof *r->ranges);
	}
	r->ranges[at] = (struct weir_range){start, end};
	r->n_ranges++;
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

/* Keeps [start, end), which lies beyond `next`. Where there is no room the data counts as never received. */
static void keep_out_of_order(struct weir_receiver *r, u64 start, u64 end)
{
	u32 i = first_reaching(r, start), last = i;
	if (i < r->n_ranges && r->ranges[i].start <= start && end <= r->ranges[i].end) {
		r->duplicate = (struct weir_sack_block){(u32)start, (u32)end};
		r->has_duplicate = true;
		touch_recent(r, r->ranges[i].start, r->ranges[i].end);
		return;
	}
	while (last < r->n_ranges && r->ranges[last].start <= end)
		last++;
	if (i == last) {
		if (!insert_range(r, i, start, end))
			return;
	} else {
		start = r->ranges[i].start = weir_min(r->ranges[i].start, start);
		end = r->ranges[i].end = weir_max(r->ranges[last - 1].end, end);
		if (last - i > 1)
			remove_ranges(r, i + 1, last - i - 1);
	}
	touch_recent(r, start, end);
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
	r->short_ce = r->habits & WEIR_RECEIVER_TICKS ? NEVER_SHORT : ce;
	return flush;
}

static enum weir_receive_verdict wait_for_more(struct weir_receiver *r, u64 now_ns)
{
	if (r->delayed_ns != WEIR_NEVER)
		return WEIR_RECEIVE_WAIT;
	r->delayed_ns = now_ns + r->delayed_ack_ns;
	if (r->habits & WEIR_RECEIVER_TICKS) /* the last firing by then */
		r->delayed_ns -= (r->delayed_ns - r->tick_phase_ns) % r->delayed_ack_ns;
	return WEIR_RECEIVE_WAIT;
}

enum weir_receive_verdict weir_receiver_on_data(struct weir_receiver *r, u64 now_ns, u32 low, u32 bytes,
						u8 attempt, bool ce, bool *flush,
						struct weir_ack_segment *flushed)
{
	u64 start = weir_seq_expand(low, r->next), end = start + bytes;
	u64 edge = r->next + ((u64)r->window << WEIR_WINDOW_SHIFT);
	*flush = false;
	if (bytes == 0) /* nothing to keep or to report; an answer is harmless */
		return WEIR_RECEIVE_ACK;
	*flush = ce_changes(r, ce, flushed);

	if (end <= r->next || end < start) { /* all of it has been delivered before */
		r->duplicate = (struct weir_sack_block){(u32)start, (u32)end};
		r->has_duplicate = true;
		if (attempt) /* a copy of an original carries an old time stamp */
			r->echo_attempt = attempt;
		return WEIR_RECEIVE_ACK;
	}
	if (start > r->next) {
		if (end <= edge)
			keep_out_of_order(r, start, end);
		return r->habits & WEIR_RECEIVER_LATE_HOLES ? wait_for_more(r, now_ns) : WEIR_RECEIVE_ACK;
	}
	if (r->pending_bytes == 0)
		r->echo_attempt = attempt; /* as TS.Recent: the earliest segment that the ACK answers */
	bool hurry = r->n_ranges > 0 && !(r->habits & WEIR_RECEIVER_LATE_HOLES);
	u64 next_before = r->next;
	deliver_in_order(r, end);
	r->pending_bytes = (u32)weir_min(r->pending_bytes + r->next - next_before, 0xffffffffU);
	return hurry || r->pending_bytes >= r->ack_bytes ? WEIR_RECEIVE_ACK : wait_for_more(r, now_ns);
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
	if (kept == 0) /* all that came lately is delivered: the data farthest ahead, lest it be forgotten */
		out->sack[out->n_sack++] = (struct weir_sack_block){(u32)r->ranges[r->n_ranges - 1].start,
								    (u32)r->ranges[r->n_ranges - 1].end};
}

void weir_receiver_report(struct weir_receiver *r, struct weir_ack_segment *out)
{
	if (r->habits & WEIR_RECEIVER_PLAIN_ACKS) {
		r->has_duplicate = false;
		r->n_recent = 0;
		return;
	}
	if (r->has_duplicate) {
		out->sack[out->n_sack++] = r->duplicate;
		r->has_duplicate = false;
	}
	if (r->n_ranges)
		add_sack_blocks(r, out);
	else
		r->n_recent = 0;
}

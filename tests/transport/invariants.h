/* SPDX-License-Identifier: MIT */
/* What must hold of a sender between any two calls: its sums are those of its scoreboard, its queues name
 * segments, and it is never without a plan while data is out. Aborts, so that fuzzing can use it too. */
#ifndef TESTS_TRANSPORT_INVARIANTS_H
#define TESTS_TRANSPORT_INVARIANTS_H

#include "transport/sender.h"

#include <stdio.h>
#include <stdlib.h>

#define INVARIANT(holds)                                                                                     \
	do {                                                                                                 \
		if (!(holds)) {                                                                              \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds);                  \
			abort();                                                                             \
		}                                                                                            \
	} while (0)

static inline void check_scoreboard(const struct weir_sender *s)
{
	u64 pipe = 0, lost = 0, sacked = 0, bytes = 0, n_sacked = 0;
	for (u32 n = s->slots.head; n != s->slots.tail; n++) {
		const struct weir_slot *slot = weir_slots_get(&s->slots, n);
		INVARIANT(slot->bytes > 0 && slot->bytes <= s->mss_bytes);
		INVARIANT(!(slot->lost && slot->sacked));
		INVARIANT(weir_slots_seq(&s->slots, n, s->una, s->mss_bytes) == s->una + bytes);
		bytes += slot->bytes;
		lost += slot->lost ? slot->bytes : 0U;
		sacked += slot->sacked ? slot->bytes : 0U;
		n_sacked += slot->sacked;
		pipe += slot->lost || slot->sacked ? 0U : slot->bytes;
	}
	INVARIANT(s->una + bytes == s->nxt);
	INVARIANT(pipe == s->pipe_bytes);
	INVARIANT(lost == s->lost_bytes);
	INVARIANT(sacked == s->sacked_bytes);
	INVARIANT((n_sacked & 0xffff) == s->sacked_segments);
	INVARIANT(weir_slots_count(&s->slots) <= s->slots.capacity);
}

static inline bool in_scoreboard(const struct weir_sender *s, u32 number)
{
	return number - s->slots.head <= s->slots.tail - s->slots.head;
}

/* Every first loss lies at or behind the hand; every loss of a retransmission is found by one of the two. */
static inline void check_hands(const struct weir_sender *s)
{
	u32 hand = in_scoreboard(s, s->lost_hand) ? s->lost_hand : s->slots.head;
	for (u32 n = s->slots.head; n != hand; n++) {
		const struct weir_slot *slot = weir_slots_get(&s->slots, n);
		bool queued = false;
		for (u32 i = s->relost.head; slot->lost && i != s->relost.tail; i++)
			queued |= s->relost.at[i & (s->relost.capacity - 1)] == n;
		INVARIANT(!slot->lost || queued);
	}
	INVARIANT(s->retransmitted.tail - s->retransmitted.head <= s->retransmitted.capacity);
	INVARIANT(s->relost.tail - s->relost.head <= s->relost.capacity);
}

static inline void check_sender(const struct weir_sender *s)
{
	INVARIANT(s->una <= s->nxt && s->nxt - s->una < 1ULL << 31);
	check_scoreboard(s);
	check_hands(s);
	INVARIANT(s->cwnd_bytes >= s->mss_bytes);
	INVARIANT((s->deadline_ns == WEIR_NEVER) == (s->una == s->nxt));
	INVARIANT(s->una == s->nxt || weir_sender_next_ns(s) != WEIR_NEVER);
	INVARIANT(s->state <= WEIR_SENDER_LOSS);
	/* An episode ends with what was sent when it began; none is left open behind the data. */
	INVARIANT(s->state == WEIR_SENDER_OPEN || s->una < s->recover_seq || s->nxt == s->una);
	INVARIANT(s->state != WEIR_SENDER_OPEN || s->lost_bytes == 0);
	INVARIANT(!s->steady || (s->state == WEIR_SENDER_OPEN && !s->sacked_bytes && !s->lost_bytes));
}

#endif

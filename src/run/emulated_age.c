/* SPDX-License-Identifier: MIT */
#include "emulated_age.h"

#include <string.h>

static void publish(struct weir_published_ledger *l)
{
	u64 word[WEIR_PUBLISHED_WORDS] = {0};
	memcpy(word, &l->own, sizeof l->own);
	__atomic_store_n(&l->version, l->version + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (size_t i = 0; i < WEIR_PUBLISHED_WORDS; i++)
		__atomic_store_n(&l->word[i], word[i], __ATOMIC_RELAXED);
	__atomic_store_n(&l->version, l->version + 1, __ATOMIC_RELEASE);
}

struct weir_ledger weir_emulated_age_read(const struct weir_published_ledger *l, u64 now_ns)
{
	struct weir_ledger out;
	u64 word[WEIR_PUBLISHED_WORDS];
	u32 before, after;
	do { /* the writer is done in nanoseconds */
		before = __atomic_load_n(&l->version, __ATOMIC_ACQUIRE);
		for (size_t i = 0; i < WEIR_PUBLISHED_WORDS; i++)
			word[i] = __atomic_load_n(&l->word[i], __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&l->version, __ATOMIC_RELAXED);
	} while (before != after || before & 1);
	memcpy(&out, word, sizeof out);
	weir_ledger_advance(&out, NULL, now_ns);
	return out;
}

void weir_emulated_age_init(struct weir_emulated_age *age, u64 bound_ns, struct weir_age_spread *spread)
{
	age->spread = spread;
	weir_ledger_init(&age->truth.own, bound_ns);
	weir_ledger_init(&age->estimate.own, bound_ns);
	publish(&age->truth);
	publish(&age->estimate);
}

void weir_emulated_age_arrived(struct weir_emulated_age *age, u64 now_ns, u64 sent_ns)
{
	weir_ledger_value(&age->truth.own, age->spread, now_ns, sent_ns);
	publish(&age->truth);
}

void weir_emulated_age_acked(struct weir_emulated_age *age, u64 now_ns, u64 rtt_ns)
{
	weir_ledger_value(&age->estimate.own, NULL, now_ns, now_ns - rtt_ns);
	publish(&age->estimate);
}

void weir_emulated_age_restart(struct weir_emulated_age *age, u64 now_ns)
{
	weir_ledger_restart(&age->truth.own, age->spread, now_ns);
	weir_ledger_restart(&age->estimate.own, NULL, now_ns);
	publish(&age->truth);
	publish(&age->estimate);
}

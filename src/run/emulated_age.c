/* SPDX-License-Identifier: MIT */
#include "emulated_age.h"

static void publish(struct weir_published_ledger *l)
{
	weir_publish(&l->version, l->word, &l->own, sizeof l->own);
}

struct weir_ledger weir_emulated_age_read(struct weir_published_ledger *l, u64 now_ns)
{
	struct weir_ledger out;
	weir_published(&l->version, l->word, &l->seen, sizeof l->seen);
	out = l->seen;
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

/* SPDX-License-Identifier: MIT */
/* The age of what a kernel TCP flow tells, as its packets pass the ferry: each segment is an update,
 * generated when it first entered; the receiver knows it when all before it has arrived too. The estimate is
 * the paper's: at each acknowledgement with an RTT sample the age is that, and it grows until the next.
 *
 * Written on the ferry's thread, read on another: what is read is what was published last. */
#ifndef WEIR_RUN_EMULATED_AGE_H
#define WEIR_RUN_EMULATED_AGE_H

#include "age/ledger.h"
#include "published.h"
#include "weir/types.h"

struct weir_published_ledger {
	struct weir_ledger own; /* the writer's */
	u32 version;
	u64 word[WEIR_PUBLISHED_WORDS(struct weir_ledger)];
	struct weir_ledger seen; /* the reader's */
};

struct weir_emulated_age {
	struct weir_published_ledger truth, estimate;
	struct weir_age_spread *spread; /* of the truth; to be read at the end */
};

/* `age` zeroed. */
void weir_emulated_age_init(struct weir_emulated_age *age, u64 bound_ns, struct weir_age_spread *spread);
void weir_emulated_age_arrived(struct weir_emulated_age *age, u64 now_ns, u64 sent_ns);
void weir_emulated_age_acked(struct weir_emulated_age *age, u64 now_ns, u64 rtt_ns);
/* The warm-up ends. */
void weir_emulated_age_restart(struct weir_emulated_age *age, u64 now_ns);
/* As published last, counted on up to now_ns. */
struct weir_ledger weir_emulated_age_read(struct weir_published_ledger *l, u64 now_ns);

#endif

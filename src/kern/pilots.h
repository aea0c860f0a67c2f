/* SPDX-License-Identifier: MIT */
/* Pilots at work: a thread of this process answers the reports of a governor that it has registered in the
 * kernel. With the process they end; the registration too, and connections that outlive both are driven by
 * Reno. */
#ifndef WEIR_KERN_PILOTS_H
#define WEIR_KERN_PILOTS_H

#include "hosted.h"
#include "load.h"

struct weir_pilots;

/* The connections of `k`, which was loaded with the same pilot and parameters; all of them outlive it. `seed`
 * keys the pilots' random draws. NULL with a sentence. */
struct weir_pilots *weir_pilots_start(const struct weir_kern *k, const struct weir_pilot_ops *ops,
				      const u64 *params, u64 seed, char why[WEIR_KERN_WHY_BYTES]);
/* As weir_hosted_signals, and what was counted so far; from any thread. */
bool weir_pilots_signals(struct weir_pilots *p, u64 socket, u16 local_port,
			 double value[WEIR_PILOT_SIGNALS_MAX]);
void weir_pilots_counts(struct weir_pilots *p, struct weir_hosted_counts *out);
void weir_pilots_stop(struct weir_pilots *p); /* NULL: nothing */

#endif

/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A pilot in the same process as the governor that it drives: the simulator, and Weir's own transport. To the
 * sender it is one more controller. Each report goes to the pilot at once, on the clock of the data path.
 *
 *   struct weir_governed *g = weir_governed_new(pilot, params, seed);
 *   weir_sender_init(sender, config, &weir_governed_ops, (const u64 *)g, now_ns);
 */
#ifndef WEIR_CC_GOVERNED_H
#define WEIR_CC_GOVERNED_H

#include "weir/cc.h"
#include "weir/pilot.h"

struct weir_governed; /* of one flow; outlives its sender */

extern const struct weir_cc_ops weir_governed_ops;

/* `params`: pilot->n_params values, copied. NULL: no memory, or the pilot names an inner controller or a
 * parameter of one that there is not. `seed` keys the pilot's random draws: another one for each flow. */
struct weir_governed *weir_governed_new(const struct weir_pilot_ops *pilot, const u64 *params, u64 seed);
void weir_governed_free(struct weir_governed *g); /* NULL: nothing */
/* The values behind pilot->signals, now; NaN: none. */
void weir_governed_probe(const struct weir_governed *g, double value[WEIR_PILOT_SIGNALS_MAX]);

#endif

/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Has a sender that doubles its rate filled the path? Then the rate of delivery has not grown by a quarter in
 * three rounds (BBR's STARTUP). Rounds in which the application was the limit say nothing. */
#ifndef WEIR_CORE_FULL_PIPE_H
#define WEIR_CORE_FULL_PIPE_H

#include "weir/cc.h"

#define WEIR_FULL_PIPE_ROUNDS 3

struct weir_full_pipe {
	u64 rate_Bps; /* the rate from which a quarter more is asked for */
	u8 rounds;    /* without it */
	u8 full;
};

/* Begins to count anew; what is known to be full stays so. */
WEIR_CORE void weir_full_pipe_again(struct weir_full_pipe *f)
{
	f->rate_Bps = f->rounds = 0;
}

WEIR_CORE void weir_full_pipe_round(struct weir_full_pipe *f, u64 rate_Bps)
{
	if (f->full)
		return;
	if (rate_Bps >= f->rate_Bps + f->rate_Bps / 4) {
		f->rate_Bps = rate_Bps;
		f->rounds = 0;
	} else if (++f->rounds >= WEIR_FULL_PIPE_ROUNDS) {
		f->full = 1;
	}
}

#endif

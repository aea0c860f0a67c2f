/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The smallest round trip, sought anew when it was not seen for long: then its owner holds back until almost
 * nothing is in flight, for a while and a round, and the smallest seen meanwhile follows. Until then the old
 * one holds, since the samples before are of a queue (BBR's PROBE_RTT). */
#ifndef WEIR_CORE_BASE_RTT_H
#define WEIR_CORE_BASE_RTT_H

#include "weir/cc.h"

struct weir_base_rtt {
	u64 min_ns;	  /* 0: no sample yet */
	u64 at_ns;	  /* when it was last seen */
	u64 probed_ns;	  /* the smallest while probing; WEIR_NEVER: none */
	u64 hold_from_ns; /* when few enough were in flight */
	u8 probing, holding;
	u8 hold_round; /* a round began since then */
};

WEIR_CORE void weir_base_rtt_init(struct weir_base_rtt *b, u64 now_ns)
{
	b->min_ns = 0;
	b->at_ns = b->hold_from_ns = now_ns;
	b->probed_ns = WEIR_NEVER;
	b->probing = b->holding = b->hold_round = 0;
}

/* An ACK's sample, 0 if it has none. `unqueued`: after silence the sample is the path's, so that an old
 * minimum is replaced without a probe. True where a probe begins. */
WEIR_CORE bool weir_base_rtt_take(struct weir_base_rtt *b, u64 now_ns, u64 rtt_ns, u64 window_ns,
				  bool unqueued)
{
	bool old = b->min_ns && weir_sub(now_ns, b->at_ns) > window_ns;
	if (rtt_ns && b->holding)
		b->probed_ns = weir_min(b->probed_ns, rtt_ns);
	if (rtt_ns && (!b->min_ns || rtt_ns <= b->min_ns || (old && unqueued))) {
		b->min_ns = rtt_ns;
		b->at_ns = now_ns;
	} else if (old && !unqueued && !b->probing) {
		b->probing = 1;
		b->holding = 0;
		b->probed_ns = WEIR_NEVER;
		return true;
	}
	return false;
}

/* While probing. `few`: so little is in flight that it makes no queue. True where the probe is over. */
WEIR_CORE bool weir_base_rtt_hold(struct weir_base_rtt *b, const struct weir_view *v, bool few, u64 hold_ns)
{
	if (!b->holding) {
		b->holding = few;
		b->hold_round = 0;
		b->hold_from_ns = v->now_ns;
		return false;
	}
	if (v->flags & WEIR_ROUND_START)
		b->hold_round = 1;
	if (!b->hold_round || weir_sub(v->now_ns, b->hold_from_ns) < hold_ns)
		return false;
	if (b->probed_ns != WEIR_NEVER)
		b->min_ns = b->probed_ns;
	b->at_ns = v->now_ns;
	b->probing = b->holding = 0;
	return true;
}

#endif

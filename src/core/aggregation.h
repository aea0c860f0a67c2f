/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* How much more than the path's rate explains arrives in one clump of ACKs: what Wi-Fi, cable and receivers
 * hold back and then let go together. A window without that room would run dry between two clumps (P. Jha,
 * N. Cardwell et al., "Ack aggregation", IETF 102 ICCRG, 2018). The largest of the last 5 to 10 rounds. */
#ifndef WEIR_CORE_AGGREGATION_H
#define WEIR_CORE_AGGREGATION_H

#include "core/window.h"

#define WEIR_AGGREGATION_ROUNDS 5
#define WEIR_AGGREGATION_MAX_NS (100 * WEIR_NS_PER_MS)
#define WEIR_AGGREGATION_EPOCH_PACKETS (1ULL << 20) /* no clump is longer */

struct weir_aggregation {
	u64 from_ns, acked_bytes; /* of this clump */
	u64 most_bytes,
	    before_bytes; /* the largest excess of this span of five rounds, and of the one before */
	u8 rounds;
};

WEIR_CORE void weir_aggregation_init(struct weir_aggregation *g, u64 now_ns)
{
	g->from_ns = now_ns;
	g->acked_bytes = g->most_bytes = g->before_bytes = 0;
	g->rounds = 0;
}

WEIR_CORE void weir_aggregation_on_ack(struct weir_aggregation *g, const struct weir_view *v, u64 acked_bytes,
				       u64 rate_Bps, u64 cwnd_bytes)
{
	if (v->flags & WEIR_ROUND_START && ++g->rounds >= WEIR_AGGREGATION_ROUNDS) {
		g->before_bytes = g->most_bytes;
		g->most_bytes = g->rounds = 0;
	}
	u64 expected = weir_muldiv(rate_Bps, weir_sub(v->now_ns, g->from_ns), WEIR_NS_PER_S);
	if (g->acked_bytes <= expected ||
	    g->acked_bytes >= WEIR_AGGREGATION_EPOCH_PACKETS * weir_window_mss(v)) {
		g->acked_bytes = expected = 0;
		g->from_ns = v->now_ns;
	}
	g->acked_bytes = weir_add(g->acked_bytes, acked_bytes);
	u64 extra = weir_min(weir_sub(g->acked_bytes, expected), cwnd_bytes);
	g->most_bytes = weir_max(g->most_bytes, extra);
}

/* The room for it; nothing sane holds ACKs back for longer than a tenth of a second. */
WEIR_CORE u64 weir_aggregation_bytes(const struct weir_aggregation *g, u64 rate_Bps)
{
	return weir_min(weir_max(g->most_bytes, g->before_bytes),
			weir_muldiv(rate_Bps, WEIR_AGGREGATION_MAX_NS, WEIR_NS_PER_S));
}

#endif

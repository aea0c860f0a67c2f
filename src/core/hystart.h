/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* HyStart++ (RFC 9406): ends the first slow start when a queue begins to form, seen as a round whose
 * smallest RTT lies clearly above that of the round before. It then grows four times slower for five
 * rounds ("conservative slow start") and goes back if the RTT turns out to have been a bump. */
#ifndef WEIR_CORE_HYSTART_H
#define WEIR_CORE_HYSTART_H

#include "weir/cc.h"

/* RFC 9406 section 4.3. Its L, a cap on the growth of one ACK, is not used: bursts are the pacer's. */
#define WEIR_HYSTART_SAMPLES 8 /* RTT samples before a round's minimum is believed */
#define WEIR_HYSTART_MIN_RISE_US 4000
#define WEIR_HYSTART_MAX_RISE_US 16000
#define WEIR_HYSTART_CSS_DIVISOR 4
#define WEIR_HYSTART_CSS_ROUNDS 5

enum weir_hystart_phase {
	WEIR_HYSTART_FAST, /* slow start as ever */
	WEIR_HYSTART_SLOW, /* conservative: grow by a quarter of what is acknowledged */
	WEIR_HYSTART_DONE, /* leave slow start with the window as it is */
};

struct weir_hystart {
	u64 round_window_bytes;	   /* the window when this round began */
	u64 previous_window_bytes; /* likewise, the round before */
	/* Microseconds, so that three fit; 0: no sample. Steps of 4 ms are judged with them. */
	u32 last_min_us, round_min_us, baseline_us;
	u8 samples;    /* in this round, up to WEIR_HYSTART_SAMPLES */
	u8 css_rounds; /* rounds of conservative slow start, the running one included; 0: none */
};

WEIR_CORE void weir_hystart_init(struct weir_hystart *h, u64 window_bytes)
{
	h->round_window_bytes = window_bytes;
	h->previous_window_bytes = window_bytes;
	h->last_min_us = 0;
	h->round_min_us = 0;
	h->baseline_us = 0;
	h->samples = 0;
	h->css_rounds = 0;
}

WEIR_CORE void weir_hystart_new_round(struct weir_hystart *h, u64 window_bytes)
{
	h->previous_window_bytes = h->round_window_bytes;
	h->round_window_bytes = window_bytes;
}

WEIR_CORE bool weir_hystart_rtt_rose(const struct weir_hystart *h)
{
	u64 rise = weir_clamp(h->last_min_us / 8, WEIR_HYSTART_MIN_RISE_US, WEIR_HYSTART_MAX_RISE_US);
	return h->last_min_us && h->round_min_us >= h->last_min_us + rise;
}

/* Takes note of one ACK; `window_bytes` is the window before it. Says how to grow on it. */
WEIR_CORE enum weir_hystart_phase weir_hystart_on_ack(struct weir_hystart *h, const struct weir_view *v,
						      const struct weir_ack *a, u64 window_bytes)
{
	if (v->flags & WEIR_ROUND_START) {
		h->last_min_us = h->round_min_us;
		h->round_min_us = 0;
		h->samples = 0;
		weir_hystart_new_round(h, window_bytes);
		if (h->css_rounds && ++h->css_rounds > WEIR_HYSTART_CSS_ROUNDS)
			return WEIR_HYSTART_DONE;
	}
	if (a->rtt_ns) {
		u32 rtt_us = (u32)weir_clamp(a->rtt_ns / WEIR_NS_PER_US, 1, 0xffffffffU);
		if (!h->round_min_us || rtt_us < h->round_min_us)
			h->round_min_us = rtt_us;
		if (h->samples < WEIR_HYSTART_SAMPLES)
			h->samples++;
	}
	if (h->samples == WEIR_HYSTART_SAMPLES) {
		if (!h->css_rounds && weir_hystart_rtt_rose(h)) {
			h->css_rounds = 1;
			h->baseline_us = h->round_min_us;
		} else if (h->css_rounds && h->round_min_us < h->baseline_us) {
			h->css_rounds = 0;
		}
	}
	return h->css_rounds ? WEIR_HYSTART_SLOW : WEIR_HYSTART_FAST;
}

/* The window under which data now found lost was sent, one round ago: as far into the last round as this one
 * has come. How far that is tells this round's growth, by a window in a whole round of slow start and a
 * quarter of one while it is conservative. */
WEIR_CORE u64 weir_hystart_lost_window(const struct weir_hystart *h, u64 cwnd_bytes)
{
	u64 high = weir_min(h->round_window_bytes, cwnd_bytes),
	    low = weir_min(h->previous_window_bytes, high);
	u64 grown = weir_min(cwnd_bytes - high, high);
	if (h->css_rounds)
		grown = weir_min(WEIR_HYSTART_CSS_DIVISOR * grown, high);
	return low + weir_muldiv(high - low, grown, weir_max(high, 1));
}

#endif

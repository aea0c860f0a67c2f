/* SPDX-License-Identifier: MIT */
#include "pilot/mu.h"

#include "pilot/cross.h"

#include <string.h>

/* A silence says nothing about the rate: no report ages mu by more. */
#define AGES_AT_MOST_NS WEIR_NS_PER_S

void weir_mu_init(struct weir_mu *m, u64 window_ns)
{
	memset(m, 0, sizeof *m);
	m->part_ns = window_ns / WEIR_MU_PARTS;
	if (window_ns && !m->part_ns)
		m->part_ns = 1;
}

static void age(struct weir_mu *m, u64 interval_ns)
{
	m->into_ns += interval_ns < AGES_AT_MOST_NS ? interval_ns : AGES_AT_MOST_NS;
	for (u32 i = 0; i < WEIR_MU_PARTS && m->into_ns >= m->part_ns; i++) {
		m->into_ns -= m->part_ns;
		m->newest = (m->newest + 1) % WEIR_MU_PARTS;
		m->largest_Bps[m->newest] = 0;
	}
	m->into_ns %= m->part_ns;
}

void weir_mu_report(struct weir_mu *m, const struct weir_report *r)
{
	struct weir_cross c;
	weir_cross_read(r, 0, &c);
	if (c.use <= WEIR_CROSS_REPAIR)
		return;
	/* Linux drops such samples too: less than a round trip between two sends of one window cannot be */
	if (r->min_rtt_ns && r->send_interval_ns < r->min_rtt_ns / 2 &&
	    r->ack_interval_ns < r->min_rtt_ns / 2)
		return;
	double rate_Bps = c.send_Bps < c.receive_Bps ? c.send_Bps : c.receive_Bps;
	if (c.use == WEIR_CROSS_GOOD && m->part_ns)
		age(m, r->interval_ns);
	else if (rate_Bps <= weir_mu_Bps(m))
		return;
	if (rate_Bps > m->largest_Bps[m->newest])
		m->largest_Bps[m->newest] = rate_Bps;
}

double weir_mu_Bps(const struct weir_mu *m)
{
	double largest = 0;
	for (u32 i = 0; i < WEIR_MU_PARTS; i++)
		if (m->largest_Bps[i] > largest)
			largest = m->largest_Bps[i];
	return largest;
}

double weir_mu_given_Bps(u64 link_rate_Bps, u64 header_bytes, u32 mss_bytes)
{
	double mss = mss_bytes ? (double)mss_bytes : 1448;
	return weir_cross_rate((double)link_rate_Bps * (mss / (mss + (double)header_bytes)));
}

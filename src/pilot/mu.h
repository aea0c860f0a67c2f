/* SPDX-License-Identifier: MIT */
/* The link's rate mu as a receiver sees it: the largest rate of delivery of the newest so many seconds
 * ("Elasticity Detection: A Building Block for Internet Congestion Control", section 3.1), of samples that no
 * compression of ACKs can raise: a sample counts as min(S, R), for what arrives cannot have been sent more
 * slowly. A sample of the application's rate, or of a path without a queue, is only a lower bound: it may
 * raise mu, but neither ages nor lowers it. */
#ifndef WEIR_PILOT_MU_H
#define WEIR_PILOT_MU_H

#include "weir/pilot.h"

#define WEIR_MU_PARTS 16

struct weir_mu {
	u64 part_ns;			   /* 1/WEIR_MU_PARTS of the window; 0: for ever */
	u64 into_ns;			   /* how far the newest part has come, in time that counts */
	u32 newest;			   /* index of it */
	double largest_Bps[WEIR_MU_PARTS]; /* per part; 0: none */
};

/* window_ns: 0: the largest of all times. */
void weir_mu_init(struct weir_mu *m, u64 window_ns);
void weir_mu_report(struct weir_mu *m, const struct weir_report *r);
/* Bytes per second; 0: not known yet. */
double weir_mu_Bps(const struct weir_mu *m);
/* Of a link whose rate is given, headers included: in payload, as the rates of reports are. mss_bytes 0:
 * taken to be 1448. */
double weir_mu_given_Bps(u64 link_rate_Bps, u64 header_bytes, u32 mss_bytes);

#endif

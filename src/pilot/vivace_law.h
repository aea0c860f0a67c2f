/* SPDX-License-Identifier: MIT */
/* What Vivace learns by: the utility of an interval, and the step along its gradient ("PCC Vivace:
 * Online-Learning Congestion Control", NSDI 2018, sections 3 and 4).
 *
 *   u(x) = x^t - b x dRTT/dT - c x L     x in Mbit/s, L the share lost
 *
 *                         paper                           kernel
 *   t, b, c               .9, 900, 11.35                  1, 900, 11
 *   dRTT/dT               regression over sending time    smoothed RTT at the end - at the beginning,
 *                                                         nothing below what two packets take
 *   nothing below         .01                             .03
 *   step                  m theta0 gradient               the same
 *   theta0                1 Mbit/s                        .2 Mbit/s (25 kB/s)
 *   amplifier m           x + 1, 2x - 2, 4x - 14, 8x - 50 2, one more for each decision the same way once the
 *                         for x to 3, 6, 9 decisions      swing buffer is empty: at most 2, one more for each
 *                         the same way                    turn
 *   bound, of the rate    .05 + .1 k                      .1, .07 more after each step that it cut
 *                         (k: the smallest that fits)
 *   least step            .5 Mbit/s                       .022 of the rate
 *   starting              x 2                             x 1.5, losses below .1 and falling RTTs do not
 * count interval, at least    5 packets                       50 packets
 *
 * "kernel" is the variant for the Linux kernel that its authors published (2018). */
#ifndef WEIR_PILOT_VIVACE_LAW_H
#define WEIR_PILOT_VIVACE_LAW_H

#include "pilot/vivace_interval.h"

#define VIVACE_Bps_PER_MBPS 125000.

struct vivace_rules {
	bool kernel;
	double exponent, rtt_weight, loss_weight; /* t, b, c */
	double epsilon;				  /* a probe's distance from the rate, a part of it */
	double theta;				  /* Mbit/s for a gradient of 1 */
	double filter;				  /* smaller dRTT/dT do not count */
	double bound, bound_more;
	double start_gain, packets;
	bool noise_filter, published_slip;
};

/* What is kept between steps. Zeroed: nothing yet. */
struct vivace_gait {
	int way;       /* of the last step: -1, 1; 0: none */
	u32 same;      /* decisions that way before this one */
	u32 amplifier; /* of the kernel's; 0: 2 */
	u32 swing;     /* of the kernel's */
	u32 cut;       /* so often in a row the bound was what counted: k */
};

double vivace_utility(const struct vivace_rules *v, double rate_Bps, double rtt_gradient, double loss);
/* dRTT/dT of a finished interval as it counts. */
double vivace_rtt_gradient(const struct vivace_rules *v, const struct vivace_interval *i, u32 mss_bytes,
			   bool starting);
/* The share lost as it counts. */
double vivace_loss(const struct vivace_rules *v, const struct vivace_interval *i, bool starting);
/* du/dx between two rates; 0 where they are too near (2 % of the kernel's, .1 % of the paper's). */
double vivace_gradient(const struct vivace_rules *v, double rate_Bps, double utility, double from_Bps,
		       double from_utility);
/* The step from rate_Bps along a gradient, signed; never more than the bound. */
double vivace_step_Bps(const struct vivace_rules *v, struct vivace_gait *g, double rate_Bps, double gradient);
/* m of the paper for so many decisions the same way before. */
double vivace_amplifier(u32 same);

#endif

/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The wave that a governor lays over a rate. For the first quarter of a period it is half a sine above the
 * rate, for the rest half a sine below it, three times as long and a third as high, so that its mean is 0.
 * Integers only: the same on every host.
 *
 * Source: "Elasticity Detection: A Building Block for Internet Congestion Control", section 3.4. */
#ifndef WEIR_CORE_WAVE_H
#define WEIR_CORE_WAVE_H

#include "weir/num.h"

#define WEIR_WAVE_ONE 65536 /* the height at its top */

/* sin(pi k / 128): a quarter of a period of a sine, both ends included. */
static const u32 weir_wave_sine[65] __attribute__((unused)) = {
    0,	   1608,  3216,	 4821,	6424,  8022,  9616,  11204, 12785, 14359, 15924, 17479, 19024,
    20557, 22078, 23586, 25080, 26558, 28020, 29466, 30893, 32303, 33692, 35062, 36410, 37736,
    39040, 40320, 41576, 42806, 44011, 45190, 46341, 47464, 48559, 49624, 50660, 51665, 52639,
    53581, 54491, 55368, 56212, 57022, 57798, 58538, 59244, 59914, 60547, 61145, 61705, 62228,
    62714, 63162, 63572, 63944, 64277, 64571, 64827, 65043, 65220, 65358, 65457, 65516, 65536};

/* sin(pi x / 2^32) in 2^-16, between the table's points on straight lines: at most 5 too small. */
WEIR_CORE u32 weir_wave_half_sine(u32 x)
{
	u32 from_end = x > 0x80000000U ? 0U - x : x;
	u32 k = from_end >> 25, rest = from_end & 0x1ffffffU;
	if (k >= 64)
		return WEIR_WAVE_ONE;
	return weir_wave_sine[k] + (u32)(((u64)(weir_wave_sine[k + 1] - weir_wave_sine[k]) * rest) >> 25);
}

/* The wave's height at a phase in 2^-32 of a period: -WEIR_WAVE_ONE / 3 to WEIR_WAVE_ONE. */
WEIR_CORE i32 weir_wave_height(u32 phase)
{
	if (phase < 0x40000000U)
		return (i32)weir_wave_half_sine(phase << 2);
	u32 x = (u32)((u64)(phase - 0x40000000U) * 4 / 3);
	return -(i32)(weir_wave_half_sine(x) / 3);
}

/* How far a wave of this period gets in that time. */
WEIR_CORE u32 weir_wave_advance(u64 elapsed_ns, u64 period_ns)
{
	return period_ns ? (u32)weir_muldiv(elapsed_ns % period_ns, 1ULL << 32, period_ns) : 0;
}

/* `rate` with a wave of this amplitude over it, never below `floor`. */
WEIR_CORE u64 weir_wave_over_Bps(u64 rate_Bps, u64 amplitude_Bps, u32 phase, u64 floor_Bps)
{
	i32 height = weir_wave_height(phase);
	u64 part = weir_muldiv(amplitude_Bps, height < 0 ? (u64)-height : (u64)height, WEIR_WAVE_ONE);
	return weir_max(height < 0 ? weir_sub(rate_Bps, part) : weir_add(rate_Bps, part), floor_Bps);
}

#endif

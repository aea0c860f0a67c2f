/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Draws from distributions: a fixed number of random numbers each, the same bits on every machine. */
#ifndef WEIR_CORE_DRAW_H
#define WEIR_CORE_DRAW_H

#include "fmath.h"
#include "rng.h"

/* Exponential, by inversion. One number; at most 36.8 means. */
static inline double weir_draw_exponential(struct weir_rng *r, double mean)
{
	return -mean * weir_log(weir_rng_unit(r));
}

/* Normal with mean 0 and variance 1 (Box and Muller 1958; its second value is not kept). Two numbers. */
static inline double weir_draw_normal(struct weir_rng *r)
{
	double radius = weir_sqrt(-2 * weir_log(weir_rng_unit(r)));
	return radius * weir_cos(WEIR_TWO_PI * weir_rng_unit(r));
}

#endif

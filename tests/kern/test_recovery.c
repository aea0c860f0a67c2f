/* SPDX-License-Identifier: MIT */
/* The short form of test_recovery_long.c: too few runs for small differences, enough for large ones. */
#include "recovery.h"

int main(void)
{
	return recovery_compare(
	    &(struct recovery_plan){.rounds = 2, .duration_ns = 5 * WEIR_NS_PER_S, .goodput_within = .2});
}

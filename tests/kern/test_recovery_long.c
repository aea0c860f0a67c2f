/* SPDX-License-Identifier: MIT */
/* Twenty pairs of each cell; what it printed is in docs/kernel.md. */
#include "recovery.h"

int main(void)
{
	return recovery_compare(&(struct recovery_plan){.rounds = 20, .duration_ns = 10 * WEIR_NS_PER_S});
}

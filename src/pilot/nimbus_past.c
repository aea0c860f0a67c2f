/* SPDX-License-Identifier: MIT */
#include "pilot/nimbus_state.h"

void weir_nimbus_past_init(struct nimbus_past *a, u32 samples)
{
	*a = (struct nimbus_past){.n = samples + 1};
}

static void put(struct nimbus_past *a, double base_Bps, double receive_Bps)
{
	a->newest = a->newest + 1 < a->n ? a->newest + 1 : 0;
	a->base_Bps[a->newest] = base_Bps;
	a->receive_Bps[a->newest] = receive_Bps;
	if (a->count < a->n)
		a->count++;
}

void weir_nimbus_past_add(struct nimbus_past *a, u64 now_ns, u64 sample_ns, double base_Bps,
			  double receive_Bps)
{
	if (!a->count || now_ns < a->grid_ns) {
		a->count = 0;
		a->grid_ns = now_ns;
		put(a, base_Bps, receive_Bps);
		return;
	}
	u64 steps = (now_ns - a->grid_ns) / sample_ns;
	for (u64 i = 0; i < steps && i < a->n; i++)
		put(a, base_Bps, receive_Bps);
	a->grid_ns += steps * sample_ns;
}

bool weir_nimbus_past_oldest(const struct nimbus_past *a, u32 *index)
{
	*index = a->count < a->n ? (a->newest + a->n + 1 - a->count) % a->n : (a->newest + 1) % a->n;
	return a->count > 0;
}

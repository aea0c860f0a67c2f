/* SPDX-License-Identifier: MIT */
#include "heads.h"

#include <stdlib.h>

bool weir_heads_init(struct weir_heads *h, u32 n)
{
	*h = (struct weir_heads){.n = n, .leaves = WEIR_HEADS_FEW};
	while (h->leaves < n)
		h->leaves *= 2;
	h->at_ns = malloc(h->leaves * sizeof *h->at_ns);
	if (n > WEIR_HEADS_FEW)
		h->winner = calloc(h->leaves, sizeof *h->winner);
	if (!h->at_ns || (n > WEIR_HEADS_FEW && !h->winner)) {
		weir_heads_free(h);
		return false;
	}
	for (u32 i = 0; i < h->leaves; i++)
		h->at_ns[i] = WEIR_NEVER;
	for (u32 node = h->leaves - 1; h->winner && node; node--)
		h->winner[node] = 2 * node < h->leaves ? h->winner[2 * node] : 2 * node - h->leaves;
	return true;
}

void weir_heads_free(struct weir_heads *h)
{
	free(h->at_ns);
	free(h->winner);
	*h = (struct weir_heads){0};
}

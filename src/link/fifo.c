/* SPDX-License-Identifier: MIT */
#include "fifo.h"

#include <stdlib.h>

#define START 64u
#define MOST (1ULL << 31)

bool weir_fifo_reserve(struct weir_fifo *f)
{
	u64 size = f->room ? 2 * f->room : START;
	struct weir_queued *ring = size <= MOST ? malloc(size * sizeof *ring) : NULL;
	if (!ring)
		return false;
	for (u64 i = f->head; i != f->tail; i++)
		ring[i & (size - 1)] = f->ring[i & (f->room - 1)];
	free(f->ring);
	f->ring = ring;
	f->room = size;
	return true;
}

void weir_fifo_fini(struct weir_fifo *f)
{
	free(f->ring);
	*f = (struct weir_fifo){0};
}

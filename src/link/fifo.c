/* SPDX-License-Identifier: MIT */
#include "fifo.h"

#include <stdlib.h>

#define START 64u
#define MOST (1ULL << 31)

bool weir_fifo_reserve(struct weir_fifo *f)
{
	u64 size = f->size ? 2 * f->size : START;
	struct weir_queued *ring = size <= MOST ? malloc(size * sizeof *ring) : NULL;
	if (!ring)
		return false;
	for (u64 i = f->head; i != f->tail; i++)
		ring[i & (size - 1)] = f->ring[i & (f->size - 1)];
	free(f->ring);
	f->ring = ring;
	f->size = size;
	return true;
}

void weir_fifo_fini(struct weir_fifo *f)
{
	free(f->ring);
	*f = (struct weir_fifo){0};
}

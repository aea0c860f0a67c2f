/* SPDX-License-Identifier: MIT */
/* What stands for the server of a hop without a rate: every packet is sent as it comes. */
#include "element.h"

#include <stdlib.h>

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	e->link->stats.sent_bytes += p->bytes;
	weir_element_emit(e, now_ns, p);
}

static const struct weir_element_ops ops = {.name = "wire", .arrive = arrive};

struct weir_element *weir_wire_new(void)
{
	struct weir_element *e = calloc(1, sizeof *e);
	if (e)
		e->ops = &ops;
	return e;
}

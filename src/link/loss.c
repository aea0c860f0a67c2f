/* SPDX-License-Identifier: MIT */
#include "loss.h"
#include "element.h"

#include <stdlib.h>

struct loss {
	struct weir_element element;
	struct weir_loss_process process;
};

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	if (weir_loss_takes(&((struct loss *)e)->process))
		weir_link_drop(e->link, now_ns, p, WEIR_DROP_LOSS);
	else
		weir_element_emit(e, now_ns, p);
}

static const struct weir_element_ops ops = {.name = "loss", .arrive = arrive};

struct weir_element *weir_loss_new(const struct weir_loss_config *c, const struct weir_rng *rng)
{
	struct loss *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->element.ops = &ops;
	l->process = (struct weir_loss_process){.config = *c, .rng = *rng};
	return &l->element;
}

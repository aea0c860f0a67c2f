/* SPDX-License-Identifier: MIT */
/* Some packets are held back for a fixed time and are overtaken by those behind them; the others pass. */
#include "element.h"
#include "hold.h"

#include <stdlib.h>

struct reorder {
	struct weir_element element;
	struct weir_hold hold;
	double p;
	u64 delay_ns;
	struct weir_rng rng;
};

static void run(struct weir_element *e, u64 until_ns)
{
	struct weir_queued q;
	while (weir_hold_pop(&((struct reorder *)e)->hold, until_ns, &q)) {
		weir_element_let_go(e, &q.packet);
		weir_element_emit(e, q.at_ns, &q.packet);
	}
}

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	struct reorder *r = (struct reorder *)e;
	run(e, now_ns);
	if (!weir_rng_chance(&r->rng, r->p))
		weir_element_emit(e, now_ns, p);
	else if (weir_hold_push(&r->hold, now_ns + r->delay_ns, p))
		weir_element_hold(e, p);
	else
		weir_element_fail(e, now_ns, p);
}

static u64 next_ns(const struct weir_element *e)
{
	return weir_hold_head_ns(&((const struct reorder *)e)->hold);
}

static void fini(struct weir_element *e)
{
	weir_hold_fini(&((struct reorder *)e)->hold);
}

static const struct weir_element_ops ops = {"reorder", arrive, run, next_ns, fini};

struct weir_element *weir_reorder_new(double p, u64 delay_ns, const struct weir_rng *rng)
{
	struct reorder *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->element.ops = &ops;
	r->p = p;
	r->delay_ns = delay_ns;
	r->rng = *rng;
	return &r->element;
}

/* SPDX-License-Identifier: MIT */
/* An extra delay, uniform and independent for each packet. Independent delays put packets that are close
 * together into disorder, which no real path does on that scale and which senders take for loss; so a
 * packet waits for the one before it unless reordering is asked for. */
#include "element.h"
#include "hold.h"

#include <stdlib.h>

struct jitter {
	struct weir_element element;
	struct weir_hold hold;
	u64 jitter_ns, last_due_ns;
	bool reorders;
	struct weir_rng rng;
};

static void run(struct weir_element *e, u64 until_ns)
{
	struct weir_queued q;
	while (weir_hold_pop(&((struct jitter *)e)->hold, until_ns, &q)) {
		weir_element_let_go(e, &q.packet);
		weir_element_emit(e, q.at_ns, &q.packet);
	}
}

static void arrive(struct weir_element *e, u64 now_ns, const struct weir_packet *p)
{
	struct jitter *j = (struct jitter *)e;
	run(e, now_ns);
	u64 due_ns = now_ns + weir_rng_below(&j->rng, j->jitter_ns + 1);
	if (!j->reorders)
		due_ns = weir_max(due_ns, j->last_due_ns);
	j->last_due_ns = due_ns;
	if (due_ns == now_ns)
		weir_element_emit(e, now_ns, p);
	else if (weir_hold_push(&j->hold, due_ns, p))
		weir_element_hold(e, p);
	else
		weir_element_fail(e, now_ns, p);
}

static u64 next_ns(const struct weir_element *e)
{
	return weir_hold_head_ns(&((const struct jitter *)e)->hold);
}

static void fini(struct weir_element *e)
{
	weir_hold_fini(&((struct jitter *)e)->hold);
}

static const struct weir_element_ops ops = {"jitter", arrive, run, next_ns, fini};

struct weir_element *weir_jitter_new(u64 jitter_ns, bool reorders, const struct weir_rng *rng)
{
	struct jitter *j = calloc(1, sizeof *j);
	if (!j)
		return NULL;
	j->element.ops = &ops;
	j->jitter_ns = jitter_ns;
	j->reorders = reorders;
	j->rng = *rng;
	return &j->element;
}

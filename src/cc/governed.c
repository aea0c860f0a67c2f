/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "cc/governed.h"

#include "cc/governor.h"
#include "cc/table.h"

#include <stdlib.h>
#include <string.h>

struct weir_governed {
	const struct weir_pilot_ops *pilot;
	u64 *params;
	void *state;
	struct weir_setpoint first;
	u32 n_inners;
	struct weir_governed_inner {
		const struct weir_cc_ops *ops;
		u64 *params;
	} inner[WEIR_PILOT_INNERS_MAX];
	struct weir_governed_inner reno;
};

static bool set_inner(struct weir_governed_inner *to, const struct weir_pilot_inner *from)
{
	to->ops = from->name ? weir_cc_find(from->name) : NULL;
	if (!to->ops || to->ops->needs & WEIR_NEED_SEND)
		return false;
	to->params = calloc(to->ops->n_params + 1u, sizeof *to->params);
	return to->params && weir_cc_inner_params(to->ops, from, to->params);
}

static bool set_inners(struct weir_governed *g)
{
	struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX] = {{0}};
	const struct weir_pilot_inner reno = {.name = "reno"};
	g->n_inners = g->pilot->inners(g->params, inner);
	if (g->n_inners > WEIR_PILOT_INNERS_MAX)
		return false;
	for (u32 i = 0; i < g->n_inners; i++)
		if (!set_inner(&g->inner[i], &inner[i]))
			return false;
	return set_inner(&g->reno, &reno);
}

struct weir_governed *weir_governed_new(const struct weir_pilot_ops *pilot, const u64 *params, u64 seed)
{
	struct weir_governed *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->pilot = pilot;
	g->params = calloc(pilot->n_params + 1u, sizeof *g->params);
	g->state = calloc(1, pilot->state_bytes);
	if (g->params && g->state) {
		memcpy(g->params, params, pilot->n_params * sizeof *params);
		if (set_inners(g)) {
			pilot->init(g->state, g->params, seed, &g->first);
			return g;
		}
	}
	weir_governed_free(g);
	return NULL;
}

void weir_governed_free(struct weir_governed *g)
{
	if (!g)
		return;
	for (u32 i = 0; i < WEIR_PILOT_INNERS_MAX; i++)
		free(g->inner[i].params);
	free(g->reno.params);
	free(g->params);
	free(g->state);
	free(g);
}

void weir_governed_probe(const struct weir_governed *g, double value[WEIR_PILOT_SIGNALS_MAX])
{
	g->pilot->probe(g->state, value);
}

static void tell(const void *context, u32 inner, void *state, const struct weir_governor_event *e,
		 struct weir_out *o)
{
	const struct weir_governed *g = context;
	const struct weir_governed_inner *to = inner < g->n_inners ? &g->inner[inner] : &g->reno;
	weir_governor_deliver(to->ops, state, to->params, e, o);
}

static bool exchange(const void *context, const struct weir_report *r, struct weir_setpoint *io)
{
	const struct weir_governed *g = context;
	u64 number = io->number;
	g->pilot->on_report(g->state, g->params, r, io);
	io->number = number + 1;
	return true;
}

static const struct weir_governor_host host = {tell, exchange};

static void on_init(void *s, const void *p, const struct weir_view *v, struct weir_out *o)
{
	const struct weir_governed *g = p;
	weir_governor_init(s, &host, p, &g->first, v, o);
}

static void on_ack(void *s, const void *p, const struct weir_view *v, const struct weir_ack *a,
		   struct weir_out *o)
{
	const struct weir_governor_event e = {.kind = WEIR_GOVERNOR_ACK, .view = v, .ack = a};
	weir_governor_on(s, &host, p, e, o);
}

static void on_loss(void *s, const void *p, const struct weir_view *v, const struct weir_loss *l,
		    struct weir_out *o)
{
	const struct weir_governor_event e = {.kind = WEIR_GOVERNOR_LOSS, .view = v, .loss = l};
	weir_governor_on(s, &host, p, e, o);
}

static void on_timeout(void *s, const void *p, const struct weir_view *v, struct weir_out *o)
{
	weir_governor_on(s, &host, p, (struct weir_governor_event){.kind = WEIR_GOVERNOR_TIMEOUT, .view = v},
			 o);
}

static void on_idle(void *s, const void *p, const struct weir_view *v, u64 idle_ns, struct weir_out *o)
{
	const struct weir_governor_event e = {.kind = WEIR_GOVERNOR_IDLE, .view = v, .amount = idle_ns};
	weir_governor_on(s, &host, p, e, o);
}

static void on_tick(void *s, const void *p, const struct weir_view *v, struct weir_out *o)
{
	weir_governor_on(s, &host, p, (struct weir_governor_event){.kind = WEIR_GOVERNOR_TICK, .view = v}, o);
}

const struct weir_cc_ops weir_governed_ops = {
    .name = "governor",
    .about = "Obeys a pilot.",
    .source = "Elasticity Detection: A Building Block for Internet Congestion Control",
    .abi = WEIR_CC_ABI,
    .needs = WEIR_GOVERNOR_NEEDS,
    .state_bytes = sizeof(struct weir_governor),
    .init = on_init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .on_idle = on_idle,
    .on_tick = on_tick,
};

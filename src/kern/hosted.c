/* SPDX-License-Identifier: MIT */
#include "hosted.h"

#include "cc/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SILENT_NS (10 * WEIR_NS_PER_S) /* after this a connection makes room for another one */

struct weir_hosted_one {
	u64 socket, heard_ns, reports; /* heard_ns: by the governor's clock */
	u16 local_port;
	struct weir_setpoint setpoint;
	double value[WEIR_PILOT_SIGNALS_MAX];
	_Alignas(16) u8 state[]; /* of the pilot */
};

void weir_hosted_begin(struct weir_hosted *h, const struct weir_pilot_ops *ops, const u64 *params, u64 seed)
{
	*h = (struct weir_hosted){.ops = ops, .params = params, .seed = seed};
}

void weir_hosted_end(struct weir_hosted *h)
{
	for (u32 i = 0; i < h->n; i++)
		free(h->one[i]);
	h->n = 0;
}

/* h->n: there is none. */
static u32 find(const struct weir_hosted *h, u64 connection)
{
	u32 i = 0;
	while (i < h->n && h->connection[i] != connection)
		i++;
	return i;
}

static void drop(struct weir_hosted *h, u32 i)
{
	free(h->one[i]);
	h->n--;
	h->one[i] = h->one[h->n];
	h->connection[i] = h->connection[h->n];
}

/* The one that was silent longest makes room, if it was so for long. 0: nobody does. */
static u64 drop_silent(struct weir_hosted *h, u64 now_ns)
{
	u32 oldest = 0;
	for (u32 i = 1; i < h->n; i++)
		if (h->one[i]->heard_ns < h->one[oldest]->heard_ns)
			oldest = i;
	if (weir_sub(now_ns, h->one[oldest]->heard_ns) < SILENT_NS)
		return 0;
	u64 connection = h->connection[oldest];
	drop(h, oldest);
	return connection;
}

static void probe(const struct weir_hosted *h, struct weir_hosted_one *one)
{
	h->ops->probe(one->state, one->value);
}

/* NULL: there is no room. */
static struct weir_hosted_one *begin(struct weir_hosted *h, const struct weir_kern_report *r, u64 *dropped)
{
	if (h->n == WEIR_KERN_PILOTS_MAX)
		*dropped = drop_silent(h, r->report.now_ns);
	struct weir_hosted_one *one = NULL;
	if (h->n < WEIR_KERN_PILOTS_MAX)
		one = calloc(1, sizeof *one + h->ops->state_bytes);
	if (!one) {
		h->counts.refused += r->report.number == 1;
		return NULL;
	}
	one->socket = r->socket;
	one->local_port = r->local_port;
	h->ops->init(one->state, h->params, h->seed + r->connection, &one->setpoint);
	h->connection[h->n] = r->connection;
	h->one[h->n++] = one;
	h->counts.connections++;
	return one;
}

const struct weir_setpoint *weir_hosted_take(struct weir_hosted *h, const struct weir_kern_report *r,
					     u64 *dropped)
{
	u32 i = find(h, r->connection);
	*dropped = 0;
	if (r->closed) {
		if (i < h->n) {
			*dropped = r->connection;
			drop(h, i);
		}
		return NULL;
	}
	struct weir_hosted_one *one = i < h->n ? h->one[i] : begin(h, r, dropped);
	if (!one)
		return NULL;
	if (one->reports)
		h->counts.lost_reports += weir_sub(r->report.number, one->reports + 1);
	one->reports = r->report.number;
	one->heard_ns = r->report.now_ns;
	h->counts.reports++;
	h->counts.expired_reports += !!(r->report.flags & WEIR_REPORT_EXPIRED);
	h->ops->on_report(one->state, h->params, &r->report, &one->setpoint);
	one->setpoint.number = ++h->setpoints;
	probe(h, one);
	return &one->setpoint;
}

bool weir_hosted_signals(const struct weir_hosted *h, u64 socket, u16 local_port,
			 double value[WEIR_PILOT_SIGNALS_MAX])
{
	const struct weir_hosted_one *found = NULL;
	for (u32 i = 0; i < h->n; i++) {
		const struct weir_hosted_one *one = h->one[i];
		bool is_it = socket ? one->socket == socket : one->local_port == local_port;
		if (is_it && (!found || one->heard_ns >= found->heard_ns))
			found = one;
	}
	if (found)
		memcpy(value, found->value, sizeof found->value);
	return found;
}

/* ---- the inner controllers ---- */

#define WORD(id) #id,
static const char *const carried[] = {WEIR_INNERS(WORD)};
#undef WORD

static int refuse(const struct weir_pilot_ops *ops, const char *what, const char *name, char why[200])
{
	snprintf(why, 200, "%s: %s \"%.60s\"", ops->name, what, name);
	return -1;
}

static int add_inner(const struct weir_pilot_ops *ops, const struct weir_pilot_inner *inner,
		     struct weir_kern_inners *out, u32 i, char why[200])
{
	const struct weir_cc_ops *cc = weir_cc_find(inner->name);
	u32 kind = 0;
	while (cc && kind < WEIR_INNER_KINDS && strcmp(carried[kind], cc->name) != 0)
		kind++;
	if (!cc || kind == WEIR_INNER_KINDS || cc->n_params > WEIR_INNER_PARAMS_MAX)
		return refuse(ops, "the governor in the kernel does not carry", inner->name, why);
	if (!weir_cc_inner_params(cc, inner, out->params[i]))
		return refuse(ops, "a parameter is unknown to its inner controller", inner->name, why);
	out->kind[i] = kind;
	out->used[kind] = 1;
	return 0;
}

int weir_hosted_inners(const struct weir_pilot_ops *ops, const u64 *params, struct weir_kern_inners *out,
		       char why[200])
{
	struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX] = {0};
	const struct weir_pilot_inner reno = {.name = "reno"};
	memset(out, 0, sizeof *out);
	out->n = ops->inners(params, inner);
	for (u32 i = 0; i < out->n; i++)
		if (add_inner(ops, &inner[i], out, i, why))
			return -1;
	if (add_inner(ops, &reno, out, WEIR_KERN_INNERS - 1, why))
		return -1;
	void *state = calloc(1, ops->state_bytes);
	if (!state)
		return refuse(ops, "no memory for", "its state", why);
	ops->init(state, params, 0, &out->first);
	free(state);
	return 0;
}

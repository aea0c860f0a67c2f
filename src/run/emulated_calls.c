/* SPDX-License-Identifier: MIT */
#include "emulated_calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QLOG_BYTES_MAX 1000000000ULL

/* One that was loaded, with all its sockets. */
struct weir_emulated_controller {
	struct weir_emulated_calls *calls;
	struct weir_kern_watch watch;
	bool watched;
	struct weir_follow follow;
	u64 dropped; /* as far as it is known to `follow` */
};

static void name_flow(const struct weir_emulated_calls *c, u32 slot, char name[WEIR_BUILD_NAME_BYTES])
{
	u32 i = c->b->n_entries;
	while (i > 1 && c->b->entry[i - 1].first_hist > slot)
		i--;
	const struct weir_build_entry *e = &c->b->entry[i - 1];
	weir_build_flow_name(e, e->first + slot - e->first_hist, name);
}

static void take_gap(struct weir_emulated_controller *one, u64 time_ns)
{
	u64 dropped = weir_kern_watch_dropped(&one->watch), more = dropped - one->dropped;
	if (!more)
		return;
	one->dropped = dropped;
	one->calls->lost += more;
	weir_follow_gap(&one->follow);
	if (one->calls->qlog)
		weir_kernel_qlog_gap(one->calls->qlog, time_ns, more);
}

/* A flow's socket is known by its port. */
static void take(void *context, const struct weir_kern_record *r)
{
	struct weir_emulated_controller *one = context;
	struct weir_emulated_calls *c = one->calls;
	u64 time_ns = weir_sub(r->call.view.now_ns, c->zero_clock_ns);
	u32 flow = (u32)r->local_port - c->first_port;
	struct weir_out said;
	take_gap(one, time_ns);
	if (flow >= c->n_flows)
		return;
	if (one->follow.ops)
		c->different +=
		    weir_follow_call(&one->follow, flow + 1, &r->call, &said) == WEIR_FOLLOWED_DIFFERS;
	if (!c->qlog)
		return;
	char name[WEIR_BUILD_NAME_BYTES];
	name_flow(c, flow, name);
	weir_kernel_qlog_take(c->qlog, time_ns, name, flow + 1, r);
}

int weir_emulated_calls_begin(struct weir_emulated_calls *c, const struct weir_in_kernel *k,
			      const struct weir_build *b, u32 first_port, FILE *qlog)
{
	*c = (struct weir_emulated_calls){.first_port = first_port,
					  .n_flows = b->n_hists,
					  .b = b,
					  .one = calloc(k->n + 1u, sizeof *c->one)};
	if (qlog)
		c->qlog = weir_kernel_qlog_begin(qlog, b->scenario->title, QLOG_BYTES_MAX);
	if (!c->one || (qlog && !c->qlog))
		return -1;
	c->n = k->n;
	for (u32 i = 0; i < k->n; i++) {
		struct weir_emulated_controller *one = &c->one[i];
		one->calls = c;
		const struct weir_in_kernel_one *in = &k->one[i];
		/* A governor's answers depend on setpoints: nobody follows them, its pilot tells the signals.
		 */
		weir_follow_begin(&one->follow, in->pilot ? NULL : in->kern.ops, in->params);
		if (!in->pilot || c->qlog)
			one->watched = !weir_kern_watch_open(&one->watch, in->kern.name, take, one, c->why);
	}
	return 0;
}

void weir_emulated_calls_take(struct weir_emulated_calls *c)
{
	for (u32 i = 0; i < c->n; i++)
		while (c->one[i].watched && weir_kern_watch_poll(&c->one[i].watch, 0) > 0)
			;
}

bool weir_emulated_calls_probe(const struct weir_emulated_calls *c, const struct weir_in_kernel *k, u32 entry,
			       u32 flow, u64 value[WEIR_CC_SIGNALS_MAX])
{
	const struct weir_cc_ops *ops = c->b->entry[entry].ops.cc;
	if (!ops || !ops->probe)
		return false;
	u32 i = k->of_entry[entry];
	const void *state = i < c->n ? weir_follow_state(&c->one[i].follow, flow + 1) : NULL;
	if (state)
		ops->probe(state, value);
	return state;
}

int weir_emulated_calls_end(struct weir_emulated_calls *c)
{
	for (u32 i = 0; i < c->n; i++) {
		if (c->one[i].watched)
			weir_kern_watch_close(&c->one[i].watch);
		weir_follow_end(&c->one[i].follow);
	}
	int failed = c->qlog ? weir_kernel_qlog_end(c->qlog) : 0, error = errno;
	free(c->one);
	c->n = 0;
	c->one = NULL;
	c->qlog = NULL;
	errno = error;
	return failed;
}

/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The governor in the kernel. Its inner controllers are chosen when it is loaded. Reports leave by a ring,
 * setpoints come by a map; the pilot is in user space (pilots.h). */
#include "kern/governed.h"

#define WEIR_STORED_BYTES sizeof(struct weir_kern_governed)
#define WEIR_STORED_CALL
#include "kern/view.bpf.h"

#include "cc/copa.h"
#include "cc/cubic.h"
#include "cc/reno.h"
#include "cc/vegas.h"

struct governor_params {
	struct weir_kern_inners inners;
};
extern const volatile struct governor_params weir_params;
volatile u64 weir_connections WEIR_SECTION(".data.numbers") = 0;

struct {
	int (*type)[27]; /* BPF_MAP_TYPE_RINGBUF */
	int (*max_entries)[WEIR_KERN_REPORTS_BYTES];
} weir_reports WEIR_SECTION(".maps");

struct weir_newest {
	struct bpf_spin_lock lock;
	u32 reserved;
	struct weir_setpoint setpoint;
};
_Static_assert(sizeof(struct weir_newest) == sizeof(struct weir_kern_setpoint), "as user space has it");
struct {
	int (*type)[1];	     /* BPF_MAP_TYPE_HASH */
	int (*map_flags)[1]; /* BPF_F_NO_PREALLOC */
	int (*max_entries)[WEIR_KERN_PILOTS_MAX];
	u64 *key; /* connection */
	struct weir_newest *value;
} weir_setpoints WEIR_SECTION(".maps");

/* Apart, for it would be there once for each place where an inner controller is told something. */
WEIR_CORE_APART u64 weir_governed_inner(struct weir_kern_governed *s, u64 what, const struct weir_view *v,
					const struct weir_ack *data, u64 amount)
{
	if (!s || !v || !data)
		return 0;
	u32 inner = (u32)(what >> 32), i = WEIR_KERN_INNERS - 1;
	const struct weir_governor_event e = {.kind = (u32)what,
					      .view = v,
					      .ack = data,
					      .loss = (const struct weir_loss *)data,
					      .amount = amount};
	if (inner < WEIR_PILOT_INNERS_MAX && inner < weir_params.inners.n)
		i = inner;
	const u64 *params = WEIR_LOADED(weir_params.inners.params[i]);
	s->said = (struct weir_out){0, 0, 0};
	switch (weir_params.inners.kind[i]) {
#define TELL(id)                                                                                             \
	case WEIR_INNER_##id:                                                                                \
		if (weir_params.inners.used[WEIR_INNER_##id])                                                \
			weir_kern_governed_deliver(&weir_cc_##id, s, params, &e);                            \
		break;
		WEIR_INNERS(TELL)
#undef TELL
	}
	return 1;
}

WEIR_CORE void governor_tell(const void *context, u32 inner, void *state, const struct weir_governor_event *e,
			     struct weir_out *o)
{
	const struct weir_kern_governed_call *c = context;
	(void)state;
	weir_governed_inner(c->s, (u64)inner << 32 | e->kind, e->view, &c->call->ack, e->amount);
	*o = c->s->said;
}

WEIR_CORE void governor_send(const struct weir_kern_governed *s, const struct weir_report *report)
{
	struct weir_kern_report *r = bpf_ringbuf_reserve(&weir_reports, sizeof *r, 0);
	if (!r)
		return; /* a gap in the numbers */
	r->connection = s->connection;
	r->socket = s->socket;
	r->local_port = s->local_port;
	r->remote_port = s->remote_port;
	r->closed = !report;
	if (report)
		r->report = *report;
	bpf_ringbuf_submit(r, 0);
}

WEIR_CORE bool governor_exchange(const void *context, const struct weir_report *report,
				 struct weir_setpoint *io)
{
	const struct weir_kern_governed *s = ((const struct weir_kern_governed_call *)context)->s;
	u64 connection = s->connection;
	bool newer;
	governor_send(s, report);
	struct weir_newest *newest = bpf_map_lookup_elem(&weir_setpoints, &connection);
	if (!newest)
		return false;
	bpf_spin_lock(&newest->lock);
	newer = newest->setpoint.number != io->number;
	if (newer)
		*io = newest->setpoint;
	bpf_spin_unlock(&newest->lock);
	return newer;
}

static const struct weir_governor_host governor_host = {governor_tell, governor_exchange};

WEIR_CORE_APART u64 weir_governed(struct weir_kern_governed *s, struct weir_kern_call *c)
{
	if (!s || !c)
		return 0;
	weir_kern_governed_call(s, &governor_host, WEIR_LOADED(weir_params.inners.first), c);
	return 1;
}

/* ---- as one more controller ---- */

WEIR_CORE void governor_call_of(struct weir_socket *k)
{
	struct weir_kern_governed *s = k->state;
	struct sock *sk = (struct sock *)k->tp;
	if (k->call->event == WEIR_KERN_INIT) {
		if (!s->connection)
			s->connection = 1 + __sync_fetch_and_add(&weir_connections, 1);
		s->socket = (u64)(weir_long)k->tp;
		s->local_port = sk->__sk_common.skc_num;
		s->remote_port = __builtin_bswap16(sk->__sk_common.skc_dport);
	}
	weir_governed(s, k->call);
}

WEIR_CORE void governor_tick(void *s, const void *p, const struct weir_view *v, struct weir_out *o)
{
	(void)s, (void)p, (void)v, (void)o;
}

WEIR_CORE void governor_idle(void *s, const void *p, const struct weir_view *v, u64 idle_ns,
			     struct weir_out *o)
{
	(void)s, (void)p, (void)v, (void)idle_ns, (void)o;
}

/* What the glue wants to know of it: what there is, and how large. It is called in another way. */
static const struct weir_cc_ops weir_cc_governor = {.needs = WEIR_GOVERNOR_NEEDS,
						    .state_bytes = sizeof(struct weir_kern_governed),
						    .on_idle = governor_idle,
						    .on_tick = governor_tick};

#define WEIR_CALL_OF(k) governor_call_of(k)
#define WEIR_CALL(ops, state, params, call) weir_governed((void *)(state), (call))
#define WEIR_TCP_OPS_MORE .release = (void *)governor_tcp_release,
#include "kern/glue.bpf.h"

/* The pilot need not wait for more. */
WEIR_SECTION("struct_ops/release") int governor_tcp_release(u64 *c)
{
	struct weir_stored *stored = bpf_sk_storage_get(&weir_storage, (struct sock *)c[0], 0, 0);
	if (stored)
		governor_send((const struct weir_kern_governed *)stored->state, 0);
	return 0;
}

WEIR_BPF_CONTROLLER(governor);

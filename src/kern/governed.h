/* SPDX-License-Identifier: MIT */
/* The governor as one more controller of the kernel: what is kept of a connection, and one call of it. The
 * same in the kernel's program and in user space, where it is checked. */
#ifndef WEIR_KERN_GOVERNED_H
#define WEIR_KERN_GOVERNED_H

#include "cc/governor.h"
#include "kern/pilot_format.h"
#include "kern/record.h"

struct weir_kern_governed {
	u64 connection; /* 0: it has no number yet */
	u64 socket;
	u16 local_port, remote_port;
	u32 reserved;
	struct weir_out said; /* by the inner controller, in the call at hand */
	struct weir_governor governor;
};
_Static_assert(sizeof(struct weir_kern_governed) <= WEIR_KERN_STATE_BYTES,
	       "the governor's storage is larger");

/* The context of the host's functions. */
struct weir_kern_governed_call {
	struct weir_kern_governed *s;
	struct weir_kern_call *call;
};

WEIR_CORE u32 weir_kern_governed_kind(u32 event)
{
	switch (event) {
	case WEIR_KERN_ACK:
		return WEIR_GOVERNOR_ACK;
	case WEIR_KERN_LOSS:
		return WEIR_GOVERNOR_LOSS;
	case WEIR_KERN_TIMEOUT:
		return WEIR_GOVERNOR_TIMEOUT;
	case WEIR_KERN_IDLE:
		return WEIR_GOVERNOR_IDLE;
	default:
		return WEIR_GOVERNOR_TICK;
	}
}

/* As weir_call (call.h). */
WEIR_CORE void weir_kern_governed_call(struct weir_kern_governed *s, const struct weir_governor_host *host,
				       const struct weir_setpoint *first, struct weir_kern_call *c)
{
	const struct weir_kern_governed_call context = {s, c};
	const struct weir_governor_event e = {.kind = weir_kern_governed_kind(c->event),
					      .view = &c->view,
					      .ack = &c->ack,
					      .loss = &c->loss,
					      .amount = c->event == WEIR_KERN_IDLE ? c->idle_ns : 0};
	if (c->event == WEIR_KERN_INIT) {
		/* the inner controller's state is its own to begin */
		__builtin_memset(&s->governor, 0, __builtin_offsetof(struct weir_governor, state));
		weir_governor_init(&s->governor, host, &context, first, &c->view, &c->out);
	} else {
		weir_governor_on(&s->governor, host, &context, e, &c->out);
	}
}

/* For the host's `tell`. */
WEIR_CORE void weir_kern_governed_deliver(const struct weir_cc_ops *ops, struct weir_kern_governed *s,
					  const u64 *params, const struct weir_governor_event *e)
{
	weir_governor_deliver(ops, s->governor.state, params, e, &s->said);
}

#endif

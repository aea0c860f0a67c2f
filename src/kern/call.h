/* SPDX-License-Identifier: MIT */
/* One recorded call, made again: the same function in the kernel's programs and in user space. */
#ifndef WEIR_KERN_CALL_H
#define WEIR_KERN_CALL_H

#include "kern/record.h"

/* The view and the event of `c` are filled; its `out` is zero and gets what the controller says. */
WEIR_CORE void weir_call(const struct weir_cc_ops *ops, void *state, const void *params,
			 struct weir_kern_call *c)
{
	switch (c->event) {
	case WEIR_KERN_INIT:
		ops->init(state, params, &c->view, &c->out);
		break;
	case WEIR_KERN_ACK:
		ops->on_ack(state, params, &c->view, &c->ack, &c->out);
		break;
	case WEIR_KERN_LOSS:
		ops->on_loss(state, params, &c->view, &c->loss, &c->out);
		break;
	case WEIR_KERN_TIMEOUT:
		ops->on_timeout(state, params, &c->view, &c->out);
		break;
	case WEIR_KERN_IDLE:
		if (ops->on_idle)
			ops->on_idle(state, params, &c->view, c->idle_ns, &c->out);
		break;
	case WEIR_KERN_TICK:
		if (ops->on_tick)
			ops->on_tick(state, params, &c->view, &c->out);
		break;
	}
}

#endif

/* SPDX-License-Identifier: MIT */
/* Inside the sender: the calls that a stand-in passes on to its historic sender. */
#ifndef WEIR_TRANSPORT_STAND_IN_H
#define WEIR_TRANSPORT_STAND_IN_H

#include "bsd43.h"
#include "sender.h"

/* Its timer is the stand-in's only one. */
static inline void weir_stand_in_timer(struct weir_sender *s)
{
	s->deadline_ns = weir_bsd43_next_ns(s->historic);
}

static inline bool weir_stand_in_poll(struct weir_sender *s, u64 now_ns, struct weir_segment *out)
{
	bool sent = weir_bsd43_poll(s->historic, now_ns, out);
	weir_stand_in_timer(s);
	return sent;
}

static inline u64 weir_stand_in_ack(struct weir_sender *s, u64 now_ns, const struct weir_ack_segment *in)
{
	u64 rtt_ns = weir_bsd43_on_ack(s->historic, now_ns, in);
	weir_stand_in_timer(s);
	return rtt_ns;
}

static inline void weir_stand_in_due(struct weir_sender *s, u64 now_ns)
{
	weir_bsd43_on_timer(s->historic, now_ns);
	weir_stand_in_timer(s);
}

#endif

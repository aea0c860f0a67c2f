/* SPDX-License-Identifier: MIT */
/* transport/'s sender, driven by a capture instead of by a path: it is told what left and what came back,
 * decides nothing, and keeps its books all the same. Its controller says what another one said, and writes
 * down each view that it is shown. */
#ifndef WEIR_TESTS_KERN_MIRROR_H
#define WEIR_TESTS_KERN_MIRROR_H

#include "capture.h"
#include "transport/sender.h"

struct mirror_call {
	bool loss; /* else an ACK */
	struct weir_view view;
	struct weir_loss of_loss;
	struct weir_ack of_ack;
};

struct mirror {
	struct weir_sender sender;
	struct weir_endpoint_config config;
	u64 cwnd_bytes; /* what its controller says */
	u32 n, room;
	struct mirror_call *call;
	/* what could not be mirrored */
	u32 forced;  /* sent again before it counts as lost here */
	u32 ignored; /* sent again although it has arrived, or was never sent */
};

/* The connection begins at `now_ns`, its handshake took so long. */
void mirror_init(struct mirror *m, u64 now_ns, u64 handshake_ns, u32 mss_bytes);
void mirror_free(struct mirror *m);
/* `written_bytes`: what the application has written in all by then. */
void mirror_sent(struct mirror *m, u64 now_ns, u32 low, u32 bytes, u64 written_bytes);
/* Nothing more leaves until the next ACK. */
void mirror_rests(struct mirror *m, u64 now_ns);
void mirror_ack(struct mirror *m, u64 now_ns, const struct captured *c);

#endif

/* SPDX-License-Identifier: MIT */
/* How much of a stream may lie in the kernel unsent. What lies there leaves even after the application's end,
 * so it should be little; but a connection whose socket runs dry waits for us: its window no longer counts as
 * used, its rate samples as limited by the application. Both are kept apart by time: 20 ms at the rate of the
 * connection. Inside ktcp/ only. */
#ifndef WEIR_KTCP_UNSENT_H
#define WEIR_KTCP_UNSENT_H

#include "info.h"

struct weir_ktcp_unsent {
	int socket;
	u64 room_bytes, mss_bytes;
	u64 adapted_ns;
};

/* What the state of the connection suggests. */
u64 weir_ktcp_unsent_room_bytes(const struct weir_ktcp_info *info);
/* Follows it, and tells the kernel when to call us. `drained`: the kernel has called, or never had to. */
void weir_ktcp_unsent_adapt(struct weir_ktcp_unsent *u, const struct weir_ktcp_info *info, bool drained,
			    u64 now_ns);
/* How much of rest_bytes may be handed over now, at most most_bytes; 0: the room is full, the kernel will
 * call. Whole segments as long as more follows, so that none is cut short where a write ends. */
u64 weir_ktcp_unsent_may_write(const struct weir_ktcp_unsent *u, u64 rest_bytes, u64 most_bytes);

#endif

/* SPDX-License-Identifier: MIT */
/* A controller's recorded calls, made again here: its decisions must be the same, byte for byte, and its
 * state is then known at every call, though nobody recorded it. */
#ifndef WEIR_KERN_FOLLOW_H
#define WEIR_KERN_FOLLOW_H

#include "call.h"

enum weir_followed {
	WEIR_FOLLOWED_SAME,
	WEIR_FOLLOWED_DIFFERS,
	WEIR_FOLLOWED_UNKNOWN, /* its beginning was not seen, or something before was missed */
};

struct weir_follow {
	const struct weir_cc_ops *ops;
	const u64 *params;
	u32 n;	     /* sockets that there is room for */
	bool failed; /* out of memory */
	struct weir_follow_socket {
		bool known;
		u64 state[WEIR_CC_MAX_BYTES / sizeof(u64)];
	} * *socket;
};

/* `ops` and `params` (ops->n_params values) outlive it. */
void weir_follow_begin(struct weir_follow *f, const struct weir_cc_ops *ops, const u64 *params);
void weir_follow_end(struct weir_follow *f);

/* The next call of a socket, which are numbered from 1 without gaps. `out`: what is said here. */
enum weir_followed weir_follow_call(struct weir_follow *f, u32 socket, const struct weir_kern_call *c,
				    struct weir_out *out);
/* Calls were missed: only sockets that begin from now on are known. */
void weir_follow_gap(struct weir_follow *f);
/* The state after the last call; NULL when it is not known. */
const void *weir_follow_state(const struct weir_follow *f, u32 socket);

#endif

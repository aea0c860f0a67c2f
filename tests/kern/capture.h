/* SPDX-License-Identifier: MIT */
/* A capture of one TCP connection at its sender, as `weir link --pcap` writes it: what left and what came
 * back, in the order of time. Sequence numbers are offsets in the sender's stream. */
#ifndef WEIR_TESTS_KERN_CAPTURE_H
#define WEIR_TESTS_KERN_CAPTURE_H

#include "transport/wire.h"
#include "weir/types.h"

struct captured {
	u64 time_ns; /* of the wall clock */
	bool ack;    /* came back; else it left */
	u32 low;     /* first byte, or next byte that is expected */
	u32 bytes;   /* payload; 0 of an ACK */
	u32 n_sack;
	struct weir_sack_block sack[WEIR_SACK_BLOCKS];
};

struct capture {
	u32 n, room;
	struct captured *at;
	u64 syn_ns, syn_ack_ns; /* of the handshake */
	u16 local_port, remote_port;
};

/* The connection from the first SYN in the file on, without its FINs. 0, or -1 with a sentence. */
int capture_read(struct capture *c, const char *path, char why[200]);
void capture_free(struct capture *c);

#endif

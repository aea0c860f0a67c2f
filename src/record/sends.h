/* SPDX-License-Identifier: MIT */
/* Each data packet as it left its sender: what sequence numbers over time are drawn from. Bounded: of a long
 * run, or of the part of it that is asked for, the first WEIR_SENDS_MAX packets. */
#ifndef WEIR_RECORD_SENDS_H
#define WEIR_RECORD_SENDS_H

#include "weir/types.h"

#include <stdio.h>

#define WEIR_SENDS_MAX 200000
#define WEIR_SENDS_HEADER "time_s,flow,first_byte,bytes,again\n"

struct weir_send {
	u64 time_ns, first_byte;
	u32 flow, bytes; /* bytes of payload */
	bool again;
};

struct weir_sends {
	struct weir_send *send;
	u32 n, room;
	u64 left_out;	    /* beyond the bound, or beyond memory */
	u64 from_ns, to_ns; /* what is asked for, both ends included; to_ns 0: everything */
};

void weir_sends_add(struct weir_sends *s, const struct weir_send *one);
void weir_sends_free(struct weir_sends *s);
/* sends.csv; `name` gives a flow's name, which is quoted where it must be (RFC 4180). 0, or -1 with errno. */
int weir_sends_write(const struct weir_sends *s, FILE *to, const char *(*name)(const void *ctx, u32 flow),
		     const void *ctx);

#endif

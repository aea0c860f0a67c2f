/* SPDX-License-Identifier: MIT */
/* What stands before a packet that was stamped at a TUN's egress. Read by BPF and by the ferry. */
#ifndef WEIR_EMU_STAMP_FORMAT_H
#define WEIR_EMU_STAMP_FORMAT_H

#include "weir/types.h"

#define WEIR_STAMP_MAGIC 0x504d415452494557ULL /* "WEIRTAMP", little endian */

struct weir_stamp {
	u64 magic; /* WEIR_STAMP_MAGIC: a packet that slipped through without a stamp is told by it */
	u64 ns;	   /* CLOCK_MONOTONIC */
};

#endif

/* SPDX-License-Identifier: MIT */
/* Loads the stamp program (stamp.bpf.c) once per process and attaches it to devices. */
#ifndef WEIR_EMU_STAMP_H
#define WEIR_EMU_STAMP_H

#include "stamp_format.h"

/* Stamps what leaves by this device of the calling thread's namespace, until the descriptor that is returned
 * is closed. -1 with errno set: the kernel is older than 6.6, or this process has no CAP_BPF. */
int weir_stamp_attach(u32 ifindex);

/* What to add to a stamp to have this process's CLOCK_MONOTONIC: 0, but in a time namespace, of which the
 * kernel's own clock knows nothing. */
i64 weir_stamp_shift_ns(void);

#endif

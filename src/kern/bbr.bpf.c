/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "kern/glue.bpf.h"

#include "cc/bbr.h"

WEIR_BPF_CONTROLLER(bbr);

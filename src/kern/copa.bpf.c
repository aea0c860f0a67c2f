/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "kern/glue.bpf.h"

#include "cc/copa.h"

WEIR_BPF_CONTROLLER(copa);

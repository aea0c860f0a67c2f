/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "kern/glue.bpf.h"

#include "cc/vegas.h"

WEIR_BPF_CONTROLLER(vegas);

/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "kern/glue.bpf.h"

#include "cc/compound.h"

WEIR_BPF_CONTROLLER(compound);

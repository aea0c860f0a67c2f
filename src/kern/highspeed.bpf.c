/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "kern/glue.bpf.h"

#include "cc/highspeed.h"

WEIR_BPF_CONTROLLER(highspeed);

/* SPDX-License-Identifier: MIT */
/* What a machine must have for controllers in its kernel. */
#ifndef WEIR_KERN_PREFLIGHT_H
#define WEIR_KERN_PREFLIGHT_H

#include "weir/types.h"

/* Calls `say` with one line for each thing that is missing, with what to do about it. Returns their number.
 */
u32 weir_kern_preflight(void (*say)(void *context, const char *line), void *context);

#endif

/* SPDX-License-Identifier: MIT */
/* What a controller that was not compiled with Weir must satisfy before it is called. */
#ifndef WEIR_RUN_PLUGIN_CHECK_H
#define WEIR_RUN_PLUGIN_CHECK_H

#include "weir/cc.h"

/* True if everything is in order; else `why` (of `room` bytes) says what is not. */
bool weir_plugin_check(const struct weir_cc_ops *ops, char *why, size_t room);

#endif

/* SPDX-License-Identifier: MIT */
/* A socket's congestion control by name: set, read back, compared. */
#ifndef WEIR_KTCP_CONTROLLER_H
#define WEIR_KTCP_CONTROLLER_H

#include "weir/types.h"

#define WEIR_KTCP_NAME_BYTES 16 /* TCP_CA_NAME_MAX */

/* Letters, digits, '_', '-' and '.', 1 to 15 of them: a name may become that of a module to load. */
bool weir_ktcp_name_is_sane(const char *name);
/* 0, or an errno: ENOENT the kernel has none of this name, EPERM it is not for everybody. */
int weir_ktcp_controller_set(int socket, const char *name);
/* Whether the socket has it; `found` becomes what it has. */
bool weir_ktcp_controller_is(int socket, const char *name, char found[WEIR_KTCP_NAME_BYTES]);

#endif

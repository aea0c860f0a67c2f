/* SPDX-License-Identifier: MIT */
/* A host's addresses, looked up beside the loop: name servers may take their time. One lookup at a time. */
#ifndef WEIR_NET_RESOLVER_H
#define WEIR_NET_RESOLVER_H

#include "net/address.h"

#define WEIR_RESOLVER_ROOM 8

struct weir_lookup;

/* As weir_address_resolve. */
typedef u32 weir_resolve(const char *host, u16 port, struct weir_address *to, u32 room,
			 char why[WEIR_NET_WHY_BYTES]);

/* NULL: no thread or memory for it now. */
struct weir_lookup *weir_lookup_begin(const char *host, u16 port, weir_resolve *resolve);
/* Whether it is done: then *n addresses are in `to` (0: there are none), and the lookup is gone. */
bool weir_lookup_take(struct weir_lookup *l, struct weir_address to[WEIR_RESOLVER_ROOM], u32 *n);
/* Nobody wants the answer any more. NULL: nothing. */
void weir_lookup_drop(struct weir_lookup *l);

#endif

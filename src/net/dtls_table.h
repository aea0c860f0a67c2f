/* SPDX-License-Identifier: MIT */
/* The addresses that a listener knows: found by a keyed hash, in two lists by age. Bounded. */
#ifndef WEIR_NET_DTLS_TABLE_H
#define WEIR_NET_DTLS_TABLE_H

#include "core/siphash.h"
#include "net/address.h"

struct weir_dtls_session;

enum weir_dtls_list {
	WEIR_DTLS_ESTABLISHED, /* by the last authentic record */
	WEIR_DTLS_HALF_OPEN,   /* by the start of the handshake */
	WEIR_DTLS_LISTS
};

/* A hello from a known address may be of somebody new, or forged by one who saw a cookie go by: it becomes a
 * candidate beside the session that is there, and replaces it when its handshake is complete (RFC 6347,
 * section 4.2.8). */
struct weir_dtls_slot {
	struct weir_address address;
	struct weir_dtls_slot *chain;
	struct {
		struct weir_dtls_slot *older, *newer;
	} link[WEIR_DTLS_LISTS];
	struct weir_dtls_session *current, *candidate;
};

struct weir_dtls_table {
	struct weir_siphash_key key;
	struct weir_dtls_slot **bucket;
	u32 buckets, slots, most; /* buckets: a power of two */
	struct {
		struct weir_dtls_slot *oldest, *newest;
		u32 n;
	} list[WEIR_DTLS_LISTS];
};

/* false: out of memory. */
bool weir_dtls_table_init(struct weir_dtls_table *t, u32 most, struct weir_siphash_key key);
void weir_dtls_table_free(struct weir_dtls_table *t); /* the slots must be gone */

struct weir_dtls_slot *weir_dtls_table_find(const struct weir_dtls_table *t, const struct weir_address *a);
/* NULL: full, or out of memory. */
struct weir_dtls_slot *weir_dtls_table_add(struct weir_dtls_table *t, const struct weir_address *a);
/* A slot in no list. */
void weir_dtls_table_remove(struct weir_dtls_table *t, struct weir_dtls_slot *slot);

void weir_dtls_list_append(struct weir_dtls_table *t, enum weir_dtls_list which, struct weir_dtls_slot *slot);
void weir_dtls_list_take(struct weir_dtls_table *t, enum weir_dtls_list which, struct weir_dtls_slot *slot);
/* The half-open slot that gives way to one from `a`: the oldest of the same host (of the same /64 in IPv6),
 * so that a host which opens many is its own victim; else the oldest. */
struct weir_dtls_slot *weir_dtls_table_victim(const struct weir_dtls_table *t, const struct weir_address *a);

#endif

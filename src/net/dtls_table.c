/* SPDX-License-Identifier: MIT */
#include "net/dtls_table.h"

#include <stdlib.h>
#include <string.h>

bool weir_dtls_table_init(struct weir_dtls_table *t, u32 most, struct weir_siphash_key key)
{
	*t = (struct weir_dtls_table){.key = key, .most = most, .buckets = 64};
	while (t->buckets < most && t->buckets < 1u << 24)
		t->buckets *= 2;
	t->bucket = calloc(t->buckets, sizeof(struct weir_dtls_slot *));
	return t->bucket != NULL;
}

void weir_dtls_table_free(struct weir_dtls_table *t)
{
	free(t->bucket);
	*t = (struct weir_dtls_table){0};
}

static u32 bucket_of(const struct weir_dtls_table *t, const struct weir_address *a)
{
	return (u32)weir_siphash(&t->key, &a->any, a->bytes) & (t->buckets - 1);
}

struct weir_dtls_slot *weir_dtls_table_find(const struct weir_dtls_table *t, const struct weir_address *a)
{
	struct weir_dtls_slot *slot = t->bucket[bucket_of(t, a)];
	while (slot && !weir_address_equal(&slot->address, a))
		slot = slot->chain;
	return slot;
}

struct weir_dtls_slot *weir_dtls_table_add(struct weir_dtls_table *t, const struct weir_address *a)
{
	struct weir_dtls_slot *slot = t->slots < t->most ? calloc(1, sizeof *slot) : NULL;
	if (!slot)
		return NULL;
	u32 b = bucket_of(t, a);
	slot->address = *a;
	slot->chain = t->bucket[b];
	t->bucket[b] = slot;
	t->slots++;
	return slot;
}

void weir_dtls_table_remove(struct weir_dtls_table *t, struct weir_dtls_slot *slot)
{
	struct weir_dtls_slot **at = &t->bucket[bucket_of(t, &slot->address)];
	while (*at != slot)
		at = &(*at)->chain;
	*at = slot->chain;
	t->slots--;
	free(slot);
}

void weir_dtls_list_append(struct weir_dtls_table *t, enum weir_dtls_list which, struct weir_dtls_slot *slot)
{
	slot->link[which].older = t->list[which].newest;
	slot->link[which].newer = NULL;
	if (t->list[which].newest)
		t->list[which].newest->link[which].newer = slot;
	else
		t->list[which].oldest = slot;
	t->list[which].newest = slot;
	t->list[which].n++;
}

void weir_dtls_list_take(struct weir_dtls_table *t, enum weir_dtls_list which, struct weir_dtls_slot *slot)
{
	struct weir_dtls_slot *older = slot->link[which].older, *newer = slot->link[which].newer;
	if (older)
		older->link[which].newer = newer;
	else
		t->list[which].oldest = newer;
	if (newer)
		newer->link[which].older = older;
	else
		t->list[which].newest = older;
	t->list[which].n--;
}

static bool same_host(const struct weir_address *a, const struct weir_address *b)
{
	if (a->any.sa_family != b->any.sa_family)
		return false;
	if (a->any.sa_family == AF_INET)
		return a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr;
	if (a->any.sa_family != AF_INET6)
		return false;
	size_t bytes = IN6_IS_ADDR_V4MAPPED(&a->v6.sin6_addr) ? 16 : 8;
	return !memcmp(&a->v6.sin6_addr, &b->v6.sin6_addr, bytes);
}

struct weir_dtls_slot *weir_dtls_table_victim(const struct weir_dtls_table *t, const struct weir_address *a)
{
	struct weir_dtls_slot *slot = t->list[WEIR_DTLS_HALF_OPEN].oldest;
	while (slot && !same_host(&slot->address, a))
		slot = slot->link[WEIR_DTLS_HALF_OPEN].newer;
	return slot ? slot : t->list[WEIR_DTLS_HALF_OPEN].oldest;
}

/* SPDX-License-Identifier: MIT */
#include "monitors.h"

#include "weir/num.h"

#include <string.h>

#define CAPACITY_MAX (1U << 28)
#define LOOK_AT 8 /* places looked at for one that has expired, at each new source of a full table */

/* Room for the index: a power of two, at most two thirds full. */
static u32 monitors_slots(u32 capacity)
{
	u32 slots = 4;
	while (slots < capacity + capacity / 2)
		slots *= 2;
	return slots;
}

static size_t monitors_place_bytes(void)
{
	return sizeof(struct weir_monitor) + sizeof(u64) + sizeof(u32);
}

size_t weir_monitors_bytes(u32 capacity)
{
	if (!capacity || capacity > CAPACITY_MAX)
		return 0;
	return capacity * monitors_place_bytes() + monitors_slots(capacity) * sizeof(u32);
}

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014) over a secret, so that nobody can aim at one chain.
 */
static u64 monitors_mix(u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static u32 monitors_home(const struct weir_monitors *t, u64 key)
{
	return (u32)monitors_mix(monitors_mix(key + t->seed) ^ t->seed) & t->mask;
}

void weir_monitors_init(struct weir_monitors *t, void *memory, u32 capacity, u64 seed, u64 expiry_ns,
			u64 bound_ns)
{
	u8 *at = (u8 *)memory;
	memset(t, 0, sizeof *t);
	t->places = (struct weir_monitor *)(void *)at;
	at += capacity * sizeof(struct weir_monitor);
	t->keys = (u64 *)(void *)at;
	at += capacity * sizeof(u64);
	t->free_places = (u32 *)(void *)at;
	t->index = t->free_places + capacity;
	t->capacity = capacity;
	t->mask = monitors_slots(capacity) - 1;
	t->seed = seed;
	t->expiry_ns = expiry_ns;
	t->bound_ns = bound_ns;
}

/* Where the index holds the key, or the empty slot where it would. */
static u32 monitors_slot(const struct weir_monitors *t, u64 key)
{
	u32 slot = monitors_home(t, key);
	while (t->index[slot] && t->keys[t->index[slot] - 1] != key)
		slot = (slot + 1) & t->mask;
	return slot;
}

u32 weir_monitors_find(const struct weir_monitors *t, u64 key)
{
	return t->index[monitors_slot(t, key)] - 1; /* of 0: NONE */
}

static bool monitors_used(const struct weir_monitors *t, u32 place)
{
	return place < t->capacity && t->places[place].used;
}

struct weir_monitor *weir_monitors_at(const struct weir_monitors *t, u32 place)
{
	return monitors_used(t, place) ? &t->places[place] : NULL;
}

/* Moves back what follows in the chain and would no longer be found (Knuth, TAOCP 6.4, algorithm R). */
static void monitors_unlink(struct weir_monitors *t, u32 hole)
{
	u32 next = hole;
	for (;;) {
		next = (next + 1) & t->mask;
		if (!t->index[next])
			break;
		u32 home = monitors_home(t, t->keys[t->index[next] - 1]);
		if (((next - home) & t->mask) < ((next - hole) & t->mask))
			continue;
		t->index[hole] = t->index[next];
		hole = next;
	}
	t->index[hole] = 0;
}

void weir_monitors_drop(struct weir_monitors *t, u32 place)
{
	if (!monitors_used(t, place))
		return;
	monitors_unlink(t, monitors_slot(t, t->keys[place]));
	t->places[place].used = false;
	t->free_places[t->n_free++] = place;
	t->count--;
}

static bool monitors_expired(const struct weir_monitors *t, const struct weir_monitor *m, u64 now_ns)
{
	u64 idle_ns = weir_sub(now_ns, m->heard_ns);
	if (!m->fresh && idle_ns > WEIR_MONITORS_PENDING_NS)
		return true;
	return t->expiry_ns && idle_ns > t->expiry_ns;
}

u32 weir_monitors_expire(struct weir_monitors *t, u64 now_ns, u32 look_at)
{
	for (u32 left = look_at < t->capacity ? look_at : t->capacity; left > 0; left--) {
		u32 place = t->hand;
		t->hand = t->hand + 1 < t->capacity ? t->hand + 1 : 0;
		if (!monitors_used(t, place) || !monitors_expired(t, &t->places[place], now_ns))
			continue;
		weir_monitors_drop(t, place);
		t->expired++;
		return place;
	}
	return WEIR_MONITORS_NONE;
}

static u32 monitors_create(struct weir_monitors *t, u64 key, u64 now_ns, u64 flow_id)
{
	bool full = !t->n_free && t->made == t->capacity;
	if (full && weir_monitors_expire(t, now_ns, LOOK_AT) == WEIR_MONITORS_NONE)
		return WEIR_MONITORS_NONE;
	u32 place = t->n_free ? t->free_places[--t->n_free] : t->made++;
	t->keys[place] = key;
	t->index[monitors_slot(t, key)] = place + 1;
	t->count++;
	weir_monitor_init(&t->places[place], flow_id, (u32)monitors_mix(t->seed ^ ++t->created), t->bound_ns);
	t->places[place].used = true;
	return place;
}

u32 weir_monitors_receive(struct weir_monitors *t, u64 key, u64 now_ns, const struct weir_age_packet *in,
			  struct weir_age_packet *answer, enum weir_monitor_verdict *verdict)
{
	memset(answer, 0, sizeof *answer);
	*verdict = WEIR_MONITOR_IGNORED;
	u32 place = WEIR_MONITORS_NONE;
	if (in->type == WEIR_AGE_PROBE || in->type == WEIR_AGE_UPDATE) {
		place = weir_monitors_find(t, key);
		if (place == WEIR_MONITORS_NONE)
			place = monitors_create(t, key, now_ns, in->flow_id);
		*verdict = WEIR_MONITOR_REFUSED;
	}
	if (place != WEIR_MONITORS_NONE)
		*verdict = weir_monitor_receive(&t->places[place], NULL, now_ns, in, answer);
	t->verdicts[*verdict]++;
	return place;
}

/* SPDX-License-Identifier: MIT */
#include "net/dtls_server.h"
#include "weir/num.h"

#include <string.h>

#define HALF_OPEN_NS (15 * WEIR_NS_PER_S) /* a handshake takes no longer */
#define EVICTABLE_NS (60 * WEIR_NS_PER_S) /* silent for so long, a session gives way when all are taken */
#define HANDSHAKES_AT_ONCE 256ULL

static void drop_candidate(struct weir_dtls_server *v, struct weir_dtls_slot *slot)
{
	if (!slot->candidate)
		return;
	weir_dtls_list_take(&v->table, WEIR_DTLS_HALF_OPEN, slot);
	weir_dtls_session_free(slot->candidate, false);
	slot->candidate = NULL;
}

static void drop_current(struct weir_dtls_server *v, struct weir_dtls_slot *slot, bool bye)
{
	if (!slot->current)
		return;
	weir_dtls_list_take(&v->table, WEIR_DTLS_ESTABLISHED, slot);
	weir_dtls_session_free(slot->current, bye);
	slot->current = NULL;
}

static void drop_if_empty(struct weir_dtls_server *v, struct weir_dtls_slot *slot)
{
	if (!slot->current && !slot->candidate)
		weir_dtls_table_remove(&v->table, slot);
}

static void wake_by(struct weir_dtls_server *v, u64 when_ns)
{
	if (when_ns < v->wake_ns)
		v->wake_ns = when_ns;
}

void weir_dtls_peers_take(struct weir_dtls_server *v, u64 now_ns, struct weir_dtls_slot *slot, const u8 *data,
			  size_t bytes, const struct weir_dtls_record *r)
{
	struct weir_dtls_session *s = slot->current;
	bool seen = r && weir_dtls_window_seen(&s->window, r->sequence);
	enum weir_dtls_found found =
	    weir_dtls_session_take(s, now_ns, data, bytes, r ? r->sequence : 0, v->plain);
	if (found == WEIR_DTLS_RECORDS) {
		v->count.records++;
		weir_dtls_list_take(&v->table, WEIR_DTLS_ESTABLISHED, slot);
		weir_dtls_list_append(&v->table, WEIR_DTLS_ESTABLISHED, slot);
	} else if (found == WEIR_DTLS_CLOSED) {
		v->count.sessions_closed++;
		drop_current(v, slot, false);
		drop_if_empty(v, slot);
	} else if (r && (r->type == WEIR_DTLS_HANDSHAKE || r->type == WEIR_DTLS_CHANGE_CIPHER)) {
		v->count.dropped_late++;
	} else if (r) {
		*(seen ? &v->count.dropped_replayed : &v->count.dropped_forged) += 1;
	}
}

/* Room for one more session of this identity: at most half of all are one identity's, and what has long been
 * silent gives way. */
static bool make_room(struct weir_dtls_server *v, u64 now_ns, u64 identity)
{
	u32 most = v->limits.sessions, own = 0;
	struct weir_dtls_slot *oldest = v->table.list[WEIR_DTLS_ESTABLISHED].oldest, *oldest_own = NULL;
	if (v->table.list[WEIR_DTLS_ESTABLISHED].n < (most + 1) / 2)
		return true;
	for (struct weir_dtls_slot *at = oldest; at; at = at->link[WEIR_DTLS_ESTABLISHED].newer) {
		if (at->current->identity != identity)
			continue;
		oldest_own = oldest_own ? oldest_own : at;
		own++;
	}
	struct weir_dtls_slot *victim = NULL;
	if (own >= (most + 1) / 2)
		victim = oldest_own;
	else if (v->table.list[WEIR_DTLS_ESTABLISHED].n < most)
		return true;
	else if (weir_sub(now_ns, oldest->current->heard_ns) >= EVICTABLE_NS)
		victim = oldest;
	if (!victim)
		return false;
	v->count.sessions_evicted++;
	drop_current(v, victim, false);
	drop_if_empty(v, victim);
	return true;
}

static void promote(struct weir_dtls_server *v, u64 now_ns, struct weir_dtls_slot *slot)
{
	struct weir_dtls_session *s = slot->candidate;
	weir_dtls_list_take(&v->table, WEIR_DTLS_HALF_OPEN, slot);
	slot->candidate = NULL;
	drop_current(v, slot, false);
	/* The slot is in no list now: making room cannot take it. */
	if (!make_room(v, now_ns, s->identity)) {
		v->count.sessions_refused++;
		weir_dtls_session_free(s, true);
		weir_dtls_table_remove(&v->table, slot);
		return;
	}
	v->count.handshakes_completed++;
	v->count.handshakes_resumed += s->resumed;
	slot->current = s;
	weir_dtls_list_append(&v->table, WEIR_DTLS_ESTABLISHED, slot);
	wake_by(v, now_ns + v->limits.idle_ns);
	weir_dtls_peers_take(v, now_ns, slot, NULL, 0,
			     NULL); /* what came in the same datagram behind the handshake */
}

void weir_dtls_peers_step(struct weir_dtls_server *v, u64 now_ns, struct weir_dtls_slot *slot, const u8 *data,
			  size_t bytes)
{
	struct weir_dtls_session *s = slot->candidate;
	enum weir_dtls_step step = weir_dtls_session_step(s, now_ns, data, bytes, v->limits.datagram_bytes);
	if (step == WEIR_DTLS_DONE) {
		promote(v, now_ns, slot);
	} else if (step == WEIR_DTLS_FAILED) {
		v->count.handshakes_failed++;
		v->count.identities_unknown += s->unknown;
		drop_candidate(v, slot);
		drop_if_empty(v, slot);
	} else {
		wake_by(v, s->retransmit_ns);
	}
}

/* Whether a handshake from an address without a session can end in one at all. */
static bool is_full(const struct weir_dtls_server *v, u64 now_ns)
{
	const struct weir_dtls_slot *oldest = v->table.list[WEIR_DTLS_ESTABLISHED].oldest;
	return v->table.list[WEIR_DTLS_ESTABLISHED].n >= v->limits.sessions &&
	       weir_sub(now_ns, oldest->current->heard_ns) < EVICTABLE_NS;
}

static bool afford_handshake(struct weir_dtls_server *v, u64 now_ns)
{
	u64 cost = WEIR_NS_PER_S / v->limits.handshakes_per_s;
	u64 passed = weir_sub(now_ns, v->credited_ns), most = HANDSHAKES_AT_ONCE * cost;
	v->credited_ns = weir_max(v->credited_ns, now_ns);
	v->credit_ns = passed > most - v->credit_ns ? most : v->credit_ns + passed;
	if (v->credit_ns < cost)
		return false;
	v->credit_ns -= cost;
	return true;
}

void weir_dtls_peers_begin(struct weir_dtls_server *v, u64 now_ns, const struct weir_address *from,
			   struct weir_dtls_slot *slot, const struct weir_dtls_hello *hello,
			   gnutls_dtls_prestate_st *prestate, const u8 *data, size_t bytes)
{
	if (!(slot && slot->current) && is_full(v, now_ns)) {
		v->count.sessions_refused++;
		return;
	}
	if (!afford_handshake(v, now_ns)) {
		v->count.handshakes_deferred++;
		return;
	}
	if (slot && slot->candidate) {
		drop_candidate(v, slot);
	} else if (v->table.list[WEIR_DTLS_HALF_OPEN].n >= v->limits.half_open) {
		struct weir_dtls_slot *victim = weir_dtls_table_victim(&v->table, from);
		v->count.handshakes_crowded_out++;
		drop_candidate(v, victim);
		drop_if_empty(v, victim);
	}
	if (!slot)
		slot = weir_dtls_table_add(&v->table, from);
	struct weir_dtls_session *s =
	    slot ? weir_dtls_session_new(&v->credentials, &v->guard.port, from, prestate, now_ns) : NULL;
	if (!s) {
		v->count.sessions_refused++;
		if (slot)
			drop_if_empty(v, slot);
		return;
	}
	v->count.handshakes_started++;
	memcpy(s->random, hello->random, WEIR_DTLS_RANDOM_BYTES);
	slot->candidate = s;
	weir_dtls_list_append(&v->table, WEIR_DTLS_HALF_OPEN, slot);
	wake_by(v, now_ns + HALF_OPEN_NS);
	weir_dtls_peers_step(v, now_ns, slot, data, bytes);
}

static void wake_half_open(struct weir_dtls_server *v, u64 now_ns)
{
	struct weir_dtls_slot *next;
	for (struct weir_dtls_slot *at = v->table.list[WEIR_DTLS_HALF_OPEN].oldest; at; at = next) {
		next = at->link[WEIR_DTLS_HALF_OPEN].newer;
		if (weir_sub(now_ns, at->candidate->started_ns) >= HALF_OPEN_NS) {
			v->count.handshakes_expired++;
			v->count.identities_unknown += at->candidate->unknown;
			drop_candidate(v, at);
			drop_if_empty(v, at);
		} else if (at->candidate->retransmit_ns <= now_ns) {
			weir_dtls_peers_step(v, now_ns, at, NULL, 0);
		} else {
			wake_by(v, at->candidate->retransmit_ns);
		}
	}
}

void weir_dtls_peers_wake(struct weir_dtls_server *v, u64 now_ns)
{
	v->wake_ns = WEIR_NEVER;
	wake_half_open(v, now_ns);
	struct weir_dtls_slot *half_open = v->table.list[WEIR_DTLS_HALF_OPEN].oldest, *silent;
	if (half_open)
		wake_by(v, half_open->candidate->started_ns + HALF_OPEN_NS);
	while ((silent = v->table.list[WEIR_DTLS_ESTABLISHED].oldest)) {
		u64 end_ns = silent->current->heard_ns + v->limits.idle_ns;
		if (end_ns > now_ns) {
			wake_by(v, end_ns);
			break;
		}
		v->count.sessions_expired++;
		drop_current(v, silent, false);
		drop_if_empty(v, silent);
	}
}

void weir_dtls_peers_close(struct weir_dtls_server *v)
{
	struct weir_dtls_slot *at;
	while ((at = v->table.list[WEIR_DTLS_HALF_OPEN].oldest)) {
		drop_candidate(v, at);
		drop_if_empty(v, at);
	}
	while ((at = v->table.list[WEIR_DTLS_ESTABLISHED].oldest)) {
		drop_current(v, at, true);
		drop_if_empty(v, at);
	}
}

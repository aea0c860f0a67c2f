/* SPDX-License-Identifier: MIT */
/* The side that listens, inside: dtls_server.c tells datagrams apart and hands out cookies, dtls_peers.c
 * keeps the sessions. */
#ifndef WEIR_NET_DTLS_SERVER_H
#define WEIR_NET_DTLS_SERVER_H

#include "net/dtls_session.h"
#include "net/dtls_table.h"

#define WEIR_DTLS_LAST_FLIGHT_NS                                                                             \
	(30 * WEIR_NS_PER_S) /* so long the last flight is sent again to one who missed it */

#define WEIR_DTLS_SERVER_COUNTERS(X)                                                                         \
	X(records, "authentic records delivered")                                                            \
	X(cookies_sent, "hellos without a valid cookie, answered with one")                                  \
	X(handshakes_started, "hellos with a valid cookie")                                                  \
	X(handshakes_completed, "handshakes completed")                                                      \
	X(handshakes_resumed, "completed handshakes that resumed a session")                                 \
	X(handshakes_failed, "handshakes that broke off")                                                    \
	X(handshakes_expired, "handshakes that were never completed: lost, or a key that does not fit")      \
	X(handshakes_crowded_out, "handshakes that gave way to newer ones")                                  \
	X(handshakes_deferred, "hellos with a valid cookie dropped because there were too many")             \
	X(identities_unknown, "handshakes with an identity that no line of the key file has")                \
	X(sessions_closed, "sessions that the other end closed")                                             \
	X(sessions_expired, "sessions that were silent too long")                                            \
	X(sessions_evicted, "sessions that gave way to newer ones")                                          \
	X(sessions_refused, "handshakes that found no room for a session")                                   \
	X(dropped_malformed, "datagrams that are no DTLS: too short, truncated, another version")            \
	X(dropped_unknown, "protected records from addresses without a session")                             \
	X(dropped_unexpected, "unprotected records that belong to no handshake")                             \
	X(dropped_late, "records of a handshake that is complete")                                           \
	X(dropped_forged, "records that the session's key did not make")                                     \
	X(dropped_replayed, "records that had been seen, or too old to tell")

struct weir_dtls_counts {
#define X(name, help) u64 name;
	WEIR_DTLS_SERVER_COUNTERS(X)
#undef X
};

struct weir_dtls_server {
	struct weir_guard guard;
	struct weir_dtls_credentials credentials;
	struct weir_dtls_config limits;
	struct weir_dtls_table table;
	gnutls_datum_t cookie_key[2]; /* the newer first */
	u64 cookie_turn_ns;
	u64 credit_ns, credited_ns; /* work for strangers: a handshake costs 1 s / handshakes_per_s */
	u64 wake_ns;
	struct weir_dtls_counts count;
	u8 plain[WEIR_DTLS_RECORD_BYTES];
};

/* A hello with a valid cookie from here: now there is state. `slot`: of this address, or NULL. */
void weir_dtls_peers_begin(struct weir_dtls_server *v, u64 now_ns, const struct weir_address *from,
			   struct weir_dtls_slot *slot, const struct weir_dtls_hello *hello,
			   gnutls_dtls_prestate_st *prestate, const u8 *data, size_t bytes);
/* A datagram for the handshake that goes on; one for the session that stands. */
void weir_dtls_peers_step(struct weir_dtls_server *v, u64 now_ns, struct weir_dtls_slot *slot, const u8 *data,
			  size_t bytes);
void weir_dtls_peers_take(struct weir_dtls_server *v, u64 now_ns, struct weir_dtls_slot *slot, const u8 *data,
			  size_t bytes, const struct weir_dtls_record *r);
/* Retransmissions and expiry; sets wake_ns. */
void weir_dtls_peers_wake(struct weir_dtls_server *v, u64 now_ns);
void weir_dtls_peers_close(struct weir_dtls_server *v);

#endif

/* SPDX-License-Identifier: MIT */
/* One DTLS session of either side, over the library. Non-blocking: a datagram is handed in, what the session
 * has to send goes out at once by the guard's port. */
#ifndef WEIR_NET_DTLS_SESSION_H
#define WEIR_NET_DTLS_SESSION_H

#include "net/dtls.h"
#include "net/dtls_record.h"

#include <gnutls/dtls.h>
#include <gnutls/gnutls.h>

#define WEIR_DTLS_WHO_BYTES 256

/* What all sessions of a guard share: keys, certificates, which algorithms. */
struct weir_dtls_credentials {
	const struct weir_keys *keys;
	gnutls_psk_server_credentials_t psk_server;
	gnutls_psk_client_credentials_t psk_client;
	gnutls_certificate_credentials_t certificate;
	gnutls_priority_t priority;
	gnutls_datum_t ticket_key; /* of a listener: what it hands out for resumption is encrypted with it */
	bool server;
	char host[WEIR_NET_HOST_BYTES];
};

bool weir_dtls_credentials_init(struct weir_dtls_credentials *c, const struct weir_dtls_config *config,
				bool server, char why[WEIR_NET_WHY_BYTES]);
void weir_dtls_credentials_free(struct weir_dtls_credentials *c);
/* What stands for a name (PSK identity, certificate subject) in weir_peer.identity: the same for all guards
 * of this process; never 0. */
u64 weir_dtls_identity(bool certificate, const void *name, size_t bytes);

struct weir_dtls_session {
	gnutls_session_t tls;
	const struct weir_dtls_credentials *credentials;
	const struct weir_guard_port *port;
	struct weir_address address;
	const u8 *in; /* the datagram that is being handed in; NULL: none, or taken */
	size_t in_bytes;
	u8 random[WEIR_DTLS_RANDOM_BYTES]; /* of the hello that began it, at a listener */
	struct weir_dtls_window window;
	u64 started_ns, heard_ns, established_ns;
	u64 retransmit_ns; /* when the handshake wants to be stepped without a datagram */
	int error;	   /* of the library, after FAILED */
	bool resumed;
	u64 identity; /* once established, at a listener */
	char who[WEIR_DTLS_WHO_BYTES];
	bool unknown; /* its PSK identity is in no line of the key file */
};

/* With the defaults in place of each 0. */
struct weir_dtls_config weir_dtls_config_complete(const struct weir_dtls_config *config);

/* `prestate` of a listener: what the cookie's check gave. NULL: out of memory. */
struct weir_dtls_session *weir_dtls_session_new(const struct weir_dtls_credentials *c,
						const struct weir_guard_port *port,
						const struct weir_address *address,
						gnutls_dtls_prestate_st *prestate, u64 now_ns);
/* Wipes. `bye`: a close_notify goes out first. NULL is fine. */
void weir_dtls_session_free(struct weir_dtls_session *s, bool bye);

enum weir_dtls_step {
	WEIR_DTLS_GOING,
	WEIR_DTLS_DONE, /* established: identity, who and resumed are set */
	WEIR_DTLS_FAILED,
};

/* The handshake goes on as far as this datagram takes it (NULL: its timer is due). */
enum weir_dtls_step weir_dtls_session_step(struct weir_dtls_session *s, u64 now_ns, const u8 *data,
					   size_t bytes, u32 datagram_bytes);

enum weir_dtls_found {
	WEIR_DTLS_NOTHING, /* forged, replayed or of the handshake: nothing that counts */
	WEIR_DTLS_RECORDS, /* at least one authentic record */
	WEIR_DTLS_CLOSED,  /* the other end said goodbye, or what it sent ends the session */
};

/* A datagram for an established session: what is authentic in it is delivered. `plain` has room for a record.
 * The number in `sequence` is the one of the datagram's first record. */
enum weir_dtls_found weir_dtls_session_take(struct weir_dtls_session *s, u64 now_ns, const u8 *data,
					    size_t bytes, u64 sequence, u8 *plain);
bool weir_dtls_session_send(struct weir_dtls_session *s, const u8 *data, size_t bytes);

#endif

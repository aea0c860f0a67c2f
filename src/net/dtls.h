/* SPDX-License-Identifier: MIT */
/* The guard with keys: DTLS 1.2 (RFC 6347) by GnuTLS, with pre-shared keys (ECDHE-PSK, RFC 8442 and 7905;
 * plain PSK where the other end has nothing better) or X.509 certificates on both sides. docs/security.md
 * tells what it promises. Where Weir was built without GnuTLS, weir_dtls_built is false and the two
 * constructors fail. */
#ifndef WEIR_NET_DTLS_H
#define WEIR_NET_DTLS_H

#include "net/keys.h"
#include "net/session.h"

/* What a record costs at most beside the data: header, explicit nonce and tag of AES-GCM (RFC 5288). */
#define WEIR_DTLS_OVERHEAD_BYTES 37
#define WEIR_DTLS_PACKAGE "libgnutls28-dev"

extern const bool weir_dtls_built;
/* The version of GnuTLS that is in use; NULL: built without. */
const char *weir_dtls_version(void);

struct weir_dtls_config {
	/* Pre-shared keys: all that a listener knows; of one who connects the first alone. NULL: none. */
	const struct weir_keys *keys;
	/* The own certificate with its key, and the authorities whose certificates the other end may show:
	 * files in PEM. All three or none. Both ends show one. */
	const char *certificate, *private_key, *authority;
	const char *host; /* of one who connects: the name that the listener's certificate must have */
	bool plain_psk;	  /* of one who connects: no ECDHE, for measurements. Without forward secrecy */

	/* 0: the default. What a listener keeps at most, for how long, and how much work it does for
	 * strangers. */
	u32 sessions;	      /* 10,000 */
	u32 half_open;	      /* 256 handshakes at a time; the oldest gives way */
	u32 handshakes_per_s; /* 1,000 */
	u64 idle_ns;	      /* a session without a record for so long ends: 15 min */
	u32 datagram_bytes;   /* of the UDP payload, at most: 1,452 */
	/* Of one who connects: how often a hello leaves while nobody answers. 2.5 s keeps "back within 3 s
	 * and 3 RTT" with the four flights of a handshake that cannot be resumed, and RFC 8085's bounds. */
	u64 hello_ns;
};

/* The keys must outlive the guard. NULL: *why tells what to mend. */
struct weir_guard *weir_guard_dtls_new_server(const struct weir_dtls_config *config,
					      const struct weir_guard_port *port,
					      char why[WEIR_NET_WHY_BYTES]);
struct weir_guard *weir_guard_dtls_new_client(const struct weir_dtls_config *config,
					      const struct weir_guard_port *port,
					      char why[WEIR_NET_WHY_BYTES]);

#endif

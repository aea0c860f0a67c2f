/* SPDX-License-Identifier: MIT */
/* Sentences about handshakes that did not succeed, for the one who connects. Inside net/dtls_*.c only. */
#ifndef WEIR_NET_DTLS_WORDS_H
#define WEIR_NET_DTLS_WORDS_H

#include "net/dtls_session.h"

/* The other end's certificate was not accepted for `host`, or what else the library found wrong. */
void weir_dtls_tell_failure(char why[WEIR_NET_WHY_BYTES], const struct weir_dtls_session *s, const char *host,
			    int error);
/* It answers, but its last word does not come: our key (NULL: certificate) is not known there. */
void weir_dtls_tell_unconfirmed(char why[WEIR_NET_WHY_BYTES], const struct weir_keys *keys);
/* `alert` came unprotected, maybe from somebody else. */
void weir_dtls_tell_alert(char why[WEIR_NET_WHY_BYTES], u8 alert);

#endif

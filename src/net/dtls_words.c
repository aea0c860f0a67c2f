/* SPDX-License-Identifier: MIT */
#include "net/dtls_words.h"

#include <stdio.h>

void weir_dtls_tell_failure(char why[WEIR_NET_WHY_BYTES], const struct weir_dtls_session *s, const char *host,
			    int error)
{
	u32 status = gnutls_session_get_verify_cert_status(s->tls);
	gnutls_datum_t text = {0};
	if (error == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR &&
	    gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) >= 0)
		snprintf(why, WEIR_NET_WHY_BYTES,
			 "the monitor's certificate is not accepted for '%.60s': %.140s", host,
			 (const char *)text.data);
	else
		snprintf(why, WEIR_NET_WHY_BYTES, "the handshake failed: %.150s", gnutls_strerror(error));
	gnutls_free(text.data);
}

void weir_dtls_tell_unconfirmed(char why[WEIR_NET_WHY_BYTES], const struct weir_keys *keys)
{
	if (keys)
		snprintf(
		    why, WEIR_NET_WHY_BYTES,
		    "the monitor answers but does not confirm the key of '%s': it must have the same line "
		    "in its key file",
		    weir_keys_at(keys, 0)->identity);
	else
		snprintf(
		    why, WEIR_NET_WHY_BYTES,
		    "the monitor answers but does not confirm our certificate: its --ca must have issued "
		    "it");
}

void weir_dtls_tell_alert(char why[WEIR_NET_WHY_BYTES], u8 alert)
{
	const char *name = gnutls_alert_get_strname(alert);
	snprintf(why, WEIR_NET_WHY_BYTES,
		 "the monitor answers but the handshake does not go on; it may have said: %s",
		 name ? name : "an alert");
}

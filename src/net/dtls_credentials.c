/* SPDX-License-Identifier: MIT */
#include "net/dtls_session.h"

#include <gnutls/crypto.h>
#include <stdlib.h>
#include <string.h>

const bool weir_dtls_built = true;

const char *weir_dtls_version(void)
{
	return gnutls_check_version(NULL);
}

#define SECRET_BYTES 32

/* AEAD only, X25519 or P-256, SHA-2 signatures. Ephemeral keys first: what is recorded today stays secret
 * when a key is stolen tomorrow. */
#define PRIORITY_START "NONE:+VERS-DTLS1.2:+COMP-NULL:+AEAD:+AES-128-GCM:+CHACHA20-POLY1305:+AES-256-GCM"
#define PRIORITY_END                                                                                         \
	":+GROUP-X25519:+GROUP-SECP256R1:+CTYPE-X509:+SIGN-EDDSA-ED25519:+SIGN-ECDSA-SHA256"                 \
	":+SIGN-ECDSA-SHA384:+SIGN-ECDSA-SHA512:+SIGN-RSA-PSS-SHA256:+SIGN-RSA-PSS-SHA384"                   \
	":+SIGN-RSA-PSS-SHA512:+SIGN-RSA-SHA256:+SIGN-RSA-SHA384:+SIGN-RSA-SHA512:%SERVER_PRECEDENCE"

/* Of this process, for all of its guards: identities are hashed with it, so that nobody can choose a name
 * with another's hash, and those that no line has get a key of it. */
static u8 secret[SECRET_BYTES];

static bool make_secret(void)
{
	static bool made;
	made = made || gnutls_rnd(GNUTLS_RND_KEY, secret, sizeof secret) >= 0;
	return made;
}

static bool say(char why[WEIR_NET_WHY_BYTES], const char *what, int error)
{
	snprintf(why, WEIR_NET_WHY_BYTES, "%s: %s", what, gnutls_strerror(error));
	return false;
}

/* An identity that no line has gets a key of its own, always the same one: its handshake fails like one with
 * a wrong key, so that nobody learns which identities exist. */
static int key_of(gnutls_session_t tls, const gnutls_datum_t *identity, gnutls_datum_t *key)
{
	struct weir_dtls_session *s = gnutls_session_get_ptr(tls);
	const struct weir_dtls_credentials *c = s->credentials;
	const struct weir_key *found = weir_keys_find(c->keys, identity->data, identity->size);
	s->unknown = !found;
	key->size = found ? found->bytes : SECRET_BYTES;
	key->data = gnutls_malloc(key->size);
	if (!key->data)
		return -1;
	if (found)
		memcpy(key->data, found->key, found->bytes);
	else if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, secret, sizeof secret, identity->data, identity->size,
				  key->data) < 0)
		return -1;
	return 0;
}

static bool init_psk(struct weir_dtls_credentials *c, char why[WEIR_NET_WHY_BYTES])
{
	if (c->server) {
		int error = gnutls_psk_allocate_server_credentials(&c->psk_server);
		if (error < 0)
			return say(why, "pre-shared keys", error);
		gnutls_psk_set_server_credentials_function2(c->psk_server, key_of);
		return true;
	}
	const struct weir_key *own = weir_keys_at(c->keys, 0);
	int error = gnutls_psk_allocate_client_credentials(&c->psk_client);
	if (error < 0)
		return say(why, "the pre-shared key", error);
	gnutls_datum_t identity = {.data = (u8 *)(uintptr_t)own->identity,
				   .size = (u32)strlen(own->identity)};
	gnutls_datum_t key = {.data = (u8 *)(uintptr_t)own->key, .size = own->bytes};
	error = gnutls_psk_set_client_credentials2(c->psk_client, &identity, &key, GNUTLS_PSK_KEY_RAW);
	return error < 0 ? say(why, "the pre-shared key", error) : true;
}

static bool init_certificates(struct weir_dtls_credentials *c, const struct weir_dtls_config *config,
			      char why[WEIR_NET_WHY_BYTES])
{
	if (!config->certificate || !config->private_key || !config->authority) {
		snprintf(why, WEIR_NET_WHY_BYTES,
			 "certificates need all three of --cert, --private-key and --ca: both ends show one, "
			 "and each "
			 "checks the other's");
		return false;
	}
	char reason[WEIR_NET_WHY_BYTES / 2];
	if (!weir_secret_file_check(config->private_key, -1, reason, sizeof reason)) {
		snprintf(why, WEIR_NET_WHY_BYTES, "%.100s: %s", config->private_key, reason);
		return false;
	}
	int error = gnutls_certificate_allocate_credentials(&c->certificate);
	if (error < 0)
		return say(why, "certificates", error);
	error = gnutls_certificate_set_x509_key_file(c->certificate, config->certificate, config->private_key,
						     GNUTLS_X509_FMT_PEM);
	if (error < 0) {
		snprintf(why, WEIR_NET_WHY_BYTES, "%.80s with %.80s: %.60s", config->certificate,
			 config->private_key, gnutls_strerror(error));
		return false;
	}
	error =
	    gnutls_certificate_set_x509_trust_file(c->certificate, config->authority, GNUTLS_X509_FMT_PEM);
	if (error > 0)
		return true;
	snprintf(why, WEIR_NET_WHY_BYTES, "%.120s: %s", config->authority,
		 error ? gnutls_strerror(error) : "no certificate in it; expected PEM");
	return false;
}

static bool init_priority(struct weir_dtls_credentials *c, const struct weir_dtls_config *config,
			  char why[WEIR_NET_WHY_BYTES])
{
	char text[sizeof PRIORITY_START + sizeof PRIORITY_END + 80];
	snprintf(text, sizeof text, "%s%s%s%s%s", PRIORITY_START,
		 config->keys && !config->plain_psk ? ":+ECDHE-PSK" : "",
		 config->certificate ? ":+ECDHE-ECDSA:+ECDHE-RSA" : "", config->keys ? ":+PSK" : "",
		 PRIORITY_END);
	int error = gnutls_priority_init(&c->priority, text, NULL);
	return error < 0 ? say(why, "GnuTLS does not offer DTLS 1.2 with what Weir asks for", error) : true;
}

bool weir_dtls_credentials_init(struct weir_dtls_credentials *c, const struct weir_dtls_config *config,
				bool server, char why[WEIR_NET_WHY_BYTES])
{
	*c = (struct weir_dtls_credentials){.keys = config->keys, .server = server};
	snprintf(c->host, sizeof c->host, "%s", config->host ? config->host : "");
	bool certificates = config->certificate || config->private_key || config->authority;
	if (!config->keys && !certificates) {
		snprintf(why, WEIR_NET_WHY_BYTES, "neither keys nor certificates");
		return false;
	}
	if (config->keys && certificates && !server) {
		snprintf(why, WEIR_NET_WHY_BYTES, "a key or a certificate, not both");
		return false;
	}
	bool good = make_secret();
	if (good && server)
		good = gnutls_session_ticket_key_generate(&c->ticket_key) >= 0;
	if (!good)
		snprintf(why, WEIR_NET_WHY_BYTES, "no random numbers, or no memory");
	good = good && (!config->keys || init_psk(c, why)) &&
	       (!certificates || init_certificates(c, config, why)) && init_priority(c, config, why);
	if (!good)
		weir_dtls_credentials_free(c);
	return good;
}

static void wipe(gnutls_datum_t *d)
{
	if (d->data)
		gnutls_memset(d->data, 0, d->size);
	gnutls_free(d->data);
	d->data = NULL;
}

void weir_dtls_credentials_free(struct weir_dtls_credentials *c)
{
	wipe(&c->ticket_key);
	if (c->psk_server)
		gnutls_psk_free_server_credentials(c->psk_server);
	if (c->psk_client)
		gnutls_psk_free_client_credentials(c->psk_client);
	if (c->certificate)
		gnutls_certificate_free_credentials(c->certificate);
	if (c->priority)
		gnutls_priority_deinit(c->priority);
	*c = (struct weir_dtls_credentials){0};
}

u64 weir_dtls_identity(bool certificate, const void *name, size_t bytes)
{
	u8 digest[32], text[1 + WEIR_DTLS_WHO_BYTES] = {certificate};
	u64 identity = 0;
	bytes = bytes < WEIR_DTLS_WHO_BYTES ? bytes : WEIR_DTLS_WHO_BYTES;
	memcpy(text + 1, name, bytes);
	if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, secret, sizeof secret, text, bytes + 1, digest) >= 0)
		memcpy(&identity, digest, sizeof identity);
	return identity ? identity : 1;
}

static u32 or_default(u32 value, u32 otherwise)
{
	return value ? value : otherwise;
}

struct weir_dtls_config weir_dtls_config_complete(const struct weir_dtls_config *config)
{
	struct weir_dtls_config c = *config;
	c.sessions = or_default(c.sessions, 10000);
	c.half_open = or_default(c.half_open, 256);
	c.handshakes_per_s = or_default(c.handshakes_per_s, 1000);
	c.datagram_bytes = or_default(c.datagram_bytes, 1452);
	c.idle_ns = c.idle_ns ? c.idle_ns : 900 * WEIR_NS_PER_S;
	c.hello_ns = c.hello_ns ? c.hello_ns : 2500 * WEIR_NS_PER_MS;
	return c;
}

/* SPDX-License-Identifier: MIT */
#include "net/dtls_session.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>

/* Flights of a handshake fit every path of IPv6; what is sent later fits what the caller found out. */
#define HANDSHAKE_MTU_BYTES 1200
#define RETRANSMIT_MS 1000
#define HANDSHAKE_MS 30000
#define RESUMABLE_S (6 * 3600)
#define STEPS_MOST 8u
#define RECORDS_MOST 64u

static ssize_t push(gnutls_transport_ptr_t of, const void *data, size_t bytes)
{
	struct weir_dtls_session *s = of;
	s->port->send(s->port->owner, &s->address, data, bytes);
	return (ssize_t)bytes;
}

static ssize_t pull(gnutls_transport_ptr_t of, void *to, size_t room)
{
	struct weir_dtls_session *s = of;
	if (!s->in) {
		gnutls_transport_set_errno(s->tls, EAGAIN);
		return -1;
	}
	size_t bytes = s->in_bytes < room ? s->in_bytes : room;
	memcpy(to, s->in, bytes);
	s->in = NULL;
	return (ssize_t)bytes;
}

static int pull_timeout(gnutls_transport_ptr_t of, unsigned ms)
{
	(void)ms;
	const struct weir_dtls_session *s = of;
	return s->in != NULL;
}

static int set_up(struct weir_dtls_session *s, gnutls_dtls_prestate_st *prestate)
{
	const struct weir_dtls_credentials *c = s->credentials;
	int error = gnutls_priority_set(s->tls, c->priority);
	if (error >= 0 && c->keys)
		error = c->server ? gnutls_credentials_set(s->tls, GNUTLS_CRD_PSK, c->psk_server)
				  : gnutls_credentials_set(s->tls, GNUTLS_CRD_PSK, c->psk_client);
	if (error >= 0 && c->certificate) {
		error = gnutls_credentials_set(s->tls, GNUTLS_CRD_CERTIFICATE, c->certificate);
		gnutls_session_set_verify_cert(s->tls, c->server ? NULL : c->host, 0);
	}
	if (error >= 0 && c->server) {
		gnutls_certificate_server_set_request(s->tls, GNUTLS_CERT_REQUIRE);
		error = gnutls_session_ticket_enable_server(s->tls, &c->ticket_key);
		gnutls_db_set_cache_expiration(s->tls, RESUMABLE_S);
		gnutls_dtls_prestate_set(s->tls, prestate);
	}
	gnutls_dtls_set_mtu(s->tls, HANDSHAKE_MTU_BYTES);
	gnutls_dtls_set_timeouts(s->tls, RETRANSMIT_MS, HANDSHAKE_MS);
	gnutls_session_set_ptr(s->tls, s);
	gnutls_transport_set_ptr(s->tls, s);
	gnutls_transport_set_push_function(s->tls, push);
	gnutls_transport_set_pull_function(s->tls, pull);
	gnutls_transport_set_pull_timeout_function(s->tls, pull_timeout);
	return error;
}

struct weir_dtls_session *weir_dtls_session_new(const struct weir_dtls_credentials *c,
						const struct weir_guard_port *port,
						const struct weir_address *address,
						gnutls_dtls_prestate_st *prestate, u64 now_ns)
{
	struct weir_dtls_session *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->credentials = c;
	s->port = port;
	s->address = *address;
	s->started_ns = s->heard_ns = now_ns;
	s->retransmit_ns = WEIR_NEVER;
	u32 side = c->server ? GNUTLS_SERVER : GNUTLS_CLIENT;
	if (gnutls_init(&s->tls, side | GNUTLS_DATAGRAM | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) < 0) {
		free(s);
		return NULL;
	}
	if (set_up(s, prestate) < 0) {
		weir_dtls_session_free(s, false);
		return NULL;
	}
	return s;
}

void weir_dtls_session_free(struct weir_dtls_session *s, bool bye)
{
	if (!s)
		return;
	if (bye)
		(void)gnutls_bye(s->tls, GNUTLS_SHUT_WR);
	gnutls_deinit(s->tls);
	explicit_bzero(s, sizeof *s);
	free(s);
}

static void take_who(struct weir_dtls_session *s, bool certificate, const void *name, size_t bytes)
{
	s->identity = weir_dtls_identity(certificate, name, bytes);
	bytes = bytes < sizeof s->who ? bytes : sizeof s->who - 1;
	memcpy(s->who, name, bytes);
	for (size_t i = 0; i < bytes; i++)
		if ((u8)s->who[i] < ' ' || s->who[i] == 0x7f)
			s->who[i] = '?';
}

/* Who has proved to be there. false: the certificate cannot be read. */
static bool find_who(struct weir_dtls_session *s)
{
	if (gnutls_auth_get_type(s->tls) == GNUTLS_CRD_PSK) {
		gnutls_datum_t name = {0};
		if (s->credentials->server && gnutls_psk_server_get_username2(s->tls, &name) < 0)
			return false;
		const struct weir_key *own =
		    s->credentials->server ? NULL : weir_keys_at(s->credentials->keys, 0);
		take_who(s, false, own ? own->identity : (const char *)name.data,
			 own ? strlen(own->identity) : name.size);
		return true;
	}
	u32 n = 0;
	const gnutls_datum_t *chain = gnutls_certificate_get_peers(s->tls, &n);
	gnutls_x509_crt_t certificate;
	if (!chain || !n || gnutls_x509_crt_init(&certificate) < 0)
		return false;
	gnutls_datum_t subject = {0};
	bool good = gnutls_x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER) >= 0 &&
		    gnutls_x509_crt_get_dn2(certificate, &subject) >= 0;
	if (good)
		take_who(s, true, subject.data, subject.size);
	gnutls_free(subject.data);
	gnutls_x509_crt_deinit(certificate);
	return good;
}

enum weir_dtls_step weir_dtls_session_step(struct weir_dtls_session *s, u64 now_ns, const u8 *data,
					   size_t bytes, u32 datagram_bytes)
{
	s->in = data;
	s->in_bytes = bytes;
	int ret = GNUTLS_E_AGAIN;
	for (u32 i = 0; i < STEPS_MOST; i++) {
		ret = gnutls_handshake(s->tls);
		if (ret == 0 || gnutls_error_is_fatal(ret) || !s->in)
			break;
	}
	if (ret == 0 && !find_who(s))
		ret = GNUTLS_E_CERTIFICATE_ERROR;
	if (ret < 0 && gnutls_error_is_fatal(ret)) {
		s->in = NULL;
		s->error = ret;
		(void)gnutls_alert_send_appropriate(s->tls, ret);
		return WEIR_DTLS_FAILED;
	}
	if (data)
		s->heard_ns = now_ns;
	if (ret == 0) {
		s->resumed = gnutls_session_is_resumed(s->tls);
		s->established_ns = now_ns;
		s->retransmit_ns = WEIR_NEVER;
		gnutls_dtls_set_mtu(s->tls, datagram_bytes);
		return WEIR_DTLS_DONE;
	}
	s->in = NULL;
	/* The library's clock is the wall's, which may step: never much earlier or later than its own
	 * interval. */
	u32 ms = gnutls_dtls_get_timeout(s->tls);
	ms = ms < 20 ? 20 : ms > RETRANSMIT_MS ? RETRANSMIT_MS : ms;
	s->retransmit_ns = now_ns + ms * WEIR_NS_PER_MS;
	return WEIR_DTLS_GOING;
}

enum weir_dtls_found weir_dtls_session_take(struct weir_dtls_session *s, u64 now_ns, const u8 *data,
					    size_t bytes, u64 sequence, u8 *plain)
{
	struct weir_peer peer = {.address = s->address, .session = s, .identity = s->identity, .who = s->who};
	enum weir_dtls_found found = WEIR_DTLS_NOTHING;
	s->in = data;
	s->in_bytes = bytes;
	for (u32 i = 0; i < RECORDS_MOST; i++) {
		ssize_t n = gnutls_record_recv(s->tls, plain, WEIR_DTLS_RECORD_BYTES);
		if (n > 0) {
			if (found == WEIR_DTLS_NOTHING)
				weir_dtls_window_add(&s->window, sequence);
			found = WEIR_DTLS_RECORDS;
			s->heard_ns = now_ns;
			s->port->deliver(s->port->owner, &peer, plain, (size_t)n);
		} else if (n == 0 || (n != GNUTLS_E_AGAIN && gnutls_error_is_fatal((int)n))) {
			s->error = (int)n;
			found = WEIR_DTLS_CLOSED;
			break;
		} else if (n == GNUTLS_E_AGAIN && !s->in) {
			break;
		}
	}
	s->in = NULL;
	return found;
}

bool weir_dtls_session_send(struct weir_dtls_session *s, const u8 *data, size_t bytes)
{
	return gnutls_record_send(s->tls, data, bytes) == (ssize_t)bytes;
}

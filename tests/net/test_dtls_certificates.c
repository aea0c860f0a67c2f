/* SPDX-License-Identifier: MIT */
/* X.509 on both sides: who is accepted, what is said to who is not, resumption, and nothing amplified. */
#include "dtls_network.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct party {
	gnutls_x509_crt_t certificate;
	gnutls_x509_privkey_t key;
	char certificate_file[80], key_file[80];
};

static char folder[] = "/tmp/weir-certificates-XXXXXX";
static struct party authority, stranger, monitor, sensor, intruder;
static struct net net;
static u64 to_server, from_server;

static void write_pem(const char *path, const gnutls_datum_t *pem, mode_t mode)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(pem->data, 1, pem->size, f), pem->size);
	assert_int_equal(fchmod(fileno(f), mode), 0);
	fclose(f);
}

/* A key of P-256 and a certificate from `issuer` (NULL: its own). */
static void make(struct party *p, const char *name, const struct party *issuer)
{
	static u8 serial;
	serial++;
	snprintf(p->certificate_file, sizeof p->certificate_file, "%s/%u.crt", folder, serial);
	snprintf(p->key_file, sizeof p->key_file, "%s/%u.key", folder, serial);
	assert_int_equal(gnutls_x509_privkey_init(&p->key), 0);
	assert_int_equal(gnutls_x509_privkey_generate(p->key, GNUTLS_PK_ECDSA,
						      GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
			 0);
	assert_int_equal(gnutls_x509_crt_init(&p->certificate), 0);
	gnutls_x509_crt_set_version(p->certificate, 3);
	gnutls_x509_crt_set_serial(p->certificate, &serial, 1);
	gnutls_x509_crt_set_activation_time(p->certificate, time(NULL) - 3600);
	gnutls_x509_crt_set_expiration_time(p->certificate, time(NULL) + 3600 * 24 * 365);
	gnutls_x509_crt_set_dn_by_oid(p->certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name,
				      (u32)strlen(name));
	gnutls_x509_crt_set_subject_alt_name(p->certificate, GNUTLS_SAN_DNSNAME, name, (u32)strlen(name), 0);
	gnutls_x509_crt_set_key(p->certificate, p->key);
	gnutls_x509_crt_set_basic_constraints(p->certificate, issuer == NULL, -1);
	assert_int_equal(gnutls_x509_crt_sign2(p->certificate, issuer ? issuer->certificate : p->certificate,
					       issuer ? issuer->key : p->key, GNUTLS_DIG_SHA256, 0),
			 0);
	gnutls_datum_t pem;
	assert_int_equal(gnutls_x509_crt_export2(p->certificate, GNUTLS_X509_FMT_PEM, &pem), 0);
	write_pem(p->certificate_file, &pem, 0644);
	gnutls_free(pem.data);
	assert_int_equal(gnutls_x509_privkey_export2(p->key, GNUTLS_X509_FMT_PEM, &pem), 0);
	write_pem(p->key_file, &pem, 0600);
	gnutls_free(pem.data);
}

static void unmake(struct party *p)
{
	unlink(p->certificate_file);
	unlink(p->key_file);
	gnutls_x509_crt_deinit(p->certificate);
	gnutls_x509_privkey_deinit(p->key);
}

static int make_all(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	make(&authority, "authority", NULL);
	make(&stranger, "another authority", NULL);
	make(&monitor, "monitor.example", &authority);
	make(&sensor, "sensor-7", &authority);
	make(&intruder, "sensor-7", &stranger);
	return 0;
}

static int unmake_all(void **state)
{
	(void)state;
	unmake(&authority);
	unmake(&stranger);
	unmake(&monitor);
	unmake(&sensor);
	unmake(&intruder);
	return rmdir(folder);
}

static struct weir_dtls_config with(const struct party *own, const struct party *trusted, const char *host)
{
	return (struct weir_dtls_config){.certificate = own->certificate_file,
					 .private_key = own->key_file,
					 .authority = trusted->certificate_file,
					 .host = host};
}

static void watch(struct net *n, const struct net_datagram *d)
{
	assert_true(d->bytes <= 1200);
	if (net_count(&n->server, "handshakes_started"))
		return;
	if (weir_address_equal(&d->to, &n->server.address))
		to_server += d->bytes;
	else
		from_server += d->bytes;
	assert_true(from_server <= to_server);
}

static struct net_end *start(struct weir_dtls_config client)
{
	to_server = from_server = 0;
	net_open(&net, 1);
	net.seen = watch;
	struct weir_dtls_config server = with(&monitor, &authority, NULL);
	assert_true(net_listen(&net, &server));
	struct net_end *c = net_join(&net, &client);
	assert_non_null(c);
	net_connect(c);
	return c;
}

static void both_ends_show_a_certificate(void **state)
{
	(void)state;
	struct net_end *c = start(with(&sensor, &authority, "monitor.example"));
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	net_say(c, "a");
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net.server.delivered, 1);
	assert_int_equal(c->delivered, 1);
	assert_string_equal(net.server.last_who, "CN=sensor-7");
	assert_true(to_server > 0 && from_server > 0);
	u64 identity = net.server.last_identity;
	/* A ticket holds the certificate: the hello may take several datagrams, and still resumes. */
	c->address = net_address(77, 7);
	c->guard->ops->renew(c->guard, net.now_ns);
	net_pass(&net, 40 * WEIR_NS_PER_MS);
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	net_say(c, "b");
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net_count(&net.server, "handshakes_resumed"), 1);
	assert_true(net.server.last_identity == identity);
	net_close(&net);
}

static void another_authority_is_refused_and_named(void **state)
{
	(void)state;
	struct net_end *c = start(with(&sensor, &stranger, "monitor.example"));
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net_state(c), WEIR_GUARD_REFUSED);
	assert_non_null(strstr(c->guard->ops->why(c->guard), "not accepted for 'monitor.example'"));
	assert_int_equal(net_count(&net.server, "handshakes_completed"), 0);
	net_close(&net);
}

static void another_name_is_refused(void **state)
{
	(void)state;
	struct net_end *c = start(with(&sensor, &authority, "somewhere.example"));
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net_state(c), WEIR_GUARD_REFUSED);
	assert_non_null(strstr(c->guard->ops->why(c->guard), "name"));
	net_close(&net);
}

static void an_intruder_s_certificate_opens_nothing(void **state)
{
	(void)state;
	struct net_end *c = start(with(&intruder, &authority, "monitor.example"));
	net_pass(&net, 30 * WEIR_NS_PER_S);
	assert_int_equal(net_state(c), WEIR_GUARD_REFUSED);
	assert_non_null(strstr(c->guard->ops->why(c->guard), "the monitor answers"));
	assert_int_equal(net_count(&net.server, "handshakes_completed"), 0);
	assert_int_equal(net.server.delivered, 0);
	net_close(&net);
}

static void files_that_do_not_fit_are_named(void **state)
{
	(void)state;
	char why[WEIR_NET_WHY_BYTES];
	struct weir_guard_port port = {0};
	struct weir_dtls_config c = with(&monitor, &authority, NULL);
	c.private_key = sensor.key_file;
	assert_null(weir_guard_dtls_new_server(&c, &port, why));
	assert_non_null(strstr(why, sensor.key_file));
	c = with(&monitor, &authority, NULL);
	c.authority = monitor.key_file;
	assert_null(weir_guard_dtls_new_server(&c, &port, why));
	assert_non_null(strstr(why, monitor.key_file));
	c = with(&monitor, &authority, NULL);
	chmod(monitor.key_file, 0644);
	assert_null(weir_guard_dtls_new_server(&c, &port, why));
	assert_non_null(strstr(why, "chmod 600"));
	chmod(monitor.key_file, 0600);
	c.authority = NULL;
	assert_null(weir_guard_dtls_new_server(&c, &port, why));
	assert_non_null(strstr(why, "--ca"));
	c = (struct weir_dtls_config){0};
	assert_null(weir_guard_dtls_new_client(&c, &port, why));
}

/* One monitor, sensors with keys and sensors with certificates. */
static void keys_and_certificates_side_by_side(void **state)
{
	(void)state;
	net_open(&net, 1);
	struct weir_keys *all = net_keys(2, NULL), *own = net_keys(2, "client-1");
	struct weir_dtls_config config = with(&monitor, &authority, NULL), key = {.keys = own};
	config.keys = all;
	assert_true(net_listen(&net, &config));
	struct weir_dtls_config certificate = with(&sensor, &authority, "monitor.example");
	net_connect(net_join(&net, &key));
	net_connect(net_join(&net, &certificate));
	net_pass(&net, WEIR_NS_PER_S);
	net_say(&net.client[0], "a");
	net_pass(&net, WEIR_NS_PER_S);
	assert_string_equal(net.server.last_who, "client-1");
	net_say(&net.client[1], "b");
	net_pass(&net, WEIR_NS_PER_S);
	assert_string_equal(net.server.last_who, "CN=sensor-7");
	net_close(&net);
	weir_keys_free(all);
	weir_keys_free(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(both_ends_show_a_certificate),
	    cmocka_unit_test(another_authority_is_refused_and_named),
	    cmocka_unit_test(another_name_is_refused),
	    cmocka_unit_test(an_intruder_s_certificate_opens_nothing),
	    cmocka_unit_test(files_that_do_not_fit_are_named),
	    cmocka_unit_test(keys_and_certificates_side_by_side),
	};
	return cmocka_run_group_tests(tests, make_all, unmake_all);
}

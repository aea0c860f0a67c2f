/* SPDX-License-Identifier: MIT */
#include "session_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int weir_session_make_key(const struct weir_invocation *call, const char *identity)
{
	char line[WEIR_KEY_LINE_BYTES];
	if (!weir_identity_valid(identity, strlen(identity)))
		return weir_usage_error(
		    call, "--make-key: an identity is 1 to %d printable bytes without ':', '#' and blanks",
		    WEIR_IDENTITY_BYTES - 1);
	if (!weir_keys_make(identity, line))
		return weir_error(call, WEIR_EXIT_FAILED, "no random numbers: %s", strerror(errno));
	fputs(line, stdout);
	bool written = fflush(stdout) == 0;
	explicit_bzero(line, sizeof line);
	if (!written)
		return weir_error(call, WEIR_EXIT_FAILED, "stdout: %s", strerror(errno));
	fprintf(stderr,
		"This line is a secret; it is shown once. Put it into a file of mode 600 on both machines:\n"
		"  here          weir monitor --keys FILE ...\n"
		"  at the sensor weir source --key %s:FILE ...\n",
		identity);
	return WEIR_EXIT_OK;
}

static int read_keys(const struct weir_invocation *call, struct weir_session_options *o, const char *path,
		     const char *only)
{
	static struct weir_diag d;
	d = (struct weir_diag){0};
	o->keys = weir_keys_read(path, only, &d);
	if (o->keys)
		return 0;
	/* Without the file's text: it is all secrets. */
	weir_diag_print(&d, NULL, stderr);
	if (access(path, F_OK) < 0 && errno == ENOENT && !only)
		fprintf(stderr, "weir %s --make-key NAME makes one: its line goes into %s, of mode 600\n",
			call->command->name, path);
	else if (access(path, F_OK) < 0 && errno == ENOENT)
		fprintf(stderr, "the line that weir monitor --make-key %s printed goes into it\n", only);
	return WEIR_EXIT_USAGE;
}

/* --key ID:FILE. */
static int take_own_key(const struct weir_invocation *call, struct weir_session_options *o,
			const char *argument)
{
	const char *colon = strchr(argument, ':');
	size_t n = colon ? (size_t)(colon - argument) : 0;
	char identity[WEIR_IDENTITY_BYTES] = "";
	if (!colon || !colon[1] || !weir_identity_valid(argument, n))
		return weir_usage_error(
		    call, "--key: expected ID:FILE, with a line ID:KEY in FILE; a key on the command "
			  "line would be seen by everybody on this machine");
	memcpy(identity, argument, n);
	return read_keys(call, o, colon + 1, identity);
}

static int take_certificates(const struct weir_invocation *call, struct weir_session_options *o)
{
	o->dtls.certificate = weir_option(call, "cert");
	o->dtls.private_key = weir_option(call, "private-key");
	o->dtls.authority = weir_option(call, "ca");
	int given =
	    (o->dtls.certificate != NULL) + (o->dtls.private_key != NULL) + (o->dtls.authority != NULL);
	if (given && given < 3)
		return weir_usage_error(call,
					"--cert, --private-key and --ca belong together: both ends show a "
					"certificate, and each checks the other's");
	o->keyed |= given == 3;
	return 0;
}

int weir_session_options_take(const struct weir_invocation *call, bool listens,
			      struct weir_session_options *o)
{
	*o = (struct weir_session_options){.listens = listens, .insecure = weir_option(call, "insecure")};
	const char *file = listens ? weir_option(call, "keys") : NULL,
		   *key = listens ? NULL : weir_option(call, "key");
	int wrong = take_certificates(call, o);
	if (!wrong && key && o->keyed)
		wrong = weir_usage_error(call, "--key and --cert exclude each other");
	if (!wrong && (key || file || o->keyed) && o->insecure)
		wrong = weir_usage_error(call, "--insecure says that there are no keys, and here are some");
	if (!wrong && (key || file || o->keyed) && !weir_dtls_built)
		wrong = weir_error(
		    call, WEIR_EXIT_MACHINE,
		    "this weir was built without GnuTLS, and keys need it: install %s and build it again",
		    WEIR_DTLS_PACKAGE);
	if (!wrong && file)
		wrong = read_keys(call, o, file, NULL);
	if (!wrong && key)
		wrong = take_own_key(call, o, key);
	if (wrong)
		return wrong;
	o->keyed |= o->keys != NULL;
	o->dtls.keys = o->keys;
	char why[WEIR_NET_WHY_BYTES];
	u16 port = 0;
	if (!listens && (!call->n_operands || !weir_address_split(call->operands[0], o->host, &port, why)))
		o->host[0] = 0; /* said elsewhere */
	return WEIR_EXIT_OK;
}

int weir_session_options_allow(const struct weir_invocation *call, const struct weir_session_options *o,
			       const struct weir_address *a)
{
	char text[WEIR_ADDRESS_TEXT];
	if (o->keyed || o->insecure || weir_address_is_loopback(a))
		return WEIR_EXIT_OK;
	return weir_error(
	    call, WEIR_EXIT_USAGE,
	    "%s is not this machine, and there are no keys: everybody on the way could read and forge "
	    "values.\n%s gives keys (docs/security.md); --insecure says that none are meant",
	    weir_address_print(a, text), o->listens ? "--keys FILE" : "--key ID:FILE");
}

struct weir_guard *weir_session_guard(const struct weir_invocation *call,
				      const struct weir_session_options *o,
				      const struct weir_guard_port *port)
{
	char why[WEIR_NET_WHY_BYTES] = "out of memory";
	struct weir_dtls_config dtls = o->dtls;
	dtls.host = o->host;
	struct weir_guard *g = !o->keyed    ? weir_guard_plain_new(port)
			       : o->listens ? weir_guard_dtls_new_server(&dtls, port, why)
					    : weir_guard_dtls_new_client(&dtls, port, why);
	if (!g)
		weir_error(call, WEIR_EXIT_FAILED, "%s", why);
	return g;
}

void weir_session_options_free(struct weir_session_options *o)
{
	weir_keys_free(o->keys);
	o->keys = NULL;
}

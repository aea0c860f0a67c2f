/* SPDX-License-Identifier: MIT */
/* In place of dtls_*.c where GnuTLS was missing when Weir was built. */
#include "net/dtls.h"

const bool weir_dtls_built = false;

const char *weir_dtls_version(void)
{
	return NULL;
}

static struct weir_guard *absent(char why[WEIR_NET_WHY_BYTES])
{
	snprintf(why, WEIR_NET_WHY_BYTES, "this weir was built without GnuTLS: install %s and build it again",
		 WEIR_DTLS_PACKAGE);
	return NULL;
}

struct weir_guard *weir_guard_dtls_new_server(const struct weir_dtls_config *config,
					      const struct weir_guard_port *port,
					      char why[WEIR_NET_WHY_BYTES])
{
	(void)config;
	(void)port;
	return absent(why);
}

struct weir_guard *weir_guard_dtls_new_client(const struct weir_dtls_config *config,
					      const struct weir_guard_port *port,
					      char why[WEIR_NET_WHY_BYTES])
{
	(void)config;
	(void)port;
	return absent(why);
}

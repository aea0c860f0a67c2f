/* SPDX-License-Identifier: MIT */
/* How the verbs that speak over the network are told whom to trust. */
#ifndef WEIR_CLI_SESSION_OPTIONS_H
#define WEIR_CLI_SESSION_OPTIONS_H

#include "command.h"
#include "net/dtls.h"

#define WEIR_OPTIONS_SESSION_BOTH                                                                            \
	{.name = "cert", .value = "FILE", .help = "own certificate, in PEM; with --private-key and --ca"},   \
	    {.name = "private-key", .value = "FILE", .help = "its private key, in PEM"},                     \
	    {.name = "ca", .value = "FILE", .help = "who must have issued the other end's certificate"},     \
	{                                                                                                    \
		.name = "insecure", .help = "speak beyond this machine without keys"                         \
	}
#define WEIR_OPTIONS_SESSION_SOURCE                                                                          \
	{.name = "key",                                                                                      \
	 .value = "ID:FILE",                                                                                 \
	 .help =                                                                                             \
	     "encrypt with the key of ID in FILE, a line ID:KEY as --make-key of the monitor prints it"},    \
	    WEIR_OPTIONS_SESSION_BOTH
#define WEIR_OPTIONS_SESSION_MONITOR                                                                         \
	{.name = "keys",                                                                                     \
	 .value = "FILE",                                                                                    \
	 .help = "encrypt; who may send: lines ID:KEY, keys in hexadecimal"},                                \
	    {.name = "make-key",                                                                             \
	     .value = "ID",                                                                                  \
	     .help = "print a line for such a file with a new key, and end"},                                \
	    WEIR_OPTIONS_SESSION_BOTH

struct weir_session_options {
	bool listens, insecure, keyed;
	struct weir_keys *keys;
	struct weir_dtls_config dtls;
	char host[WEIR_NET_HOST_BYTES]; /* whom a source wants to reach, as its certificate must say */
};

/* `weir monitor --make-key ID`: the line on stdout, what to do with it on stderr. An exit code. */
int weir_session_make_key(const struct weir_invocation *call, const char *identity);

/* Reads the options and the keys they name. 0, or an exit code after saying what is wrong. */
int weir_session_options_take(const struct weir_invocation *call, bool listens,
			      struct weir_session_options *o);
/* Whether they allow to speak with this address: without keys loopback only. 0, or WEIR_EXIT_USAGE after
 * saying what to do. */
int weir_session_options_allow(const struct weir_invocation *call, const struct weir_session_options *o,
			       const struct weir_address *a);
/* A guard as the options want it; NULL after saying why. */
struct weir_guard *weir_session_guard(const struct weir_invocation *call,
				      const struct weir_session_options *o,
				      const struct weir_guard_port *port);
/* After the guard is closed. Wipes the keys. */
void weir_session_options_free(struct weir_session_options *o);

#endif

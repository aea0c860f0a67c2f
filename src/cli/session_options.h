/* SPDX-License-Identifier: MIT */
/* How the verbs that speak over the network are told whom to trust. */
#ifndef WEIR_CLI_SESSION_OPTIONS_H
#define WEIR_CLI_SESSION_OPTIONS_H

#include "command.h"
#include "net/session.h"

#define WEIR_OPTIONS_SESSION                                                                                 \
	{                                                                                                    \
		.name = "insecure", .help = "speak beyond this machine without keys"                         \
	}

struct weir_session_options {
	bool listens, insecure, keyed;
};

/* Reads the options; what they name is opened here. 0, or an exit code after saying what is wrong. */
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
void weir_session_options_free(struct weir_session_options *o);

#endif

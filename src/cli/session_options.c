/* SPDX-License-Identifier: MIT */
#include "session_options.h"

int weir_session_options_take(const struct weir_invocation *call, bool listens,
			      struct weir_session_options *o)
{
	*o = (struct weir_session_options){.listens = listens, .insecure = weir_option(call, "insecure")};
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
	    "values.\n--insecure says that this is meant",
	    weir_address_print(a, text));
}

struct weir_guard *weir_session_guard(const struct weir_invocation *call,
				      const struct weir_session_options *o,
				      const struct weir_guard_port *port)
{
	struct weir_guard *g = weir_guard_plain_new(port);
	(void)o;
	if (!g)
		weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	return g;
}

void weir_session_options_free(struct weir_session_options *o)
{
	(void)o;
}

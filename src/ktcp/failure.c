/* SPDX-License-Identifier: MIT */
/* What a flow's processes said went wrong, as a sentence. */
#include "shared.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ADDRESS_BYTES 64

static void print_address(const struct sockaddr_in6 *a, char out[ADDRESS_BYTES])
{
	char text[INET6_ADDRSTRLEN] = "?";
	if (a->sin6_family == AF_INET) {
		const struct sockaddr_in *v4 = (const void *)a;
		inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
		snprintf(out, ADDRESS_BYTES, "%s:%u", text, ntohs(v4->sin_port));
	} else {
		inet_ntop(AF_INET6, &a->sin6_addr, text, sizeof text);
		snprintf(out, ADDRESS_BYTES, "[%s]:%u", text, ntohs(a->sin6_port));
	}
}

static void explain_controller(const char *name, int error, char why[WEIR_KTCP_WHY_BYTES])
{
	char list[WEIR_KTCP_WHY_BYTES];
	weir_ktcp_has_controller(name, list);
	if (error == ENOENT)
		snprintf(why, WEIR_KTCP_WHY_BYTES,
			 "the kernel has no congestion control \"%.32s\"; it has: %.128s", name, list);
	else if (error == EPERM)
		snprintf(why, WEIR_KTCP_WHY_BYTES,
			 "the kernel does not let this user choose \"%.32s\" (of: %.80s): run as root, or "
			 "add it to "
			 "the sysctl net.ipv4.tcp_allowed_congestion_control",
			 name, list);
	else
		snprintf(why, WEIR_KTCP_WHY_BYTES,
			 "cannot set the congestion control \"%.32s\": %.60s; there are: %.100s", name,
			 strerror(error), list);
}

/* What a side was doing when it failed; the rest is errno's text. */
static const char *const doing[] = {
    [WEIR_KTCP_NAMESPACE] = "cannot enter its network namespace",
    [WEIR_KTCP_EVENTS] = "cannot make its event loop",
    [WEIR_KTCP_SOCKET] = "cannot make its socket",
    [WEIR_KTCP_SEGMENT_SIZE] = "the kernel does not keep to the asked segment size (76 to 32755 bytes)",
    [WEIR_KTCP_BIND] = "cannot use its address",
    [WEIR_KTCP_CONNECT] = "cannot connect",
    [WEIR_KTCP_CONNECT_LATE] = "no connection in the time given to it; is the path up, and both ways routed?",
    [WEIR_KTCP_NO_ECN] = "ECN was asked for, but not agreed on: set net.ipv4.tcp_ecn=1 at both ends",
    [WEIR_KTCP_SEND] = "the connection failed",
    [WEIR_KTCP_RECEIVE] = "the connection failed",
    [WEIR_KTCP_CUT_SHORT] = "the stream ended before all was delivered",
    [WEIR_KTCP_PEER_GONE] = "the other process of the flow ended",
};

void weir_ktcp_explain(const struct weir_ktcp_shared *shared, const struct weir_ktcp_config *c,
		       char why[WEIR_KTCP_WHY_BYTES])
{
	const struct weir_ktcp_fault *fault = &shared->sender.fault;
	bool receiver = false;
	/* Who only says that the other one is gone does not say why. */
	if (fault->what == WEIR_KTCP_FINE ||
	    (fault->what == WEIR_KTCP_PEER_GONE && shared->receiver.fault.what != WEIR_KTCP_FINE)) {
		fault = &shared->receiver.fault;
		receiver = true;
	}
	u32 what = fault->what;
	if (what == WEIR_KTCP_CONTROLLER) {
		explain_controller(c->controller, fault->error, why);
		return;
	}
	char from[ADDRESS_BYTES], to[ADDRESS_BYTES];
	print_address(&c->sender, from);
	print_address(&c->receiver, to);
	if (what == WEIR_KTCP_CONTROLLER_CHANGED)
		snprintf(
		    why, WEIR_KTCP_WHY_BYTES,
		    "kernel TCP from %s to %s: the congestion control is \"%.15s\", not \"%.15s\" as asked",
		    from, to, shared->sender.found, c->controller);
	else if (what < sizeof doing / sizeof doing[0] && doing[what])
		snprintf(why, WEIR_KTCP_WHY_BYTES, "%s %s to %s, %s: %s%s%.60s",
			 c->controller ? "kernel TCP from" : "UDP from", from, to,
			 receiver ? "receiver" : "sender", doing[what], fault->error ? ": " : "",
			 fault->error ? strerror(fault->error) : "");
}

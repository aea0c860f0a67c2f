/* SPDX-License-Identifier: MIT */
#include "app/app.h"

const struct weir_app_info weir_app_infos[WEIR_APP_KINDS] = {
    [WEIR_APP_BULK] = {.name = "bulk", .about = "Always has more to send."},
    [WEIR_APP_SIZED] = {.name = "sized",
			.about = "Sends a given number of bytes, then ends.",
			.needs_size = true},
    [WEIR_APP_PACED] = {.name = "paced",
			.about = "Writes chunks into the stream at a constant rate.",
			.needs_rate = true},
    [WEIR_APP_ON_OFF] = {.name = "on-off",
			 .about = "Sends in on periods, endlessly or at a rate, and is silent between them.",
			 .needs_periods = true},
    [WEIR_APP_REQUEST] = {.name = "request-response",
			  .about = "The receiver asks for so many bytes, thinks, and asks again.",
			  .needs_size = true},
    [WEIR_APP_CBR] = {.name = "cbr",
		      .about = "Datagrams of one size at equal gaps, without congestion control.",
		      .datagram = true,
		      .needs_rate = true},
    [WEIR_APP_POISSON] = {.name = "poisson",
			  .about = "Datagrams of one size at exponential gaps, without congestion control.",
			  .datagram = true,
			  .needs_rate = true},
    [WEIR_APP_UPDATES] =
	{.name = "updates",
	 .about = "Tells a state that changes at a rate: over tcp, udp or acp. Its age is measured.",
	 .needs_rate = true},
    [WEIR_APP_ARRIVALS] =
	{.name = "arrivals",
	 .about =
	     "Flows that arrive at random (Poisson), with sizes from a table or a file: mostly short ones."},
    [WEIR_APP_VIDEO] = {.name = "video",
			.about = "A player fetches chunks at bitrates that it chooses by its buffer (BBA-0), "
				 "and waits while that is full."},
};

bool weir_app_is_datagram(enum weir_app_kind kind)
{
	return weir_app_infos[kind].datagram;
}

bool weir_app_sends_datagrams(const struct weir_app_config *c)
{
	return weir_app_is_datagram(c->kind) || (c->kind == WEIR_APP_UPDATES && c->datagrams);
}

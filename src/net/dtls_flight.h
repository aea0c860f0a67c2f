/* SPDX-License-Identifier: MIT */
/* The datagrams of a client's first flight (a hello; several when a ticket with a certificate makes it long),
 * to be sent again as they are. */
#ifndef WEIR_NET_DTLS_FLIGHT_H
#define WEIR_NET_DTLS_FLIGHT_H

#include "weir/types.h"

#include <string.h>

#define WEIR_DTLS_FLIGHT_DATAGRAMS 8u
#define WEIR_DTLS_FLIGHT_BYTES 4096u

struct weir_dtls_flight {
	u32 n;
	size_t used_bytes;
	size_t bytes[WEIR_DTLS_FLIGHT_DATAGRAMS];
	u8 data[WEIR_DTLS_FLIGHT_BYTES];
};

static inline void weir_dtls_flight_clear(struct weir_dtls_flight *f)
{
	f->n = 0;
	f->used_bytes = 0;
}

/* What does not fit is left out: a new hello takes its place after a while. */
static inline void weir_dtls_flight_add(struct weir_dtls_flight *f, const u8 *data, size_t bytes)
{
	if (f->n == WEIR_DTLS_FLIGHT_DATAGRAMS || bytes > WEIR_DTLS_FLIGHT_BYTES - f->used_bytes)
		return;
	memcpy(f->data + f->used_bytes, data, bytes);
	f->used_bytes += bytes;
	f->bytes[f->n++] = bytes;
}

#endif

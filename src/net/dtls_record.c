/* SPDX-License-Identifier: MIT */
#include "net/dtls_record.h"

#define HANDSHAKE_HEADER_BYTES 12
#define CLIENT_HELLO 1

static u32 big_endian(const u8 *at, u32 bytes)
{
	u32 value = 0;
	for (u32 i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

size_t weir_dtls_record_take(const u8 *data, size_t bytes, struct weir_dtls_record *r)
{
	if (bytes < WEIR_DTLS_HEADER_BYTES)
		return 0;
	if (data[0] < WEIR_DTLS_CHANGE_CIPHER || data[0] > WEIR_DTLS_DATA)
		return 0;
	if (data[1] != 0xfe || (data[2] != 0xfd && data[2] != 0xff))
		return 0;
	size_t body = big_endian(data + 11, 2);
	if (!body || body > WEIR_DTLS_RECORD_BYTES || body > bytes - WEIR_DTLS_HEADER_BYTES)
		return 0;
	*r = (struct weir_dtls_record){
	    .type = data[0],
	    .epoch = (u16)big_endian(data + 3, 2),
	    .sequence = (u64)big_endian(data + 5, 2) << 32 | big_endian(data + 7, 4),
	    .body = data + WEIR_DTLS_HEADER_BYTES,
	    .bytes = body,
	};
	return WEIR_DTLS_HEADER_BYTES + body;
}

bool weir_dtls_datagram_take(const u8 *data, size_t bytes, struct weir_dtls_record *first)
{
	size_t at = weir_dtls_record_take(data, bytes, first);
	while (at && at < bytes) {
		struct weir_dtls_record next;
		size_t taken = weir_dtls_record_take(data + at, bytes - at, &next);
		at = taken ? at + taken : 0;
	}
	return at != 0;
}

bool weir_dtls_hello_take(const struct weir_dtls_record *r, struct weir_dtls_hello *hello)
{
	if (r->type != WEIR_DTLS_HANDSHAKE || r->epoch != 0 || r->bytes < HANDSHAKE_HEADER_BYTES)
		return false;
	u32 whole = big_endian(r->body + 1, 3), offset = big_endian(r->body + 6, 3);
	u32 fragment = big_endian(r->body + 9, 3);
	if (r->body[0] != CLIENT_HELLO || offset || fragment > whole ||
	    fragment > r->bytes - HANDSHAKE_HEADER_BYTES)
		return false;
	const u8 *at = r->body + HANDSHAKE_HEADER_BYTES, *end = at + fragment;
	if (end - at < 2 + WEIR_DTLS_RANDOM_BYTES + 1 || at[0] != 0xfe)
		return false;
	const u8 *random = at + 2;
	at = random + WEIR_DTLS_RANDOM_BYTES;
	size_t session = *at++;
	if (session > 32 || (size_t)(end - at) < session + 1)
		return false;
	at += session;
	size_t cookie = *at++;
	if ((size_t)(end - at) < cookie)
		return false;
	*hello = (struct weir_dtls_hello){.random = random, .cookie_bytes = cookie};
	return true;
}

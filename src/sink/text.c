/* SPDX-License-Identifier: MIT */
#include "text.h"

/* Bytes of the letter that begins here; 0: it is none. */
static size_t letter(const u8 *p, size_t left)
{
	size_t n = p[0] < 0x80			 ? 1
		   : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		   : (p[0] & 0xf0) == 0xe0	 ? 3
		   : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
						 : 0;
	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
	bool beyond = (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90);
	return overlong || beyond ? 0 : n;
}

bool weir_is_utf8(const u8 *data, size_t bytes)
{
	for (size_t at = 0, n; at < bytes; at += n)
		if ((n = letter(data + at, bytes - at)) == 0)
			return false;
	return true;
}

void weir_base64(const u8 *data, size_t bytes, char *to)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t at = 0; at < bytes; at += 3) {
		size_t left = bytes - at;
		u32 x = (u32)data[at] << 16 | (left > 1 ? (u32)data[at + 1] << 8 : 0) |
			(left > 2 ? data[at + 2] : 0);
		*to++ = digits[x >> 18];
		*to++ = digits[x >> 12 & 63];
		*to++ = left > 1 ? digits[x >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[x & 63] : '=';
	}
	*to = 0;
}

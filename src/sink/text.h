/* SPDX-License-Identifier: MIT */
/* Values as text: what is UTF-8, and base64 (RFC 4648) for what is not. */
#ifndef WEIR_SINK_TEXT_H
#define WEIR_SINK_TEXT_H

#include "weir/types.h"

/* Well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above U+10FFFF. */
bool weir_is_utf8(const u8 *data, size_t bytes);

#define WEIR_BASE64_BYTES(n) (((n) + 2) / 3 * 4 + 1)
/* Writes WEIR_BASE64_BYTES(bytes), the zero included. */
void weir_base64(const u8 *data, size_t bytes, char *to);

#endif

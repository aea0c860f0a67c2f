/* SPDX-License-Identifier: MIT */
/* Checksums of real packets (RFC 1071) for a capture. */
#ifndef WEIR_RECORD_CHECKSUM_H
#define WEIR_RECORD_CHECKSUM_H

#include "weir/types.h"

/* A kernel that leaves the TCP or UDP checksum to the device puts the sum of the pseudo header there. Where
 * that is what stands in a whole, unfragmented IPv4 or IPv6 packet, it is replaced by the checksum. Returns
 * whether it was. Anything else is left as it is: a wrong checksum is worth seeing. */
bool weir_checksum_finish(u8 *ip, u32 bytes);

#endif

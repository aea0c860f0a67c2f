/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* At a TUN's egress: 16 bytes in front of each packet, a magic number and the time at which it got here. What
 * a helper does, and its number, is in man 7 bpf-helpers; the rest of the kernel's headers is not needed. */
#include "weir/types.h"

#include "emu/stamp_format.h"

#define SECTION(name) __attribute__((section(name), used))
#define TCX_NEXT (-1) /* on to the next program, or to the device */

struct __sk_buff;
static u64 (*const ktime_get_ns)(void) = (void *)5;
static long (*const skb_store_bytes)(struct __sk_buff *skb, u32 offset, const void *from, u32 bytes,
				     u64 flags) = (void *)9;
static long (*const skb_change_head)(struct __sk_buff *skb, u32 bytes, u64 flags) = (void *)43;

SECTION("tc") int weir_stamp(struct __sk_buff *skb)
{
	struct weir_stamp stamp = {WEIR_STAMP_MAGIC, ktime_get_ns()};
	if (!skb_change_head(skb, sizeof stamp, 0))
		skb_store_bytes(skb, 0, &stamp, sizeof stamp, 0);
	return TCX_NEXT;
}

SECTION("license") char weir_license[] = "Dual MIT/GPL";

/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Fixed-width names used everywhere in Weir. The only file that looks at the target. */
#ifndef WEIR_TYPES_H
#define WEIR_TYPES_H

#ifdef __BPF__
#ifndef __VMLINUX_H__ /* the kernel's own header brings these names itself */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed int i32;
typedef signed long long i64;
typedef _Bool bool;
#endif
#ifndef true
#define true 1
#define false 0
#endif
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64; /* the same type on every target, so that one format prints it */
typedef int32_t i32;
typedef long long i64;
#endif

/* "Never": a time later than any event. */
#define WEIR_NEVER (~0ULL)

#define WEIR_NS_PER_US 1000ULL
#define WEIR_NS_PER_MS 1000000ULL
#define WEIR_NS_PER_S 1000000000ULL

#endif

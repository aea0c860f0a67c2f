/* SPDX-License-Identifier: MIT */
#include "published.h"

#include <string.h>

#define TRIES 1000
#define BYTES_MAX 2048

void weir_publish(u32 *version, u64 *word, const void *from, size_t bytes)
{
	__atomic_store_n(version, *version + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (size_t i = 0; i * 8 < bytes; i++) {
		u64 one = 0;
		memcpy(&one, (const u8 *)from + i * 8, bytes - i * 8 < 8 ? bytes - i * 8 : 8);
		__atomic_store_n(&word[i], one, __ATOMIC_RELAXED);
	}
	__atomic_store_n(version, *version + 1, __ATOMIC_RELEASE);
}

bool weir_published(const u32 *version, const u64 *word, void *to, size_t bytes)
{
	u64 copy[BYTES_MAX / 8];
	if (bytes > BYTES_MAX)
		return false;
	for (u32 i = 0; i < TRIES; i++) {
		u32 before = __atomic_load_n(version, __ATOMIC_ACQUIRE);
		for (size_t k = 0; k * 8 < bytes; k++)
			copy[k] = __atomic_load_n(&word[k], __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		u32 after = __atomic_load_n(version, __ATOMIC_RELAXED);
		if (before != after || before & 1)
			continue;
		memcpy(to, copy, bytes);
		return true;
	}
	return false;
}

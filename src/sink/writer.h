/* SPDX-License-Identifier: MIT */
/* Text to a descriptor whose reader may be slow, stopped or gone: a thread waits for it, the loop never does.
 * Between them is a ring of fixed size; what does not fit is refused, and the caller decides what is worth
 * keeping. */
#ifndef WEIR_SINK_WRITER_H
#define WEIR_SINK_WRITER_H

#include "weir/types.h"

struct weir_writer;

/* `bytes` of the ring: a power of two. NULL with errno. The descriptor is not closed by this. */
struct weir_writer *weir_writer_new(int fd, size_t bytes);
/* All or nothing: false where there is no room now. One thread. */
bool weir_writer_put(struct weir_writer *w, const void *text, size_t bytes);
/* errno of a write that failed: the reader is gone (EPIPE), the disk is full. 0: none. */
int weir_writer_error(const struct weir_writer *w);
/* Waits until all is written, at most so long, and ends. What a stuck reader has not taken is lost; true:
 * nothing is. */
bool weir_writer_end(struct weir_writer *w, u64 wait_ns);

#endif

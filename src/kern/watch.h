/* SPDX-License-Identifier: MIT */
/* The calls of a registered controller, as they happen: from this process or from another one. */
#ifndef WEIR_KERN_WATCH_H
#define WEIR_KERN_WATCH_H

#include "calls.h"
#include "load.h"

struct weir_kern_watch {
	struct ring_buffer *ring;
	volatile struct weir_kern_control *control;
	u64 dropped_before;
	u32 n_params; /* of the controller, as it was loaded; 0: it has none, or does not look at them */
	u64 params[WEIR_CALLS_PARAMS_MAX];
	void (*take)(void *context, const struct weir_kern_record *record);
	void *context;
};

/* Records go to `take` from now on, in weir_kern_watch_poll. One watcher at a time. 0, or 1 with a sentence.
 */
int weir_kern_watch_open(struct weir_kern_watch *w, const char *name,
			 void (*take)(void *context, const struct weir_kern_record *record), void *context,
			 char why[WEIR_KERN_WHY_BYTES]);
/* Waits for records, at most so long; 0 takes what is there. How many came, or -1 with errno. */
int weir_kern_watch_poll(struct weir_kern_watch *w, u32 timeout_ms);
/* Records that were lost because the ring was full. In `take` it counts all that are missing before the
 * record at hand, and perhaps some of after it. */
u64 weir_kern_watch_dropped(const struct weir_kern_watch *w);
void weir_kern_watch_close(struct weir_kern_watch *w);

/* A word for each enum weir_kern_event. */
const char *weir_kern_event_word(u32 event);

#endif

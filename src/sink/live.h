/* SPDX-License-Identifier: MIT */
/* What a page shows of many sources while they send: the newest state of each, and for those that are looked
 * at the teeth of their age, as they were. */
#ifndef WEIR_SINK_LIVE_H
#define WEIR_SINK_LIVE_H

#include "age/monitors.h"
#include "record/json.h"
#include "told.h"

#define WEIR_LIVE_ROWS_MAX 200

enum weir_live_sort {
	WEIR_LIVE_AGE,
	WEIR_LIVE_ID,
	WEIR_LIVE_RATE,
	WEIR_LIVE_RTT,
	WEIR_LIVE_BACKLOG,
	WEIR_LIVE_LOST,
	WEIR_LIVE_SORTS
};
extern const char *const weir_live_sort_words[WEIR_LIVE_SORTS]; /* "age", "id", ... */

struct weir_live_query {
	enum weir_live_sort sort;
	bool descending;
	u32 rows;			 /* at most, up to WEIR_LIVE_ROWS_MAX */
	char search[WEIR_TOLD_ID_BYTES]; /* part of an id, in small letters; "": all */
};

struct weir_live;

/* table and ids (by place) stay the caller's. NULL: out of memory. */
struct weir_live *weir_live_new(const struct weir_monitors *table, const char (*ids)[WEIR_TOLD_ID_BYTES]);
void weir_live_free(struct weir_live *l);

void weir_live_value(struct weir_live *l, u64 now_ns, const struct weir_told *v);
void weir_live_gone(struct weir_live *l, u32 place);

/* One JSON object (docs/formats.md, "The live page's events") into `j`: teeth since since_ns. It takes about
 * 20 ns for each source there is: the caller sees to it that this is not asked too often. */
void weir_live_event(struct weir_live *l, u64 now_ns, u64 since_ns, const struct weir_live_query *q,
		     struct weir_json *j);

#endif

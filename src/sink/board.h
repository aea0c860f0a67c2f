/* SPDX-License-Identifier: MIT */
/* What a page shows of many sources while they send: the newest state of each, and for those that are looked
 * at the teeth of their age, as they were. */
#ifndef WEIR_SINK_BOARD_H
#define WEIR_SINK_BOARD_H

#include "age/monitors.h"
#include "record/json.h"
#include "told.h"

#define WEIR_BOARD_ROWS_MAX 200

enum weir_board_sort {
	WEIR_BOARD_AGE,
	WEIR_BOARD_ID,
	WEIR_BOARD_RATE,
	WEIR_BOARD_RTT,
	WEIR_BOARD_BACKLOG,
	WEIR_BOARD_LOST,
	WEIR_BOARD_SORTS
};
extern const char *const weir_board_sort_words[WEIR_BOARD_SORTS]; /* "age", "id", ... */

struct weir_board_query {
	enum weir_board_sort sort;
	bool descending;
	u32 rows;			 /* at most, up to WEIR_BOARD_ROWS_MAX */
	char search[WEIR_TOLD_ID_BYTES]; /* part of an id, in small letters; "": all */
};

struct weir_board;

/* The table and the names stay the caller's. NULL: out of memory. */
struct weir_board *weir_board_new(const struct weir_monitors *table, const struct weir_told_names *names);
void weir_board_free(struct weir_board *l);

void weir_board_value(struct weir_board *l, u64 now_ns, const struct weir_told *v);
void weir_board_gone(struct weir_board *l, u32 place);

/* One JSON object (docs/formats.md, "The live page's events") into `j`: teeth since since_ns. It takes about
 * 20 ns for each source there is: the caller sees to it that this is not asked too often. */
void weir_board_event(struct weir_board *l, u64 now_ns, u64 since_ns, const struct weir_board_query *q,
		      struct weir_json *j);

#endif

/* SPDX-License-Identifier: MIT */
/* One fresh value, as it is told to whoever listens: lines, commands, pages. */
#ifndef WEIR_SINK_TOLD_H
#define WEIR_SINK_TOLD_H

#include "age/monitor.h"

#define WEIR_TOLD_ID_BYTES 32
#define WEIR_TOLD_KEY_BYTES 32
#define WEIR_TOLD_VALUE_BYTES 1400

/* The names of sources by their places in a table. */
struct weir_told_names {
	const char (*id)[WEIR_TOLD_ID_BYTES];
	const char (*key)[WEIR_TOLD_KEY_BYTES];
};

struct weir_told {
	u32 place; /* of the source in its table */
	u32 bytes;
	char id[WEIR_TOLD_ID_BYTES];   /* what it calls itself */
	char key[WEIR_TOLD_KEY_BYTES]; /* the name that it has proved by its key; "": none */
	u64 sequence;
	double unix_s;		     /* wall clock at its arrival: to be read by people */
	struct weir_age_reading age; /* at its arrival */
	u8 data[WEIR_TOLD_VALUE_BYTES];
};

#endif

/* SPDX-License-Identifier: MIT */
/* calls.weir: each call of a controller in the kernel, nothing left out, so that it can be made again
 * elsewhere. Binary, little-endian; docs/formats.md has the layout. What could not be recorded stands in the
 * file where it is missing. A file that somebody else made is safe to read. */
#ifndef WEIR_KERN_CALLS_H
#define WEIR_KERN_CALLS_H

#include "record.h"

#include <stdio.h>

#define WEIR_CALLS_WHY_BYTES 200
#define WEIR_CALLS_PARAMS_MAX 64
#define WEIR_CALLS_SOCKETS_MAX 65536U

/* Whose calls these are. */
struct weir_calls_head {
	char controller[64]; /* the word of the command line, or weir_NAME where that is not known */
	u32 n_params;
	u64 params[WEIR_CALLS_PARAMS_MAX]; /* in the order of the controller's table */
};

struct weir_calls_writer {
	FILE *out;
	int error; /* errno of the first failure; 0 = none */
	u64 bytes, limit_bytes;
	u64 records, omitted, dropped; /* written; not written since the file is full; lost before */
};

/* `out` stays the caller's and is flushed by the end, not closed. `limit_bytes`: of the whole file. */
void weir_calls_begin(struct weir_calls_writer *w, FILE *out, const struct weir_calls_head *head,
		      u64 limit_bytes);
/* `socket`: sockets are numbered from 1, in the order in which they first appear. */
void weir_calls_put(struct weir_calls_writer *w, u32 socket, const struct weir_kern_record *r);
/* So many records are missing here. */
void weir_calls_gap(struct weir_calls_writer *w, u64 dropped);
/* 0, or -1 with errno set when anything could not be written. */
int weir_calls_end(struct weir_calls_writer *w);

enum weir_calls_kind {
	WEIR_CALLS_CALL = 1,
	WEIR_CALLS_GAP, /* `missing` records were lost here */
	WEIR_CALLS_END, /* the file is whole; `missing` more would not have fitted in it */
};

struct weir_calls_frame {
	enum weir_calls_kind kind;
	u32 socket;
	u64 missing;
	struct weir_kern_record record; /* of a call; its socket is the number in the file */
};

struct weir_calls_reader {
	FILE *in;
	struct weir_calls_head head;
	u64 frames; /* read so far */
	u32 sockets;
	bool ended; /* the end was there: nothing is cut off */
};

/* 0, or -1 with a sentence that says what is wrong with the file. */
int weir_calls_open(struct weir_calls_reader *r, FILE *in, char why[WEIR_CALLS_WHY_BYTES]);
/* 1 and a frame; 0 at the end, also of a file that was cut off; -1 with a sentence. */
int weir_calls_next(struct weir_calls_reader *r, struct weir_calls_frame *f, char why[WEIR_CALLS_WHY_BYTES]);

#endif

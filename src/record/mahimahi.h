/* SPDX-License-Identifier: MIT */
/* A log in the shape of mahimahi's mm-link, one a hop, for the scripts that read those: times in ms, each
 * size 4 bytes larger than the packet, as behind a TUN device. */
#ifndef WEIR_RECORD_MAHIMAHI_H
#define WEIR_RECORD_MAHIMAHI_H

#include "weir/types.h"

#include <stdio.h>

struct weir_mahimahi_waiting {
	u64 time_ns;
	u32 wire_bytes;
	char kind; /* '+' or 'd' */
};

struct weir_mahimahi {
	FILE *out;
	int error;
	u64 offered_bytes; /* opportunities written so far */
	/* Departures are heard of later than arrivals: those wait here, to be written in order of time. */
	struct weir_mahimahi_waiting *waiting;
	u64 n_waiting, room, first;
};

/* `out` is closed by weir_mahimahi_close. */
void weir_mahimahi_begin(struct weir_mahimahi *m, FILE *out, const char *hop, const char *queue);
/* The same, made by another command than `weir run`. */
void weir_mahimahi_begin_by(struct weir_mahimahi *m, FILE *out, const char *command, const char *hop,
			    const char *queue);
/* A line of comment, before everything else. */
void weir_mahimahi_remark(struct weir_mahimahi *m, const char *text);
void weir_mahimahi_arrival(struct weir_mahimahi *m, u64 now_ns, u32 wire_bytes);
void weir_mahimahi_drop(struct weir_mahimahi *m, u64 now_ns, u32 wire_bytes);
void weir_mahimahi_departure(struct weir_mahimahi *m, u64 departed_ns, u32 wire_bytes, u64 wait_ns);
/* Nothing that is still to come happened up to then: what waits is written. */
void weir_mahimahi_until(struct weir_mahimahi *m, u64 now_ns);
/* By from_ns the hop could have sent from_bytes, by to_ns to_bytes: the opportunities between, each of
 * 1500 bytes, are spread evenly. */
void weir_mahimahi_capacity(struct weir_mahimahi *m, u64 from_ns, u64 to_ns, u64 from_bytes, u64 to_bytes);
/* 0, or -1 with errno set when anything could not be written. */
int weir_mahimahi_close(struct weir_mahimahi *m);

#endif

/* SPDX-License-Identifier: MIT */
/* The bitrates at which a video is there. */
#include "check.h"

#include "quantity.h"

#include <stdio.h>

#define MBIT 1000000ULL
#define RUNG_BYTES 40

/* What services recommend for 360p, 480p, 720p, 1080p, 1440p and 2160p, the last at 30 and at 60 frames a
 * second. */
static const u64 usual_bps[] = {1 * MBIT, 2500000, 5 * MBIT, 8 * MBIT, 16 * MBIT, 25 * MBIT, 40 * MBIT};
#define UP_TO_4K 7
#define UP_TO_1080P 4

static void take_usual(struct weir_scenario_ladder *ladder, u32 n)
{
	ladder->n = n;
	memcpy(ladder->bps, usual_bps, n * sizeof *ladder->bps);
}

/* Up to the next comma, without the blanks around; NULL: longer than any rate. */
static const char *next_rung(const char *at, char rung[RUNG_BYTES])
{
	at += strspn(at, " ");
	size_t whole = strcspn(at, ","), bytes = whole;
	while (bytes && at[bytes - 1] == ' ')
		bytes--;
	if (bytes >= RUNG_BYTES)
		return NULL;
	memcpy(rung, at, bytes);
	rung[bytes] = 0;
	return at + whole;
}

bool weir_check_ladder(const struct weir_schema_key *key, const char *text,
		       struct weir_scenario_ladder *ladder, char error[240])
{
	*ladder = (struct weir_scenario_ladder){0};
	if (!strcmp(text, "4k") || !strcmp(text, "1080p")) {
		take_usual(ladder, *text == '4' ? UP_TO_4K : UP_TO_1080P);
		return true;
	}
	for (const char *at = text;; at++) {
		char rung[RUNG_BYTES];
		u64 bps;
		if (ladder->n == WEIR_SCENARIO_RUNGS_MAX) {
			snprintf(error, 240, "more than %d bitrates", WEIR_SCENARIO_RUNGS_MAX);
			return false;
		}
		at = next_rung(at, rung);
		if (!at) {
			snprintf(error, 240,
				 "4k, 1080p, or bitrates with commas between: \"1 Mbit/s, 5 Mbit/s\"");
			return false;
		}
		if (!weir_quantity(rung, WEIR_QUANTITY_RATE, &bps, error))
			return false;
		if (bps < key->min || bps > key->max) {
			snprintf(error, 240, "%s: bitrates are from 1 kbit/s to 1 Tbit/s", rung);
			return false;
		}
		if (ladder->n && bps <= ladder->bps[ladder->n - 1]) {
			snprintf(error, 240, "%s: bitrates rise", rung);
			return false;
		}
		ladder->bps[ladder->n++] = bps;
		if (!*at)
			return true;
	}
}

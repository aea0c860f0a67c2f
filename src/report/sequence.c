/* SPDX-License-Identifier: MIT */
/* Sequence numbers over time, from sends.csv where a run has left one. A row that is none is passed over: the
 * file is for pictures, and anybody may have written it. */
#include "drawing.h"
#include "record/sends.h"
#include "sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS_MAX 12
#define RUNS_MAX 8 /* a drawing each */
#define NAME_BYTES 96

struct sequence {
	u32 n_flows;
	char name[FLOWS_MAX][NAME_BYTES];
	struct weir_drawing_line line[FLOWS_MAX];
	u32 room[FLOWS_MAX];
	struct weir_drawing_point *point[FLOWS_MAX];
	u64 rows;
};

static i32 flow_of(struct sequence *s, const char *name)
{
	for (u32 i = 0; i < s->n_flows; i++)
		if (!strcmp(s->name[i], name))
			return (i32)i;
	if (s->n_flows == FLOWS_MAX)
		return -1;
	snprintf(s->name[s->n_flows], NAME_BYTES, "%s", name);
	return (i32)s->n_flows++;
}

static void add(struct sequence *s, u32 flow, double time_s, double first_byte, bool again)
{
	struct weir_drawing_line *line = &s->line[flow];
	if (line->n == s->room[flow]) {
		u32 room = line->n ? 2 * line->n : 1024;
		struct weir_drawing_point *longer =
		    room <= 2 * WEIR_SENDS_MAX ? realloc(s->point[flow], room * sizeof *longer) : NULL;
		if (!longer)
			return;
		s->point[flow] = longer;
		s->room[flow] = room;
	}
	s->point[flow][line->n++] =
	    (struct weir_drawing_point){.x = time_s, .y = first_byte / 1e3, .again = again};
}

/* time_s,flow,first_byte,bytes,again from its end, since a name may be quoted and hold commas. */
static void read_row(struct sequence *s, char *row)
{
	char *field[3] = {NULL};
	row[strcspn(row, "\r\n")] = 0;
	for (u32 i = 0; i < 3; i++) {
		field[i] = strrchr(row, ',');
		if (!field[i])
			return;
		*field[i]++ = 0;
	}
	char *name = strchr(row, ','), *end;
	if (!name)
		return;
	*name++ = 0;
	double time_s = strtod(row, &end);
	if (*end || end == row || !isfinite(time_s))
		return;
	double first_byte = strtod(field[2], &end);
	i32 flow = *end || !isfinite(first_byte) ? -1 : flow_of(s, name);
	if (flow >= 0)
		add(s, (u32)flow, time_s, first_byte, *field[0] == '1');
}

static void draw(FILE *to, struct sequence *s, const char *label)
{
	for (u32 i = 0; i < s->n_flows; i++) {
		s->line[i].label = s->name[i];
		s->line[i].point = s->point[i];
	}
	const struct weir_drawing d = {
	    .title = "Sequence numbers",
	    .where = label,
	    .note = s->rows > WEIR_SENDS_MAX ? "The first packets." : "Each dot is a packet as it was sent.",
	    .x_title = "time, s",
	    .y_title = "sequence number, kB",
	    .dots = true,
	    .line = s->line,
	    .n = s->n_flows};
	if (s->n_flows)
		weir_drawing(to, &d);
}

static void read_file(FILE *from, struct sequence *s)
{
	char row[512];
	while (s->rows <= WEIR_SENDS_MAX && fgets(row, sizeof row, from)) {
		s->rows++;
		read_row(s, row);
	}
}

void weir_section_sequence(FILE *to, const char *dir, const struct weir_report_data *data)
{
	for (u32 i = 0; i < data->n_runs && i < RUNS_MAX; i++) {
		char path[4096];
		int n = snprintf(path, sizeof path, "%s/%s/sends.csv", dir, data->run[i].dir);
		FILE *from = n < (int)sizeof path ? fopen(path, "r") : NULL;
		struct sequence *s = from ? calloc(1, sizeof *s) : NULL;
		if (s) {
			read_file(from, s);
			draw(to, s, data->run[i].label);
			for (u32 k = 0; k < s->n_flows; k++)
				free(s->point[k]);
		}
		free(s);
		if (from)
			fclose(from);
	}
}

/* SPDX-License-Identifier: MIT */
/* What an emulator says of itself: whether the numbers above may be believed, and why. */
#include "html.h"
#include "sections.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(table) ((u32)(sizeof(table) / sizeof(table)[0]))

static const struct weir_column whole_columns[] = {
    {"RTT error, 99 %", "rtt_error_us", WEIR_TIME, false, 1e-3},
    {"of the base RTT", "rtt_error_fraction", WEIR_SHARE, false, 1},
    {"base RTT", "base_rtt_ms", WEIR_TIME, false, 1},
    {"missed capacity", "missed_fraction", WEIR_SHARE, false, 1},
    {"overruns", "overruns", WEIR_COUNT, false, 1},
    {"gap between looks, 99 %", "gap_us.p99", WEIR_TIME, false, 1e-3},
    {"longest", "gap_us.max", WEIR_TIME, false, 1e-3},
    {"CPU", "cpu_fraction", WEIR_SHARE, false, 1},
    {"at real-time priority", "realtime_fraction", WEIR_SHARE, false, 1},
    {"kernel", "kernel", WEIR_PLAIN, true, 1},
};

static const struct weir_column way_columns[] = {
    {"packets", "packets", WEIR_COUNT, false, 1},
    {"bytes", "bytes", WEIR_BYTES, false, 1},
    {"delivered late, median", "lateness_us.p50", WEIR_TIME, false, 1e-3},
    {"99 %", "lateness_us.p99", WEIR_TIME, false, 1e-3},
    {"at most", "lateness_us.max", WEIR_TIME, false, 1e-3},
    {"read late, median", "arrival_us.p50", WEIR_TIME, false, 1e-3},
    {"99 %", "arrival_us.p99", WEIR_TIME, false, 1e-3},
    {"at most", "arrival_us.max", WEIR_TIME, false, 1e-3},
};

static const struct {
	const char *verdict, *heading, *meaning;
} verdicts[] = {
    {"faithful", "Faithful", "the path was as asked to within 1 %"},
    {"degraded", "Degraded", "the path was as asked only to within 5 %"},
    {"invalid", "Invalid", "the machine could not keep up: these numbers are not those of the path"},
};

static u32 number_of(const char *verdict)
{
	u32 i = 0;
	while (i + 1 < COUNT(verdicts) && strcmp(verdicts[i].verdict, verdict) != 0)
		i++;
	return i;
}

/* The worst of all seeds: means are worth no more. */
static u32 worst_of(const json_t *summary, u32 first, u32 *how_many)
{
	const json_t *list = weir_get(summary, "repeats.verdicts");
	u32 worst = first;
	*how_many = 0;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *x = json_array_get(list, i);
		u32 k = json_is_string(x) ? number_of(json_string_value(x)) : worst;
		*how_many = k > worst ? 0 : *how_many;
		worst = k > worst ? k : worst;
		*how_many += k == worst;
	}
	return worst;
}

static void banner(FILE *to, const struct weir_run_data *run, const char *verdict)
{
	u32 seeds, first = number_of(verdict), worst = worst_of(run->summary, first, &seeds);
	fprintf(to, "<p class=\"note verdict %s\" role=\"note\"><b>%s</b>", verdicts[worst].verdict,
		verdicts[worst].heading);
	if (*run->label) {
		fputs(" (", to);
		weir_html_name(to, run->label);
		fputs(")", to);
	}
	fprintf(to, ": %s", verdicts[worst].meaning);
	const char *reason = weir_get_text(run->summary, "emulation.reason", "");
	if (seeds && worst != first) {
		fprintf(to, " (in %u of the seeds)", seeds);
	} else if (*reason) {
		fputs("; ", to);
		weir_html_text(to, reason);
	}
	fputs(".</p>\n", to);
}

static const char *verdict_of(const struct weir_run_data *run)
{
	return weir_get_text(run->summary, "emulation.verdict", NULL);
}

void weir_section_verdict(FILE *to, const struct weir_report_data *data)
{
	for (u32 i = 0; i < data->n_runs; i++) {
		const char *verdict = verdict_of(&data->run[i]);
		if (verdict)
			banner(to, &data->run[i], verdict);
	}
}

void weir_section_emulation(FILE *to, const struct weir_report_data *data)
{
	struct weir_row *whole = calloc(data->n_runs, sizeof *whole);
	struct weir_row *way = calloc(2 * (size_t)data->n_runs, sizeof *way);
	u32 n = 0, n_ways = 0;
	for (u32 i = 0; i < data->n_runs && whole && way; i++) {
		const struct weir_run_data *run = &data->run[i];
		const json_t *e = weir_get(run->summary, "emulation");
		if (!verdict_of(run))
			continue;
		const struct weir_row row = {.run = run->label, .colour = -1, .object = e};
		whole[n] = row;
		whole[n++].name = verdict_of(run);
		way[n_ways] = way[n_ways + 1] = row;
		way[n_ways].name = "there";
		way[n_ways++].object = weir_get(e, "up");
		way[n_ways].name = "back";
		way[n_ways++].object = weir_get(e, "down");
	}
	weir_table(to, "The emulator", "verdict", whole_columns, COUNT(whole_columns), whole, n);
	weir_table(to, "Lateness", "way", way_columns, COUNT(way_columns), way, n_ways);
	free(whole);
	free(way);
}

/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include "core/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct weir_line *new_line(struct weir_chart *chart, const struct weir_grid *g)
{
	if (chart->n_lines == chart->room) {
		u32 room = chart->room ? 2 * chart->room : 8;
		struct weir_line *line = realloc(chart->line, room * sizeof *line);
		if (!line)
			return NULL;
		chart->line = line;
		chart->room = room;
	}
	struct weir_line *line = &chart->line[chart->n_lines];
	*line = (struct weir_line){.entity = -1, .colour = WEIR_THEME_NEUTRAL};
	line->cell = calloc(g->rows + 1, sizeof *line->cell);
	if (!line->cell)
		return NULL;
	chart->n_lines++;
	return line;
}

static void set_label(struct weir_line *line, const char *name, const char *suffix)
{
	snprintf(line->label, sizeof line->label, "%s%s%s", name, *name && *suffix ? " " : "", suffix);
}

static void multiply(struct weir_cell *cell, u32 rows, double factor)
{
	for (u32 i = 0; i < rows; i++)
		cell[i].value *= factor;
}

double weir_line_peak(const struct weir_line *line, const struct weir_grid *g)
{
	const struct weir_cell *cell = line->high ? line->high : line->cell;
	double peak = 0;
	for (u32 i = 0; i < g->rows; i++)
		if (cell[i].state == WEIR_CELL_VALUE)
			peak = fmax(peak, fabs(cell[i].value));
	return peak;
}

void weir_line_divide(struct weir_line *line, const struct weir_grid *g, double divisor)
{
	multiply(line->cell, g->rows, 1 / divisor);
	if (line->low)
		multiply(line->low, g->rows, 1 / divisor);
	if (line->high)
		multiply(line->high, g->rows, 1 / divisor);
}

static const struct weir_track *track_of(const struct weir_line_source *s, u32 run, const char *flow,
					 const char *signal)
{
	return weir_tracks_find(&s->data->run[run].tracks, flow, signal);
}

static const struct weir_track *link_track(const struct weir_line_source *s, const struct weir_entity *link,
					   const char *signal)
{
	char name[512];
	snprintf(name, sizeof name, "link:%s", link->member[0]);
	return track_of(s, link->run, name, signal);
}

static int from_track(const struct weir_line_source *s, struct weir_chart *chart,
		      const struct weir_entity *who, const struct weir_track *track, enum weir_line_kind kind,
		      const char *suffix)
{
	struct weir_line *line = new_line(chart, s->grid);
	if (!line)
		return -1;
	set_label(line, who->label, suffix);
	line->colour = who->colour;
	line->dash = who->dash;
	line->kind = kind;
	weir_grid_place(s->grid, track->point, track->n, track->mean, line->cell);
	multiply(line->cell, s->grid->rows, weir_unit_of(track->signal).factor);
	return 0;
}

/* ---- groups ---- */

/* The values of all members, rows x members; NaN where a member has none. A stretch of a thinned grid
 * holds the two extremes: their middle stands for both. *found: members that have the signal. */
static double *member_values(const struct weir_line_source *s, const struct weir_entity *group,
			     const char *signal, u32 *found)
{
	u32 rows = s->grid->rows, n = group->n_members;
	double *value = malloc(((size_t)rows * n + 1) * sizeof *value);
	struct weir_cell *cell = calloc(rows + 1, sizeof *cell);
	*found = 0;
	for (u32 m = 0; m < n && value && cell; m++) {
		const struct weir_track *track = track_of(s, group->run, group->member[m], signal);
		if (!track)
			continue;
		weir_grid_place(s->grid, track->point, track->n, track->mean, cell);
		double factor = weir_unit_of(signal).factor;
		for (u32 i = 0; i < rows; i++)
			value[(size_t)i * n + *found] =
			    cell[i].state == WEIR_CELL_VALUE ? cell[i].value * factor : (double)NAN;
		for (u32 i = 0; i + 1 < rows && !s->grid->exact; i += 2) {
			double *a = &value[(size_t)i * n + *found], *b = a + n;
			*a = *b = isnan(*b) ? *a : (*a + *b) / 2;
		}
		++*found;
	}
	free(cell);
	if (!cell) {
		free(value);
		value = NULL;
	}
	return value;
}

static void set_cell(struct weir_cell *cell, double value)
{
	*cell = (struct weir_cell){value, WEIR_CELL_VALUE};
}

static void label_band(struct weir_chart *chart)
{
	snprintf(chart->note, sizeof chart->note,
		 "median of the flows, and from their 10th to their 90th percentile");
}

static int band(const struct weir_line_source *s, struct weir_chart *chart, const struct weir_entity *group,
		const char *signal)
{
	u32 found, n = group->n_members, rows = s->grid->rows;
	double *value = member_values(s, group, signal, &found);
	struct weir_line *line = value && found ? new_line(chart, s->grid) : NULL;
	if (!value || (found && !line)) {
		free(value);
		return -1;
	}
	if (!found) {
		free(value);
		return 0;
	}
	set_label(line, group->label, "");
	line->colour = group->colour;
	line->dash = group->dash;
	line->kind = WEIR_LINE_BAND;
	line->low = calloc(rows + 1, sizeof *line->low);
	line->high = calloc(rows + 1, sizeof *line->high);
	for (u32 i = 0; i < rows && line->low && line->high; i++) {
		double *row = value + (size_t)i * n;
		u32 known = 0;
		for (u32 m = 0; m < found; m++)
			if (!isnan(row[m]))
				row[known++] = row[m];
		if (!known)
			continue;
		weir_sort(row, known);
		set_cell(&line->cell[i], weir_quantile_sorted(row, known, .5));
		set_cell(&line->low[i], weir_quantile_sorted(row, known, .1));
		set_cell(&line->high[i], weir_quantile_sorted(row, known, .9));
	}
	free(value);
	label_band(chart);
	return line->low && line->high ? 0 : -1;
}

/* The three tracks that a group has of a signal, NULL where it has none: "srtt_ms" is "srtt_p10_ms" and so
 * on. */
static const struct weir_track *quantile_track(const struct weir_line_source *s,
					       const struct weir_entity *group, const char *signal,
					       const char *quantile)
{
	char name[128];
	const char *unit = strrchr(signal, '_');
	if (!unit)
		return NULL;
	snprintf(name, sizeof name, "%.*s_%s%.32s", (int)(unit - signal < 80 ? unit - signal : 80), signal,
		 quantile, unit);
	return track_of(s, group->run, group->member[0], name);
}

static int band_of_tracks(const struct weir_line_source *s, struct weir_chart *chart,
			  const struct weir_entity *group, const struct weir_track *const track[3])
{
	if (from_track(s, chart, group, track[1], WEIR_LINE_BAND, ""))
		return -1;
	struct weir_line *line = &chart->line[chart->n_lines - 1];
	u32 rows = s->grid->rows;
	line->low = calloc(rows + 1, sizeof *line->low);
	line->high = calloc(rows + 1, sizeof *line->high);
	if (!line->low || !line->high)
		return -1;
	double factor = weir_unit_of(track[0]->signal).factor;
	weir_grid_place(s->grid, track[0]->point, track[0]->n, track[0]->mean, line->low);
	weir_grid_place(s->grid, track[2]->point, track[2]->n, track[2]->mean, line->high);
	multiply(line->low, rows, factor);
	multiply(line->high, rows, factor);
	label_band(chart);
	return 0;
}

/* Rates of flows that come and go say nothing beside those of flows that stay: what they move together does.
 */
static bool counts_together(const struct weir_entity *who, const char *signal)
{
	return !strcmp(weir_get_text(who->summary, "application", ""), "arrivals") &&
	       !strcmp(signal, "throughput_bps");
}

/* The one track of a flow, or what the file says of a group. */
static int single(const struct weir_line_source *s, struct weir_chart *chart, const struct weir_entity *who,
		  const char *signal, enum weir_line_kind kind, const char *suffix)
{
	const struct weir_track *spread[3] = {quantile_track(s, who, signal, "p10"),
					      quantile_track(s, who, signal, "p50"),
					      quantile_track(s, who, signal, "p90")};
	if (spread[0] && spread[1] && spread[2] && !counts_together(who, signal))
		return band_of_tracks(s, chart, who, spread);
	const struct weir_track *track = track_of(s, who->run, who->member[0], signal);
	return track ? from_track(s, chart, who, track, kind, suffix) : 0;
}

int weir_line_of_flow(const struct weir_line_source *s, struct weir_chart *chart, u32 i, const char *signal,
		      enum weir_line_kind kind, const char *suffix)
{
	const struct weir_entity *who = &s->entities->flow[i];
	u32 before = chart->n_lines;
	int failed =
	    who->n_members > 1 ? band(s, chart, who, signal) : single(s, chart, who, signal, kind, suffix);
	if (!failed && chart->n_lines > before)
		chart->line[chart->n_lines - 1].entity = (i32)i;
	return failed;
}

int weir_line_of_link(const struct weir_line_source *s, struct weir_chart *chart, u32 i, const char *signal,
		      enum weir_line_kind kind)
{
	const struct weir_entity *link = &s->entities->link[i];
	const struct weir_track *track = link_track(s, link, signal);
	return track ? from_track(s, chart, link, track, kind, "") : 0;
}

int weir_line_of_emulator(const struct weir_line_source *s, struct weir_chart *chart, u32 run,
			  const char *signal, enum weir_line_kind kind, const char *suffix)
{
	const struct weir_track *track = track_of(s, run, WEIR_EMULATOR_TRACK, signal);
	struct weir_entity who = {.run = run, .colour = weir_theme_colour(run), .dash = weir_theme_dash(run)};
	snprintf(who.label, sizeof who.label, "%s", s->data->run[run].label);
	return track ? from_track(s, chart, &who, track, kind, suffix) : 0;
}

/* ---- throughput's companions ---- */

/* The link that was used most, of the first run: the bottleneck, if there is one. */
static const struct weir_entity *busiest(const struct weir_line_source *s)
{
	const struct weir_entity *best = NULL;
	for (u32 i = 0; i < s->entities->n_links; i++) {
		const struct weir_entity *link = &s->entities->link[i];
		if (link->run != 0)
			break;
		double use = weir_get_number(link->summary, "utilization");
		if (!best || use > weir_get_number(best->summary, "utilization"))
			best = link;
	}
	return best;
}

int weir_line_capacity(const struct weir_line_source *s, struct weir_chart *chart)
{
	const struct weir_entity *link = busiest(s);
	if (!link)
		return 0;
	const struct weir_track *track = link_track(s, link, "capacity_bps");
	double constant = weir_get_number(link->summary, "capacity_bps");
	if (!track && !(constant > 0))
		return 0;
	struct weir_line *line = new_line(chart, s->grid);
	if (!line)
		return -1;
	line->kind = WEIR_LINE_AREA;
	snprintf(line->label, sizeof line->label, "capacity of %s", link->member[0]);
	if (track)
		weir_grid_place(s->grid, track->point, track->n, track->mean, line->cell);
	for (u32 i = 0; i < s->grid->rows && !track; i++)
		set_cell(&line->cell[i], constant);
	return 0;
}

/* Sums over the members of an entity, added to what the line holds; a flow that is away counts as 0. */
static int add_members(const struct weir_line_source *s, const struct weir_entity *who, const char *signal,
		       struct weir_line *line)
{
	u32 found;
	double *value = member_values(s, who, signal, &found);
	if (!value)
		return -1;
	for (u32 i = 0; i < s->grid->rows; i++)
		for (u32 m = 0; m < found; m++) {
			double x = value[(size_t)i * who->n_members + m];
			if (!isnan(x))
				set_cell(&line->cell[i], line->cell[i].value + x);
		}
	free(value);
	return 0;
}

int weir_line_totals(const struct weir_line_source *s, struct weir_chart *chart, const char *signal,
		     enum weir_line_kind kind)
{
	struct weir_line *line = NULL;
	for (u32 i = 0; i < s->entities->n_flows; i++) {
		const struct weir_entity *who = &s->entities->flow[i];
		bool own = s->entities->grouped;
		if (own || !line)
			line = new_line(chart, s->grid);
		if (!line || add_members(s, who, signal, line))
			return -1;
		line->kind = own ? kind : WEIR_LINE_THIN;
		line->colour = own ? who->colour : WEIR_THEME_NEUTRAL;
		line->dash = own ? who->dash : 0;
		line->entity = own ? (i32)i : -1;
		set_label(line, own ? who->label : "all flows", "");
	}
	return 0;
}

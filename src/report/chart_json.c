/* SPDX-License-Identifier: MIT */
#include "chart_json.h"

#include "html.h"
#include "record/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 24

/* Five significant digits: more than any screen has pixels. */
static size_t put_value(char *out, double value)
{
	int decimals = 4;
	for (double size = fabs(value); size >= 10 && decimals > 0; size /= 10)
		decimals--;
	for (double size = fabs(value); size > 0 && size < 1 && decimals < 9; size *= 10)
		decimals++;
	int n = snprintf(out, NUMBER_BYTES, "%.*f", decimals, fabs(value) < 1e15 ? value : 0);
	if (memchr(out, '.', (size_t)n)) {
		while (out[n - 1] == '0')
			n--;
		n -= out[n - 1] == '.';
	}
	return (size_t)n;
}

static int put_column(struct weir_json *j, const char *key, const struct weir_cell *cell, u32 rows)
{
	char *text = malloc((size_t)rows * NUMBER_BYTES + 1);
	size_t n = 0;
	if (!text)
		return -1;
	for (u32 i = 0; i < rows; i++) {
		if (i)
			text[n++] = ',';
		if (cell[i].state == WEIR_CELL_VALUE)
			n += put_value(text + n, cell[i].value);
		else if (cell[i].state == WEIR_CELL_GAP)
			text[n++] = '-';
	}
	weir_json_key(j, key);
	weir_json_string_n(j, text, n);
	free(text);
	return 0;
}

static int put_times(struct weir_json *j, const struct weir_grid *g)
{
	char *text = malloc((size_t)g->rows * NUMBER_BYTES + 1);
	size_t n = 0;
	if (!text)
		return -1;
	for (u32 i = 0; i < g->rows; i++)
		n += (size_t)snprintf(text + n, NUMBER_BYTES, "%s%.10g", i ? "," : "", g->t_s[i]);
	weir_json_key(j, "time");
	weir_json_string_n(j, text, n);
	free(text);
	return 0;
}

static int put_line(struct weir_json *j, const struct weir_line *line, u32 rows)
{
	static const char *const kinds[] = {[WEIR_LINE] = "line",
					    [WEIR_LINE_THIN] = "thin",
					    [WEIR_LINE_AREA] = "area",
					    [WEIR_LINE_BAND] = "band",
					    [WEIR_LINE_BAR] = "bar"};
	weir_json_object(j);
	weir_json_put_string(j, "label", line->label);
	weir_json_put_string(j, "kind", kinds[line->kind]);
	weir_json_put_u64(j, "colour", line->colour);
	weir_json_put_u64(j, "dash", line->dash);
	weir_json_put_i64(j, "entity", line->entity);
	int failed = put_column(j, "y", line->cell, rows);
	if (!failed && line->low)
		failed = put_column(j, "low", line->low, rows) || put_column(j, "high", line->high, rows);
	weir_json_object_end(j);
	return failed ? -1 : 0;
}

static void put_words(struct weir_json *j, const json_t *words)
{
	if (!words)
		return;
	weir_json_put_array(j, "words");
	for (size_t i = 0; i < json_array_size(words); i++)
		weir_json_string(j, weir_get_text(json_array_get(words, i), "", ""));
	weir_json_array_end(j);
}

static int put_charts(struct weir_json *j, const struct weir_charts *charts)
{
	weir_json_put_array(j, "charts");
	for (u32 i = 0; i < charts->n; i++) {
		const struct weir_chart *chart = &charts->chart[i];
		weir_json_object(j);
		weir_json_put_string(j, "id", chart->id);
		weir_json_put_string(j, "unit", chart->unit);
		weir_json_put_bool(j, "zero", chart->from_zero);
		weir_json_put_bool(j, "smooth", chart->smooth);
		put_words(j, chart->words);
		weir_json_put_array(j, "lines");
		for (u32 k = 0; k < chart->n_lines; k++)
			if (put_line(j, &chart->line[k], charts->grid.rows))
				return -1;
		weir_json_array_end(j);
		weir_json_object_end(j);
	}
	weir_json_array_end(j);
	return 0;
}

int weir_chart_json(FILE *to, const struct weir_charts *charts, const struct weir_entities *e)
{
	struct weir_json j;
	size_t length;
	weir_json_to_buffer(&j);
	weir_json_line(&j);
	weir_json_object(&j);
	weir_json_put_double(&j, "start", charts->start_s);
	weir_json_put_double(&j, "end", charts->end_s);
	weir_json_put_double(&j, "warmup", charts->warmup_s);
	weir_json_put_double(&j, "rtt", charts->rtt_s);
	weir_json_put_u64(&j, "stretches", WEIR_CHART_STRETCHES);
	weir_json_put_array(&j, "entities");
	for (u32 i = 0; i < e->n_flows; i++) {
		weir_json_object(&j);
		weir_json_put_string(&j, "label", e->flow[i].label);
		weir_json_put_u64(&j, "colour", e->flow[i].colour);
		weir_json_put_u64(&j, "dash", e->flow[i].dash);
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	if (put_times(&j, &charts->grid) || put_charts(&j, charts)) {
		weir_json_abandon(&j);
		return -1;
	}
	weir_json_object_end(&j);
	if (weir_json_finish(&j) < 0)
		return -1;
	char *json = weir_json_take(&j, &length);
	weir_html_json(to, json, length);
	free(json);
	return 0;
}

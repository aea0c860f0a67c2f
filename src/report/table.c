/* SPDX-License-Identifier: MIT */
#include "table.h"

#include "html.h"
#include "load.h"

#include <math.h>

#define COLUMNS_MAX 32

static bool is_filled(const struct weir_column *column, const struct weir_row *row, u32 n_rows)
{
	for (u32 i = 0; i < n_rows; i++) {
		if (column->text && weir_get_text(row[i].object, column->path, NULL))
			return true;
		if (!column->text && !isnan(weir_get_number(row[i].object, column->path)))
			return true;
	}
	return false;
}

void weir_table_number(FILE *to, enum weir_dimension dimension, double value)
{
	char text[WEIR_PRETTY_MAX];
	fprintf(to, "<td>%s</td>", weir_pretty(text, dimension, value));
}

static void cell(FILE *to, const struct weir_column *column, const struct weir_row *row)
{
	if (column->text) {
		fputs("<td class=\"text\">", to);
		weir_html_name(to, weir_get_text(row->object, column->path, "\342\200\223"));
		fputs("</td>", to);
		return;
	}
	double factor = column->factor != 0 ? column->factor : 1;
	double ci[2], value = weir_get_number(row->object, column->path) * factor;
	if (!weir_get_interval(row->object, column->path, ci) || ci[0] == ci[1]) {
		weir_table_number(to, column->dimension, value);
		return;
	}
	char text[WEIR_PRETTY_MAX], half[WEIR_PRETTY_MAX];
	/* A count is exact, its uncertainty is not. */
	enum weir_dimension rough = column->dimension == WEIR_COUNT ? WEIR_PLAIN : column->dimension;
	fprintf(to, "<td>%s <small>\302\261 %s</small></td>", weir_pretty(text, column->dimension, value),
		weir_pretty(half, rough, (ci[1] - ci[0]) / 2 * factor));
}

static void row_head(FILE *to, const struct weir_row *row, bool with_run)
{
	if (with_run) {
		fputs("<td class=\"text\">", to);
		weir_html_name(to, row->run);
		fputs("</td>", to);
	}
	fputs("<th scope=\"row\">", to);
	if (row->colour >= 0)
		fprintf(to, "<i class=\"swatch f%d d%u\"></i>", row->colour, row->dash);
	weir_html_name(to, row->name);
	fputs("</th>", to);
}

void weir_table(FILE *to, const char *heading, const char *first, const struct weir_column *column,
		u32 n_columns, const struct weir_row *row, u32 n_rows)
{
	bool filled[COLUMNS_MAX], with_run = n_rows && *row[0].run;
	if (!n_rows)
		return;
	fprintf(to, "<h2>%s</h2>\n<div class=\"scroll\"><table><thead><tr>", heading);
	if (with_run)
		fputs("<th scope=\"col\">run</th>", to);
	fprintf(to, "<th scope=\"col\" class=\"text\">%s</th>", first);
	for (u32 c = 0; c < n_columns; c++) {
		filled[c] = is_filled(&column[c], row, n_rows);
		if (filled[c])
			fprintf(to, "<th scope=\"col\"%s>%s</th>", column[c].text ? " class=\"text\"" : "",
				column[c].title);
	}
	fputs("</tr></thead><tbody>\n", to);
	for (u32 r = 0; r < n_rows; r++) {
		fputs("<tr>", to);
		row_head(to, &row[r], with_run);
		for (u32 c = 0; c < n_columns; c++)
			if (filled[c])
				cell(to, &column[c], &row[r]);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

/* SPDX-License-Identifier: MIT */
#include "html.h"
#include "sections.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(table) ((u32)(sizeof(table) / sizeof(table)[0]))

static const struct weir_column flow_columns[] = {
    {"controller", "controller", WEIR_PLAIN, true, 1},
    {"application", "application", WEIR_PLAIN, true, 1},
    {"flows", "flows", WEIR_COUNT, false, 1},
    {"goodput", "goodput_bps", WEIR_RATE, false, 1},
    {"throughput", "throughput_bps", WEIR_RATE, false, 1},
    {"of one flow, median", "flow_throughput_bps.p50", WEIR_RATE, false, 1},
    {"RTT, min", "rtt_ms.min", WEIR_TIME, false, 1},
    {"mean", "rtt_ms.mean", WEIR_TIME, false, 1},
    {"95 %", "rtt_ms.p95", WEIR_TIME, false, 1},
    {"99 %", "rtt_ms.p99", WEIR_TIME, false, 1},
    {"queueing, median", "queue_delay_ms.p50", WEIR_TIME, false, 1},
    {"95 %", "queue_delay_ms.p95", WEIR_TIME, false, 1},
    {"99 %", "queue_delay_ms.p99", WEIR_TIME, false, 1},
    {"one way, median", "one_way_delay_ms.p50", WEIR_TIME, false, 1},
    {"95 %", "one_way_delay_ms.p95", WEIR_TIME, false, 1},
    {"age, mean", "age_ms.mean", WEIR_TIME, false, 1},
    {"peak age", "age_ms.peak_mean", WEIR_TIME, false, 1},
    {"99 %", "age_ms.p99", WEIR_TIME, false, 1},
    {"above its bound", "age_ms.over_fraction", WEIR_SHARE, false, 1},
    {"age, estimated", "age_estimate_ms.mean", WEIR_TIME, false, 1},
    {"newer values", "updates.fresh_hz", WEIR_OFTEN, false, 1},
    {"updates", "update_hz", WEIR_OFTEN, false, 1},
    {"backlog", "backlog_mean", WEIR_PLAIN, false, 1},
    {"Jain index of age", "jain_age", WEIR_PLAIN, false, 1},
    {"sent", "packets_sent", WEIR_COUNT, false, 1},
    {"lost", "packets_lost", WEIR_COUNT, false, 1},
    {"loss", "loss_fraction", WEIR_SHARE, false, 1},
    {"retransmitted", "retransmitted", WEIR_COUNT, false, 1},
    {"timeouts", "timeouts", WEIR_COUNT, false, 1},
    {"recoveries", "recoveries", WEIR_COUNT, false, 1},
    {"Jain index", "jain_throughput", WEIR_PLAIN, false, 1},
};

static const struct weir_column link_columns[] = {
    {"capacity", "capacity_bps", WEIR_RATE, false, 1},
    {"throughput", "throughput_bps", WEIR_RATE, false, 1},
    {"utilization", "utilization", WEIR_SHARE, false, 1},
    {"packets", "packets", WEIR_COUNT, false, 1},
    {"drops", "drops", WEIR_COUNT, false, 1},
    {"marks", "marks", WEIR_COUNT, false, 1},
    {"queue, mean", "queue_mean_bytes", WEIR_BYTES, false, 1},
    {"largest", "queue_max_bytes", WEIR_BYTES, false, 1},
    {"queueing, mean", "queue_delay_ms.mean", WEIR_TIME, false, 1},
    {"median", "queue_delay_ms.p50", WEIR_TIME, false, 1},
    {"95 %", "queue_delay_ms.p95", WEIR_TIME, false, 1},
    {"99 %", "queue_delay_ms.p99", WEIR_TIME, false, 1},
};

static const struct weir_column fct_columns[] = {
    {"completed", "n", WEIR_COUNT, false, 1},	   {"mean", "fct_ms.mean", WEIR_TIME, false, 1},
    {"median", "fct_ms.p50", WEIR_TIME, false, 1}, {"95 %", "fct_ms.p95", WEIR_TIME, false, 1},
    {"99 %", "fct_ms.p99", WEIR_TIME, false, 1},   {"longest", "fct_ms.max", WEIR_TIME, false, 1},
};

static const struct weir_entity *entity_of(const struct weir_entity *list, u32 n, const json_t *object)
{
	for (u32 i = 0; i < n; i++)
		if (list[i].summary == object)
			return &list[i];
	return NULL;
}

/* All elements of the list `key` of all runs; *n of them. NULL for none or when memory ran out: a table
 * that is missing is better than no report. */
static struct weir_row *collect(const struct weir_report_data *data, const char *key, const char *name_key,
				const struct weir_entity *entity, u32 n_entities, u32 *n)
{
	size_t all = 0;
	for (u32 r = 0; r < data->n_runs; r++)
		all += json_array_size(json_object_get(data->run[r].summary, key));
	struct weir_row *row = all ? calloc(all, sizeof *row) : NULL;
	*n = 0;
	for (u32 r = 0; r < data->n_runs && row; r++) {
		const json_t *list = json_object_get(data->run[r].summary, key);
		for (size_t i = 0; i < json_array_size(list); i++) {
			const json_t *object = json_array_get(list, i);
			/* A class of sizes that nobody sent. */
			if (weir_get_number(object, "n") == 0)
				continue;
			const struct weir_entity *who = entity_of(entity, n_entities, object);
			row[(*n)++] = (struct weir_row){.name = weir_get_text(object, name_key, ""),
							.run = data->run[r].label,
							.colour = who ? (i32)who->colour : -1,
							.dash = who ? who->dash : 0,
							.object = object};
		}
	}
	return row;
}

static void table_of(FILE *to, const struct weir_report_data *data, const char *heading, const char *first,
		     const char *key, const char *name_key, const struct weir_column *columns, u32 n_columns,
		     const struct weir_entity *entity, u32 n_entities)
{
	u32 n;
	struct weir_row *row = collect(data, key, name_key, entity, n_entities, &n);
	if (row)
		weir_table(to, heading, first, columns, n_columns, row, n);
	free(row);
}

/* Of a choice its word. */
static void put_last(FILE *to, const json_t *signal, struct weir_unit unit)
{
	double last = weir_get_number(signal, "last");
	const json_t *words = json_object_get(signal, "words");
	/* Not whole: a mean of seeds. */
	if (!(last >= 0 && last < (double)json_array_size(words) && last == floor(last))) {
		weir_table_number(to, unit.dimension, last * unit.factor);
		return;
	}
	fputs("<td>", to);
	weir_html_name(to, weir_get_text(json_array_get(words, (size_t)last), "", ""));
	fputs("</td>", to);
}

static void signal_rows(FILE *to, const struct weir_run_data *run, const json_t *flow)
{
	const char *name;
	json_t *signal;
	json_object_foreach(json_object_get(flow, "signals"), name, signal)
	{
		char words[96];
		struct weir_unit unit = weir_unit_of(name);
		fputs("<tr>", to);
		if (*run->label) {
			fputs("<td class=\"text\">", to);
			weir_html_name(to, run->label);
			fputs("</td>", to);
		}
		fputs("<th scope=\"row\">", to);
		weir_html_name(to, weir_get_text(flow, "name", ""));
		fputs("</th><td class=\"text\">", to);
		weir_html_name(to, weir_signal_words(name, words, sizeof words));
		fputs("</td>", to);
		weir_table_number(to, unit.dimension, weir_get_number(signal, "mean") * unit.factor);
		put_last(to, signal, unit);
		fputs("</tr>\n", to);
	}
}

static void signals_table(FILE *to, const struct weir_report_data *data)
{
	bool any = false;
	for (u32 r = 0; r < data->n_runs; r++) {
		const json_t *flows = json_object_get(data->run[r].summary, "flows");
		for (size_t i = 0; i < json_array_size(flows); i++)
			any |= json_object_size(json_object_get(json_array_get(flows, i), "signals")) > 0;
	}
	if (!any)
		return;
	fputs("<details class=\"block\"><summary>What the controllers say</summary><div "
	      "class=\"scroll\"><table>"
	      "<thead><tr>",
	      to);
	if (data->n_runs > 1)
		fputs("<th scope=\"col\">run</th>", to);
	fputs("<th scope=\"col\" class=\"text\">flow</th><th scope=\"col\" class=\"text\">signal</th><th "
	      "scope=\"col\">mean</th>"
	      "<th scope=\"col\">last</th></tr></thead><tbody>\n",
	      to);
	for (u32 r = 0; r < data->n_runs; r++) {
		const json_t *flows = json_object_get(data->run[r].summary, "flows");
		for (size_t i = 0; i < json_array_size(flows); i++)
			signal_rows(to, &data->run[r], json_array_get(flows, i));
	}
	fputs("</tbody></table></div></details>\n", to);
}

void weir_section_tables(FILE *to, const struct weir_report_data *data, const struct weir_entities *e)
{
	u32 singles = e->grouped ? 0 : e->n_flows;
	table_of(to, data, "Flows", "flow", "flows", "name", flow_columns, COUNT(flow_columns), e->flow,
		 singles);
	signals_table(to, data);
	table_of(to, data, "Groups of flows", "group", "groups", "name", flow_columns, COUNT(flow_columns),
		 NULL, 0);
	table_of(to, data, "Links", "link", "links", "name", link_columns, COUNT(link_columns), e->link,
		 e->n_links);
	table_of(to, data, "Completion times", "size", "fct_ms", "size", fct_columns, COUNT(fct_columns),
		 NULL, 0);
}

/* SPDX-License-Identifier: MIT */
#include "run/experiment_carry.h"

#include "record/json.h"
#include "record/query.h"
#include "run/emulate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static json_t *document_of(const struct weir_summary *summary)
{
	struct weir_json j;
	char error[WEIR_QUERY_ERROR_BYTES];
	size_t bytes;

	weir_json_to_buffer(&j);
	weir_json_object(&j);
	weir_summary_fields(&j, summary);
	weir_json_object_end(&j);
	if (weir_json_finish(&j) < 0)
		return NULL;
	char *text = weir_json_take(&j, &bytes);
	json_t *document = weir_query_parse(text, bytes, "weir.summary/1", error);
	free(text);
	return document; /* our own document can only fail for want of memory */
}

static int run_backend(const struct weir_carry *c, struct weir_series *series, struct weir_summary *summary,
		       char why[512])
{
	const struct weir_simulate_config config = {
	    .scenario = c->scenario,
	    .with = {.registry = c->run->registry, .emulated = c->emulated},
	    .traces = c->traces,
	    .seed = c->point.seed,
	    .series = series,
	    .stop = c->run->stop,
	    .progress = c->progress,
	    .progress_ctx = c->progress_ctx,
	};
	const struct weir_emulate_config emulation = {.run = config};

	if (c->emulated)
		return (c->run->emulate ? c->run->emulate : weir_emulate)(&emulation, summary, why);
	if (weir_simulate(&config, summary) == 0)
		return 0;
	snprintf(why, 512, "%s", strerror(errno));
	return WEIR_EXIT_FAILED;
}

static bool is_invalid(const struct weir_summary *s)
{
	return s->emulation.verdict && !strcmp(s->emulation.verdict, "invalid");
}

/* Runs it once. What its series say is in the watched, and (for keeping) in *rows. */
static int attempt(const struct weir_carry *c, struct weir_carried *out, char **rows, char why[512])
{
	struct weir_watch watch;
	struct weir_summary summary = {0};
	size_t bytes;
	FILE *to = c->keep ? open_memstream(rows, &bytes) : NULL;

	snprintf(why, 512, "out of memory");
	if ((c->keep && !to) || weir_watch_begin(&watch, c->watched, c->n_watched, to) < 0) {
		if (to)
			fclose(to);
		return WEIR_EXIT_FAILED;
	}
	int code = run_backend(c, watch.series, &summary, why);
	if (code == 0 && summary.interrupted) {
		why[0] = 0;
		code = WEIR_EXIT_FAILED;
	}
	if ((weir_watch_end(&watch) < 0 || (to && fclose(to) != 0)) && code == 0) {
		snprintf(why, 512, "%s", strerror(errno));
		code = WEIR_EXIT_FAILED;
	}
	if (code == 0) {
		out->invalid = is_invalid(&summary);
		snprintf(out->reason, sizeof out->reason, "%s", out->invalid ? summary.emulation.reason : "");
		out->simulated_s = summary.simulated_s;
		out->document = document_of(&summary);
		code = out->document ? 0 : WEIR_EXIT_FAILED;
	}
	weir_summary_free(&summary);
	return code;
}

static void forget(const struct weir_carry *c, struct weir_carried *out)
{
	json_decref(out->document);
	out->document = NULL;
	for (u32 i = 0; i < c->n_watched; i++)
		weir_watched_reset(&c->watched[i]);
}

int weir_experiment_carry(const struct weir_carry *c, struct weir_carried *out, char why[512])
{
	*out = (struct weir_carried){0};
	if (c->keep && weir_keep_find(c->keep, &c->point, c->watched, c->n_watched, &out->document)) {
		out->was_kept = true;
		out->simulated_s = json_number_value(json_object_get(out->document, "simulated_s"));
		return 0;
	}
	do {
		char *rows = NULL;
		forget(c, out);
		int code = attempt(c, out, &rows, why);
		out->attempts++;
		if (code == 0 && !out->invalid && c->keep)
			code = weir_keep_add(c->keep, &c->point, c->watched, c->n_watched, rows,
					     out->document, why);
		free(rows);
		if (code) {
			forget(c, out);
			return code;
		}
	} while (out->invalid && out->attempts < WEIR_EXPERIMENT_ATTEMPTS);
	if (out->invalid)
		forget(c, out);
	return 0;
}

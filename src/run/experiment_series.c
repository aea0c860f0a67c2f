/* SPDX-License-Identifier: MIT */
#include "run/experiment_series.h"

#include <errno.h>
#include <stdlib.h>

const char *weir_watched_name(const struct weir_watched *x, enum weir_time_role role)
{
	const struct weir_time_rule *rule = x->sum.rule;

	if (role == WEIR_TIME_OWN)
		return x->name;
	return !rule ? NULL : role == WEIR_TIME_WHILE ? rule->while_series : rule->beside_series;
}

bool weir_watch_matches(const char *name, const char *flow_signal)
{
	const char *star = strstr(name, "*.");

	if (!star || (star > name && star[-1] == '.'))
		return !strcmp(name, flow_signal);
	size_t part = (size_t)(star - name), signal = strlen(star + 1), whole = strlen(flow_signal);
	return whole > part + signal && !strncmp(name, flow_signal, part) &&
	       !strcmp(star + 1, flow_signal + whole - signal) && flow_signal[whole - signal - 1] != '*' &&
	       strncmp(flow_signal, "link:", 5) && strncmp(flow_signal, "emulator:", 9);
}

static bool take_all(struct weir_watched *watched, u32 n, const char *flow_signal, double time_s,
		     double value)
{
	bool taken = false;

	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < WEIR_TIME_ROLES; k++) {
			const char *name = weir_watched_name(&watched[i], k);
			if (!name || !weir_watch_matches(name, flow_signal))
				continue;
			watched[i].rows[k]++;
			weir_time_take(&watched[i].sum, k, time_s, value);
			taken = true;
		}
	return taken;
}

/* time_s,flow,signal,value */
static void on_row(struct weir_watch *w, char *row)
{
	char *flow = strchr(row, ','), *signal = flow ? strchr(flow + 1, ',') : NULL;
	char *value = signal ? strchr(signal + 1, ',') : NULL;

	if (!value)
		return;
	*signal++ = '.'; /* flow.signal */
	*flow++ = *value++ = 0;
	if (take_all(w->watched, w->n, flow, strtod(row, NULL), strtod(value, NULL)) && w->rows)
		fprintf(w->rows, "%s,%s,%s\n", row, flow, value);
}

/* Lines time_s,flow.signal,value; what is no such line is passed over. */
void weir_watch_again(struct weir_watched *watched, u32 n, const char *rows)
{
	char line[1024];

	for (const char *end; (end = strchr(rows, '\n')) != NULL; rows = end + 1) {
		snprintf(line, sizeof line, "%.*s", (int)weir_min((u64)(end - rows), sizeof line - 1), rows);
		char *name = strchr(line, ','), *value = name ? strrchr(name + 1, ',') : NULL;
		if (!value)
			continue;
		*name++ = *value++ = 0;
		take_all(watched, n, name, strtod(line, NULL), strtod(value, NULL));
	}
	for (u32 i = 0; i < n; i++)
		weir_time_end(&watched[i].sum);
}

void weir_watched_reset(struct weir_watched *x)
{
	memset(x->rows, 0, sizeof x->rows);
	weir_time_reset(&x->sum);
}

static ssize_t on_write(void *cookie, const char *bytes, size_t n)
{
	struct weir_watch *w = cookie;

	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n') {
			w->line[w->used] = 0;
			on_row(w, w->line);
			w->used = 0;
		} else if (w->used + 1 < sizeof w->line) {
			w->line[w->used++] = bytes[i];
		}
	}
	return (ssize_t)n;
}

int weir_watch_begin(struct weir_watch *w, struct weir_watched *watched, u32 n, FILE *rows)
{
	*w = (struct weir_watch){.n = n, .watched = watched, .rows = rows};
	if (n == 0)
		return 0;
	w->file = fopencookie(w, "w", (cookie_io_functions_t){.write = on_write});
	w->series = malloc(sizeof *w->series);
	if (!w->file || !w->series) {
		weir_watch_end(w);
		errno = ENOMEM;
		return -1;
	}
	weir_series_begin(w->series, w->file);
	return 0;
}

int weir_watch_end(struct weir_watch *w)
{
	int rc = w->series && w->file ? weir_series_finish(w->series) : 0;

	if (w->file && fclose(w->file) != 0)
		rc = -1;
	free(w->series);
	for (u32 i = 0; i < w->n; i++)
		weir_time_end(&w->watched[i].sum);
	w->file = NULL;
	w->series = NULL;
	return rc;
}

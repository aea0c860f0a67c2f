/* SPDX-License-Identifier: MIT */
#include "run/experiment_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* One time's sum over the flows goes into the window's figures. */
static void settle(struct weir_watched *x)
{
	if (!x->pending)
		return;
	x->pending = false;
	if (x->time_s < (double)x->from_ns / 1e9 || x->time_s >= (double)x->to_ns / 1e9)
		return;
	double value = x->sum, off = value - x->mean;
	x->min = x->n == 0 || value < x->min ? value : x->min;
	x->max = x->n == 0 || value > x->max ? value : x->max;
	x->n++;
	x->total += value;
	x->mean += off / (double)x->n;
	x->squares += off * (value - x->mean);
}

static void take(struct weir_watched *x, double time_s, double value)
{
	x->rows++;
	if (x->pending && x->time_s != time_s)
		settle(x);
	x->sum = x->pending ? x->sum + value : value;
	x->time_s = time_s;
	x->pending = true;
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

	for (u32 i = 0; i < n; i++) {
		if (!weir_watch_matches(watched[i].name, flow_signal))
			continue;
		take(&watched[i], time_s, value);
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
		settle(&watched[i]);
}

void weir_watched_reset(struct weir_watched *x)
{
	*x = (struct weir_watched){
	    .name = x->name, .from_ns = x->from_ns, .to_ns = x->to_ns, .over_time = x->over_time};
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
		settle(&w->watched[i]);
	w->file = NULL;
	w->series = NULL;
	return rc;
}

double weir_watched_value(const struct weir_watched *x)
{
	if (x->n == 0)
		return NAN;
	switch (x->over_time) {
	case WEIR_REDUCE_MIN:
		return x->min;
	case WEIR_REDUCE_MAX:
		return x->max;
	case WEIR_REDUCE_VARIATION:
		return x->mean == 0 ? (double)NAN : sqrt(x->squares / (double)x->n) / x->mean;
	default:
		return x->total / (double)x->n;
	}
}

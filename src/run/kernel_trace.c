/* SPDX-License-Identifier: MIT */
#include "kernel_trace.h"

#include "kern/follow.h"
#include "kern/number.h"
#include "kernel_file.h"
#include "kernel_flow.h"
#include "kernel_qlog.h"
#include "kernel_result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WHY_BYTES WEIR_KERNEL_TRACE_WHY_BYTES
#define ROW_BYTES 600 /* more than the rows of a call take in series.csv */

struct weir_kernel_trace {
	struct weir_kernel_trace_wanted wanted;
	struct weir_outdir directory;
	FILE *record_file, *series_file;
	char record_path[PATH_MAX], qlog_path[PATH_MAX], series_path[PATH_MAX];
	struct weir_calls_writer calls;
	struct weir_kernel_qlog *qlog; /* NULL: not wanted */
	struct weir_series series;
	struct weir_follow follow;
	struct weir_kern_numbers numbers;
	struct weir_kernel_flow *flow[WEIR_KERNEL_TRACE_FLOWS_MAX];
	u64 origin_ns, time_ns; /* of the first call; of the newest, which never goes back */
	u64 records, dropped, unnumbered, rows_omitted, unflowed;
	u64 differing; /* calls that this program's controller of that name answers otherwise */
	bool failed;   /* out of memory */
};

/* ---- beginning ---- */

/* Where a file goes: as asked, or below the directory. Empty: nowhere. */
static void choose_path(const struct weir_kernel_trace *t, const char *asked, const char *name,
			char path[PATH_MAX])
{
	*path = 0;
	if (asked)
		snprintf(path, PATH_MAX, "%s", asked);
	else if (t->directory.open)
		weir_outdir_path(&t->directory, name, path);
}

static int open_files(struct weir_kernel_trace *t, char *why)
{
	const struct weir_kernel_trace_wanted *w = &t->wanted;
	choose_path(t, w->record, "calls.weir", t->record_path);
	choose_path(t, w->qlog, "trace.qlog", t->qlog_path);
	choose_path(t, NULL, "series.csv", t->series_path);
	if (*t->record_path) {
		if (!(t->record_file = weir_kernel_file_create(why, t->record_path)))
			return -1;
		weir_calls_begin(&t->calls, t->record_file, &w->head, w->limit_bytes);
	}
	if (*t->qlog_path) {
		FILE *out = weir_kernel_file_create(why, t->qlog_path);
		if (!out)
			return -1;
		t->qlog = weir_kernel_qlog_begin(out, w->kernel_name, w->limit_bytes);
		if (!t->qlog)
			return weir_kernel_file_failed(why, t->qlog_path, ENOMEM);
	}
	if (*t->series_path) {
		if (!(t->series_file = weir_kernel_file_create(why, t->series_path)))
			return -1;
		weir_series_begin(&t->series, t->series_file);
	}
	return 0;
}

static void release(struct weir_kernel_trace *t)
{
	if (t->record_file)
		fclose(t->record_file);
	if (t->series_file)
		fclose(t->series_file);
	if (t->qlog)
		weir_kernel_qlog_end(t->qlog);
	for (u32 i = 0; i < WEIR_KERNEL_TRACE_FLOWS_MAX; i++)
		free(t->flow[i]);
	weir_follow_end(&t->follow);
	weir_outdir_abandon(&t->directory);
	free(t);
}

struct weir_kernel_trace *weir_kernel_trace_begin(const struct weir_kernel_trace_wanted *wanted,
						  char why[WHY_BYTES])
{
	struct weir_kernel_trace *t = calloc(1, sizeof *t);
	if (!t) {
		snprintf(why, WHY_BYTES, "out of memory");
		return NULL;
	}
	t->wanted = *wanted;
	if (t->wanted.ops)
		weir_follow_begin(&t->follow, t->wanted.ops, t->wanted.head.params);
	if ((wanted->directory && weir_outdir_begin(&t->directory, wanted->directory, why) < 0) ||
	    open_files(t, why) < 0) {
		release(t);
		return NULL;
	}
	return t;
}

/* ---- calls ---- */

static void note_gap(struct weir_kernel_trace *t, u64 dropped)
{
	u64 missing = dropped - t->dropped;
	t->dropped = dropped;
	if (t->record_file)
		weir_calls_gap(&t->calls, missing);
	if (t->qlog)
		weir_kernel_qlog_gap(t->qlog, t->time_ns - t->origin_ns, missing);
	weir_follow_gap(&t->follow);
}

static void name_of(const struct weir_kernel_trace *t, u32 socket, char name[WEIR_NAME_BYTES])
{
	if (socket == 1)
		snprintf(name, WEIR_NAME_BYTES, "%s", t->wanted.name);
	else
		snprintf(name, WEIR_NAME_BYTES, "%.80s.%u", t->wanted.name, socket);
}

static struct weir_kernel_flow *flow_of(struct weir_kernel_trace *t, u32 socket)
{
	if (socket > WEIR_KERNEL_TRACE_FLOWS_MAX)
		return NULL;
	struct weir_kernel_flow **f = &t->flow[socket - 1];
	if (!*f && (*f = calloc(1, sizeof **f)))
		name_of(t, socket, (*f)->name);
	t->failed |= !*f;
	return *f;
}

struct weir_kernel_signals weir_kernel_trace_signals(const struct weir_kernel_trace_wanted *w)
{
	if (w->pilot)
		return (struct weir_kernel_signals){w->pilot->n_signals, w->pilot->signals, NULL};
	if (w->ops)
		return (struct weir_kernel_signals){w->ops->n_signals, w->ops->signals, NULL};
	return (struct weir_kernel_signals){0, NULL, NULL};
}

/* The controller's state is known here although nobody recorded it. */
static bool probe(const struct weir_kernel_trace *t, u32 socket, double value[WEIR_SIGNALS_MAX])
{
	const struct weir_cc_ops *ops = t->wanted.ops;
	const void *state = ops ? weir_follow_state(&t->follow, socket) : NULL;
	u64 whole[WEIR_CC_SIGNALS_MAX] = {0};
	if (!state || !ops->probe || t->differing)
		return false;
	ops->probe(state, whole);
	for (u32 i = 0; i < WEIR_CC_SIGNALS_MAX; i++)
		value[i] = (double)whole[i];
	return true;
}

static void add_row(struct weir_kernel_trace *t, u32 socket, struct weir_kernel_flow *f)
{
	double value[WEIR_SIGNALS_MAX];
	struct weir_kernel_signals signals = weir_kernel_trace_signals(&t->wanted);
	bool known = t->wanted.pilots ? weir_pilots_signals(t->wanted.pilots, f->socket, 0, value)
				      : probe(t, socket, value);
	bool room = t->series.rows * (ROW_BYTES / 10) + ROW_BYTES < t->wanted.limit_bytes;
	t->rows_omitted += !room;
	signals.value = known ? value : NULL;
	weir_kernel_flow_row(f, t->time_ns - t->origin_ns, &signals, room ? &t->series : NULL);
}

static void take_flow(struct weir_kernel_trace *t, u32 socket, const struct weir_kern_record *r)
{
	struct weir_kernel_flow *f = flow_of(t, socket);
	t->unflowed += !f;
	if (!f)
		return;
	weir_kernel_flow_take(f, r);
	if (weir_kernel_result_is_flow(f) && f->last_ns - f->row_ns >= t->wanted.sample_ns)
		add_row(t, socket, f);
}

static bool is_wanted(const struct weir_kernel_trace *t, const struct weir_kern_record *r)
{
	u16 port = t->wanted.port;
	return !port || r->local_port == port || r->remote_port == port;
}

void weir_kernel_trace_take(struct weir_kernel_trace *t, const struct weir_kern_record *r, u64 dropped)
{
	u64 now_ns = r->call.view.now_ns;
	struct weir_out out;
	char name[WEIR_NAME_BYTES];
	if (!is_wanted(t, r))
		return;
	if (!t->records++)
		t->origin_ns = t->time_ns = now_ns;
	t->time_ns = weir_max(t->time_ns, now_ns);
	if (dropped != t->dropped)
		note_gap(t, dropped);
	u32 socket = weir_kern_number(&t->numbers, r);
	if (!socket || socket > WEIR_CALLS_SOCKETS_MAX) {
		t->unnumbered++;
		return;
	}
	if (t->record_file)
		weir_calls_put(&t->calls, socket, r);
	if (t->qlog) {
		name_of(t, socket, name);
		weir_kernel_qlog_take(t->qlog, t->time_ns - t->origin_ns, name, socket, r);
	}
	if (t->wanted.ops)
		t->differing += weir_follow_call(&t->follow, socket, &r->call, &out) == WEIR_FOLLOWED_DIFFERS;
	if (t->series_file)
		take_flow(t, socket, r);
}

/* ---- the end ---- */

/* What the flows and the counts come down to. */
static int write_result(const struct weir_kernel_trace *t, const struct weir_kernel_trace_counts *c,
			char *why)
{
	const struct weir_kernel_result result = {
	    .wanted = &t->wanted,
	    .directory = &t->directory,
	    .counts = *c,
	    .flow = t->flow,
	    .origin_ns = t->origin_ns,
	    .end_ns = t->time_ns,
	    .differing = t->differing,
	    .rows_omitted = t->rows_omitted,
	    .unseen = t->unflowed + t->unnumbered,
	};
	return weir_kernel_result_write(&result, why);
}

static int close_record(struct weir_kernel_trace *t, char *why)
{
	int failed = weir_calls_end(&t->calls), error = errno;
	if (fclose(t->record_file) != 0 && !failed) {
		failed = -1;
		error = errno;
	}
	t->record_file = NULL;
	return failed ? weir_kernel_file_failed(why, t->record_path, error) : 0;
}

static int close_qlog(struct weir_kernel_trace *t, char *why)
{
	int failed = weir_kernel_qlog_end(t->qlog), error = errno;
	t->qlog = NULL;
	return failed ? weir_kernel_file_failed(why, t->qlog_path, error) : 0;
}

static int close_series(struct weir_kernel_trace *t, char *why)
{
	int failed = weir_series_finish(&t->series), error = errno;
	if (fclose(t->series_file) != 0 && !failed) {
		failed = -1;
		error = errno;
	}
	t->series_file = NULL;
	return failed ? weir_kernel_file_failed(why, t->series_path, error) : 0;
}

/* The last look at each flow, however short its interval. */
static void add_last_rows(struct weir_kernel_trace *t)
{
	for (u32 i = 0; i < WEIR_KERNEL_TRACE_FLOWS_MAX; i++)
		if (weir_kernel_result_is_flow(t->flow[i]) && t->flow[i]->last_ns > t->flow[i]->row_ns)
			add_row(t, i + 1, t->flow[i]);
}

static int close_all(struct weir_kernel_trace *t, struct weir_kernel_trace_counts *c, char *why)
{
	int failed = 0;
	if (t->series_file)
		add_last_rows(t);
	c->omitted = weir_max(t->rows_omitted, t->calls.omitted) + t->unnumbered;
	if (t->qlog)
		c->omitted = weir_max(c->omitted, weir_kernel_qlog_omitted(t->qlog));
	if (t->record_file)
		failed |= close_record(t, why);
	if (t->qlog)
		failed |= close_qlog(t, why);
	if (t->series_file) {
		failed |= close_series(t, why);
		failed |= write_result(t, c, why);
	}
	if (!failed && (t->failed || t->follow.failed)) {
		snprintf(why, WHY_BYTES, "out of memory");
		failed = -1;
	}
	return failed;
}

int weir_kernel_trace_end(struct weir_kernel_trace *t, u64 dropped, struct weir_kernel_trace_counts *counts,
			  struct weir_outdir *directory, char why[WHY_BYTES])
{
	if (dropped != t->dropped)
		note_gap(t, dropped);
	*counts = (struct weir_kernel_trace_counts){
	    .records = t->records, .dropped = t->dropped, .sockets = t->numbers.n};
	int failed = close_all(t, counts, why);
	*directory = t->directory;
	if (failed)
		weir_outdir_abandon(directory);
	t->directory.open = false;
	release(t);
	return failed;
}

/* SPDX-License-Identifier: MIT */
#include "kernel_recorder.h"

#include "cc/table.h"
#include "report/report.h"
#include "scenario/quantity.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define POLL_MS 100
#define SAMPLE_NS (10 * WEIR_NS_PER_MS)
#define LIMIT_BYTES 1000000000ULL
#define LIMIT_LEAST_BYTES 10000ULL

static int quantity(const struct weir_invocation *call, const char *name, enum weir_quantity kind, u64 *value)
{
	char error[WEIR_QUANTITY_ERROR];
	const char *text = weir_option(call, name);
	if (!text || (kind == WEIR_QUANTITY_TIME && !strcmp(text, "0"))) {
		*value = text ? 0 : *value;
		return 0;
	}
	if (weir_quantity(text, kind, value, error))
		return 0;
	return weir_usage_error(call, "--%s %.60s: %s", name, text, error);
}

int weir_kernel_recorder_choose(struct weir_kernel_recorder *r, const struct weir_invocation *call)
{
	struct weir_kernel_trace_wanted *w = &r->wanted;
	u64 port = 0;
	char why[512];
	*r = (struct weir_kernel_recorder){.call = call};
	w->directory = weir_option(call, "output");
	w->qlog = weir_option(call, "qlog");
	w->record = weir_option(call, "record");
	w->name = weir_option(call, "name");
	w->sample_ns = SAMPLE_NS;
	w->limit_bytes = LIMIT_BYTES;
	r->any = w->directory || w->qlog || w->record;
	int wrong = quantity(call, "sample", WEIR_QUANTITY_TIME, &w->sample_ns);
	wrong = quantity(call, "limit", WEIR_QUANTITY_BYTES, &w->limit_bytes) || wrong;
	wrong = weir_option_u64(call, "port", 1, 65535, &port) || wrong;
	w->port = (u16)port;
	if (w->limit_bytes < LIMIT_LEAST_BYTES)
		wrong =
		    weir_usage_error(call, "--limit: less than %llu bytes hold nothing", LIMIT_LEAST_BYTES);
	if (!r->any)
		for (u32 i = 0; i < 4; i++) {
			static const char *const idle[] = {"sample", "limit", "port", "name"};
			if (weir_option(call, idle[i]))
				wrong =
				    weir_usage_error(call, "--%s belongs to -o, --qlog or --record", idle[i]);
		}
	if (w->directory && weir_outdir_check(w->directory, why) < 0)
		wrong = weir_usage_error(call, "%s", why);
	return wrong ? WEIR_EXIT_USAGE : 0;
}

static void take(void *context, const struct weir_kern_record *record)
{
	struct weir_kernel_recorder *r = context;
	r->records++;
	weir_kernel_trace_take(r->trace, record, weir_kern_watch_dropped(&r->watch));
}

/* weir_agile_sd of the kernel is agile-sd here; weir_reno.2 was loaded beside weir_reno. */
static const struct weir_cc_ops *find_ops(const char *kernel_name)
{
	char word[WEIR_KERN_NAME_BYTES];
	snprintf(word, sizeof word, "%s", kernel_name + (strncmp(kernel_name, "weir_", 5) ? 0 : 5));
	word[strcspn(word, ".")] = 0;
	for (char *c = word; *c; c++)
		*c = *c == '_' ? '-' : *c;
	return weir_cc_find(word);
}

/* What the kernel has of this name; its parameters are read from there. */
static void identify(struct weir_kernel_recorder *r, const struct weir_cc_ops *ops, const u64 *params)
{
	struct weir_kernel_trace_wanted *w = &r->wanted;
	struct weir_calls_head *head = &w->head;
	if (w->pilot) { /* its governor's decisions depend on setpoints, which no record of calls has */
		snprintf(head->controller, sizeof head->controller, "%s", w->pilot->name);
		head->n_params = w->pilot->n_params;
		memcpy(head->params, params, head->n_params * sizeof *params);
		w->name = w->name ? w->name : head->controller;
		return;
	}
	w->ops = ops ? ops : find_ops(w->kernel_name);
	snprintf(head->controller, sizeof head->controller, "%s", w->ops ? w->ops->name : w->kernel_name);
	if (!w->name)
		w->name = head->controller;
	if (params) {
		head->n_params = w->ops->n_params;
		memcpy(head->params, params, head->n_params * sizeof *params);
	} else {
		head->n_params = r->watch.n_params;
		memcpy(head->params, r->watch.params, sizeof head->params);
	}
	if (w->ops && !params && head->n_params == 0) { /* it has none, or does not look at them */
		head->n_params = w->ops->n_params;
		weir_cc_defaults(w->ops, head->params);
	}
	if (w->ops && head->n_params != w->ops->n_params)
		w->ops = NULL; /* another controller of that name */
}

void weir_kernel_recorder_pilot(struct weir_kernel_recorder *r, const struct weir_pilot_ops *pilot,
				struct weir_pilots *pilots)
{
	r->wanted.pilot = pilot;
	r->wanted.pilots = pilots;
}

int weir_kernel_recorder_begin(struct weir_kernel_recorder *r, const char *kernel_name,
			       const struct weir_cc_ops *ops, const u64 *params)
{
	char why[WEIR_KERN_WHY_BYTES], wrong[WEIR_KERNEL_TRACE_WHY_BYTES];
	r->wanted.kernel_name = kernel_name;
	if (weir_kern_watch_open(&r->watch, kernel_name, take, r, why))
		return weir_error(r->call, WEIR_EXIT_FAILED, "%s", why);
	identify(r, ops, params);
	r->trace = weir_kernel_trace_begin(&r->wanted, wrong);
	if (r->trace)
		return 0;
	weir_kern_watch_close(&r->watch);
	return weir_error(r->call, WEIR_EXIT_FAILED, "%s", wrong);
}

static void *read_on(void *context)
{
	struct weir_kernel_recorder *r = context;
	int n = 0;
	while (!atomic_load(&r->over) && (n >= 0 || errno == EINTR))
		n = weir_kern_watch_poll(&r->watch, POLL_MS);
	return NULL;
}

int weir_kernel_recorder_start(struct weir_kernel_recorder *r)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&r->thread, NULL, read_on, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	r->threaded = !error;
	return error ? weir_error(r->call, WEIR_EXIT_FAILED, "cannot record: %s", strerror(error)) : 0;
}

/* The report beside what it shows; then all of it in its place. */
static int put_directory(const struct weir_kernel_recorder *r, struct weir_outdir *directory)
{
	static struct weir_diag diag;
	char why[512];
	int code = weir_report_write(directory->temporary, &diag);
	weir_diag_print(&diag, NULL, stderr);
	if (code) {
		weir_outdir_abandon(directory);
		return code;
	}
	if (weir_outdir_commit(directory, why) < 0)
		return weir_error(r->call, WEIR_EXIT_FAILED, "%s", why);
	fprintf(stderr, "results in %s, report %s/report.html\n", r->wanted.directory, r->wanted.directory);
	return 0;
}

int weir_kernel_recorder_end(struct weir_kernel_recorder *r)
{
	struct weir_kernel_trace_counts counts;
	struct weir_outdir directory;
	char why[WEIR_KERNEL_TRACE_WHY_BYTES];
	if (!r->trace)
		return 0;
	atomic_store(&r->over, true);
	if (r->threaded)
		pthread_join(r->thread, NULL);
	while (weir_kern_watch_poll(&r->watch, 0) > 0)
		;
	u64 dropped = weir_kern_watch_dropped(&r->watch);
	weir_kern_watch_close(&r->watch);
	int failed = weir_kernel_trace_end(r->trace, dropped, &counts, &directory, why);
	r->trace = NULL;
	if (failed)
		return weir_error(r->call, WEIR_EXIT_FAILED, "%s", why);
	fprintf(stderr, "%s: %llu calls of %u socket%s recorded\n", r->wanted.kernel_name, counts.records,
		counts.sockets, counts.sockets == 1 ? "" : "s");
	if (counts.dropped)
		fprintf(stderr, "%llu calls more were not recorded: this program could not keep up\n",
			counts.dropped);
	if (counts.omitted)
		fprintf(stderr, "%llu calls found no room in a file: --limit\n", counts.omitted);
	return directory.open ? put_directory(r, &directory) : 0;
}

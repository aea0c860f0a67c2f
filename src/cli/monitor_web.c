/* SPDX-License-Identifier: MIT */
#include "monitor.h"

#include "weir/num.h"

#include <errno.h>
#include <string.h>

static struct weir_told_names names_of(const struct weir_monitor_run *r)
{
	return (struct weir_told_names){(const char(*)[WEIR_TOLD_ID_BYTES])r->host.id,
					(const char(*)[WEIR_TOLD_KEY_BYTES])r->host.who};
}
_Static_assert(WEIR_TOLD_ID_BYTES == WEIR_MONITOR_ID_BYTES && WEIR_TOLD_KEY_BYTES == WEIR_MONITOR_WHO_BYTES,
	       "names are handed on as they are");

/* ---- metrics ---- */

static void put_wire(const struct weir_monitor_run *r, FILE *out)
{
	u64 truncated = 0, overflowed = 0, unsent = 0, received = 0, sent = 0;
	for (u32 i = 0; i < r->host.n_ports; i++) {
		const struct weir_udp_stats *s = &r->host.port[i].udp.stats;
		received += s->received;
		sent += s->sent;
		truncated += s->truncated;
		overflowed += s->overflowed;
		unsent += s->unsent + s->refused;
	}
	weir_metric(out, "weir_datagrams_received_total", WEIR_METRIC_COUNTER, "Datagrams that came.");
	weir_metric_u64(out, "weir_datagrams_received_total", received);
	weir_metric(out, "weir_datagrams_sent_total", WEIR_METRIC_COUNTER, "Datagrams that left.");
	weir_metric_u64(out, "weir_datagrams_sent_total", sent);
	weir_metric(out, "weir_datagrams_dropped_total", WEIR_METRIC_COUNTER,
		    "Datagrams that were not taken or not sent.");
	weir_metric_label_u64(out, "weir_datagrams_dropped_total", "why", "too large", truncated);
	weir_metric_label_u64(out, "weir_datagrams_dropped_total", "why", "buffer overflowed", overflowed);
	weir_metric_label_u64(out, "weir_datagrams_dropped_total", "why", "unsent", unsent);
	weir_metric_label_u64(out, "weir_datagrams_dropped_total", "why", "name cut off", r->host.nameless);
	for (u32 i = WEIR_AGE_WIRE_OK + 1; i < WEIR_AGE_WIRE_KINDS; i++)
		weir_metric_label_u64(out, "weir_datagrams_dropped_total", "why", weir_age_wire_words[i],
				      r->host.wire[i]);
}

static void put_outputs(const struct weir_monitor_run *r, FILE *out)
{
	struct weir_ndjson_stats lines = weir_ndjson_stats(r->ndjson);
	weir_metric(out, "weir_output_values_total", WEIR_METRIC_COUNTER,
		    "Values by what the output did with them.");
	weir_metric_label_u64(out, "weir_output_values_total", "result", "written", lines.written);
	weir_metric_label_u64(out, "weir_output_values_total", "result", "superseded", lines.superseded);
	weir_metric_label_u64(out, "weir_output_values_total", "result", "dropped", lines.dropped);
	if (!r->exec.command)
		return;
	weir_metric(out, "weir_exec_total", WEIR_METRIC_COUNTER, "Values by what --exec did with them.");
	weir_metric_label_u64(out, "weir_exec_total", "result", "started", r->exec.started);
	weir_metric_label_u64(out, "weir_exec_total", "result", "failed", r->exec.failed);
	weir_metric_label_u64(out, "weir_exec_total", "result", "timed out", r->exec.timed_out);
	weir_metric_label_u64(out, "weir_exec_total", "result", "superseded", r->exec.superseded);
	weir_metric_label_u64(out, "weir_exec_total", "result", "dropped", r->exec.dropped);
}

/* The guards of all ports have the same counters: they are added up. */
static void put_sessions(const struct weir_monitor_run *r, FILE *out)
{
	struct weir_guard_counter c, other;
	for (u32 k = 0;; k++) {
		char name[96];
		struct weir_guard *first = r->host.port[0].guard;
		if (!first->ops->counter(first, k, &c))
			return;
		for (u32 i = 1; i < r->host.n_ports; i++) {
			struct weir_guard *g = r->host.port[i].guard;
			c.value += g->ops->counter(g, k, &other) ? other.value : 0;
		}
		snprintf(name, sizeof name, "weir_%s_%s_total", first->ops->name, c.name);
		weir_metric(out, name, WEIR_METRIC_COUNTER, c.help);
		weir_metric_u64(out, name, c.value);
	}
}

static void put_metrics(void *owner, FILE *out)
{
	struct weir_monitor_run *r = owner;
	fprintf(out, "# HELP weir_build_info The version that runs.\n# TYPE weir_build_info gauge\n"
		     "weir_build_info{version=\"" WEIR_VERSION "\"} 1\n");
	put_wire(r, out);
	put_outputs(r, out);
	put_sessions(r, out);
	weir_metrics_ages(out, &r->ages);
	const struct weir_told_names names = names_of(r);
	weir_metrics_table(out, &r->host.table, &names, weir_clock_ns());
}

/* ---- serving ---- */

static void on_http(void *owner, u32 events)
{
	struct weir_monitor_web *w = owner;
	(void)events;
	w->next_ns = weir_http_step(w->http, weir_clock_ns());
}

int weir_monitor_web_open(struct weir_monitor_run *r)
{
	char why[WEIR_HTTP_WHY_BYTES], text[WEIR_ADDRESS_TEXT];
	for (u32 i = 0; i < r->n_webs; i++) {
		struct weir_monitor_web *w = &r->web[i];
		const struct weir_told_names names = names_of(r);
		if (w->page && !r->live)
			r->live = weir_board_new(&r->host.table, &names);
		if (w->page && !r->live)
			return weir_error(r->call, WEIR_EXIT_FAILED, "out of memory");
		const struct weir_http_config c = {.at = &w->at.any,
						   .loopback = weir_address_is_loopback(&w->at),
						   .live = w->page ? r->live : NULL,
						   .metrics = put_metrics,
						   .owner = r};
		w->http = weir_http_open(&c, why);
		if (!w->http)
			return weir_error(r->call, WEIR_EXIT_MACHINE, "cannot serve at %s: %s",
					  weir_address_print(&w->at, text), why);
		*(w->at.any.sa_family == AF_INET ? &w->at.v4.sin_port : &w->at.v6.sin6_port) =
		    htons(weir_http_port(w->http));
		w->watch = (struct weir_watch){weir_http_fd(w->http), on_http, w};
		if (weir_loop_add(&r->loop, &w->watch, EPOLLIN) < 0)
			return weir_error(r->call, WEIR_EXIT_FAILED, "%s", strerror(errno));
	}
	return WEIR_EXIT_OK;
}

void weir_monitor_web_value(struct weir_monitor_run *r, u64 now_ns, const struct weir_told *told)
{
	if (told->age.known)
		weir_metrics_age(&r->ages, told->age.age_s);
	if (r->live)
		weir_board_value(r->live, now_ns, told);
}

u64 weir_monitor_web_step(struct weir_monitor_run *r, u64 now_ns)
{
	u64 next_ns = WEIR_NEVER;
	for (u32 i = 0; i < r->n_webs; i++) {
		struct weir_monitor_web *w = &r->web[i];
		if (now_ns >= w->next_ns)
			w->next_ns = weir_http_step(w->http, now_ns);
		next_ns = weir_min(next_ns, w->next_ns);
	}
	return next_ns;
}

void weir_monitor_web_close(struct weir_monitor_run *r)
{
	for (u32 i = 0; i < r->n_webs; i++) {
		if (!r->web[i].http)
			continue;
		weir_loop_remove(&r->loop, &r->web[i].watch);
		weir_http_close(r->web[i].http);
		r->web[i].http = NULL;
	}
	weir_board_free(r->live);
	r->live = NULL;
}

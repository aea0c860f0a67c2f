/* SPDX-License-Identifier: MIT */
#include "emulation.h"

void weir_lateness_from_hist(struct weir_lateness *l, const struct weir_hist *h)
{
	*l = (struct weir_lateness){.n = h->n};
	if (h->n == 0)
		return;
	l->p50 = weir_hist_quantile(h, .50) / 1e3;
	l->p99 = weir_hist_quantile(h, .99) / 1e3;
	l->max = (double)h->max / 1e3;
}

static void put_lateness(struct weir_json *j, const char *name, const struct weir_lateness *l)
{
	if (l->n == 0) {
		weir_json_put_null(j, name);
		return;
	}
	weir_json_key(j, name);
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_double(j, "p50", l->p50);
	weir_json_put_double(j, "p99", l->p99);
	weir_json_put_double(j, "max", l->max);
	weir_json_object_end(j);
}

static void put_way(struct weir_json *j, const char *name, const struct weir_emulation_way *w)
{
	weir_json_put_object(j, name);
	weir_json_put_u64(j, "packets", w->packets);
	weir_json_put_u64(j, "bytes", w->bytes);
	put_lateness(j, "lateness_us", &w->lateness_us);
	put_lateness(j, "arrival_us", &w->arrival_us);
	weir_json_object_end(j);
}

void weir_emulation_fields(struct weir_json *j, const struct weir_emulation *e)
{
	weir_json_put_string(j, "verdict", e->verdict);
	weir_json_put_string(j, "reason", e->reason);
	put_lateness(j, "lateness_us", &e->lateness_us);
	weir_json_put_double(j, "missed_fraction", e->missed_fraction);
	weir_json_put_double(j, "rtt_error_us", e->rtt_error_us);
	weir_json_put_double(j, "rtt_error_fraction", e->rtt_error_fraction);
	weir_json_put_double(j, "base_rtt_ms", e->base_rtt_ms);
	put_way(j, "up", &e->up);
	put_way(j, "down", &e->down);
	put_lateness(j, "gap_us", &e->gap_us);
	weir_json_put_u64(j, "overruns", e->overruns);
	weir_json_put_double(j, "overrun_fraction", e->overrun_fraction);
	weir_json_put_u64(j, "oversize", e->oversize);
	weir_json_put_u64(j, "unroutable", e->unroutable);
	weir_json_put_bool(j, "stamped", e->stamped);
	weir_json_put_u64(j, "unstamped", e->unstamped);
	weir_json_put_double(j, "elapsed_s", e->elapsed_s);
	weir_json_put_double(j, "cpu_fraction", e->cpu_fraction);
	weir_json_put_double(j, "realtime_fraction", e->realtime_fraction);
	weir_json_put_u64(j, "snapshots_lost", e->snapshots_lost);
	weir_json_put_string(j, "kernel", e->kernel);
}

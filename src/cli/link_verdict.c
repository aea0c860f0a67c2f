/* SPDX-License-Identifier: MIT */
#include "link.h"

#include "record/json.h"
#include "report/page.h"
#include "run/judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct document {
	const struct weir_link_report *report;
	struct weir_emulation emulation;
};

static void put_limit(struct weir_json *j, const char *name, u64 limit)
{
	if (limit)
		weir_json_put_u64(j, name, limit);
	else
		weir_json_put_null(j, name);
}

static void put_asked_way(struct weir_json *j, const char *name, const struct weir_link_path *p, u32 way)
{
	u64 slowest_bps = 0;
	weir_json_put_object(j, name);
	weir_json_put_array(j, "hops");
	for (u32 i = 0; i < p->n[way]; i++) {
		u64 bps = p->mean_bps[p->order[way][i]];
		if (bps && (!slowest_bps || bps < slowest_bps))
			slowest_bps = bps;
		weir_json_string(j, p->hop[p->order[way][i]].name);
	}
	weir_json_array_end(j);
	put_limit(j, "rate_bps", slowest_bps);
	weir_json_put_double(j, "delay_ms", (double)p->delay_ns[way] / 1e6);
	weir_json_object_end(j);
}

static void put_spread(struct weir_json *j, const char *name, const struct weir_hist *ns)
{
	if (!ns->n) {
		weir_json_put_null(j, name);
		return;
	}
	weir_json_key(j, name);
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_double(j, "min", (double)ns->min / 1e6);
	weir_json_put_double(j, "mean", weir_hist_mean(ns) / 1e6);
	weir_json_put_double(j, "p50", weir_hist_quantile(ns, .5) / 1e6);
	weir_json_put_double(j, "p95", weir_hist_quantile(ns, .95) / 1e6);
	weir_json_put_double(j, "p99", weir_hist_quantile(ns, .99) / 1e6);
	weir_json_put_double(j, "max", (double)ns->max / 1e6);
	weir_json_object_end(j);
}

static void put_delivered_way(struct weir_json *j, const char *name, const struct weir_fidelity *f, u32 way)
{
	double elapsed_s = (double)f->elapsed_ns / 1e9;
	weir_json_put_object(j, name);
	weir_json_put_u64(j, "packets", f->packets[way]);
	weir_json_put_u64(j, "bytes", f->bytes[way]);
	weir_json_put_double(j, "mean_bps", elapsed_s > 0 ? (double)f->bytes[way] * 8 / elapsed_s : 0);
	put_spread(j, "delay_ms", &f->delay_ns[way]);
	weir_json_object_end(j);
}

static void put_hop(struct weir_json *j, const struct weir_hop_config *c, u64 mean_bps,
		    const struct weir_link_stats *s, const struct weir_hist *wait_ns)
{
	u64 losses = s->dropped_packets[WEIR_DROP_LOSS];
	weir_json_object(j);
	weir_json_put_string(j, "name", c->name);
	weir_json_put_string(j, "aqm", weir_link_queue_name(c->queue.aqm));
	put_limit(j, "rate_bps", mean_bps);
	weir_json_put_double(j, "delay_ms", (double)c->delay_ns / 1e6);
	put_limit(j, "buffer_bytes", c->queue.limit_bytes);
	put_limit(j, "buffer_packets", c->queue.limit_packets);
	weir_json_put_u64(j, "in_packets", s->in_packets);
	weir_json_put_u64(j, "in_bytes", s->in_bytes);
	weir_json_put_u64(j, "out_packets", s->out_packets);
	weir_json_put_u64(j, "out_bytes", s->out_bytes);
	weir_json_put_u64(j, "drops", weir_link_dropped(s) - losses);
	weir_json_key(j, "drops_by");
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_u64(j, "overflow", s->dropped_packets[WEIR_DROP_OVERFLOW]);
	weir_json_put_u64(j, "aqm", s->dropped_packets[WEIR_DROP_AQM]);
	weir_json_put_u64(j, "policer", s->dropped_packets[WEIR_DROP_POLICER]);
	weir_json_put_u64(j, "loss", losses);
	weir_json_object_end(j);
	weir_json_put_u64(j, "marks", s->marked_packets);
	weir_json_put_u64(j, "duplicated", s->duplicated_packets);
	put_spread(j, "queue_delay_ms", wait_ns);
	weir_json_object_end(j);
}

static int fill(FILE *to, void *ctx)
{
	const struct document *d = ctx;
	const struct weir_link_report *r = d->report;
	const struct weir_link_network *n = r->network;
	const struct weir_link_path *p = n->path;
	struct weir_json j;
	weir_json_to_file(&j, to);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.link/1");
	weir_json_put_string(&j, "version", WEIR_VERSION);
	weir_json_put_string(&j, "command", r->hosts->name);
	weir_json_put_i64(&j, "status", r->code);
	weir_json_put_u64(&j, "hosts", r->options->hosts);
	weir_json_put_u64(&j, "seed", r->options->seed);
	weir_emulation_fields(&j, &d->emulation);
	weir_json_put_object(&j, "asked");
	weir_json_put_double(&j, "rtt_ms", (double)n->fidelity.base_rtt_ns / 1e6);
	put_asked_way(&j, "up", p, WEIR_UP);
	put_asked_way(&j, "down", p, WEIR_DOWN);
	weir_json_object_end(&j);
	weir_json_put_object(&j, "delivered");
	put_delivered_way(&j, "up", &n->fidelity, WEIR_UP);
	put_delivered_way(&j, "down", &n->fidelity, WEIR_DOWN);
	weir_json_object_end(&j);
	weir_json_put_array(&j, "hops");
	for (u32 i = 0; i < p->n_hops; i++)
		put_hop(&j, &p->hop[i], p->mean_bps[i], &n->end.hop[i].stats, &n->wait_ns[i]);
	weir_json_array_end(&j);
	weir_json_put_u64(&j, "left_over", r->left_over);
	weir_json_put_u64(&j, "log_events_lost", n->lost.events);
	weir_json_put_u64(&j, "capture_packets_lost", n->lost.packets);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

static void tell(const struct weir_link_report *r, const struct weir_emulation *e)
{
	const struct weir_live_lost *lost = &r->network->lost;
	if (r->left_over)
		fprintf(stderr, "%s: ended %u process%s that the command left\n", r->call->path, r->left_over,
			r->left_over == 1 ? "" : "es");
	if (lost->events)
		fprintf(stderr, "%s: the log lacks %llu events: writing it could not keep up\n",
			r->call->path, lost->events);
	if (lost->packets)
		fprintf(stderr, "%s: the capture lacks %llu packets: writing it could not keep up\n",
			r->call->path, lost->packets);
	if (!r->options->quiet)
		fprintf(stderr, "%s: %s: %s\n", r->call->path, e->verdict,
			e->up.packets + e->down.packets ? e->reason : "nothing passed");
}

int weir_link_report(struct weir_link_report *r)
{
	struct document *d = calloc(1, sizeof *d);
	struct weir_diag *diag = calloc(1, sizeof *diag);
	int code = d && diag ? WEIR_EXIT_OK : weir_error(r->call, WEIR_EXIT_FAILED, "out of memory");
	if (code == WEIR_EXIT_OK) {
		d->report = r;
		weir_judge(&r->network->fidelity, &d->emulation);
		r->invalid = strcmp(d->emulation.verdict, weir_verdict_names[WEIR_INVALID]) == 0;
		tell(r, &d->emulation);
	}
	if (code == WEIR_EXIT_OK && r->options->verdict) {
		snprintf(diag->file, sizeof diag->file, "%s", r->options->verdict);
		code = weir_page_write(r->options->verdict, fill, d, diag);
		weir_diag_print(diag, NULL, stderr);
	}
	if (code == WEIR_EXIT_OK && r->options->json && fill(stdout, d) < 0)
		code = weir_error(r->call, WEIR_EXIT_FAILED, "cannot write to standard output: %s",
				  strerror(errno));
	free(d);
	free(diag);
	return code;
}

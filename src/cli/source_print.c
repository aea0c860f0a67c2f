/* SPDX-License-Identifier: MIT */
#include "record/json.h"
#include "source.h"

#include <stdio.h>

#define DRAW_NS (250 * WEIR_NS_PER_MS)
#define PATIENCE_NS (3 * WEIR_NS_PER_S) /* before a word about an end that is silent */

static void draw(struct weir_source_run *r, u64 now_ns)
{
	const struct weir_source *s = &r->host.source;
	double backlog = (double)(s->sent - s->acked);
	if (s->phase == WEIR_SOURCE_RUNNING && s->estimate.known)
		fprintf(stderr,
			"\r\033[K%.40s  %.3g updates/s  age %.3g ms  RTT %.3g ms  backlog %.0f  lost %llu",
			r->peer, s->rate_hz, weir_ledger_age_s(&s->estimate, now_ns) * 1e3, s->srtt_s * 1e3,
			backlog, s->stats.lost);
	else
		fprintf(stderr, "\r\033[K%.40s  %s", r->peer,
			s->phase == WEIR_SOURCE_OUTAGE ? "no answer; trying" : "connecting");
	fflush(stderr);
	r->bar.shown = true;
}

static void tell_silence(struct weir_source_run *r, u64 now_ns)
{
	if (r->quiet || r->told_ns || r->host.heard || now_ns < r->begun_ns + PATIENCE_NS)
		return;
	const char *why = r->host.guard->ops->why(r->host.guard);
	weir_progress_end(&r->bar);
	r->told_ns = now_ns;
	if (*why)
		weir_error(r->call, WEIR_EXIT_OK, "%s: %s; still trying", r->peer, why);
	else
		weir_error(r->call, WEIR_EXIT_OK,
			   "no answer from %s yet: does `weir monitor` run there? still trying", r->peer);
}

u64 weir_source_print_progress(struct weir_source_run *r, u64 now_ns)
{
	weir_address_print(&r->config.to[r->host.at], r->peer);
	tell_silence(r, now_ns);
	if (!r->bar.enabled || r->quiet)
		return r->told_ns || r->host.heard ? WEIR_NEVER : r->begun_ns + PATIENCE_NS;
	if (now_ns >= r->draw_ns) {
		draw(r, now_ns);
		r->draw_ns = now_ns + DRAW_NS;
	}
	return r->draw_ns;
}

static void put_updates(struct weir_json *j, const struct weir_source_run *r)
{
	const struct weir_source_stats *s = &r->host.source.stats;
	weir_json_put_object(j, "values");
	weir_json_put_u64(j, "offered", s->offered);
	weir_json_put_u64(j, "replaced", s->replaced);
	weir_json_put_u64(j, "expired", s->expired);
	weir_json_put_u64(j, "too_large", r->input.too_large);
	weir_json_put_u64(j, "failed", r->input.failed);
	weir_json_object_end(j);
	weir_json_put_object(j, "updates");
	weir_json_put_u64(j, "sent", s->updates);
	weir_json_put_u64(j, "sent_again", s->again);
	weir_json_put_u64(j, "acked", s->acked);
	weir_json_put_u64(j, "overtaken", s->overtaken);
	weir_json_put_u64(j, "lost", s->lost);
	weir_json_put_u64(j, "unsent", r->host.stats.unsent + r->host.udp.stats.unsent);
	weir_json_object_end(j);
}

static void put_path(struct weir_json *j, const struct weir_source_run *r)
{
	const struct weir_source *s = &r->host.source;
	const struct weir_source_stats *c = &s->stats;
	weir_json_put_object(j, "events");
	weir_json_put_u64(j, "probes", c->probes);
	weir_json_put_u64(j, "outages", c->outages);
	weir_json_put_u64(j, "stalls", c->stalls);
	weir_json_put_u64(j, "resets", c->resets);
	weir_json_put_u64(j, "sessions", c->sessions);
	weir_json_put_u64(j, "path_changes", c->path_changes);
	weir_json_put_u64(j, "clock_jumps", c->clock_jumps);
	weir_json_put_u64(j, "acks_late", c->acks_late);
	weir_json_put_u64(j, "acks_foreign", c->acks_foreign);
	weir_json_put_u64(j, "acks_bad", c->acks_bad);
	weir_json_put_u64(j, "strange", r->host.stats.strange + r->host.udp.stats.truncated);
	weir_json_put_u64(j, "refused", r->host.udp.stats.refused);
	weir_json_object_end(j);
}

static void put_rtt(struct weir_json *j, const struct weir_source *s)
{
	if (!(s->srtt_s > 0)) {
		weir_json_put_null(j, "rtt_ms");
		return;
	}
	weir_json_put_object(j, "rtt_ms");
	weir_json_put_double(j, "min", s->min_rtt_s * 1e3);
	weir_json_put_double(j, "smoothed", s->srtt_s * 1e3);
	weir_json_object_end(j);
}

static void print_json(struct weir_source_run *r)
{
	const struct weir_source *s = &r->host.source;
	struct weir_json j;
	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.source/1");
	weir_json_put_string(&j, "monitor", r->peer);
	weir_json_put_string(&j, "id", r->config.name[0] ? r->config.name : NULL);
	weir_json_put_string(&j, "session", r->host.guard->ops->name);
	weir_json_put_string(&j, "controller", s->config.ops->name);
	weir_json_put_double(&j, "duration_s", (double)(r->ended_ns - r->begun_ns) / 1e9);
	weir_json_put_bool(&j, "settled", weir_source_settled(s));
	put_updates(&j, r);
	if (s->estimate.known) {
		weir_json_put_object(&j, "age_estimate_ms");
		weir_json_put_double(&j, "mean", weir_ledger_mean_s(&s->estimate) * 1e3);
		weir_json_put_double(&j, "peak_mean", weir_ledger_peak_mean_s(&s->estimate) * 1e3);
		weir_json_put_double(&j, "peak_max", s->estimate.peak_max_s * 1e3);
		weir_json_object_end(&j);
	} else {
		weir_json_put_null(&j, "age_estimate_ms");
	}
	weir_json_put_double(&j, "backlog_mean", weir_source_backlog_mean(s));
	put_rtt(&j, s);
	weir_json_put_double(&j, "rate_hz", s->rate_hz);
	put_path(&j, r);
	weir_json_object_end(&j);
	weir_json_finish(&j);
}

void weir_source_print_end(struct weir_source_run *r)
{
	weir_progress_end(&r->bar);
	weir_source_advance(&r->host.source, r->ended_ns);
	weir_address_print(&r->config.to[r->host.at], r->peer);
	if (r->json)
		print_json(r);
}

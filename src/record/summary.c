/* SPDX-License-Identifier: MIT */
#include "summary.h"

#include "core/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void weir_spread_from_hist(struct weir_spread *s, const struct weir_hist *h, double divisor)
{
	*s = (struct weir_spread){.n = h->n};
	if (h->n == 0)
		return;
	s->min = (double)h->min / divisor;
	s->mean = weir_hist_mean(h) / divisor;
	s->p50 = weir_hist_quantile(h, .50) / divisor;
	s->p95 = weir_hist_quantile(h, .95) / divisor;
	s->p99 = weir_hist_quantile(h, .99) / divisor;
	s->max = (double)h->max / divisor;
}

void weir_summary_free(struct weir_summary *s)
{
	free(s->flow);
	free(s->group);
	free(s->link);
	s->flow = NULL;
	s->group = NULL;
	s->link = NULL;
	s->n_flows = s->n_groups = s->n_links = 0;
}

void weir_summary_note(struct weir_summary *s, const char *format, ...)
{
	if (s->n_notes == WEIR_NOTES_MAX)
		return;
	va_list ap;
	va_start(ap, format);
	vsnprintf(s->note[s->n_notes], sizeof s->note[0], format, ap);
	va_end(ap);
	for (u32 i = 0; i < s->n_notes; i++)
		if (strcmp(s->note[i], s->note[s->n_notes]) == 0)
			return;
	s->n_notes++;
}

static const struct {
	const char *table, *text;
	double factor, divisor;
} units[] = {{"ns", "ms", 1, 1e6},
	     {"Bps", "bps", 8, 1},
	     {"ratio", "ratio", 1, 1e6},
	     {"Hz", "hz", 1, 1e6},
	     {"flag", "", 1, 1}};

void weir_signal_name(char out[WEIR_NAME_BYTES], const char *name, const char *unit)
{
	const char *text = weir_words_are(unit) ? "" : unit;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].table, unit) == 0)
			text = units[i].text;
	snprintf(out, WEIR_NAME_BYTES, "%s%s%s", name, *text ? "_" : "", text);
}

double weir_signal_value(const char *unit, double value)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].table, unit) == 0)
			return value * units[i].factor / units[i].divisor;
	return value;
}

/* An object on a line of its own; weir_json_object_end closes it. */
static void open_part(struct weir_json *j, const char *name)
{
	weir_json_key(j, name);
	weir_json_line(j);
	weir_json_object(j);
}

static void put_spread(struct weir_json *j, const char *name, const struct weir_spread *s)
{
	if (s->n == 0) {
		weir_json_put_null(j, name);
		return;
	}
	open_part(j, name);
	weir_json_put_double(j, "min", s->min);
	weir_json_put_double(j, "mean", s->mean);
	weir_json_put_double(j, "p50", s->p50);
	weir_json_put_double(j, "p95", s->p95);
	weir_json_put_double(j, "p99", s->p99);
	weir_json_put_double(j, "max", s->max);
	weir_json_object_end(j);
}

static void put_count(struct weir_json *j, const char *name, u64 n)
{
	if (n == WEIR_NEVER)
		weir_json_put_null(j, name);
	else
		weir_json_put_u64(j, name, n);
}

static void put_name(struct weir_json *j, const char *key, const char *text)
{
	weir_json_put_string(j, key, *text ? text : NULL);
}

static void put_age(struct weir_json *j, const char *name, const struct weir_age_summary *a)
{
	if (isnan(a->mean_ms)) {
		weir_json_put_null(j, name);
		return;
	}
	open_part(j, name);
	weir_json_put_double(j, "mean", a->mean_ms);
	weir_json_put_double(j, "peak_mean", a->peak_mean_ms);
	weir_json_put_double(j, "peak_max", a->peak_max_ms);
	weir_json_put_double(j, "p50", a->p50_ms);
	weir_json_put_double(j, "p95", a->p95_ms);
	weir_json_put_double(j, "p99", a->p99_ms);
	weir_json_put_double(j, "over_fraction", a->over_fraction);
	weir_json_object_end(j);
}

static void put_updates(struct weir_json *j, const struct weir_updates_summary *u)
{
	open_part(j, "updates");
	put_count(j, "sent", u->sent);
	put_count(j, "fresh", u->fresh);
	put_count(j, "late", u->late);
	put_count(j, "replaced", u->replaced);
	put_count(j, "expired", u->expired);
	put_count(j, "outages", u->outages);
	weir_json_put_double(j, "sent_hz", u->sent_hz);
	weir_json_put_double(j, "fresh_hz", u->fresh_hz);
	weir_json_object_end(j);
}

static void put_flow_age(struct weir_json *j, const struct weir_flow_summary *f)
{
	if (!f->aged) {
		weir_json_put_null(j, "age_ms");
		weir_json_put_null(j, "age_estimate_ms");
		weir_json_put_null(j, "updates");
		return;
	}
	put_age(j, "age_ms", &f->age);
	put_age(j, "age_estimate_ms", &f->age_estimate);
	put_updates(j, &f->updates);
}

static void put_video(struct weir_json *j, const struct weir_video_summary *v)
{
	if (!v->there) {
		weir_json_put_null(j, "video");
		return;
	}
	open_part(j, "video");
	weir_json_put_u64(j, "chunks", v->chunks);
	weir_json_put_double(j, "bitrate_bps", v->bitrate_bps);
	weir_json_put_u64(j, "switches", v->switches);
	weir_json_put_double(j, "buffer_mean_s", v->buffer_mean_s);
	weir_json_put_double(j, "played_s", v->played_s);
	weir_json_put_u64(j, "rebuffers", v->rebuffers);
	weir_json_put_double(j, "rebuffer_s", v->rebuffer_s);
	weir_json_put_double(j, "startup_s", v->startup_s);
	weir_json_object_end(j);
}

/* What the values of a choice stand for. */
static void put_words(struct weir_json *j, const char *words)
{
	const char *at;
	size_t bytes;
	if (!words)
		return;
	weir_json_put_array(j, "words");
	for (u64 i = 0; (at = weir_words_at(words, i, &bytes)) != NULL; i++) {
		char word[WEIR_NAME_BYTES];
		snprintf(word, sizeof word, "%.*s", (int)weir_min(bytes, sizeof word - 1), at);
		weir_json_string(j, word);
	}
	weir_json_array_end(j);
}

static void put_flow(struct weir_json *j, const struct weir_flow_summary *f)
{
	weir_json_object(j);
	weir_json_put_string(j, "name", f->name);
	weir_json_put_string(j, "path", f->path);
	put_name(j, "controller", f->controller);
	weir_json_put_string(j, "application", f->application);
	weir_json_put_double(j, "start_s", f->start_s);
	weir_json_put_double(j, "active_s", f->active_s);
	weir_json_put_double(j, "goodput_bps", f->goodput_bps);
	weir_json_put_double(j, "throughput_bps", f->throughput_bps);
	put_spread(j, "rtt_ms", &f->rtt_ms);
	put_spread(j, "queue_delay_ms", &f->queue_delay_ms);
	put_spread(j, "one_way_delay_ms", &f->one_way_delay_ms);
	put_count(j, "packets_sent", f->packets_sent);
	weir_json_put_u64(j, "packets_lost", f->packets_lost);
	put_count(j, "retransmitted", f->retransmitted);
	weir_json_put_double(j, "loss_fraction", f->loss_fraction);
	put_count(j, "timeouts", f->timeouts);
	put_count(j, "recoveries", f->recoveries);
	put_count(j, "spurious", f->spurious);
	weir_json_put_u64(j, "ce_packets", f->ce_packets);
	weir_json_put_double(j, "backlog_mean", f->backlog_mean);
	weir_json_put_double(j, "cwnd_mean_bytes", f->cwnd_mean_bytes);
	put_flow_age(j, f);
	put_video(j, &f->video);
	weir_json_put_object(j, "signals");
	for (u32 i = 0; i < f->n_signals; i++) {
		weir_json_key(j, f->signal[i].name);
		weir_json_line(j);
		weir_json_object(j);
		weir_json_put_double(j, "mean", f->signal[i].mean);
		weir_json_put_double(j, "last", f->signal[i].last);
		put_words(j, f->signal[i].words);
		weir_json_object_end(j);
	}
	weir_json_object_end(j);
	weir_json_object_end(j);
}

static void put_group_age(struct weir_json *j, const struct weir_group_summary *g)
{
	static const char *const names[] = {"age_ms", "flow_age_ms", "jain_age", "backlog_mean", "update_hz"};
	for (u32 i = 0; !g->aged && i < sizeof names / sizeof names[0]; i++)
		weir_json_put_null(j, names[i]);
	if (!g->aged)
		return;
	put_age(j, "age_ms", &g->age);
	open_part(j, "flow_age_ms");
	weir_json_put_double(j, "p10", g->age_p10_ms);
	weir_json_put_double(j, "p50", g->age_p50_ms);
	weir_json_put_double(j, "p90", g->age_p90_ms);
	weir_json_object_end(j);
	weir_json_put_double(j, "jain_age", g->jain_age);
	weir_json_put_double(j, "backlog_mean", g->backlog_mean);
	weir_json_put_double(j, "update_hz", g->update_hz);
}

static void put_fct(struct weir_json *j, const struct weir_fct_summary *c)
{
	weir_json_object(j);
	weir_json_put_string(j, "size", c->size);
	weir_json_put_u64(j, "min_bytes", c->min_bytes);
	put_count(j, "max_bytes", c->max_bytes);
	weir_json_put_u64(j, "n", c->fct_ms.n);
	put_spread(j, "fct_ms", &c->fct_ms);
	weir_json_object_end(j);
}

static void put_group(struct weir_json *j, const struct weir_group_summary *g)
{
	weir_json_object(j);
	weir_json_put_string(j, "name", g->name);
	weir_json_put_u64(j, "flows", g->flows);
	weir_json_put_string(j, "path", g->path);
	put_name(j, "controller", g->controller);
	weir_json_put_string(j, "application", g->application);
	weir_json_put_double(j, "goodput_bps", g->goodput_bps);
	weir_json_put_double(j, "throughput_bps", g->throughput_bps);
	open_part(j, "flow_throughput_bps");
	weir_json_put_double(j, "p10", g->throughput_p10_bps);
	weir_json_put_double(j, "p50", g->throughput_p50_bps);
	weir_json_put_double(j, "p90", g->throughput_p90_bps);
	weir_json_object_end(j);
	weir_json_put_double(j, "jain_throughput", g->jain_throughput);
	put_spread(j, "rtt_ms", &g->rtt_ms);
	put_spread(j, "queue_delay_ms", &g->queue_delay_ms);
	put_spread(j, "one_way_delay_ms", &g->one_way_delay_ms);
	weir_json_put_u64(j, "packets_sent", g->packets_sent);
	weir_json_put_u64(j, "packets_lost", g->packets_lost);
	put_count(j, "retransmitted", g->retransmitted);
	weir_json_put_double(j, "loss_fraction", g->loss_fraction);
	put_count(j, "timeouts", g->timeouts);
	put_count(j, "recoveries", g->recoveries);
	put_count(j, "spurious", g->spurious);
	weir_json_put_u64(j, "ce_packets", g->ce_packets);
	put_group_age(j, g);
	weir_json_put_double(j, "elastic_fraction", g->elastic_fraction);
	weir_json_put_array(j, "fct");
	for (u32 i = 0; i < g->n_fct; i++)
		put_fct(j, &g->fct[i]);
	weir_json_array_end(j);
	weir_json_object_end(j);
}

static void put_link(struct weir_json *j, const struct weir_link_summary *l)
{
	weir_json_object(j);
	weir_json_put_string(j, "name", l->name);
	weir_json_put_double(j, "capacity_bps", l->capacity_bps);
	weir_json_put_double(j, "throughput_bps", l->throughput_bps);
	weir_json_put_double(j, "utilization", l->utilization);
	weir_json_put_u64(j, "packets", l->packets);
	weir_json_put_u64(j, "drops", l->drops);
	weir_json_put_object(j, "drops_by");
	weir_json_put_u64(j, "overflow", l->drops_overflow);
	weir_json_put_u64(j, "aqm", l->drops_aqm);
	weir_json_put_u64(j, "policer", l->drops_policer);
	weir_json_put_u64(j, "loss", l->drops_loss);
	weir_json_object_end(j);
	weir_json_put_u64(j, "marks", l->marks);
	weir_json_put_double(j, "queue_mean_bytes", l->queue_mean_bytes);
	weir_json_put_double(j, "queue_max_bytes", l->queue_max_bytes);
	put_spread(j, "queue_delay_ms", &l->queue_delay_ms);
	weir_json_object_end(j);
}

static void put_emulation(struct weir_json *j, const struct weir_emulation *e)
{
	if (!e->verdict) {
		weir_json_put_null(j, "emulation");
		return;
	}
	weir_json_put_object(j, "emulation");
	weir_emulation_fields(j, e);
	weir_json_object_end(j);
}

static void put_head(struct weir_json *j, const struct weir_summary *s)
{
	weir_json_put_string(j, "schema", "weir.summary/1");
	weir_json_put_string(j, "scenario", s->scenario);
	weir_json_put_string(j, "title", s->title);
	weir_json_put_string(j, "backend", s->backend);
	weir_json_put_u64(j, "seed", s->seed);
	weir_json_put_string(j, "version", WEIR_VERSION);
	weir_json_put_double(j, "wall_s", s->wall_s);
	weir_json_put_double(j, "simulated_s", s->simulated_s);
	weir_json_put_bool(j, "interrupted", s->interrupted);
	weir_json_put_double(j, "warmup_s", s->warmup_s);
	weir_json_put_double(j, "sampling_s", s->sampling_s);
	weir_json_put_double(j, "flow_sampling_s", s->flow_sampling_s);
	put_count(j, "events", s->events);
	put_count(j, "packets", s->packets);
	put_emulation(j, &s->emulation);
	weir_json_put_array(j, "notes");
	for (u32 i = 0; i < s->n_notes; i++)
		weir_json_string(j, s->note[i]);
	weir_json_array_end(j);
}

void weir_summary_fields(struct weir_json *j, const struct weir_summary *s)
{
	put_head(j, s);
	weir_json_put_array(j, "flows");
	for (u32 i = 0; i < s->n_flows; i++)
		put_flow(j, &s->flow[i]);
	weir_json_array_end(j);
	weir_json_put_array(j, "groups");
	for (u32 i = 0; i < s->n_groups; i++)
		put_group(j, &s->group[i]);
	weir_json_array_end(j);
	weir_json_put_array(j, "links");
	for (u32 i = 0; i < s->n_links; i++)
		put_link(j, &s->link[i]);
	weir_json_array_end(j);
	weir_json_put_array(j, "fct_ms");
	for (u32 i = 0; i < s->n_fct; i++)
		put_fct(j, &s->fct[i]);
	weir_json_array_end(j);
	weir_json_put_object(j, "fairness");
	weir_json_put_double(j, "jain_throughput", s->jain_throughput);
	if (s->jain_age > 0)
		weir_json_put_double(j, "jain_age", s->jain_age);
	else
		weir_json_put_null(j, "jain_age");
	weir_json_object_end(j);
}

/* SPDX-License-Identifier: MIT */
#include "metrics.h"

#include "record/number.h"
#include "text.h"

#include <math.h>
#include <string.h>

static const double bound_s[WEIR_METRICS_BUCKETS] = {.001, .0025, .005, .01, .025, .05,
						     .1,   .25,	  .5,	1,   2.5,  10};

void weir_metrics_age(struct weir_metrics_ages *a, double age_s)
{
	u32 i = 0;
	while (i < WEIR_METRICS_BUCKETS && age_s > bound_s[i])
		i++;
	if (i < WEIR_METRICS_BUCKETS)
		a->bucket[i]++;
	a->n++;
	a->sum_s += age_s;
}

void weir_metric(FILE *out, const char *name, enum weir_metric_type type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		type == WEIR_METRIC_COUNTER ? "counter" : "gauge");
}

void weir_metric_u64(FILE *out, const char *name, u64 value)
{
	fprintf(out, "%s %llu\n", name, value);
}

/* What may stand between the quotes of a label; bytes that are no UTF-8 become '?'. */
static void put_escaped(FILE *out, const char *text)
{
	bool good = weir_is_utf8((const u8 *)text, strlen(text));
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			fputc('\\', out);
		if (*text == '\n')
			fputs("\\n", out);
		else
			fputc(good || (u8)*text < 0x80 ? *text : '?', out);
	}
}

void weir_metric_label_u64(FILE *out, const char *name, const char *label, const char *is, u64 value)
{
	fprintf(out, "%s{%s=\"", name, label);
	put_escaped(out, is);
	fprintf(out, "\"} %llu\n", value);
}

static void put_double(FILE *out, double value)
{
	char text[WEIR_NUMBER_MAX];
	weir_number_format(text, value);
	fprintf(out, " %s\n", text);
}

void weir_metrics_ages(FILE *out, const struct weir_metrics_ages *a)
{
	static const char name[] = "weir_age_at_arrival_seconds";
	u64 below = 0;
	fprintf(out, "# HELP %s Age of fresh values when they came.\n# TYPE %s histogram\n", name, name);
	for (u32 i = 0; i < WEIR_METRICS_BUCKETS; i++) {
		below += a->bucket[i];
		fprintf(out, "%s_bucket{le=\"%g\"} %llu\n", name, bound_s[i], below);
	}
	fprintf(out, "%s_bucket{le=\"+Inf\"} %llu\n%s_sum", name, a->n, name);
	put_double(out, a->sum_s);
	fprintf(out, "%s_count %llu\n", name, a->n);
}

/* ---- series of single sources ---- */

struct series {
	const char *name, *help;
	enum weir_metric_type type;
	/* false: nothing is known, and nothing is written. */
	bool (*value)(const struct weir_monitor *m, u64 now_ns, double *x);
};

static bool age(const struct weir_monitor *m, u64 now_ns, double *x)
{
	struct weir_age_reading r = weir_monitor_age(m, now_ns);
	*x = r.age_s;
	return r.known;
}

static bool age_error(const struct weir_monitor *m, u64 now_ns, double *x)
{
	struct weir_age_reading r = weir_monitor_age(m, now_ns);
	*x = r.high_s - r.age_s;
	return r.known && r.high_s > 0;
}

static bool silence(const struct weir_monitor *m, u64 now_ns, double *x)
{
	*x = now_ns > m->heard_ns ? (double)(now_ns - m->heard_ns) / 1e9 : 0;
	return true;
}

static bool over(const struct weir_monitor *m, u64 now_ns, double *x)
{
	(void)now_ns;
	*x = weir_ledger_over_fraction(&m->age);
	return m->age.bound_ns != 0 && weir_ledger_time_s(&m->age) > 0;
}

static bool rate(const struct weir_monitor *m, u64 now_ns, double *x)
{
	(void)now_ns;
	*x = m->gap_s > 0 ? 1 / m->gap_s : 0;
	return m->gap_s > 0;
}

static bool rtt(const struct weir_monitor *m, u64 now_ns, double *x)
{
	(void)now_ns;
	*x = (double)m->rtt_us / 1e6;
	return m->rtt_us != 0;
}

static bool backlog(const struct weir_monitor *m, u64 now_ns, double *x)
{
	(void)now_ns;
	*x = (double)m->backlog_updates;
	return true;
}

static bool fresh(const struct weir_monitor *m, u64 now_ns, double *x)
{
	(void)now_ns;
	*x = (double)m->fresh;
	return true;
}

static bool late(const struct weir_monitor *m, u64 now_ns, double *x)
{
	(void)now_ns;
	*x = (double)m->late;
	return true;
}

static bool lost(const struct weir_monitor *m, u64 now_ns, double *x)
{
	(void)now_ns;
	*x = (double)weir_monitor_lost(m);
	return true;
}

static const struct series all[] = {
    {"weir_source_age_seconds", "Age of the newest value now.", WEIR_METRIC_GAUGE, age},
    {"weir_source_age_error_seconds", "By how much that age may be off.", WEIR_METRIC_GAUGE, age_error},
    {"weir_source_age_over_bound_ratio", "Share of the time above --age-bound.", WEIR_METRIC_GAUGE, over},
    {"weir_source_silence_seconds", "Time since anything was heard of the source.", WEIR_METRIC_GAUGE,
     silence},
    {"weir_source_rate_hertz", "Fresh values a second, smoothed.", WEIR_METRIC_GAUGE, rate},
    {"weir_source_rtt_seconds", "Round trip time, as the source says.", WEIR_METRIC_GAUGE, rtt},
    {"weir_source_backlog_updates", "Updates without an acknowledgement, as the source says.",
     WEIR_METRIC_GAUGE, backlog},
    {"weir_source_fresh_total", "Fresh values.", WEIR_METRIC_COUNTER, fresh},
    {"weir_source_late_total", "Updates that came after a newer one.", WEIR_METRIC_COUNTER, late},
    {"weir_source_lost_total", "Updates that never came.", WEIR_METRIC_COUNTER, lost},
};

/* Two keys may give the same name and flow; a series must be there once. */
static bool is_repeated(const struct weir_monitors *t, const struct weir_told_names *names, const u32 *place,
			u32 n, u32 candidate)
{
	for (u32 i = 0; i < n; i++)
		if (t->places[place[i]].flow_id == t->places[candidate].flow_id &&
		    !strcmp(names->id[place[i]], names->id[candidate]) &&
		    !strcmp(names->key[place[i]], names->key[candidate]))
			return true;
	return false;
}

static void put_series(FILE *out, const struct weir_monitors *t, const struct weir_told_names *names,
		       u64 now_ns)
{
	u32 place[WEIR_METRICS_SOURCES], n = 0, seen = 0;
	for (u32 i = 0; i < t->capacity && seen < t->count && n < WEIR_METRICS_SOURCES; i++) {
		if (!weir_monitors_at(t, i))
			continue;
		seen++;
		if (!is_repeated(t, names, place, n, i))
			place[n++] = i;
	}
	for (u32 s = 0; s < sizeof all / sizeof all[0]; s++) {
		weir_metric(out, all[s].name, all[s].type, all[s].help);
		for (u32 i = 0; i < n; i++) {
			double x;
			if (!all[s].value(&t->places[place[i]], now_ns, &x))
				continue;
			fprintf(out, "%s{source=\"", all[s].name);
			put_escaped(out, names->id[place[i]]);
			if (names->key[place[i]][0]) {
				fputs("\",key=\"", out);
				put_escaped(out, names->key[place[i]]);
			}
			fprintf(out, "\",flow=\"%016llx\"}", t->places[place[i]].flow_id);
			put_double(out, x);
		}
	}
}

void weir_metrics_table(FILE *out, const struct weir_monitors *t, const struct weir_told_names *names,
			u64 now_ns)
{
	weir_metric(out, "weir_sources", WEIR_METRIC_GAUGE, "Sources that are kept in mind.");
	weir_metric_u64(out, "weir_sources", t->count);
	weir_metric(out, "weir_sources_capacity", WEIR_METRIC_GAUGE, "The most that can be.");
	weir_metric_u64(out, "weir_sources_capacity", t->capacity);
	weir_metric(out, "weir_sources_expired_total", WEIR_METRIC_COUNTER,
		    "Sources forgotten after a silence.");
	weir_metric_u64(out, "weir_sources_expired_total", t->expired);
	weir_metric(out, "weir_packets_total", WEIR_METRIC_COUNTER, "Packets by what became of them.");
	for (u32 i = 0; i < WEIR_MONITOR_VERDICTS; i++)
		weir_metric_label_u64(out, "weir_packets_total", "verdict", weir_monitor_words[i],
				      t->verdicts[i]);
	put_series(out, t, names, now_ns);
}

/* SPDX-License-Identifier: MIT */
#include "link_scenario.h"

#include "core/nearest.h"
#include "run/check.h"
#include "scenario/quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETS_MAX 256
#define SLOW_BPS 200000 /* below: handshakes and timeouts, not congestion control, fill the time */

static const char template[] = "duration: 30 d\n"
			       "paths:\n"
			       "  link:\n"
			       "    hops: [{name: up, rate: unlimited}]\n"
			       "    back: {hops: [{name: down, rate: unlimited}]}\n";
static const char *const hop_key[WEIR_WAYS] = {"paths.link.hops.0.", "paths.link.back.hops.0."};
static const char *const way_name[WEIR_WAYS] = {"up", "down"};

/* The options as --set arguments, and what the user wrote for each. */
struct arguments {
	const struct weir_invocation *call;
	u32 n;
	char *set[SETS_MAX];
	const char *option[SETS_MAX]; /* without dashes */
	u32 skip[SETS_MAX];	      /* letters of the argument that the user did not write */
	bool failed;
};

static void add(struct arguments *a, const char *option, const char *before, const char *key,
		const char *value)
{
	char *set = NULL;
	if (a->n == SETS_MAX) {
		a->failed = true;
		weir_error(a->call, WEIR_EXIT_USAGE, "more than %d settings", SETS_MAX);
		return;
	}
	int bytes = asprintf(&set, "%s%s%s", before, key, value);
	if (bytes < 0) {
		a->failed = true;
		weir_error(a->call, WEIR_EXIT_FAILED, "out of memory");
		return;
	}
	a->set[a->n] = set;
	a->option[a->n] = option;
	a->skip[a->n++] = (u32)(strlen(before) + strlen(key));
}

static void add_both(struct arguments *a, const char *option, const char *key, const char *value)
{
	for (u32 way = 0; way < WEIR_WAYS; way++)
		add(a, option, hop_key[way], key, value);
}

/* UP,DOWN, or one file for both; a comma in the name of a file that is there is a part of it. */
static void add_traces(struct arguments *a, const char *value)
{
	const char *comma = access(value, F_OK) == 0 ? NULL : strchr(value, ',');
	if (!comma) {
		add_both(a, "trace", "trace=", value);
		return;
	}
	char *up = strndup(value, (size_t)(comma - value));
	if (!up || !*up || !comma[1]) {
		a->failed = true;
		weir_usage_error(a->call, "--trace %s: two files are expected, UP,DOWN, or one for both",
				 value);
	} else {
		add(a, "trace", hop_key[WEIR_UP], "trace=", up);
		add(a, "trace", hop_key[WEIR_DOWN], "trace=", comma + 1);
	}
	free(up);
}

static void add_one_way(struct arguments *a, u32 way)
{
	const char *value;
	for (u32 i = 0; (value = weir_option_at(a->call, way_name[way], i)) != NULL; i++) {
		if (!strchr(value, '=') || value[0] == '=') {
			a->failed = true;
			weir_usage_error(
			    a->call,
			    "--%s %s: KEY=VALUE is expected, with a key of a hop, such as loss.p=1%%",
			    way_name[way], value);
			continue;
		}
		add(a, way_name[way], hop_key[way], "", value);
	}
}

static void add_options(struct arguments *a)
{
	static const char *const same[][2] = {{"rate", "rate="},
					      {"delay", "delay="},
					      {"buffer", "buffer="},
					      {"loss", "loss="},
					      {"aqm", "aqm="}};
	for (u32 i = 0; i < sizeof same / sizeof same[0]; i++) {
		const char *value = weir_option(a->call, same[i][0]);
		if (value)
			add_both(a, same[i][0], same[i][1], value);
	}
	if (weir_option(a->call, "ecn") && weir_option(a->call, "aqm"))
		add_both(a, "ecn", "aqm.ecn=", "true");
	const char *traces = weir_option(a->call, "trace");
	if (traces && weir_option(a->call, "rate")) {
		a->failed = true;
		weir_usage_error(a->call, "--rate and --trace exclude each other");
	} else if (traces) {
		add_traces(a, traces);
	}
	for (u32 way = 0; way < WEIR_WAYS; way++)
		add_one_way(a, way);
}

/* With a file, its own keys and nothing else. */
static void add_sets(struct arguments *a)
{
	static const char *const others[] = {"rate", "delay", "buffer", "loss", "aqm", "trace", "up", "down"};
	for (u32 i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (!weir_option(a->call, others[i]))
			continue;
		a->failed = true;
		weir_usage_error(a->call,
				 "--scenario and --%s exclude each other: --set changes a key of the file",
				 others[i]);
	}
	const char *value;
	for (u32 i = 0; (value = weir_option_at(a->call, "set", i)) != NULL; i++)
		add(a, "set", "", "", value);
}

/* ---- mistakes ---- */

/* The same slip in a value for both directions is one mistake. */
static bool told(const struct weir_diag *one, const struct weir_diag_entry *e)
{
	const struct weir_diag_entry *last = &one->entry[0];
	return one->n && last->column == e->column && strcmp(last->text, e->text) == 0 &&
	       strcmp(last->option, e->option) == 0 && strcmp(last->argument, e->argument) == 0;
}

/* "rate: too large" under the option --rate needs its key only once. */
static const char *without_key(const char *text, const char *option)
{
	size_t bytes = strlen(option);
	return strncmp(text, option, bytes) == 0 && strncmp(text + bytes, ": ", 2) == 0 ? text + bytes + 2
											: text;
}

static void tell(const struct arguments *a, const struct weir_diag *diag, const char *source)
{
	static struct weir_diag one;
	one.n = one.more = 0;
	snprintf(one.file, sizeof one.file, "%s", diag->file);
	for (u32 i = 0; i < diag->n; i++) {
		struct weir_diag_entry e = diag->entry[i];
		u32 set = e.option[0] && e.line ? e.line - 1 : a->n;
		if (set < a->n) {
			const char *written = a->set[set] + a->skip[set];
			e.line = 0;
			e.column = e.column > a->skip[set] ? e.column - a->skip[set] : 1;
			snprintf(e.option, sizeof e.option, "--%s", a->option[set]);
			snprintf(e.argument, sizeof e.argument, "%s", written);
			char text[sizeof e.text];
			snprintf(text, sizeof text, "%s", without_key(e.text, a->option[set]));
			memcpy(e.text, text, sizeof text);
		} else if (!source) {
			e.line = 0; /* of the template, which nobody wrote */
		}
		if (told(&one, &e))
			continue;
		one.entry[0] = e;
		one.n = 1;
		if (set < a->n || !source)
			fprintf(stderr, "%s: ", a->call->path);
		weir_diag_print(&one, source, stderr);
	}
}

/* ---- the path ---- */

static void unknown_path(const struct arguments *a, const struct weir_scenario *s, const char *name)
{
	struct weir_nearest near = weir_nearest_to(name);
	for (u32 i = 0; i < s->n_paths; i++)
		weir_nearest_try(&near, s->paths[i].name);
	if (near.name)
		weir_error(a->call, WEIR_EXIT_USAGE, "--path %s: no path is called so; did you mean %s?",
			   name, near.name);
	else
		weir_error(a->call, WEIR_EXIT_USAGE, "--path %s: no path is called so; the first one is %s",
			   name, s->paths[0].name);
}

/* The path's number, or n_paths after saying what is wrong. */
static u32 choose_path(const struct arguments *a, const struct weir_scenario *s)
{
	const char *name = weir_option(a->call, "path");
	u32 i = 0;
	if (!name && s->n_paths > 1) {
		weir_error(a->call, WEIR_EXIT_USAGE, "%s has %u paths: which one? --path %s", s->name,
			   s->n_paths, s->paths[0].name);
		return s->n_paths;
	}
	while (name && i < s->n_paths && strcmp(s->paths[i].name, name) != 0)
		i++;
	if (i == s->n_paths)
		unknown_path(a, s, name);
	return i;
}

static void warn_slow(const struct arguments *a, const struct weir_link_scenario *l)
{
	for (u32 i = 0; i < l->path.n_hops; i++) {
		char number[48];
		if (l->path.hop[i].rate.kind != WEIR_RATE_TRACE || l->path.mean_bps[i] >= SLOW_BPS)
			continue;
		weir_quantity_print(WEIR_QUANTITY_RATE, l->path.mean_bps[i], number);
		fprintf(stderr, "%s: warning: %s: mean rate %s, below %d kbit/s: expect timeouts\n",
			a->call->path, l->path.hop[i].name, number, SLOW_BPS / 1000);
	}
}

static u64 slowest_bps(const struct weir_link_path *p, u32 way)
{
	u64 slowest = 0;
	for (u32 i = 0; i < p->n[way]; i++) {
		u64 bps = p->mean_bps[p->order[way][i]];
		if (bps && (slowest == 0 || bps < slowest))
			slowest = bps;
	}
	return slowest;
}

static void describe(struct weir_link_scenario *l)
{
	char rate[WEIR_WAYS][48], delay[48];
	for (u32 way = 0; way < WEIR_WAYS; way++) {
		u64 bps = slowest_bps(&l->path, way);
		snprintf(rate[way], sizeof rate[way], "unlimited");
		if (bps)
			weir_quantity_print(WEIR_QUANTITY_RATE, bps, rate[way]);
	}
	weir_quantity_print(WEIR_QUANTITY_TIME, l->path.delay_ns[WEIR_UP], delay);
	bool timed = l->path.delay_ns[WEIR_UP] != 0;
	bool same = strcmp(rate[WEIR_UP], rate[WEIR_DOWN]) == 0;
	snprintf(l->label, sizeof l->label, "%.30s%s%.30s%s%.30s", rate[WEIR_UP], same ? "" : "/",
		 same ? "" : rate[WEIR_DOWN], timed ? " " : "", timed ? delay : "");
}

static int check(const struct arguments *a, const char *file, struct weir_link_scenario *l,
		 struct weir_diag *diag)
{
	const char *const *sets = (const char *const *)a->set;
	l->registry.catalog.real_packet_bytes = WEIR_LINK_MTU_BYTES;
	int failed = file ? weir_scenario_load(file, sets, a->n, &l->registry.catalog, &l->set, diag)
			  : weir_scenario_parse("link", template, sizeof template - 1, sets, a->n,
						&l->registry.catalog, &l->set, diag);
	if (!failed && l->set.n_points != 1)
		return weir_error(a->call, WEIR_EXIT_USAGE, "%s is a list: a link has one value",
				  l->set.axes[0].key);
	failed = failed || weir_scenario_point(&l->set, 0, &l->scenario, diag) < 0 ||
		 weir_check_hops(&l->set, &l->scenario, &l->traces, diag);
	if (failed) {
		tell(a, diag, file ? l->set.text ? l->set.text : "" : NULL);
		return WEIR_EXIT_USAGE;
	}
	u32 path = choose_path(a, &l->scenario);
	if (path == l->scenario.n_paths)
		return WEIR_EXIT_USAGE;
	if (weir_link_path_make(&l->scenario, path, &l->traces, &l->path) < 0)
		return weir_error(a->call, WEIR_EXIT_FAILED, "out of memory");
	warn_slow(a, l);
	describe(l);
	return WEIR_EXIT_OK;
}

int weir_link_scenario_read(const struct weir_invocation *call, struct weir_link_scenario *out)
{
	const char *file = weir_option(call, "scenario");
	memset(out, 0, sizeof *out);
	struct arguments *a = calloc(1, sizeof *a);
	struct weir_diag *diag = calloc(1, sizeof *diag);
	int code = a && diag && weir_registry_init(&out->registry) == 0
		       ? WEIR_EXIT_OK
		       : weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	if (code == WEIR_EXIT_OK) {
		a->call = call;
		if (file)
			add_sets(a);
		else
			add_options(a);
		if (!file && (weir_option(call, "path") || weir_option(call, "set"))) {
			a->failed = true;
			weir_usage_error(call, "--path and --set belong to --scenario FILE");
		}
		code = a->failed ? WEIR_EXIT_USAGE : check(a, file, out, diag);
	}
	for (u32 i = 0; a && i < a->n; i++)
		free(a->set[i]);
	free(a);
	free(diag);
	return code;
}

void weir_link_scenario_free(struct weir_link_scenario *s)
{
	weir_link_path_free(&s->path);
	weir_traces_free(&s->traces);
	weir_scenario_free(&s->scenario);
	weir_scenario_set_free(&s->set);
	weir_registry_free(&s->registry);
}

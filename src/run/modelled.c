/* SPDX-License-Identifier: MIT */
#include "run/modelled.h"

#include "run/buffer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

enum {
	NORMALIZED, /* mean window over BDP, as `weir model throughput` has it */
	THROUGHPUT, /* what the link carries of it: a window beyond a BDP waits */
	GOODPUT,    /* of that the payload */
	MEAN_WINDOW,
	FULL_WINDOW,
	EPOCH,
	LOSS_FREE_EPOCH,
	CYCLE,
	REDUCTIONS,
	STEADY,
	LAMBDA_MAX,
	NUMBERS
};
static const char *const number_names[NUMBERS] = {
    [NORMALIZED] = "normalized_throughput",
    [THROUGHPUT] = "throughput_bps",
    [GOODPUT] = "goodput_bps",
    [MEAN_WINDOW] = "mean_window_packets",
    [FULL_WINDOW] = "window_packets",
    [EPOCH] = "epoch_rtts",
    [LOSS_FREE_EPOCH] = "loss_free_epoch_rtts",
    [CYCLE] = "cycle_rtts",
    [REDUCTIONS] = "reductions",
    [STEADY] = "steady_iterations",
    [LAMBDA_MAX] = "lambda_max",
};

static bool read_reading(const char *text, size_t bytes, struct weir_modelled *m)
{
	for (u32 i = 0; i < WEIR_MODEL_READINGS; i++) {
		const char *name = weir_model_reading_names[i];
		if (strlen(name) == bytes && !strncmp(name, text, bytes)) {
			m->reading = (enum weir_model_reading)i;
			return true;
		}
	}
	return false;
}

/* "@4000" of "literal@4000". */
static bool read_iterations(const char *text, size_t bytes, u64 *iterations)
{
	u64 n = 0;

	for (size_t i = 1; i < bytes; i++) {
		if (text[i] < '0' || text[i] > '9' || n > WEIR_MODEL_STATES_MAX)
			return false;
		n = n * 10 + (u64)(text[i] - '0');
	}
	*iterations = n;
	return n > 0;
}

bool weir_modelled_parse(const char *name, struct weir_modelled *m, char why[WEIR_MODELLED_WHY])
{
	size_t reading = strcspn(name, ".@"), whole = strcspn(name, ".");

	*m = (struct weir_modelled){.number = NUMBERS};
	if (!read_reading(name, reading, m)) {
		snprintf(why, WEIR_MODELLED_WHY,
			 "`%.40s`: literal, renewal, two-state or epoch is expected after `model.`", name);
		return false;
	}
	if (name[reading] == '@' && (m->reading != WEIR_MODEL_LITERAL ||
				     !read_iterations(name + reading, whole - reading, &m->iterations))) {
		snprintf(why, WEIR_MODELLED_WHY,
			 "`%.40s`: a number of iterations is expected after `literal@`", name);
		return false;
	}
	for (u32 i = 0; name[whole] && i < NUMBERS; i++)
		if (!strcmp(name + whole + 1, number_names[i]))
			m->number = i;
	if (m->number < NUMBERS)
		return true;
	snprintf(why, WEIR_MODELLED_WHY,
		 "the model has no `%.60s`; normalized_throughput, throughput_bps, goodput_bps, "
		 "mean_window_packets, epoch_rtts ... are in docs/formats.md",
		 name[whole] ? name + whole + 1 : "");
	return false;
}

/* ---- the scenario as the model has it ---- */

static double ratio_of(const struct weir_scenario_controller *c, const struct weir_scenario_catalog *catalog,
		       const char *name, double otherwise, double unit)
{
	const struct weir_scenario_catalog_entry *entry = &catalog->controllers[c->index];

	for (u32 i = 0; i < c->n_params && i < entry->n_params; i++)
		if (!strcmp(entry->params[i].name, name))
			return (double)c->params[i] / unit;
	return otherwise;
}

static bool take_controller(const struct weir_scenario *s, const struct weir_scenario_catalog *catalog,
			    struct weir_model_config *c, char why[WEIR_MODELLED_WHY])
{
	const struct weir_scenario_controller *from = &s->flows[0].controller;
	bool agile = from->name && !strcmp(from->name, "agile-sd");

	if (s->total_flows != 1 || s->flows[0].app.kind == WEIR_SCENARIO_ARRIVALS ||
	    from->index == WEIR_SCENARIO_NONE || from->index >= catalog->n ||
	    (!agile && (!from->name || strcmp(from->name, "reno") != 0))) {
		snprintf(why, WEIR_MODELLED_WHY, "the model is of one flow with agile-sd or reno");
		return false;
	}
	c->beta = ratio_of(from, catalog, "beta", .5, 1e6);
	c->lambda_max = ratio_of(from, catalog, "lambda_max", 1, 1e6);
	c->lambda_min = ratio_of(from, catalog, "lambda_min", 1, 1e6);
	c->min_window_packets = (u64)ratio_of(from, catalog, "min_window", 2, 1);
	if (agile && c->lambda_max <= 0)
		c->lambda_max = weir_model_eq36(c->beta);
	return true;
}

static bool is_clean(const struct weir_scenario_impair *i)
{
	return i->loss.model == WEIR_SCENARIO_LOSS_NONE && i->duplicate_p <= 0 && i->reorder_p <= 0 &&
	       i->jitter_ns == 0;
}

static bool is_known_hop(const struct weir_scenario_hop *h)
{
	struct weir_scenario_impair rest = h->after;

	if (rest.loss.model == WEIR_SCENARIO_BERNOULLI)
		rest.loss.model = WEIR_SCENARIO_LOSS_NONE;
	return h->rate_kind == WEIR_SCENARIO_FIXED && h->rate_bps && h->aqm.kind == WEIR_SCENARIO_DROPTAIL &&
	       !h->policer_bps && !h->aggregate_ns && h->buffer.kind != WEIR_SCENARIO_UNLIMITED &&
	       is_clean(&h->before) && is_clean(&rest);
}

static bool take_path(const struct weir_scenario *s, struct weir_model_config *c, char why[WEIR_MODELLED_WHY])
{
	const struct weir_scenario_flow *flow = &s->flows[0];
	const struct weir_scenario_path *path = &s->paths[flow->path];
	u32 hop = path->hops[0];
	const struct weir_scenario_hop *h = &s->hops[hop];
	u64 *rates_bps = calloc(s->n_hops, sizeof *rates_bps);

	if (!rates_bps || path->n_hops != 1 || path->n_back || flow->reverse || !is_known_hop(h)) {
		free(rates_bps);
		snprintf(why, WEIR_MODELLED_WHY,
			 "the model is of one drop-tail hop with a fixed rate, a finite buffer and at most "
			 "losses at random after it, and of an uncongested way back");
		return false;
	}
	for (u32 i = 0; i < s->n_hops; i++)
		rates_bps[i] = s->hops[i].rate_bps;
	const struct weir_buffer_limit limit = weir_buffer_resolve(s, hop, &h->buffer, rates_bps);
	free(rates_bps);
	c->rate_bps = h->rate_bps;
	c->rtt_ns = h->delay_ns + path->back_delay_ns;
	c->packet_bytes = flow->endpoint.mss_bytes + flow->endpoint.header_bytes;
	c->buffer_packets = limit.packets ? limit.packets : limit.bytes / c->packet_bytes;
	c->per = h->after.loss.model == WEIR_SCENARIO_BERNOULLI ? h->after.loss.p : 0;
	return true;
}

bool weir_modelled_config(const struct weir_scenario *s, const struct weir_scenario_catalog *catalog,
			  enum weir_model_reading reading, struct weir_model_config *c,
			  char why[WEIR_MODELLED_WHY])
{
	char wrong[WEIR_MODEL_WHY];

	*c = weir_model_defaults(reading);
	if (s->n_flows == 0) {
		snprintf(why, WEIR_MODELLED_WHY, "the model is of one flow with agile-sd or reno");
		return false;
	}
	if (!take_controller(s, catalog, c, why) || !take_path(s, c, why))
		return false;
	if (weir_model_check(c, wrong))
		return true;
	snprintf(why, WEIR_MODELLED_WHY, "%s", wrong);
	return false;
}

/* ---- numbers ---- */

/* Reductions of the window in the part of the run that counts. */
static double reductions(const struct weir_scenario *s, const struct weir_model_config *c,
			 const struct weir_model_result *r)
{
	double epoch_ns = r->epoch_rtts * (double)c->rtt_ns;

	return epoch_ns > 0 ? (double)(s->duration_ns - s->warmup_ns) / epoch_ns : (double)NAN;
}

static double pick(const struct weir_scenario *s, const struct weir_model_config *c,
		   const struct weir_model_result *r, u32 number)
{
	double payload = (double)s->flows[0].endpoint.mss_bytes / (double)c->packet_bytes;
	double link_bps = r->normalized_throughput * (double)c->rate_bps;
	double cycles = (double)r->window_packets * (1 - c->beta);

	switch (number) {
	case NORMALIZED:
		return r->normalized_throughput;
	case THROUGHPUT:
		return link_bps;
	case GOODPUT:
		return link_bps * payload;
	case MEAN_WINDOW:
		return r->mean_window_packets;
	case FULL_WINDOW:
		return (double)r->window_packets;
	case EPOCH:
		return r->epoch_rtts > 0 ? r->epoch_rtts : (double)NAN;
	case LOSS_FREE_EPOCH:
		return r->loss_free_epoch_rtts;
	case CYCLE:
		return r->loss_free_epoch_rtts / cycles;
	case REDUCTIONS:
		return reductions(s, c, r);
	case STEADY:
		return r->is_steady ? (double)r->steady_iterations : (double)NAN;
	default:
		return c->lambda_max;
	}
}

int weir_modelled_number(const struct weir_scenario *s, const struct weir_scenario_catalog *catalog,
			 const struct weir_modelled *m, double *value, char why[WEIR_MODELLED_WHY])
{
	struct weir_model_config c;
	struct weir_model_result r = {0};

	*value = NAN;
	if (!weir_modelled_config(s, catalog, m->reading, &c, why))
		return -1;
	if (m->iterations)
		c.iterations = m->iterations;
	c.cap = m->number == THROUGHPUT || m->number == GOODPUT;
	char wrong[WEIR_MODEL_WHY];
	if (!weir_model_check(&c, wrong)) {
		snprintf(why, WEIR_MODELLED_WHY, "%s", wrong);
		return -1;
	}
	int rc = weir_model_throughput(&c, false, &r);
	if (rc == 0)
		*value = pick(s, &c, &r, m->number);
	else
		snprintf(why, WEIR_MODELLED_WHY, "out of memory");
	weir_model_result_free(&r);
	return rc;
}

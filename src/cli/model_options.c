/* SPDX-License-Identifier: MIT */
#include "model.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

void weir_option_number(const struct weir_invocation *call, const char *name, double *value, int *code)
{
	const char *text = weir_option(call, name);
	char error[WEIR_QUANTITY_ERROR];

	if (text && !weir_quantity_fraction(text, value, error))
		*code = weir_usage_error(call, "--%s: %s", name, error);
}

/* An option with one of a few words; *value is left alone when it is absent. */
static void word(const struct weir_invocation *call, const char *name, const char *const *words, u32 *value,
		 int *code)
{
	const char *text = weir_option(call, name);
	char what[32];

	if (!text)
		return;
	snprintf(what, sizeof what, "--%s ", name);
	u32 i = weir_one_of(call, what, text, words);
	if (i == WEIR_NO_WORD)
		*code = WEIR_EXIT_USAGE;
	else
		*value = i;
}

static const char *const on_off[] = {"off", "on", NULL};

static void flag(const struct weir_invocation *call, const char *name, bool *value, int *code)
{
	u32 i = *value;

	word(call, name, on_off, &i, code);
	*value = i != 0;
}

/* ---- the paper's ambiguities ---- */

/* Which options say something to a reading. */
static void check_meaning(const struct weir_invocation *call, enum weir_model_reading reading, int *code)
{
	static const struct {
		const char *option;
		u32 choice;
	} of[] = {
	    {"loss", WEIR_MODEL_HAS_LOSS},
	    {"down", WEIR_MODEL_HAS_DOWN},
	    {"start", WEIR_MODEL_HAS_START},
	    {"exposure", WEIR_MODEL_HAS_EXPOSURE},
	    {"clamp", WEIR_MODEL_HAS_CLAMP},
	    {"errors", WEIR_MODEL_HAS_PER},
	    {"cap", WEIR_MODEL_HAS_CAP},
	    {"floor", WEIR_MODEL_HAS_FLOOR},
	    {"iterations", WEIR_MODEL_HAS_ITERATIONS},
	};
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
		if (weir_option(call, of[i].option) && !(weir_model_choices(reading) & of[i].choice))
			*code = weir_usage_error(call, "--%s changes nothing in the reading %s", of[i].option,
						 weir_model_reading_names[reading]);
}

static void take_reading(const struct weir_invocation *call, struct weir_model_config *c, int *code)
{
	static const char *const losses[] = {"one", "ge1", "lin", NULL};
	static const char *const of[] = {"index", "window", NULL};
	static const char *const exposures[] = {"window", "cycle", NULL};
	static const char *const units[] = {"packet", "bit", NULL};
	u32 reading = WEIR_MODEL_LITERAL;

	word(call, "reading", weir_model_reading_names, &reading, code);
	*c = weir_model_defaults((enum weir_model_reading)reading);
	u32 loss = c->loss, down = c->down, start = c->start, exposure = c->exposure, bit = 0;
	word(call, "loss", losses, &loss, code);
	word(call, "down", of, &down, code);
	word(call, "start", of, &start, code);
	word(call, "exposure", exposures, &exposure, code);
	word(call, "errors", units, &bit, code);
	flag(call, "clamp", &c->clamp_lambda, code);
	flag(call, "cap", &c->cap, code);
	flag(call, "floor", &c->floor_window, code);
	c->loss = (enum weir_model_loss)loss;
	c->down = (enum weir_model_of)down;
	c->start = (enum weir_model_of)start;
	c->exposure = (enum weir_model_exposure)exposure;
	c->per_bit = bit == 1;
	int wrong = weir_option_u64(call, "iterations", 1, WEIR_MODEL_STATES_MAX, &c->iterations);
	*code = wrong ? wrong : *code;
	check_meaning(call, c->reading, code);
}

/* ---- controller and path ---- */

static void take_controller(const struct weir_invocation *call, struct weir_model_asked *asked, int *code)
{
	static const char *const controllers[] = {"agile-sd", "reno", "newreno", NULL};
	struct weir_model_config *c = &asked->config;
	u32 which = 0;

	word(call, "controller", controllers, &which, code);
	asked->controller = which ? "reno" : "agile-sd";
	if (which) {
		c->lambda_max = c->lambda_min = 1;
		for (u32 i = 0; i < 2; i++)
			if (weir_option(call, i ? "lambda-min" : "lambda-max"))
				*code = weir_usage_error(call, "--lambda-%s belongs to agile-sd",
							 i ? "min" : "max");
		return;
	}
	weir_option_number(call, "lambda-max", &c->lambda_max, code);
	weir_option_number(call, "lambda-min", &c->lambda_min, code);
}

/* After rate, RTT and packet size. A time is of the rate; parts of a packet do not count. */
static void take_buffer(const struct weir_invocation *call, struct weir_model_config *c, int *code)
{
	const u32 kinds = WEIR_QUANTITY_BIT(WEIR_QUANTITY_PACKETS) | WEIR_QUANTITY_BIT(WEIR_QUANTITY_BYTES) |
			  WEIR_QUANTITY_BIT(WEIR_QUANTITY_TIME) | WEIR_QUANTITY_BIT(WEIR_QUANTITY_BDP);
	const char *text = weir_option(call, "buffer");
	enum weir_quantity kind;
	char error[WEIR_QUANTITY_ERROR];
	u64 value;

	if (!text)
		return;
	/* a bare number is packets, as in the paper */
	if (weir_quantity(text, WEIR_QUANTITY_PACKETS, &value, error)) {
		c->buffer_packets = value;
		return;
	}
	if (!weir_quantity_any(text, kinds, &kind, &value, error)) {
		*code = weir_usage_error(call, "--buffer: %s", error);
		return;
	}
	u64 rtt_ns = kind == WEIR_QUANTITY_TIME ? value : c->rtt_ns;
	double bytes = (double)c->rate_bps * (double)rtt_ns / 8e9;
	bytes *= kind == WEIR_QUANTITY_BDP ? (double)value / 1e6 : 1;
	if (kind == WEIR_QUANTITY_BYTES)
		bytes = (double)value;
	double packets = bytes / (double)c->packet_bytes * (1 + 0x1p-50);
	c->buffer_packets = packets < 1e18 ? (u64)packets : ~0ULL;
}

static void take_path(const struct weir_invocation *call, struct weir_model_config *c, int *code)
{
	weir_option_number(call, "per", &c->per, code);
	weir_option_positive(call, "rtt", WEIR_QUANTITY_TIME, &c->rtt_ns, code);
	weir_option_positive(call, "rate", WEIR_QUANTITY_RATE, &c->rate_bps, code);
	weir_option_positive(call, "packet", WEIR_QUANTITY_BYTES, &c->packet_bytes, code);
	if (c->rtt_ns && c->rate_bps && c->packet_bytes)
		take_buffer(call, c, code);
}

int weir_model_ask(const struct weir_invocation *call, struct weir_model_asked *asked)
{
	int code = WEIR_EXIT_OK;

	take_reading(call, &asked->config, &code);
	take_controller(call, asked, &code);
	weir_option_number(call, "beta", &asked->config.beta, &code);
	weir_option_quantity(call, "min-window", WEIR_QUANTITY_PACKETS, &asked->config.min_window_packets,
			     &code);
	take_path(call, &asked->config, &code);
	return code;
}

void weir_model_path_words(const struct weir_model_config *c, char text[256])
{
	char rate[48], rtt[48], packet[48];

	weir_quantity_print(WEIR_QUANTITY_RATE, c->rate_bps, rate);
	weir_quantity_print(WEIR_QUANTITY_TIME, c->rtt_ns, rtt);
	weir_quantity_print(WEIR_QUANTITY_BYTES, c->packet_bytes, packet);
	snprintf(text, 256, "%s, RTT %s, packets of %s, a buffer of %llu packets, PER %g%s", rate, rtt,
		 packet, c->buffer_packets, c->per, c->per_bit ? " a bit" : "");
}

/* SPDX-License-Identifier: MIT */
/* `weir model`: what its verbs share, the controller and the path that the model is asked about. */
#ifndef WEIR_CLI_MODEL_H
#define WEIR_CLI_MODEL_H

#include "command.h"
#include "model/tune.h"

/* Rows of an option table: what says a path and how the paper is read. WEIR_MODEL_OPTION_CONTROLLER apart. */
#define WEIR_MODEL_OPTIONS_PATH                                                                              \
	{.name = "per", .value = "P", .help = "probability that a packet is lost by error; 1e-8 if absent"}, \
	    {.name = "buffer", .value = "B", .help = "packets, bytes, time or BDP; 4 packets if absent"},    \
	    {.name = "rtt", .value = "TIME", .help = "without queueing; 10 ms if absent"},                   \
	    {.name = "rate", .value = "RATE", .help = "of the link; 1 Gbit/s if absent"},                    \
	{                                                                                                    \
		.name = "packet", .value = "SIZE", .help = "of all packets; 1000 B if absent"                \
	}
#define WEIR_MODEL_OPTIONS_READING                                                                           \
	{.name = "reading", .value = "NAME", .help = "literal, renewal, two-state or epoch"},                \
	    {.name = "loss", .value = "X", .help = "eq. 12: one, ge1 (at least one) or lin (R w)"},          \
	    {.name = "down", .value = "OF", .help = "eq. 25: floor(beta x) of the state's index or window"}, \
	    {.name = "start", .value = "OF", .help = "eq. 32: ceil(beta x) of the index or the window"},     \
	    {.name = "exposure", .value = "WHAT", .help = "what a state can lose: its window or a cycle"},   \
	    {.name = "clamp", .value = "on|off", .help = "eq. 34: lambda never above lambda_max"},           \
	    {.name = "errors", .value = "UNIT", .help = "R is of a packet or a bit"},                        \
	    {.name = "cap", .value = "on|off", .help = "eq. 33: a window carries at most a BDP"},            \
	    {.name = "floor", .value = "on|off", .help = "eqs. 6-8: whole packets only"},                    \
	{                                                                                                    \
		.name = "iterations", .value = "I", .help = "eq. 33; 10000 if absent"                        \
	}

struct weir_model_asked {
	struct weir_model_config config;
	const char *controller; /* "agile-sd" or "reno" */
};

/* Reads all of it, from options that the verb may have or not. 0, or WEIR_EXIT_USAGE after saying everything
 * that is wrong. Whether the numbers go together is weir_model_check's. */
int weir_model_ask(const struct weir_invocation *call, struct weir_model_asked *asked);
/* A plain number, at least 0; *value is left alone when the option is absent. *code as in values.h. */
void weir_option_number(const struct weir_invocation *call, const char *name, double *value, int *code);
/* "1 Gbit/s, RTT 10 ms, packets of 1000 B, buffer 4 packets, PER 1e-8" */
void weir_model_path_words(const struct weir_model_config *c, char text[256]);

/* ---- model and simulation ---- */

struct weir_model_trial {
	const char *name;
	char setting[48];
	struct weir_model_config config;
	double model, simulated, ci95[2];
	u64 n;
};

/* Simulates each trial with seeds 1 ... seeds over the path of its configuration, as the model has it: an
 * acknowledgement for each packet, recovery by RFC 6582, no SACK; the mean goodput over the rate. 0, or an
 * exit code after a message. */
int weir_model_verify(const struct weir_invocation *call, struct weir_model_trial *trial, u32 n, u32 seeds,
		      u64 duration_ns, u64 warmup_ns);

extern const struct weir_command weir_model_tune;

#endif

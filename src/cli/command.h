/* SPDX-License-Identifier: MIT */
/* The frame of the command line: one table a verb, and everything about options follows from it - parsing,
 * `--help`, suggestions, and whatever else describes the verbs.
 *
 * To add a verb:
 *   1. src/cli/cmd_NAME.c defines `const struct weir_command weir_cmd_NAME`,
 *   2. a line in src/cli/verbs.def (its place there is its place in the help), instead of the UNBUILT one,
 *   3. the file in src/cli/meson.build.
 * A verb with verbs of its own (`weir trace check`) sets `children` and leaves `run` NULL.
 *
 *	static const struct weir_option options[] = {
 *		{.name = "controller", .value = "NAME", .repeat = true, .help = "in place of ..."},
 *		WEIR_OPTION_SEED, WEIR_OPTION_JSON, {0}};
 *	const struct weir_command weir_cmd_run = {.name = "run", .synopsis = "FILE.yaml [--seed N]",
 *		.help = "simulate a scenario", .options = options, .operands_min = 1, .operands_max = 1,
 *		.run = cmd_run};
 *
 * Data goes to stdout, everything else to stderr. A verb returns an enum weir_exit; main.c flushes stdout
 * and turns a failed write into WEIR_EXIT_FAILED.
 */
#ifndef WEIR_CLI_COMMAND_H
#define WEIR_CLI_COMMAND_H

#include "core/exit_code.h"
#include "weir/types.h"

struct weir_option {
	const char *name;  /* long name, without dashes; NULL ends the table */
	char letter;	   /* short form, 0 for none */
	const char *value; /* what stands for the argument in the help; NULL: a flag */
	bool repeat;	   /* may be given several times */
	const char *help;  /* half a sentence, no full stop */
};

/* Options that mean the same in every verb that has them. --help and --version are in all of them. */
#define WEIR_OPTION_JSON                                                                                     \
	{                                                                                                    \
		.name = "json", .help = "print one JSON document on stdout"                                  \
	}
#define WEIR_OPTION_SEED                                                                                     \
	{                                                                                                    \
		.name = "seed", .value = "N", .help = "seed of all random numbers"                           \
	}
#define WEIR_OPTION_OUTPUT                                                                                   \
	{                                                                                                    \
		.name = "output", .letter = 'o', .value = "DIR", .help = "write into DIR"                    \
	}

struct weir_invocation;

struct weir_command {
	const char *name;
	const char *synopsis;		   /* what follows the name on a usage line */
	const char *help;		   /* one line, in lower case, no full stop */
	const char *details;		   /* more for `--help`; NULL for none */
	const struct weir_option *options; /* ends with {0}; NULL for none */
	u32 operands_min, operands_max;	   /* checked before run; max 0 means none, WEIR_ANY no limit */
	const struct weir_command *const *children; /* ends with NULL */
	int (*run)(struct weir_invocation *call);
};
#define WEIR_ANY 0xffffffffU

struct weir_given {
	const struct weir_option *option;
	const char *value; /* "" for a flag */
};

struct weir_invocation {
	const struct weir_command *command;
	char path[64]; /* "weir trace check": how messages begin */
	u32 n_operands, n_given;
	const char **operands; /* in order, also those after "--" */
	struct weir_given *given;
};

/* The value of an option: "" for a flag that is given, NULL when it is not. Of a repeated one, the first. */
const char *weir_option(const struct weir_invocation *call, const char *name);
/* The i-th value of a repeated option, NULL past the last. */
const char *weir_option_at(const struct weir_invocation *call, const char *name, u32 i);
/* A whole decimal number in [min, max]: *value is left alone when the option is absent. Returns 0, or
 * WEIR_EXIT_USAGE after saying what is wrong. */
int weir_option_u64(const struct weir_invocation *call, const char *name, u64 min, u64 max, u64 *value);

/* "weir run: message" on stderr; return what they return. */
__attribute__((format(printf, 2, 3))) int weir_usage_error(const struct weir_invocation *call,
							   const char *format, ...);
__attribute__((format(printf, 3, 4))) int weir_error(const struct weir_invocation *call, enum weir_exit code,
						     const char *format, ...);

/* The verbs, in the order of help; ends with NULL. */
extern const struct weir_command *const weir_verbs[];
/* Runs argv[1...]: the whole of main but the flush of stdout. */
int weir_dispatch(int argc, char **argv);

#endif

/* SPDX-License-Identifier: MIT */
#include "command.h"

#include "core/nearest.h"
#include "help.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 40
#define LONG_BASE 256 /* getopt's code of the i-th option is LONG_BASE + i: apart from every letter */

/* The options of one verb as getopt wants them, and the way back. */
struct option_set {
	u32 n;
	const struct weir_option *option[OPTIONS_MAX];
	struct option native[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 3];
};

static void set_add(struct option_set *set, const struct weir_option *options)
{
	char *letters = set->letters + strlen(set->letters);
	for (; options && options->name && set->n < OPTIONS_MAX; options++) {
		set->option[set->n] = options;
		set->native[set->n] =
		    (struct option){options->name, options->value ? required_argument : no_argument, NULL,
				    LONG_BASE + (int)set->n};
		set->n++;
		if (options->letter)
			*letters++ = options->letter;
		if (options->letter && options->value)
			*letters++ = ':';
	}
}

static const struct weir_option *set_find(const struct option_set *set, int code)
{
	if (code >= LONG_BASE && code < LONG_BASE + (int)set->n)
		return set->option[code - LONG_BASE];
	for (u32 i = 0; i < set->n; i++)
		if (code && set->option[i]->letter == code)
			return set->option[i];
	return NULL;
}

static int complain(const char *path, const char *format, va_list ap)
{
	fprintf(stderr, "%s: ", path);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	return WEIR_EXIT_USAGE;
}

int weir_usage_error(const struct weir_invocation *call, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	complain(call->path, format, ap);
	va_end(ap);
	fprintf(stderr, "usage: %s %s\n", call->path, call->command->synopsis);
	return WEIR_EXIT_USAGE;
}

int weir_error(const struct weir_invocation *call, enum weir_exit code, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	complain(call->path, format, ap);
	va_end(ap);
	return (int)code;
}

const char *weir_option_at(const struct weir_invocation *call, const char *name, u32 i)
{
	for (u32 g = 0; g < call->n_given; g++) {
		assert(call->given[g].option);
		if (!strcmp(call->given[g].option->name, name) && i-- == 0)
			return call->given[g].value;
	}
	return NULL;
}

const char *weir_option(const struct weir_invocation *call, const char *name)
{
	return weir_option_at(call, name, 0);
}

int weir_option_u64(const struct weir_invocation *call, const char *name, u64 min, u64 max, u64 *value)
{
	const char *text = weir_option(call, name);
	if (!text)
		return 0;
	char *end;
	errno = 0;
	u64 x = strtoull(text, &end, 10);
	/* strtoull takes spaces and signs: "-1" would be a huge number. */
	if (text[0] < '0' || text[0] > '9' || *end || errno || x < min || x > max)
		return weir_error(call, WEIR_EXIT_USAGE,
				  "--%s %s: a whole number from %llu to %llu is expected", name, text, min,
				  max);
	*value = x;
	return 0;
}

static void unknown_option(const struct weir_invocation *call, const struct option_set *set, const char *word)
{
	char name[WEIR_NEAREST_LETTERS + 1];
	size_t dashes = strspn(word, "-"), letters = strcspn(word + dashes, "=");
	snprintf(name, sizeof name, "%.*s", (int)weir_min(letters, sizeof name - 1), word + dashes);
	struct weir_nearest near = weir_nearest_to(name);
	for (u32 i = 0; i < set->n; i++)
		weir_nearest_try(&near, set->option[i]->name);
	if (near.name)
		fprintf(stderr, "%s: unknown option %s; did you mean --%s?\n", call->path, word, near.name);
	else
		fprintf(stderr, "%s: unknown option %s; %s --help lists what there is\n", call->path, word,
			call->path);
}

/* One answer of getopt that is not an option of the table. `word` is where it stands. */
static void bad_option(const struct weir_invocation *call, const struct option_set *set, int code,
		       const char *word)
{
	const struct weir_option *known = set_find(set, optopt);
	if (code == ':' && known)
		fprintf(stderr, "%s: --%s wants a value: --%s %s\n", call->path, known->name, known->name,
			known->value);
	else if (known)
		fprintf(stderr, "%s: --%s takes no value\n", call->path, known->name);
	else if (optopt) {
		char letter[] = {'-', (char)optopt, 0};
		unknown_option(call, set, letter);
	} else
		unknown_option(call, set, word);
}

static bool given_already(const struct weir_invocation *call, const struct weir_option *option)
{
	return !option->repeat && weir_option(call, option->name);
}

/* All mistakes are told, not the first one only. Returns how many there were. */
static u32 parse(struct weir_invocation *call, int argc, char **argv)
{
	/* '-': operands come in order, as code 1; ':': a missing value is told apart. */
	struct option_set set = {.letters = "-:"};
	set_add(&set, call->command->options);
	set_add(&set, weir_options_everywhere);
	u32 mistakes = 0;
	opterr = 0;
	optind = 0; /* glibc: start anew, read the letters anew */
	for (;;) {
		int code = getopt_long(argc, argv, set.letters, set.native, NULL);
		if (code == -1)
			break;
		const struct weir_option *option = code == '?' || code == ':' ? NULL : set_find(&set, code);
		if (code == 1) {
			call->operands[call->n_operands++] = optarg;
		} else if (!option) {
			bad_option(call, &set, code, argv[optind - 1]);
			mistakes++;
		} else if (given_already(call, option)) {
			fprintf(stderr, "%s: --%s is given twice\n", call->path, option->name);
			mistakes++;
		} else {
			call->given[call->n_given++] =
			    (struct weir_given){option, option->value ? optarg : ""};
		}
	}
	while (optind < argc)
		call->operands[call->n_operands++] = argv[optind++];
	return mistakes;
}

static u32 check_operands(const struct weir_invocation *call)
{
	const struct weir_command *c = call->command;
	if (call->n_operands < c->operands_min) {
		fprintf(stderr, "%s: an operand is missing\n", call->path);
		return 1;
	}
	if (call->n_operands > c->operands_max) {
		fprintf(stderr, "%s: %s is one operand too many\n", call->path,
			call->operands[c->operands_max]);
		return 1;
	}
	return 0;
}

static int invoke(struct weir_invocation *call, int argc, char **argv)
{
	u32 mistakes = parse(call, argc, argv);
	if (weir_option(call, "help")) {
		weir_help_print(call->command, call->path);
		return WEIR_EXIT_OK;
	}
	if (weir_option(call, "version")) {
		puts("weir " WEIR_VERSION);
		return WEIR_EXIT_OK;
	}
	if (!mistakes && call->command->run)
		mistakes += check_operands(call);
	if (mistakes || !call->command->run) {
		fprintf(stderr, "usage: %s %s\n", call->path, call->command->synopsis);
		return WEIR_EXIT_USAGE;
	}
	return call->command->run(call);
}

static const char *const unbuilt[] = {
#define WEIR_VERB(name)
#define WEIR_VERB_UNBUILT(name) #name,
#include "verbs.def"
#undef WEIR_VERB
#undef WEIR_VERB_UNBUILT
    NULL,
};

static int unknown_verb(const struct weir_command *parent, const char *path, const char *word)
{
	for (u32 i = 0; parent->children == weir_verbs && unbuilt[i]; i++) {
		if (!strcmp(word, unbuilt[i])) {
			fprintf(stderr, "%s: %s is not built yet in version " WEIR_VERSION "\n", path, word);
			return WEIR_EXIT_USAGE;
		}
	}
	struct weir_nearest near = weir_nearest_to(word);
	for (const struct weir_command *const *c = parent->children; *c; c++)
		weir_nearest_try(&near, (*c)->name);
	if (near.name) {
		fprintf(stderr, "%s: unknown verb %s; did you mean %s?\n", path, word, near.name);
		return WEIR_EXIT_USAGE;
	}
	fprintf(stderr, "%s: unknown verb %s; `%s --help` lists them\n", path, word, path);
	return WEIR_EXIT_USAGE;
}

static int descend(const struct weir_command *command, const char *path, int argc, char **argv)
{
	if (command->children && argc > 1 && argv[1][0] != '-') {
		for (const struct weir_command *const *c = command->children; *c; c++) {
			if (!strcmp((*c)->name, argv[1])) {
				char longer[64];
				snprintf(longer, sizeof longer, "%s %s", path, (*c)->name);
				return descend(*c, longer, argc - 1, argv + 1);
			}
		}
		return unknown_verb(command, path, argv[1]);
	}
	if (command->children && argc == 1) {
		fprintf(stderr, "%s: which verb? `%s --help` lists them\n", path, path);
		return WEIR_EXIT_USAGE;
	}
	struct weir_invocation call = {.command = command};
	snprintf(call.path, sizeof call.path, "%s", path);
	call.operands = calloc((size_t)argc + 1, sizeof *call.operands);
	call.given = calloc((size_t)argc + 1, sizeof *call.given);
	int code = WEIR_EXIT_FAILED;
	if (call.operands && call.given)
		code = invoke(&call, argc, argv);
	else
		weir_error(&call, WEIR_EXIT_FAILED, "out of memory");
	free(call.operands);
	free(call.given);
	return code;
}

int weir_dispatch(int argc, char **argv)
{
	static const struct weir_command root = {
	    .name = "weir",
	    .synopsis = "VERB [OPTIONS]",
	    .help = "write a rate controller once, try it on any path, measure it the same way",
	    .children = weir_verbs,
	};
	return descend(&root, "weir", argc, argv);
}

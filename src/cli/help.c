/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS_MAX 100

const struct weir_option weir_options_everywhere[] = {
    {.name = "help", .letter = 'h', .help = "print this"},
    {.name = "version", .help = "print the version"},
    {0},
};

/* "  -o, --output DIR": both print it and tell how wide it is. */
static int option_left(char *to, size_t room, const struct weir_option *o)
{
	char letter[] = {'-', o->letter, ',', ' ', 0};
	return snprintf(to, room, "  %s--%s%s%s", o->letter ? letter : "    ", o->name, o->value ? " " : "",
			o->value ? o->value : "");
}

static int widest(const struct weir_option *options, int width)
{
	char left[128];
	for (; options && options->name; options++) {
		int w = option_left(left, sizeof left, options);
		width = w > width ? w : width;
	}
	return width;
}

/* Prints text whose lines begin at column `indent`, the first one being there already. */
static void print_wrapped(const char *text, int indent)
{
	int column = indent;
	for (const char *word = text; *word;) {
		int length = (int)strcspn(word, " ");
		if (column > indent && column + length > COLUMNS_MAX) {
			printf("\n%*s", indent, "");
			column = indent;
		}
		printf("%s%.*s", column > indent ? " " : "", length, word);
		column += length + 1;
		word += length;
		word += strspn(word, " ");
	}
	putchar('\n');
}

static void print_options(const struct weir_option *options, int width)
{
	char left[128], help[512];
	for (; options && options->name; options++) {
		option_left(left, sizeof left, options);
		snprintf(help, sizeof help, "%s%s", options->help,
			 options->repeat ? " (may be repeated)" : "");
		printf("%-*s  ", width, left);
		print_wrapped(help, width + 2);
	}
}

static void print_children(const struct weir_command *const *children)
{
	int width = 0;
	for (const struct weir_command *const *c = children; *c; c++) {
		int w = (int)strlen((*c)->name);
		width = w > width ? w : width;
	}
	putchar('\n');
	for (const struct weir_command *const *c = children; *c; c++)
		printf("  %-*s  %s\n", width, (*c)->name, (*c)->help);
}

void weir_help_print(const struct weir_command *command, const char *path)
{
	printf("%s: %s\n\nusage: %s %s\n", path, command->help, path, command->synopsis);
	if (command->children)
		print_children(command->children);
	if (command->details)
		printf("\n%s\n", command->details);
	int width = widest(weir_options_everywhere, widest(command->options, 0));
	putchar('\n');
	print_options(command->options, width);
	print_options(weir_options_everywhere, width);
	if (command->children)
		printf("\n`%s VERB --help` tells more about one.\n", path);
}

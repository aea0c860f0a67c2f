/* SPDX-License-Identifier: MIT */
/* Help, made from the tables. */
#ifndef WEIR_CLI_HELP_H
#define WEIR_CLI_HELP_H

#include "command.h"

/* `path` is how the user got there: "weir trace". */
void weir_help_print(const struct weir_command *command, const char *path);

/* --help and --version: in every verb, listed once. */
extern const struct weir_option weir_options_everywhere[];

#endif

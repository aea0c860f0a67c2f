/* SPDX-License-Identifier: MIT */
/* Values of the command line that have a unit, or are one of a few words. Each says what is wrong by itself.
 */
#ifndef WEIR_CLI_VALUES_H
#define WEIR_CLI_VALUES_H

#include "command.h"
#include "scenario/param.h"
#include "scenario/quantity.h"

/* Reads an option with a unit; *value is left alone when it is absent. *code becomes WEIR_EXIT_USAGE after a
 * mistake and stays what it was otherwise, so that all options are looked at. */
void weir_option_quantity(const struct weir_invocation *call, const char *name, enum weir_quantity kind,
			  u64 *value, int *code);
/* The same for what must be above 0. */
void weir_option_positive(const struct weir_invocation *call, const char *name, enum weir_quantity kind,
			  u64 *value, int *code);

/* An argument NAME=VALUE of --set: into the value of that name, of the parameters of `owner`. 0, or an exit
 * status. */
int weir_set_param(const struct weir_invocation *call, const char *argument, const char *owner,
		   const struct weir_param *param, u32 n_params, u64 *values);

#define WEIR_NO_WORD 0xffffffffU
/* Which of `words` (the list ends with NULL) this one is; WEIR_NO_WORD after an error that names them all and
 * the nearest. `what` begins the message: "--to ", or "" for an operand. */
u32 weir_one_of(const struct weir_invocation *call, const char *what, const char *word,
		const char *const *words);

#endif

/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <stddef.h>

#define WEIR_VERB_UNBUILT(name)
#define WEIR_VERB(name) extern const struct weir_command weir_cmd_##name;
#include "verbs.def"
#undef WEIR_VERB

const struct weir_command *const weir_verbs[] = {
#define WEIR_VERB(name) &weir_cmd_##name,
#include "verbs.def"
#undef WEIR_VERB
    NULL,
};

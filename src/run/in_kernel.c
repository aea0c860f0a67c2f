/* SPDX-License-Identifier: MIT */
#include "in_kernel.h"

#include "core/exit_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which of those that are there is the same controller with the same parameters; k->n: none yet. */
static u32 find(const struct weir_in_kernel *k, const struct weir_build_entry *e)
{
	u32 i = 0;
	size_t bytes = e->ops.cc->n_params * sizeof(u64);
	while (i < k->n && (k->kern[i].ops != e->ops.cc || (bytes && memcmp(k->params[i], e->params, bytes))))
		i++;
	return i;
}

/* Of exit codes, weir_kern_load's 2 and 3 are a weir_exit's, and 1 is too. */
_Static_assert(WEIR_EXIT_FAILED == 1 && WEIR_EXIT_USAGE == 2 && WEIR_EXIT_MACHINE == 3, "as in kern/load.h");

static int host(struct weir_in_kernel *k, const struct weir_build *b, const struct weir_build_entry *e,
		char why[512])
{
	struct weir_kern_object object;
	char sentence[WEIR_KERN_WHY_BYTES];
	if (!weir_registry_kernel(b->registry, e->ops.cc, &object)) {
		snprintf(why, 512, "%s: %s has no form for the kernel", e->flow->name, e->ops.cc->name);
		return WEIR_EXIT_USAGE;
	}
	int code = weir_kern_host(&k->kern[k->n], &object, e->params, false, sentence);
	if (code) {
		snprintf(why, 512, "%.64s: %s", e->flow->name, sentence);
		return code;
	}
	k->params[k->n++] = e->params;
	return 0;
}

int weir_in_kernel_begin(struct weir_in_kernel *k, const struct weir_build *b, char why[512])
{
	size_t room = b->n_entries + 1u;
	*k = (struct weir_in_kernel){.kern = calloc(room, sizeof *k->kern),
				     .params = calloc(room, sizeof *k->params),
				     .of_entry = calloc(room, sizeof *k->of_entry)};
	if (!k->kern || !k->params || !k->of_entry) {
		snprintf(why, 512, "out of memory");
		return WEIR_EXIT_FAILED;
	}
	for (u32 i = 0; i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		k->of_entry[i] = WEIR_SCENARIO_NONE;
		if (!e->ops.cc)
			continue;
		k->of_entry[i] = find(k, e);
		int code = k->of_entry[i] == k->n ? host(k, b, e, why) : 0;
		if (code)
			return code;
	}
	return 0;
}

const char *weir_in_kernel_name(const struct weir_in_kernel *k, u32 entry)
{
	u32 i = k->of_entry[entry];
	return i == WEIR_SCENARIO_NONE ? NULL : k->kern[i].name;
}

void weir_in_kernel_end(struct weir_in_kernel *k)
{
	for (u32 i = 0; i < k->n; i++)
		weir_kern_close(&k->kern[i]);
	free(k->kern);
	free(k->params);
	free(k->of_entry);
	*k = (struct weir_in_kernel){0};
}

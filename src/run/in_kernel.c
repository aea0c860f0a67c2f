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
	size_t bytes = weir_controller_about(&e->ops).n_params * sizeof(u64);
	for (; i < k->n; i++) {
		const struct weir_in_kernel_one *one = &k->one[i];
		bool same = e->ops.pilot ? one->pilot == e->ops.pilot : one->kern.ops == e->ops.cc;
		if (same && (!bytes || !memcmp(one->params, e->params, bytes)))
			break;
	}
	return i;
}

/* Of exit codes, weir_kern_load's 2 and 3 are a weir_exit's, and 1 is too. */
_Static_assert(WEIR_EXIT_FAILED == 1 && WEIR_EXIT_USAGE == 2 && WEIR_EXIT_MACHINE == 3, "as in kern/load.h");

/* What is loaded for the entry. False with a sentence: there is no such thing. */
static bool choose(struct weir_in_kernel_one *one, const struct weir_build *b,
		   const struct weir_build_entry *e, struct weir_kern_object *object, char why[512])
{
	char sentence[200] = "it has no form for the kernel";
	bool found = e->ops.pilot ? !weir_kern_object_governor(e->ops.pilot, e->params, &one->governor,
							       object, sentence)
				  : weir_registry_kernel(b->registry, e->ops.cc, object);
	if (!found)
		snprintf(why, 512, "%.64s: %s: %s", e->flow->name, e->controller, sentence);
	return found;
}

static int host(struct weir_in_kernel *k, const struct weir_build *b, const struct weir_build_entry *e,
		u64 seed, char why[512])
{
	struct weir_in_kernel_one *one = &k->one[k->n];
	struct weir_kern_object object;
	char sentence[WEIR_KERN_WHY_BYTES];
	if (!choose(one, b, e, &object, why))
		return WEIR_EXIT_USAGE;
	int code = weir_kern_host(&one->kern, &object, e->params, false, sentence);
	if (!code) {
		one->params = e->params;
		one->pilot = e->ops.pilot;
		k->n++;
	}
	if (!code && one->pilot) {
		one->pilots =
		    weir_pilots_start(&one->kern, one->pilot, e->params, seed + ((u64)k->n << 32), sentence);
		code = one->pilots ? 0 : WEIR_EXIT_FAILED;
	}
	if (code)
		snprintf(why, 512, "%.64s: %s", e->flow->name, sentence);
	return code;
}

int weir_in_kernel_begin(struct weir_in_kernel *k, const struct weir_build *b, u64 seed, char why[512])
{
	size_t room = b->n_entries + 1u;
	*k = (struct weir_in_kernel){.one = calloc(room, sizeof *k->one),
				     .of_entry = calloc(room, sizeof *k->of_entry)};
	if (!k->one || !k->of_entry) {
		snprintf(why, 512, "out of memory");
		return WEIR_EXIT_FAILED;
	}
	for (u32 i = 0; i < b->n_entries; i++) {
		const struct weir_build_entry *e = &b->entry[i];
		k->of_entry[i] = WEIR_SCENARIO_NONE;
		if (!e->ops.cc && !e->ops.pilot)
			continue;
		k->of_entry[i] = find(k, e);
		int code = k->of_entry[i] == k->n ? host(k, b, e, seed, why) : 0;
		if (code)
			return code;
	}
	return 0;
}

const char *weir_in_kernel_name(const struct weir_in_kernel *k, u32 entry)
{
	u32 i = k->of_entry[entry];
	return i == WEIR_SCENARIO_NONE ? NULL : k->one[i].kern.name;
}

bool weir_in_kernel_pilot(const struct weir_in_kernel *k, u32 entry, u16 port,
			  double value[WEIR_PILOT_SIGNALS_MAX])
{
	u32 i = k->of_entry[entry];
	return i < k->n && k->one[i].pilots && weir_pilots_signals(k->one[i].pilots, 0, port, value);
}

void weir_in_kernel_counts(const struct weir_in_kernel *k, struct weir_hosted_counts *out)
{
	*out = (struct weir_hosted_counts){0};
	for (u32 i = 0; i < k->n; i++) {
		struct weir_hosted_counts c = {0};
		if (k->one[i].pilots)
			weir_pilots_counts(k->one[i].pilots, &c);
		out->connections += c.connections;
		out->reports += c.reports;
		out->lost_reports += c.lost_reports;
		out->expired_reports += c.expired_reports;
		out->refused += c.refused;
	}
}

void weir_in_kernel_end(struct weir_in_kernel *k)
{
	for (u32 i = 0; i < k->n; i++) {
		weir_pilots_stop(k->one[i].pilots);
		weir_kern_close(&k->one[i].kern);
	}
	free(k->one);
	free(k->of_entry);
	*k = (struct weir_in_kernel){0};
}

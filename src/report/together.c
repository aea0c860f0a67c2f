/* SPDX-License-Identifier: MIT */
/* Runs of several directories on one page. */
#include "core/exit_code.h"
#include "load.h"

#include <stdlib.h>
#include <string.h>

static int append(struct weir_report_data *to, struct weir_report_data *from, struct weir_diag *d)
{
	struct weir_run_data *all = realloc(to->run, (to->n_runs + from->n_runs + 1u) * sizeof *all);
	if (!all) {
		weir_diag_add(d, 0, 0, "out of memory");
		return WEIR_EXIT_FAILED;
	}
	to->run = all;
	memcpy(all + to->n_runs, from->run, from->n_runs * sizeof *all);
	to->n_runs += from->n_runs;
	from->n_runs = 0;
	if (to->n_runs <= WEIR_RUNS_MAX)
		return WEIR_EXIT_OK;
	weir_diag_add(d, 0, 0, "%u runs; a report takes %d", to->n_runs, WEIR_RUNS_MAX);
	return WEIR_EXIT_USAGE;
}

static bool is_emulated(const struct weir_run_data *run)
{
	return !strcmp(weir_get_text(run->summary, "backend", ""), "emu");
}

/* "toy, simulated", "toy, in the kernel", and "kernel:cubic", which says so itself. */
static void add_backend(struct weir_run_data *run)
{
	bool native = !strncmp(run->label, "kernel:", 7);
	const char *word = !is_emulated(run) ? ", simulated" : native ? "" : ", in the kernel";
	size_t used = strlen(run->label);
	snprintf(run->label + used, sizeof run->label - used, "%s", word);
}

static void label(struct weir_report_data *data)
{
	bool emulated = false, simulated = false, distinct = true;
	for (u32 i = 0; i < data->n_runs; i++) {
		struct weir_run_data *run = &data->run[i];
		bool emu = is_emulated(run);
		emulated = emulated || emu;
		simulated = simulated || !emu;
		const char *given = weir_get_text(run->manifest, "label", "");
		if (*given)
			snprintf(run->label, sizeof run->label, "%s", given);
		else
			weir_report_controllers(run, run->label, sizeof run->label);
	}
	for (u32 i = 0; i < data->n_runs; i++) {
		if (emulated && simulated)
			add_backend(&data->run[i]);
		for (u32 k = 0; k < i; k++)
			distinct = distinct && strcmp(data->run[k].label, data->run[i].label) != 0;
	}
	for (u32 i = 0; i < data->n_runs && !distinct; i++)
		snprintf(data->run[i].label, sizeof data->run[i].label, "%s", data->run[i].dir);
}

int weir_report_load_together(const char *const *dirs, u32 n, struct weir_report_data *data,
			      struct weir_diag *d)
{
	*data = (struct weir_report_data){0};
	for (u32 i = 0; i < n; i++) {
		struct weir_report_data one;
		int code = weir_report_load(dirs[i], &one, d);
		for (u32 k = 0; code == WEIR_EXIT_OK && k < one.n_runs; k++) {
			char name[WEIR_LABEL_BYTES];
			snprintf(name, sizeof name, "%.80s%s%.70s", dirs[i], *one.run[k].dir ? "/" : "",
				 one.run[k].dir);
			memcpy(one.run[k].dir, name, sizeof name);
		}
		if (code == WEIR_EXIT_OK)
			code = append(data, &one, d);
		weir_report_unload(&one);
		if (code != WEIR_EXIT_OK)
			return code;
	}
	if (data->n_runs > 1)
		label(data);
	return WEIR_EXIT_OK;
}

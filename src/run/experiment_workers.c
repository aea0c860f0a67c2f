/* SPDX-License-Identifier: MIT */
#include "run/experiment_engine.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct weir_workers_memory {
	_Atomic u32 next; /* run that nobody has taken */
	bool made[];
};

/* ---- one process ---- */

struct hand {
	struct weir_experiment_engine *g;
	u32 point; /* that is loaded, or the number of points: none */
	struct weir_scenario_set set;
	struct weir_scenario scenario;
};

static void put_down(struct hand *h)
{
	weir_scenario_free(&h->scenario);
	weir_scenario_set_free(&h->set);
	h->scenario = (struct weir_scenario){0};
	h->set = (struct weir_scenario_set){0};
	h->point = h->g->plan.n_points;
}

static bool take_up(struct hand *h, u32 point)
{
	if (h->point == point)
		return true;
	put_down(h);
	if (weir_experiment_load_point(h->g, point, &h->set, &h->scenario) != 0)
		return false;
	h->point = point;
	return true;
}

static bool make(struct hand *h, u32 run)
{
	struct weir_experiment_engine *g = h->g;
	struct weir_experiment_carrying c;
	struct weir_carried carried = {0};

	if (!take_up(h, run / g->plan.n_seeds))
		return false;
	weir_experiment_reset_watched(g);
	bool good = weir_experiment_carry_begin(&c, g, h->point, &h->set, &h->scenario);
	c.carry.point.seed = g->e->seeds[run % g->plan.n_seeds];
	good = good && weir_experiment_carry(&c.carry, &carried, g->out->why) == 0;
	weir_experiment_carry_end(&c);
	g->workers.shared->made[run] = good && !carried.was_kept;
	json_decref(carried.document);
	return good;
}

/* Each takes the next run that nobody has, until there is none. */
static void work(struct weir_experiment_engine *g)
{
	struct hand h = {.g = g, .point = g->plan.n_points};
	u32 counted = 0, run;
	bool good = true;

	while (good && (run = atomic_fetch_add(&g->workers.shared->next, 1)) < g->n_runs) {
		double cost = g->cost[run / g->plan.n_seeds];
		for (; counted < run; counted++)
			g->done += g->cost[counted / g->plan.n_seeds];
		g->cost_now = cost;
		if (cost > 0) /* else no such point is run */
			good = make(&h, run);
	}
	put_down(&h);
}

/* ---- all of them ---- */

static bool is_alone(const struct weir_experiment_engine *g)
{
	u32 choice[WEIR_EXPERIMENT_MAX_AXES];

	if (g->run->jobs < 2 || g->n_runs < 2 || !g->plan.runs)
		return true;
	/* what is emulated needs the machine for itself */
	for (u32 point = 0; point < g->plan.n_points; point++) {
		weir_experiment_choices(&g->plan, point, choice);
		if (weir_experiment_is_emulated(g->e, choice))
			return true;
	}
	return false;
}

static bool make_place(struct weir_experiment_engine *g)
{
	const char *folder = getenv("TMPDIR");
	char why[512], *to = g->workers.folder;

	if (g->keeps)
		return true;
	int n = snprintf(to, PATH_MAX, "%s/weir-runs-XXXXXX", folder && *folder ? folder : "/tmp");
	if (n < 0 || n >= PATH_MAX || !mkdtemp(to)) {
		to[0] = 0;
		return false;
	}
	g->keeps = weir_keep_open(&g->keep, to, false, why) == 0;
	return g->keeps;
}

static void fork_workers(struct weir_experiment_engine *g)
{
	struct weir_workers *w = &g->workers;
	u32 jobs = g->run->jobs < g->n_runs ? g->run->jobs : g->n_runs;
	pid_t parent = getpid();

	while (w->n + 1 < jobs && w->n < WEIR_WORKERS_MAX) {
		pid_t pid = fork();
		if (pid < 0)
			return;
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() == parent)
				work(g);
			_exit(0);
		}
		w->pid[w->n++] = pid;
	}
}

void weir_workers_run(struct weir_experiment_engine *g)
{
	struct weir_workers *w = &g->workers;

	if (is_alone(g) || !make_place(g))
		return;
	w->shared_bytes = sizeof *w->shared + g->n_runs * sizeof w->shared->made[0];
	void *memory = mmap(NULL, w->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return;
	w->shared = memory;
	fflush(NULL);
	fork_workers(g);
	work(g);
	for (u32 i = 0; i < w->n; i++) {
		if (g->run->stop && *g->run->stop)
			kill(w->pid[i], SIGTERM);
		waitpid(w->pid[i], NULL, 0);
	}
	w->n = 0;
	g->done = 0;
}

bool weir_workers_made(const struct weir_workers *w, u32 run)
{
	return w->shared && w->shared->made[run];
}

static void remove_folder(const char *folder)
{
	char path[PATH_MAX + 300];
	DIR *dir = opendir(folder);

	for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

void weir_workers_free(struct weir_workers *w)
{
	if (w->shared)
		munmap(w->shared, w->shared_bytes);
	if (w->folder[0])
		remove_folder(w->folder);
	*w = (struct weir_workers){0};
}

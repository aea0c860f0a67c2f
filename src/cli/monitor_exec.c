/* SPDX-License-Identifier: MIT */
#include "monitor_exec.h"

#include "weir/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

#define OWN_VARIABLES 6

/* A variable of ours that was there before: of two of one name a shell takes the last. */
static bool is_own(const char *variable)
{
	static const char *const own[] = {
	    "WEIR_ID=", "WEIR_SEQ=", "WEIR_KEY=", "WEIR_AGE_MS=", "WEIR_AGE_ERROR_MS=", "WEIR_VALUE="};
	for (u32 i = 0; i < sizeof own / sizeof own[0]; i++)
		if (!strncmp(variable, own[i], strlen(own[i])))
			return true;
	return false;
}

/* Our environment and what is known of the value. What cannot stand in a variable (a zero byte) is left to
 * stdin. */
static char **environment(const struct weir_told *v, char text[OWN_VARIABLES][WEIR_TOLD_VALUE_BYTES + 32])
{
	size_t n = 0, room = WEIR_TOLD_VALUE_BYTES + 32;
	while (environ[n])
		n++;
	char **envp = calloc(n + OWN_VARIABLES + 1, sizeof *envp);
	if (!envp)
		return NULL;
	u32 own = 0;
	snprintf(text[own++], room, "WEIR_ID=%s", v->id);
	snprintf(text[own++], room, "WEIR_SEQ=%llu", v->sequence);
	if (v->key[0])
		snprintf(text[own++], room, "WEIR_KEY=%s", v->key);
	if (v->age.known)
		snprintf(text[own++], room, "WEIR_AGE_MS=%.3f", v->age.age_s * 1e3);
	if (v->age.known && v->age.high_s > 0)
		snprintf(text[own++], room, "WEIR_AGE_ERROR_MS=%.3f", (v->age.high_s - v->age.age_s) * 1e3);
	if (!memchr(v->data, 0, v->bytes))
		snprintf(text[own++], room, "WEIR_VALUE=%.*s", (int)v->bytes, (const char *)v->data);
	for (u32 i = 0; i < own; i++)
		envp[i] = text[i];
	for (size_t i = 0; i < n; i++)
		if (!is_own(environ[i]))
			envp[own++] = environ[i];
	return envp;
}

static bool may_start(void *owner, u32 place)
{
	const struct weir_exec *x = owner;
	for (u32 i = 0; i < x->jobs; i++)
		if (x->job[i].shell.pid && x->job[i].place == place)
			return false;
	return true;
}

static void start(struct weir_exec *x, struct weir_exec_job *job, const struct weir_told *v, u64 now_ns)
{
	static char text[OWN_VARIABLES][WEIR_TOLD_VALUE_BYTES + 32];
	char **envp = environment(v, text);
	job->place = v->place;
	if (envp && weir_shell_start(&job->shell, now_ns, x->command, envp, v->data, v->bytes) == 0)
		x->started++;
	else
		x->failed++;
	free(envp);
}

static void start_all(struct weir_exec *x, u64 now_ns)
{
	for (u32 i = 0; i < x->jobs; i++) {
		if (x->job[i].shell.pid)
			continue;
		const struct weir_told *v = weir_newest_first(x->waiting, may_start, x);
		if (!v)
			return;
		start(x, &x->job[i], v, now_ns);
		weir_newest_take(x->waiting, v);
	}
}

static void on_end(void *owner, struct weir_shell *s)
{
	struct weir_exec_job *job = owner;
	job->exec->failed += s->code != 0;
	start_all(job->exec, weir_clock_ns());
}

int weir_exec_open(struct weir_exec *x, struct weir_loop *loop)
{
	x->loop = loop;
	x->waiting = weir_newest_new();
	for (u32 i = 0; i < WEIR_EXEC_JOBS_MAX; i++) {
		x->job[i].exec = x;
		x->job[i].shell = (struct weir_shell){.loop = loop, .ended = on_end, .owner = &x->job[i]};
	}
	return x->waiting ? 0 : -1;
}

void weir_exec_value(struct weir_exec *x, u64 now_ns, const struct weir_told *v)
{
	enum weir_newest_put put = weir_newest_put(x->waiting, v);
	x->superseded += put == WEIR_NEWEST_REPLACED;
	x->dropped += put == WEIR_NEWEST_FULL;
	start_all(x, now_ns);
}

u64 weir_exec_step(struct weir_exec *x, u64 now_ns)
{
	u64 next_ns = WEIR_NEVER;
	for (u32 i = 0; i < x->jobs; i++) {
		struct weir_shell *s = &x->job[i].shell;
		u64 end_ns = s->started_ns + x->timeout_ns;
		if (!s->pid)
			continue;
		if (now_ns < end_ns) {
			next_ns = weir_min(next_ns, end_ns);
			continue;
		}
		weir_shell_kill(s);
		x->timed_out++;
		start_all(x, now_ns);
	}
	return next_ns;
}

void weir_exec_close(struct weir_exec *x)
{
	if (!x->waiting)
		return;
	for (u32 i = 0; i < x->jobs; i++)
		weir_shell_kill(&x->job[i].shell);
	weir_newest_free(x->waiting);
	x->waiting = NULL;
}

/* SPDX-License-Identifier: MIT */
/* The age of what a flow tells: of updates, or of a stream or of datagrams as they are. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#define BIRTHS_START 64u

bool weir_sim_age_add(struct weir_world *w, struct weir_sim_flow *f, const struct weir_flow_config *c)
{
	u32 *aged = realloc(w->aged, (w->n_aged + 1u) * sizeof *aged);
	struct weir_sim_age *a = calloc(1, sizeof *a);
	if (aged)
		w->aged = aged;
	if (!aged || !a) {
		free(a);
		return false;
	}
	a->spread = c->age_spread;
	a->bound_ns = c->age_bound_ns;
	weir_ledger_init(&a->ledger, c->age_bound_ns);
	weir_ledger_init(&a->estimate, c->age_bound_ns);
	f->app->age = a;
	aged[w->n_aged++] = f->number;
	if (c->acp)
		return weir_sim_acp_add(f, c->acp);
	w->tapped = w->tapped || weir_sim_is_stream(f);
	return true;
}

void weir_sim_age_free(struct weir_sim_age *a)
{
	if (!a)
		return;
	free(a->acp);
	free(a->birth);
	free(a);
}

void weir_sim_age_start(struct weir_world *w, struct weir_sim_flow *f)
{
	struct weir_sim_age *a = f->app->age;
	struct weir_app_config config = f->app->app.config;
	weir_app_start(&a->mirror, &config, w->seed, f->number, w->now_ns);
	a->mirrored_ns = w->now_ns;
}

void weir_sim_age_value(struct weir_world *w, struct weir_sim_age *a, u64 generated_ns)
{
	if (!a->ended)
		weir_ledger_value(&a->ledger, a->spread, w->now_ns, generated_ns);
}

/* ---- datagrams and streams of updates: the application is told again, as far as its data has come ---- */

static void tell_again(struct weir_sim_age *a)
{
	a->mirrored_ns = a->mirror.wake_ns;
	weir_app_on_wake(&a->mirror, a->mirrored_ns, 0);
	a->mirrored++;
}

void weir_sim_age_datagram(struct weir_world *w, struct weir_sim_age *a, u64 number)
{
	if (number < a->mirrored)
		return;
	while (a->mirrored <= number)
		tell_again(a);
	weir_sim_age_value(w, a, a->mirrored_ns);
}

static void updates_delivered(struct weir_world *w, struct weir_sim_age *a, u64 total_bytes)
{
	u64 whole_bytes = total_bytes - total_bytes % a->mirror.config.chunk_bytes;
	while (a->mirror.written_bytes < whole_bytes)
		tell_again(a);
	if (whole_bytes)
		weir_sim_age_value(w, a, a->mirrored_ns);
}

/* ---- any other stream: each segment is an update, generated when it is first sent ---- */

static bool grow(struct weir_sim_age *a)
{
	u32 capacity = a->births_capacity ? 2 * a->births_capacity : BIRTHS_START;
	struct weir_sim_birth *birth = capacity ? malloc(capacity * sizeof *birth) : NULL;
	if (!birth)
		return false;
	for (u32 i = 0; i < a->births; i++)
		birth[i] = a->birth[(a->birth_head + i) & (a->births_capacity - 1)];
	free(a->birth);
	a->birth = birth;
	a->birth_head = 0;
	a->births_capacity = capacity;
	return true;
}

static bool is_told(const struct weir_sim_age *a)
{
	return a->mirror.config.kind == WEIR_APP_UPDATES;
}

void weir_sim_age_sent(struct weir_world *w, struct weir_sim_flow *f, u64 end_seq)
{
	struct weir_sim_age *a = f->app->age;
	if (a->ended || is_told(a) || end_seq <= a->born_seq)
		return;
	if (a->births == a->births_capacity && !grow(a)) {
		w->failed = true;
		return;
	}
	u32 at = (a->birth_head + a->births++) & (a->births_capacity - 1);
	a->birth[at] = (struct weir_sim_birth){end_seq, w->now_ns};
	a->born_seq = end_seq;
}

void weir_sim_age_delivered(struct weir_world *w, struct weir_sim_flow *f, u64 total_bytes)
{
	struct weir_sim_age *a = f->app->age;
	bool any = false;
	u64 sent_ns = 0;
	if (is_told(a)) {
		updates_delivered(w, a, total_bytes);
		return;
	}
	while (a->births && a->birth[a->birth_head].end_seq <= f->receiver.next) {
		sent_ns = a->birth[a->birth_head].sent_ns;
		a->birth_head = (a->birth_head + 1) & (a->births_capacity - 1);
		a->births--;
		any = true;
	}
	if (any)
		weir_sim_age_value(w, a, sent_ns);
}

/* The source's view of a stream, as of acp's source: at an ACK the age is the RTT that it measures, and until
 * the next one it grows. */
void weir_sim_age_acked(struct weir_world *w, struct weir_sim_flow *f, u64 rtt_ns)
{
	struct weir_sim_age *a = f->app->age;
	if (!a->ended)
		weir_ledger_value(&a->estimate, NULL, w->now_ns, w->now_ns - rtt_ns);
}

/* ---- reading ---- */

static void count_up_to_now(struct weir_world *w, struct weir_sim_age *a)
{
	if (a->ended)
		return;
	weir_ledger_advance(&a->ledger, a->spread, w->now_ns);
	weir_ledger_advance(&a->estimate, NULL, w->now_ns);
	if (a->acp && a->acp->source.config.incarnation)
		weir_source_advance(&a->acp->source, w->now_ns);
}

void weir_sim_age_end(struct weir_world *w, struct weir_sim_flow *f)
{
	count_up_to_now(w, f->app->age);
	f->app->age->ended = true;
}

static void read_acp(const struct weir_sim_acp *acp, struct weir_flow_age *out)
{
	weir_flow_age_of_source(out, &acp->source, &acp->base);
	out->fresh = acp->fresh - acp->base_fresh;
	out->late = acp->late - acp->base_late;
}

bool weir_world_flow_age(struct weir_world *w, u32 flow, struct weir_flow_age *out)
{
	struct weir_sim_age *a = weir_sim_age_of(&w->flows[flow]);
	memset(out, 0, sizeof *out);
	if (!a)
		return false;
	count_up_to_now(w, a);
	out->age = a->ledger;
	out->estimate = a->estimate;
	out->fresh = a->ledger.values;
	if (a->acp)
		read_acp(a->acp, out);
	return true;
}

void weir_world_restart_ages(struct weir_world *w)
{
	for (u32 i = 0; i < w->n_aged; i++) {
		struct weir_sim_age *a = w->flows[w->aged[i]].app->age;
		count_up_to_now(w, a);
		weir_ledger_restart(&a->ledger, a->spread, w->now_ns);
		weir_ledger_restart(&a->estimate, NULL, w->now_ns);
		if (!a->acp)
			continue;
		weir_ledger_restart(&a->acp->source.estimate, NULL, w->now_ns);
		a->acp->base = weir_source_counts(&a->acp->source);
		a->acp->base_fresh = a->acp->fresh;
		a->acp->base_late = a->acp->late;
	}
}

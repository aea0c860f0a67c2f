/* SPDX-License-Identifier: MIT */
/* The two processes of an acp flow. */
#include "emulated_acp_shared.h"
#include "net/monitor_host.h"
#include "net/source_host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* What both have in common. */
struct end {
	struct weir_acp_shared *shared;
	const struct weir_emulated_acp_config *config;
	struct weir_acp_side *said;
	struct weir_loop loop;
	struct weir_watch peer;
	int ready;
	bool warm, stopped;
};

static int fail(struct end *e, const char *what)
{
	if (__atomic_load_n(&e->shared->ending, __ATOMIC_ACQUIRE) || e->said->failed)
		return -1;
	snprintf(e->said->why, sizeof e->said->why, "%s", what);
	__atomic_store_n(&e->said->failed, 1, __ATOMIC_RELEASE);
	return -1;
}

static void on_peer(void *owner, u32 events)
{
	struct end *e = owner;
	(void)events;
	weir_loop_remove(&e->loop, &e->peer);
	fail(e, "the other process of the flow ended");
}

static int begin(struct end *e, struct weir_acp_shared *shared, const struct weir_ktcp_birth *b)
{
	static const int signals[] = {SIGTERM};
	*e = (struct end){.shared = shared,
			  .config = &shared->config,
			  .said = &shared->side[b->side],
			  .ready = b->ready,
			  .peer = {b->peer, on_peer, e}};
	if (b->error) {
		char why[WEIR_KTCP_WHY_BYTES];
		snprintf(why, sizeof why, "cannot enter its network namespace: %s", strerror(b->error));
		return fail(e, why);
	}
	prctl(PR_SET_TIMERSLACK, 1UL); /* ordinary tasks wake up to 50 us late */
	if (weir_loop_open(&e->loop) < 0 || weir_loop_signals(&e->loop, signals, 1) < 0 ||
	    weir_loop_add(&e->loop, &e->peer, EPOLLIN) < 0)
		return fail(e, strerror(errno));
	return 0;
}

static void tell_ready(const struct end *e)
{
	(void)!write(e->ready, "r", 1);
	close(e->ready);
}

/* Until the next event. Whether it goes on. */
static bool wait_on(struct end *e, u64 next_ns)
{
	if (!e->warm)
		next_ns = weir_min(next_ns, e->config->warm_ns);
	if (weir_loop_wait(&e->loop, e->stopped ? WEIR_NEVER : weir_min(next_ns, e->config->stop_ns)) < 0) {
		fail(e, strerror(errno));
		return false;
	}
	return !weir_loop_came(&e->loop, SIGTERM);
}

/* Up to when there is anything to count. */
static u64 counted_until(const struct end *e)
{
	return weir_min(weir_clock_ns(), e->config->stop_ns);
}

/* ---- the source ---- */

struct source {
	struct end end; /* the first member */
	struct weir_source_host host;
	struct weir_app app;
	bool begun;
	struct weir_source_counts base;
};

static size_t put_value(void *owner, u8 *to, size_t room)
{
	const struct source *s = owner;
	size_t bytes = weir_min(s->end.config->value_bytes, room);
	memset(to, 0, bytes);
	return bytes;
}

static void on_acked(void *owner, u64 rtt_ns)
{
	struct source *s = owner;
	if (!s->end.stopped)
		weir_hist_add(&s->end.shared->rtt_ns, rtt_ns);
}

static void publish_source(struct source *s)
{
	struct weir_source *source = &s->host.source;
	const struct weir_hist *rtt = &s->end.shared->rtt_ns;
	u64 now_ns = counted_until(&s->end);
	weir_source_advance(source, now_ns);
	struct weir_acp_source_said said = {.counted_ns = now_ns,
					    .srtt_ns = (u64)(source->srtt_s * 1e9),
					    .min_rtt_ns = (u64)(source->min_rtt_s * 1e9),
					    .rtt_n = rtt->n,
					    .rtt_sum_ns = rtt->sum,
					    .in_flight = source->sent - source->acked};
	weir_flow_age_of_source(&said.age, source, &s->base);
	weir_publish(&s->end.said->version, s->end.shared->source, &said, sizeof said);
}

static void warm_source(struct source *s, u64 now_ns)
{
	s->end.warm = true;
	weir_hist_clear(&s->end.shared->rtt_ns);
	if (!s->begun)
		return;
	weir_source_advance(&s->host.source, now_ns);
	weir_ledger_restart(&s->host.source.estimate, NULL, now_ns);
	s->base = weir_source_counts(&s->host.source);
}

static void begin_source(struct source *s, u64 now_ns)
{
	const struct weir_emulated_acp_config *c = s->end.config;
	struct weir_app_config app = c->app;
	s->begun = true;
	weir_source_host_begin(&s->host);
	weir_app_start(&s->app, &app, c->seed, c->flow, now_ns);
}

/* Does what is due; when to come again. */
static u64 step_source(struct source *s)
{
	const struct weir_emulated_acp_config *c = s->end.config;
	u64 now_ns = weir_clock_ns();
	if (!s->begun && now_ns < c->start_ns)
		return c->start_ns;
	if (!s->begun)
		begin_source(s, now_ns);
	if (!s->end.warm && now_ns >= c->warm_ns)
		warm_source(s, now_ns);
	if (now_ns >= c->stop_ns) {
		publish_source(s);
		s->end.stopped = true;
		return WEIR_NEVER;
	}
	while (s->app.wake_ns <= now_ns)
		if (weir_app_on_wake(&s->app, now_ns, 0))
			weir_source_host_offer(&s->host, now_ns, now_ns);
	u64 next_ns = weir_min(weir_source_host_step(&s->host), s->app.wake_ns);
	publish_source(s);
	return next_ns;
}

static int open_source(struct source *s)
{
	const struct weir_emulated_acp_config *c = s->end.config;
	struct weir_source_host_config host = {.source = c->source,
					       .to = {c->to},
					       .n_to = 1,
					       .answers_marks = c->ecn,
					       .value = put_value,
					       .acked = on_acked,
					       .owner = s};
	char why[WEIR_NET_WHY_BYTES];
	struct weir_rng rng;
	weir_rng_init(&rng, c->seed, weir_rng_point("acp"), c->flow);
	host.source.flow_id = c->flow;
	host.source.incarnation = (u32)weir_rng_u64(&rng) | 1;
	if (weir_source_host_open(&s->host, &s->end.loop, &host, why) < 0)
		return fail(&s->end, why);
	const struct weir_guard_port port = weir_source_host_port(&s->host);
	s->host.guard = weir_guard_plain_new(&port);
	return s->host.guard ? 0 : fail(&s->end, "out of memory");
}

int weir_acp_source_live(struct weir_acp_shared *shared, const struct weir_ktcp_birth *b)
{
	static struct source s;
	if (begin(&s.end, shared, b) < 0 || open_source(&s) < 0)
		return 1;
	tell_ready(&s.end);
	while (wait_on(&s.end, s.end.stopped ? WEIR_NEVER : step_source(&s)))
		;
	if (s.begun && !s.end.stopped)
		publish_source(&s);
	return 0;
}

/* ---- the monitor ---- */

struct monitor {
	struct end end; /* the first member */
	struct weir_monitor_host host;
	struct weir_acp_monitor_said said;
	u64 late_base;
};

static void publish_monitor(struct monitor *m)
{
	m->said.late = m->host.table.verdicts[WEIR_MONITOR_LATE] - m->late_base;
	weir_publish(&m->end.said->version, m->end.shared->monitor, &m->said, sizeof m->said);
}

static void on_fresh(void *owner, const struct weir_monitor_value *v)
{
	struct monitor *m = owner;
	if (m->end.stopped || v->now_ns >= m->end.config->stop_ns)
		return;
	m->said.fresh++;
	m->said.delivered_bytes += v->bytes;
	weir_ledger_value(&m->said.age, &m->end.shared->age, v->now_ns, v->monitor->highest_generated_ns);
}

static void warm_monitor(struct monitor *m, u64 now_ns)
{
	m->end.warm = true;
	m->said.fresh = 0;
	m->late_base = m->host.table.verdicts[WEIR_MONITOR_LATE];
	weir_ledger_restart(&m->said.age, &m->end.shared->age, now_ns);
}

static u64 step_monitor(struct monitor *m)
{
	u64 now_ns = weir_clock_ns(), next_ns = weir_monitor_host_step(&m->host);
	if (!m->end.warm && now_ns >= m->end.config->warm_ns)
		warm_monitor(m, now_ns);
	if (now_ns >= m->end.config->stop_ns && !m->end.stopped) {
		weir_ledger_advance(&m->said.age, &m->end.shared->age, m->end.config->stop_ns);
		m->end.stopped = true;
	}
	publish_monitor(m);
	return next_ns;
}

static int open_monitor(struct monitor *m)
{
	const struct weir_emulated_acp_config *c = m->end.config;
	const struct weir_monitor_host_config host = {
	    .capacity = 16, .seed = c->seed, .bound_ns = c->source.bound_ns, .fresh = on_fresh, .owner = m};
	char why[WEIR_NET_WHY_BYTES];
	weir_ledger_init(&m->said.age, c->source.bound_ns);
	if (weir_monitor_host_open(&m->host, &m->end.loop, &host, why) < 0)
		return fail(&m->end, why);
	struct weir_monitor_port *p = weir_monitor_host_listen(&m->host, &c->to, why);
	if (!p)
		return fail(&m->end, why);
	const struct weir_guard_port port = weir_monitor_host_guard_port(p);
	p->guard = weir_guard_plain_new(&port);
	return p->guard ? 0 : fail(&m->end, "out of memory");
}

int weir_acp_monitor_live(struct weir_acp_shared *shared, const struct weir_ktcp_birth *b)
{
	static struct monitor m;
	if (begin(&m.end, shared, b) < 0 || open_monitor(&m) < 0)
		return 1;
	tell_ready(&m.end);
	while (wait_on(&m.end, step_monitor(&m)))
		;
	if (!m.end.stopped)
		weir_ledger_advance(&m.said.age, &shared->age, counted_until(&m.end));
	publish_monitor(&m);
	return 0;
}

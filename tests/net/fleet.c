/* SPDX-License-Identifier: MIT */
#include "fleet.h"

#include "age/table.h"
#include "core/rng.h"
#include "net/monitor_host.h"
#include "net/source_host.h"
#include "weir/num.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP_NS WEIR_NS_PER_MS /* how finely the sources' slots are kept */

/* What both processes see. */
struct shared {
	_Atomic u32 port; /* 0: not yet; 0xffffffff: failed */
	_Atomic bool counting, stop;
	u64 stale, overflowed;
	double cpu_s;
	struct {
		u64 fresh, newest;
		double age_mean_s;
	} source[];
};

static double cpu_s(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* ---- the monitor's process ---- */

static void on_fresh(void *owner, const struct weir_monitor_value *v)
{
	struct shared *s = owner;
	u64 number;
	u32 source;
	memcpy(&source, v->data, sizeof source);
	memcpy(&number, v->data + sizeof source, sizeof number);
	if (number <= s->source[source].newest)
		s->stale++;
	s->source[source].newest = number;
	if (atomic_load_explicit(&s->counting, memory_order_relaxed))
		s->source[source].fresh++;
}

static void run_monitor(struct shared *s, u32 n)
{
	static struct weir_monitor_host host;
	struct weir_loop loop;
	struct weir_address at;
	char why[WEIR_NET_WHY_BYTES] = "";
	const struct weir_monitor_host_config config = {
	    .capacity = n, .seed = 7, .fresh = on_fresh, .owner = s};
	weir_address_resolve("127.0.0.1", 0, &at, 1, why);
	struct weir_monitor_port *p = NULL;
	if (weir_loop_open(&loop) == 0 && weir_monitor_host_open(&host, &loop, &config, why) == 0)
		p = weir_monitor_host_listen(&host, &at, why);
	if (!p) {
		fprintf(stderr, "monitor: %s\n", why);
		atomic_store(&s->port, 0xffffffffu);
		return;
	}
	const struct weir_guard_port port = weir_monitor_host_guard_port(p);
	p->guard = weir_guard_plain_new(&port);
	atomic_store(&s->port, weir_address_port(&p->udp.local));
	double before_s = cpu_s();
	bool counted = false;
	while (!atomic_load(&s->stop)) {
		u64 now_ns = weir_clock_ns();
		weir_loop_wait(&loop, weir_min(weir_monitor_host_step(&host), now_ns + 50 * WEIR_NS_PER_MS));
		if (!counted && atomic_load(&s->counting)) {
			counted = true;
			for (u32 i = 0; i < n; i++)
				if (weir_monitors_at(&host.table, i))
					weir_ledger_restart(&weir_monitors_at(&host.table, i)->age, NULL,
							    now_ns);
		}
	}
	s->cpu_s = cpu_s() - before_s;
	s->overflowed = p->udp.stats.overflowed;
	for (u32 i = 0; i < n; i++) {
		struct weir_monitor *m = weir_monitors_at(&host.table, i);
		if (!m)
			continue;
		weir_ledger_advance(&m->age, NULL, weir_clock_ns());
		s->source[m->flow_id - 1].age_mean_s = weir_ledger_mean_s(&m->age);
	}
	weir_monitor_host_close(&host);
	weir_loop_close(&loop);
}

/* ---- the sources' process ---- */

struct member {
	struct weir_source_host host;
	u32 number;
	u64 values, next_ns;
};

static size_t value(void *owner, u8 *to, size_t room)
{
	struct member *m = owner;
	u64 number = ++m->values;
	memset(to, 0, room < 100 ? room : 100);
	memcpy(to, &m->number, sizeof m->number);
	memcpy(to + sizeof m->number, &number, sizeof number);
	return 100;
}

static bool begin(struct member *m, struct weir_loop *loop, u32 i, u16 port, double ceiling_hz)
{
	char why[WEIR_NET_WHY_BYTES] = "";
	static u64 params[32];
	const struct weir_age_ops *ops = weir_age_find("acp-robust");
	weir_age_defaults(ops, params);
	struct weir_source_host_config c = {
	    .source = weir_source_defaults(ops, params), .n_to = 1, .value = value, .owner = m};
	u64 x = i;
	c.source.flow_id = i + 1;
	c.source.incarnation = (u32)weir_splitmix64(&x);
	c.source.ceiling_hz = ceiling_hz;
	c.source.just_in_time = true;
	c.source.probes = 2;
	weir_address_resolve("127.0.0.1", port, c.to, 1, why);
	m->number = i;
	if (weir_source_host_open(&m->host, loop, &c, why) < 0) {
		fprintf(stderr, "source %u: %s\n", i, why);
		return false;
	}
	const struct weir_guard_port guard = weir_source_host_port(&m->host);
	m->host.guard = weir_guard_plain_new(&guard);
	weir_source_host_begin(&m->host);
	return true;
}

/* All of them, until this time. Those that are not there yet begin one after the other. */
static bool run_sources(struct member *member, u32 *begun, u32 n, struct weir_loop *loop, u16 port,
			double ceiling_hz, u64 until_ns)
{
	u64 from_ns = weir_clock_ns(), step_ns = from_ns;
	for (u64 now_ns = from_ns; now_ns < until_ns; now_ns = weir_clock_ns()) {
		while (*begun < n && (now_ns - from_ns) * n >= *begun * WEIR_NS_PER_S) {
			if (!begin(&member[*begun], loop, *begun, port, ceiling_hz))
				return false;
			(*begun)++;
		}
		for (u32 i = 0; i < *begun; i++)
			if (member[i].host.source.sent == 0 ||
			    now_ns >= weir_source_wake_ns(&member[i].host.source) ||
			    now_ns >= member[i].next_ns)
				member[i].next_ns = weir_source_host_step(&member[i].host);
		step_ns = weir_max(step_ns + STEP_NS, now_ns);
		do
			weir_loop_wait(loop, step_ns);
		while (weir_clock_ns() < step_ns);
	}
	return true;
}

static void sum_up(const struct shared *s, u32 n, struct fleet_result *r)
{
	double sum = 0, squares = 0;
	r->sources = n;
	r->fresh_min = WEIR_NEVER;
	for (u32 i = 0; i < n; i++) {
		u64 fresh = s->source[i].fresh;
		double age_ms = s->source[i].age_mean_s * 1e3;
		r->fresh += fresh;
		r->fresh_min = weir_min(r->fresh_min, fresh);
		r->fresh_max = weir_max(r->fresh_max, fresh);
		r->age_mean_ms += age_ms / n;
		r->age_worst_ms = age_ms > r->age_worst_ms ? age_ms : r->age_worst_ms;
		sum += (double)fresh;
		squares += (double)fresh * (double)fresh;
	}
	r->jain = squares > 0 ? sum * sum / (n * squares) : 0;
	r->stale = s->stale;
	r->overflowed = s->overflowed;
	r->monitor_cpu_s = s->cpu_s;
}

static bool run_all(struct shared *s, u32 n, double ceiling_hz, double seconds, struct fleet_result *r)
{
	struct weir_loop loop;
	struct member *member = calloc(n, sizeof *member);
	u32 begun = 0;
	u64 end_ns = weir_clock_ns() + 10 * WEIR_NS_PER_S;
	while (atomic_load(&s->port) == 0 && weir_clock_ns() < end_ns)
		usleep(1000);
	u32 port = atomic_load(&s->port);
	bool good = member && port && port != 0xffffffffu && weir_loop_open(&loop) == 0;
	double before_s = cpu_s();
	if (good) {
		u64 from_ns = weir_clock_ns() + WEIR_NS_PER_S;
		good =
		    run_sources(member, &begun, n, &loop, (u16)port, ceiling_hz, from_ns + WEIR_NS_PER_S / 2);
		atomic_store(&s->counting, true);
		good = good && run_sources(member, &begun, n, &loop, (u16)port, ceiling_hz,
					   weir_clock_ns() + (u64)(seconds * 1e9));
		atomic_store(&s->counting, false);
	}
	r->sources_cpu_s = cpu_s() - before_s;
	for (u32 i = 0; i < begun; i++)
		weir_source_host_close(&member[i].host);
	free(member);
	return good;
}

bool fleet_run(u32 n, double ceiling_hz, double seconds, struct fleet_result *r)
{
	struct rlimit files;
	memset(r, 0, sizeof *r);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_cur < n + 64) {
		fprintf(stderr, "%u sources need as many descriptors: the limit is %llu\n", n,
			(u64)files.rlim_cur);
		return false;
	}
	size_t bytes = sizeof(struct shared) + n * sizeof(((struct shared *)0)->source[0]);
	struct shared *s = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return false;
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_monitor(s, n);
		_exit(0);
	}
	bool good = child > 0 && run_all(s, n, ceiling_hz, seconds, r);
	atomic_store(&s->stop, true);
	if (child > 0)
		waitpid(child, NULL, 0);
	sum_up(s, n, r);
	munmap(s, bytes);
	return good;
}

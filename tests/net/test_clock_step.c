/* SPDX-License-Identifier: MIT */
/* Field cases C11 and J19: the wall clock is set by an hour, both ways, while a source sends: neither its RTT
 * nor an age at the monitor notices. And a source's numbers wrap at 2^32 on the way (the "32-bit
 * wrap"). */
#include "age/table.h"
#include "net/monitor_host.h"
#include "net/source_host.h"
#include "weir/num.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static time_t step_s; /* by how much the wall clock is wrong */

/* In place of the library's. */
int clock_gettime(clockid_t id, struct timespec *t)
{
	int result = (int)syscall(SYS_clock_gettime, id, t);
	if (id == CLOCK_REALTIME)
		t->tv_sec += step_s;
	return result;
}

struct fixture {
	struct weir_loop loop;
	struct weir_monitor_host monitor;
	struct weir_source_host source;
	u64 params[32];
	u64 newest, fresh;
	double worst_age_s, worst_rtt_s;
	u32 last_sequence;
	bool wrapped;
};

static void on_fresh(void *owner, const struct weir_monitor_value *v)
{
	struct fixture *f = owner;
	struct weir_age_reading age = weir_monitor_age(v->monitor, v->now_ns);
	u64 number;
	memcpy(&number, v->data, sizeof number);
	assert_true(number > f->newest); /* never a stale value after a newer one */
	f->newest = number;
	f->fresh++;
	f->wrapped = f->wrapped || v->sequence < f->last_sequence;
	f->last_sequence = v->sequence;
	if (age.known && age.age_s > f->worst_age_s)
		f->worst_age_s = age.age_s;
}

static size_t value(void *owner, u8 *to, size_t room)
{
	u64 *number = owner;
	(void)room;
	++*number;
	memcpy(to, number, sizeof *number);
	return sizeof *number;
}

static void begin(struct fixture *f, u64 *number)
{
	char why[WEIR_NET_WHY_BYTES] = "";
	const struct weir_age_ops *ops = weir_age_find("fixed");
	const struct weir_monitor_host_config monitor = {
	    .capacity = 4, .seed = 1, .fresh = on_fresh, .owner = f};
	struct weir_address at;
	weir_address_resolve("127.0.0.1", 0, &at, 1, why);
	assert_int_equal(weir_loop_open(&f->loop), 0);
	assert_int_equal(weir_monitor_host_open(&f->monitor, &f->loop, &monitor, why), 0);
	struct weir_monitor_port *p = weir_monitor_host_listen(&f->monitor, &at, why);
	assert_non_null(p);
	struct weir_guard_port port = weir_monitor_host_guard_port(p);
	p->guard = weir_guard_plain_new(&port);
	weir_age_defaults(ops, f->params);
	struct weir_source_host_config c = {.source = weir_source_defaults(ops, f->params),
					    .to = {p->udp.local},
					    .n_to = 1,
					    .value = value,
					    .owner = number};
	c.source.flow_id = 5;
	c.source.incarnation = 6;
	c.source.first_sequence = 0xffffffffu - 5;
	c.source.floor_hz = 200;
	c.source.just_in_time = true;
	c.source.probes = 2;
	assert_int_equal(weir_source_host_open(&f->source, &f->loop, &c, why), 0);
	port = weir_source_host_port(&f->source);
	f->source.guard = weir_guard_plain_new(&port);
	weir_source_host_begin(&f->source);
}

static void run(struct fixture *f, u64 span_ns)
{
	for (u64 end_ns = weir_clock_ns() + span_ns; weir_clock_ns() < end_ns;) {
		u64 next_ns =
		    weir_min(weir_monitor_host_step(&f->monitor), weir_source_host_step(&f->source));
		weir_loop_wait(&f->loop, weir_min(next_ns, end_ns));
		if (f->source.source.srtt_s > f->worst_rtt_s)
			f->worst_rtt_s = f->source.source.srtt_s;
	}
}

static void test_c11_wall_clock_is_set(void **state)
{
	static struct fixture f;
	static const time_t steps_s[] = {0, 3600, 0, -3600, 1, 0};
	u64 number = 0;
	(void)state;
	begin(&f, &number);
	for (u32 i = 0; i < sizeof steps_s / sizeof steps_s[0]; i++) {
		u64 before = f.fresh;
		step_s = steps_s[i];
		for (u32 k = 0; k < 50 && f.fresh < before + 10; k++)
			run(&f, 100 * WEIR_NS_PER_MS);
		assert_true(f.fresh >= before + 10);
	}
	assert_true(f.wrapped);
	assert_int_equal(f.source.source.stats.clock_jumps, 0);
	assert_true(f.worst_rtt_s < 30 && f.worst_age_s < 30);
	assert_int_equal(f.source.source.stats.acks_bad, 0);
	weir_source_host_close(&f.source);
	weir_monitor_host_close(&f.monitor);
	weir_loop_close(&f.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_c11_wall_clock_is_set)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

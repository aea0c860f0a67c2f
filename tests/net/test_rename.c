/* SPDX-License-Identifier: MIT */
/* While nobody answers, the monitor's name is asked for again: it may have moved, and its name with it. */
#include "age/table.h"
#include "net/monitor_host.h"
#include "net/source_host.h"
#include "weir/num.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct weir_address answer[2]; /* of the name server */
static u32 asked;		      /* atomic */

static u32 resolve(const char *host, u16 port, struct weir_address *to, u32 room,
		   char why[WEIR_NET_WHY_BYTES])
{
	(void)port;
	(void)why;
	assert_string_equal(host, "monitor.example");
	assert_true(room >= 2);
	to[0] = answer[0];
	to[1] = answer[1];
	__atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
	return answer[1].bytes ? 2 : 1;
}

static u64 fresh;

static void on_fresh(void *owner, const struct weir_monitor_value *v)
{
	(void)owner;
	(void)v;
	fresh++;
}

static size_t value(void *owner, u8 *to, size_t room)
{
	(void)owner;
	(void)room;
	*to = 1;
	return 1;
}

struct fixture {
	struct weir_loop loop;
	struct weir_monitor_host monitor;
	struct weir_source_host source;
	struct weir_udp deaf; /* where the monitor was: it takes everything and says nothing */
	u64 params[32];
};

static void begin(struct fixture *f, bool loopback_only)
{
	char why[WEIR_NET_WHY_BYTES] = "";
	const struct weir_age_ops *ops = weir_age_find("lazy");
	const struct weir_monitor_host_config monitor = {.capacity = 4, .seed = 1, .fresh = on_fresh};
	struct weir_address at;
	asked = 0;
	fresh = 0;
	weir_address_resolve("127.0.0.1", 0, &at, 1, why);
	assert_int_equal(weir_loop_open(&f->loop), 0);
	assert_int_equal(weir_udp_listen(&f->deaf, &at, why), 0);
	assert_int_equal(weir_monitor_host_open(&f->monitor, &f->loop, &monitor, why), 0);
	struct weir_monitor_port *p = weir_monitor_host_listen(&f->monitor, &at, why);
	assert_non_null(p);
	struct weir_guard_port port = weir_monitor_host_guard_port(p);
	p->guard = weir_guard_plain_new(&port);
	answer[0] = p->udp.local;
	answer[1] = (struct weir_address){0};
	weir_age_defaults(ops, f->params);
	struct weir_source_host_config c = {.source = weir_source_defaults(ops, f->params),
					    .to = {f->deaf.local},
					    .n_to = 1,
					    .host = "monitor.example",
					    .loopback_only = loopback_only,
					    .resolve_after_ns = 300 * WEIR_NS_PER_MS,
					    .resolve = resolve,
					    .value = value};
	c.source.flow_id = 5;
	c.source.incarnation = 6;
	c.source.just_in_time = true;
	c.source.probes = 1;
	assert_int_equal(weir_source_host_open(&f->source, &f->loop, &c, why), 0);
	port = weir_source_host_port(&f->source);
	f->source.guard = weir_guard_plain_new(&port);
	weir_source_host_begin(&f->source);
}

static void run(struct fixture *f, u64 span_ns)
{
	u64 end_ns = weir_clock_ns() + span_ns;
	while (weir_clock_ns() < end_ns && !fresh) {
		u64 next_ns =
		    weir_min(weir_monitor_host_step(&f->monitor), weir_source_host_step(&f->source));
		weir_loop_wait(&f->loop, weir_min(next_ns, end_ns));
	}
}

static void end(struct fixture *f)
{
	weir_source_host_close(&f->source);
	weir_monitor_host_close(&f->monitor);
	weir_udp_close(&f->deaf);
	weir_loop_close(&f->loop);
}

static void another_address_of_the_name_is_taken(void **state)
{
	static struct fixture f;
	(void)state;
	begin(&f, true);
	run(&f, 30 * WEIR_NS_PER_S);
	assert_int_equal(fresh, 1);
	assert_int_equal(f.source.stats.renames, 1);
	assert_int_equal(asked, 1);
	end(&f);
}

/* Without keys nothing leaves this machine, whatever a name server says. */
static void no_address_beyond_this_machine_without_keys(void **state)
{
	static struct fixture f;
	(void)state;
	begin(&f, true);
	answer[0].v4.sin_addr.s_addr = htonl(0xc0000201); /* 192.0.2.1, RFC 5737 */
	for (u32 i = 0; i < 300 && !__atomic_load_n(&asked, __ATOMIC_RELAXED); i++)
		run(&f, 100 * WEIR_NS_PER_MS);
	run(&f, 1200 * WEIR_NS_PER_MS);
	assert_int_equal(asked, 1);
	assert_int_equal(f.source.stats.renames, 0);
	assert_true(weir_address_equal(&f.source.config.to[0], &f.deaf.local));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(another_address_of_the_name_is_taken),
	    cmocka_unit_test(no_address_beyond_this_machine_without_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

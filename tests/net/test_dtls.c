/* SPDX-License-Identifier: MIT */
/* Sessions from the first hello to a goodbye: one client and many, losses, new addresses, restarts. */
#include "dtls_network.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

static struct net net;
static struct weir_keys *all, *own[NET_PEERS];

static void start(u32 clients, u64 seed)
{
	net_open(&net, seed);
	all = net_keys(NET_PEERS, NULL);
	assert_true(net_listen(&net, &(struct weir_dtls_config){.keys = all}));
	for (u32 i = 0; i < clients; i++) {
		char name[24];
		snprintf(name, sizeof name, "client-%u", i);
		own[i] = net_keys(NET_PEERS, name);
		assert_non_null(net_join(&net, &(struct weir_dtls_config){.keys = own[i]}));
	}
}

static void stop(void)
{
	net_close(&net);
	weir_keys_free(all);
	for (u32 i = 0; i < NET_PEERS; i++) {
		weir_keys_free(own[i]);
		own[i] = NULL;
	}
}

static void a_full_handshake_takes_three_round_trips(void **state)
{
	(void)state;
	start(1, 1);
	struct net_end *c = &net.client[0];
	net_connect(c);
	assert_int_equal(net_state(c), WEIR_GUARD_CONNECTING);
	assert_false(net_say(c, "too early"));
	net_pass(&net, 60 * WEIR_NS_PER_MS);
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	assert_true(net_say(c, "hello"));
	net_pass(&net, 10 * WEIR_NS_PER_MS);
	assert_int_equal(net.server.delivered, 1);
	assert_memory_equal(net.server.last, "hello", 5);
	assert_string_equal(net.server.last_who, "client-0");
	assert_true(net.server.last_identity != 0);
	net_pass(&net, 10 * WEIR_NS_PER_MS);
	assert_int_equal(c->delivered, 1);
	assert_int_equal(net_count(&net.server, "handshakes_completed"), 1);
	assert_int_equal(net_count(&net.server, "cookies_sent"), 1);
	stop();
}

static void a_new_address_resumes_in_two_round_trips(void **state)
{
	(void)state;
	start(2, 2);
	struct net_end *c = &net.client[0];
	net_connect(c);
	net_connect(&net.client[1]);
	net_pass(&net, WEIR_NS_PER_S);
	net_say(c, "a");
	net_pass(&net, WEIR_NS_PER_S);
	u64 identity = net.server.last_identity;
	net_say(&net.client[1], "x");
	net_pass(&net, WEIR_NS_PER_S);
	assert_true(net.server.last_identity != identity);

	c->address = net_address(77, 7777);
	net_say(c, "lost");
	net_pass(&net, 2 * WEIR_NS_PER_S);
	assert_int_equal(net.server.delivered, 2);
	assert_int_equal(net_count(&net.server, "dropped_unknown"), 1);
	c->guard->ops->renew(c->guard, net.now_ns);
	assert_int_equal(net_state(c), WEIR_GUARD_RENEWING);
	net_pass(&net, 40 * WEIR_NS_PER_MS);
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	net_say(c, "b");
	net_pass(&net, 10 * WEIR_NS_PER_MS);
	assert_int_equal(net.server.delivered, 3);
	assert_true(net.server.last_identity == identity);
	assert_string_equal(net.server.last_who, "client-0");
	assert_int_equal(net_count(&net.server, "handshakes_resumed"), 1);
	stop();
}

/* The monitor has lost all it knew. Nobody tells the source, whose host asks for a new session every so
 * often: back within a hello's interval and 3.5 round trips of the listener's return. */
static void a_restarted_monitor_hears_again_in_time(void **state)
{
	(void)state;
	for (u32 phase = 0; phase < 10; phase++) {
		start(1, 3 + phase);
		struct net_end *c = &net.client[0];
		net_connect(c);
		net_pass(&net, WEIR_NS_PER_S);
		net_say(c, "before");
		net_pass(&net, WEIR_NS_PER_S);
		assert_int_equal(net.server.delivered, 1);
		net.cut = true; /* its goodbye does not get through either */
		net_leave(&net.server);
		c->guard->ops->renew(c->guard, net.now_ns);
		net_pass(&net, 7 * WEIR_NS_PER_S + phase * 300 * WEIR_NS_PER_MS);
		assert_int_equal(net_state(c), WEIR_GUARD_RENEWING);
		assert_true(net_listen(&net, &(struct weir_dtls_config){.keys = all}));
		net.cut = false;
		u64 back_ns = net.now_ns, bound_ns = 3 * WEIR_NS_PER_S + 6 * net.delay_ns;
		while (net_state(c) != WEIR_GUARD_READY && net.now_ns < back_ns + bound_ns)
			net_pass(&net, WEIR_NS_PER_MS);
		net_say(c, "after");
		net_pass(&net, net.delay_ns);
		assert_int_equal(net.server.delivered, 2);
		assert_true(net.server.last_ns - back_ns <= bound_ns);
		stop();
	}
}

static void two_hundred_clients_share_a_port(void **state)
{
	(void)state;
	start(200, 4);
	for (u32 i = 0; i < 200; i++)
		net_connect(&net.client[i]);
	net_pass(&net, WEIR_NS_PER_S);
	for (u32 i = 0; i < 200; i++) {
		assert_int_equal(net_state(&net.client[i]), WEIR_GUARD_READY);
		assert_true(net_say(&net.client[i], "value"));
	}
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net.server.delivered, 200);
	for (u32 i = 0; i < 200; i++)
		assert_int_equal(net.client[i].delivered, 1);
	assert_int_equal(net_count(&net.server, "handshakes_completed"), 200);
	/* All of them somewhere else, half of them where another one was before. */
	for (u32 i = 0; i < 200; i++)
		net.client[i].address = net_address(100 + (i + 100) % 300, (u16)(20000 + (i + 100) % 300));
	for (u32 i = 0; i < 200; i++)
		net.client[i].guard->ops->renew(net.client[i].guard, net.now_ns);
	net_pass(&net, WEIR_NS_PER_S);
	for (u32 i = 0; i < 200; i++) {
		assert_int_equal(net_state(&net.client[i]), WEIR_GUARD_READY);
		assert_true(net_say(&net.client[i], "value"));
	}
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net.server.delivered, 400);
	assert_int_equal(net_count(&net.server, "handshakes_resumed"), 200);
	stop();
}

static void losses_delay_and_do_no_more(void **state)
{
	(void)state;
	start(200, 5);
	net.loss = .1;
	for (u32 i = 0; i < 200; i++)
		net_connect(&net.client[i]);
	net_pass(&net, 30 * WEIR_NS_PER_S);
	u32 ready = 0;
	for (u32 i = 0; i < 200; i++)
		ready += net_state(&net.client[i]) == WEIR_GUARD_READY;
	assert_int_equal(ready, 200);
	net.loss = 0;
	for (u32 i = 0; i < 200; i++)
		assert_true(net_say(&net.client[i], "value"));
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net.server.delivered, 200);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_full_handshake_takes_three_round_trips),
	    cmocka_unit_test(a_new_address_resumes_in_two_round_trips),
	    cmocka_unit_test(a_restarted_monitor_hears_again_in_time),
	    cmocka_unit_test(two_hundred_clients_share_a_port),
	    cmocka_unit_test(losses_delay_and_do_no_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Wrong keys, full tables, old sessions, large values, clocks that step, goodbyes. */
#include "dtls_network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct net net;
static struct weir_keys *all, *own[NET_PEERS];
static u32 largest;

static void measure(struct net *n, const struct net_datagram *d)
{
	(void)n;
	largest = d->bytes > largest ? d->bytes : largest;
}

static void start(u32 clients, struct weir_dtls_config config)
{
	net_open(&net, 1);
	largest = 0;
	net.seen = measure;
	all = net_keys(NET_PEERS, NULL);
	config.keys = all;
	assert_true(net_listen(&net, &config));
	for (u32 i = 0; i < clients; i++) {
		char name[24];
		snprintf(name, sizeof name, "client-%u", i);
		own[i] = net_keys(NET_PEERS, name);
		assert_non_null(net_join(&net, &(struct weir_dtls_config){.keys = own[i]}));
	}
}

static struct net_end *join_with(const char *line)
{
	static struct weir_diag d;
	char text[200];
	snprintf(text, sizeof text, "%s", line);
	u32 i = net.clients;
	own[i] = weir_keys_parse(text, strlen(text), NULL, &d);
	assert_non_null(own[i]);
	return net_join(&net, &(struct weir_dtls_config){.keys = own[i]});
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

static void a_wrong_key_is_told_and_an_unknown_name_looks_the_same(void **state)
{
	(void)state;
	start(0, (struct weir_dtls_config){0});
	struct net_end *wrong = join_with("client-0:00000000000000000000000000000000");
	struct net_end *unknown = join_with("nobody:00000000000000000000000000000000");
	net_connect(wrong);
	net_connect(unknown);
	net_pass(&net, 20 * WEIR_NS_PER_S);
	assert_int_equal(net_state(wrong), WEIR_GUARD_REFUSED);
	assert_int_equal(net_state(unknown), WEIR_GUARD_REFUSED);
	assert_non_null(
	    strstr(wrong->guard->ops->why(wrong->guard), "does not confirm the key of 'client-0'"));
	assert_int_equal(wrong->sent_datagrams, unknown->sent_datagrams);
	assert_int_equal(net_count(&net.server, "handshakes_completed"), 0);
	net_pass(&net, 60 * WEIR_NS_PER_S);
	assert_true(net_count(&net.server, "identities_unknown") > 0);
	/* One who has no answer does not send much: 12 attempts of few datagrams in 80 s. */
	assert_true(wrong->sent_datagrams < 100);
	stop();
}

static void a_silent_monitor_gets_a_hello_in_2_5_seconds(void **state)
{
	(void)state;
	start(1, (struct weir_dtls_config){0});
	net.cut = true;
	net_connect(&net.client[0]);
	net_pass(&net, 300 * WEIR_NS_PER_S);
	assert_in_range(net_count(&net.client[0], "hellos"), 119, 122);
	assert_int_equal(net.client[0].sent_datagrams, net_count(&net.client[0], "hellos"));
	assert_int_equal(net_state(&net.client[0]), WEIR_GUARD_CONNECTING);
	net.cut = false;
	net_pass(&net, 2560 * WEIR_NS_PER_MS);
	assert_int_equal(net_state(&net.client[0]), WEIR_GUARD_READY);
	stop();
}

/* Round trips longer than the interval of the hellos, and than the library's timer. */
static void a_slow_path_connects(void **state)
{
	(void)state;
	start(1, (struct weir_dtls_config){0});
	net.delay_ns = 2500 * WEIR_NS_PER_MS;
	net_connect(&net.client[0]);
	net_pass(&net, 120 * WEIR_NS_PER_S);
	assert_int_equal(net_state(&net.client[0]), WEIR_GUARD_READY);
	stop();
}

static void half_open_handshakes_are_capped(void **state)
{
	(void)state;
	start(200, (struct weir_dtls_config){.half_open = 16});
	/* Many that fall silent after the cookie. */
	for (u32 i = 0; i < 199; i++)
		net_connect(&net.client[i]);
	net_pass(&net, 35 * WEIR_NS_PER_MS);
	for (u32 i = 0; i < 199; i++)
		net_leave(&net.client[i]);
	assert_int_equal(net_count(&net.server, "handshakes_started"), 199);
	assert_int_equal(net_count(&net.server, "handshakes_crowded_out"), 199 - 16);
	net_connect(&net.client[199]);
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net_state(&net.client[199]), WEIR_GUARD_READY);
	net_pass(&net, 60 * WEIR_NS_PER_S);
	assert_int_equal(
	    net_count(&net.server, "handshakes_expired") + net_count(&net.server, "handshakes_failed"), 15);
	stop();
}

static void handshakes_are_rationed(void **state)
{
	(void)state;
	start(200, (struct weir_dtls_config){.handshakes_per_s = 10});
	for (u32 i = 0; i < 200; i++)
		net_connect(&net.client[i]);
	net_pass(&net, WEIR_NS_PER_S);
	/* 256 at once is what there is of credit; the first 200 fit, twice as many do not. */
	assert_int_equal(net_count(&net.server, "handshakes_deferred"), 0);
	for (u32 i = 0; i < 200; i++)
		net_connect(&net.client[i]);
	net_pass(&net, 100 * WEIR_NS_PER_MS);
	assert_in_range(net_count(&net.server, "handshakes_deferred"), 130, 146);
	net_pass(&net, 60 * WEIR_NS_PER_S);
	for (u32 i = 0; i < 200; i++)
		assert_int_equal(net_state(&net.client[i]), WEIR_GUARD_READY);
	stop();
}

static void sessions_are_capped_and_expire(void **state)
{
	(void)state;
	start(12, (struct weir_dtls_config){.sessions = 8, .idle_ns = 100 * WEIR_NS_PER_S});
	for (u32 i = 0; i < 12; i++)
		net_connect(&net.client[i]);
	net_pass(&net, WEIR_NS_PER_S);
	/* Twelve begin while there is room; the last four find none, and none when they come again. */
	assert_int_equal(net_count(&net.server, "handshakes_completed"), 8);
	assert_int_equal(net_count(&net.server, "sessions_refused"), 4);
	net_pass(&net, 9 * WEIR_NS_PER_S);
	assert_in_range(net_count(&net.server, "sessions_refused"), 5, 4 + 4 * 9);
	assert_int_equal(net_count(&net.server, "handshakes_started"), 12);
	for (u32 i = 8; i < 12; i++)
		net_leave(&net.client[i]);
	/* After a minute of silence a session may be needed more by somebody else. */
	for (u32 s = 0; s < 90; s++) {
		for (u32 i = 0; i < 7; i++)
			net_say(&net.client[i], "on");
		net_pass(&net, WEIR_NS_PER_S);
	}
	struct net_end *late = join_with("client-200:000000000000000000000000000010c8");
	net_connect(late);
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net_state(late), WEIR_GUARD_READY);
	assert_int_equal(net_count(&net.server, "sessions_evicted"), 1);
	u64 wake = net.server.guard->ops->wake_ns(net.server.guard);
	assert_true(wake <= net.now_ns + 100 * WEIR_NS_PER_S);
	net_pass(&net, 150 * WEIR_NS_PER_S);
	assert_int_equal(net_count(&net.server, "sessions_expired"), 8);
	assert_true(net.server.guard->ops->wake_ns(net.server.guard) == WEIR_NEVER);
	stop();
}

/* One who holds a key opens session after session: half of all are left to others. */
static void one_identity_has_at_most_half_of_the_sessions(void **state)
{
	(void)state;
	start(1, (struct weir_dtls_config){.sessions = 8});
	for (u32 i = 0; i < 20; i++) {
		struct net_end *again = join_with("client-0:00000000000000000000000000001000");
		net_connect(again);
		net_pass(&net, WEIR_NS_PER_S);
		assert_int_equal(net_state(again), WEIR_GUARD_READY);
	}
	assert_int_equal(net_count(&net.server, "sessions_evicted"), 20 - 4);
	assert_int_equal(net_count(&net.server, "sessions_refused"), 0);
	stop();
}

static void what_fits_is_said_and_what_does_not_is_refused(void **state)
{
	(void)state;
	static u8 value[2000];
	start(1, (struct weir_dtls_config){0});
	struct net_end *c = &net.client[0];
	net_connect(c);
	net_pass(&net, WEIR_NS_PER_S);
	assert_true(largest <= 1200); /* flights of handshakes */
	size_t room = c->guard->ops->room(c->guard, 1452);
	assert_int_equal(room, 1452 - WEIR_DTLS_OVERHEAD_BYTES);
	assert_int_equal(c->guard->ops->room(c->guard, 20), 0);
	assert_true(c->guard->ops->send(c->guard, net.now_ns, NULL, value, room));
	assert_false(c->guard->ops->send(c->guard, net.now_ns, NULL, value, room + 1));
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net.server.delivered, 1);
	assert_int_equal(net.server.last_bytes, room);
	assert_true(largest <= 1452);
	stop();
}

/* C11: the wall clock is set while a handshake runs and while a session stands. */
static void steps_of_the_wall_clock_do_no_harm(void **state)
{
	(void)state;
	static const i64 steps_s[] = {3600, -3600, 86400 * 365, -7200};
	for (u32 i = 0; i < 4; i++) {
		start(1, (struct weir_dtls_config){0});
		struct net_end *c = &net.client[0];
		net.loss = .2;
		net_connect(c);
		net_pass(&net, 25 * WEIR_NS_PER_MS);
		net_wall_step_s += steps_s[i];
		net_pass(&net, 30 * WEIR_NS_PER_S);
		assert_int_equal(net_state(c), WEIR_GUARD_READY);
		net.loss = 0;
		net_wall_step_s += steps_s[i];
		net_say(c, "a");
		net_pass(&net, WEIR_NS_PER_S);
		assert_int_equal(c->delivered, 1);
		c->address = net_address(99, 99);
		c->guard->ops->renew(c->guard, net.now_ns);
		net_pass(&net, WEIR_NS_PER_S);
		net_say(c, "b");
		net_pass(&net, WEIR_NS_PER_S);
		assert_int_equal(c->delivered, 2);
		stop();
		net_wall_step_s = 0;
	}
}

static void a_goodbye_is_noticed_at_once(void **state)
{
	(void)state;
	start(1, (struct weir_dtls_config){0});
	struct net_end *c = &net.client[0];
	net_connect(c);
	net_pass(&net, WEIR_NS_PER_S);
	net_leave(&net.server);
	net_pass(&net, 20 * WEIR_NS_PER_MS);
	assert_int_equal(net_state(c), WEIR_GUARD_CONNECTING);
	net_pass(&net, 10 * WEIR_NS_PER_S);
	assert_true(net_listen(&net, &(struct weir_dtls_config){.keys = all}));
	net_pass(&net, 2600 * WEIR_NS_PER_MS);
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	stop();
}

/* The path was away for a moment, and comes back before the new handshake has had an answer. */
static void a_renewal_that_is_not_needed_is_dropped(void **state)
{
	(void)state;
	start(1, (struct weir_dtls_config){0});
	struct net_end *c = &net.client[0];
	net_connect(c);
	net_pass(&net, WEIR_NS_PER_S);
	net_say(c, "a");
	net_pass(&net, WEIR_NS_PER_S);
	net.cut = true;
	c->guard->ops->renew(c->guard, net.now_ns);
	net_pass(&net, WEIR_NS_PER_S);
	net.cut = false;
	net_say(c, "b");
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(c->delivered, 2);
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	assert_int_equal(net_count(c, "handshakes_completed"), 1);
	stop();
}

static void plain_psk_works_too(void **state)
{
	(void)state;
	start(0, (struct weir_dtls_config){0});
	own[0] = net_keys(1, "client-0");
	struct net_end *c = net_join(&net, &(struct weir_dtls_config){.keys = own[0], .plain_psk = true});
	net_connect(c);
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	net_say(c, "a");
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(c->delivered, 1);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_wrong_key_is_told_and_an_unknown_name_looks_the_same),
	    cmocka_unit_test(a_silent_monitor_gets_a_hello_in_2_5_seconds),
	    cmocka_unit_test(a_slow_path_connects),
	    cmocka_unit_test(half_open_handshakes_are_capped),
	    cmocka_unit_test(handshakes_are_rationed),
	    cmocka_unit_test(sessions_are_capped_and_expire),
	    cmocka_unit_test(one_identity_has_at_most_half_of_the_sessions),
	    cmocka_unit_test(what_fits_is_said_and_what_does_not_is_refused),
	    cmocka_unit_test(steps_of_the_wall_clock_do_no_harm),
	    cmocka_unit_test(a_goodbye_is_noticed_at_once),
	    cmocka_unit_test(a_renewal_that_is_not_needed_is_dropped),
	    cmocka_unit_test(plain_psk_works_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

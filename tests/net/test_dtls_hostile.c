/* SPDX-License-Identifier: MIT */
/* What strangers send: forged, replayed, truncated and reflected datagrams are counted, dropped, and nothing
 * else. */
#include "dtls_network.h"

#include "net/dtls_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KEPT 64u

static struct net net;
static struct weir_keys *all, *own;

/* The last datagrams that went by, and what has gone to and come from whom before a cookie was accepted. */
static struct {
	struct net_datagram kept[KEPT];
	u32 n;
	u64 to_server, from_server;
	bool watch;
} way;

static void watch(struct net *n, const struct net_datagram *d)
{
	way.kept[way.n++ % KEPT] = *d;
	if (!way.watch)
		return;
	if (weir_address_equal(&d->to, &n->server.address)) {
		if (!n->server.guard || !net_count(&n->server, "handshakes_started"))
			way.to_server += d->bytes;
	} else if (!net_count(&n->server, "handshakes_started")) {
		way.from_server += d->bytes;
		assert_true(way.from_server <= way.to_server);
	}
}

static struct net_end *start(void)
{
	memset(&way, 0, sizeof way);
	net_open(&net, 1);
	net.seen = watch;
	all = net_keys(4, NULL);
	own = net_keys(4, "client-0");
	assert_true(net_listen(&net, &(struct weir_dtls_config){.keys = all}));
	struct net_end *c = net_join(&net, &(struct weir_dtls_config){.keys = own});
	assert_non_null(c);
	return c;
}

static struct net_end *start_ready(void)
{
	struct net_end *c = start();
	net_connect(c);
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	return c;
}

static void stop(void)
{
	net_close(&net);
	weir_keys_free(all);
	weir_keys_free(own);
}

static u64 dropped(const struct net_end *e)
{
	u64 n = 0;
	struct weir_guard_counter c;
	for (u32 i = 0; e->guard->ops->counter(e->guard, i, &c); i++)
		if (!strncmp(c.name, "dropped_", 8))
			n += c.value;
	return n;
}

static void inject(struct net_end *to, const struct weir_address *from, const u8 *data, size_t bytes)
{
	to->guard->ops->receive(to->guard, net.now_ns, from, data, bytes);
}

/* The newest datagram to an end that begins with such a record. */
static struct net_datagram find(const struct net_end *to, u8 type)
{
	for (u32 i = 0; i < way.n && i < KEPT; i++) {
		const struct net_datagram *d = &way.kept[(way.n - 1 - i) % KEPT];
		if (weir_address_equal(&d->to, &to->address) && d->data[0] == type)
			return *d;
	}
	fail();
	abort();
}

static void check_works(struct net_end *c)
{
	u32 before = net.server.delivered, answers = c->delivered;
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	assert_true(net_say(c, "still here"));
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net.server.delivered, before + 1);
	assert_int_equal(c->delivered, answers + 1);
}

static void replayed_records_are_dropped(void **state)
{
	(void)state;
	struct net_end *c = start_ready();
	net_say(c, "once");
	net_pass(&net, WEIR_NS_PER_S);
	struct net_datagram up = find(&net.server, WEIR_DTLS_DATA), down = find(c, WEIR_DTLS_DATA);
	u64 sent = net.server.sent_datagrams;
	for (u32 i = 0; i < 3; i++) {
		inject(&net.server, &c->address, up.data, up.bytes);
		inject(c, &net.server.address, down.data, down.bytes);
	}
	assert_int_equal(net.server.delivered, 1);
	assert_int_equal(c->delivered, 1);
	assert_int_equal(net_count(&net.server, "dropped_replayed"), 3);
	assert_int_equal(net_count(c, "dropped_replayed"), 3);
	assert_true(net.server.sent_datagrams == sent);
	/* From somewhere else: nobody there. */
	struct weir_address other = net_address(200, 9);
	inject(&net.server, &other, up.data, up.bytes);
	assert_int_equal(net_count(&net.server, "dropped_unknown"), 1);
	inject(c, &other, down.data, down.bytes);
	assert_int_equal(net_count(c, "dropped_foreign"), 1);
	check_works(c);
	/* So far behind that nobody can tell. */
	for (u32 i = 0; i < 100; i++)
		net_say(c, "more");
	net_pass(&net, WEIR_NS_PER_S);
	u32 delivered = net.server.delivered;
	inject(&net.server, &c->address, up.data, up.bytes);
	assert_int_equal(net.server.delivered, delivered);
	assert_int_equal(net_count(&net.server, "dropped_replayed"), 4);
	stop();
}

static void every_changed_bit_and_every_cut_is_dropped(void **state)
{
	(void)state;
	struct net_end *c = start_ready();
	net.cut = true;
	net_say(c, "a value that never came through");
	struct net_datagram up = find(&net.server, WEIR_DTLS_DATA);
	net.cut = false;
	u64 before = dropped(&net.server), sent = net.server.sent_datagrams, tries = 0;
	for (u32 bit = 0; bit < 8 * up.bytes; bit++) {
		struct net_datagram d = up;
		d.data[bit / 8] ^= (u8)(1u << bit % 8);
		inject(&net.server, &c->address, d.data, d.bytes);
		tries++;
	}
	for (u32 bytes = 0; bytes < up.bytes; bytes++) {
		inject(&net.server, &c->address, up.data, bytes);
		tries++;
	}
	assert_int_equal(net.server.delivered, 0);
	assert_true(net.server.sent_datagrams == sent);
	assert_true(dropped(&net.server) - before == tries);
	inject(&net.server, &c->address, up.data, up.bytes);
	assert_int_equal(net.server.delivered, 1);
	net_pass(&net, WEIR_NS_PER_S);
	check_works(c);
	stop();
}

static void forged_records_do_not_end_a_session(void **state)
{
	(void)state;
	struct net_end *c = start_ready();
	struct weir_rng rng;
	weir_rng_init(&rng, 1, weir_rng_point("forged"), 0);
	net_say(c, "a");
	net_pass(&net, WEIR_NS_PER_S);
	for (u32 i = 0; i < 20000; i++) {
		struct net_datagram d = find(i % 2 ? c : &net.server, WEIR_DTLS_DATA);
		u32 body = 1 + (u32)(weir_rng_u64(&rng) % 64);
		d.data[0] = (u8)(WEIR_DTLS_CHANGE_CIPHER + weir_rng_u64(&rng) % 4);
		d.data[4] = (u8)(weir_rng_u64(&rng) % 3);
		d.data[10] = (u8)weir_rng_u64(&rng);
		d.data[11] = 0;
		d.data[12] = (u8)body;
		for (u32 at = 13; at < 13 + body; at++)
			d.data[at] = (u8)weir_rng_u64(&rng);
		inject(i % 2 ? c : &net.server, i % 2 ? &net.server.address : &c->address, d.data, 13 + body);
	}
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net.server.delivered, 1);
	assert_int_equal(c->delivered, 1);
	assert_int_equal(net_count(&net.server, "sessions_closed"), 0);
	assert_int_equal(net_count(c, "sessions_closed"), 0);
	check_works(c);
	stop();
}

static void unprotected_alerts_end_nothing(void **state)
{
	(void)state;
	static const u8 fatal[] = {21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40};
	struct net_end *c = start();
	net_connect(c);
	for (u32 ms = 0; ms < 200; ms++) {
		inject(c, &net.server.address, fatal, sizeof fatal);
		inject(&net.server, &c->address, fatal, sizeof fatal);
		net_pass(&net, WEIR_NS_PER_MS);
	}
	check_works(c);
	assert_int_equal(net_count(&net.server, "handshakes_failed"), 0);
	assert_int_equal(net_count(c, "handshakes_failed"), 0);
	stop();
}

/* Everything that was sent comes back to who sent it, and to a second listener: nobody answers for long. */
static void reflected_datagrams_find_no_answer(void **state)
{
	(void)state;
	struct net_end *c = start_ready();
	net_say(c, "a");
	net_pass(&net, WEIR_NS_PER_S);
	u32 kept = way.n < KEPT ? way.n : KEPT;
	static struct net_datagram all_seen[KEPT];
	memcpy(all_seen, way.kept, sizeof all_seen);
	u64 sent = net.server.sent_datagrams, sent_client = c->sent_datagrams;
	for (u32 i = 0; i < kept; i++) {
		const struct net_datagram *d = &all_seen[i];
		if (weir_address_equal(&d->from, &net.server.address))
			inject(&net.server, &c->address, d->data, d->bytes);
		else
			inject(c, &net.server.address, d->data, d->bytes);
	}
	net_pass(&net, 60 * WEIR_NS_PER_S);
	assert_int_equal(net.server.delivered, 1);
	assert_int_equal(c->delivered, 1);
	assert_true(net.server.sent_datagrams - sent <= 1);
	assert_true(c->sent_datagrams - sent_client <= 6); /* its last flight, at most */
	check_works(c);
	stop();
}

/* A spoofed datagram makes two listeners talk to each other: it ends there. */
static void two_listeners_do_not_talk_to_each_other(void **state)
{
	(void)state;
	struct net_end *c = start();
	net_connect(c);
	struct net_datagram hello = find(&net.server, WEIR_DTLS_HANDSHAKE);
	net_leave(c);
	char why[WEIR_NET_WHY_BYTES];
	struct weir_guard_port port = net_port(c);
	c->guard = weir_guard_dtls_new_server(&(struct weir_dtls_config){.keys = all}, &port, why);
	assert_non_null(c->guard);
	u64 sent = net.server.sent_datagrams + c->sent_datagrams;
	inject(&net.server, &c->address, hello.data, hello.bytes);
	net_pass(&net, 60 * WEIR_NS_PER_S);
	/* The hello that was on its way, and the spoofed one: a cookie each, nothing more. */
	assert_true(net.server.sent_datagrams + c->sent_datagrams - sent == 2);
	stop();
}

static void nothing_is_kept_or_amplified_before_a_cookie(void **state)
{
	(void)state;
	struct net_end *c = start();
	net_connect(c);
	struct net_datagram hello = find(&net.server, WEIR_DTLS_HANDSHAKE);
	struct weir_rng rng;
	weir_rng_init(&rng, 1, weir_rng_point("hellos"), 0);
	for (u32 i = 0; i < 20000; i++) {
		struct net_datagram d = hello;
		struct weir_address from = net_address(1000 + i, (u16)i);
		for (u32 changes = (u32)(weir_rng_u64(&rng) % 4); changes; changes--)
			d.data[weir_rng_u64(&rng) % d.bytes] = (u8)weir_rng_u64(&rng);
		if (i % 3 == 0)
			d.bytes = (u32)(weir_rng_u64(&rng) % d.bytes);
		u64 sent = net.server.sent_bytes;
		inject(&net.server, &from, d.data, d.bytes);
		assert_true(net.server.sent_bytes - sent <= d.bytes);
		net.n = 0;
	}
	assert_true(net_count(&net.server, "cookies_sent") > 1000);
	assert_int_equal(net_count(&net.server, "handshakes_started"), 0);
	assert_true(net.server.guard->ops->wake_ns(net.server.guard) == WEIR_NEVER);
	stop();
}

static void no_flight_is_longer_than_what_came_before_the_cookie(void **state)
{
	(void)state;
	struct net_end *c = start();
	way.watch = true;
	net.loss = .3;
	net_connect(c);
	net_pass(&net, 30 * WEIR_NS_PER_S);
	assert_int_equal(net_state(c), WEIR_GUARD_READY);
	assert_true(way.to_server > 0 && way.from_server > 0);
	net.loss = 0;
	check_works(c);
	stop();
}

static void a_cookie_is_good_for_one_address_one_hello_and_a_minute(void **state)
{
	(void)state;
	struct net_end *c = start();
	net_connect(c);
	net_pass(&net, 25 * WEIR_NS_PER_MS);
	struct net_datagram with_cookie = find(&net.server, WEIR_DTLS_HANDSHAKE);
	net_pass(&net, WEIR_NS_PER_S);
	assert_int_equal(net_count(&net.server, "cookies_sent"), 1);
	struct weir_address other = net_address(201, 9);
	inject(&net.server, &other, with_cookie.data, with_cookie.bytes);
	assert_int_equal(net_count(&net.server, "cookies_sent"), 2);
	struct net_datagram another = with_cookie;
	another.data[30] ^= 1; /* in the random */
	inject(&net.server, &c->address, another.data, another.bytes);
	assert_int_equal(net_count(&net.server, "cookies_sent"), 3);
	assert_int_equal(net_count(&net.server, "handshakes_started"), 1);
	/* The very same hello again: of the session that stands. */
	u64 sent = net.server.sent_datagrams;
	inject(&net.server, &c->address, with_cookie.data, with_cookie.bytes);
	assert_int_equal(net_count(&net.server, "dropped_replayed"), 1);
	assert_true(net.server.sent_datagrams == sent);
	check_works(c);
	/* Its owner has gone; the cookie still opens a handshake, which nobody can complete, until it is old.
	 */
	net_leave(c);
	net_pass(&net, WEIR_NS_PER_S);
	inject(&net.server, &c->address, with_cookie.data, with_cookie.bytes);
	assert_int_equal(net_count(&net.server, "handshakes_started"), 2);
	net_pass(&net, 60 * WEIR_NS_PER_S);
	assert_int_equal(net_count(&net.server, "handshakes_expired"), 1);
	inject(&net.server, &c->address, with_cookie.data, with_cookie.bytes);
	assert_int_equal(net_count(&net.server, "handshakes_started"), 2);
	stop();
}

/* Somebody who sees all and answers faster than the monitor cannot keep the two apart for ever. */
static void garbage_in_the_middle_of_handshakes_only_delays(void **state)
{
	(void)state;
	struct net_end *c = start();
	struct weir_rng rng;
	weir_rng_init(&rng, 1, weir_rng_point("middle"), 0);
	net_connect(c);
	for (u32 ms = 0; ms < 3000; ms++) {
		if (way.n && ms < 1500 && weir_rng_chance(&rng, .05)) {
			struct net_datagram d = way.kept[(way.n - 1) % KEPT];
			d.data[13 + weir_rng_u64(&rng) % (d.bytes - 13)] ^= 0x55;
			struct net_end *to = net_at(&net, &d.to);
			inject(to, &d.from, d.data, d.bytes);
		}
		net_pass(&net, WEIR_NS_PER_MS);
	}
	net_pass(&net, 30 * WEIR_NS_PER_S);
	check_works(c);
	stop();
}

/* The goodbye is authentic; one without the key is not. */
static void only_the_other_end_can_say_goodbye(void **state)
{
	(void)state;
	struct net_end *c = start_ready();
	net_say(c, "a");
	net_pass(&net, WEIR_NS_PER_S);
	net_leave(c);
	struct net_datagram bye = find(&net.server, WEIR_DTLS_ALERT);
	struct net_datagram forged = bye;
	forged.data[forged.bytes - 1] ^= 1;
	net.n = 0;
	inject(&net.server, &c->address, forged.data, forged.bytes);
	assert_int_equal(net_count(&net.server, "sessions_closed"), 0);
	inject(&net.server, &c->address, bye.data, bye.bytes);
	assert_int_equal(net_count(&net.server, "sessions_closed"), 1);
	inject(&net.server, &c->address, bye.data, bye.bytes);
	assert_int_equal(net_count(&net.server, "sessions_closed"), 1);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(replayed_records_are_dropped),
	    cmocka_unit_test(every_changed_bit_and_every_cut_is_dropped),
	    cmocka_unit_test(forged_records_do_not_end_a_session),
	    cmocka_unit_test(unprotected_alerts_end_nothing),
	    cmocka_unit_test(reflected_datagrams_find_no_answer),
	    cmocka_unit_test(two_listeners_do_not_talk_to_each_other),
	    cmocka_unit_test(nothing_is_kept_or_amplified_before_a_cookie),
	    cmocka_unit_test(no_flight_is_longer_than_what_came_before_the_cookie),
	    cmocka_unit_test(a_cookie_is_good_for_one_address_one_hello_and_a_minute),
	    cmocka_unit_test(garbage_in_the_middle_of_handshakes_only_delays),
	    cmocka_unit_test(only_the_other_end_can_say_goodbye),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

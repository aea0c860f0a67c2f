/* SPDX-License-Identifier: MIT */
/* Many connections of one process pair, and a player of video: bytes are exact, nothing is left behind. */
#include "two_hosts.h"

#include <sys/resource.h>

#define FLOWS 300

static u64 start_ns[FLOWS], bytes[FLOWS];

static struct weir_ktcp_config a_crowd(u32 n)
{
	struct weir_ktcp_config c = a_flow(WEIR_APP_SIZED);
	((struct sockaddr_in *)(void *)&c.sender)->sin_port = 0;
	c.crowd = (struct weir_ktcp_crowd){
	    .n = n, .start_ns = start_ns, .bytes = bytes, .zero_ns = now_ns() + 200 * MS};
	return c;
}

static u64 all_done(struct weir_ktcp_flow *f, u32 n, u64 until_ns)
{
	struct weir_ktcp_seen s;
	for (weir_ktcp_look(f, &s); s.completions < n && !s.failed && now_ns() < until_ns;
	     weir_ktcp_look(f, &s))
		usleep(2000);
	return s.completions;
}

/* Lines of the table of sockets that are neither its head nor listeners. */
static bool no_socket_is_left(u32 side)
{
	return in_host(side, "test $(awk 'NR > 1 && $4 != \"0A\"' /proc/net/tcp | wc -l) -eq 0") == 0;
}

static void each_delivers_its_bytes_once(void **state)
{
	(void)state;
	static struct weir_ktcp_completion done[FLOWS + 1];
	u64 sum = 0;
	for (u32 i = 0; i < FLOWS; i++) {
		start_ns[i] = i / 3 * 10 * MS; /* three at a time, 300 a second */
		bytes[i] = i % 50 == 7 ? 3000000 : 1 + i * 37;
		sum += bytes[i];
	}
	struct weir_ktcp_config c = a_crowd(FLOWS);
	struct weir_ktcp_flow *f = begin(&c);
	assert_int_equal(all_done(f, FLOWS, c.crowd.zero_ns + 10 * SECOND), FLOWS);
	assert_int_equal(weir_ktcp_completions(f, done, FLOWS + 1), FLOWS);
	bool seen[FLOWS] = {false};
	for (u32 i = 0; i < FLOWS; i++) {
		u32 k = (u32)done[i].number;
		assert_true(k < FLOWS && !seen[k]);
		seen[k] = true;
		assert_int_equal(done[i].bytes, bytes[k]);
		assert_true(done[i].start_ns >= c.crowd.zero_ns + start_ns[k] &&
			    done[i].end_ns >= done[i].start_ns);
		bool all;
		assert_int_equal(weir_ktcp_crowd_delivered(f, k, &all), bytes[k]);
	}
	usleep(200000);
	assert_true(no_socket_is_left(LEFT) && no_socket_is_left(RIGHT)); /* nor one in TIME_WAIT */
	struct weir_ktcp_seen s = finish(f);
	assert_int_equal(s.delivered_bytes, sum);
	assert_int_equal(s.sent_bytes, sum);
	assert_int_equal(s.refused_connections, 0);
	assert_string_equal(s.controller, "reno");
	end(f);
}

/* All that is open goes with the stop, and what was not complete is no completion. */
static void stops_at_once(void **state)
{
	(void)state;
	for (u32 i = 0; i < 20; i++) {
		start_ns[i] = i * 20 * MS;
		bytes[i] = i < 10 ? 1000 : 1ULL << 40;
	}
	struct weir_ktcp_config c = a_crowd(20);
	c.stop_ns = c.crowd.zero_ns + 600 * MS;
	struct weir_ktcp_flow *f = begin(&c);
	sleep_until(c.stop_ns + 300 * MS);
	struct weir_ktcp_seen s;
	weir_ktcp_look(f, &s);
	assert_true(!s.failed && s.completions == 10 && s.delivered_bytes > 100000);
	assert_true(no_socket_is_left(LEFT) && no_socket_is_left(RIGHT));
	assert_int_equal(finish(f).delivered_bytes, s.delivered_bytes);
	end(f);
}

/* More than may be open: 64 where 128 files are allowed. Each would take for ever. */
static void refuses_what_is_too_much(void **state)
{
	(void)state;
	const struct rlimit few = {128, 128}; /* for good: the last test */
	for (u32 i = 0; i < 100; i++) {
		start_ns[i] = 0;
		bytes[i] = 1ULL << 40;
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	struct weir_ktcp_config c = a_crowd(100);
	struct weir_ktcp_flow *f = begin(&c);
	sleep_until(c.crowd.zero_ns + 200 * MS);
	struct weir_ktcp_seen s = finish(f);
	assert_int_equal(s.refused_connections, 100 - 64);
	end(f);
}

/* 2 and 8 Mbit/s in chunks of .2 s: the link is far faster, so it ends at 8 and a full buffer, and pauses. */
static void a_video_is_played(void **state)
{
	(void)state;
	static const u64 ladder[] = {2000000, 8000000};
	struct weir_ktcp_config c = a_flow(WEIR_APP_VIDEO);
	c.app.video = (struct weir_video_config){
	    .ladder_bps = ladder, .rungs = 2, .chunk_ns = 200 * MS, .buffer_ns = 2 * SECOND};
	c.stop_ns = c.start_ns + 3 * SECOND;
	struct weir_ktcp_flow *f = begin(&c);
	assert_true(watch(f, c.stop_ns + 5 * SECOND).done);
	struct weir_ktcp_seen s = finish(f);
	const struct weir_video *v = &s.video;
	assert_int_equal(v->rung, 1);
	assert_int_equal(v->totals.rebuffers, 0);
	assert_int_equal(v->totals.switches, 1);
	assert_in_range(v->buffer_ns, 1500 * MS, 2000 * MS);
	/* what was played, and what lies in the buffer */
	assert_in_range(v->totals.chunks, 5 + 10, 15 + 10 + 1);
	/* whole chunks, but for the one that the stop may have cut */
	u64 asked_bytes = (u64)(v->totals.chunk_bps * .2 / 8 + .5);
	assert_in_range(s.delivered_bytes, asked_bytes, asked_bytes + 200000);
	end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_delivers_its_bytes_once),
	    cmocka_unit_test(stops_at_once),
	    cmocka_unit_test(a_video_is_played),
	    cmocka_unit_test(refuses_what_is_too_much),
	};
	skip_without_ground();
	return cmocka_run_group_tests(tests, open_hosts, close_hosts);
}

/* SPDX-License-Identifier: MIT */
/* A player on a link of constant rate: what its buffer does can be said in advance. */
#include "app/app.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MBIT 1000000ULL
#define S WEIR_NS_PER_S

static const u64 ladder[] = {1 * MBIT, 2 * MBIT, 4 * MBIT, 8 * MBIT};
static const struct weir_app_config config = {
    .kind = WEIR_APP_VIDEO,
    .video = {.ladder_bps = ladder, .rungs = 4, .chunk_ns = 4 * S, .buffer_ns = 80 * S},
};

static bool near(double a, double b, double within)
{
	return fabs(a - b) <= within;
}

/* Requests take no time; each chunk is delivered whole at the link's rate. Until the time, or so many chunks.
 */
struct link {
	u64 bps, now_ns, chunks, least_buffer_ns, idle_ns;
	struct weir_app app;
};

static void begin(struct link *l, u64 bps)
{
	*l = (struct link){.bps = bps, .least_buffer_ns = WEIR_NEVER};
	weir_app_start(&l->app, &config, 1, 0, 0);
}

static void fetch(struct link *l)
{
	u64 had = l->app.requests;
	u64 at_ns = weir_app_on_delivered(&l->app, l->now_ns, had);
	assert_true(at_ns != WEIR_NEVER && at_ns >= l->now_ns);
	assert_true(weir_app_on_delivered(&l->app, l->now_ns, had) == WEIR_NEVER); /* one at a time */
	l->idle_ns += at_ns - l->now_ns;
	u64 bytes = l->app.requests - had, done_ns = at_ns + weir_muldiv(bytes, 8 * S, l->bps);
	weir_app_on_request(&l->app, at_ns, l->app.requests);
	assert_int_equal(l->app.written_bytes, l->app.requests);
	assert_true(weir_app_on_delivered(&l->app, done_ns - 1, l->app.requests - 1) == WEIR_NEVER);
	struct weir_video v = l->app.video;
	weir_video_advance(&v, done_ns);
	if (l->chunks)
		l->least_buffer_ns = weir_min(l->least_buffer_ns, v.buffer_ns);
	l->now_ns = done_ns;
	l->chunks++;
}

/* In the reservoir (30 s of 80 s) it stays at the lowest rung: each chunk takes 4 s x 1 / 4 and brings 4 s.
 */
static void fills_its_reservoir(void **state)
{
	(void)state;
	struct link l;
	begin(&l, 4 * MBIT);
	for (u32 k = 1; k <= 10; k++) {
		fetch(&l);
		assert_int_equal(l.app.video.rung, 0);
		assert_int_equal(l.now_ns, k * S);
		/* the chunk that has just come is counted by the next call */
		struct weir_video v = l.app.video;
		weir_video_advance(&v, l.now_ns);
		assert_int_equal(v.buffer_ns, (k - 1) * 3 * S);
	}
	assert_int_equal(l.app.video.startup_ns, S);
	fetch(&l); /* at 31 s: the line is at 1 + 7 / 42 = 1.17 Mbit/s */
	assert_int_equal(l.app.video.rung, 0);
	fetch(&l); /* at 34 s */
	assert_int_equal(l.app.video.rung, 0);
	fetch(&l);
	assert_int_equal(l.app.video.rung, 1); /* at 37 s: 2.17 Mbit/s, more than the next rung */
}

/* Above the highest rung: the buffer is full but for one chunk at each request, and the link idles the rest
 * of the time, which is its share 1 - 8 / 10. */
static void waits_when_full(void **state)
{
	(void)state;
	struct link l;
	begin(&l, 10 * MBIT);
	while (l.now_ns < 200 * S)
		fetch(&l);
	u64 from_ns = l.now_ns, idle_ns = l.idle_ns;
	struct weir_video before = l.app.video;
	for (u32 i = 0; i < 100; i++) {
		fetch(&l);
		assert_int_equal(l.app.video.rung, 3);
	}
	assert_true(near((double)(l.idle_ns - idle_ns) / (double)(l.now_ns - from_ns), 1 - .8, 1e-3));
	struct weir_video_totals t = l.app.video.totals;
	/* 76 s at the request, 72.8 s when it is answered 3.2 s later, 76.8 s then, and back to 76 s in .8 s
	 */
	double level_s =
	    (t.buffer_area_s2 - before.totals.buffer_area_s2) / (t.time_s - before.totals.time_s);
	assert_true(near(level_s, (3.2 * 74.4 + .8 * 76.4) / 4, 1e-2));
	assert_int_equal(t.rebuffers, 0);
	assert_int_equal(t.rebuffer_ns, 0);
}

/* Between two rungs it uses both, and none above or below: bitrates that are played average to the link's
 * rate, and what BBA promises holds: it never runs dry. */
static void shares_two_rungs(void **state)
{
	(void)state;
	struct link l;
	begin(&l, 3 * MBIT);
	while (l.now_ns < 1000 * S)
		fetch(&l);
	struct weir_video before = l.app.video;
	bool low = false, high = false;
	l.least_buffer_ns = WEIR_NEVER;
	for (u32 i = 0; i < 1000; i++) {
		fetch(&l);
		low |= l.app.video.rung == 1;
		high |= l.app.video.rung == 2;
		assert_true(l.app.video.rung == 1 || l.app.video.rung == 2);
	}
	const struct weir_video_totals *t = &l.app.video.totals;
	double mean_bps =
	    (t->chunk_bps - before.totals.chunk_bps) / (double)(t->chunks - before.totals.chunks);
	assert_true(low && high && near(mean_bps, 3e6, .02e6));
	assert_int_equal(l.app.video.totals.rebuffers, 0);
	assert_int_equal(l.idle_ns, 0);
	assert_true(l.least_buffer_ns > 28 * S);
}

/* A rung that fits exactly is kept, once its line is reached. */
static void keeps_a_rung_that_fits(void **state)
{
	(void)state;
	struct link l;
	begin(&l, 4 * MBIT);
	while (l.now_ns < 300 * S)
		fetch(&l);
	u64 switches = l.app.video.totals.switches, level_ns = l.app.video.buffer_ns;
	for (u32 i = 0; i < 100; i++) {
		fetch(&l);
		assert_int_equal(l.app.video.rung, 2);
	}
	assert_int_equal(l.app.video.totals.switches, switches);
	assert_int_equal(l.app.video.buffer_ns, level_ns);
}

/* Below the lowest rung each chunk of 4 s takes 8 s: half of the time nothing is played. */
static void rebuffers(void **state)
{
	(void)state;
	struct link l;
	begin(&l, MBIT / 2);
	for (u32 i = 0; i < 101; i++)
		fetch(&l);
	struct weir_video v = l.app.video;
	assert_int_equal(v.startup_ns, 8 * S);
	assert_int_equal(v.totals.chunks, 100);
	assert_int_equal(v.totals.rebuffers, 99);
	assert_int_equal(v.totals.rebuffer_ns, 99 * 4 * S);
	assert_int_equal(v.totals.played_ns, 99 * 4 * S);
	weir_video_advance(&v, l.now_ns); /* the next one is on its way */
	assert_int_equal(v.totals.rebuffers, 100);
	assert_int_equal(v.totals.rebuffer_ns, 100 * 4 * S);
}

static void stops(void **state)
{
	(void)state;
	struct link l;
	begin(&l, 4 * MBIT);
	for (u32 i = 0; i < 5; i++)
		fetch(&l);
	weir_app_stop(&l.app, l.now_ns, l.app.written_bytes);
	assert_true(weir_app_on_delivered(&l.app, l.now_ns, l.app.requests) == WEIR_NEVER);
	weir_app_on_request(&l.app, l.now_ns, l.app.requests + 1000);
	assert_true(l.app.closed && l.app.written_bytes == l.app.requests);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fills_its_reservoir), cmocka_unit_test(waits_when_full),
	    cmocka_unit_test(shares_two_rungs),	   cmocka_unit_test(keeps_a_rung_that_fits),
	    cmocka_unit_test(rebuffers),	   cmocka_unit_test(stops),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

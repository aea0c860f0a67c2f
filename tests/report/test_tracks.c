/* SPDX-License-Identifier: MIT */
/* series.csv: what is read, and what is said about a file that is wrong. */
#include "report/tracks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER "time_s,flow,signal,value\n"

static struct weir_diag d;

static int read_text(const char *text, struct weir_tracks *t)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	assert_non_null(f);
	d = (struct weir_diag){0};
	*t = (struct weir_tracks){0};
	int failed = weir_tracks_read(f, t, &d);
	fclose(f);
	return failed;
}

static void rows_become_tracks(void **state)
{
	(void)state;
	struct weir_tracks t;
	assert_int_equal(
	    read_text(HEADER "0,a,rtt_ms,50\n0,b,rtt_ms,60.5\n0.1,a,rtt_ms,\n.2,a,rtt_ms,-1e3\r\n", &t), 0);
	assert_int_equal(t.n, 2);
	const struct weir_track *a = weir_tracks_find(&t, "a", "rtt_ms");
	assert_non_null(a);
	assert_int_equal(a->n, 3);
	assert_true(isnan(a->point[1].value)); /* a missing value is a gap */
	assert_true(a->point[2].value == -1000 && a->point[2].t_s == .2);
	assert_null(weir_tracks_find(&t, "b", "cwnd_bytes"));
	weir_tracks_free(&t);
}

static void quoted_names_are_whole(void **state)
{
	(void)state;
	struct weir_tracks t;
	assert_int_equal(read_text(HEADER "0,\"a,\"\"b\"\"\",x,1\n0,\"\"\"\",y,2\n", &t), 0);
	assert_non_null(weir_tracks_find(&t, "a,\"b\"", "x"));
	assert_non_null(weir_tracks_find(&t, "\"", "y"));
	weir_tracks_free(&t);
}

static void mistakes_name_their_line(void **state)
{
	(void)state;
	static const struct {
		const char *text, *says;
		u32 line, column;
	} cases[] = {
	    {"", "empty", 0, 0},
	    {"time,flow,signal,value\n", "first line", 1, 1},
	    {HEADER "0,a,x,1\n0,a,x\n", "a row is", 3, 1},
	    {HEADER "0,a,x,1,2\n", "a row is", 2, 1},
	    {HEADER "\n", "a row is", 2, 1},
	    {HEADER "0,\"a,x,1\n", "a row is", 2, 1},
	    {HEADER "-1,a,x,1\n", "not a time in seconds: '-1'", 2, 1},
	    {HEADER "1e300,a,x,1\n", "not a time", 2, 1},
	    {HEADER "nan,a,x,1\n", "not a time", 2, 1},
	    {HEADER "1,a,x,1\n.5,a,x,1\n", "time goes back", 3, 1},
	    {HEADER "0,,x,1\n", "name of the flow", 2, 3},
	    {HEADER "0,a,,1\n", "name of the signal", 2, 5},
	    {HEADER "0,a,x,nan\n", "not a number: 'nan'", 2, 7},
	    {HEADER "0,a,x,inf\n", "not a number", 2, 7},
	    {HEADER "0,a,x,1e999\n", "not a number", 2, 7},
	    {HEADER "0,a,x,0x10\n", "not a number", 2, 7},
	    {HEADER "0,a,x,1 \n", "not a number", 2, 7},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_tracks t;
		if (*cases[i].text) {
			assert_int_equal(read_text(cases[i].text, &t), -1);
		} else {
			FILE *f = fopen("/dev/null", "r");
			t = (struct weir_tracks){0};
			d = (struct weir_diag){0};
			assert_int_equal(weir_tracks_read(f, &t, &d), -1);
			fclose(f);
		}
		assert_int_equal(d.n, 1);
		assert_int_equal(d.entry[0].line, cases[i].line);
		assert_int_equal(d.entry[0].column, cases[i].column);
		assert_non_null(strstr(d.entry[0].text, cases[i].says));
		weir_tracks_free(&t);
	}
}

static void an_endless_line_is_refused(void **state)
{
	(void)state;
	char *text = malloc(20000);
	struct weir_tracks t;
	assert_non_null(text);
	strcpy(text, HEADER "0,");
	memset(text + strlen(HEADER "0,"), 'a', 10000);
	strcpy(text + strlen(HEADER "0,") + 10000, ",x,1\n");
	assert_int_equal(read_text(text, &t), -1);
	assert_int_equal(d.entry[0].line, 2);
	weir_tracks_free(&t);
	free(text);
}

/* A hundred thousand rows of one series stay within the limit, and its one peak is kept. */
static void a_long_series_is_thinned(void **state)
{
	(void)state;
	FILE *f = tmpfile();
	struct weir_tracks t = {0};
	assert_non_null(f);
	fputs(HEADER, f);
	for (u32 i = 0; i < 100000; i++)
		fprintf(f, "%u,a,rtt_ms,%d\n", i, i == 4321 ? 777 : 50);
	rewind(f);
	d = (struct weir_diag){0};
	assert_int_equal(weir_tracks_read(f, &t, &d), 0);
	fclose(f);
	const struct weir_track *a = weir_tracks_find(&t, "a", "rtt_ms");
	double peak = 0;
	assert_true(a->n <= WEIR_TRACK_POINTS && a->n >= WEIR_TRACK_POINTS / 4);
	for (u32 i = 0; i < a->n; i++)
		peak = fmax(peak, a->point[i].value);
	assert_true(peak == 777);
	assert_true(a->n_sample <= WEIR_TRACK_SAMPLE && a->n_sample >= WEIR_TRACK_SAMPLE / 2 - 1);
	weir_tracks_free(&t);
}

static void thousands_of_names_are_found(void **state)
{
	(void)state;
	FILE *f = tmpfile();
	struct weir_tracks t = {0};
	char name[32];
	assert_non_null(f);
	fputs(HEADER, f);
	for (u32 i = 0; i < 5000; i++)
		fprintf(f, "1,flow.%u,cwnd_bytes,%u\n", i, i);
	rewind(f);
	d = (struct weir_diag){0};
	assert_int_equal(weir_tracks_read(f, &t, &d), 0);
	fclose(f);
	assert_int_equal(t.n, 5000);
	for (u32 i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "flow.%u", i);
		const struct weir_track *track = weir_tracks_find(&t, name, "cwnd_bytes");
		assert_non_null(track);
		assert_true(track->point[0].value == i);
	}
	weir_tracks_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_become_tracks),	cmocka_unit_test(quoted_names_are_whole),
	    cmocka_unit_test(mistakes_name_their_line), cmocka_unit_test(an_endless_line_is_refused),
	    cmocka_unit_test(a_long_series_is_thinned), cmocka_unit_test(thousands_of_names_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Tables of flow sizes against closed forms, and flows that arrive by them. */
#include "app/arrivals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct weir_sizes table(const char *name)
{
	struct weir_sizes s;
	assert_true(weir_sizes_named(name, &s));
	return s;
}

static bool near(double a, double b, double relative)
{
	return fabs(a - b) <= relative * fabs(b);
}

/* Half the sum of neighbours, weighted: 21,025 B is the mean that the CAIDA table is known for. */
static void means(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		double mean_bytes;
	} wanted[] = {{"caida", 21025}, {"dctcp", 1711250}, {"vl2", 12658198.6}, {"fb-cache", 342.2351}};
	for (u32 i = 0; i < 4; i++) {
		struct weir_sizes s = table(wanted[i].name);
		assert_true(near(s.mean_bytes, wanted[i].mean_bytes, 1e-3));
	}
	assert_true(near(table("caida").mean_bytes, 21025, 1e-12));
	struct weir_sizes s;
	assert_false(weir_sizes_named("caidas", &s));
	assert_int_equal(weir_sizes_n_tables, 4);
}

/* At each point of a table the inverse gives its size back, and between two points it is linear. */
static void inverse(void **state)
{
	(void)state;
	for (u32 t = 0; t < weir_sizes_n_tables; t++) {
		struct weir_sizes s = table(weir_sizes_tables[t].name);
		for (u32 i = 1; i < s.n; i++) {
			const struct weir_sizes_point *a = &s.point[i - 1], *b = &s.point[i];
			double middle = (a->fraction + b->fraction) / 2;
			double at = (double)weir_sizes_at(&s, b->fraction * (1 - 1e-15));
			assert_true(fabs(at - b->bytes) <= 1 + 1e-9 * b->bytes);
			at = (double)weir_sizes_at(&s, middle);
			assert_true(fabs(at - (a->bytes + b->bytes) / 2) <= 1 + 1e-9 * b->bytes);
		}
	}
	struct weir_sizes s = table("caida");
	assert_int_equal(weir_sizes_at(&s, .488), 5000);
	assert_int_equal(weir_sizes_at(&s, .9999), 52500000);
	assert_int_equal(weir_sizes_at(&s, 1e-16), 1); /* no flow is empty */
}

/* Shares of the bytes by bucket, in closed form and drawn: 23, 5, 10, 11 and 50 %. */
static void shares_of_bytes(void **state)
{
	(void)state;
	enum { N = 4000000 };
	struct weir_sizes s = table("caida");
	struct weir_rng r;
	double bytes[8] = {0}, sum = 0;
	weir_rng_init(&r, 1, 2, 3);
	for (u32 i = 0; i < N; i++) {
		u64 size = weir_sizes_at(&s, weir_rng_unit(&r));
		u32 k = 1;
		while ((double)size > s.point[k].bytes)
			k++;
		bytes[k] += (double)size;
		sum += (double)size;
	}
	for (u32 k = 1; k < s.n; k++) {
		double share = (s.point[k].fraction - s.point[k - 1].fraction) *
			       (s.point[k].bytes + s.point[k - 1].bytes) / 2 / s.mean_bytes;
		assert_true(fabs(bytes[k] / sum - share) < .02);
	}
	assert_true(near(sum / N, 21025, .04)); /* the standard error is 1.2 % */
}

/* Gaps of a Poisson process: mean load / mean size, as scattered as long. */
static void rate_of_arrivals(void **state)
{
	(void)state;
	enum { N = 200000 };
	struct weir_sizes s = table("caida");
	struct weir_arrivals a;
	double expected = weir_arrivals_expected(&s, 48000000, 360 * WEIR_NS_PER_S), sum = 0, squares = 0;
	assert_true(near(expected, 48e6 * 360 / 8 / 21025, 1e-12)); /* 102,735 flows */
	weir_arrivals_begin(&a, &s, 48000000, 1, "wan", 5 * WEIR_NS_PER_S);
	u64 last_ns = 5 * WEIR_NS_PER_S;
	for (u32 i = 0; i < N; i++) {
		struct weir_arrival next = weir_arrivals_next(&a);
		double gap_s = (double)(next.at_ns - last_ns) / 1e9;
		assert_true(next.at_ns >= last_ns && next.bytes >= 1 && next.bytes <= 100000000);
		sum += gap_s;
		squares += gap_s * gap_s;
		last_ns = next.at_ns;
	}
	double mean_s = sum / N, wanted_s = 21025 * 8 / 48e6;
	assert_true(near(mean_s, wanted_s, .01));
	assert_true(near(sqrt(squares / N - mean_s * mean_s), wanted_s, .02));
}

/* Same seed and name: the same flows, whatever the load; another name or seed: others. */
static void streams(void **state)
{
	(void)state;
	struct weir_sizes s = table("dctcp");
	struct weir_arrivals a, same, slower, other, seeded;
	weir_arrivals_begin(&a, &s, 1000000, 1, "web", 0);
	weir_arrivals_begin(&same, &s, 1000000, 1, "web", 0);
	weir_arrivals_begin(&slower, &s, 500000, 1, "web", 0);
	weir_arrivals_begin(&other, &s, 1000000, 1, "bew", 0);
	weir_arrivals_begin(&seeded, &s, 1000000, 2, "web", 0);
	for (u32 i = 0; i < 1000; i++) {
		struct weir_arrival x = weir_arrivals_next(&a), y = weir_arrivals_next(&same);
		struct weir_arrival late = weir_arrivals_next(&slower);
		assert_true(x.at_ns == y.at_ns && x.bytes == y.bytes && late.bytes == x.bytes);
		assert_true(near((double)late.at_ns, 2 * (double)x.at_ns, 1e-9));
		assert_true(weir_arrivals_next(&other).at_ns != x.at_ns);
		assert_true(weir_arrivals_next(&seeded).at_ns != x.at_ns);
	}
}

/* ---- a table of one's own ---- */

static void parses(const char *text, double mean_bytes, u64 median_bytes)
{
	struct weir_sizes s;
	struct weir_diag d = {0};
	assert_int_equal(weir_sizes_parse(text, strlen(text), &s, &d), 0);
	assert_true(near(s.mean_bytes, mean_bytes, 1e-12));
	assert_int_equal(weir_sizes_at(&s, .5), median_bytes);
	weir_sizes_free(&s);
}

static void own_tables(void **state)
{
	(void)state;
	parses("0 0\n1000 1\n", 500, 500);
	parses("# sizes\n\n  0\t0\r\n1000,0.5\n 3000 1.0 # largest", 250 + 1000, 1000);
	parses("1000 0\n1000 1\n", 1000, 1000); /* all alike */
	parses("0 0\n100 0.25\n900 0.25\n1000 1", .25 * 50 + .75 * 950, 933);
}

static void refuses(const char *text, size_t length, u32 line, u32 column, const char *said)
{
	struct weir_sizes s;
	struct weir_diag d = {0};
	assert_int_equal(weir_sizes_parse(text, length, &s, &d), -1);
	assert_true(d.n > 0);
	assert_int_equal(d.entry[0].line, line);
	assert_int_equal(d.entry[0].column, column);
	assert_string_equal(d.entry[0].text, said);
	assert_null(s.own);
}

static void mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		u32 line, column;
		const char *said;
	} bad[] = {
	    {"", 0, 0, "at least two points are needed, such as 0 0 and 10000 1"},
	    {"0 0\n", 0, 0, "at least two points are needed, such as 0 0 and 10000 1"},
	    {"0 0\n10 .5\n", 2, 4, ".5: a fraction is from 0 to 1, written as 0.5"},
	    {"0 0\n10 0.5\n", 0, 0, "the last line must have fraction 1: the largest flow"},
	    {"0 0\n10\n", 2, 1, "10: a line is \"BYTES FRACTION\", such as 10000 0.976"},
	    {"0 0 0\n", 1, 5, "0: a line is \"BYTES FRACTION\", such as 10000 0.976"},
	    {"5 0.1\n10 1\n", 1, 3,
	     "0.1: the first line has fraction 0: below which no flow lies, such as 0 0"},
	    {"0 0\n10 0.5\n9 1\n", 3, 1, "9: sizes rise from line to line"},
	    {"0 0\n10 0.5\n11 0.4\n", 3, 4, "0.4: fractions are cumulative and rise from line to line"},
	    {"0 0\n10 1\n20 1\n", 3, 1, "20: the table has ended with fraction 1 before"},
	    {"0 0\n10 0.5\n10 0.5\n20 1\n", 3, 1, "10: the same point twice"},
	    {"0 0\n-10 1\n", 2, 1, "-10: a size in bytes is digits, from 0 to 1000000000000000"},
	    {"0 0\n1e6 1\n", 2, 1, "1e6: a size in bytes is digits, from 0 to 1000000000000000"},
	    {"0 0\nnan 1\n", 2, 1, "nan: a size in bytes is digits, from 0 to 1000000000000000"},
	    {"0 0\n10 inf\n", 2, 4, "inf: a fraction is from 0 to 1, written as 0.5"},
	    {"0 0\n10 1.5\n", 2, 4, "1.5: a fraction is from 0 to 1, written as 0.5"},
	    {"0 0\n0 1\n", 0, 0, "the largest flow is smaller than 1 byte"},
	    {"0 0\n99999999999999999999999999999999 1\n", 2, 1,
	     "99999999999999999999999: a size in bytes is digits, from 0 to 1000000000000000"},
	};
	for (u32 i = 0; i < sizeof bad / sizeof bad[0]; i++)
		refuses(bad[i].text, strlen(bad[i].text), bad[i].line, bad[i].column, bad[i].said);
	refuses("0 0\n1\0 1\n", 9, 2, 1, "1?: a size in bytes is digits, from 0 to 1000000000000000");
}

static void too_many_points(void **state)
{
	(void)state;
	const u32 n = WEIR_SIZES_MOST_POINTS + 2;
	char *text = malloc(n * 32), *at = text;
	assert_non_null(text);
	for (u32 i = 0; i < n; i++)
		at += sprintf(at, "%u 0.%06u\n", i, i);
	refuses(text, (size_t)(at - text), WEIR_SIZES_MOST_POINTS + 1, 0, "more than 10000 points");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(means),	       cmocka_unit_test(inverse),
	    cmocka_unit_test(shares_of_bytes), cmocka_unit_test(rate_of_arrivals),
	    cmocka_unit_test(streams),	       cmocka_unit_test(own_tables),
	    cmocka_unit_test(mistakes),	       cmocka_unit_test(too_many_points),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Numbers with units: every unit, exactness, and what is refused with which words. */
#include "scenario/quantity.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static u64 value_of(enum weir_quantity kind, const char *text)
{
	char error[WEIR_QUANTITY_ERROR];
	u64 value = 0;
	if (!weir_quantity(text, kind, &value, error))
		fail_msg("\"%s\": %s", text, error);
	return value;
}

static const char *error_of(enum weir_quantity kind, const char *text)
{
	static char error[WEIR_QUANTITY_ERROR];
	u64 value;
	if (weir_quantity(text, kind, &value, error))
		fail_msg("\"%s\" was taken as %llu", text, value);
	return error;
}

static void units_are_exact(void **state)
{
	(void)state;
	static const struct {
		enum weir_quantity kind;
		const char *text;
		u64 value;
	} cases[] = {
	    {WEIR_QUANTITY_RATE, "96 Mbit/s", 96000000},
	    {WEIR_QUANTITY_RATE, "96Mbit/s", 96000000},
	    {WEIR_QUANTITY_RATE, "1 bit/s", 1},
	    {WEIR_QUANTITY_RATE, "1.5 kbit/s", 1500},
	    {WEIR_QUANTITY_RATE, "1 Gbit/s", 1000000000},
	    {WEIR_QUANTITY_RATE, "10 Tbit/s", 10000000000000},
	    {WEIR_QUANTITY_RATE, "1.25 MB/s", 10000000},
	    {WEIR_QUANTITY_RATE, "2 B/s", 16},
	    {WEIR_QUANTITY_RATE, "3 Mbps", 3000000},
	    {WEIR_QUANTITY_TIME, "1 ns", 1},
	    {WEIR_QUANTITY_TIME, "12.5 ms", 12500000},
	    {WEIR_QUANTITY_TIME, "5s", 5000000000},
	    {WEIR_QUANTITY_TIME, ".5 s", 500000000},
	    {WEIR_QUANTITY_TIME, "5. s", 5000000000},
	    {WEIR_QUANTITY_TIME, "+5 s", 5000000000},
	    {WEIR_QUANTITY_TIME, "3 us", 3000},
	    {WEIR_QUANTITY_TIME, "3 \xc2\xb5s", 3000},
	    {WEIR_QUANTITY_TIME, "3\xce\xbcs", 3000},
	    {WEIR_QUANTITY_TIME, "2 min", 120000000000},
	    {WEIR_QUANTITY_TIME, "1 h", 3600000000000},
	    {WEIR_QUANTITY_TIME, "30 d", 2592000000000000},
	    {WEIR_QUANTITY_TIME, "1e-3 s", 1000000},
	    {WEIR_QUANTITY_TIME, "2E3 ns", 2000},
	    {WEIR_QUANTITY_TIME, "1  \t ms", 1000000},
	    {WEIR_QUANTITY_TIME, "0", 0},
	    {WEIR_QUANTITY_TIME, "-0 s", 0},
	    {WEIR_QUANTITY_TIME, "0.000", 0},
	    {WEIR_QUANTITY_BYTES, "64 KiB", 65536},
	    {WEIR_QUANTITY_BYTES, "1.5 kB", 1500},
	    {WEIR_QUANTITY_BYTES, "1 MiB", 1048576},
	    {WEIR_QUANTITY_BYTES, "1 TiB", 1ULL << 40},
	    {WEIR_QUANTITY_BYTES, "2 GB", 2000000000},
	    {WEIR_QUANTITY_BYTES, "1500 B", 1500},
	    {WEIR_QUANTITY_BYTES, "1500 bytes", 1500},
	    {WEIR_QUANTITY_BYTES, "1 byte", 1},
	    {WEIR_QUANTITY_PACKETS, "100 packets", 100},
	    {WEIR_QUANTITY_PACKETS, "1 packet", 1},
	    {WEIR_QUANTITY_PACKETS, "100", 100},
	    {WEIR_QUANTITY_COUNT, "1000", 1000},
	    {WEIR_QUANTITY_COUNT, "18446744073709551615", ~0ULL},
	    {WEIR_QUANTITY_COUNT, "007", 7},
	    {WEIR_QUANTITY_COUNT, "1e6", 1000000},
	    {WEIR_QUANTITY_RATIO, "1%", 10000},
	    {WEIR_QUANTITY_RATIO, "1 %", 10000},
	    {WEIR_QUANTITY_RATIO, ".01", 10000},
	    {WEIR_QUANTITY_RATIO, "1.25", 1250000},
	    {WEIR_QUANTITY_BDP, "2 BDP", 2000000},
	    {WEIR_QUANTITY_BDP, "0.5 BDP", 500000},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (value_of(cases[i].kind, cases[i].text) != cases[i].value)
			fail_msg("\"%s\" is %llu, not %llu", cases[i].text,
				 value_of(cases[i].kind, cases[i].text), cases[i].value);
}

/* Where binary fractions would be off by one: 0.29 s is 290000000 ns, 1.1 Gbit/s is 1100000000. */
static void no_binary_fraction_on_the_way(void **state)
{
	(void)state;
	char text[64];
	for (u64 i = 0; i < 20000; i++) {
		snprintf(text, sizeof text, "%llu.%03llu s", i / 1000, i % 1000);
		assert_int_equal(value_of(WEIR_QUANTITY_TIME, text), i * WEIR_NS_PER_MS);
		snprintf(text, sizeof text, "%llu.%03llu Mbit/s", i / 1000, i % 1000);
		assert_int_equal(value_of(WEIR_QUANTITY_RATE, text), i * 1000);
	}
	assert_int_equal(value_of(WEIR_QUANTITY_COUNT, "9007199254740993"), 9007199254740993);
	assert_int_equal(value_of(WEIR_QUANTITY_TIME, "9007199.254740993 s"), 9007199254740993);
}

static void below_the_resolution_is_rounded(void **state)
{
	(void)state;
	assert_int_equal(value_of(WEIR_QUANTITY_TIME, "33.3333333333 ms"), 33333333);
	assert_int_equal(value_of(WEIR_QUANTITY_TIME, "0.5 ns"), 1);
	assert_int_equal(value_of(WEIR_QUANTITY_TIME, "1.49 ns"), 1);
	assert_int_equal(value_of(WEIR_QUANTITY_BYTES, "1.3 KiB"), 1331);
	assert_string_equal(error_of(WEIR_QUANTITY_TIME, "0.1 ns"), "0.1 ns is too small");
	assert_string_equal(error_of(WEIR_QUANTITY_COUNT, "1.5"), "1.5 is not a whole number");
	assert_string_equal(error_of(WEIR_QUANTITY_PACKETS, "1.5 packets"),
			    "1.5 packets is not a whole number");
}

static void field_case_j14_a_number_without_a_unit_says_which(void **state)
{
	(void)state;
	assert_string_equal(error_of(WEIR_QUANTITY_TIME, "15"), "15 has no unit: write 15 ms or 15 s");
	assert_string_equal(error_of(WEIR_QUANTITY_RATE, "15"),
			    "15 has no unit: write 15 Mbit/s or 15 kbit/s");
	assert_string_equal(error_of(WEIR_QUANTITY_BYTES, "15"), "15 has no unit: write 15 kB or 15 B");
	assert_string_equal(error_of(WEIR_QUANTITY_BDP, "2"), "2 has no unit: write 2 BDP");
}

static void refused_with_a_reason(void **state)
{
	(void)state;
	static const struct {
		enum weir_quantity kind;
		const char *text, *error;
	} cases[] = {
	    {WEIR_QUANTITY_TIME, "", "nothing stands here; it should be a time"},
	    {WEIR_QUANTITY_TIME, "soon", "\"soon\" is not a time"},
	    {WEIR_QUANTITY_TIME, "nan s", "\"nan s\" is not a time"},
	    {WEIR_QUANTITY_RATE, "inf Mbit/s", "\"inf Mbit/s\" is not a rate"},
	    {WEIR_QUANTITY_RATE, ".", "\".\" is not a rate"},
	    {WEIR_QUANTITY_RATE, "-", "\"-\" is not a rate"},
	    {WEIR_QUANTITY_TIME, "-5 ms", "-5 ms is negative"},
	    {WEIR_QUANTITY_TIME, "1,5 ms", "\"1,5 ms\" has a comma: write a decimal point"},
	    {WEIR_QUANTITY_TIME, "15 sec", "unknown unit \"sec\": it is one of ns us ms s min h d"},
	    {WEIR_QUANTITY_TIME, "15 mss", "unknown unit \"mss\"; did you mean ms?"},
	    {WEIR_QUANTITY_RATE, "15 mbit/s", "unknown unit \"mbit/s\"; did you mean Mbit/s?"},
	    {WEIR_QUANTITY_RATE, "15 ms",
	     "unknown unit \"ms\": it is one of bit/s kbit/s Mbit/s Gbit/s Tbit/s"},
	    {WEIR_QUANTITY_BYTES, "15 KB", "unknown unit \"KB\"; did you mean kB?"},
	    {WEIR_QUANTITY_COUNT, "15 s", "unknown unit \"s\": it takes none"},
	    {WEIR_QUANTITY_COUNT, "-3", "-3 is negative"},
	    {WEIR_QUANTITY_COUNT, "0x10", "unknown unit \"x10\": it takes none"},
	    {WEIR_QUANTITY_COUNT, "18446744073709551616", "18446744073709551616 is too large"},
	    {WEIR_QUANTITY_COUNT, "999999999999999999999", "\"999999999999999999999\" has too many digits"},
	    {WEIR_QUANTITY_COUNT, "1e30", "1e30 is too large"},
	    {WEIR_QUANTITY_TIME, "9e18 s", "9e18 s is too large"},
	    {WEIR_QUANTITY_TIME, "1e999999999999 s", "1e999999999999 s is too large"},
	    {WEIR_QUANTITY_TIME, "1e-999999999999 s", "1e-999999999999 s is too small"},
	    {WEIR_QUANTITY_BYTES, "17000000 TiB", "17000000 TiB is too large"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(error_of(cases[i].kind, cases[i].text), cases[i].error);
}

static void several_kinds_are_told_apart_by_their_units(void **state)
{
	(void)state;
	const u32 buffer = WEIR_QUANTITY_BIT(WEIR_QUANTITY_BYTES) | WEIR_QUANTITY_BIT(WEIR_QUANTITY_PACKETS) |
			   WEIR_QUANTITY_BIT(WEIR_QUANTITY_TIME) | WEIR_QUANTITY_BIT(WEIR_QUANTITY_BDP);
	static const struct {
		const char *text;
		enum weir_quantity kind;
		u64 value;
	} cases[] = {
	    {"64 KiB", WEIR_QUANTITY_BYTES, 65536},
	    {"100 packets", WEIR_QUANTITY_PACKETS, 100},
	    {"100 ms", WEIR_QUANTITY_TIME, 100000000},
	    {"1.5 BDP", WEIR_QUANTITY_BDP, 1500000},
	};
	char error[WEIR_QUANTITY_ERROR];
	enum weir_quantity kind;
	u64 value;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(weir_quantity_any(cases[i].text, buffer, &kind, &value, error));
		assert_int_equal(kind, cases[i].kind);
		assert_int_equal(value, cases[i].value);
	}
	assert_false(weir_quantity_any("100", buffer, &kind, &value, error));
	assert_string_equal(error, "100 has no unit: write 100 ms, 100 kB, 100 packets or 100 BDP");
	assert_false(weir_quantity_any("lots", buffer, &kind, &value, error));
	assert_string_equal(error, "\"lots\" is not a time, a size, a number of packets or a number of BDP");
}

static void fractions_are_the_nearest_double(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double value;
	} cases[] = {
	    {"1%", 0.01},      {".01", 0.01},	 {"0.3", 0.3}, {"1e-4", 1e-4},
	    {"33.3 %", 0.333}, {"100%", 1},	 {"0", 0},     {"0.000123456789", 0.000123456789},
	    {"1e-20", 1e-20},  {"7e-7 %", 7e-9}, {"0.1", 0.1},
	};
	char error[WEIR_QUANTITY_ERROR];
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double value = -1;
		assert_true(weir_quantity_fraction(cases[i].text, &value, error));
		assert_memory_equal(&value, &cases[i].value, sizeof value);
	}
	double value;
	assert_false(weir_quantity_fraction("1 ms", &value, error));
	assert_string_equal(error, "unknown unit \"ms\": it is one of %");
	assert_false(weir_quantity_fraction("-1%", &value, error));
	assert_false(weir_quantity_fraction("nan", &value, error));
	assert_string_equal(error, "\"nan\" is not a fraction");
	assert_false(weir_quantity_fraction("0.1234567890123456789", &value, error));
}

static void printed_with_the_unit_that_keeps_it_short(void **state)
{
	(void)state;
	static const struct {
		enum weir_quantity kind;
		u64 value;
		const char *text;
	} cases[] = {
	    {WEIR_QUANTITY_TIME, 12500000, "12.5 ms"},	  {WEIR_QUANTITY_TIME, 0, "0 ns"},
	    {WEIR_QUANTITY_TIME, 90000000000, "90 s"},	  {WEIR_QUANTITY_TIME, 120000000000, "2 min"},
	    {WEIR_QUANTITY_TIME, 1000001, "1000.001 us"}, {WEIR_QUANTITY_RATE, 10000000000000, "10 Tbit/s"},
	    {WEIR_QUANTITY_RATE, 1, "1 bit/s"},		  {WEIR_QUANTITY_BYTES, 65536, "64 KiB"},
	    {WEIR_QUANTITY_BYTES, 1500, "1.5 kB"},	  {WEIR_QUANTITY_BYTES, 1448, "1.448 kB"},
	    {WEIR_QUANTITY_COUNT, 1000000, "1000000"},	  {WEIR_QUANTITY_PACKETS, 10, "10 packets"},
	    {WEIR_QUANTITY_PACKETS, 1, "1 packet"},	  {WEIR_QUANTITY_RATIO, 10000, "0.01"},
	    {WEIR_QUANTITY_RATIO, 1, "0.000001"},	  {WEIR_QUANTITY_BDP, 1500000, "1.5 BDP"},
	    {WEIR_QUANTITY_FREQUENCY, 531000, "531 mHz"}, {WEIR_QUANTITY_FREQUENCY, 20000000, "20 Hz"},
	};
	char out[48];
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		weir_quantity_print(cases[i].kind, cases[i].value, out);
		assert_string_equal(out, cases[i].text);
	}
}

/* What is printed is read back as the same value, whatever the value. */
static void printing_loses_nothing(void **state)
{
	(void)state;
	char out[48], error[WEIR_QUANTITY_ERROR];
	for (u32 kind = 0; kind <= WEIR_QUANTITY_FREQUENCY; kind++)
		for (u64 x = 1, i = 0; i < 60; i++, x = x * 2 + i % 3) {
			u64 back;
			weir_quantity_print((enum weir_quantity)kind, x, out);
			if (!weir_quantity(out, (enum weir_quantity)kind, &back, error))
				fail_msg("%s: %s", out, error);
			assert_int_equal(back, x);
		}
}

/* In a locale with a decimal comma nothing changes; where none is installed the test says nothing new. */
static void the_locale_plays_no_part(void **state)
{
	static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "C.UTF-8"};
	for (size_t i = 0; i < 4 && !setlocale(LC_ALL, locales[i]);)
		i++;
	units_are_exact(state);
	fractions_are_the_nearest_double(state);
	printed_with_the_unit_that_keeps_it_short(state);
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(units_are_exact),
	    cmocka_unit_test(no_binary_fraction_on_the_way),
	    cmocka_unit_test(below_the_resolution_is_rounded),
	    cmocka_unit_test(field_case_j14_a_number_without_a_unit_says_which),
	    cmocka_unit_test(refused_with_a_reason),
	    cmocka_unit_test(several_kinds_are_told_apart_by_their_units),
	    cmocka_unit_test(fractions_are_the_nearest_double),
	    cmocka_unit_test(printed_with_the_unit_that_keeps_it_short),
	    cmocka_unit_test(printing_loses_nothing),
	    cmocka_unit_test(the_locale_plays_no_part),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

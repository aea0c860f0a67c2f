/* SPDX-License-Identifier: MIT */
/* From histograms to the document, and from documents of several seeds to means. */
#include "record/repeats.h"
#include "record/summary.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void spread_of_known_samples(void **state)
{
	(void)state;
	static struct weir_hist h;
	struct weir_spread s;
	weir_spread_from_hist(&s, &h, 1e6);
	assert_int_equal(s.n, 0);
	for (u64 ms = 1; ms <= 100; ms++)
		weir_hist_add(&h, ms * WEIR_NS_PER_MS);
	weir_spread_from_hist(&s, &h, 1e6);
	assert_int_equal(s.n, 100);
	assert_true(s.min == 1);
	assert_true(s.max == 100);
	assert_true(s.mean == 50.5);
	assert_true(fabs(s.p50 - 50) <= 50 * .008);
	assert_true(fabs(s.p95 - 95) <= 95 * .008);
	assert_true(fabs(s.p99 - 99) <= 99 * .008);
}

static json_t *read_back(const struct weir_summary *s)
{
	struct weir_json j;
	weir_json_to_buffer(&j);
	weir_json_object(&j);
	weir_summary_fields(&j, s);
	weir_json_object_end(&j);
	assert_int_equal(weir_json_finish(&j), 0);
	char *text = weir_json_take(&j, NULL);
	json_t *read = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(read);
	free(text);
	return read;
}

static void what_is_not_there_is_null(void **state)
{
	(void)state;
	struct weir_flow_summary flow = {.name = "cbr",
					 .path = "main",
					 .application = "cbr",
					 .goodput_bps = (double)NAN,
					 .loss_fraction = (double)NAN};
	struct weir_summary s = {.scenario = "x", .backend = "sim", .n_flows = 1, .flow = &flow};
	s.jain_throughput = (double)NAN;
	json_t *read = read_back(&s), *f = json_array_get(json_object_get(read, "flows"), 0);
	static const char *const null[] = {"controller", "goodput_bps", "rtt_ms", "loss_fraction", "age_ms"};
	for (size_t i = 0; i < sizeof null / sizeof null[0]; i++) {
		json_t *x = json_object_get(f, null[i]);
		assert_non_null(x);
		assert_true(json_is_null(x));
	}
	assert_true(json_is_null(json_object_get(read, "emulation")));
	assert_true(json_is_null(json_object_get(json_object_get(read, "fairness"), "jain_throughput")));
	assert_string_equal(json_string_value(json_object_get(read, "schema")), "weir.summary/1");
	json_decref(read);
}

static void notes_are_kept_once(void **state)
{
	(void)state;
	struct weir_summary s = {.n_notes = 0};
	for (int i = 0; i < 100; i++)
		weir_summary_note(&s, "note %d", i / 2);
	assert_int_equal(s.n_notes, WEIR_NOTES_MAX);
	assert_string_equal(s.note[1], "note 1");
}

static void units_of_signals(void **state)
{
	(void)state;
	char name[WEIR_NAME_BYTES];
	weir_signal_name(name, "epoch", "ns");
	assert_string_equal(name, "epoch_ms");
	assert_true(weir_signal_value("ns", 2500000) == 2.5);
	weir_signal_name(name, "rate", "Bps");
	assert_string_equal(name, "rate_bps");
	assert_true(weir_signal_value("Bps", 1000) == 8000);
	weir_signal_name(name, "gain", "ratio");
	assert_string_equal(name, "gain_ratio");
	assert_true(weir_signal_value("ratio", 1250000) == 1.25);
	weir_signal_name(name, "ssthresh", "bytes");
	assert_string_equal(name, "ssthresh_bytes");
	weir_signal_name(name, "slow_start", "flag");
	assert_string_equal(name, "slow_start");
}

#define DOCUMENT(goodput, rtt)                                                                               \
	"{\"simulated_s\": 2, \"events\": 1, \"packets\": 3, \"flows\": [{\"name\": \"a\", "                 \
	"\"goodput_bps\": " goodput ", \"rtt_ms\": " rtt                                                     \
	"}], \"groups\": [], \"links\": [], \"fct_ms\": [], "                                                \
	"\"fairness\": {\"jain_throughput\": null}, \"wall_s\": 1}"

/* Of 1, 2, 3: mean 2, s = 1, and t(.975, 2) = 4.302653. */
static void repeats_give_student_intervals(void **state)
{
	(void)state;
	static const char *const documents[] = {DOCUMENT("1", "null"), DOCUMENT("2", "{\"p50\": 5}"),
						DOCUMENT("3", "{\"p50\": 7}")};
	struct weir_json j;
	weir_json_to_buffer(&j);
	assert_int_equal(weir_repeats_write(&j, documents, 3, 11), 0);
	assert_int_equal(weir_json_finish(&j), 0);
	char *text = weir_json_take(&j, NULL);
	json_t *read = json_loads(text, 0, NULL);
	assert_int_equal(json_integer_value(json_object_get(read, "n")), 3);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(read, "seeds"), 2)), 13);
	json_t *flow = json_array_get(json_object_get(read, "flows"), 0);
	assert_string_equal(json_string_value(json_object_get(flow, "name")), "a");
	json_t *goodput = json_object_get(flow, "goodput_bps"), *ci = json_object_get(goodput, "ci95");
	assert_true(json_number_value(json_object_get(goodput, "mean")) == 2);
	double half = 4.302653 / sqrt(3);
	assert_true(fabs(json_number_value(json_array_get(ci, 0)) - (2 - half)) < 1e-5);
	assert_true(fabs(json_number_value(json_array_get(ci, 1)) - (2 + half)) < 1e-5);
	json_t *p50 = json_object_get(json_object_get(flow, "rtt_ms"), "p50");
	assert_true(json_number_value(json_object_get(p50, "mean")) == 6);
	assert_int_equal(json_integer_value(json_object_get(p50, "n")), 2);
	assert_true(json_is_null(json_object_get(json_object_get(read, "fairness"), "jain_throughput")));
	assert_null(json_object_get(read, "wall_s"));
	json_decref(read);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spread_of_known_samples),
	    cmocka_unit_test(what_is_not_there_is_null),
	    cmocka_unit_test(notes_are_kept_once),
	    cmocka_unit_test(units_of_signals),
	    cmocka_unit_test(repeats_give_student_intervals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

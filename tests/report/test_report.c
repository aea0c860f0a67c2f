/* SPDX-License-Identifier: MIT */
/* From a directory to its page: what is missing or wrong is named, nothing is left half written. */
#include "core/exit_code.h"
#include "report/report.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FLOW                                                                                                 \
	"{\"name\":\"%s\",\"controller\":\"cubic\",\"goodput_bps\":9e6,\"throughput_bps\":1e7,"              \
	"\"rtt_ms\":{\"mean\":60,\"p50\":60,\"p95\":70},\"queue_delay_ms\":{\"p50\":10,\"p95\":20},"         \
	"\"packets_sent\":100,\"packets_lost\":1}"

static const char summary[] =
    "{\"schema\":\"weir.summary/1\",\"scenario\":\"s\",\"title\":\"T\",\"backend\":\"sim\","
    "\"seed\":1,\"simulated_s\":1,\"flows\":[" FLOW "," FLOW "],\"groups\":[],\"links\":[],"
    "\"fct_ms\":[],\"fairness\":{\"jain_throughput\":1}}";

static char dir[64], page[128];
static struct weir_diag d;

static void put(const char *name, const char *text)
{
	char path[160];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_summary(const char *first, const char *second)
{
	char text[4096];
	snprintf(text, sizeof text, summary, first, second);
	put("summary.json", text);
}

static int make(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/weir-report-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(page, sizeof page, "%s/report.html", dir);
	put_summary("a", "b");
	put("manifest.json",
	    "{\"arguments\":[\"weir\",\"run\",\"it's.yaml\"],\"scenario_text\":\"title: T\\n\"}");
	put("series.csv",
	    "time_s,flow,signal,value\n0.5,a,throughput_bps,1e7\n1,a,throughput_bps,9e6\n1,b,rtt_ms,60\n");
	d = (struct weir_diag){0};
	return 0;
}

static u32 files_in(const char *path)
{
	u32 n = 0;
	DIR *all = opendir(path);
	for (struct dirent *e; all && (e = readdir(all));)
		n += e->d_name[0] != '.';
	if (all)
		closedir(all);
	return n;
}

static int clear(void **state)
{
	(void)state;
	char command[160];
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command);
}

static char *text_of_page(void)
{
	struct stat st;
	FILE *f = fopen(page, "r");
	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	char *text = calloc(1, (size_t)st.st_size + 1);
	assert_int_equal(fread(text, 1, (size_t)st.st_size, f), st.st_size);
	fclose(f);
	return text;
}

static void a_run_becomes_a_page(void **state)
{
	(void)state;
	assert_int_equal(weir_report_write(dir, &d), WEIR_EXIT_OK);
	assert_int_equal(d.n, 0);
	char *text = text_of_page();
	assert_non_null(strstr(text, "<title>T</title>"));
	assert_non_null(strstr(text, "default-src 'none'"));
	assert_non_null(strstr(text, "<b>18 Mbit/s</b>"));
	assert_non_null(strstr(text, "weir run &#39;it&#39;\\&#39;&#39;s.yaml&#39;"));
	char *data = strstr(text, "id=\"report-data\">");
	assert_non_null(data);
	*strstr(data, "</script>") = 0;
	assert_null(strcasestr(data, "nan"));
	free(text);
	assert_int_equal(files_in(dir), 4);
}

static void the_same_input_gives_the_same_page(void **state)
{
	(void)state;
	assert_int_equal(weir_report_write(dir, &d), WEIR_EXIT_OK);
	char *first = text_of_page();
	assert_int_equal(weir_report_write(dir, &d), WEIR_EXIT_OK);
	char *second = text_of_page();
	assert_string_equal(first, second);
	free(first);
	free(second);
}

static void wrong(const char *file, u32 line, const char *says)
{
	d = (struct weir_diag){0};
	assert_int_equal(weir_report_write(dir, &d), WEIR_EXIT_USAGE);
	assert_int_equal(d.n, 1);
	assert_non_null(strstr(d.file, file));
	assert_int_equal(d.entry[0].line, line);
	assert_non_null(strstr(d.entry[0].text, says));
	assert_int_equal(access(page, F_OK), -1);
}

static void a_missing_file_is_named(void **state)
{
	(void)state;
	static const char *const names[] = {"series.csv", "manifest.json", "summary.json"};
	for (u32 i = 0; i < 3; i++) {
		char path[160];
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
		wrong(names[i], 0, "No such file");
	}
}

static void a_wrong_file_is_named_with_its_line(void **state)
{
	(void)state;
	put("series.csv", "time_s,flow,signal,value\n1,a,rtt_ms,many\n");
	wrong("series.csv", 2, "not a number");
	put("manifest.json", "{\n\"a\": 1,\n}\n");
	wrong("manifest.json", 3, "expected");
	put("summary.json", "[]");
	wrong("summary.json", 1, "not a JSON object");
	put("summary.json", "{\"schema\":\"weir.list/1\"}");
	wrong("summary.json", 0, "weir.list/1");
	put("summary.json", "{\"schema\":\"weir.run/1\",\"runs\":[]}");
	wrong(dir, 0, "0 run-* directories");
}

/* Whatever types stand where numbers should: a page with dashes, no crash. */
static void odd_types_are_only_missing_numbers(void **state)
{
	(void)state;
	put("summary.json",
	    "{\"schema\":\"weir.summary/1\",\"flows\":[7,{\"name\":[],\"goodput_bps\":\"x\"},null],"
	    "\"groups\":3,\"links\":[{\"queue_delay_ms\":[]}],\"fct_ms\":{},\"fairness\":null,"
	    "\"notes\":[1,{}],\"emulation\":{\"verdict\":5},\"simulated_s\":-1e308}");
	put("manifest.json", "{\"arguments\":[1,null],\"scenario_text\":{}}");
	assert_int_equal(weir_report_write(dir, &d), WEIR_EXIT_OK);
}

static void a_full_disk_leaves_the_old_page(void **state)
{
	(void)state;
	put("report.html", "old");
	struct rlimit before, small;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 50000;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int code = weir_report_write(dir, &d);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(code, WEIR_EXIT_FAILED);
	assert_non_null(strstr(d.file, "report.html"));
	assert_non_null(strstr(d.entry[0].text, "File too large"));
	char *text = text_of_page();
	assert_string_equal(text, "old");
	free(text);
	assert_int_equal(files_in(dir), 4);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_run_becomes_a_page),
	    TEST(the_same_input_gives_the_same_page),
	    TEST(a_missing_file_is_named),
	    TEST(a_wrong_file_is_named_with_its_line),
	    TEST(odd_types_are_only_missing_numbers),
	    TEST(a_full_disk_leaves_the_old_page),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

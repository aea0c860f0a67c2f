/* SPDX-License-Identifier: MIT */
/* Lines for a reader that stops and goes on: nobody waits for it, and of each source it gets the newest. */
#include "sink/ndjson.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SOURCES 50u

static struct weir_told told(u32 source, u64 sequence)
{
	static struct weir_told v;
	snprintf(v.id, sizeof v.id, "s%u", source);
	v.place = source;
	v.sequence = sequence;
	v.unix_s = 1e9;
	v.age = (struct weir_age_reading){.age_s = .0012345, .low_s = .001, .high_s = .002, .known = true};
	v.bytes = 1000;
	memset(v.data, 'x', v.bytes);
	return v;
}

/* All that comes until the other end is closed. */
static char *read_all(int fd)
{
	size_t used = 0, room = 1 << 16;
	char *text = malloc(room);
	ssize_t n;
	while (text && (n = read(fd, text + used, room - used - 1)) > 0) {
		used += (size_t)n;
		if (room - used < 4096)
			text = realloc(text, room *= 2);
	}
	if (text)
		text[used] = 0;
	return text;
}

static void test_slow_reader(void **state)
{
	u64 last[SOURCES] = {0};
	int fd[2];
	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	struct weir_ndjson *n = weir_ndjson_new(fd[1]);
	assert_non_null(n);
	/* Nobody reads: 20,000 lines of 1.1 kB do not fit into a pipe and a ring of 1 MiB. */
	for (u64 i = 1; i <= 400; i++) {
		for (u32 s = 0; s < SOURCES; s++) {
			struct weir_told v = told(s, i);
			weir_ndjson_value(n, &v);
		}
	}
	struct weir_ndjson_stats stats = weir_ndjson_stats(n);
	assert_true(stats.superseded > 10000 && stats.dropped == 0 && stats.written > 500);
	/* Read on while stepping, as the loop does. */
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	char *text = malloc(64 << 20);
	size_t used = 0;
	for (u32 i = 0; i < 5000 && (weir_ndjson_step(n) || i < 50); i++) {
		ssize_t got;
		while ((got = read(fd[0], text + used, 65536)) > 0)
			used += (size_t)got;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	fcntl(fd[0], F_SETFL, 0);
	text[used] = 0;
	weir_ndjson_end(n, WEIR_NS_PER_S / 2);
	close(fd[1]);
	char *rest = read_all(fd[0]);
	size_t rest_bytes = strlen(rest);
	memcpy(text + used, rest, rest_bytes + 1);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *j = json_loads(line, 0, NULL);
		assert_non_null(j);
		u32 source = (u32)strtoul(json_string_value(json_object_get(j, "id")) + 1, NULL, 10);
		u64 sequence = (u64)json_integer_value(json_object_get(j, "seq"));
		assert_true(sequence > last[source]);
		last[source] = sequence;
		assert_true(json_real_value(json_object_get(j, "age_ms")) == 1.235);
		assert_true(json_real_value(json_object_get(j, "age_error_ms")) == .766);
		json_decref(j);
	}
	for (u32 s = 0; s < SOURCES; s++)
		assert_int_equal(last[s], 400);
	free(text);
	free(rest);
	close(fd[0]);
}

/* A reader that is gone is told, not waited for. */
static void test_reader_gone(void **state)
{
	int fd[2];
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	struct weir_ndjson *n = weir_ndjson_new(fd[1]);
	close(fd[0]);
	struct weir_told v = told(1, 1);
	weir_ndjson_value(n, &v);
	for (u32 i = 0; i < 2000 && !weir_ndjson_error(n); i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	assert_int_equal(weir_ndjson_error(n), EPIPE);
	weir_ndjson_end(n, WEIR_NS_PER_S);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_slow_reader),
					   cmocka_unit_test(test_reader_gone)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* One real transfer for each of reno, cubic and vegas in the kernel, over an emulated link that loses
 * packets, with every call recorded and every packet captured. The recorded calls made again here give the
 * same decisions, byte for byte; and the views that the kernel's glue made are those that transport/ makes of
 * the same packets. */
#include "ends.h"
#include "kern/calls.h"
#include "kern/follow.h"
#include "machine.h"
#include "views.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TRIES 3

/* ---- one transfer ---- */

static const char *weir;
static char self[512], folder[64] = "/tmp/weir-recorded-XXXXXX";

static void path_of(const char *name, const char *end, char path[160])
{
	snprintf(path, 160, "%s/%s%s", folder, name, end);
}

/* stdout into a file; stderr stays. */
static int run(char *const *argv, const char *out)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
			_exit(125);
		execv(argv[0], argv);
		_exit(127);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The exit status of the link: 0, or 4 where it was not faithful, which says nothing about decisions. */
static int transfer(const char *name)
{
	char record[160], capture[160], take[600], out[160];
	path_of(name, ".calls", record);
	path_of(name, ".pcap", capture);
	path_of(name, ".out", out);
	snprintf(take, sizeof take, "'%s' take", self);
	char *const argv[] = {(char *)(size_t)weir,
			      "link",
			      "-q",
			      "--rate",
			      "20Mbit/s",
			      "--delay",
			      "10ms",
			      "--loss",
			      "0.3%",
			      "--seed",
			      "7",
			      "--isolated",
			      "--snap",
			      "128",
			      "--pcap",
			      capture,
			      "--beyond",
			      take,
			      "--",
			      (char *)(size_t)weir,
			      "kernel",
			      "run",
			      (char *)(size_t)name,
			      "-q",
			      "--record",
			      record,
			      "--",
			      self,
			      "send",
			      NULL};
	int code = run(argv, out);
	if (code != 0 && code != WEIR_EXIT_INVALID)
		fail_msg("%s: exit %d", name, code);
	return code;
}

/* ---- the same decisions ---- */

struct decided {
	u64 compared, differing, missing, first;
	bool ended;
};

static void decide_again(struct decided *d, const char *path)
{
	static struct weir_calls_reader reader;
	struct weir_calls_frame f;
	struct weir_follow follow;
	struct weir_out out;
	char why[WEIR_CALLS_WHY_BYTES];
	FILE *in = fopen(path, "re");
	assert_non_null(in);
	memset(d, 0, sizeof *d);
	if (weir_calls_open(&reader, in, why))
		fail_msg("%s: %s", path, why);
	const struct weir_cc_ops *ops = weir_cc_find(reader.head.controller);
	assert_non_null(ops);
	assert_int_equal(reader.head.n_params, ops->n_params);
	weir_follow_begin(&follow, ops, reader.head.params);
	while (weir_calls_next(&reader, &f, why) > 0) {
		d->missing += f.missing;
		if (f.kind != WEIR_CALLS_CALL)
			continue;
		enum weir_followed result = weir_follow_call(&follow, f.socket, &f.record.call, &out);
		assert_int_not_equal(result, WEIR_FOLLOWED_UNKNOWN);
		d->compared++;
		if (result == WEIR_FOLLOWED_DIFFERS && !d->differing++)
			d->first = d->compared;
	}
	d->ended = reader.ended;
	weir_follow_end(&follow);
	fclose(in);
}

/* Bytes of a file, changed in one place, into another one. */
static void alter(const char *from, const char *to, long at, long length)
{
	static u8 data[1 << 22];
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	assert_non_null(in);
	assert_non_null(out);
	size_t n = fread(data, 1, sizeof data, in);
	assert_true(n < sizeof data && n > (size_t)at);
	data[at] ^= 1;
	if (length)
		n = (size_t)length;
	assert_int_equal(fwrite(data, 1, n, out), n);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

static void replay_gives(const char *path, int code, const char *says)
{
	static char text[4096];
	char out[160];
	path_of("replay", ".json", out);
	char *const argv[] = {(char *)(size_t)weir, "kernel", "replay", (char *)(size_t)path, "--json", NULL};
	assert_int_equal(run(argv, out), code);
	FILE *in = fopen(out, "re");
	assert_non_null(in);
	text[fread(text, 1, sizeof text - 1, in)] = 0;
	fclose(in);
	if (!strstr(text, says))
		fail_msg("%s: no %s in %s", path, says, text);
}

/* Where the frame of a call stands, and fields in it (docs/formats.md). */
static long frame_at(const char *name, u64 call)
{
	return 96 + 8 * (long)weir_cc_find(name)->n_params + (long)call * 152;
}
#define OF_EVENT 88
#define OF_OUT 128

/* One byte of one call altered: what the kernel said, then what it saw. Both are found, the first where it
 * is. */
static void alterations_are_found(const char *name, const char *record, const struct decided *whole)
{
	char altered[160], first[64];
	struct decided d;
	u64 middle = whole->compared / 2;
	path_of(name, ".altered", altered);
	alter(record, altered, frame_at(name, middle) + OF_OUT, 0);
	decide_again(&d, altered);
	assert_int_equal(d.differing, 1);
	assert_int_equal(d.first, middle + 1);
	snprintf(first, sizeof first, "\"record\": %llu,", middle + 1);
	replay_gives(altered, WEIR_EXIT_CLAIM, first);
	replay_gives(altered, WEIR_EXIT_CLAIM, "\"cwnd_bytes\": {\"kernel\": ");

	/* in slow start each byte counts at once */
	alter(record, altered, frame_at(name, 3) + OF_EVENT + 1, 0);
	decide_again(&d, altered);
	assert_true(d.differing > 0);
	assert_in_range(d.first, 4, whole->compared);
	replay_gives(altered, WEIR_EXIT_CLAIM, "\"verdict\": \"differs\"");

	/* cut off: what is there agrees, and nothing is proved */
	alter(record, altered, frame_at(name, middle), frame_at(name, middle));
	replay_gives(altered, WEIR_EXIT_INVALID, "\"verdict\": \"incomplete\"");
}

/* False: calls were lost, so that nothing can be said. */
static bool same_decisions(const char *name)
{
	char record[160];
	struct decided d;
	path_of(name, ".calls", record);
	decide_again(&d, record);
	if (d.missing || !d.ended)
		return false;
	printf("%s: %llu calls made again, %llu differ\n", name, d.compared, d.differing);
	assert_true(d.compared > 500);
	assert_int_equal(d.differing, 0);
	replay_gives(record, WEIR_EXIT_OK, "\"verdict\": \"same\"");
	alterations_are_found(name, record, &d);
	return true;
}

/* ---- the same views ---- */

static u64 wall_ns(void)
{
	struct timespec wall, monotonic;
	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	return (u64)((i64)(wall.tv_sec - monotonic.tv_sec) * (i64)WEIR_NS_PER_S + wall.tv_nsec -
		     monotonic.tv_nsec);
}

/* What may differ, and why. The capture has the times at which packets left the sender's device and at which
 * ACKs were due there; the kernel's are those at which it got round to them, some 30 us later, in
 * microseconds.
 * - Rounds, the application's limit: the same packets are counted, so the same ACKs begin rounds. One in a
 * hundred may be told apart by an ACK that the kernel read after its next packet had left.
 * - Episodes: every one has its counterpart. RACK's timer comes up to two ticks later in the kernel, and a
 * loss of what was sent during a repair begins an episode at its end there: one at the end of the capture may
 * be missing.
 * - min_rtt: the least of hundreds, each with the delay of that ACK; now and then nobody is in the way. The
 *   kernel's may be up to 1 ms too small: it takes samples by time stamps of what was sent again.
 * - RTT samples: each with its own delay. The glue keeps those by time stamps from the controller.
 * - Rate samples: over at least a round trip (20 ms) the delays of its ends are less than a hundredth, but
 * each is that of its own ACK: one in twenty may be off by more than .05. */
static void same_views(const char *name, const struct views *v)
{
	printf("%s: %u ACKs, %u paired, %.0f us later; rounds %u and %u, %u differ; limited %u and %u, %u "
	       "differ; "
	       "episodes %u and %u, %u differ\n",
	       name, v->acks, v->paired, v->late_us, v->rounds[0], v->rounds[1], v->round_differs,
	       v->limited[0], v->limited[1], v->limit_differs, v->episodes[0], v->episodes[1],
	       v->episode_differs);
	printf(
	    "%s: min_rtt %.1f us above, %.1f below; rtt %.1f us, %u samples that only the kernel has; rate "
	    "%.4f, "
	    "%.3f beyond 5 %%; forced %u, ignored %u, timeouts %u\n",
	    name, v->min_rtt_above_us, v->min_rtt_below_us, v->rtt_median_us, v->only_kernel, v->rate_median,
	    v->rate_outside, v->forced, v->ignored, v->timeouts);
	assert_true(v->acks > 400);
	assert_true(v->paired >= v->acks - v->acks / 50);
	assert_true(v->rounds[0] > 30);
	assert_in_range(v->rounds_apart, 0, 1);
	assert_in_range(v->round_differs, 0, v->rounds[0] / 4);
	assert_true(v->limited[0] > 10);
	assert_in_range(v->limit_differs, 0, v->acks / 100);
	assert_true(v->episodes[0] >= 2);
	assert_in_range(v->episodes[1], v->episodes[0] - 1, v->episodes[0] + 1);
	assert_in_range(v->episode_differs, 0, 1);
	assert_true(v->min_rtt_above_us < 300);
	assert_true(v->min_rtt_below_us < 1050);
	assert_in_range(v->only_kernel, 0, v->acks / 100);
	assert_true(v->rtt_median_us < 100);
	assert_true(v->rate_median < .01);
	assert_true(v->rate_outside < .05);
}

/* False: the link was not faithful, or nothing is left to compare. */
static bool views_agree(const char *name, int code)
{
	char record[160], path[160], reason[200];
	const struct written written = {ENDS_BULK_BYTES, ENDS_WRITE_BYTES};
	struct capture capture;
	struct recorded recorded;
	struct views v;
	path_of(name, ".calls", record);
	path_of(name, ".pcap", path);
	if (capture_read(&capture, path, reason))
		fail_msg("%s: %s", path, reason);
	if (recorded_read(&recorded, record, capture.local_port, reason))
		fail_msg("%s: %s", record, reason);
	views_compare(&v, &capture, &recorded, &written, wall_ns());
	recorded_free(&recorded);
	capture_free(&capture);
	if (code || v.acks <= 400) {
		printf("%s: %s\n", name, code ? "the link was not faithful" : "a timeout came too early");
		return false;
	}
	same_views(name, &v);
	return true;
}

static u32 judged;

static void record_and_compare(const char *name)
{
	bool decisions = false, views = false;
	for (u32 i = 0; i < TRIES && !(decisions && views); i++) {
		int code = transfer(name);
		decisions = same_decisions(name) || decisions;
		views = views || (decisions && views_agree(name, code));
	}
	judged += decisions && views;
	if (!decisions)
		printf("%s: calls were lost in each of %u tries\n", name, TRIES);
}

static void reno_decides_and_sees_alike(void **unused)
{
	(void)unused;
	record_and_compare("reno");
}

static void cubic_decides_and_sees_alike(void **unused)
{
	(void)unused;
	record_and_compare("cubic");
}

static void vegas_decides_and_sees_alike(void **unused)
{
	(void)unused;
	record_and_compare("vegas");
}

/* ---- the program ---- */

static void tidy(void)
{
	static const char *const names[] = {"reno", "cubic", "vegas", "replay", "probe"};
	static const char *const ends[] = {".calls", ".pcap", "-beyond.pcap", ".out", ".altered", ".json"};
	for (u32 i = 0; i < sizeof names / sizeof names[0]; i++)
		for (u32 k = 0; k < sizeof ends / sizeof ends[0]; k++) {
			char path[160];
			path_of(names[i], ends[k], path);
			unlink(path);
		}
	rmdir(folder);
}

/* Links and controllers together: 77 and a line where there are none. */
static void link_or_skip(void)
{
	char out[160];
	path_of("probe", ".out", out);
	char *const argv[] = {(char *)(size_t)weir, "link", "-q", "--isolated", "--", "true", NULL};
	int code = run(argv, out);
	if (code == 0 || code == WEIR_EXIT_INVALID)
		return;
	puts("no emulated links here");
	exit(WEIR_EXIT_SKIPPED);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reno_decides_and_sees_alike),
	    cmocka_unit_test(cubic_decides_and_sees_alike),
	    cmocka_unit_test(vegas_decides_and_sees_alike),
	};
	if (argc == 2 && !strcmp(argv[1], "send"))
		return ends_send();
	if (argc == 2 && !strcmp(argv[1], "take"))
		return ends_take();
	weir = argc > 1 ? argv[1] : "weir";
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0 || !mkdtemp(folder)) {
		perror("a folder for the test");
		return 1;
	}
	atexit(tidy);
	setenv("WEIR_RUNTIME_DIR", folder, 1);
	machine_or_skip();
	link_or_skip();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (!failed && judged < sizeof tests / sizeof tests[0]) {
		puts("in three tries calls were lost, or the link was not faithful: too much else runs here");
		return WEIR_EXIT_SKIPPED;
	}
	return failed;
}

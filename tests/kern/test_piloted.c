/* SPDX-License-Identifier: MIT */
/* Kernel TCP driven by a pilot of this process, over loopback in a namespace of its own: it sends at the rate
 * that the setpoint says, with the wave that the setpoint says; without answers Reno takes over; and the
 * pilot has it back when it speaks again. */
#include "cc/governor.h"
#include "kern/pilots.h"
#include "machine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PERIOD_NS (200 * WEIR_NS_PER_MS)
#define EXPIRY_NS (100 * WEIR_NS_PER_MS)
#define BIN_NS (10 * WEIR_NS_PER_MS)
#define BINS 400U /* 4 s: 20 periods */
#define MTU 1500
#define TRIES 3

static _Atomic u64 rate_Bps, amplitude_Bps;

static u32 guide_inners(const void *p, struct weir_pilot_inner inner[WEIR_PILOT_INNERS_MAX])
{
	(void)p;
	inner[0] = (struct weir_pilot_inner){.name = "cubic"};
	return 1;
}

static void guide_say(struct weir_setpoint *io)
{
	io->rate_Bps = rate_Bps;
	io->wave_period_ns = PERIOD_NS;
	io->wave_amplitude_Bps = amplitude_Bps;
	io->report_ns = 10 * WEIR_NS_PER_MS;
	io->expiry_ns = EXPIRY_NS;
	io->inner = WEIR_SETPOINT_RATE;
	io->cap_percent = 1000;
}

static void guide_init(void *s, const void *p, u64 seed, struct weir_setpoint *out)
{
	(void)s, (void)p, (void)seed;
	guide_say(out);
}

static void guide_on_report(void *s, const void *p, const struct weir_report *r, struct weir_setpoint *io)
{
	(void)p;
	*(struct weir_report *)s = *r;
	guide_say(io);
}

static void guide_probe(const void *s, double value[WEIR_PILOT_SIGNALS_MAX])
{
	const struct weir_report *r = s;
	value[0] = (double)r->number;
}

static const struct weir_pilot_ops guide = {.name = "guide",
					    .state_bytes = sizeof(struct weir_report),
					    .inners = guide_inners,
					    .init = guide_init,
					    .on_report = guide_on_report,
					    .probe = guide_probe};

static struct weir_kern kern;
static struct weir_kern_governor governor;
static struct weir_pilots *pilots;
static char why[WEIR_KERN_WHY_BYTES];
static pid_t sender;
static int receiver = -1;
static u16 sender_port;

/* ---- the connection ---- */

static void own_network(void)
{
	struct ifreq lo = {.ifr_name = "lo"};
	int fd;
	if (unshare(CLONE_NEWNET)) {
		printf("no network namespace: %s\n", strerror(errno));
		exit(WEIR_EXIT_SKIPPED);
	}
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	lo.ifr_mtu = MTU;
	assert_int_equal(ioctl(fd, SIOCSIFMTU, &lo), 0);
	lo.ifr_flags = IFF_UP;
	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &lo), 0);
	close(fd);
}

static void send_for_ever(int fd)
{
	static u8 block[1 << 16];
	alarm(100);
	signal(SIGPIPE, SIG_DFL);
	while (send(fd, block, sizeof block, 0) > 0)
		;
	_exit(0);
}

static void connect_pair(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr_in own;
	socklen_t bytes = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, bytes), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &bytes), 0);
	assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kern.name, (socklen_t)strlen(kern.name)),
			 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, bytes), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &bytes), 0);
	sender_port = ntohs(own.sin_port);
	receiver = accept(listener, NULL, NULL);
	assert_true(receiver >= 0);
	close(listener);
	sender = fork();
	if (sender == 0)
		send_for_ever(fd);
	assert_true(sender > 0);
	close(fd);
}

static u64 clock_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

/* What arrives in each bin from now on. */
static void receive(double *bin, u32 n)
{
	static u8 block[1 << 18];
	u64 begin_ns = clock_now_ns(), at;
	memset(bin, 0, n * sizeof *bin);
	for (;;) {
		ssize_t got = recv(receiver, block, sizeof block, 0);
		assert_true(got > 0);
		at = (clock_now_ns() - begin_ns) / BIN_NS;
		if (at >= n)
			return;
		bin[at] += (double)got;
	}
}

/* Payload, bytes per second. */
static double goodput_Bps(u32 n)
{
	static double bin[BINS];
	double sum = 0;
	receive(bin, n);
	for (u32 i = 0; i < n; i++)
		sum += bin[i];
	return sum / (n * (double)BIN_NS / 1e9);
}

static int begin(void **unused)
{
	(void)unused;
	struct weir_kern_object object;
	rate_Bps = 3000000;
	if (weir_kern_object_governor(&guide, NULL, &governor, &object, why) ||
	    weir_kern_load(&kern, &object, NULL, WEIR_KERN_PROCESS, false, why))
		fail_msg("%s", why);
	pilots = weir_pilots_start(&kern, &guide, NULL, 1, why);
	if (!pilots || weir_kern_register(&kern, why))
		fail_msg("%s", why);
	connect_pair();
	return 0;
}

static int end(void **unused)
{
	(void)unused;
	int status;
	close(receiver);
	kill(sender, SIGKILL);
	waitpid(sender, &status, 0);
	weir_pilots_stop(pilots);
	weir_kern_close(&kern);
	return 0;
}

/* ---- what it does ---- */

/* A busy machine may be slower now and then, never faster. */
static void goes_at(double wanted_Bps)
{
	double got = 0;
	for (u32 i = 0; i < TRIES && got < .95 * wanted_Bps; i++) {
		goodput_Bps(20);
		got = goodput_Bps(60);
	}
	if (fabs(got / wanted_Bps - 1) > .05)
		fail_msg("%.0f B/s asked for, %.0f seen", wanted_Bps, got);
}

static void follows_the_rate(void **unused)
{
	(void)unused;
	static const u64 rates[] = {3000000, 6000000, 1500000};
	for (u32 i = 0; i < 3; i++) {
		rate_Bps = rates[i];
		goes_at((double)rates[i]);
	}
}

/* Amplitude of a sine of this frequency in the bins, as a share of their mean. */
static double part(const double *bin, double hz)
{
	double re = 0, im = 0, sum = 0;
	for (u32 i = 0; i < BINS; i++) {
		double angle = 2 * 3.14159265358979 * hz * i * (double)BIN_NS / 1e9;
		re += bin[i] * cos(angle);
		im += bin[i] * sin(angle);
		sum += bin[i];
	}
	return 2 * sqrt(re * re + im * im) / sum;
}

static void pulses_at_the_wave(void **unused)
{
	(void)unused;
	static double bin[BINS], wave[BINS];
	const double frequency = 1e9 / (double)PERIOD_NS;
	double expected, seen = 0, beside = 1;
	rate_Bps = 4000000;
	amplitude_Bps = 1000000;
	for (u32 i = 0; i < BINS; i++)
		wave[i] = 4 * WEIR_WAVE_ONE +
			  weir_wave_height((u32)((u64)i * BIN_NS % PERIOD_NS * ((1ULL << 32) / PERIOD_NS)));
	expected = part(wave, frequency);
	for (u32 i = 0; i < TRIES && (fabs(seen / expected - 1) > .1 || beside > expected / 5); i++) {
		goodput_Bps(50);
		receive(bin, BINS);
		seen = part(bin, frequency);
		beside = part(bin, .6 * frequency);
	}
	printf("pulses: %.3f of the mean, %.3f by the wave, %.3f beside\n", seen, expected, beside);
	assert_true(fabs(seen / expected - 1) < .1 && beside < expected / 5);
	amplitude_Bps = 0;
	goes_at(4e6);
}

static void without_answers_reno_takes_over(void **unused)
{
	(void)unused;
	struct weir_hosted_counts counts;
	rate_Bps = 1500000;
	goes_at(1.5e6);
	weir_pilots_stop(pilots);
	goodput_Bps(2 * EXPIRY_NS / BIN_NS);
	double alone = goodput_Bps(30);
	pilots = weir_pilots_start(&kern, &guide, NULL, 1, why);
	assert_non_null(pilots);
	goes_at(1.5e6);
	weir_pilots_counts(pilots, &counts);
	printf("without answers: %.0f times the rate; %llu of %llu reports say so\n", alone / 1.5e6,
	       counts.expired_reports, counts.reports);
	assert_true(alone > 3 * 1.5e6);
	assert_true(counts.expired_reports > 0 && counts.expired_reports < counts.reports);
}

static void a_closed_connection_is_forgotten(void **unused)
{
	(void)unused;
	struct weir_hosted_counts counts;
	double value[WEIR_PILOT_SIGNALS_MAX];
	int status;
	weir_pilots_counts(pilots, &counts);
	assert_int_equal(counts.connections, 1);
	close(receiver);
	receiver = -1;
	kill(sender, SIGKILL);
	waitpid(sender, &status, 0);
	for (u32 i = 0; i < 200 && weir_pilots_signals(pilots, 0, sender_port, value); i++)
		usleep(10000);
	assert_false(weir_pilots_signals(pilots, 0, sender_port, value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(follows_the_rate),
	    cmocka_unit_test(pulses_at_the_wave),
	    cmocka_unit_test(without_answers_reno_takes_over),
	    cmocka_unit_test(a_closed_connection_is_forgotten),
	};
	machine_or_skip();
	own_network();
	return cmocka_run_group_tests(tests, begin, end);
}

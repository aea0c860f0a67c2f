/* SPDX-License-Identifier: MIT */
/* Nanoseconds of CPU: a report to the detector alone and to each pilot with its defaults, and an ACK to the
 * governor, a report each 10 ms included. "NAME VALUE" a line, the best of some runs. */
#include "cc/governed.h"
#include "pilot/detector_state.h"
#include "pilot/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPORTS 100000
#define ACKS 1000000
#define RUNS 5
#define MU_BPS 12e6
#define MS WEIR_NS_PER_MS

static double cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A busy link, half of it ours, rates that move. */
static struct weir_report report(u64 number)
{
	return (struct weir_report){.number = number,
				    .now_ns = number * 10 * MS,
				    .interval_ns = 10 * MS,
				    .acked_bytes = 60000,
				    .sent_bytes = 60000,
				    .rtt_n = 20,
				    .rtt_sum_ns = 20 * (70 + number % 5) * MS,
				    .rtt_min_ns = 69 * MS,
				    .rtt_max_ns = 76 * MS,
				    .sample_bytes = 420000,
				    .send_interval_ns = (66 + number % 7) * MS,
				    .ack_interval_ns = (70 + number % 3) * MS,
				    .srtt_ns = 70 * MS,
				    .min_rtt_ns = 50 * MS,
				    .latest_rtt_ns = 70 * MS,
				    .inflight_bytes = 420000,
				    .delivered_bytes = number * 60000,
				    .cwnd_bytes = 420000,
				    .base_Bps = 6000000,
				    .mss_bytes = 1448};
}

static double detector_ns(double *sum)
{
	static struct weir_detector d;
	struct weir_detector_config c;
	struct weir_elasticity seen;
	weir_detector_defaults(&c);
	weir_detector_init(&d, &c);
	double start_ns = cpu_ns();
	for (u64 i = 1; i <= REPORTS; i++) {
		struct weir_report r = report(i);
		weir_detector_report(&d, &r, MU_BPS, 5, MU_BPS / 4);
		weir_detector_read(&d, &seen);
		*sum += seen.z_Bps;
	}
	return (cpu_ns() - start_ns) / REPORTS;
}

static double pilot_ns(const struct weir_pilot_ops *ops, double *sum)
{
	static u64 params[64];
	void *state = calloc(1, ops->state_bytes);
	struct weir_setpoint setpoint = {0};
	if (!state)
		exit(1);
	weir_pilot_defaults(ops, params);
	ops->init(state, params, 1, &setpoint);
	double start_ns = cpu_ns();
	for (u64 i = 1; i <= REPORTS; i++) {
		struct weir_report r = report(i);
		ops->on_report(state, params, &r, &setpoint);
		*sum += (double)setpoint.rate_Bps;
	}
	double ns = (cpu_ns() - start_ns) / REPORTS;
	free(state);
	return ns;
}

/* 80 ACKs between two reports, as at 96 Mbit/s; the pilot's part is that of `elasticity`. */
static double governor_ns(double *sum)
{
	static u64 params[64];
	const struct weir_pilot_ops *pilot = weir_pilot_find("elasticity");
	weir_pilot_defaults(pilot, params);
	struct weir_governed *w = weir_governed_new(pilot, params, 1);
	void *state = calloc(1, weir_governed_ops.state_bytes);
	if (!w || !state)
		exit(1);
	struct weir_view v = {.now_ns = WEIR_NS_PER_S,
			      .srtt_ns = 70 * MS,
			      .min_rtt_ns = 50 * MS,
			      .inflight_bytes = 420000,
			      .initial_bytes = 14480,
			      .mss_bytes = 1448};
	struct weir_ack a = {.acked_bytes = 1448,
			     .rtt_ns = 70 * MS,
			     .sample_bytes = 420000,
			     .send_interval_ns = 70 * MS,
			     .ack_interval_ns = 70 * MS};
	struct weir_out o = {0};
	weir_governed_ops.init(state, w, &v, &o);
	double start_ns = cpu_ns();
	for (u32 i = 0; i < ACKS; i++) {
		v.now_ns += 125000;
		v.delivered_bytes += 1448;
		weir_governed_ops.on_ack(state, w, &v, &a, &o);
		*sum += (double)o.pacing_Bps;
	}
	double ns = (cpu_ns() - start_ns) / ACKS;
	free(state);
	weir_governed_free(w);
	return ns;
}

static double best(double a, double b)
{
	return a < b ? a : b;
}

int main(void)
{
	double sum = 0, detector = 1e9, governor = 1e9;
	for (u32 run = 0; run < RUNS; run++) {
		detector = best(detector, detector_ns(&sum));
		governor = best(governor, governor_ns(&sum));
	}
	printf("detector %.1f\ngovernor %.1f\n", detector, governor);
	for (u32 i = 0; i < weir_pilot_count(); i++) {
		double ns = 1e9;
		for (u32 run = 0; run < RUNS; run++)
			ns = best(ns, pilot_ns(weir_pilot_at(i), &sum));
		printf("pilot-%s %.1f\n", weir_pilot_at(i)->name, ns);
	}
	fprintf(stderr, "checksum %g\n", sum);
	return 0;
}

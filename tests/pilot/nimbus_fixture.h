/* SPDX-License-Identifier: MIT */
/* A nimbus and reports of a path that sends at S while others send at z. */
#ifndef TESTS_PILOT_NIMBUS_FIXTURE_H
#define TESTS_PILOT_NIMBUS_FIXTURE_H

#include "pilot/nimbus_state.h"
#include "pilot/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MS WEIR_NS_PER_MS
#define MU 12e6 /* 96 Mbit/s */

static struct nimbus pilot;
static struct nimbus_params params;
static const struct weir_pilot_ops *ops;
static struct weir_setpoint sp;
static u64 now_ns;

static inline void defaults(void)
{
	ops = weir_pilot_find("nimbus");
	assert_non_null(ops);
	weir_pilot_defaults(ops, (u64 *)&params);
	params.link_rate_Bps = (u64)MU;
	params.header_bytes = 0;
}

static inline void begin(u64 seed)
{
	memset(&pilot, 0, sizeof pilot);
	sp = (struct weir_setpoint){0};
	now_ns = 17 * WEIR_NS_PER_S;
	ops->init(&pilot, &params, seed, &sp);
}

/* A round trip of 60 ms, 10 of them in the queue. */
static inline struct weir_report report_of(double send_Bps, double z_Bps)
{
	now_ns += 10 * MS;
	return (struct weir_report){.now_ns = now_ns,
				    .interval_ns = 10 * MS,
				    .acked_bytes = (u64)(send_Bps * .01),
				    .rtt_n = 10,
				    .rtt_sum_ns = 10 * 60 * MS,
				    .sample_bytes = (u64)(send_Bps * .05),
				    .send_interval_ns = 50 * MS,
				    .ack_interval_ns = (u64)(50e6 * (send_Bps + z_Bps) / MU),
				    .srtt_ns = 60 * MS,
				    .min_rtt_ns = 50 * MS,
				    .latest_rtt_ns = 60 * MS,
				    .cwnd_bytes = (u64)(send_Bps * .06),
				    .base_Bps = (u64)send_Bps,
				    .mss_bytes = 1448};
}

static inline void give(const struct weir_report *r)
{
	ops->on_report(&pilot, &params, r, &sp);
}

static inline double wave(double hz)
{
	return weir_sin(WEIR_TWO_PI * hz * (double)now_ns * 1e-9);
}

/* `answer`: how much of our wave the others give way to: 0, inelastic, or about 1. */
static inline void step(double base_Bps, double z_Bps, double answer)
{
	double hz = sp.wave_period_ns ? 1e9 / (double)sp.wave_period_ns : 5;
	double sent = .1 * MU * wave(hz);
	struct weir_report r = report_of(base_Bps + sent, z_Bps - answer * sent + .005 * MU * wave(8.2));
	r.base_Bps = (u64)base_Bps;
	give(&r);
}

static inline void steps(u32 n, double base_Bps, double z_Bps, double answer)
{
	for (u32 i = 0; i < n; i++)
		step(base_Bps, z_Bps, answer);
}

#endif

/* SPDX-License-Identifier: MIT */
/* NimbusCC from the inside: its parameters, its state, and what its files ask of each other.
 *
 * Reference: "Elasticity Detection: A Building Block for Internet Congestion Control" (SIGCOMM 2022),
 * sections 4.1 (modes), 4.2 (several flows) and 6 (small shares). What the published code does beyond the
 * paper is there by name, and off unless asked for. */
#ifndef WEIR_PILOT_NIMBUS_STATE_H
#define WEIR_PILOT_NIMBUS_STATE_H

#include "core/fmath.h"
#include "core/rng.h"
#include "pilot/detector_state.h"
#include "pilot/mu.h"

enum nimbus_mode { NIMBUS_DELAY, NIMBUS_COMPETITIVE };
enum nimbus_role { NIMBUS_WATCHER, NIMBUS_PULSER };
enum nimbus_delay_law { NIMBUS_BASIC_DELAY, NIMBUS_COPA, NIMBUS_VEGAS };
enum nimbus_inner { NIMBUS_INNER_COMPETITIVE, NIMBUS_INNER_DELAY };

/* In the order of nimbus_param_table[]. */
struct nimbus_params {
	u64 delay_mode, competitive_mode;
	u64 link_rate_Bps, header_bytes, mu_window_ns, base_rtt_ns;
	u64 pulse_height_ratio, pulse_uhz, minimum_share;
	u64 threshold, window_ns, sample_ns, guard;
	u64 alpha, beta, delay_target_ns;
	u64 multi, competitive_uhz, delay_uhz, low_pass_ns, kappa, de_election, peak_presence;
	/* the published code's */
	u64 low_z, high_z, weak_response, smoothing, threshold_inelastic, dwell_ns, guard_above;
	u64 two_frequencies, seed_received, rate_floor, startup_rate_Bps, gentle_drain, start_hold_ns;
};

/* Rates of the last window, on the detector's grid. */
struct nimbus_past {
	double base_Bps[WEIR_DETECTOR_SAMPLES_MAX + 1], receive_Bps[WEIR_DETECTOR_SAMPLES_MAX + 1];
	u32 n, newest, count;
	u64 grid_ns;
};

struct nimbus {
	struct weir_detector detector;
	struct weir_elasticity seen;
	struct weir_mu mu;
	struct weir_rng rng;
	struct nimbus_past past;
	u8 mode, role; /* enum nimbus_mode, enum nimbus_role */
	bool begun, starting;
	u64 begun_ns, now_ns, switched_ns, elected_ns;
	bool drains; /* delay mode still empties the queue that competitive mode has left */
	u64 drain_look_ns;
	double drain_rtt_s; /* then */
	u64 share_since_ns; /* since when our share is large enough to pulse */
	u64 lost_ns;	    /* of the last loss */
	u64 heard_ns;	    /* when S and R were last brought by a report */
	double mu_Bps, base_Bps;
	double wave_hz, wave_Bps;	/* what we ask for; 0: none */
	double rtt_s, min_rtt_s;	/* x and x_min of eq. 4; 0: not known yet */
	double average_rtt_s;		/* over about the last quarter of a window */
	double wanted_Bps;		/* what eq. 4 asks for; 0 or more */
	double share_Bps;		/* base rate, of eq. 4 what it asks for; over about half a second */
	double lost_bytes, acked_bytes; /* sums that fade with the window */
	double rate_Bps;		/* of basic-delay */
	double drain_s;			/* gentle_drain: what the target still is above delay_target */
};

/* ---- nimbus_past.c ---- */
void weir_nimbus_past_init(struct nimbus_past *a, u32 samples);
/* Both rates stand from the last report on until now. */
void weir_nimbus_past_add(struct nimbus_past *a, u64 now_ns, u64 sample_ns, double base_Bps,
			  double receive_Bps);
/* Index of the rates of one window ago, or of the oldest that there are; false: none. */
bool weir_nimbus_past_oldest(const struct nimbus_past *a, u32 *index);

/* ---- nimbus_modes.c: how each mode drives ---- */
/* Eq. 4 by numbers: S + alpha (mu - S - z) + beta (mu / x) (x_min + d_t - x). */
double weir_nimbus_basic_delay_Bps(const struct nimbus_params *p, double mu_Bps, double send_Bps,
				   double z_Bps, double rtt_s, double min_rtt_s, double target_s);
/* From now on in this mode, with the seed that belongs to it. */
void weir_nimbus_enter(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
		       enum nimbus_mode mode, struct weir_setpoint *io);
/* The first setpoint. */
void weir_nimbus_start(struct nimbus *s, const struct nimbus_params *p, struct weir_setpoint *io);
/* What the mode in force asks for after this report. dt_s: since the last one. */
void weir_nimbus_drive(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
		       double dt_s, struct weir_setpoint *io);

/* ---- nimbus_choice.c: which mode ---- */
/* Section 6: below this share of mu a wave's trough is deeper than our rate, and there is none; 0 where the
 * rate is lifted instead, as by the published code. */
double weir_nimbus_least_share(const struct nimbus_params *p);
/* In a drain our rate says nothing about our share. */
bool weir_nimbus_drains(const struct nimbus *s);
bool weir_nimbus_share_is_small(const struct nimbus *s, const struct nimbus_params *p);
/* What the detector's verdict makes of the mode, for a flow that pulses or would if it could. */
enum nimbus_mode weir_nimbus_choose(const struct nimbus *s, const struct nimbus_params *p);

/* ---- nimbus_election.c: several flows (section 4.2) ---- */
/* Eq. 5: the probability of becoming the pulser within dt_s. */
double weir_nimbus_election_chance(const struct nimbus *s, const struct nimbus_params *p, double dt_s);
/* One report's worth of elections; returns the mode that follows. */
enum nimbus_mode weir_nimbus_elect(struct nimbus *s, const struct nimbus_params *p, double dt_s);

static inline double nimbus_ratio(u64 millionths)
{
	return (double)millionths * 1e-6;
}

/* A rate for a setpoint: whole bytes per second, bounded. */
static inline u64 nimbus_whole_Bps(double rate_Bps)
{
	return (u64)weir_cross_rate(rate_Bps);
}

static inline double nimbus_between(double low, double x, double high)
{
	return x > low ? x < high ? x : high : low;
}

#endif

/* SPDX-License-Identifier: MIT */
#include "pilot/nimbus_state.h"

/* What a flow without any knowledge of its path may send in a round trip (RFC 6928). */
#define INITIAL_PACKETS 10
/* A rate below is one at which nothing is learnt any more, and whose packets come too late for what follows.
 */
#define LEAST_PACKETS 4
#define MSS_MAX_BYTES 65536
/* As the controllers of cc/ have it: after so long a silence what was known about the path is old. */
#define RESTART_NS WEIR_NS_PER_S
/* No estimate asks for more than this many times the link's rate, and no seed for more than this many
 * round trips of it: eq. 4 stays far below, a broken estimate may not. */
#define MOST_MU 2
#define REPORT_NS (10 * WEIR_NS_PER_MS)
/* Long enough for a user-space host that is not scheduled for a while, and ten times shorter than the
 * detector's window: what would be steered so late was decided on another path. */
#define EXPIRY_NS (500 * WEIR_NS_PER_MS)
#define RTT_MAX_S 60.
/* Beside 89 % of inelastic traffic a queue shrinks by 27 ms a second while we send mu / 12. */
#define DRAIN_LOOK_NS (WEIR_NS_PER_S / 2)
#define DRAIN_LEAST_S .005
/* After the jump from a small share to a larger one: none of it belongs into a window. */
#define SETTLE_NS WEIR_NS_PER_S
#define STINT_NS WEIR_NS_PER_S

double weir_nimbus_basic_delay_Bps(const struct nimbus_params *p, double mu_Bps, double send_Bps,
				   double z_Bps, double rtt_s, double min_rtt_s, double target_s)
{
	return send_Bps + nimbus_ratio(p->alpha) * (mu_Bps - send_Bps - z_Bps) +
	       nimbus_ratio(p->beta) * (mu_Bps / rtt_s) * (min_rtt_s + target_s - rtt_s);
}

static double packets_a_round_Bps(const struct weir_report *r, double packets)
{
	double mss = r->mss_bytes ? nimbus_between(1, r->mss_bytes, MSS_MAX_BYTES) : 1448;
	double srtt_s = r->srtt_ns ? nimbus_between(1e-6, (double)r->srtt_ns * 1e-9, RTT_MAX_S) : .1;
	return packets * mss / srtt_s;
}

static double bounded(const struct nimbus *s, const struct weir_report *r, double rate_Bps)
{
	double least = packets_a_round_Bps(r, LEAST_PACKETS);
	double most = s->mu_Bps > 0 ? MOST_MU * s->mu_Bps : weir_cross_rate((double)r->base_Bps);
	return nimbus_between(least, rate_Bps, most > least ? most : least);
}

/* The window of a rate, for the competitive controller to begin with. */
static u64 window_of(const struct nimbus *s, const struct weir_report *r, double rate_Bps)
{
	double srtt_s = nimbus_between(1e-6, (double)r->srtt_ns * 1e-9, RTT_MAX_S);
	return nimbus_whole_Bps(bounded(s, r, rate_Bps) * srtt_s);
}

static void enter_competitive(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
			      struct weir_setpoint *io)
{
	u32 then;
	double rate_Bps = s->base_Bps;
	if (weir_nimbus_past_oldest(&s->past, &then))
		rate_Bps = p->seed_received ? s->past.receive_Bps[then] : s->past.base_Bps[then];
	io->inner = NIMBUS_INNER_COMPETITIVE;
	/* at least one byte: 0 would be a slow start */
	u64 window_bytes = window_of(s, r, rate_Bps);
	io->seed_cwnd_bytes = window_bytes ? window_bytes : 1;
	io->seeds++;
}

static void enter_delay(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
			struct weir_setpoint *io)
{
	if (p->delay_mode != NIMBUS_BASIC_DELAY) {
		io->inner = NIMBUS_INNER_DELAY;
		u64 window_bytes = nimbus_whole_Bps((double)r->cwnd_bytes);
		io->seed_cwnd_bytes = window_bytes ? window_bytes : 1;
		io->seeds++;
		return;
	}
	io->inner = WEIR_SETPOINT_RATE;
	s->rate_Bps = s->wanted_Bps = bounded(s, r, s->base_Bps);
	double target_s = (double)p->delay_target_ns * 1e-9, above_s = s->average_rtt_s - s->min_rtt_s;
	s->drain_s = p->gentle_drain && above_s > target_s ? above_s - target_s : 0;
}

void weir_nimbus_enter(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
		       enum nimbus_mode mode, struct weir_setpoint *io)
{
	/* only what competed for a while has filled a queue that is worth waiting for */
	u64 since_ns = s->switched_ns ? s->switched_ns : s->begun_ns;
	if (mode == NIMBUS_DELAY && r->now_ns - since_ns > STINT_NS) {
		s->drains = true;
		s->drain_look_ns = r->now_ns;
		s->drain_rtt_s = s->rtt_s;
	}
	s->mode = (u8)mode;
	s->switched_ns = r->now_ns;
	s->starting = false;
	if (mode == NIMBUS_COMPETITIVE)
		enter_competitive(s, p, r, io);
	else
		enter_delay(s, p, r, io);
}

/* One flow begins in competitive mode, for the first window; among several each begins in delay mode, as a
 * watcher (section 4.2). Eq. 4 has nothing to begin with: a slow start leads it to the first queue. */
void weir_nimbus_start(struct nimbus *s, const struct nimbus_params *p, struct weir_setpoint *io)
{
	s->mode = p->multi ? NIMBUS_DELAY : NIMBUS_COMPETITIVE;
	s->role = p->multi ? NIMBUS_WATCHER : NIMBUS_PULSER;
	s->starting = (p->multi && p->delay_mode == NIMBUS_BASIC_DELAY) || p->startup_rate_Bps;
	io->inner =
	    p->multi && p->delay_mode != NIMBUS_BASIC_DELAY ? NIMBUS_INNER_DELAY : NIMBUS_INNER_COMPETITIVE;
	if (p->startup_rate_Bps) {
		io->inner = WEIR_SETPOINT_RATE;
		io->rate_Bps = p->startup_rate_Bps;
	}
	/* also where there is no wave: a mode must not change its manners with each loss of share */
	io->paced = 1;
	io->report_ns = REPORT_NS;
	io->expiry_ns = EXPIRY_NS;
}

/* The published code's first second at a fixed rate, or a slow start before eq. 4. */
static void begin(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
		  struct weir_setpoint *io)
{
	if (p->startup_rate_Bps) {
		if (r->now_ns - s->begun_ns < WEIR_NS_PER_S)
			return;
		s->starting = false;
		if (s->mode == NIMBUS_DELAY) {
			enter_delay(s, p, r, io);
			return;
		}
		io->inner = NIMBUS_INNER_COMPETITIVE;
		io->seed_cwnd_bytes = 0;
		io->seeds++;
		return;
	}
	double queue_s = s->rtt_s - s->min_rtt_s;
	if (queue_s <= (double)p->delay_target_ns * 1e-9 && !r->lost_bytes &&
	    !(r->flags & WEIR_REPORT_TIMEOUT))
		return;
	s->starting = false;
	enter_delay(s, p, r, io);
}

/* A queue that does not shrink while we hardly send is not ours: the others fill it up. */
static void look_at_drain(struct nimbus *s, u64 now_ns, double target_rtt_s)
{
	if (s->rtt_s <= target_rtt_s)
		s->drains = false;
	if (now_ns - s->drain_look_ns < DRAIN_LOOK_NS)
		return;
	if (s->rtt_s > s->drain_rtt_s - DRAIN_LEAST_S)
		s->drains = false;
	s->drain_look_ns = now_ns;
	s->drain_rtt_s = s->rtt_s;
}

/* Eq. 4 with each report that brings S and R. Between z of eq. 1 and what it steers stands no test for a
 * queue: without one S is R, z is all that we do not use, and only the last term moves the rate. */
static void basic_delay(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
			double dt_s)
{
	struct weir_cross c;
	weir_cross_read(r, s->mu_Bps, &c);
	if (r->flags & WEIR_REPORT_TIMEOUT)
		s->rate_Bps = bounded(s, r, s->rate_Bps / 2);
	if (c.use == WEIR_CROSS_MISSING || s->mu_Bps <= 0 || s->rtt_s <= 0)
		return;
	if (s->heard_ns && r->now_ns > s->heard_ns && r->now_ns - s->heard_ns > RESTART_NS) {
		s->rate_Bps = bounded(s, r, packets_a_round_Bps(r, INITIAL_PACKETS));
		return;
	}
	if (c.use == WEIR_CROSS_APP_LIMITED) {
		/* an unused rate is not kept for long: at most twice what was used (as RFC 7661) */
		double least = packets_a_round_Bps(r, INITIAL_PACKETS);
		double most = 2 * c.send_Bps > least ? 2 * c.send_Bps : least;
		s->rate_Bps = bounded(s, r, s->rate_Bps < most ? s->rate_Bps : most);
		return;
	}
	double z_Bps = nimbus_between(0, weir_cross_z_Bps(s->mu_Bps, c.send_Bps, c.receive_Bps), s->mu_Bps);
	double target_s = (double)p->delay_target_ns * 1e-9 + s->drain_s;
	s->drain_s = nimbus_between(0, s->drain_s - s->min_rtt_s * dt_s, RTT_MAX_S);
	s->wanted_Bps = bounded(
	    s, r,
	    weir_nimbus_basic_delay_Bps(p, s->mu_Bps, c.send_Bps, z_Bps, s->rtt_s, s->min_rtt_s, target_s));
	/* the wave goes on while a queue is drained, or eta would begin anew after each change of mode */
	double least_Bps = weir_nimbus_least_share(p) * s->mu_Bps;
	s->rate_Bps = s->wanted_Bps > least_Bps ? s->wanted_Bps : bounded(s, r, least_Bps);
}

static void wave(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
		 struct weir_setpoint *io)
{
	u64 uhz = p->pulse_uhz;
	if (p->multi || p->two_frequencies)
		uhz = s->mode == NIMBUS_DELAY ? p->delay_uhz : p->competitive_uhz;
	double wave_Bps = nimbus_ratio(p->pulse_height_ratio) * s->mu_Bps;
	bool pulses = s->role == NIMBUS_PULSER && uhz && nimbus_whole_Bps(wave_Bps) &&
		      r->now_ns - s->share_since_ns >= (s->share_since_ns ? SETTLE_NS : 0) &&
		      !weir_nimbus_share_is_small(s, p) && !(s->starting && p->startup_rate_Bps);
	s->wave_hz = pulses ? (double)uhz * 1e-6 : 0;
	s->wave_Bps = pulses ? wave_Bps : 0;
	io->wave_period_ns = pulses ? 1000000 * WEIR_NS_PER_S / uhz : 0;
	io->wave_amplitude_Bps = nimbus_whole_Bps(s->wave_Bps);
}

void weir_nimbus_drive(struct nimbus *s, const struct nimbus_params *p, const struct weir_report *r,
		       double dt_s, struct weir_setpoint *io)
{
	if (s->drains)
		look_at_drain(s, r->now_ns, s->min_rtt_s + s->drain_s + (double)p->delay_target_ns * 1e-9);
	if (s->starting)
		begin(s, p, r, io);
	else if (io->inner == WEIR_SETPOINT_RATE)
		basic_delay(s, p, r, dt_s);
	if (io->inner == WEIR_SETPOINT_RATE && !s->starting) {
		u64 rate_Bps = nimbus_whole_Bps(s->rate_Bps);
		io->rate_Bps = rate_Bps ? rate_Bps : 1;
	}
	double floor_Bps = nimbus_ratio(p->rate_floor) * s->mu_Bps,
	       least = packets_a_round_Bps(r, LEAST_PACKETS);
	io->floor_Bps = nimbus_whole_Bps(floor_Bps > least ? floor_Bps : least);
	io->low_pass_ns = s->role == NIMBUS_WATCHER ? p->low_pass_ns : 0;
	wave(s, p, r, io);
}

/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* BBR, version 1: paces at the largest rate of delivery, with a window of two of the path's products.
 *
 * Reference: N. Cardwell, Y. Cheng, C. S. Gunn, S. H. Yeganeh, V. Jacobson, "BBR: Congestion-Based Congestion
 * Control", ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00, 2017;
 * draft-cheng-iccrg-delivery-rate-estimation-00, 2017.
 *
 * Model: bw = the largest rate sample of ten rounds; min RTT = the smallest of ten seconds; BDP = their
 * product. STARTUP    paces at 2/ln 2 bw until bw has not grown by a quarter in three rounds: the pipe is
 * full DRAIN      paces at ln 2 / 2 bw until no more than a BDP is in flight PROBE_BW   phases of a min
 * RTT: 1.25, .75, then six of 1; 1.25 until so much is in flight or something is lost, .75 until a BDP is; it
 * begins with a random one, but not .75 PROBE_RTT  where the min RTT was not seen for ten seconds: four
 * packets for 200 ms and a round The window is cwnd_gain BDP and a little more for bursts of the sender
 * (three of a millisecond, whole pairs of packets) and for clumps of ACKs (core/aggregation.h). 1 % is taken
 * from the rate so that a queue drains. In the first round of the repair of losses as much leaves as arrives;
 * then the window comes back. A token bucket is seen by its losses (core/policer.h).
 *
 *   constant      value        reason
 *   startup_gain  2.885390     2/ln 2: the least that doubles the rate of delivery in a round
 *   cwnd_gain     2            ACKs may come late by as much as the path's own round trip
 *   min_rtt_window, probe_rtt  10 s, 200 ms: 2 % of the time
 *
 * Deliberate deviations:
 * 1. The random first phase is a hash of min RTT, rate and bytes delivered: a run stays the same run.
 * 2. Only rounds of a busy sender age the filter (not those of a trickle, not those of PROBE_RTT); it reaches
 *    back 7/8 to all of ten (core/recent.h).
 * 3. While the min RTT is probed the old one holds; the smallest seen there follows. The draft takes the
 *    sample that comes when ten seconds are over, with its queue.
 * 4. Rounds are the endpoint's; that of packet conservation is a smoothed RTT. What is lost amid a repair
 *    begins no other.
 * 5. After a timeout the window comes back by what is acknowledged (the draft restores it with the repair).
 * 6. ECN is not answered, as in the paper. */
#ifndef WEIR_CC_BBR_H
#define WEIR_CC_BBR_H

#include "core/aggregation.h"
#include "core/base_rtt.h"
#include "core/full_pipe.h"
#include "core/policer.h"
#include "core/recent.h"

enum bbr_mode { BBR_STARTUP, BBR_DRAIN, BBR_PROBE_BW, BBR_PROBE_RTT };

#define BBR_PHASES 8
#define BBR_BW_ROUNDS 10
#define BBR_PACING_MARGIN 100 /* the hundredth part */
#define BBR_WINDOW_MIN_PACKETS 4
#define BBR_RATE_MAX_Bps (1ULL << 48)
#define BBR_QUANTUM_MAX_BYTES 65536ULL /* a super-packet */

struct bbr {
	u64 cwnd_bytes, prior_cwnd_bytes; /* prior: before repair or PROBE_RTT */
	u64 pacing_Bps;
	struct weir_recent bw; /* time in 1/8 of a round */
	u64 bw_rounds;
	u64 phase_at_ns, repair_at_ns;
	u64 lost_bytes, lost_now_bytes; /* in all; since the last ACK */
	struct weir_base_rtt rtt;
	struct weir_full_pipe pipe;
	struct weir_policer policer;
	struct weir_aggregation aggregation;
	u32 pacing_gain; /* millionths */
	u8 mode, phase;
	u8 repairing, conserving;
	u8 limited_rounds; /* rounds whose samples are PROBE_RTT's own */
	u8 after_idle, rtt_seen;
};
_Static_assert(sizeof(struct bbr) <= WEIR_CC_MAX_BYTES, "bbr fits in a socket's storage");

struct bbr_params {
	u64 startup_gain, cwnd_gain;
	u64 min_rtt_window_ns, probe_rtt_ns, lt_bw;
};

#ifndef __BPF__
static const struct weir_param bbr_param_table[] = {
    {"startup_gain", "ratio", 2885390, 1010000, 100 * WEIR_RATIO_ONE, "2 / ln 2; DRAIN paces by its inverse"},
    {"cwnd_gain", "ratio", 2 * WEIR_RATIO_ONE, WEIR_RATIO_ONE / 2, 100 * WEIR_RATIO_ONE,
     "BDPs in the window"},
    {"min_rtt_window", "ns", 10 * WEIR_NS_PER_S, WEIR_NS_PER_MS, 3600 * WEIR_NS_PER_S,
     "without the min RTT seen again, then it is probed"},
    {"probe_rtt", "ns", 200 * WEIR_NS_PER_MS, 0, 60 * WEIR_NS_PER_S, "at four packets, to see the min RTT"},
    {"lt_bw", "flag", 1, 0, 1, "look for a token bucket and keep its rate"},
};
static const struct weir_signal bbr_signal_table[] = {
    {"mode", ""}, /* enum bbr_mode */
    {"bandwidth", "Bps"}, {"min_rtt", "ns"},	   {"pacing_gain", "ratio"},
    {"policed", "flag"},  {"aggregated", "bytes"}, {"full", "flag"},
};
#endif

/* ---- the model ---- */

WEIR_CORE u64 bbr_bw_Bps(const struct bbr *s)
{
	return s->policer.in_use ? s->policer.rate_Bps : weir_recent_max(&s->bw);
}

WEIR_CORE u64 bbr_pacing_gain(const struct bbr *s, const struct bbr_params *p)
{
	if (s->mode == BBR_STARTUP)
		return p->startup_gain;
	if (s->mode == BBR_DRAIN)
		return WEIR_RATIO_ONE * WEIR_RATIO_ONE / weir_max(p->startup_gain, 1);
	if (s->mode == BBR_PROBE_RTT || s->policer.in_use || s->phase > 1)
		return WEIR_RATIO_ONE;
	return s->phase ? 3 * WEIR_RATIO_ONE / 4 : 5 * WEIR_RATIO_ONE / 4;
}

/* That of PROBE_RTT does not matter. */
WEIR_CORE u64 bbr_cwnd_gain(const struct bbr *s, const struct bbr_params *p)
{
	return s->mode < BBR_PROBE_BW ? p->startup_gain : p->cwnd_gain;
}

/* A burst of the sender: whole packets of a millisecond, two at least; one on the slowest paths. */
WEIR_CORE u64 bbr_quantum_bytes(const struct bbr *s, u64 mss_bytes)
{
	if (s->pacing_Bps < 150000)
		return mss_bytes;
	u64 packets = weir_min(s->pacing_Bps >> 10, BBR_QUANTUM_MAX_BYTES) / mss_bytes;
	return weir_max(packets, 2) * mss_bytes;
}

/* What `gain` BDPs need in flight; the initial window while nothing is known. */
WEIR_CORE u64 bbr_inflight_bytes(const struct bbr *s, const struct weir_view *v, u64 gain)
{
	u64 mss = weir_window_mss(v), bw = bbr_bw_Bps(s);
	if (!s->rtt.min_ns || !bw)
		return weir_window_initial(v);
	u64 bdp = weir_min(weir_muldiv(bw, s->rtt.min_ns, WEIR_NS_PER_S), WEIR_WINDOW_MAX_BYTES / 2);
	u64 bytes = weir_min(weir_muldiv(bdp, gain, WEIR_RATIO_ONE), WEIR_WINDOW_MAX_BYTES / 2);
	bytes += 3 * bbr_quantum_bytes(s, mss) + 2 * mss - 1;
	bytes -= bytes % (2 * mss);
	/* so that the probe of a small BDP is one */
	return s->mode == BBR_PROBE_BW && s->phase == 0 ? bytes + 2 * mss : bytes;
}

WEIR_CORE void bbr_begin_phase(struct bbr *s, const struct weir_view *v, u32 phase)
{
	s->mode = BBR_PROBE_BW;
	s->phase = phase % BBR_PHASES;
	s->phase_at_ns = v->now_ns;
}

WEIR_CORE void bbr_enter_probe_bw(struct bbr *s, const struct weir_view *v)
{
	u64 mixed = (s->rtt.min_ns ^ (v->delivered_bytes << 20) ^ bbr_bw_Bps(s)) * 0x9e3779b97f4a7c15ULL;
	bbr_begin_phase(s, v, 2 + (u32)((mixed >> 32) % (BBR_PHASES - 1)));
}

WEIR_CORE void bbr_take_rate(struct bbr *s, const struct weir_view *v)
{
	bool round = v->flags & WEIR_ROUND_START, limited = v->flags & WEIR_APP_LIMITED || s->limited_rounds;
	u64 rate = weir_min(v->delivery_Bps, BBR_RATE_MAX_Bps);
	if (round && s->limited_rounds && s->mode != BBR_PROBE_RTT)
		s->limited_rounds--;
	if (limited && rate < weir_recent_max(&s->bw))
		return;
	if (round && !limited)
		s->bw_rounds++;
	weir_recent_add_max(&s->bw, s->bw_rounds * WEIR_RECENT_PARTS, BBR_BW_ROUNDS * WEIR_RECENT_PARTS,
			    rate);
}

WEIR_CORE void bbr_take_policer(struct bbr *s, const struct bbr_params *p, const struct weir_view *v)
{
	if (!p->lt_bw)
		return;
	if (!s->policer.in_use)
		weir_policer_sample(&s->policer, v, s->lost_bytes, s->lost_now_bytes != 0);
	else if (s->mode == BBR_PROBE_BW && v->flags & WEIR_ROUND_START && !weir_policer_holds(&s->policer))
		bbr_enter_probe_bw(s, v);
}

/* ---- the modes ---- */

WEIR_CORE void bbr_check_phase(struct bbr *s, const struct bbr_params *p, const struct weir_view *v,
			       u64 acked_bytes)
{
	if (s->mode != BBR_PROBE_BW)
		return;
	u64 gain = bbr_pacing_gain(s, p);
	u64 inflight = weir_add(v->inflight_bytes, weir_add(acked_bytes, s->lost_now_bytes));
	bool over = weir_sub(v->now_ns, s->phase_at_ns) > s->rtt.min_ns;
	if (gain > WEIR_RATIO_ONE)
		over = over && (s->lost_now_bytes || inflight >= bbr_inflight_bytes(s, v, gain));
	else if (gain < WEIR_RATIO_ONE)
		over = over || inflight <= bbr_inflight_bytes(s, v, WEIR_RATIO_ONE);
	if (over)
		bbr_begin_phase(s, v, s->phase + 1U);
}

WEIR_CORE void bbr_check_full(struct bbr *s, const struct weir_view *v)
{
	if (v->flags & WEIR_ROUND_START && !(v->flags & WEIR_APP_LIMITED) && !s->limited_rounds)
		weir_full_pipe_round(&s->pipe, weir_recent_max(&s->bw));
	if (s->mode == BBR_STARTUP && s->pipe.full)
		s->mode = BBR_DRAIN;
	if (s->mode == BBR_DRAIN && v->inflight_bytes <= bbr_inflight_bytes(s, v, WEIR_RATIO_ONE))
		bbr_enter_probe_bw(s, v);
}

/* What repair or PROBE_RTT takes is given back after it. */
WEIR_CORE void bbr_save_cwnd(struct bbr *s)
{
	bool taken = s->repairing || s->mode == BBR_PROBE_RTT;
	s->prior_cwnd_bytes = taken ? weir_max(s->prior_cwnd_bytes, s->cwnd_bytes) : s->cwnd_bytes;
}

WEIR_CORE void bbr_hold_probe_rtt(struct bbr *s, const struct bbr_params *p, const struct weir_view *v)
{
	bool few = v->inflight_bytes <= BBR_WINDOW_MIN_PACKETS * weir_window_mss(v);
	s->limited_rounds = 2; /* after it: what is in flight then, and the rest of that round */
	if (!weir_base_rtt_hold(&s->rtt, v, few, p->probe_rtt_ns))
		return;
	s->cwnd_bytes = weir_max(s->cwnd_bytes, s->prior_cwnd_bytes);
	s->mode = BBR_STARTUP;
	if (s->pipe.full)
		bbr_enter_probe_bw(s, v);
}

WEIR_CORE void bbr_take_rtt(struct bbr *s, const struct bbr_params *p, const struct weir_view *v, u64 rtt_ns)
{
	if (weir_base_rtt_take(&s->rtt, v->now_ns, rtt_ns, p->min_rtt_window_ns, s->after_idle)) {
		bbr_save_cwnd(s);
		s->mode = BBR_PROBE_RTT;
	}
	if (s->mode == BBR_PROBE_RTT)
		bbr_hold_probe_rtt(s, p, v);
	s->after_idle = 0;
}

/* ---- what it says ---- */

WEIR_CORE void bbr_pace(struct bbr *s, const struct weir_view *v, u64 gain)
{
	u64 bw = bbr_bw_Bps(s);
	if (!s->rtt_seen && v->srtt_ns) {
		s->rtt_seen = 1;
		bw = weir_muldiv(weir_window_initial(v), WEIR_NS_PER_S, v->srtt_ns);
		s->pacing_Bps = weir_clamp(weir_muldiv(bw, gain, WEIR_RATIO_ONE), 1, BBR_RATE_MAX_Bps);
	} else if (bw) {
		u64 rate = weir_min(weir_muldiv(bw, gain, WEIR_RATIO_ONE), BBR_RATE_MAX_Bps);
		rate = weir_max(rate - rate / BBR_PACING_MARGIN, 1);
		if (s->pipe.full || rate > s->pacing_Bps)
			s->pacing_Bps = rate;
	}
}

WEIR_CORE void bbr_check_repair(struct bbr *s, const struct weir_view *v)
{
	if (s->repairing && !(v->flags & WEIR_RECOVERY)) {
		s->repairing = s->conserving = 0;
		s->cwnd_bytes = weir_max(s->cwnd_bytes, s->prior_cwnd_bytes);
	}
	if (weir_sub(v->now_ns, s->repair_at_ns) >= v->srtt_ns)
		s->conserving = 0;
}

WEIR_CORE void bbr_size(struct bbr *s, const struct bbr_params *p, const struct weir_view *v, u64 acked_bytes)
{
	u64 mss = weir_window_mss(v), least = BBR_WINDOW_MIN_PACKETS * mss;
	u64 target = bbr_inflight_bytes(s, v, bbr_cwnd_gain(s, p));
	if (s->pipe.full)
		target = weir_add(target, weir_aggregation_bytes(&s->aggregation, bbr_bw_Bps(s)));
	bbr_check_repair(s, v);
	u64 cwnd = weir_max(weir_sub(s->cwnd_bytes, s->lost_now_bytes), mss);
	if (s->conserving)
		cwnd = weir_max(cwnd, weir_add(v->inflight_bytes, acked_bytes));
	else if (s->pipe.full)
		cwnd = weir_min(weir_add(cwnd, acked_bytes), target);
	else if (cwnd < target || v->delivered_bytes < weir_window_initial(v))
		cwnd = weir_add(cwnd, acked_bytes);
	cwnd = weir_max(cwnd, least);
	s->cwnd_bytes = weir_min(s->mode == BBR_PROBE_RTT ? least : cwnd, WEIR_WINDOW_MAX_BYTES);
}

WEIR_CORE void bbr_say(const struct bbr *s, struct weir_out *o)
{
	o->cwnd_bytes = s->cwnd_bytes;
	o->pacing_Bps = s->pacing_Bps;
}

/* ---- callbacks ---- */

WEIR_CORE void bbr_init(struct bbr *s, const struct bbr_params *p, const struct weir_view *v,
			struct weir_out *o)
{
	s->cwnd_bytes = s->prior_cwnd_bytes = weir_window_initial(v);
	weir_recent_init(&s->bw, 0);
	weir_policer_reset(&s->policer);
	weir_aggregation_init(&s->aggregation, v->now_ns);
	weir_base_rtt_init(&s->rtt, v->now_ns);
	weir_full_pipe_again(&s->pipe);
	s->bw_rounds = s->lost_bytes = s->lost_now_bytes = 0;
	s->phase_at_ns = s->repair_at_ns = v->now_ns;
	s->mode = BBR_STARTUP;
	s->pipe.full = s->phase = s->repairing = s->conserving = s->limited_rounds = s->after_idle = 0;
	s->pacing_gain = (u32)p->startup_gain;
	s->rtt_seen = v->srtt_ns != 0;
	u64 nominal = weir_muldiv(s->cwnd_bytes, WEIR_NS_PER_S, v->srtt_ns ? v->srtt_ns : WEIR_NS_PER_MS);
	s->pacing_Bps =
	    weir_clamp(weir_muldiv(nominal, p->startup_gain, WEIR_RATIO_ONE), 1, BBR_RATE_MAX_Bps);
	bbr_say(s, o);
}

/* In BPF apart, where a pointer might be NULL and must be one that could be written through. */
WEIR_CORE_APART u64 bbr_ack(struct bbr *s, const struct bbr_params *p, const struct weir_view *v,
			    const struct weir_ack *a, struct weir_out *o)
{
	if (!s || !p || !v || !a || !o)
		return 0;
	bbr_take_rate(s, v);
	bbr_take_policer(s, p, v);
	weir_aggregation_on_ack(&s->aggregation, v, a->acked_bytes, bbr_bw_Bps(s), s->cwnd_bytes);
	bbr_check_phase(s, p, v, a->acked_bytes);
	bbr_check_full(s, v);
	bbr_take_rtt(s, p, v, a->rtt_ns);
	s->pacing_gain = (u32)bbr_pacing_gain(s, p);
	bbr_pace(s, v, s->pacing_gain);
	bbr_size(s, p, v, a->acked_bytes);
	s->lost_now_bytes = 0;
	bbr_say(s, o);
	return 1;
}

WEIR_CORE void bbr_on_ack(struct bbr *s, const struct bbr_params *p, const struct weir_view *v,
			  const struct weir_ack *a, struct weir_out *o)
{
	struct bbr_params own = *p;
	bbr_ack(s, &own, v, a, o);
}

WEIR_CORE void bbr_on_loss(struct bbr *s, const struct bbr_params *p, const struct weir_view *v,
			   const struct weir_loss *l, struct weir_out *o)
{
	(void)p;
	if (l->kind == WEIR_LOSS_PACKET) {
		s->lost_bytes += l->lost_bytes;
		s->lost_now_bytes = weir_add(s->lost_now_bytes, l->lost_bytes);
		if (l->flags & WEIR_NEW_EPISODE && !s->repairing) {
			bbr_save_cwnd(s);
			s->repairing = s->conserving = 1;
			s->repair_at_ns = v->now_ns;
			u64 flight = weir_add(v->inflight_bytes, weir_window_mss(v));
			s->cwnd_bytes = weir_min(s->cwnd_bytes, flight);
		}
	} else if (l->kind == WEIR_LOSS_SPURIOUS) {
		s->repairing = s->conserving = 0;
		weir_full_pipe_again(&s->pipe);
		s->cwnd_bytes = weir_max(s->cwnd_bytes, s->prior_cwnd_bytes);
		weir_policer_reset(&s->policer);
	}
	bbr_say(s, o);
}

WEIR_CORE void bbr_on_timeout(struct bbr *s, const struct bbr_params *p, const struct weir_view *v,
			      struct weir_out *o)
{
	(void)p;
	bbr_save_cwnd(s);
	s->repairing = s->conserving = 0;
	weir_full_pipe_again(&s->pipe);
	s->cwnd_bytes = weir_window_mss(v);
	bbr_say(s, o);
}

/* The next samples show the path without our queue. What the silence left room for leaves at its rate. */
WEIR_CORE void bbr_on_idle(struct bbr *s, const struct bbr_params *p, const struct weir_view *v, u64 idle_ns,
			   struct weir_out *o)
{
	(void)idle_ns;
	if (v->flags & WEIR_APP_LIMITED)
		s->after_idle = 1;
	if (s->mode == BBR_PROBE_BW)
		bbr_pace(s, v, WEIR_RATIO_ONE);
	else if (s->mode == BBR_PROBE_RTT)
		bbr_hold_probe_rtt(s, p, v);
	bbr_say(s, o);
}

WEIR_CORE void bbr_probe(const struct bbr *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = s->mode;
	value[1] = bbr_bw_Bps(s);
	value[2] = s->rtt.min_ns;
	value[3] = s->pacing_gain;
	value[4] = s->policer.in_use;
	value[5] = weir_aggregation_bytes(&s->aggregation, bbr_bw_Bps(s));
	value[6] = s->pipe.full;
}

WEIR_BIND_ON_IDLE(bbr);
WEIR_CONTROLLER(
    bbr, "bbr", .needs = WEIR_NEED_RATE | WEIR_NEED_OWN_REPAIR,
    .about = "Paces at the largest rate of delivery, with two bandwidth-delay products in flight.",
    .source = "Cardwell et al. 2016", .on_idle = bbr_bound_on_idle);

#endif

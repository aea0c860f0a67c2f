/* SPDX-License-Identifier: MIT */
/* What the historic endpoint sends, and when. Where it deviates from the code of its time:
 * - Segments stay where the first transmission cut them: a window that ends inside a segment waits for its
 *   rest, also when sending again. The original sent the piece.
 * - A last short segment does not wait until all before it is acknowledged (Nagle, RFC 896).
 * - It gives up after so many timeouts without any news. With Karn's rule the original counted those since
 * the last measurement, which at the end of a transfer, where nothing new is left to be timed, may never
 * come.
 * - Nobody closes the window here, so there is no persist timer; nor is there one for keep-alive. */
#include "bsd43.h"

#define DOUBT_AFTER (WEIR_BSD43_TIMEOUTS_MAX / 4)

struct weir_bsd43_config weir_bsd43_of_era(enum weir_era era)
{
	bool later = era == WEIR_ERA_1988;
	return (struct weir_bsd43_config){
	    .rtt_variance = later ? WEIR_VARIANCE_2V : WEIR_VARIANCE_NONE,
	    .exponential_backoff = later,
	    .slow_start = later,
	    .dynamic_window = later,
	    .karn = later,
	    .fast_retransmit = later,
	};
}

static u32 offered_bytes(u32 window)
{
	return (u32)weir_min((u64)window << WEIR_WINDOW_SHIFT, WEIR_BSD43_WINDOW_MAX);
}

void weir_bsd43_init(struct weir_bsd43 *s, const struct weir_endpoint_config *e,
		     const struct weir_bsd43_config *c, u64 now_ns)
{
	u64 initial_bytes = weir_max(e->initial_window_packets, 1) * e->mss_bytes;
	*s = (struct weir_bsd43){
	    .una = e->first_sequence,
	    .nxt = e->first_sequence,
	    .max = e->first_sequence,
	    .app_end = e->first_sequence,
	    .first_sequence = e->first_sequence,
	    .mss_bytes = e->mss_bytes,
	    .window_bytes = offered_bytes(weir_endpoint_window(e)),
	    .cwnd_bytes = WEIR_BSD43_WINDOW_MAX,
	    .ssthresh_bytes = WEIR_BSD43_WINDOW_MAX,
	    .initial_window_bytes = (u32)weir_min(initial_bytes, WEIR_BSD43_WINDOW_MAX),
	    .config = *c,
	};
	if (c->slow_start)
		s->cwnd_bytes = s->initial_window_bytes;
	s->active_tick = weir_bsd43_tick(s, now_ns);
	weir_bsd43_rtt_init(s);
}

void weir_bsd43_written(struct weir_bsd43 *s, u64 total_bytes)
{
	s->app_end = weir_add(s->first_sequence, total_bytes);
}

bool weir_bsd43_done(const struct weir_bsd43 *s)
{
	return s->dropped || s->una == s->app_end;
}

/* ---- the window ---- */

/* Growth with an ACK of new data, in bytes. */
static void open_window(struct weir_bsd43 *s)
{
	const struct weir_bsd43_config *c = &s->config;
	u32 more_bytes = 0;
	if (c->slow_start && s->cwnd_bytes < s->ssthresh_bytes)
		more_bytes = s->mss_bytes;
	else if (c->dynamic_window)
		more_bytes = (u32)weir_max(s->mss_bytes * s->mss_bytes / s->cwnd_bytes, 1);
	else if (!c->slow_start)
		more_bytes = s->cwnd_bytes / 10; /* recovers from a source quench */
	s->cwnd_bytes = (u32)weir_min(s->cwnd_bytes + more_bytes, WEIR_BSD43_WINDOW_MAX);
}

static void close_window(struct weir_bsd43 *s)
{
	if (s->config.dynamic_window)
		s->ssthresh_bytes = (u32)weir_max(weir_bsd43_window(s) / 2 / s->mss_bytes, 2) * s->mss_bytes;
	if (s->config.slow_start)
		s->cwnd_bytes = s->mss_bytes;
	else if (s->config.dynamic_window)
		s->cwnd_bytes = s->ssthresh_bytes;
}

void weir_bsd43_on_quench(struct weir_bsd43 *s)
{
	u64 outstanding_bytes = s->max - s->una;
	s->cwnd_bytes = s->mss_bytes;
	if (!s->config.slow_start)
		s->cwnd_bytes = (u32)weir_max(8 * outstanding_bytes / 10, s->mss_bytes);
}

/* Silence for a timeout's time: what the window once learned of the path holds no longer. */
static void restart_after_idle(struct weir_bsd43 *s, u64 tick)
{
	bool idle = s->una == s->max && s->max != s->first_sequence;
	if (s->config.slow_start && idle && tick - s->active_tick >= s->rto_ticks)
		s->cwnd_bytes = (u32)weir_min(s->cwnd_bytes, s->initial_window_bytes);
}

/* ---- sending ---- */

static void start_timer(struct weir_bsd43 *s, u64 tick)
{
	if (!s->config.karn) {
		s->shift = 0;
		s->rto_ticks = weir_bsd43_rtt_rto(s);
	}
	s->deadline_tick = tick + s->rto_ticks;
}

static void send(struct weir_bsd43 *s, u64 now_ns, u64 seq, u32 bytes, struct weir_segment *out)
{
	u64 tick = weir_bsd43_tick(s, now_ns);
	u8 attempt = 0;
	if (seq < s->max) {
		attempt = (u8)weir_min(1U + s->shift, WEIR_ATTEMPT_MAX);
		s->retransmitted_packets++;
	} else if (s->timed_tick == 0) {
		s->timed_tick = tick;
		s->timed_ns = now_ns;
		s->timed_seq = seq;
	}
	if (s->deadline_tick == 0)
		start_timer(s, tick);
	s->max = weir_max(s->max, seq + bytes);
	s->active_tick = tick;
	s->sent_packets++;
	s->sent_bytes += bytes;
	*out = (struct weir_segment){.seq = seq, .bytes = bytes, .attempt = attempt};
}

bool weir_bsd43_poll(struct weir_bsd43 *s, u64 now_ns, struct weir_segment *out)
{
	if (s->dropped)
		return false;
	if (s->resend) {
		s->resend = false;
		send(s, now_ns, s->una, (u32)weir_min(s->mss_bytes, s->max - s->una), out);
		return true;
	}
	if (s->single && s->nxt != s->una)
		return false;
	restart_after_idle(s, weir_bsd43_tick(s, now_ns));
	u64 limit = weir_min(s->app_end, s->una + weir_bsd43_window(s));
	if (s->nxt >= limit)
		return false;
	u64 bytes = weir_min(s->mss_bytes, limit - s->nxt);
	if (bytes < s->mss_bytes && s->nxt + bytes != s->app_end)
		return false;
	send(s, now_ns, s->nxt, (u32)bytes, out);
	s->nxt += bytes;
	return true;
}

/* ---- acknowledgements ---- */

/* The third duplicate in a row says that a segment was lost and that later ones arrive: it is sent again, and
 * only it; the timer starts anew with it. */
static void take_duplicate(struct weir_bsd43 *s, u64 ack, bool same_window)
{
	if (!s->config.fast_retransmit || !same_window || ack != s->una || s->una == s->max) {
		s->duplicate_acks = 0;
		return;
	}
	if (++s->duplicate_acks != WEIR_BSD43_DUPLICATES)
		return;
	close_window(s);
	if (s->config.karn)
		s->timed_tick = 0;
	s->deadline_tick = 0;
	s->resend = true;
	s->fast_retransmissions++;
}

static u64 take_sample(struct weir_bsd43 *s, u64 now_ns, u64 tick, u64 ack)
{
	if (s->timed_tick == 0 || ack <= s->timed_seq)
		return 0;
	u64 rtt_ns = weir_max(now_ns - s->timed_ns, 1);
	weir_bsd43_rtt_sample(s, 1 + tick - s->timed_tick);
	s->timed_tick = 0;
	s->shift = 0;
	s->rto_ticks = weir_bsd43_rtt_rto(s);
	s->latest_rtt_ns = rtt_ns;
	s->min_rtt_ns = s->min_rtt_ns ? weir_min(s->min_rtt_ns, rtt_ns) : rtt_ns;
	return rtt_ns;
}

u64 weir_bsd43_on_ack(struct weir_bsd43 *s, u64 now_ns, const struct weir_ack_segment *in)
{
	u64 ack = weir_seq_expand(in->ack, s->una), tick = weir_bsd43_tick(s, now_ns);
	/* Nobody probes a closed window: one segment always fits. */
	u32 window_bytes = (u32)weir_max(offered_bytes(in->window), s->mss_bytes);
	if (ack > s->max || s->dropped)
		return 0;
	s->active_tick = tick;
	if (ack <= s->una) {
		take_duplicate(s, ack, window_bytes == s->window_bytes);
		s->window_bytes = ack == s->una ? window_bytes : s->window_bytes;
		return 0;
	}
	s->window_bytes = window_bytes;
	s->duplicate_acks = 0;
	s->spurious += in->attempt < s->timeout_attempt;
	s->timeout_attempt = 0;
	u64 rtt_ns = take_sample(s, now_ns, tick, ack);
	s->una = ack;
	s->nxt = weir_max(s->nxt, ack);
	s->silent = 0;
	s->single = s->resend = false;
	if (ack == s->max)
		s->deadline_tick = 0;
	else
		start_timer(s, tick);
	open_window(s);
	return rtt_ns;
}

/* ---- the timer ---- */

static void time_out(struct weir_bsd43 *s, u64 tick)
{
	s->deadline_tick = 0;
	if (s->silent == WEIR_BSD43_TIMEOUTS_MAX) {
		s->dropped = true;
		return;
	}
	s->silent++;
	s->shift = (u8)weir_min(s->shift + 1U, WEIR_BSD43_TIMEOUTS_MAX);
	s->timeouts++;
	s->rto_ticks = weir_bsd43_rtt_rto(s);
	s->deadline_tick = tick + s->rto_ticks;
	s->timeout_attempt = (u8)weir_min(1U + s->shift, WEIR_ATTEMPT_MAX);
	s->timed_tick = 0; /* what is sent again is not timed, and what was timed may be */
	if (s->config.karn && s->shift > DOUBT_AFTER)
		weir_bsd43_rtt_doubt(s);
	close_window(s);
	s->duplicate_acks = 0;
	s->resend = false;
	s->single = true;
	s->nxt = s->una;
}

void weir_bsd43_on_timer(struct weir_bsd43 *s, u64 now_ns)
{
	u64 tick = weir_bsd43_tick(s, now_ns);
	if (s->deadline_tick && tick >= s->deadline_tick)
		time_out(s, tick);
}

u64 weir_bsd43_next_ns(const struct weir_bsd43 *s)
{
	if (s->deadline_tick == 0)
		return WEIR_NEVER;
	return s->config.tick_phase_ns + (s->deadline_tick - 1) * WEIR_BSD43_TICK_NS;
}

/* ---- what it shows ---- */

const struct weir_signal weir_bsd43_signals[WEIR_BSD43_SIGNALS] = {
    {"sequence", "bytes"}, {"acked", "bytes"},	  {"sample", "ns"}, {"deviation", "ns"},
    {"rto", "ns"},	   {"ssthresh", "bytes"}, {"backoff", ""},  {"timeouts", ""},
};

void weir_bsd43_probe(const struct weir_bsd43 *s, u64 value[WEIR_CC_SIGNALS_MAX])
{
	value[0] = s->nxt - s->first_sequence;
	value[1] = s->una - s->first_sequence;
	value[2] = s->sample_ticks * WEIR_BSD43_TICK_NS;
	value[3] = weir_bsd43_deviation_ns(s);
	value[4] = s->rto_ticks * WEIR_BSD43_TICK_NS;
	value[5] = s->ssthresh_bytes;
	value[6] = s->shift;
	value[7] = s->timeouts;
}

/* SPDX-License-Identifier: MIT */
/* A bottleneck for tests of vivace: fluid in steps of 1 ms, one FIFO, up to two flows that each obey a
 * pilot's rate and report to it what a governor would. What is sent in a step arrives as a whole, after the
 * base RTT and the queue that it found; what overflows or is lost at random is told of at the same time. */
#ifndef TESTS_PILOT_VIVACE_LINK_H
#define TESTS_PILOT_VIVACE_LINK_H

#include "pilot/vivace_state.h"

#include <string.h>

#define LINK_FLOWS 2
#define LINK_SLOTS 4096 /* ms, of what is under way */
#define LINK_MSS 1448.
#define LINK_PARAMS (sizeof(struct vivace_params) / sizeof(u64))

extern const struct weir_pilot_ops weir_pilot_vivace;

struct link_flow {
	struct vivace pilot;
	u64 params[LINK_PARAMS];
	struct weir_setpoint setpoint;
	u32 start_ms;
	double acked[LINK_SLOTS], lost[LINK_SLOTS], rtt_s[LINK_SLOTS]; /* by when they are told of */
	struct weir_report report;				       /* being counted */
	double first_rtt_us, first_sent_us, delivered, inflight;
};

struct link {
	double rate_Bps, base_s, buffer_bytes, loss, noise_s; /* noise: uniform up to this, of each RTT */
	double queue_bytes, queue_sum_s;
	u32 now_ms, flows;
	struct weir_rng rng;
	struct link_flow flow[LINK_FLOWS];
};

static void link_open(struct link *l, u32 flows, double rate_Bps, double base_s, double buffer_s)
{
	memset(l, 0, sizeof *l);
	l->rate_Bps = rate_Bps;
	l->base_s = base_s;
	l->buffer_bytes = buffer_s * rate_Bps;
	l->flows = flows;
	weir_rng_init(&l->rng, 11, 1, 1);
	for (u32 i = 0; i < flows; i++)
		for (u32 k = 0; k < LINK_PARAMS; k++)
			l->flow[i].params[k] = weir_pilot_vivace.params[k].default_value;
}

static void link_start(struct link *l)
{
	for (u32 i = 0; i < l->flows; i++) {
		struct link_flow *f = &l->flow[i];
		f->setpoint = (struct weir_setpoint){0};
		weir_pilot_vivace.init(&f->pilot, f->params, i + 1, &f->setpoint);
	}
}

static void link_count(struct link_flow *f, double now_us, double acked, double rtt_s)
{
	struct weir_report *r = &f->report;
	double rtt_us = rtt_s * 1e6, sent_us = now_us - rtt_us;
	u64 n = (u64)(acked / LINK_MSS) + 1;
	if (!r->rtt_n) {
		f->first_rtt_us = rtt_us;
		f->first_sent_us = sent_us;
		r->rtt_min_ns = WEIR_NEVER;
	}
	double t = sent_us - f->first_sent_us, d = rtt_us - f->first_rtt_us;
	r->acked_bytes += (u64)acked;
	r->rtt_n += n;
	r->rtt_sum_ns += n * (u64)(rtt_s * 1e9);
	r->latest_rtt_ns = (u64)(rtt_s * 1e9);
	r->rtt_min_ns = r->latest_rtt_ns < r->rtt_min_ns ? r->latest_rtt_ns : r->rtt_min_ns;
	r->rtt_max_ns = r->latest_rtt_ns > r->rtt_max_ns ? r->latest_rtt_ns : r->rtt_max_ns;
	r->srtt_ns = r->srtt_ns ? (r->srtt_ns + r->latest_rtt_ns) / 2 : r->latest_rtt_ns;
	r->t_sum_us += (i64)((double)n * t);
	r->t2_sum_us2 += (i64)((double)n * t * t);
	r->r_sum_us += (i64)((double)n * d);
	r->tr_sum_us2 += (i64)((double)n * t * d);
}

static void link_report(struct link_flow *f, u64 now_ns)
{
	struct weir_report *r = &f->report, next;
	if (now_ns - r->now_ns < f->setpoint.report_ns)
		return;
	r->number++;
	r->interval_ns = now_ns - r->now_ns;
	r->now_ns = now_ns;
	r->mss_bytes = (u32)LINK_MSS;
	weir_pilot_vivace.on_report(&f->pilot, f->params, r, &f->setpoint);
	next = (struct weir_report){
	    .number = r->number, .now_ns = now_ns, .srtt_ns = r->srtt_ns, .latest_rtt_ns = r->latest_rtt_ns};
	*r = next;
}

/* Of `bytes` in packets, what is lost at random. */
static double link_lose(struct link *l, double bytes)
{
	double lost = 0;
	for (double left = bytes; l->loss > 0 && left > 0; left -= LINK_MSS)
		if (weir_rng_unit(&l->rng) < l->loss)
			lost += left < LINK_MSS ? left : LINK_MSS;
	return lost;
}

static void link_send(struct link *l, struct link_flow *f, double kept)
{
	double bytes = (double)f->setpoint.rate_Bps * 1e-3, in = bytes * kept, lost = link_lose(l, in);
	double rtt_s = l->base_s + l->queue_bytes / l->rate_Bps + l->noise_s * weir_rng_unit(&l->rng);
	u32 slot = (l->now_ms + (u32)(rtt_s * 1e3) + 1) % LINK_SLOTS;
	f->report.sent_bytes += (u64)bytes;
	f->acked[slot] += in - lost;
	f->lost[slot] += bytes - in + lost;
	f->rtt_s[slot] = rtt_s;
}

static void link_step(struct link *l)
{
	u32 slot = ++l->now_ms % LINK_SLOTS;
	double wants = 0, room = l->buffer_bytes + l->rate_Bps * 1e-3 - l->queue_bytes;
	for (u32 i = 0; i < l->flows; i++)
		wants += l->now_ms > l->flow[i].start_ms ? (double)l->flow[i].setpoint.rate_Bps * 1e-3 : 0;
	double kept = wants > room ? room / wants : 1;
	for (u32 i = 0; i < l->flows; i++) {
		struct link_flow *f = &l->flow[i];
		if (l->now_ms <= f->start_ms)
			continue;
		link_send(l, f, kept);
		if (f->acked[slot] > 0)
			link_count(f, l->now_ms * 1e3, f->acked[slot], f->rtt_s[slot]);
		f->delivered += f->acked[slot];
		f->report.lost_bytes += (u64)f->lost[slot];
		f->acked[slot] = f->lost[slot] = 0;
		link_report(f, l->now_ms * WEIR_NS_PER_MS);
	}
	l->queue_bytes += wants * kept - l->rate_Bps * 1e-3;
	l->queue_bytes = l->queue_bytes > 0 ? l->queue_bytes : 0;
	l->queue_sum_s += l->queue_bytes / l->rate_Bps;
}

/* So many seconds; what was delivered before them is forgotten. */
static void link_run(struct link *l, double seconds)
{
	l->queue_sum_s = 0;
	for (u32 i = 0; i < l->flows; i++)
		l->flow[i].delivered = 0;
	for (u32 end_ms = l->now_ms + (u32)(seconds * 1e3); l->now_ms < end_ms;)
		link_step(l);
}

#endif

/* SPDX-License-Identifier: MIT */
/* A bottleneck in closed form for tests of pilots: fluid in steps of 1 ms, a FIFO of one rate that drops what
 * does not fit, all propagation on the way back. Our flow obeys a setpoint as a governor does: a rate or a
 * window turned into one, and the wave. Beside it a rate with noise, and a window that is clocked by its
 * acknowledgements, grows by a segment a round trip and halves once a round trip with a loss. */
#ifndef TESTS_PILOT_FLUID_H
#define TESTS_PILOT_FLUID_H

#include "core/fmath.h"
#include "core/rng.h"
#include "weir/pilot.h"

#include <string.h>

#define FLUID_MU 11.6e6 /* bytes per second of payload: about 96 Mbit/s */
#define FLUID_BASE_MS 50
#define FLUID_BUFFER (.1 * FLUID_MU)
#define FLUID_STEPS 120000
#define FLUID_MSS 1448.

enum { FLUID_OWN, FLUID_CBR, FLUID_ELASTIC, FLUID_FLOWS };

struct fluid_window {
	double cwnd, outstanding; /* bytes */
	u32 next_cut;		  /* ms */
	bool slow_start;
};

struct fluid {
	u32 t, head; /* ms; the step whose fluid is served */
	double queue, base_Bps, cbr_Bps, phase, own_lost;
	double in[FLUID_FLOWS][FLUID_STEPS], left[FLUID_FLOWS];
	double sent[FLUID_FLOWS][FLUID_STEPS], delivered[FLUID_FLOWS][FLUID_STEPS]; /* sums, by the end of a
										       step */
	double rtt_s[FLUID_STEPS];
	struct fluid_window window[FLUID_FLOWS];
	bool elastic;
	u32 seeds;
	struct weir_rng rng;
	u64 reports;
};

static void fluid_start(struct fluid *f)
{
	memset(f, 0, sizeof *f);
	weir_rng_init(&f->rng, 7, 1, 1);
	for (u32 i = 0; i < FLUID_FLOWS; i++)
		f->window[i] = (struct fluid_window){.cwnd = 10 * FLUID_MSS, .slow_start = true};
}

static double fluid_rtt_s(const struct fluid *f)
{
	return FLUID_BASE_MS * 1e-3 + f->queue / FLUID_MU;
}

static void fluid_ack(struct fluid *f, struct fluid_window *w, double acked)
{
	(void)f;
	w->outstanding -= acked;
	w->cwnd += w->slow_start ? acked : FLUID_MSS * acked / w->cwnd;
}

static void fluid_lose(struct fluid *f, struct fluid_window *w)
{
	if (f->t < w->next_cut)
		return;
	w->cwnd = w->cwnd / 2 > 2 * FLUID_MSS ? w->cwnd / 2 : 2 * FLUID_MSS;
	w->slow_start = false;
	w->next_cut = f->t + (u32)(fluid_rtt_s(f) * 1e3) + 1;
}

static double fluid_own(struct fluid *f, const struct weir_setpoint *sp)
{
	struct fluid_window *w = &f->window[FLUID_OWN];
	if (sp->seeds != f->seeds) {
		f->seeds = sp->seeds;
		w->cwnd = sp->seed_cwnd_bytes ? (double)sp->seed_cwnd_bytes : 10 * FLUID_MSS;
		w->slow_start = !sp->seed_cwnd_bytes;
	}
	f->base_Bps = sp->inner == WEIR_SETPOINT_RATE ? (double)sp->rate_Bps : w->cwnd / fluid_rtt_s(f);
	double rate = f->base_Bps;
	if (sp->wave_period_ns) {
		double x = f->phase, pi = WEIR_TWO_PI / 2;
		rate += (double)sp->wave_amplitude_Bps *
			(x < .25 ? weir_sin(pi * x / .25) : -weir_sin(pi * (x - .25) / .75) / 3);
		f->phase += 1e6 / (double)sp->wave_period_ns;
		f->phase -= f->phase >= 1 ? 1 : 0;
	}
	return rate > 0 ? rate * 1e-3 : 0;
}

static double fluid_cbr(struct fluid *f)
{
	double noise = -6;
	for (u32 i = 0; i < 12; i++)
		noise += weir_rng_unit(&f->rng);
	double bytes = f->cbr_Bps * 1e-3 * (1 + .5 * noise);
	return bytes > 0 ? bytes : 0;
}

static void fluid_serve(struct fluid *f, double out[FLUID_FLOWS])
{
	double credit = FLUID_MU * 1e-3;
	for (;;) {
		double sum = f->left[0] + f->left[1] + f->left[2], part = sum > credit ? credit / sum : 1;
		for (u32 i = 0; i < FLUID_FLOWS; i++) {
			out[i] += part * f->left[i];
			f->left[i] -= part * f->left[i];
		}
		credit -= part * sum;
		f->queue -= part * sum;
		if (part < 1 || f->head == f->t)
			break;
		f->head++;
		for (u32 i = 0; i < FLUID_FLOWS; i++)
			f->left[i] = f->in[i][f->head];
	}
	f->queue = f->queue > 1e-6 ? f->queue : 0;
}

/* 1 ms. */
static void fluid_step(struct fluid *f, const struct weir_setpoint *sp)
{
	u32 t = ++f->t;
	double wants[FLUID_FLOWS] = {fluid_own(f, sp), fluid_cbr(f), 0}, out[FLUID_FLOWS] = {0};
	struct fluid_window *e = &f->window[FLUID_ELASTIC];
	if (f->elastic && e->cwnd > e->outstanding) {
		/* no more than the window doubled in a round trip */
		double most = 2 * e->cwnd / fluid_rtt_s(f) * 1e-3, room = e->cwnd - e->outstanding;
		wants[FLUID_ELASTIC] = room < most ? room : most;
	}
	double all = wants[0] + wants[1] + wants[2], room = FLUID_BUFFER + FLUID_MU * 1e-3 - f->queue;
	double part = all > room ? room / all : 1;
	for (u32 i = 0; i < FLUID_FLOWS; i++)
		f->in[i][t] = part * wants[i];
	e->outstanding += part * wants[FLUID_ELASTIC];
	if (part < 1) {
		f->own_lost += (1 - part) * wants[FLUID_OWN];
		fluid_lose(f, &f->window[FLUID_OWN]);
		fluid_lose(f, e);
	}
	f->queue += part * all;
	f->rtt_s[t] = fluid_rtt_s(f);
	if (f->head == t - 1 && f->left[0] + f->left[1] + f->left[2] <= 0) {
		f->head = t;
		for (u32 i = 0; i < FLUID_FLOWS; i++)
			f->left[i] = f->in[i][t];
	}
	fluid_serve(f, out);
	for (u32 i = 0; i < FLUID_FLOWS; i++) {
		f->sent[i][t] = f->sent[i][t - 1] + f->in[i][t];
		f->delivered[i][t] = f->delivered[i][t - 1] + out[i];
	}
	for (u32 i = 0; i < FLUID_FLOWS && t > FLUID_BASE_MS; i++)
		fluid_ack(f, &f->window[i],
			  f->delivered[i][t - FLUID_BASE_MS] - f->delivered[i][t - FLUID_BASE_MS - 1]);
}

/* When the sum reached so many bytes, in ms; `until`: no later than that. */
static double fluid_when(const double *sum, u32 until, double bytes)
{
	u32 i = until;
	while (i > 0 && sum[i - 1] >= bytes)
		i--;
	double step = i ? sum[i] - sum[i - 1] : 0;
	return i && step > 0 ? i - (sum[i] - bytes) / step : i;
}

/* What a governor would tell of the last interval_ms. */
static struct weir_report fluid_report(struct fluid *f, u32 interval_ms)
{
	u64 number = ++f->reports, now_ns = (u64)f->t * WEIR_NS_PER_MS;
	struct weir_report r = {.number = number,
				.now_ns = now_ns,
				.interval_ns = interval_ms * WEIR_NS_PER_MS,
				.lost_bytes = (u64)f->own_lost,
				.base_Bps = (u64)f->base_Bps,
				.cwnd_bytes = (u64)(f->base_Bps * fluid_rtt_s(f)),
				.mss_bytes = (u32)FLUID_MSS};
	/* a window's own losses are repaired for a round trip */
	if (f->t < f->window[FLUID_OWN].next_cut)
		r.flags = WEIR_REPORT_RECOVERY;
	f->own_lost = 0;
	if (f->t < 3 * FLUID_BASE_MS)
		return r;
	u32 acked_t = f->t - FLUID_BASE_MS;
	double acked = f->delivered[FLUID_OWN][acked_t],
	       sent_ms = fluid_when(f->sent[FLUID_OWN], f->t, acked);
	double rtt_ms = f->t - sent_ms;
	u32 first_t = acked_t > (u32)rtt_ms ? acked_t - (u32)rtt_ms : 0;
	double first = f->delivered[FLUID_OWN][first_t];
	r.acked_bytes = (u64)(acked - f->delivered[FLUID_OWN][acked_t - interval_ms]);
	r.rtt_n = 1;
	r.rtt_sum_ns = r.latest_rtt_ns = r.srtt_ns = (u64)(rtt_ms * 1e6);
	r.min_rtt_ns = FLUID_BASE_MS * WEIR_NS_PER_MS;
	r.sample_bytes = (u64)(acked - first);
	r.send_interval_ns = (u64)((sent_ms - fluid_when(f->sent[FLUID_OWN], f->t, first)) * 1e6);
	r.ack_interval_ns = (u64)(acked_t - first_t) * WEIR_NS_PER_MS;
	return r;
}
#endif

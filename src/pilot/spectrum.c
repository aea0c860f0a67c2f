/* SPDX-License-Identifier: MIT */
#include "pilot/spectrum.h"

#include "core/fmath.h"

/* One bin is summed anew every so many samples: of 71 bins each every 6 s. */
#define FRESH_EVERY 8

void weir_spectrum_frame_init(struct weir_spectrum_frame *f, u32 n, u64 sample_ns, double low_hz,
			      double high_hz)
{
	n = n < 4 ? 4 : n > WEIR_SPECTRUM_SAMPLES_MAX ? WEIR_SPECTRUM_SAMPLES_MAX : n;
	f->n = n;
	f->span_s = (double)n * (double)(sample_ns ? sample_ns : 1) * 1e-9;
	double low = low_hz * f->span_s + .5, high = high_hz * f->span_s + .5;
	u32 last = !(high >= 1) ? 1 : high < n / 2 ? (u32)high : n / 2;
	u32 first = !(low >= 1) ? 1 : low < last ? (u32)low : last;
	f->first_bin = first;
	f->bins = last - first + 1;
	if (f->bins > WEIR_SPECTRUM_BINS_MAX)
		f->bins = WEIR_SPECTRUM_BINS_MAX;
	for (u32 i = 0; i < n; i++) {
		double angle = WEIR_TWO_PI * (double)i / (double)n;
		f->cosine[i] = weir_cos(angle);
		f->sine[i] = weir_sin(angle);
	}
	weir_spectrum_frame_clear(f);
}

void weir_spectrum_frame_clear(struct weir_spectrum_frame *f)
{
	f->place = 0;
	f->count = 0;
	f->fresh = 0;
	f->until = FRESH_EVERY;
}

void weir_spectrum_clear(struct weir_spectrum *s)
{
	memset(s, 0, sizeof *s);
}

static void sum_anew(struct weir_spectrum *s, const struct weir_spectrum_frame *f, u32 index)
{
	double re = 0, im = 0;
	u32 step = (f->first_bin + index) % f->n, phase = 0;
	for (u32 i = 0; i < f->n; i++) {
		re += s->x[i] * f->cosine[phase];
		im -= s->x[i] * f->sine[phase];
		phase += step;
		if (phase >= f->n)
			phase -= f->n;
	}
	s->re[index] = re;
	s->im[index] = im;
}

void weir_spectrum_put(struct weir_spectrum *s, const struct weir_spectrum_frame *f, double x)
{
	double change = x - s->x[f->place];
	s->x[f->place] = x;
	u32 step = f->place, phase = (u32)((u64)f->first_bin * f->place % f->n);
	for (u32 k = 0; k < f->bins; k++) {
		s->re[k] += change * f->cosine[phase];
		s->im[k] -= change * f->sine[phase];
		phase += step;
		if (phase >= f->n)
			phase -= f->n;
	}
	if (f->until == 1)
		sum_anew(s, f, f->fresh);
}

void weir_spectrum_frame_advance(struct weir_spectrum_frame *f)
{
	f->place = f->place + 1 == f->n ? 0 : f->place + 1;
	if (f->count < f->n)
		f->count++;
	if (--f->until == 0) {
		f->until = FRESH_EVERY;
		f->fresh = f->fresh + 1 == f->bins ? 0 : f->fresh + 1;
	}
}

u32 weir_spectrum_index(const struct weir_spectrum_frame *f, double hz)
{
	double bin = hz * f->span_s + .5;
	if (!(bin >= f->first_bin))
		return 0;
	return bin >= f->first_bin + f->bins ? f->bins - 1 : (u32)bin - f->first_bin;
}

double weir_spectrum_amplitude(const struct weir_spectrum *s, const struct weir_spectrum_frame *f, u32 index)
{
	return 2 * weir_sqrt(s->re[index] * s->re[index] + s->im[index] * s->im[index]) / (double)f->n;
}

double weir_spectrum_between(const struct weir_spectrum *s, const struct weir_spectrum_frame *f,
			     double low_hz, double high_hz)
{
	/* 5.5 Hz are 27.5 bins, but where they are a whole number, rounding must not let that bin in */
	double low = low_hz * f->span_s + 1e-6, high = high_hz * f->span_s - 1e-6, largest = 0;
	for (u32 k = 0; k < f->bins; k++) {
		double bin = f->first_bin + k;
		if (!(bin > low && bin < high))
			continue;
		double power = s->re[k] * s->re[k] + s->im[k] * s->im[k];
		if (power > largest)
			largest = power;
	}
	return 2 * weir_sqrt(largest) / (double)f->n;
}

double weir_spectrum_mean(const struct weir_spectrum *s, const struct weir_spectrum_frame *f, u32 samples)
{
	u32 n = samples < f->count ? samples : f->count, place = f->place;
	double sum = 0;
	for (u32 i = 0; i < n; i++) {
		place = place ? place - 1 : f->n - 1;
		sum += s->x[place];
	}
	return n ? sum / (double)n : 0;
}

/* Index of the sample that is so many older than the newest. */
static u32 place_of(const struct weir_spectrum_frame *f, u32 age)
{
	return f->place > age ? f->place - 1 - age : f->place + f->n - 1 - age;
}

static double mean_from(const struct weir_spectrum *s, const struct weir_spectrum_frame *f, u32 youngest,
			u32 n)
{
	double sum = 0;
	for (u32 i = 0; i < n; i++)
		sum += s->x[place_of(f, youngest + i)];
	return sum / (double)n;
}

double weir_spectrum_correlation(const struct weir_spectrum *a, const struct weir_spectrum *b,
				 const struct weir_spectrum_frame *f, u32 lag)
{
	if (f->count < 2 || lag > f->count - 2)
		return WEIR_NAN;
	u32 n = f->count - lag;
	double mean_a = mean_from(a, f, lag, n), mean_b = mean_from(b, f, 0, n), aa = 0, bb = 0, ab = 0;
	for (u32 i = 0; i < n; i++) {
		double x = a->x[place_of(f, lag + i)] - mean_a, y = b->x[place_of(f, i)] - mean_b;
		aa += x * x;
		bb += y * y;
		ab += x * y;
	}
	/* rounding of what stands still is no movement */
	if (!(aa > 1e-18 * mean_a * mean_a * n) || !(bb > 1e-18 * mean_b * mean_b * n))
		return WEIR_NAN;
	return ab / weir_sqrt(aa * bb);
}

/* SPDX-License-Identifier: MIT */
/* A sliding discrete Fourier transform: the spectrum of the newest n samples at the bins that are wanted,
 * brought up to date with each sample. Several series share one frame: its grid, place and table of phases.
 *
 * Phases belong to places in the ring, not to ages, so that a new sample changes each bin by
 * (new - old) e^(-2 pi i bin place / n) and nothing has to be turned: amplitudes do not see where a ring
 * begins, and rounding only adds up. From time to time one bin is summed anew, in turn, so that it does not
 * add up for ever. A tone whose frequency is a whole number of bins leaks into no other one. */
#ifndef WEIR_PILOT_SPECTRUM_H
#define WEIR_PILOT_SPECTRUM_H

#include "weir/types.h"

#define WEIR_SPECTRUM_SAMPLES_MAX 1000
#define WEIR_SPECTRUM_BINS_MAX 256

struct weir_spectrum_frame {
	u32 n, first_bin, bins;
	u32 place;     /* where the next sample goes */
	u32 count;     /* samples since the beginning, at most n */
	u32 fresh;     /* index of the bin that is summed anew next */
	u32 until;     /* samples until then */
	double span_s; /* of n samples: bin k is k / span_s */
	double cosine[WEIR_SPECTRUM_SAMPLES_MAX], sine[WEIR_SPECTRUM_SAMPLES_MAX];
};

struct weir_spectrum {
	double x[WEIR_SPECTRUM_SAMPLES_MAX];
	double re[WEIR_SPECTRUM_BINS_MAX], im[WEIR_SPECTRUM_BINS_MAX];
};

/* n samples of sample_ns each (both are brought into bounds); bins from low_hz to high_hz, without bin 0 and
 * those above n / 2, and at most WEIR_SPECTRUM_BINS_MAX. */
void weir_spectrum_frame_init(struct weir_spectrum_frame *f, u32 n, u64 sample_ns, double low_hz,
			      double high_hz);
/* The frame begins anew; its series must be cleared with it. */
void weir_spectrum_frame_clear(struct weir_spectrum_frame *f);
void weir_spectrum_clear(struct weir_spectrum *s);
/* The next sample of one series, finite. When each series of the frame has had its own: advance. */
void weir_spectrum_put(struct weir_spectrum *s, const struct weir_spectrum_frame *f, double x);
void weir_spectrum_frame_advance(struct weir_spectrum_frame *f);

/* Index into re and im of the bin nearest to a frequency; frequencies outside go to the nearest end. */
u32 weir_spectrum_index(const struct weir_spectrum_frame *f, double hz);
/* Amplitude a of a tone a sin(2 pi hz t): 2 |X| / n. */
double weir_spectrum_amplitude(const struct weir_spectrum *s, const struct weir_spectrum_frame *f, u32 index);
/* Largest amplitude strictly between two frequencies; 0 where there is no bin. */
double weir_spectrum_between(const struct weir_spectrum *s, const struct weir_spectrum_frame *f,
			     double low_hz, double high_hz);
/* Mean of the newest `samples` of those that there are; 0 of none. */
double weir_spectrum_mean(const struct weir_spectrum *s, const struct weir_spectrum_frame *f, u32 samples);
/* Pearson's correlation, -1 to 1, of a's samples with those of b `lag` samples later, over the frame as it
 * stands; NaN of fewer than two pairs and of a series that stands still. */
double weir_spectrum_correlation(const struct weir_spectrum *a, const struct weir_spectrum *b,
				 const struct weir_spectrum_frame *f, u32 lag);

#endif

/* SPDX-License-Identifier: MIT */
/* Is the traffic beside ours elastic? The detector of "Elasticity Detection: A Building Block for Internet
 * Congestion Control", section 3: our rate carries a wave; what answers at its frequency backs off.
 *
 * Each report gives z = mu S / R - S (eq. 1) over the packets of one round trip (eq. 2), held on a grid of
 * sample_ns; eta (eq. 3) compares the spectrum of the last `samples` of z at the wave's frequency with its
 * largest value above, up to twice that frequency. */
#ifndef WEIR_PILOT_DETECTOR_H
#define WEIR_PILOT_DETECTOR_H

#include "weir/pilot.h"

#include "pilot/spectrum.h"

#define WEIR_DETECTOR_SAMPLES_MAX WEIR_SPECTRUM_SAMPLES_MAX

struct weir_detector_config {
	u64 sample_ns;	  /* 10 ms */
	u32 samples;	  /* N: 500 are 5 s, so that 5 and 6 Hz are bins 25 and 30 exactly */
	double threshold; /* of eta: 2 */
	double guard_hz;  /* eps of eq. 3: .5 */
	/* What the published code adds to the paper; off by default, each by itself. */
	double low_z_fraction; /* mean z of the last quarter below this share of mu: inelastic (.1); 0: off */
	double high_z_fraction; /* above it: elastic (.9); 0: off */
	double weak_response; /* z's peak below this share of our own wave's: eta is taken down (.25); 0: off
			       */
	double smoothing;     /* weight of the newest eta in an average, per report (.01); 0: off */
	double threshold_inelastic; /* hysteresis: back to inelastic below this one (2, with 2.25 above); 0:
				       one threshold */
	double guard_above_hz;	    /* the denominator begins so far above the wave (1.5); 0: guard_hz */
};

enum weir_answer { WEIR_NOT_APPLICABLE, WEIR_INELASTIC, WEIR_ELASTIC };
enum weir_answer_reason {
	WEIR_REASON_NONE,
	WEIR_REASON_WARMING_UP,	     /* the window is not full yet, was begun anew after a gap, still holds
					another wave, or holds mostly repairs of losses */
	WEIR_REASON_NO_WAVE,	     /* we do not pulse */
	WEIR_REASON_NO_RATE,	     /* the link's rate is not known */
	WEIR_REASON_LONG_RTT,	     /* the round trip is near the wave's period, or .5 s: eq. 2 averages the
					answer away */
	WEIR_REASON_SMALL_PULSE,     /* a pulse is under four packets */
	WEIR_REASON_INVISIBLE_PULSE, /* our own wave does not reach the receiver */
	WEIR_REASON_EMPTY_QUEUE,     /* most of the window without a queue: eq. 1 says nothing */
	WEIR_REASON_APP_LIMITED,     /* most of the window the application had too little to send */
	WEIR_REASON_ISOLATED_QUEUE,  /* doubtful: z follows our wave and R does not move: a queue of our own,
					or  a wrong mu */
	WEIR_REASON_PATH_CYCLE,	     /* doubtful: z swings twice as far as we do: the path's own cycle */
};
/* In their orders, as the unit of a signal. */
#define WEIR_ANSWER_WORDS "not-applicable|inelastic|elastic"
#define WEIR_ANSWER_REASON_WORDS                                                                             \
	"none|warming-up|no-wave|no-rate|long-rtt|small-pulse|invisible-pulse|empty-queue|app-limited|"      \
	"isolated-queue|path-cycle"
const char *weir_answer_reason_word(enum weir_answer_reason reason);

struct weir_elasticity {
	enum weir_answer verdict;
	enum weir_answer_reason reason; /* why not applicable, or why doubtful */
	double eta;			/* NaN while there is none */
	double confidence;  /* 0 to 1: how far eta is from the threshold, and how much of the window
			       is real */
	double peak, other; /* numerator and denominator of eta: amplitudes of z, bytes/s */
	double z_Bps, send_Bps, receive_Bps; /* newest */
	double own_peak; /* amplitude of the receive rate at the wave's frequency, bytes/s */
	double floor;	 /* an amplitude of z below is rounding, or an error of mu */
};

/* Sliding spectra of z, R and S at all bins from 1 to 15 Hz; fixed size, defined in detector_state.h. */
struct weir_detector;

/* The paper's: 500 samples of 10 ms, threshold 2, eps .5 Hz, nothing else. */
void weir_detector_defaults(struct weir_detector_config *c);
void weir_detector_init(struct weir_detector *d, const struct weir_detector_config *c);
/* One report. mu_Bps: the link's rate by mu.h, or as given; 0: unknown. wave_hz and wave_Bps: what the
 * governor lays over our rate now; 0: nothing, then only the spectra go on (of a watcher). */
void weir_detector_report(struct weir_detector *d, const struct weir_report *r, double mu_Bps, double wave_hz,
			  double wave_Bps);
void weir_detector_read(const struct weir_detector *d, struct weir_elasticity *out);
/* Amplitude of the receive rate R and of z at a frequency, bytes/s, over the window as it stands (a watcher
 * compares 5 with 6 Hz; a pulser its own wave's answer in z and in R). NaN while the window is not full. */
double weir_detector_receive_at(const struct weir_detector *d, double hz);
double weir_detector_z_at(const struct weir_detector *d, double hz);
/* Largest amplitude of the receive rate strictly between two frequencies. */
double weir_detector_receive_between(const struct weir_detector *d, double low_hz, double high_hz);
/* Share of the window filled since the beginning or the last gap, 0 to 1. */
double weir_detector_filled(const struct weir_detector *d);
/* Mean of z over the newest share of the window, bytes/s. */
double weir_detector_z_mean(const struct weir_detector *d, double share);

#endif

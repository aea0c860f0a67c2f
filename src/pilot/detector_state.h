/* SPDX-License-Identifier: MIT */
/* What a detector keeps, for those who embed one in a pilot's state. Its members are detector.c's. */
#ifndef WEIR_PILOT_DETECTOR_STATE_H
#define WEIR_PILOT_DETECTOR_STATE_H

#include "pilot/cross.h"
#include "pilot/detector.h"
#include "pilot/spectrum.h"

struct weir_detector {
	struct weir_detector_config config;
	struct weir_spectrum_frame frame;
	struct weir_spectrum z, receive, send;
	u8 use[WEIR_DETECTOR_SAMPLES_MAX]; /* enum weir_cross_use of each sample */
	u32 used[WEIR_CROSS_GOOD + 1];	   /* how many of each are in the window */
	bool begun;
	bool elastic;		  /* the newest verdict, for hysteresis */
	u64 grid_ns;		  /* of the newest sample */
	u64 heard_ns;		  /* of the newest report with S and R */
	u64 wave_since_ns;	  /* since when the wave has had this frequency */
	double wave_hz, wave_Bps; /* 0: none */
	double mu_Bps;
	double span_s; /* average time over which S and R are taken; 0: none yet */
	u64 srtt_ns;
	u32 mss_bytes;
	struct weir_cross held; /* what stands until something newer comes */
	double average_eta;
	struct weir_elasticity now;
};

#endif

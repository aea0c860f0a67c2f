/* SPDX-License-Identifier: MIT */
/* What a run comes down to in a few numbers, for the sentence, the tiles and the comparison of runs. */
#ifndef WEIR_REPORT_FACTS_H
#define WEIR_REPORT_FACTS_H

#include "load.h"

/* A number that is not known is NaN. */
struct weir_facts {
	const struct weir_run_data *run;
	u32 flows;
	const json_t *only_flow; /* when there is just one */
	const json_t *link;	 /* the one used most: the bottleneck; NULL for none of finite speed */
	double goodput_bps, throughput_bps;
	double loss_fraction, jain;
	const json_t *delay; /* queue_delay_ms of the link, else of the only flow, else NULL */
	const json_t *rtt;   /* rtt_ms of the flow with the most goodput */
	double age_mean_ms;
	double simulated_s;
};

void weir_facts_of(const struct weir_run_data *run, struct weir_facts *f);

#endif

/* SPDX-License-Identifier: MIT */
/* What the two processes of an acp flow share with their parent: one writer for each side. Inside run/ only.
 */
#ifndef WEIR_RUN_EMULATED_ACP_SHARED_H
#define WEIR_RUN_EMULATED_ACP_SHARED_H

#include "emulated_acp.h"
#include "published.h"

struct weir_acp_source_said {
	struct weir_flow_age age; /* the source's part */
	u64 counted_ns;		  /* until when */
	u64 srtt_ns, min_rtt_ns, rtt_n, in_flight;
	double rtt_sum_ns;
};
struct weir_acp_monitor_said {
	struct weir_ledger age;
	u64 fresh, late;     /* since the end of the warm-up */
	u64 delivered_bytes; /* since the start */
};

struct weir_acp_side {
	u32 failed; /* atomic; written after why */
	char why[WEIR_KTCP_WHY_BYTES];
	u32 version;
};

struct weir_acp_shared {
	struct weir_emulated_acp_config config; /* the parent's, before the processes are made */
	u32 ending;				/* atomic, the parent's: from now on nothing is a failure */
	struct weir_acp_side side[WEIR_KTCP_SIDES];
	u64 source[WEIR_PUBLISHED_WORDS(struct weir_acp_source_said)];
	u64 monitor[WEIR_PUBLISHED_WORDS(struct weir_acp_monitor_said)];
	struct weir_hist rtt_ns;    /* the source's; read after its end */
	struct weir_age_spread age; /* the monitor's; likewise */
};

/* A process's whole life. */
int weir_acp_source_live(struct weir_acp_shared *shared, const struct weir_ktcp_birth *b);
int weir_acp_monitor_live(struct weir_acp_shared *shared, const struct weir_ktcp_birth *b);

#endif

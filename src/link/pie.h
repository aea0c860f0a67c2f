/* SPDX-License-Identifier: MIT */
#ifndef WEIR_LINK_PIE_H
#define WEIR_LINK_PIE_H

#include "hop.h"

struct weir_pie {
	double drop_p;
	u64 delay_ns, old_delay_ns; /* newest packet's time in the queue; at the update before */
	u64 burst_ns;		    /* how long nothing is dropped yet */
};

/* One update of the drop probability (RFC 8033, sections 4.2 and 4.4), each update_ns. */
void weir_pie_update(struct weir_pie *p, u64 target_ns, u64 update_ns);

#endif

/* SPDX-License-Identifier: MIT */
/* Who has a line in the charts: each flow while there are few, else groups of flows by name; and links. */
#ifndef WEIR_REPORT_ENTITIES_H
#define WEIR_REPORT_ENTITIES_H

#include "load.h"
#include "theme.h"

struct weir_entity {
	u32 run;
	char label[2 * WEIR_LABEL_BYTES];
	u32 colour, dash;
	const char **member; /* names in series.csv: one, or those of a group */
	u32 n_members;
	const json_t *summary; /* of the flow, group or link; NULL for a group that was made here */
};

struct weir_entities {
	struct weir_entity *flow, *link;
	u32 n_flows, n_links;
	bool grouped; /* the entities of `flow` stand for several flows each */
	u32 flows_total;
	json_t **listed; /* of each run: what may have a line */
	u32 n_listed;
	u32 left_out; /* flows or groups beyond what charts can show; tables hold them */
};

/* Names stay those of `data`, which must outlive it. 0, or -1 when memory ran out. */
int weir_entities_make(const struct weir_report_data *data, struct weir_entities *e);
void weir_entities_free(struct weir_entities *e);

#endif

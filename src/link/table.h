/* SPDX-License-Identifier: MIT */
/* What a hop can be made of, for `weir list elements`. The words are those of a scenario. */
#ifndef WEIR_LINK_TABLE_H
#define WEIR_LINK_TABLE_H

struct weir_element_info {
	const char *name;
	const char *kind; /* rate, queue, loss, order, delay, policer, aggregation */
	const char *about;
	const char *source; /* paper or RFC; NULL for what needs none */
};

extern const struct weir_element_info weir_element_infos[]; /* ends with a NULL name */

#endif

/* SPDX-License-Identifier: MIT */
/* Reads results back: a document that Weir wrote, and single numbers of it by name. A file given by
 * somebody is hostile: size, depth, types and names are checked. */
#ifndef WEIR_RECORD_QUERY_H
#define WEIR_RECORD_QUERY_H

#include "weir/types.h"

#include <jansson.h>

#define WEIR_QUERY_ERROR_BYTES 512
#define WEIR_QUERY_FILE_MAX (256UL << 20)

/* The document in `path` if its member `schema` is this one (`schema` NULL: any), else NULL with what is
 * wrong in error[] (without the path). The caller calls json_decref. */
json_t *weir_query_load(const char *path, const char *schema, char error[WEIR_QUERY_ERROR_BYTES]);
json_t *weir_query_parse(const char *text, size_t bytes, const char *schema,
			 char error[WEIR_QUERY_ERROR_BYTES]);

enum weir_query_result {
	WEIR_QUERY_FOUND,
	WEIR_QUERY_NULL,  /* it is there, and null: there is no such number in this run */
	WEIR_QUERY_WRONG, /* no such name: error[] says which part and what is near */
};

/* One number by its dotted name: `links.bottleneck.utilization`, `flows.cubic.queue_delay_ms.p50`,
 * `fct_ms.10kB-100kB.fct_ms.mean`, `fairness.jain_throughput`. Elements of a list are found by their
 * `name`, else their `size`; names may hold dots: the longest that fits is taken. Below a null everything
 * is null. */
enum weir_query_result weir_query_number(const json_t *document, const char *name, double *value,
					 char error[WEIR_QUERY_ERROR_BYTES]);

/* `flows.PART*.REST` (likewise links): REST of each element whose name begins with PART, which may be empty.
 * Groups are written the same way (`groups.cubic.*.spurious`) and are not meant here. */
bool weir_query_is_pattern(const char *name);
/* Hands each such number to take(); nulls are left out. FOUND also when all were null. */
enum weir_query_result weir_query_each(const json_t *document, const char *name,
				       void (*take)(void *ctx, double value), void *ctx,
				       char error[WEIR_QUERY_ERROR_BYTES]);

/* The name of an element of such a list; NULL if it has none. */
const char *weir_query_element_name(const json_t *element);

#endif

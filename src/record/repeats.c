/* SPDX-License-Identifier: MIT */
#include "repeats.h"

#include "core/stats.h"

#include <jansson.h>
#include <string.h>

static void put_number(struct weir_json *j, json_t *const *node, u32 n)
{
	struct weir_stats s = {0};
	double low, high;
	for (u32 i = 0; i < n; i++)
		if (json_is_number(node[i]))
			weir_stats_add(&s, json_number_value(node[i]));
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_double(j, "mean", s.mean);
	weir_json_key(j, "ci95");
	if (weir_stats_ci95(&s, &low, &high)) {
		weir_json_array(j);
		weir_json_double(j, low);
		weir_json_double(j, high);
		weir_json_array_end(j);
	} else {
		weir_json_null(j);
	}
	weir_json_put_u64(j, "n", s.n);
	weir_json_object_end(j);
}

/* The same place in all documents; a document that lacks it has NULL there. Depth is bounded by the
 * emitter that wrote the documents. */
static void put_node(struct weir_json *j, json_t *const *node, u32 n, json_t **scratch)
{
	const json_t *shape = node[0];
	for (u32 i = 0; i < n && (!shape || json_is_null(shape)); i++)
		shape = node[i];
	if (json_is_number(shape)) {
		put_number(j, node, n);
	} else if (json_is_object(shape)) {
		const char *key;
		json_t *value;
		weir_json_object(j);
		json_object_foreach((json_t *)shape, key, value)
		{
			for (u32 i = 0; i < n; i++)
				scratch[i] = json_object_get(node[i], key);
			weir_json_key(j, key);
			put_node(j, scratch, n, scratch + n);
		}
		weir_json_object_end(j);
	} else if (json_is_array(shape)) {
		weir_json_array(j);
		for (size_t k = 0; k < json_array_size(shape); k++) {
			for (u32 i = 0; i < n; i++)
				scratch[i] = json_array_get(node[i], k);
			put_node(j, scratch, n, scratch + n);
		}
		weir_json_array_end(j);
	} else if (json_is_string(shape)) {
		weir_json_string_n(j, json_string_value(shape), json_string_length(shape));
	} else if (json_is_boolean(shape)) {
		weir_json_bool(j, json_is_true(shape));
	} else {
		weir_json_null(j);
	}
}

/* Of emulated runs: means over seeds are worth no more than the worst of them. */
static void put_verdicts(struct weir_json *j, json_t *const *root, u32 n)
{
	if (!json_is_object(json_object_get(root[0], "emulation")))
		return;
	weir_json_key(j, "verdicts");
	weir_json_line(j);
	weir_json_array(j);
	for (u32 i = 0; i < n; i++)
		weir_json_string(
		    j, json_string_value(json_object_get(json_object_get(root[i], "emulation"), "verdict")));
	weir_json_array_end(j);
}

static void put_all(struct weir_json *j, json_t *const *root, u32 n, u64 first_seed, json_t **scratch)
{
	static const char *const measured[] = {"simulated_s", "events", "packets", "flows",
					       "groups",      "links",	"fct_ms",  "fairness"};
	weir_json_object(j);
	weir_json_put_u64(j, "n", n);
	weir_json_key(j, "seeds");
	weir_json_line(j);
	weir_json_array(j);
	for (u32 i = 0; i < n; i++)
		weir_json_u64(j, first_seed + i);
	weir_json_array_end(j);
	put_verdicts(j, root, n);
	for (size_t k = 0; k < sizeof measured / sizeof measured[0]; k++) {
		for (u32 i = 0; i < n; i++)
			scratch[i] = json_object_get(root[i], measured[k]);
		weir_json_key(j, measured[k]);
		put_node(j, scratch, n, scratch + n);
	}
	weir_json_object_end(j);
}

int weir_repeats_write(struct weir_json *j, const char *const *documents, u32 n, u64 first_seed)
{
	json_t **root = calloc(n, sizeof *root);
	json_t **scratch = calloc((size_t)n * WEIR_JSON_DEPTH, sizeof *scratch);
	bool ok = root && scratch;
	for (u32 i = 0; ok && i < n; i++)
		ok = (root[i] = json_loads(documents[i], JSON_DECODE_INT_AS_REAL, NULL)) != NULL;
	if (ok)
		put_all(j, root, n, first_seed, scratch);
	for (u32 i = 0; root && i < n; i++)
		json_decref(root[i]);
	free(root);
	free(scratch);
	return ok ? 0 : -1;
}

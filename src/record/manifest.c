/* SPDX-License-Identifier: MIT */
#include "manifest.h"

#include "core/words.h"

#include <stdio.h>
#include <string.h>

static void put_list(struct weir_json *j, const char *name, const char *const *list, u32 n)
{
	weir_json_put_array(j, name);
	for (u32 i = 0; i < n; i++)
		weir_json_string(j, list[i]);
	weir_json_array_end(j);
}

bool weir_param_in_millionths(const struct weir_param *p)
{
	return !strcmp(p->unit, "ratio") || !strcmp(p->unit, "Hz");
}

static void put_param(struct weir_json *j, const struct weir_param *p, u64 value)
{
	char text[64];
	size_t bytes;
	const char *word = weir_words_are(p->unit) ? weir_words_at(p->unit, value, &bytes) : NULL;
	if (word) {
		snprintf(text, sizeof text, "%.*s", (int)bytes, word);
		weir_json_put_string(j, p->name, text);
	} else if (weir_param_in_millionths(p)) {
		weir_json_put_double(j, p->name, (double)value / 1e6);
	} else {
		weir_json_put_u64(j, p->name, value);
	}
}

static void put_params(struct weir_json *j, const struct weir_manifest_params *p, u32 n)
{
	weir_json_put_object(j, "parameters");
	for (u32 i = 0; i < n; i++) {
		weir_json_put_object(j, p[i].flow);
		for (u32 k = 0; k < p[i].n; k++) {
			const struct weir_param *param = &p[i].table[k];
			put_param(j, param, p[i].values ? p[i].values[k] : param->default_value);
		}
		weir_json_object_end(j);
	}
	weir_json_object_end(j);
}

void weir_manifest_write(struct weir_json *j, const struct weir_manifest *m)
{
	weir_json_object(j);
	weir_json_put_string(j, "schema", "weir.manifest/1");
	weir_json_put_string(j, "version", WEIR_VERSION);
	weir_json_put_string(j, "backend", m->backend);
	weir_json_put_string(j, "kernel", m->kernel);
	weir_json_put_string(j, "scenario", m->scenario);
	weir_json_put_string(j, "title", m->title);
	weir_json_put_string(j, "label", m->label);
	weir_json_put_u64(j, "seed", m->seed);
	weir_json_put_u64(j, "repeat", m->repeat);
	put_list(j, "arguments", m->arguments, m->n_arguments);
	put_list(j, "set", m->sets, m->n_sets);
	weir_json_put_string(j, "controller", m->controller);
	weir_json_put_object(j, "controllers");
	for (u32 i = 0; i < m->n_flows; i++)
		weir_json_put_string(j, m->flows[i].name, m->flows[i].controller);
	weir_json_object_end(j);
	put_params(j, m->params, m->n_params);
	weir_json_put_object(j, "axes");
	for (u32 i = 0; i < m->n_axes; i++)
		weir_json_put_string(j, m->axes[i].key, m->axes[i].value);
	weir_json_object_end(j);
	weir_json_put_array(j, "traces");
	for (u32 i = 0; i < m->n_traces; i++) {
		char hash[24];
		snprintf(hash, sizeof hash, "%016llx", m->traces[i].hash);
		weir_json_line(j);
		weir_json_object(j);
		weir_json_put_string(j, "path", m->traces[i].path);
		weir_json_put_string(j, "fnv1a", hash);
		weir_json_object_end(j);
	}
	weir_json_array_end(j);
	weir_json_put_string(j, "scenario_file", m->file);
	weir_json_key(j, "scenario_text");
	weir_json_string_n(j, m->text, m->text_bytes);
	weir_json_put_string(j, "controller_header", m->header_text);
	weir_json_object_end(j);
}

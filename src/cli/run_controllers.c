/* SPDX-License-Identifier: MIT */
#include "run_controllers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_MAX_BYTES (1 << 20)

struct taking {
	struct weir_run_controllers *to;
	const struct weir_invocation *call;
	bool emulated;
	struct weir_registry *registry;
};

/* For the manifest; a header that was just compiled can be read. NULL when it vanished meanwhile. */
static char *read_header(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = in ? malloc(HEADER_MAX_BYTES) : NULL;
	size_t n = text ? fread(text, 1, HEADER_MAX_BYTES - 1, in) : 0;
	if (in)
		fclose(in);
	if (text)
		text[n] = 0;
	char *exact = text ? strdup(text) : NULL;
	free(text);
	return exact;
}

static void print_message(char *message)
{
	if (message)
		fprintf(stderr, "%s%s", message,
			*message && message[strlen(message) - 1] != '\n' ? "\n" : "");
	free(message);
}

/* In an emulation it is compiled once more, for the kernel. */
static int compile(const struct taking *t, const char *path, struct weir_plugin *plugin,
		   struct weir_plugin_kernel *compiled)
{
	char *message = NULL;
	int code = weir_plugin_open(path, plugin, &message);
	print_message(message);
	if (code || !t->emulated)
		return code;
	code = weir_plugin_kernel_open(path, &plugin->ops, compiled, &message);
	print_message(message);
	const struct weir_kern_object object = {&plugin->ops, compiled->data, compiled->bytes, NULL};
	if (code == 0 && weir_registry_add_kernel(t->registry, &object) < 0)
		code = WEIR_EXIT_FAILED;
	return code;
}

static int add_plugin(struct taking *t, const char *path)
{
	struct weir_run_controllers *c = t->to;
	u32 i = c->n_plugins++;
	struct weir_plugin *plugin = &c->plugin[i];
	int code = compile(t, path, plugin, &c->compiled[i]);
	if (code)
		return code;
	c->header[i] = read_header(path);
	c->controller[c->n++] = (struct weir_plan_controller){
	    .name = plugin->ops.name, .ops.cc = &plugin->ops, .header_text = c->header[i]};
	/* A scenario may name it too, unless that word means another one already. */
	if (!weir_registry_find(t->registry, plugin->ops.name) &&
	    weir_registry_add(t->registry, plugin->ops.name, &c->controller[c->n - 1].ops) < 0)
		return WEIR_EXIT_FAILED;
	return 0;
}

static int unknown(const struct taking *t, const char *name)
{
	const char *near = weir_registry_nearest(t->registry, name);
	const char *native = t->emulated ? "; kernel:NAME means one of the kernel's own" : "";
	if (near)
		return weir_error(t->call, WEIR_EXIT_USAGE, "--controller %s: unknown; did you mean %s?%s",
				  name, near, native);
	return weir_error(t->call, WEIR_EXIT_USAGE,
			  "--controller %s: unknown; `weir list controllers` shows all, a path to a header "
			  "(./mine.h) brings your own%s",
			  name, native);
}

static int add(struct taking *t, const char *value)
{
	struct weir_run_controllers *c = t->to;
	const char *name = strncmp(value, "kernel:", 7) == 0 ? value + 7 : value;
	/* In an emulation kernel:X is the kernel's, whether Weir has it or not; the machine is asked later.
	 */
	if (t->emulated && name != value) {
		c->controller[c->n++] = (struct weir_plan_controller){.name = value};
		return 0;
	}
	if (weir_plugin_is_path(value))
		return add_plugin(t, value);
	const struct weir_controller *ops = weir_registry_find(t->registry, name);
	if (!ops)
		return unknown(t, name);
	if (name != value && !ops->cc)
		return weir_error(t->call, WEIR_EXIT_USAGE,
				  "--controller %s: no kernel has a controller of this kind (%s): write %s",
				  value, weir_controller_about(ops).kind, name);
	/* kernel:X in the simulator is Weir's X, and the records say so. */
	c->controller[c->n++] = (struct weir_plan_controller){.name = value, .ops = *ops};
	return 0;
}

int weir_run_controllers_take(struct weir_run_controllers *c, const struct weir_invocation *call,
			      bool emulated, struct weir_registry *registry)
{
	struct taking t = {c, call, emulated, registry};
	const char *value;
	int first = 0;
	for (u32 i = 0; (value = weir_option_at(call, "controller", i)) != NULL; i++) {
		int code = i < WEIR_RUN_CONTROLLERS_MAX
			       ? add(&t, value)
			       : weir_error(call, WEIR_EXIT_USAGE, "more than %d controllers",
					    WEIR_RUN_CONTROLLERS_MAX);
		first = first ? first : code;
		if (i >= WEIR_RUN_CONTROLLERS_MAX)
			break;
	}
	return first;
}

void weir_run_controllers_free(struct weir_run_controllers *c)
{
	for (u32 i = 0; i < c->n_plugins; i++) {
		weir_plugin_kernel_close(&c->compiled[i]);
		weir_plugin_close(&c->plugin[i]);
		free(c->header[i]);
	}
	memset(c, 0, sizeof *c);
}

/* SPDX-License-Identifier: MIT */
#include "age/table.h"
#include "core/nearest.h"
#include "core/rng.h"
#include "source.h"
#include "values.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* A command is a process each time. */
/* Where packets wait for each other in groups (Wi-Fi) or round trips are short, an age controller finds
 * nothing that speaks against ever more; nobody looks a thousand times a second. */
#define CEILING_UHZ 1000000000ULL
#define SENSOR_CEILING_UHZ 20000000

/* ---- controller ---- */

static const struct weir_age_ops *find_controller(const struct weir_invocation *call, int *wrong)
{
	const char *name = weir_option(call, "controller");
	const struct weir_age_ops *ops = weir_age_find(name ? name : "acp-robust");
	if (ops)
		return ops;
	struct weir_nearest near = weir_nearest_to(name ? name : "");
	for (u32 i = 0; i < weir_age_count(); i++)
		weir_nearest_try(&near, weir_age_at(i)->name);
	if (near.name)
		*wrong = weir_usage_error(call, "unknown age controller \"%.60s\"; did you mean %s?", name,
					  near.name);
	else
		*wrong = weir_usage_error(
		    call, "unknown age controller \"%.60s\"; `weir list controllers` names those of kind age",
		    name);
	return NULL;
}

static void take_controller(const struct weir_invocation *call, struct weir_source_run *r, int *wrong)
{
	const char *argument;
	const struct weir_age_ops *ops = find_controller(call, wrong);
	if (!ops)
		return;
	if (ops->n_params > sizeof r->params / sizeof r->params[0]) {
		*wrong = weir_error(call, WEIR_EXIT_FAILED, "%s has too many parameters", ops->name);
		return;
	}
	weir_age_defaults(ops, r->params);
	for (u32 i = 0; (argument = weir_option_at(call, "set", i)) != NULL; i++) {
		int bad = weir_set_param(call, argument, ops->name, ops->params, ops->n_params, r->params);
		*wrong = bad ? bad : *wrong;
	}
	r->config.source = weir_source_defaults(ops, r->params);
	r->config.answers_marks =
	    !strcmp(ops->name, "acp-robust"); /* the papers' controllers know of no marks */
}

/* ---- input ---- */

static void take_input(const struct weir_invocation *call, struct weir_source_run *r, int *wrong)
{
	struct weir_input_options *o = &r->input_options;
	o->file = weir_option(call, "file");
	o->command = weir_option(call, "command");
	bool records = weir_option(call, "record");
	if ((o->file != NULL) + (o->command != NULL) + records > 1)
		*wrong = weir_usage_error(call, "--record, --file and --command exclude each other");
	o->kind = o->file      ? WEIR_INPUT_FILE
		  : o->command ? WEIR_INPUT_COMMAND
		  : records    ? WEIR_INPUT_RECORDS
			       : WEIR_INPUT_LINES;
	int bad = weir_option_u64(call, "record", 1, WEIR_AGE_VALUE_BYTES_MAX, &o->record_bytes);
	*wrong = bad ? bad : *wrong;
	o->every_ns = WEIR_NS_PER_S;
	o->timeout_ns = 10 * WEIR_NS_PER_S;
	weir_option_positive(call, "every", WEIR_QUANTITY_TIME, &o->every_ns, wrong);
	weir_option_positive(call, "timeout", WEIR_QUANTITY_TIME, &o->timeout_ns, wrong);
	if (weir_option(call, "every") && !o->file)
		*wrong = weir_usage_error(call, "--every belongs to --file");
	if (weir_option(call, "timeout") && !o->command)
		*wrong = weir_usage_error(call, "--timeout belongs to --command");
}

static void take_rates(const struct weir_invocation *call, struct weir_source_run *r, int *wrong)
{
	struct weir_source_config *s = &r->config.source;
	bool is_fixed = s->ops && !strcmp(s->ops->name, "fixed");
	u64 floor_uhz = 0, ceiling_uhz = r->input_options.command ? SENSOR_CEILING_UHZ
					 : is_fixed		  ? 0
								  : CEILING_UHZ;
	weir_option_positive(call, "floor", WEIR_QUANTITY_FREQUENCY, &floor_uhz, wrong);
	weir_option_positive(call, "ceiling", WEIR_QUANTITY_FREQUENCY, &ceiling_uhz, wrong);
	weir_option_positive(call, "max-age", WEIR_QUANTITY_TIME, &s->max_age_ns, wrong);
	if (!weir_option(call, "ceiling") && !r->input_options.command && ceiling_uhz)
		ceiling_uhz = weir_max(ceiling_uhz, floor_uhz);
	s->floor_hz = (double)floor_uhz / 1e6;
	s->ceiling_hz = (double)ceiling_uhz / 1e6;
	if (ceiling_uhz && floor_uhz > ceiling_uhz)
		*wrong = weir_usage_error(call, "--floor is above the ceiling of %g Hz", s->ceiling_hz);
}

/* ---- who and where ---- */

static void take_identity(const struct weir_invocation *call, struct weir_source_run *r, int *wrong)
{
	struct weir_source_config *s = &r->config.source;
	const char *id = weir_option(call, "id");
	u64 random[2] = {0};
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		*wrong = weir_error(call, WEIR_EXIT_MACHINE, "no random numbers from the kernel");
	s->incarnation = (u32)random[0];
	s->first_sequence = 1;
	s->flow_id = random[1];
	if (!id)
		return;
	if (!*id || strlen(id) > WEIR_SOURCE_NAME_BYTES) {
		*wrong =
		    weir_usage_error(call, "--id: from 1 to %d bytes are expected", WEIR_SOURCE_NAME_BYTES);
		return;
	}
	snprintf(r->config.name, sizeof r->config.name, "%s", id);
	u64 x = weir_rng_point(id);
	s->flow_id = weir_splitmix64(&x);
}

static void take_addresses(const struct weir_invocation *call, struct weir_source_run *r, int *wrong)
{
	char host[WEIR_NET_HOST_BYTES], why[WEIR_NET_WHY_BYTES];
	struct weir_source_host_config *c = &r->config;
	u16 port = WEIR_PORT_DEFAULT;
	if (!weir_address_split(call->operands[0], host, &port, why) || port == 0) {
		*wrong = weir_usage_error(call, "%s", port ? why : "port 0 is none");
		return;
	}
	if (*wrong) /* names are asked for when all else is right */
		return;
	snprintf(c->host, sizeof c->host, "%s", host);
	c->port = port;
	c->loopback_only = !r->session.keyed && !r->session.insecure;
	c->n_to = weir_address_resolve(host, port, c->to, WEIR_SOURCE_HOST_ADDRESSES, why);
	if (c->n_to == 0)
		*wrong = weir_error(call, WEIR_EXIT_USAGE, "%s", why);
	for (u32 i = 0; i < c->n_to && !*wrong; i++)
		*wrong = weir_session_options_allow(call, &r->session, &c->to[i]);
}

int weir_source_options_take(const struct weir_invocation *call, struct weir_source_run *r)
{
	int wrong = 0;
	r->linger_ns = 10 * WEIR_NS_PER_S;
	take_controller(call, r, &wrong);
	take_input(call, r, &wrong);
	take_rates(call, r, &wrong);
	take_identity(call, r, &wrong);
	weir_option_quantity(call, "linger", WEIR_QUANTITY_TIME, &r->linger_ns, &wrong);
	weir_option_positive(call, "duration", WEIR_QUANTITY_TIME, &r->duration_ns, &wrong);
	r->json = weir_option(call, "json");
	r->quiet = weir_option(call, "quiet");
	r->config.source.resend = true;
	int bad = weir_session_options_take(call, false, &r->session);
	wrong = bad ? bad : wrong;
	take_addresses(call, r, &wrong);
	return wrong;
}

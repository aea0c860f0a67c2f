/* SPDX-License-Identifier: MIT */
#include "monitor.h"
#include "values.h"

#include <string.h>
#include <sys/random.h>

#define SOURCES_MAX 10000000u
#define PORT_PAGE 8050
#define PORT_METRICS 9050

static void take_exec(const struct weir_invocation *call, struct weir_monitor_run *r, int *wrong)
{
	u64 jobs = 16;
	r->exec.command = weir_option(call, "exec");
	r->exec.timeout_ns = 60 * WEIR_NS_PER_S;
	weir_option_positive(call, "exec-timeout", WEIR_QUANTITY_TIME, &r->exec.timeout_ns, wrong);
	int bad = weir_option_u64(call, "exec-jobs", 1, WEIR_EXEC_JOBS_MAX, &jobs);
	*wrong = bad ? bad : *wrong;
	r->exec.jobs = (u32)jobs;
	if (!r->exec.command && (weir_option(call, "exec-timeout") || weir_option(call, "exec-jobs")))
		*wrong = weir_usage_error(call, "--exec-timeout and --exec-jobs belong to --exec");
}

static void take_address(const struct weir_invocation *call, struct weir_monitor_run *r, int *wrong)
{
	char host[WEIR_NET_HOST_BYTES], why[WEIR_NET_WHY_BYTES];
	u16 port = WEIR_PORT_DEFAULT;
	if (!weir_address_split(call->n_operands ? call->operands[0] : "", host, &port, why)) {
		*wrong = weir_usage_error(call, "%s", why);
		return;
	}
	r->n_at = weir_address_resolve(host, port, r->at, *host ? 1 : 2, why);
	if (r->n_at == 0)
		*wrong = weir_error(call, WEIR_EXIT_USAGE, "%s", why);
	for (u32 i = 0; i < r->n_at && !*wrong; i++)
		*wrong = weir_session_options_allow(call, &r->session, &r->at[i]);
}

static void take_web(const struct weir_invocation *call, struct weir_monitor_run *r, const char *option,
		     bool page, int *wrong)
{
	char host[WEIR_NET_HOST_BYTES], why[WEIR_NET_WHY_BYTES], text[WEIR_ADDRESS_TEXT];
	const char *value = weir_option(call, option);
	struct weir_monitor_web *w = &r->web[r->n_webs];
	u16 port = page ? PORT_PAGE : PORT_METRICS;
	if (!value)
		return;
	if (!weir_address_split(value, host, &port, why)) {
		*wrong = weir_usage_error(call, "--%s: %s", option, why);
	} else if (weir_address_resolve(host, port, &w->at, 1, why) == 0) {
		*wrong = weir_error(call, WEIR_EXIT_USAGE, "--%s: %s", option, why);
	} else if (!weir_address_is_loopback(&w->at) && !weir_option(call, "open-web")) {
		*wrong = weir_error(
		    call, WEIR_EXIT_USAGE,
		    "--%s: %s is not this machine, and a page has no keys: whoever reaches it can read it.\n"
		    "--open-web says that this is meant",
		    option, weir_address_print(&w->at, text));
	}
	w->page = page;
	r->n_webs++;
}

int weir_monitor_options_take(const struct weir_invocation *call, struct weir_monitor_run *r)
{
	int wrong = 0, bad;
	u64 sources = 65536;
	r->config.expiry_ns = 3600 * WEIR_NS_PER_S;
	if (getrandom(&r->config.seed, sizeof r->config.seed, 0) != (ssize_t)sizeof r->config.seed)
		wrong = weir_error(call, WEIR_EXIT_MACHINE, "no random numbers from the kernel");
	if ((bad = weir_option_u64(call, "sources", 1, SOURCES_MAX, &sources)) != 0 ||
	    (bad = weir_option_u64(call, "count", 1, 1ULL << 53, &r->count)) != 0)
		wrong = bad;
	r->config.capacity = (u32)sources;
	weir_option_positive(call, "expire", WEIR_QUANTITY_TIME, &r->config.expiry_ns, &wrong);
	weir_option_positive(call, "age-bound", WEIR_QUANTITY_TIME, &r->config.bound_ns, &wrong);
	weir_option_positive(call, "duration", WEIR_QUANTITY_TIME, &r->duration_ns, &wrong);
	r->quiet = weir_option(call, "quiet");
	take_exec(call, r, &wrong);
	take_web(call, r, "http", true, &wrong);
	take_web(call, r, "metrics", false, &wrong);
	bad = weir_session_options_take(call, true, &r->session);
	wrong = bad ? bad : wrong;
	take_address(call, r, &wrong);
	return wrong;
}

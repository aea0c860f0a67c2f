/* SPDX-License-Identifier: MIT */
/* `weir monitor`: fresh values of many sources, by one port. */
#include "monitor.h"

#include "weir/num.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define END_WAIT_NS WEIR_NS_PER_S /* for whoever reads our output, at the end */

static double unix_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void on_fresh(void *owner, const struct weir_monitor_value *v)
{
	struct weir_monitor_run *r = owner;
	struct weir_told told;
	told.place = v->place;
	told.bytes = (u32)weir_min(v->bytes, sizeof told.data);
	told.sequence = v->sequence;
	told.unix_s = unix_s();
	told.age = weir_monitor_age(v->monitor, v->now_ns);
	memcpy(told.id, v->id, sizeof told.id);
	snprintf(told.key, sizeof told.key, "%s", v->from->who);
	memcpy(told.data, v->data, told.bytes);
	weir_ndjson_value(r->ndjson, &told);
	if (r->exec.command)
		weir_exec_value(&r->exec, v->now_ns, &told);
	if (r->n_webs)
		weir_monitor_web_value(r, v->now_ns, &told);
}

static void on_gone(void *owner, u32 place)
{
	struct weir_monitor_run *r = owner;
	if (r->live)
		weir_board_gone(r->live, place);
}

static void on_contested(void *owner, u32 place)
{
	struct weir_monitor_run *r = owner;
	if (r->contested)
		return;
	r->contested = true;
	fprintf(stderr,
		"weir monitor: two sources say that they are \"%s\", and each takes the other's place: give "
		"each an --id of its own\n",
		r->host.id[place]);
}

static bool goes_on(struct weir_monitor_run *r, u64 now_ns)
{
	if (weir_loop_came(&r->loop, SIGINT) || weir_loop_came(&r->loop, SIGTERM) ||
	    weir_loop_came(&r->loop, SIGHUP))
		return false;
	int error = weir_ndjson_error(r->ndjson);
	if (error) {
		/* Who has read enough has gone: that is no failure. */
		if (error != EPIPE)
			r->code = weir_error(r->call, WEIR_EXIT_FAILED, "stdout: %s", strerror(error));
		return false;
	}
	if (r->count && r->host.delivered >= r->count)
		return false;
	return !r->duration_ns || now_ns < r->begun_ns + r->duration_ns;
}

static void run_loop(struct weir_monitor_run *r)
{
	for (u64 now_ns = weir_clock_ns(); goes_on(r, now_ns); now_ns = weir_clock_ns()) {
		u64 next_ns = weir_monitor_host_step(&r->host);
		if (weir_ndjson_step(r->ndjson))
			next_ns = weir_min(next_ns, now_ns + WEIR_NDJSON_RETRY_NS);
		if (r->exec.command)
			next_ns = weir_min(next_ns, weir_exec_step(&r->exec, now_ns));
		if (r->n_webs)
			next_ns = weir_min(next_ns, weir_monitor_web_step(r, now_ns));
		if (r->duration_ns)
			next_ns = weir_min(next_ns, r->begun_ns + r->duration_ns);
		/* A reader that goes away is noticed within a second. */
		next_ns = weir_min(next_ns, now_ns + WEIR_NS_PER_S);
		if (weir_loop_wait(&r->loop, next_ns) < 0) {
			r->code = weir_error(r->call, WEIR_EXIT_FAILED, "%s", strerror(errno));
			return;
		}
	}
}

static int listen_at(struct weir_monitor_run *r, u32 i)
{
	char why[WEIR_NET_WHY_BYTES];
	struct weir_address at = r->at[i];
	/* "One port": where the kernel chose it for the first address, the second takes the same. */
	if (i && weir_address_port(&at) == 0)
		at.v6.sin6_port = htons(weir_address_port(&r->host.port[0].udp.local));
	struct weir_monitor_port *p = weir_monitor_host_listen(&r->host, &at, why);
	if (!p && i && (errno != EADDRINUSE || weir_address_port(&r->at[i]) == 0)) /* no IPv6 here */
		return WEIR_EXIT_OK;
	if (!p)
		return weir_error(r->call, WEIR_EXIT_MACHINE, "%s", why);
	const struct weir_guard_port port = weir_monitor_host_guard_port(p);
	p->guard = weir_session_guard(r->call, &r->session, &port);
	return p->guard ? WEIR_EXIT_OK : WEIR_EXIT_FAILED;
}

static void tell_addresses(const struct weir_monitor_run *r)
{
	char text[WEIR_ADDRESS_TEXT];
	if (r->quiet)
		return;
	for (u32 i = 0; i < r->host.n_ports; i++)
		fprintf(stderr, "%s%s", i ? ", " : "listening at ",
			weir_address_print(&r->host.port[i].udp.local, text));
	fprintf(stderr, "%s\n", r->session.keyed ? "" : " (no keys)");
	for (u32 i = 0; i < r->n_webs; i++)
		fprintf(stderr, "%s at http://%s/%s\n", r->web[i].page ? "page" : "metrics",
			weir_address_print(&r->web[i].at, text), r->web[i].page ? "" : "metrics");
}

static int begin(struct weir_monitor_run *r)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	char why[WEIR_NET_WHY_BYTES];
	signal(SIGPIPE, SIG_IGN);
	if (weir_loop_open(&r->loop) < 0 || weir_loop_signals(&r->loop, signals, 3) < 0)
		return weir_error(r->call, WEIR_EXIT_MACHINE, "%s", strerror(errno));
	r->config.fresh = on_fresh;
	r->config.gone = on_gone;
	r->config.contested = on_contested;
	r->config.owner = r;
	if (weir_monitor_host_open(&r->host, &r->loop, &r->config, why) < 0)
		return weir_error(r->call, WEIR_EXIT_MACHINE, "%s", why);
	for (u32 i = 0; i < r->n_at; i++) {
		int code = listen_at(r, i);
		if (code)
			return code;
	}
	r->ndjson = weir_ndjson_new(STDOUT_FILENO);
	if (!r->ndjson || (r->exec.command && weir_exec_open(&r->exec, &r->loop) < 0))
		return weir_error(r->call, WEIR_EXIT_FAILED, "%s", strerror(errno));
	int code = weir_monitor_web_open(r);
	if (code == WEIR_EXIT_OK)
		tell_addresses(r);
	return code;
}

static int cmd_monitor(struct weir_invocation *call)
{
	if (weir_option(call, "make-key"))
		return weir_session_make_key(call, weir_option(call, "make-key"));
	struct weir_monitor_run *r = calloc(1, sizeof *r);
	if (!r)
		return weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	r->call = call;
	r->loop.epoll_fd = r->loop.signals.fd = -1;
	r->code = weir_monitor_options_take(call, r);
	if (r->code == WEIR_EXIT_OK)
		r->code = begin(r);
	if (r->code == WEIR_EXIT_OK) {
		r->begun_ns = weir_clock_ns();
		run_loop(r);
	}
	weir_monitor_web_close(r);
	weir_exec_close(&r->exec);
	if (r->ndjson)
		weir_ndjson_end(r->ndjson, END_WAIT_NS);
	weir_monitor_host_close(&r->host);
	weir_loop_close(&r->loop);
	weir_session_options_free(&r->session);
	int code = r->code;
	free(r);
	return code;
}

static const struct weir_option options[] = {
    {.name = "http",
     .value = "[ADDRESS]:PORT",
     .help = "a live page of all sources, and /metrics; ':8050' is this machine's"},
    {.name = "metrics", .value = "[ADDRESS]:PORT", .help = "/metrics for Prometheus, without the page"},
    {.name = "open-web", .help = "let --http and --metrics be seen beyond this machine"},
    {.name = "exec", .value = "CMD", .help = "run CMD for fresh values, which it finds on stdin"},
    {.name = "exec-jobs",
     .value = "N",
     .help = "of all sources together at a time (16); of one source always 1"},
    {.name = "exec-timeout", .value = "TIME", .help = "CMD is ended after TIME (60 s)"},
    {.name = "sources", .value = "N", .help = "the most that are kept in mind (65536)"},
    {.name = "expire", .value = "TIME", .help = "a source not heard of for TIME is forgotten (1 h)"},
    {.name = "age-bound", .value = "TIME", .help = "count the time that values are older than TIME"},
    {.name = "count", .value = "N", .help = "stop after N values"},
    {.name = "duration", .value = "TIME", .help = "stop after TIME"},
    WEIR_OPTIONS_SESSION_MONITOR,
    {.name = "quiet", .letter = 'q', .help = "nothing on stderr but errors"},
    {0},
};

const struct weir_command weir_cmd_monitor = {
    .name = "monitor",
    .synopsis = "[ADDRESS[:PORT]] [--http :PORT] [--exec CMD] ...",
    .help = "take the values of many sources, newest only, with their age",
    .details =
	"Each fresh value is one line of JSON on stdout: who sent it, its number, how old it was when it "
	"came\n"
	"(and by how much that may be off, for two clocks are compared), and the value. A value that comes "
	"after a\n"
	"newer one is never told. Who reads slowly gets the newest of each source when it reads on.\n"
	"\n"
	"  weir monitor | jq -r .value\n"
	"  weir monitor --exec 'mosquitto_pub -t \"weir/$WEIR_ID\" -s'\n"
	"  weir monitor --http :8050\n"
	"  weir monitor '*' --insecure\n"
	"\n"
	"CMD runs in sh, finds the value on stdin and in WEIR_VALUE, and WEIR_ID, WEIR_SEQ, WEIR_AGE_MS and\n"
	"WEIR_AGE_ERROR_MS; what it prints goes to stderr. Of one source it runs once at a time; a newer "
	"value\n"
	"replaces the one that waits. Without an address this machine alone is heard: 127.0.0.1 and ::1, "
	"port 49050;\n"
	"'*' is every address, and needs keys or --insecure.",
    .options = options,
    .operands_max = 1,
    .run = cmd_monitor,
};

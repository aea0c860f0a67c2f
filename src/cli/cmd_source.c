/* SPDX-License-Identifier: MIT */
/* `weir source`: newest values to a monitor, as often as the path keeps their age low. */
#include "source.h"

#include "weir/num.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether it goes on: not after a signal, the end of the time, or when the last value has arrived. */
static bool goes_on(struct weir_source_run *r, u64 now_ns)
{
	struct weir_source *s = &r->host.source;
	if (weir_loop_came(&r->loop, SIGINT) || weir_loop_came(&r->loop, SIGTERM) ||
	    weir_loop_came(&r->loop, SIGHUP))
		return false;
	if (r->input.broken)
		r->code = WEIR_EXIT_FAILED;
	if (r->duration_ns && now_ns >= r->begun_ns + r->duration_ns)
		return false;
	if (!r->input.ended)
		return true;
	if (r->give_up_ns == 0) {
		r->give_up_ns = now_ns + r->linger_ns;
		weir_source_hurry(s, now_ns);
	}
	if (weir_source_settled(s))
		return false;
	if (now_ns < r->give_up_ns)
		return true;
	if (r->host.heard) {
		weir_error(r->call, WEIR_EXIT_OK, "the last value was not acknowledged");
		return false;
	}
	const char *why = r->host.guard->ops->why(r->host.guard);
	weir_progress_end(&r->bar);
	r->code = weir_error(r->call, WEIR_EXIT_FAILED, "no answer from %s%s%s", r->peer, *why ? ": " : "",
			     *why ? why : ": does `weir monitor` run there?");
	return false;
}

static void run_loop(struct weir_source_run *r)
{
	for (u64 now_ns = weir_clock_ns(); goes_on(r, now_ns); now_ns = weir_clock_ns()) {
		u64 next_ns = weir_input_step(&r->input, now_ns);
		next_ns = weir_min(next_ns, weir_source_host_step(&r->host));
		/* What has just been sent or acknowledged may let the sensor be asked. */
		if (r->input_options.kind == WEIR_INPUT_COMMAND)
			next_ns = weir_min(next_ns, weir_input_step(&r->input, weir_clock_ns()));
		next_ns = weir_min(next_ns, weir_source_print_progress(r, now_ns));
		if (r->duration_ns)
			next_ns = weir_min(next_ns, r->begun_ns + r->duration_ns);
		if (r->give_up_ns)
			next_ns = weir_min(next_ns, r->give_up_ns);
		else if (r->input.ended)
			continue;
		if (weir_loop_wait(&r->loop, next_ns) < 0) {
			r->code = weir_error(r->call, WEIR_EXIT_FAILED, "%s", strerror(errno));
			return;
		}
	}
}

static int begin(struct weir_source_run *r)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	char why[WEIR_NET_WHY_BYTES];
	signal(SIGPIPE, SIG_IGN);
	if (weir_loop_open(&r->loop) < 0 || weir_loop_signals(&r->loop, signals, 3) < 0)
		return weir_error(r->call, WEIR_EXIT_MACHINE, "%s", strerror(errno));
	r->config.value = weir_input_value;
	r->config.owner = &r->input;
	if (weir_source_host_open(&r->host, &r->loop, &r->config, why) < 0)
		return weir_error(r->call, WEIR_EXIT_MACHINE, "%s", why);
	const struct weir_guard_port port = weir_source_host_port(&r->host);
	r->host.guard = weir_session_guard(r->call, &r->session, &port);
	if (!r->host.guard)
		return WEIR_EXIT_FAILED;
	r->begun_ns = weir_clock_ns();
	weir_progress_start(&r->bar, "");
	weir_source_host_begin(&r->host);
	weir_source_print_progress(r, r->begun_ns);
	return weir_input_open(&r->input, r->call, &r->loop, &r->host, &r->input_options);
}

static int cmd_source(struct weir_invocation *call)
{
	struct weir_source_run *r = calloc(1, sizeof *r);
	if (!r)
		return weir_error(call, WEIR_EXIT_FAILED, "out of memory");
	r->call = call;
	r->loop.epoll_fd = r->loop.signals.fd = r->host.watch.fd = r->input.watch.fd = -1;
	r->code = weir_source_options_take(call, r);
	if (r->code == WEIR_EXIT_OK)
		r->code = begin(r);
	if (r->code == WEIR_EXIT_OK) {
		run_loop(r);
		r->ended_ns = weir_clock_ns();
		weir_source_print_end(r);
	}
	weir_input_close(&r->input);
	weir_source_host_close(&r->host);
	weir_loop_close(&r->loop);
	weir_session_options_free(&r->session);
	int code = r->code;
	free(r);
	return code;
}

static const struct weir_option options[] = {
    {.name = "record", .value = "BYTES", .help = "values are records of BYTES on stdin instead of lines"},
    {.name = "file", .value = "PATH", .help = "the value is the content of PATH, whenever it changes"},
    {.name = "every",
     .value = "TIME",
     .help = "how often PATH is looked at where the kernel does not tell (1 s)"},
    {.name = "command",
     .value = "CMD",
     .help = "the value is what CMD prints: asked just before it can leave"},
    {.name = "timeout", .value = "TIME", .help = "CMD is ended after TIME (10 s)"},
    {.name = "id", .value = "NAME", .help = "what the monitor calls this source (a random number)"},
    {.name = "controller", .value = "NAME", .help = "age controller (acp-robust); `weir list controllers`"},
    {.name = "set", .value = "KEY=VALUE", .repeat = true, .help = "a parameter of the controller"},
    {.name = "max-age", .value = "TIME", .help = "an older value is not sent any more (never)"},
    {.name = "floor", .value = "RATE", .help = "least updates a second, such as '2 Hz' (none)"},
    {.name = "ceiling",
     .value = "RATE",
     .help = "most updates a second (1 kHz; 20 Hz with --command; none with fixed)"},
    {.name = "linger",
     .value = "TIME",
     .help = "how long the last value is tried after the end of stdin (10 s)"},
    {.name = "duration", .value = "TIME", .help = "stop after TIME"},
    WEIR_OPTIONS_SESSION_SOURCE,
    {.name = "quiet", .letter = 'q', .help = "no progress, no word about a silent monitor"},
    WEIR_OPTION_JSON,
    {0},
};

const struct weir_command weir_cmd_source = {
    .name = "source",
    .synopsis = "HOST[:PORT] [--file PATH | --command CMD | --record BYTES] [--id NAME] ...",
    .help = "send the newest value to a monitor, as often as keeps it fresh there",
    .details = "Values are lines on stdin unless an option says otherwise. There is no queue: what cannot "
	       "leave yet is\n"
	       "replaced by what is newer. How often updates leave is up to the age controller, which "
	       "watches the path.\n"
	       "\n"
	       "  sensors | weir source monitor.example --id greenhouse\n"
	       "  weir source 127.0.0.1 --command 'cat /proc/loadavg' --ceiling '5 Hz'\n"
	       "  weir source '[2001:db8::1]:49050' --file /run/position --max-age '2 s'\n"
	       "\n"
	       "Beyond this machine it speaks only with keys, or where --insecure says so. At the end of "
	       "stdin the last\n"
	       "value is sent until it is acknowledged. Exit status 1: nobody answered. The port is 49050 "
	       "unless given.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = cmd_source,
};

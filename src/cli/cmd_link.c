/* SPDX-License-Identifier: MIT */
#include "link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SNAP_MIN_BYTES 64
#define SNAP_MAX_BYTES 65535

/* ---- options ---- */

/* NAME on|off. */
static bool on_off(const struct weir_invocation *call, const char *name, int *wrong)
{
	const char *text = weir_option(call, name);
	if (!text || strcmp(text, "on") == 0)
		return true;
	if (strcmp(text, "off") != 0)
		*wrong = weir_usage_error(call, "--%s %s: on or off is expected", name, text);
	return false;
}

static enum weir_realtime realtime_of(const struct weir_invocation *call, int *wrong)
{
	static const char *const words[] = {"auto", "on", "off"}; /* in the order of the enum */
	const char *text = weir_option(call, "realtime");
	u32 i = 0;
	while (text && i < 3 && strcmp(words[i], text) != 0)
		i++;
	if (i == 3)
		*wrong = weir_usage_error(call, "--realtime %s: auto, on or off is expected", text);
	return (enum weir_realtime)(i % 3);
}

/* The file appears at the end, maybe hours later: whether it can is asked now. */
static void check_verdict(const struct weir_invocation *call, const char *path, int *wrong)
{
	char folder[4096];
	const char *slash = strrchr(path, '/');
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
	if (access(folder, W_OK) != 0)
		*wrong = weir_error(call, WEIR_EXIT_LINK, "--verdict %s: %s", path, strerror(errno));
}

static int take_options(const struct weir_invocation *call, struct weir_link_options *o)
{
	int wrong = 0;
	u64 number;
	*o = (struct weir_link_options){.hosts = 1, .seed = 1, .snap_bytes = SNAP_MAX_BYTES};
	if ((number = (u64)weir_option_u64(call, "hosts", 1, WEIR_SITE_HOSTS_MAX, &o->hosts)) != 0 ||
	    (number = (u64)weir_option_u64(call, "seed", 0, 9007199254740991, &o->seed)) != 0 ||
	    (number = (u64)weir_option_u64(call, "snap", SNAP_MIN_BYTES, SNAP_MAX_BYTES, &o->snap_bytes)) !=
		0)
		wrong = (int)number;
	o->isolated = weir_option(call, "isolated") || o->hosts > 1;
	o->ecn = weir_option(call, "ecn");
	o->quiet = weir_option(call, "quiet");
	o->json = weir_option(call, "json");
	o->stamp = on_off(call, "stamp", &wrong);
	o->offload = on_off(call, "offload", &wrong);
	o->gso = on_off(call, "gso", &wrong);
	o->realtime = realtime_of(call, &wrong);
	o->beyond = weir_option(call, "beyond");
	o->log = weir_option(call, "log");
	o->capture = weir_option(call, "pcap");
	o->verdict = weir_option(call, "verdict");
	o->command = call->operands;
	if (weir_option(call, "snap") && !o->capture)
		wrong = weir_usage_error(call, "--snap belongs to --pcap");
	if (o->verdict && !wrong)
		check_verdict(call, o->verdict, &wrong);
	return wrong;
}

/* ---- from start to end ---- */

struct command {
	const struct weir_invocation *call;
	struct weir_link_options options;
	struct weir_link_scenario scenario;
	struct weir_link_network network;
	struct weir_link_hosts hosts;
	struct weir_link_wait wait;
};

static int own_failure(const struct command *c, const char *why)
{
	weir_error(c->call, WEIR_EXIT_FAILED, "%s", why);
	return WEIR_EXIT_LINK;
}

static bool any_ran(const struct weir_link_hosts *h)
{
	for (u32 i = 0; i < h->n; i++)
		if (h->command[i].code != WEIR_EXIT_NOT_FOUND &&
		    h->command[i].code != WEIR_EXIT_NOT_EXECUTABLE)
			return true;
	return false;
}

/* The commands' own time. WEIR_EXIT_OK, or the status of a failure of ours. */
static int run_commands(struct command *c)
{
	char why[WEIR_WHY_BYTES];
	struct weir_link_network *n = &c->network;
	if (weir_link_hosts_fork(&c->hosts, n, c->scenario.label, &c->wait.before) < 0)
		return own_failure(c, strerror(errno));
	if (weir_link_network_start(n, why) < 0)
		return own_failure(c, why);
	weir_link_hosts_release(&c->hosts, c->call);
	c->wait.command = c->hosts.command;
	c->wait.beyond = c->hosts.beyond;
	c->wait.n = c->hosts.n;
	c->wait.n_beyond = c->hosts.n_beyond;
	bool good = weir_link_wait_all(&c->wait);
	weir_link_wait_end(&c->wait);
	weir_link_network_stop(n);
	if (good)
		return WEIR_EXIT_OK;
	snprintf(why, sizeof why, "a device of the link failed, or was removed: %s", strerror(n->error));
	return own_failure(c, why);
}

static int finish(struct command *c, u32 left_over)
{
	char why[WEIR_WHY_BYTES];
	struct weir_link_report report = {.call = c->call,
					  .options = &c->options,
					  .network = &c->network,
					  .hosts = &c->hosts,
					  .code = weir_link_hosts_code(&c->hosts),
					  .left_over = left_over};
	int failed = 0;
	if (weir_link_network_close_logs(&c->network, why) < 0)
		failed = own_failure(c, why);
	if (weir_link_report(&report) != WEIR_EXIT_OK)
		failed = WEIR_EXIT_LINK;
	if (report.code)
		return report.code;
	return failed ? failed : report.invalid ? WEIR_EXIT_INVALID : WEIR_EXIT_OK;
}

static int run(struct command *c)
{
	char why[WEIR_WHY_BYTES];
	bool rootless;
	struct weir_link_network *n = &c->network;
	n->options = &c->options;
	n->path = &c->scenario.path;
	n->site.lease = -1;
	n->failure = c->wait.failure;
	if (weir_link_network_open_logs(n, why) < 0)
		return own_failure(c, why);
	if (weir_netns_prepare(&rootless, why) < 0)
		return weir_error(c->call, WEIR_EXIT_MACHINE, "%s", why);
	int code = weir_link_network_open(n, !rootless && !c->options.isolated, why) < 0 ? own_failure(c, why)
											 : run_commands(c);
	weir_link_hosts_end(&c->hosts, c->call);
	u32 left_over = weir_link_network_end_processes(n);
	if (code == WEIR_EXIT_OK)
		code = any_ran(&c->hosts) ? finish(c, left_over) : weir_link_hosts_code(&c->hosts);
	return code;
}

static int cmd_link(struct weir_invocation *call)
{
	struct command *c = calloc(1, sizeof *c);
	if (!c)
		return weir_error(call, WEIR_EXIT_LINK, "out of memory");
	c->call = call;
	int code = take_options(call, &c->options);
	if (code == WEIR_EXIT_OK)
		code = weir_link_scenario_read(call, &c->scenario);
	if (code == WEIR_EXIT_OK) {
		weir_link_wait_begin(&c->wait);
		code = run(c);
		weir_link_network_close(&c->network);
	}
	weir_link_scenario_free(&c->scenario);
	free(c);
	return code;
}

static const struct weir_option options[] = {
    {.name = "rate", .value = "RATE", .help = "of both directions (unlimited)"},
    {.name = "delay", .value = "TIME", .help = "of each direction: half the round trip (0)"},
    {.name = "buffer", .value = "SIZE", .help = "in bytes, packets, ms or BDP (1 BDP, at least 10 packets)"},
    {.name = "loss", .value = "SHARE", .help = "of packets lost at random, behind the queue: 1% or .01"},
    {.name = "trace", .value = "UP,DOWN", .help = "rates that vary: two files, or one for both directions"},
    {.name = "aqm", .value = "NAME", .help = "droptail, drophead, red, codel, pie or fq_codel"},
    {.name = "ecn", .help = "hosts ask for ECN on TCP, and the AQM marks instead of dropping"},
    {.name = "up",
     .value = "KEY=VALUE",
     .repeat = true,
     .help = "a hop's key of docs/formats.md, for one way"},
    {.name = "down", .value = "KEY=VALUE", .repeat = true, .help = "the same for the way back to COMMAND"},
    {.name = "scenario", .value = "FILE", .help = "the path of a scenario instead: several hops, both ways"},
    {.name = "path", .value = "NAME", .help = "which path of it, where it has several"},
    {.name = "set", .value = "KEY=VALUE", .repeat = true, .help = "change a key of that scenario, dotted"},
    {.name = "hosts",
     .value = "N",
     .help = "N hosts on each side of one shared path, COMMAND in each left one"},
    {.name = "isolated", .help = "the far end is a namespace of its own, not this one"},
    {.name = "beyond", .value = "COMMAND", .help = "run by sh at the far end as long as COMMAND runs"},
    {.name = "log", .value = "FILE", .help = "FILE.up and FILE.down, in mahimahi's format"},
    {.name = "pcap", .value = "FILE", .help = "packets as seen at this end; FILE-beyond at the far end"},
    {.name = "snap", .value = "BYTES", .help = "of each packet in them (all)"},
    {.name = "verdict", .value = "FILE", .help = "what was asked and what was delivered, as JSON"},
    WEIR_OPTION_JSON,
    {.name = "quiet", .letter = 'q', .help = "no verdict on stderr"},
    WEIR_OPTION_SEED,
    {.name = "realtime", .value = "auto|on|off", .help = "real-time priority of the link (auto)"},
    {.name = "stamp", .value = "on|off", .help = "arrival times by the kernel (on, where it can)"},
    {.name = "offload", .value = "on|off", .help = "take super-packets and cut them (on)"},
    {.name = "gso", .value = "on|off", .help = "let senders make super-packets at all (on)"},
    {0},
};

const struct weir_command weir_cmd_link = {
    .name = "link",
    .synopsis = "[--rate R] [--delay D] [--buffer B] [--trace UP,DOWN] [--verdict FILE] ... [-- COMMAND...]",
    .help = "run a command or a shell behind an emulated link that certifies itself",
    .details =
	"COMMAND runs in a network namespace of its own whose only way out is the link; without one it is "
	"your\n"
	"shell. WEIR_PEER (WEIR_PEER6) is the address beyond the link. Links nest: start one inside "
	"another.\n"
	"\n"
	"  weir link --rate 96Mbit/s --delay 25ms --buffer 2BDP\n"
	"  weir link --rate 12Mbit/s --delay 10ms -- sh -c 'ping -c 5 $WEIR_PEER'\n"
	"  weir link --delay 20ms --down rate=50Mbit/s --up rate=5Mbit/s --up loss=1%\n"
	"  weir link --rate 1Gbit/s --delay 25ms --beyond 'iperf3 -s' -- sh -c 'iperf3 -c $WEIR_PEER'\n"
	"  weir link --scenario scenarios/lte.yaml --log lte -- ./measure\n"
	"\n"
	"Afterwards one line says whether the link did what was asked: faithful (within 1 %), degraded (5 %) "
	"or\n"
	"invalid. The exit status is COMMAND's (128 + its signal); 125 where weir itself failed, 126 and "
	"127\n"
	"where COMMAND cannot be run, 4 where COMMAND succeeded on an invalid link, 2 usage, 3 the machine "
	"lacks\n"
	"something. With --hosts it is the first failure's, by number. docs/link.md tells the rest.",
    .options = options,
    .operands_max = WEIR_ANY,
    .run = cmd_link,
};

/* SPDX-License-Identifier: MIT */
/* The outside observer as a program: see probe.h, docs/emulation.md and --help. One JSON document on stdout.
 */
#include "probe.h"
#include "record/json.h"

#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "usage: probe --to ADDRESS [option...]\n"
    "  --near PATH --far PATH   network namespaces of the two ends, as in /proc/PID/ns/net (here)\n"
    "  --port N                 (7000)\n"
    "  --rate BPS --size BYTES  what is sent, in IP bytes (100000, 500)\n"
    "  --burst N                so many packets are handed over as one super-packet (1)\n"
    "  --poisson                at random times, so that no clock is in step with it\n"
    "  --reply N, --reply-size  each N-th packet is answered (1, 84); 0: none\n"
    "  --seconds S --skip S     how long (2), and how much of the beginning does not count (.5)\n"
    "  --tick US                the sender wakes at most that often (0)\n"
    "  --link BPS, --link-down BPS, --delay MS   the link that it should be (no limit, 0)\n"
    "  --window MS              for rates (100)\n"
    "  --plain                  no stamps of departures: rates only\n"
    "  --ecn                    packets say that they can be marked\n";

_Noreturn void probe_die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fprintf(stderr, "probe: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(1);
}

static double number(const char *name, const char *text, double max)
{
	char *end;
	double x = strtod(text, &end);
	if (end == text || *end || !(x >= 0 && x <= max))
		probe_die("--%s %s: give a number from 0 to %.0f", name, text, max);
	return x;
}

static void read_address(struct probe_config *c, const char *address, const char *port)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_DGRAM},
			*found;
	if (getaddrinfo(address, port, &hints, &found))
		probe_die("%s port %s: give a numeric address and port", address, port);
	memcpy(&c->to, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
}

enum {
	NEAR = 1,
	FAR,
	TO,
	PORT,
	RATE,
	SIZE,
	REPLY,
	REPLY_SIZE,
	SECONDS,
	SKIP,
	TICK,
	LINK,
	LINK_DOWN,
	DELAY,
	WINDOW,
	BURST,
	POISSON,
	PLAIN,
	ECN,
	HELP
};
static const struct option options[] = {{"near", 1, NULL, NEAR},
					{"far", 1, NULL, FAR},
					{"to", 1, NULL, TO},
					{"port", 1, NULL, PORT},
					{"rate", 1, NULL, RATE},
					{"size", 1, NULL, SIZE},
					{"reply", 1, NULL, REPLY},
					{"reply-size", 1, NULL, REPLY_SIZE},
					{"seconds", 1, NULL, SECONDS},
					{"skip", 1, NULL, SKIP},
					{"tick", 1, NULL, TICK},
					{"link", 1, NULL, LINK},
					{"link-down", 1, NULL, LINK_DOWN},
					{"delay", 1, NULL, DELAY},
					{"window", 1, NULL, WINDOW},
					{"burst", 1, NULL, BURST},
					{"poisson", 0, NULL, POISSON},
					{"plain", 0, NULL, PLAIN},
					{"ecn", 0, NULL, ECN},
					{"help", 0, NULL, HELP},
					{NULL, 0, NULL, 0}};

static void read_number(struct probe_config *c, int which, const char *name, const char *text)
{
	switch (which) {
	case RATE:
		c->rate_bps = (u64)number(name, text, 1e11);
		break;
	case SIZE:
		c->size_bytes = (u32)number(name, text, 65000);
		break;
	case REPLY:
		c->reply_every = (u32)number(name, text, 1e9);
		break;
	case REPLY_SIZE:
		c->reply_size_bytes = (u32)number(name, text, 65000);
		break;
	case SECONDS:
		c->seconds_ns = (u64)(number(name, text, 600) * 1e9);
		break;
	case SKIP:
		c->skip_ns = (u64)(number(name, text, 600) * 1e9);
		break;
	case BURST:
		c->burst = (u32)number(name, text, PROBE_BATCH);
		break;
	case TICK:
		c->tick_ns = (u64)(number(name, text, 1e6) * 1e3);
		break;
	case LINK:
		c->link_bps[PROBE_UP] = (u64)number(name, text, 1e12);
		c->link_bps[PROBE_DOWN] =
		    c->link_bps[PROBE_DOWN] ? c->link_bps[PROBE_DOWN] : c->link_bps[PROBE_UP];
		break;
	case LINK_DOWN:
		c->link_bps[PROBE_DOWN] = (u64)number(name, text, 1e12);
		break;
	case DELAY:
		c->delay_ns = (u64)(number(name, text, 1e5) * 1e6);
		break;
	default:
		c->window_ns = (u64)(number(name, text, 1e5) * 1e6);
	}
}

static void read_options(struct probe_config *c, int argc, char **argv)
{
	const char *address = NULL, *port = "7000";
	for (int at = 0, which; (which = getopt_long(argc, argv, "", options, &at)) != -1;) {
		if (which == NEAR)
			c->near_path = optarg;
		else if (which == FAR)
			c->far_path = optarg;
		else if (which == TO)
			address = optarg;
		else if (which == PORT)
			port = optarg;
		else if (which == POISSON)
			c->poisson = true;
		else if (which == PLAIN)
			c->plain = true;
		else if (which == ECN)
			c->ecn = true;
		else if (which == HELP || which == '?')
			exit((fputs(usage, which == '?' ? stderr : stdout), which == '?' ? 2 : 0));
		else
			read_number(c, which, options[at].name, optarg);
	}
	if (!address || optind < argc)
		exit((fputs(usage, stderr), 2));
	read_address(c, address, port);
	u32 least = probe_header_bytes(&c->to) + (u32)sizeof(struct probe_wire);
	if (c->size_bytes < least || c->reply_size_bytes < least)
		probe_die("sizes are at least %u bytes", least);
	if (c->burst == 0 || c->burst * c->size_bytes > 65000)
		probe_die("a burst is at least one packet and less than 65000 bytes");
	if (c->rate_bps == 0 || c->skip_ns >= c->seconds_ns || c->window_ns == 0)
		probe_die("rate and window are not 0, and what counts is longer than what does not");
}

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		probe_die("memory: %s", strerror(errno));
	return p;
}

static struct probe_shared *share(const struct probe_config *c)
{
	struct probe_shared *s = map(sizeof(*s));
	double packets = (double)c->rate_bps * (double)c->seconds_ns / 8e9 / c->size_bytes;
	double room[PROBE_WAYS] = {packets * 1.3 + 1000,
				   c->reply_every ? packets * 1.3 / c->reply_every + 1000 : 1};
	for (int way = 0; way < PROBE_WAYS; way++) {
		if (room[way] > PROBE_PACKETS_MAX)
			probe_die("more than %u packets: make it shorter", PROBE_PACKETS_MAX);
		s->room[way] = (u32)room[way];
		s->packets[way] = map(s->room[way] * sizeof(struct probe_packet));
	}
	return s;
}

static void put_quantiles(struct weir_json *j, const char *name, const struct probe_quantiles *q)
{
	weir_json_key(j, name);
	if (q->n == 0) {
		weir_json_null(j);
		return;
	}
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_u64(j, "n", q->n);
	weir_json_put_double(j, "min", q->min_us);
	weir_json_put_double(j, "p50", q->p50_us);
	weir_json_put_double(j, "p90", q->p90_us);
	weir_json_put_double(j, "p99", q->p99_us);
	weir_json_put_double(j, "max", q->max_us);
	weir_json_object_end(j);
}

static void put_way(struct weir_json *j, const char *name, const struct probe_way *w, bool plain)
{
	weir_json_put_object(j, name);
	weir_json_put_u64(j, "sent", w->sent);
	weir_json_put_u64(j, "received", w->received);
	weir_json_put_u64(j, "lost", w->lost);
	weir_json_put_u64(j, "unstamped", w->unstamped);
	weir_json_put_u64(j, "ce", w->ce);
	put_quantiles(j, "error_us", &w->error);
	weir_json_key(j, "rate_bps");
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_double(j, "mean", w->rates.mean_bps);
	weir_json_put_double(j, "min", w->rates.min_bps);
	weir_json_put_double(j, "p50", w->rates.p50_bps);
	weir_json_put_double(j, "max", w->rates.max_bps);
	weir_json_object_end(j);
	if (!plain) {
		weir_json_put_double(j, "missed_fraction", w->missed_fraction);
		weir_json_put_double(j, "ideal_queue_max_packets", w->ideal_queue_max_packets);
	}
	weir_json_object_end(j);
}

static int print(const struct probe_config *c, const struct probe_shared *s, const struct probe_report *r)
{
	struct weir_json j;
	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	put_way(&j, "up", &r->way[PROBE_UP], c->plain);
	put_way(&j, "down", &r->way[PROBE_DOWN], c->plain);
	put_quantiles(&j, "rtt_error_us", &r->rtt_error);
	put_quantiles(&j, "process_rtt_error_us", &r->process_rtt_error);
	weir_json_put_u64(&j, "clock_steps", atomic_load(&s->clock_steps));
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

int main(int argc, char **argv)
{
	struct probe_config c = {.rate_bps = 100000,
				 .size_bytes = 500,
				 .reply_size_bytes = 84,
				 .reply_every = 1,
				 .burst = 1,
				 .seconds_ns = 2000000000,
				 .skip_ns = 500000000,
				 .window_ns = 100000000};
	read_options(&c, argc, argv);
	struct probe_shared *s = share(&c);
	pid_t self = getpid(), far = fork();
	if (far < 0)
		probe_die("fork: %s", strerror(errno));
	if (far == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == self)
			probe_far(&c, s);
		_exit(0);
	}
	for (int status; !atomic_load(&s->far_ready); usleep(1000))
		if (waitpid(far, &status, WNOHANG) == far)
			probe_die("the far end ended");
	probe_near(&c, s);
	waitpid(far, NULL, 0);
	struct probe_report report;
	if (probe_replay(&c, s, &report) < 0)
		probe_die("out of memory");
	return print(&c, s, &report) < 0;
}

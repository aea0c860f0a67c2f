/* SPDX-License-Identifier: MIT */
#include "recovery.h"

#include "core/stats.h"
#include "emu/netns.h"
#include "lanes.h"
#include "machine.h"

#include <string.h>

/* 20 Mbit/s and a round trip of 20 ms: losses of .1 % leave a Reno most of it, 1 % makes it depend on them.
 */
#define RATE_BPS 20000000
#define DELAY_NS (10 * WEIR_NS_PER_MS)
#define BUFFER_BYTES 50000 /* 1 BDP */
/* The first slow start is told apart: native cubic ends it by another rule (docs/kernel.md). */
#define WARM_NS WEIR_NS_PER_S
#define GOODPUT_WITHIN .03
#define OVERFLOWS_PERCENT .03 /* of the packets: two or three in five seconds */
#define INVALID_MAX 2
#define SSTHRESH_MAX 1000 /* packets: many times what the path holds */

enum { OURS, NATIVE, KINDS };
static const char *const native[] = {"reno", "cubic"};
#define CONTROLLERS 2
static const double losses[] = {0, .001, .01};
static const char *const loss_names[] = {"0", ".1", "1"};
#define LOSSES 3
#define CELLS (CONTROLLERS * LOSSES)

/* What is known to differ though the repair of losses does not, and by how much of the native goodput:
 * docs/kernel.md has the arithmetic. */
static const struct {
	u32 controller, loss;
	double low, high;
	const char *reason;
} known[] = {
    {1, 1, -.03, .10, "RFC 9438's W_est, a segment a round past the old window, seen at each ACK, in bytes"},
    {1, 2, .10, .40, "RFC 9438's W_est, a segment a round past the old window, seen at each ACK, in bytes"},
};

struct cell {
	struct weir_stats goodput_Mbps[KINDS], difference_Mbps;
	struct weir_stats again_percent[KINDS], start_again[KINDS], timeouts[KINDS];
};

/* Lane 2 c + kind is of cell c; a cell is a controller and a loss. */
static void make_lanes(struct lane lane[CELLS * KINDS], const struct weir_kern kern[CONTROLLERS])
{
	for (u32 i = 0; i < CELLS * KINDS; i++) {
		u32 cell = i / KINDS;
		lane[i] = (struct lane){
		    .controller = i % KINDS == OURS ? kern[cell / LOSSES].name : native[cell / LOSSES],
		    .losses = loss_names[cell % LOSSES],
		    .loss = losses[cell % LOSSES],
		    .rate_bps = RATE_BPS,
		    .delay_ns = DELAY_NS,
		    .buffer_bytes = BUFFER_BYTES,
		};
	}
}

static void take(struct cell *cell, const struct lane_seen *seen)
{
	for (u32 kind = 0; kind < KINDS; kind++) {
		const struct lane_seen *s = &seen[kind];
		weir_stats_add(&cell->goodput_Mbps[kind], s->rest.goodput_bps / 1e6);
		weir_stats_add(&cell->again_percent[kind],
			       100 * (double)s->rest.again / (double)weir_max(s->rest.packets, 1));
		weir_stats_add(&cell->start_again[kind], (double)s->start.again);
		weir_stats_add(&cell->timeouts[kind], (double)s->timeouts);
	}
	weir_stats_add(&cell->difference_Mbps,
		       (seen[OURS].rest.goodput_bps - seen[NATIVE].rest.goodput_bps) / 1e6);
}

/* NULL: it agrees; or in which known way it does not; or "FAILED". */
static const char *judge_goodput(const struct cell *c, u32 cell, double within)
{
	double low = 0, high = 0, by = c->difference_Mbps.mean / c->goodput_Mbps[NATIVE].mean;
	bool told = weir_stats_ci95(&c->difference_Mbps, &low, &high) && (low > 0 || high < 0);
	bool near = by <= GOODPUT_WITHIN && by >= -GOODPUT_WITHIN;
	bool wild = within > 0 && (by > within || by < -within);
	if (near || (!told && !wild))
		return NULL;
	for (u32 i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i].controller == cell / LOSSES && known[i].loss == cell % LOSSES &&
		    by >= known[i].low - within && by <= known[i].high + within)
			return known[i].reason;
	return "FAILED: goodput";
}

static bool repeats_agree(const struct cell *c)
{
	double low[KINDS] = {0}, high[KINDS] = {0};
	for (u32 kind = 0; kind < KINDS; kind++)
		weir_stats_ci95(&c->again_percent[kind], &low[kind], &high[kind]);
	return low[OURS] <= high[NATIVE] && low[NATIVE] <= high[OURS];
}

/* Without random losses every run is nearly the same, and so is its difference: a packet more or less when
 * the queue overflows, since our window is the nearest number of packets. Told, where the intervals are
 * apart. */
static bool only_overflows_differ(const struct cell *c, u32 cell)
{
	double by = c->again_percent[OURS].mean - c->again_percent[NATIVE].mean;
	return losses[cell % LOSSES] <= 0 && by <= OVERFLOWS_PERCENT && by >= -OVERFLOWS_PERCENT;
}

static double half(const struct weir_stats *s)
{
	double low = 0, high = 0;
	return weir_stats_ci95(s, &low, &high) ? (high - low) / 2 : 0;
}

static int report(const struct cell *cell, const struct recovery_plan *plan)
{
	int result = 0;
	printf("%u pairs of %.1f s, %d Mbit/s, RTT %llu ms, %d kB; mean +- half of its 95 %% interval\n",
	       plan->rounds, (double)plan->duration_ns / 1e9, RATE_BPS / 1000000,
	       2 * DELAY_NS / WEIR_NS_PER_MS, BUFFER_BYTES / 1000);
	printf(
	    "loss %% | controller | goodput Mbit/s | native | difference | sent again %% | native | of the "
	    "first second, packets | native | timeouts | native\n");
	for (u32 i = 0; i < CELLS; i++) {
		const struct cell *c = &cell[i];
		const char *goodput = judge_goodput(c, i, plan->goodput_within);
		bool again = repeats_agree(c), known_again = !again && only_overflows_differ(c, i);
		printf("%s | %s", loss_names[i % LOSSES], native[i / LOSSES]);
		for (u32 kind = 0; kind < KINDS; kind++)
			printf(" | %.3f +- %.3f", c->goodput_Mbps[kind].mean, half(&c->goodput_Mbps[kind]));
		printf(" | %+.3f +- %.3f", c->difference_Mbps.mean, half(&c->difference_Mbps));
		for (u32 kind = 0; kind < KINDS; kind++)
			printf(" | %.4f +- %.4f", c->again_percent[kind].mean, half(&c->again_percent[kind]));
		for (u32 kind = 0; kind < KINDS; kind++)
			printf(" | %.1f", c->start_again[kind].mean);
		for (u32 kind = 0; kind < KINDS; kind++)
			printf(" | %.2f", c->timeouts[kind].mean);
		printf("%s%s%s\n", goodput ? "\n    " : "", goodput ? goodput : "",
		       again	     ? ""
		       : known_again ? "\n    a packet more or less at each overflow of the queue"
				     : "\n    FAILED: sent again");
		result |= (goodput && !strncmp(goodput, "FAILED", 6)) || !(again || known_again);
	}
	return result;
}

/* Under whatever name is free: others may have the same controllers in the kernel. */
static int load(struct weir_kern kern[CONTROLLERS], u32 *loaded)
{
	char why[WEIR_KERN_WHY_BYTES], list[WEIR_KTCP_WHY_BYTES];
	for (u32 i = 0; i < CONTROLLERS; i++) {
		struct weir_kern_object object;
		if (!weir_ktcp_has_controller(native[i], list)) {
			printf("this kernel has no %s of its own\n", native[i]);
			return WEIR_EXIT_SKIPPED;
		}
		if (!weir_kern_object_find(native[i], &object) ||
		    weir_kern_host(&kern[i], &object, NULL, false, why)) {
			printf("FAILED: %s\n", why);
			return WEIR_EXIT_FAILED;
		}
		(*loaded)++;
	}
	return 0;
}

static int rounds(const struct recovery_plan *plan, const struct weir_kern kern[CONTROLLERS],
		  struct cell cell[CELLS])
{
	struct lane lane[CELLS * KINDS];
	u32 invalid = 0;
	make_lanes(lane, kern);
	for (u32 round = 0; round < plan->rounds;) {
		struct lane_seen seen[CELLS * KINDS];
		struct weir_judgement judgement;
		char why[WEIR_KTCP_WHY_BYTES];
		int code = lanes_run(lane, CELLS * KINDS, round + 1, WARM_NS, plan->duration_ns, seen,
				     &judgement, why);
		if (code) {
			printf("%s%s\n", code == WEIR_EXIT_MACHINE ? "" : "FAILED: ", why);
			return code == WEIR_EXIT_MACHINE ? WEIR_EXIT_SKIPPED : code;
		}
		printf("round %u: %s: %s\n", round + 1, weir_verdict_names[judgement.verdict],
		       judgement.reason);
		fflush(stdout);
		if (judgement.verdict == WEIR_INVALID) {
			if (invalid++ < INVALID_MAX)
				continue;
			printf("this machine is too busy for the emulated links: %s\n", judgement.reason);
			return WEIR_EXIT_SKIPPED;
		}
		for (u32 i = 0; i < CELLS; i++) {
			/* All of them have lost something: the controller's own ssthresh is seen from
			 * outside. */
			if (seen[i * KINDS + OURS].ssthresh_packets > SSTHRESH_MAX) {
				printf("FAILED: %s shows no ssthresh\n", lane[i * KINDS + OURS].controller);
				return WEIR_EXIT_FAILED;
			}
			take(&cell[i], &seen[i * KINDS]);
		}
		round++;
	}
	return 0;
}

int recovery_compare(const struct recovery_plan *plan)
{
	struct weir_kern kern[CONTROLLERS];
	struct cell cell[CELLS];
	char why[WEIR_WHY_BYTES];
	bool rootless;
	u32 loaded = 0;
	memset(cell, 0, sizeof cell);
	if (weir_kern_preflight(machine_say, NULL))
		return WEIR_EXIT_SKIPPED;
	if (weir_netns_prepare(&rootless, why)) {
		puts(why);
		return WEIR_EXIT_SKIPPED;
	}
	int result = load(kern, &loaded);
	if (!result)
		result = rounds(plan, kern, cell);
	if (!result)
		result = report(cell, plan);
	for (u32 i = 0; i < loaded; i++)
		weir_kern_close(&kern[i]);
	return result;
}

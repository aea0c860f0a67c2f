/* SPDX-License-Identifier: MIT */
/* Nanoseconds of CPU for one packet through a line, push and pop together, in a tight loop: the floor
 * under every simulation. Prints one line for each kind of traffic. */
#include "link/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PACKETS 10000000
#define RUNS 5

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Two sizes in turn, each offered at the rate of a 96 Mbit/s link. */
static double run(struct weir_line *line, u16 first, u16 second, u64 *checksum)
{
	u64 now_ns = line->free_ns, due_ns;
	struct weir_packet out;
	double start_s = cpu_s();
	for (u64 i = 0; i < PACKETS; i++) {
		struct weir_packet p = {.ref = i, .flow = 1, .bytes = i & 1 ? second : first};
		weir_line_push(line, now_ns, &p);
		now_ns += p.bytes * 1000ULL / 12;
		while (weir_line_pop(line, now_ns, &out, &due_ns))
			*checksum += due_ns ^ out.ref;
	}
	return (cpu_s() - start_s) / PACKETS * 1e9;
}

int main(void)
{
	static const struct {
		const char *name;
		u16 first, second;
		u64 rate_bps, limit_packets;
		bool histogram;
	} kinds[] = {{"one size", 1500, 1500, 96000000, 1000, false},
		     {"one size, waits recorded", 1500, 1500, 96000000, 1000, true},
		     {"two sizes", 1500, 52, 96000000, 1000, false},
		     {"overload, buffer of 4", 1500, 1500, 95000000, 4, false},
		     {"delay only", 1500, 1500, 0, 0, false}};
	u64 checksum = 0;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		static struct weir_hist wait;
		double best = 1e9;
		for (int r = 0; r < RUNS; r++) {
			struct weir_line line;
			struct weir_line_config c = {.rate_bps = kinds[i].rate_bps,
						     .delay_ns = 25 * WEIR_NS_PER_MS,
						     .limit_packets = kinds[i].limit_packets};
			if (weir_line_init(&line, &c, (struct weir_link_owner){0}) < 0)
				return 1;
			line.link.stats.wait = kinds[i].histogram ? &wait : NULL;
			double ns = run(&line, kinds[i].first, kinds[i].second, &checksum);
			best = ns < best ? ns : best;
			weir_line_fini(&line);
		}
		printf("%-26s %5.2f ns a packet\n", kinds[i].name, best);
	}
	printf("checksum %llx\n", checksum);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "lanes.h"

#include "core/exit_code.h"
#include "emu/ferry.h"
#include "emu/site.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FIRST_PORT 5000
#define SAMPLE_NS (20 * WEIR_NS_PER_MS)
/* From the start of the ferry to that of the flows: a second of it is for the handshakes. */
#define LEAD_NS (WEIR_NS_PER_S + 200 * WEIR_NS_PER_MS)

struct lanes {
	struct weir_site site;
	struct weir_ferry *ferry;
	struct weir_ktcp_flow *flow[LANES_MAX];
	u32 n;
	volatile sig_atomic_t stop;
	int carried;
};

static u64 clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

static void sleep_until(u64 at_ns)
{
	const struct timespec t = {(time_t)(at_ns / WEIR_NS_PER_S), (long)(at_ns % WEIR_NS_PER_S)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

static struct sockaddr_in6 address(const struct lanes *l, u32 side, u32 i)
{
	struct sockaddr_in6 out = {0};
	const struct sockaddr_in in = {.sin_family = AF_INET,
				       .sin_port = htons((u16)(FIRST_PORT + i)),
				       .sin_addr = {htonl(l->site.host[side][i].address)}};
	memcpy(&out, &in, sizeof in);
	return out;
}

static int start_flows(struct lanes *l, const struct lane *lane, char why[WEIR_KTCP_WHY_BYTES])
{
	for (u32 i = 0; i < l->n; i++) {
		const struct weir_ktcp_config c = {
		    .sender_ns = l->site.host[WEIR_LEFT][i].ns.fd,
		    .receiver_ns = l->site.host[WEIR_RIGHT][i].ns.fd,
		    .sender = address(l, WEIR_LEFT, i),
		    .receiver = address(l, WEIR_RIGHT, i),
		    .controller = lane[i].controller,
		    .app = {.kind = WEIR_APP_BULK, .chunk_bytes = 1448},
		    .seed = 1,
		    .flow = i,
		    .start_ns = WEIR_NEVER,
		    .stop_ns = WEIR_NEVER,
		    .sample_ns = SAMPLE_NS,
		};
		l->flow[i] = weir_ktcp_start(&c, why);
		if (!l->flow[i])
			return -1;
	}
	return 0;
}

static int make_ferry(struct lanes *l, const struct lane *lane, u64 seed)
{
	l->ferry =
	    weir_ferry_new(&(struct weir_ferry_config){.seed = seed, .base_rtt_ns = 2 * lane[0].delay_ns});
	for (u32 i = 0; l->ferry && i < l->n; i++) {
		struct weir_hop_config up = {.name = lane[i].losses, .delay_ns = lane[i].delay_ns},
				       down = {.name = "back", .delay_ns = lane[i].delay_ns};
		up.rate.bps = lane[i].rate_bps;
		up.queue.limit_bytes = lane[i].buffer_bytes;
		if (lane[i].loss > 0)
			up.before.loss =
			    (struct weir_loss_config){.model = WEIR_LOSS_BERNOULLI, .p = lane[i].loss};
		for (u32 way = 0; way < WEIR_WAYS; way++) {
			u32 hop = weir_ferry_add_hop(l->ferry, way == WEIR_UP ? &up : &down);
			if (hop == WEIR_FERRY_NONE ||
			    weir_ferry_add_path(l->ferry, &hop, 1, way) == WEIR_FERRY_NONE ||
			    weir_ferry_add_port(l->ferry, &l->site.host[way][i].tun, 2 * i + way,
						2 * i + (way == WEIR_UP)) == WEIR_FERRY_NONE)
				return -1;
		}
	}
	return l->ferry ? 0 : -1;
}

static void *carry(void *lanes)
{
	struct lanes *l = lanes;
	l->carried = weir_ferry_run(l->ferry, &l->stop, WEIR_NEVER);
	return NULL;
}

static struct lane_part between(const struct weir_ktcp_info *a, const struct weir_ktcp_info *b, u64 ns)
{
	return (struct lane_part){
	    .goodput_bps = (double)(b->acked_bytes - a->acked_bytes) * 8e9 / (double)ns,
	    .packets = b->data_segments - a->data_segments,
	    .again = b->retransmitted_segments - a->retransmitted_segments,
	};
}

/* By the samples nearest to the borders. False: the flow never got through. */
static bool read_flow(const struct weir_ktcp_flow *f, u64 start_ns, u64 warm_ns, u64 duration_ns,
		      struct lane_seen *out)
{
	struct weir_ktcp_info info, warm = {0}, end = {0};
	u64 at_ns, warm_at_ns = 0, end_at_ns = 0;
	for (u64 i = weir_ktcp_first_sample(f); weir_ktcp_sample(f, i, &at_ns, &info); i++) {
		if (at_ns > start_ns + duration_ns)
			break;
		if (at_ns <= start_ns + warm_ns) {
			warm = info;
			warm_at_ns = at_ns;
		}
		end = info;
		end_at_ns = at_ns;
	}
	if (warm_at_ns <= start_ns || end_at_ns <= warm_at_ns)
		return false;
	*out = (struct lane_seen){
	    .start = between(&(struct weir_ktcp_info){0}, &warm, warm_at_ns - start_ns),
	    .rest = between(&warm, &end, end_at_ns - warm_at_ns),
	    .timeouts = end.rto_total,
	    .ssthresh_packets = end.ssthresh_packets,
	};
	return true;
}

/* The flows are there; everything else is made, run, and told to end. */
static int run_flows(struct lanes *l, u64 duration_ns, u64 *start_ns, struct weir_judgement *judgement)
{
	static struct weir_fidelity fidelity;
	pthread_t thread;
	*start_ns = clock_ns() + LEAD_NS;
	weir_ferry_start(l->ferry);
	if (pthread_create(&thread, NULL, carry, l))
		return -1;
	for (u32 i = 0; i < l->n; i++)
		weir_ktcp_schedule(l->flow[i], *start_ns, WEIR_NEVER);
	sleep_until(*start_ns + duration_ns + 2 * SAMPLE_NS);
	for (u32 i = 0; i < l->n; i++)
		weir_ktcp_tell(l->flow[i]);
	l->stop = 1;
	pthread_join(thread, NULL);
	weir_ferry_fidelity(l->ferry, &fidelity);
	weir_fidelity_judge(&fidelity, judgement);
	return l->carried;
}

static int run(struct lanes *l, const struct lane *lane, u64 seed, u64 warm_ns, u64 duration_ns,
	       struct lane_seen *seen, struct weir_judgement *judgement, char why[WEIR_KTCP_WHY_BYTES])
{
	u64 start_ns;
	if (start_flows(l, lane, why))
		return WEIR_EXIT_MACHINE;
	snprintf(why, WEIR_KTCP_WHY_BYTES, "the ferry does not run");
	if (make_ferry(l, lane, seed) || run_flows(l, duration_ns, &start_ns, judgement))
		return WEIR_EXIT_FAILED;
	for (u32 i = 0; i < l->n; i++) {
		if (weir_ktcp_finish(l->flow[i], why))
			return WEIR_EXIT_FAILED;
		if (!read_flow(l->flow[i], start_ns, warm_ns, duration_ns, &seen[i])) {
			snprintf(why, WEIR_KTCP_WHY_BYTES, "%s: nothing got through", lane[i].controller);
			return WEIR_EXIT_FAILED;
		}
	}
	return 0;
}

int lanes_run(const struct lane *lane, u32 n, u64 seed, u64 warm_ns, u64 duration_ns, struct lane_seen *seen,
	      struct weir_judgement *judgement, char why[WEIR_KTCP_WHY_BYTES])
{
	static struct lanes lanes;
	char unused[WEIR_KTCP_WHY_BYTES];
	memset(&lanes, 0, sizeof lanes);
	lanes.n = n;
	if (weir_site_open(&lanes.site, &(struct weir_site_config){.hosts = n}, why))
		return WEIR_EXIT_MACHINE;
	int result = run(&lanes, lane, seed, warm_ns, duration_ns, seen, judgement, why);
	for (u32 i = 0; i < n; i++)
		if (lanes.flow[i])
			weir_ktcp_end(lanes.flow[i], unused);
	if (lanes.ferry)
		weir_ferry_free(lanes.ferry);
	weir_site_close(&lanes.site);
	return result;
}

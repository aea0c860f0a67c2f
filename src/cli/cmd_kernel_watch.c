/* SPDX-License-Identifier: MIT */
/* `weir kernel watch`: what a controller in the kernel sees and says, call by call. */
#include "kern/number.h"
#include "kern/registered.h"
#include "kernel.h"
#include "kernel_recorder.h"
#include "scenario/quantity.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define POLL_MS 100

struct watched {
	struct weir_kern_numbers numbers;
	u64 records, records_max;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

static u64 clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

static void print_record(void *context, const struct weir_kern_record *r)
{
	static const char *const kinds[] = {"packet", "ecn", "spurious"};
	struct watched *w = context;
	const struct weir_kern_call *c = &r->call;
	const struct weir_view *v = &c->view;
	bool ack = c->event == WEIR_KERN_ACK, loss = c->event == WEIR_KERN_LOSS;
	if (w->records++ >= w->records_max)
		return;
	printf("%llu,%u,%u,%u,%s,%s,%u,%llu,%llu,%llu,%llu,%llu,%u,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%u\n",
	       v->now_ns, weir_kern_number(&w->numbers, r), r->local_port, r->remote_port,
	       weir_kern_event_word(c->event), loss ? kinds[c->loss.kind < 3 ? c->loss.kind : 0] : "",
	       v->flags | (loss && c->loss.flags & WEIR_NEW_EPISODE ? 1U << 31 : 0), v->srtt_ns,
	       v->min_rtt_ns, v->inflight_bytes, v->delivered_bytes, v->delivery_Bps, v->mss_bytes,
	       ack ? c->ack.acked_bytes : 0ULL, ack ? c->ack.rtt_ns : 0ULL, ack ? c->ack.ce_bytes : 0ULL,
	       loss ? c->loss.lost_bytes : 0ULL, c->event == WEIR_KERN_IDLE ? c->idle_ns : 0ULL,
	       c->out.cwnd_bytes, c->out.pacing_Bps, r->cwnd_packets);
}

/* Until somebody or something ends it, or enough was seen. */
static void follow(struct weir_kern_watch *watch, const char *name, const u64 *records, u64 records_max,
		   u64 duration_ns)
{
	u64 begin_ns = clock_ns();
	int n = 0;
	signal(SIGINT, interrupt);
	signal(SIGTERM, interrupt);
	while (!interrupted && *records < records_max && clock_ns() - begin_ns < duration_ns &&
	       (n >= 0 || errno == EINTR)) {
		bool there = weir_kern_is_registered(name);
		n = weir_kern_watch_poll(watch, POLL_MS);
		if (!there && n == 0)
			break;
		fflush(stdout);
	}
}

static int print(const struct weir_invocation *call, const char *name, u64 records_max, u64 duration_ns)
{
	static struct watched watched;
	struct weir_kern_watch watch;
	char why[WEIR_KERN_WHY_BYTES];
	watched.records_max = records_max;
	if (weir_kern_watch_open(&watch, name, print_record, &watched, why))
		return weir_error(call, WEIR_EXIT_FAILED, "%s", why);
	puts("time_ns,socket,local_port,remote_port,event,loss,flags,srtt_ns,min_rtt_ns,inflight_bytes,"
	     "delivered_bytes,delivery_Bps,mss_bytes,acked_bytes,rtt_ns,ce_bytes,lost_bytes,idle_ns,cwnd_"
	     "bytes,"
	     "pacing_Bps,kernel_cwnd_packets");
	follow(&watch, name, &watched.records, records_max, duration_ns);
	u64 dropped = weir_kern_watch_dropped(&watch);
	weir_kern_watch_close(&watch);
	if (dropped)
		fprintf(stderr, "%llu calls more were not recorded: this program could not keep up\n",
			dropped);
	return WEIR_EXIT_OK;
}

int weir_kernel_watch(struct weir_invocation *call)
{
	static struct weir_kernel_recorder recorder;
	char name[WEIR_KERN_NAME_BYTES], error[WEIR_QUANTITY_ERROR];
	const char *duration = weir_option(call, "duration");
	u64 records_max = WEIR_NEVER, duration_ns = WEIR_NEVER;
	int code = weir_kernel_recorder_choose(&recorder, call);
	if (weir_option_u64(call, "count", 1, WEIR_NEVER, &records_max))
		code = WEIR_EXIT_USAGE;
	if (duration && !weir_quantity(duration, WEIR_QUANTITY_TIME, &duration_ns, error))
		code = weir_usage_error(call, "--duration: %s", error);
	if (code)
		return code;
	weir_kernel_name_of(call->operands[0], name);
	if (!recorder.any)
		return print(call, name, records_max, duration_ns);
	code = weir_kernel_recorder_begin(&recorder, name, NULL, NULL);
	if (code)
		return code;
	follow(&recorder.watch, name, &recorder.records, records_max, duration_ns);
	return weir_kernel_recorder_end(&recorder);
}

/* SPDX-License-Identifier: MIT */
/* `weir kernel watch`: what a controller in the kernel sees and says, call by call. */
#include "kern/registered.h"
#include "kern/watch.h"
#include "kernel.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define POLL_MS 100
#define SOCKETS_MAX 4096

/* Sockets get small numbers in the order in which they are seen. */
struct watched {
	u64 socket[SOCKETS_MAX];
	u32 n;
	u64 records, records_max;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

static u32 number_of(struct watched *w, u64 socket, bool begins)
{
	for (u32 i = w->n; i > 0 && !begins; i--)
		if (w->socket[(i - 1) % SOCKETS_MAX] == socket)
			return i;
	w->socket[w->n % SOCKETS_MAX] = socket;
	return ++w->n;
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
	       v->now_ns, number_of(w, r->socket, c->event == WEIR_KERN_INIT), r->local_port, r->remote_port,
	       weir_kern_event_word(c->event), loss ? kinds[c->loss.kind < 3 ? c->loss.kind : 0] : "",
	       v->flags | (loss && c->loss.flags & WEIR_NEW_EPISODE ? 1U << 31 : 0), v->srtt_ns,
	       v->min_rtt_ns, v->inflight_bytes, v->delivered_bytes, v->delivery_Bps, v->mss_bytes,
	       ack ? c->ack.acked_bytes : 0ULL, ack ? c->ack.rtt_ns : 0ULL, ack ? c->ack.ce_bytes : 0ULL,
	       loss ? c->loss.lost_bytes : 0ULL, c->event == WEIR_KERN_IDLE ? c->idle_ns : 0ULL,
	       c->out.cwnd_bytes, c->out.pacing_Bps, r->cwnd_packets);
}

int weir_kernel_watch(struct weir_invocation *call)
{
	static struct watched watched;
	struct weir_kern_watch watch;
	char why[WEIR_KERN_WHY_BYTES], name[WEIR_KERN_NAME_BYTES];
	watched = (struct watched){.records_max = WEIR_NEVER};
	if (weir_option_u64(call, "count", 1, WEIR_NEVER, &watched.records_max))
		return WEIR_EXIT_USAGE;
	weir_kernel_name_of(call->operands[0], name);
	if (weir_kern_watch_open(&watch, name, print_record, &watched, why))
		return weir_error(call, WEIR_EXIT_FAILED, "%s", why);
	signal(SIGINT, interrupt);
	signal(SIGTERM, interrupt);
	puts("time_ns,socket,local_port,remote_port,event,loss,flags,srtt_ns,min_rtt_ns,inflight_bytes,"
	     "delivered_bytes,delivery_Bps,mss_bytes,acked_bytes,rtt_ns,ce_bytes,lost_bytes,idle_ns,cwnd_"
	     "bytes,"
	     "pacing_Bps,kernel_cwnd_packets");
	int n = 0;
	while (!interrupted && watched.records < watched.records_max && (n >= 0 || errno == EINTR)) {
		bool there = weir_kern_is_registered(name);
		n = weir_kern_watch_poll(&watch, POLL_MS);
		if (!there && n == 0)
			break;
		fflush(stdout);
	}
	u64 dropped = weir_kern_watch_dropped(&watch);
	weir_kern_watch_close(&watch);
	if (dropped)
		fprintf(stderr, "%llu calls more were not recorded: this program could not keep up\n",
			dropped);
	return WEIR_EXIT_OK;
}

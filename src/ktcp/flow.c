/* SPDX-License-Identifier: MIT */
/* The parent's side of a flow: starts its two processes, looks at their memory, ends them. */
#include "child.h"

#include "weir/num.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WIRE_MAX_BYTES 65535
#define COPIES_MAX 1000 /* a process that died while it wrote stops nobody */

struct weir_ktcp_flow {
	struct weir_ktcp_config config;
	char controller[WEIR_KTCP_NAME_BYTES];
	struct weir_ktcp_shared *shared;
	struct weir_ktcp_crowd_shared *crowd; /* NULL: no crowd */
	struct weir_ktcp_pair pair;
};

/* ---- starting ---- */

static int complain(char why[WEIR_KTCP_WHY_BYTES], const char *what)
{
	snprintf(why, WEIR_KTCP_WHY_BYTES, "%s", what);
	return -1;
}

static int check(const struct weir_ktcp_config *c, char why[WEIR_KTCP_WHY_BYTES])
{
	sa_family_t family = c->sender.sin6_family;
	if ((family != AF_INET && family != AF_INET6) || family != c->receiver.sin6_family)
		return complain(why, "kernel flow: both addresses must be IPv4, or both IPv6");
	if (c->receiver.sin6_port == 0)
		return complain(why, "kernel flow: the receiver needs a port");
	if ((u32)c->app.kind >= WEIR_APP_KINDS)
		return complain(why, "kernel flow: no such application");
	if (weir_app_sends_datagrams(&c->app)) {
		u64 header_bytes = family == AF_INET ? 28 : 48;
		if (c->app.chunk_bytes >= header_bytes && c->app.chunk_bytes <= WIRE_MAX_BYTES)
			return 0;
		snprintf(why, WEIR_KTCP_WHY_BYTES,
			 "a datagram of %llu bytes on the wire cannot be: IP and UDP take %llu, and %d is "
			 "the most",
			 c->app.chunk_bytes, header_bytes, WIRE_MAX_BYTES);
		return -1;
	}
	if (!c->controller || !weir_ktcp_name_is_sane(c->controller)) {
		char list[WEIR_KTCP_WHY_BYTES];
		weir_ktcp_has_controller("", list);
		snprintf(why, WEIR_KTCP_WHY_BYTES,
			 "\"%.32s\" cannot be the name of a congestion control in the kernel; it has: %.128s",
			 c->controller ? c->controller : "", list);
		return -1;
	}
	return 0;
}

static int live(void *ctx, const struct weir_ktcp_birth *b)
{
	struct weir_ktcp_flow *f = ctx;
	struct weir_ktcp_child c = {.config = &f->config, .shared = f->shared, .crowd = f->crowd};
	bool sends = b->side == WEIR_KTCP_SENDER, datagrams = weir_app_sends_datagrams(&f->config.app);
	c.fault = sends ? &f->shared->sender.fault : &f->shared->receiver.fault;
	if (weir_ktcp_child_begin(&c, b) < 0)
		return 1;
	if (c.crowd)
		return sends ? weir_ktcp_crowd_sender(&c) : weir_ktcp_crowd_receiver(&c);
	if (datagrams)
		return sends ? weir_ktcp_datagram_sender(&c) : weir_ktcp_datagram_receiver(&c);
	return sends ? weir_ktcp_stream_sender(&c) : weir_ktcp_stream_receiver(&c);
}

static size_t crowd_bytes(const struct weir_ktcp_flow *f)
{
	return sizeof *f->crowd + f->config.crowd.n * sizeof f->crowd->one[0];
}

static void *map(size_t bytes)
{
	void *at =
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static int map_shared(struct weir_ktcp_flow *f)
{
	f->shared = map(sizeof *f->shared);
	if (f->shared && f->config.crowd.n)
		f->crowd = map(crowd_bytes(f));
	return f->shared && !f->config.crowd.n == !f->crowd ? 0 : -1;
}

static void unmap_shared(struct weir_ktcp_flow *f)
{
	if (f->shared)
		munmap(f->shared, sizeof *f->shared);
	if (f->crowd)
		munmap(f->crowd, crowd_bytes(f));
}

struct weir_ktcp_flow *weir_ktcp_start(const struct weir_ktcp_config *c, char why[WEIR_KTCP_WHY_BYTES])
{
	char reason[WEIR_KTCP_WHY_BYTES] = "";
	if (check(c, why) < 0)
		return NULL;
	struct weir_ktcp_flow *f = calloc(1, sizeof *f);
	if (!f) {
		complain(why, "kernel flow: out of memory");
		return NULL;
	}
	f->config = *c;
	if (c->controller) {
		strncpy(f->controller, c->controller, sizeof f->controller - 1);
		f->config.controller = f->controller;
	}
	if (map_shared(f) < 0) {
		snprintf(why, WEIR_KTCP_WHY_BYTES, "kernel flow: no shared memory: %s", strerror(errno));
		unmap_shared(f);
		free(f);
		return NULL;
	}
	const int ns[WEIR_KTCP_SIDES] = {c->sender_ns, c->receiver_ns};
	if (weir_ktcp_pair_start(&f->pair, ns, live, f, why) < 0) {
		if (weir_ktcp_end(f, reason) < 0)
			strcpy(why, reason);
		return NULL;
	}
	return f;
}

void weir_ktcp_schedule(struct weir_ktcp_flow *f, u64 start_ns, u64 stop_ns)
{
	if (f->config.start_ns != WEIR_NEVER || f->pair.told_ns)
		return;
	f->config.start_ns = start_ns;
	f->config.stop_ns = stop_ns;
	f->shared->start_ns = start_ns;
	f->shared->stop_ns = stop_ns;
	weir_ktcp_pair_signal(&f->pair, WEIR_KTCP_SCHEDULED_SIGNAL);
}

/* ---- looking ---- */

static bool failed(const struct weir_ktcp_flow *f)
{
	return f->shared->sender.fault.what != WEIR_KTCP_FINE ||
	       f->shared->receiver.fault.what != WEIR_KTCP_FINE;
}

/* What was copied while it was being written is copied again. */
static void copy_video(const struct weir_ktcp_receiver_side *r, struct weir_video *out)
{
	for (u32 i = 0; i < COPIES_MAX; i++) {
		u64 before = r->video_version;
		atomic_thread_fence(memory_order_seq_cst);
		*out = r->video;
		atomic_thread_fence(memory_order_seq_cst);
		if (before == r->video_version && !(before & 1))
			return;
	}
}

void weir_ktcp_look(const struct weir_ktcp_flow *f, struct weir_ktcp_seen *out)
{
	const struct weir_ktcp_sender_side *s = &f->shared->sender;
	const struct weir_ktcp_receiver_side *r = &f->shared->receiver;
	*out = (struct weir_ktcp_seen){
	    .done = s->done || r->done,
	    .delivered_bytes = r->delivered_bytes,
	    .received_packets = r->received_packets,
	    .overrun_packets = r->overrun_packets,
	    .completions = r->completions,
	    .started_ns = s->started_ns,
	    .connected = s->connected_ns != 0,
	    .failed = failed(f),
	};
	/* The receiver may have counted what the sender is about to. */
	out->sent_bytes = weir_max(s->sent_bytes, out->delivered_bytes);
	out->sent_packets = weir_max(s->sent_packets, out->received_packets);
	out->refused_packets = s->refused_packets;
	out->refused_connections = f->crowd ? f->crowd->refused : 0;
	memcpy(out->controller, s->found, sizeof out->controller);
	if (f->config.app.kind == WEIR_APP_VIDEO)
		copy_video(r, &out->video);
	/* The newest may be overwritten only while we sleep over a whole ring: then there is a newer one. */
	for (u64 n = s->samples; n; n = s->samples)
		if (weir_ktcp_sample(f, n - 1, &out->info_ns, &out->info))
			break;
}

u32 weir_ktcp_completions(const struct weir_ktcp_flow *f, struct weir_ktcp_completion *out, u32 room)
{
	u64 n = weir_min(f->shared->receiver.completions, WEIR_KTCP_COMPLETIONS_KEPT);
	u32 taken = (u32)weir_min(n, room);
	if (taken)
		memcpy(out, f->shared->completion, taken * sizeof *out);
	return taken;
}

u64 weir_ktcp_crowd_delivered(const struct weir_ktcp_flow *f, u32 number, bool *done)
{
	const struct weir_ktcp_crowd_one *one = &f->crowd->one[number];
	*done = one->done;
	return one->delivered_bytes;
}

bool weir_ktcp_sample(const struct weir_ktcp_flow *f, u64 index, u64 *at_ns, struct weir_ktcp_info *info)
{
	const struct weir_ktcp_one_sample *slot = &f->shared->sample[index % WEIR_KTCP_RING];
	if (index >= f->shared->sender.samples)
		return false;
	u64 when_ns = slot->at_ns;
	struct weir_ktcp_info copy = slot->info;
	atomic_thread_fence(memory_order_acquire);
	if (f->shared->sender.samples - index > WEIR_KTCP_SAMPLES_KEPT) /* written over while we copied */
		return false;
	*at_ns = when_ns;
	*info = copy;
	return true;
}

u64 weir_ktcp_first_sample(const struct weir_ktcp_flow *f)
{
	return weir_sub(f->shared->sender.samples, WEIR_KTCP_SAMPLES_KEPT);
}

/* ---- ending ---- */

void weir_ktcp_tell(struct weir_ktcp_flow *f)
{
	f->shared->ending = true;
	weir_ktcp_pair_tell(&f->pair);
}

int weir_ktcp_finish(struct weir_ktcp_flow *f, char why[WEIR_KTCP_WHY_BYTES])
{
	weir_ktcp_tell(f);
	if (weir_ktcp_pair_finish(&f->pair, why) < 0)
		return -1;
	if (!failed(f))
		return 0;
	weir_ktcp_explain(f->shared, &f->config, why);
	return -1;
}

int weir_ktcp_end(struct weir_ktcp_flow *f, char why[WEIR_KTCP_WHY_BYTES])
{
	int result = weir_ktcp_finish(f, why);
	unmap_shared(f);
	free(f);
	return result;
}

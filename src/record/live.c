/* SPDX-License-Identifier: MIT */
#include "live.h"

#include "checksum.h"
#include "mahimahi.h"
#include "pcap.h"
#include "ring.h"
#include "weir/num.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOG_RING_BYTES (8ULL << 20)
#define CAPTURE_RING_BYTES (64ULL << 20)
#define POLL_NS (5 * WEIR_NS_PER_MS)
#define TICK_NS WEIR_NS_PER_MS
/* While nothing happens, logs are brought up to this long ago: what is still in the ring is younger. */
#define IDLE_NS (250 * WEIR_NS_PER_MS)
#define PACKET_MAX_BYTES 65536u
#define SIDES 2

struct event {
	u64 time_ns, wait_ns;
	u32 wire_bytes;
	u16 hop, kind; /* of a packet: `hop` is the side */
};

struct log {
	struct weir_mahimahi out;
	u64 offered_bytes, offered_ns; /* capacity written so far */
};

struct weir_live {
	struct weir_ring ring;
	struct log *log;
	u32 n_logs;
	struct weir_pcap *capture[SIDES];
	char file[SIDES][PATH_MAX];
	u64 (*capacity_bytes)(void *ctx, u32 hop, u64 now_ns);
	void *ctx;
	u64 start_ns, epoch_ns; /* of time 0: monotonic, and by the wall clock for captures */
	u64 lost_events, lost_packets;
	pthread_t thread;
	bool running;
	atomic_bool stop;
	u8 packet[PACKET_MAX_BYTES];
};

/* ---- opening ---- */

static FILE *create_log(const char *stem, const char *hop, char why[WEIR_LIVE_WHY_BYTES])
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s.%s", stem, hop);
	FILE *out = n > 0 && (size_t)n < sizeof path ? fopen(path, "we") : NULL;
	if (!out)
		snprintf(why, WEIR_LIVE_WHY_BYTES, "%.120s.%.60s: %s", stem, hop,
			 strerror(n > 0 && (size_t)n < sizeof path ? errno : ENAMETOOLONG));
	return out;
}

static bool open_logs(struct weir_live *l, const struct weir_live_config *c, char why[WEIR_LIVE_WHY_BYTES])
{
	l->log = calloc(c->n_hops + 1u, sizeof *l->log);
	if (!l->log) {
		snprintf(why, WEIR_LIVE_WHY_BYTES, "out of memory");
		return false;
	}
	for (u32 i = 0; i < c->n_hops; i++) {
		FILE *out = create_log(c->log, c->hop[i].name, why);
		if (!out)
			return false;
		struct weir_mahimahi *m = &l->log[i].out;
		weir_mahimahi_begin_by(m, out, c->command ? c->command : "weir link", c->hop[i].name,
				       c->hop[i].queue);
		weir_mahimahi_remark(m, c->hop[i].about);
		l->n_logs++;
	}
	return true;
}

/* x.pcap and x-beyond.pcap */
static bool name_captures(struct weir_live *l, const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');
	size_t stem = dot && dot > base ? (size_t)(dot - file) : strlen(file);
	int n = snprintf(l->file[0], sizeof l->file[0], "%s", file);
	int m = snprintf(l->file[1], sizeof l->file[1], "%.*s-beyond%s", (int)stem, file, file + stem);
	return n > 0 && m > 0 && (size_t)n < sizeof l->file[0] && (size_t)m < sizeof l->file[1];
}

static bool open_captures(struct weir_live *l, const struct weir_live_config *c,
			  char why[WEIR_LIVE_WHY_BYTES])
{
	if (!name_captures(l, c->capture)) {
		snprintf(why, WEIR_LIVE_WHY_BYTES, "the name of the capture is too long");
		return false;
	}
	for (u32 side = 0; side < SIDES; side++) {
		l->capture[side] = weir_pcap_open_real(l->file[side], c->snap_bytes);
		if (l->capture[side])
			continue;
		snprintf(why, WEIR_LIVE_WHY_BYTES, "%.180s: %s", l->file[side], strerror(errno));
		return false;
	}
	return true;
}

struct weir_live *weir_live_open(const struct weir_live_config *c, char why[WEIR_LIVE_WHY_BYTES])
{
	struct weir_live *l = aligned_alloc(_Alignof(struct weir_live), sizeof *l);
	if (l)
		memset(l, 0, sizeof *l);
	if (!l || weir_ring_init(&l->ring, c->capture ? CAPTURE_RING_BYTES : LOG_RING_BYTES) < 0) {
		snprintf(why, WEIR_LIVE_WHY_BYTES, "out of memory");
		free(l);
		return NULL;
	}
	l->capacity_bytes = c->capacity_bytes;
	l->ctx = c->ctx;
	if ((!c->log || open_logs(l, c, why)) && (!c->capture || open_captures(l, c, why)))
		return l;
	char unused[WEIR_LIVE_WHY_BYTES];
	struct weir_live_lost lost;
	weir_live_close(l, 0, &lost, unused);
	return NULL;
}

/* ---- the thread that carries ---- */

void weir_live_event(struct weir_live *l, enum weir_live_kind kind, u64 now_ns, u32 hop, u32 wire_bytes,
		     u64 wait_ns)
{
	struct event e = {now_ns, wait_ns, wire_bytes, (u16)hop, (u16)kind};
	if (l->n_logs && !weir_ring_put(&l->ring, &e, sizeof e, NULL, 0))
		l->lost_events++;
}

void weir_live_packet(struct weir_live *l, u64 now_ns, u32 side, const u8 *ip, u32 captured_bytes,
		      u32 wire_bytes)
{
	struct event e = {now_ns, 0, wire_bytes, (u16)side, WEIR_LIVE_PACKET};
	u32 bytes = captured_bytes < PACKET_MAX_BYTES ? captured_bytes : PACKET_MAX_BYTES;
	if (l->capture[side] && !weir_ring_put(&l->ring, &e, sizeof e, ip, bytes))
		l->lost_packets++;
}

/* ---- the thread that writes ---- */

static void write_capacity(struct weir_live *l, u32 hop, u64 now_ns)
{
	struct log *log = &l->log[hop];
	if (now_ns <= log->offered_ns)
		return;
	u64 bytes = weir_max(l->capacity_bytes(l->ctx, hop, now_ns), log->offered_bytes);
	weir_mahimahi_capacity(&log->out, log->offered_ns, now_ns, log->offered_bytes, bytes);
	log->offered_bytes = bytes;
	log->offered_ns = now_ns;
}

static void write_event(struct weir_live *l, const struct event *e)
{
	if (e->hop >= l->n_logs)
		return;
	struct weir_mahimahi *m = &l->log[e->hop].out;
	write_capacity(l, e->hop, e->time_ns / TICK_NS * TICK_NS);
	if (e->kind == WEIR_LIVE_ARRIVAL)
		weir_mahimahi_arrival(m, e->time_ns, e->wire_bytes);
	else if (e->kind == WEIR_LIVE_DROP)
		weir_mahimahi_drop(m, e->time_ns, e->wire_bytes);
	else
		weir_mahimahi_departure(m, e->time_ns, e->wire_bytes, e->wait_ns);
}

static void write_packet(struct weir_live *l, const struct event *e, const u8 *ip, u32 bytes)
{
	memcpy(l->packet, ip, bytes);
	if (bytes == e->wire_bytes)
		weir_checksum_finish(l->packet, bytes);
	weir_pcap_write_real(l->capture[e->hop], l->epoch_ns + e->time_ns, l->packet, bytes, e->wire_bytes);
}

static void write_waiting(struct weir_live *l)
{
	u32 bytes;
	const void *record;
	while ((record = weir_ring_front(&l->ring, &bytes)) != NULL) {
		struct event e;
		memcpy(&e, record, sizeof e);
		if (e.kind == WEIR_LIVE_PACKET)
			write_packet(l, &e, (const u8 *)record + sizeof e, bytes - (u32)sizeof e);
		else
			write_event(l, &e);
		weir_ring_drop(&l->ring);
	}
}

static u64 clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

static void bring_up_to(struct weir_live *l, u64 now_ns)
{
	for (u32 i = 0; i < l->n_logs; i++) {
		write_capacity(l, i, now_ns);
		weir_mahimahi_until(&l->log[i].out, now_ns);
	}
}

static void *write_all(void *ctx)
{
	struct weir_live *l = ctx;
	while (!atomic_load(&l->stop)) {
		u64 now_ns = weir_sub(clock_ns(CLOCK_MONOTONIC), l->start_ns);
		write_waiting(l);
		bring_up_to(l, weir_sub(now_ns, IDLE_NS) / TICK_NS * TICK_NS);
		nanosleep(&(struct timespec){.tv_nsec = (long)POLL_NS}, NULL);
	}
	return NULL;
}

int weir_live_start(struct weir_live *l, u64 start_ns)
{
	sigset_t all, before;
	l->start_ns = start_ns;
	l->epoch_ns = clock_ns(CLOCK_REALTIME) - weir_sub(clock_ns(CLOCK_MONOTONIC), start_ns);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&l->thread, NULL, write_all, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	l->running = error == 0;
	errno = error;
	return error ? -1 : 0;
}

int weir_live_close(struct weir_live *l, u64 end_ns, struct weir_live_lost *lost,
		    char why[WEIR_LIVE_WHY_BYTES])
{
	int failed = 0;
	if (l->running) {
		atomic_store(&l->stop, true);
		pthread_join(l->thread, NULL);
		write_waiting(l);
		bring_up_to(l, end_ns);
	}
	*lost = (struct weir_live_lost){l->lost_events, l->lost_packets};
	for (u32 i = 0; i < l->n_logs; i++)
		if (weir_mahimahi_close(&l->log[i].out) < 0 && !failed) {
			failed = -1;
			snprintf(why, WEIR_LIVE_WHY_BYTES, "a log could not be written: %s", strerror(errno));
		}
	for (u32 side = 0; side < SIDES; side++)
		if (l->capture[side] && weir_pcap_close(l->capture[side]) < 0 && !failed) {
			failed = -1;
			snprintf(why, WEIR_LIVE_WHY_BYTES, "%.180s: %s", l->file[side], strerror(errno));
		}
	weir_ring_fini(&l->ring);
	free(l->log);
	free(l);
	return failed;
}

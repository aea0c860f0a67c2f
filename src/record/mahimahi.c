/* SPDX-License-Identifier: MIT */
#include "mahimahi.h"

#include "weir/num.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TUN_BYTES 4
#define OPPORTUNITY_BYTES 1500

__attribute__((format(printf, 2, 3))) static void put(struct weir_mahimahi *m, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	if (!m->error && vfprintf(m->out, format, ap) < 0)
		m->error = errno ? errno : EIO;
	va_end(ap);
}

void weir_mahimahi_begin(struct weir_mahimahi *m, FILE *out, const char *hop, const char *queue)
{
	weir_mahimahi_begin_by(m, out, "weir run", hop, queue);
	weir_mahimahi_remark(m, "delays are waits in this hop's queue, without transmission and propagation");
}

void weir_mahimahi_begin_by(struct weir_mahimahi *m, FILE *out, const char *command, const char *hop,
			    const char *queue)
{
	memset(m, 0, sizeof *m);
	m->out = out;
	/* A name is hostile text: one line it stays. */
	put(m, "# mahimahi mm-link (%.*s) [weir]\n", (int)strcspn(hop, "\r\n"), hop);
	put(m, "# command line: %s\n# queue: %s\n", command, queue);
	put(m, "# init timestamp: 0\n# base timestamp: 0\n");
}

void weir_mahimahi_remark(struct weir_mahimahi *m, const char *text)
{
	put(m, "# %.*s\n", (int)strcspn(text, "\r\n"), text);
}

static void put_waiting(struct weir_mahimahi *m, u64 until_ns)
{
	while (m->n_waiting && m->waiting[m->first].time_ns <= until_ns) {
		const struct weir_mahimahi_waiting *w = &m->waiting[m->first];
		u64 ms = w->time_ns / WEIR_NS_PER_MS;
		if (w->kind == 'd')
			put(m, "%llu d 1 %u\n", ms, w->wire_bytes + TUN_BYTES);
		else
			put(m, "%llu + %u\n", ms, w->wire_bytes + TUN_BYTES);
		m->first = (m->first + 1) % m->room;
		m->n_waiting--;
	}
}

static bool grow(struct weir_mahimahi *m)
{
	u64 room = m->room ? 2 * m->room : 256;
	struct weir_mahimahi_waiting *bigger = malloc(room * sizeof *bigger);
	if (!bigger) {
		m->error = ENOMEM;
		return false;
	}
	for (u64 i = 0; i < m->n_waiting; i++)
		bigger[i] = m->waiting[(m->first + i) % m->room];
	free(m->waiting);
	m->waiting = bigger;
	m->room = room;
	m->first = 0;
	return true;
}

static void wait_for_order(struct weir_mahimahi *m, u64 now_ns, u32 wire_bytes, char kind)
{
	if (m->error || (m->n_waiting == m->room && !grow(m)))
		return;
	m->waiting[(m->first + m->n_waiting++) % m->room] =
	    (struct weir_mahimahi_waiting){now_ns, wire_bytes, kind};
}

void weir_mahimahi_arrival(struct weir_mahimahi *m, u64 now_ns, u32 wire_bytes)
{
	wait_for_order(m, now_ns, wire_bytes, '+');
}

void weir_mahimahi_drop(struct weir_mahimahi *m, u64 now_ns, u32 wire_bytes)
{
	wait_for_order(m, now_ns, wire_bytes, 'd');
}

void weir_mahimahi_until(struct weir_mahimahi *m, u64 now_ns)
{
	put_waiting(m, now_ns);
}

void weir_mahimahi_departure(struct weir_mahimahi *m, u64 departed_ns, u32 wire_bytes, u64 wait_ns)
{
	put_waiting(m, departed_ns);
	put(m, "%llu - %u %llu\n", departed_ns / WEIR_NS_PER_MS, wire_bytes + TUN_BYTES,
	    (wait_ns + WEIR_NS_PER_MS / 2) / WEIR_NS_PER_MS);
}

void weir_mahimahi_capacity(struct weir_mahimahi *m, u64 from_ns, u64 to_ns, u64 from_bytes, u64 to_bytes)
{
	while (m->offered_bytes + OPPORTUNITY_BYTES <= to_bytes) {
		m->offered_bytes += OPPORTUNITY_BYTES;
		u64 into_bytes = weir_sub(m->offered_bytes, from_bytes);
		u64 at_ns = from_ns + weir_muldiv(into_bytes, to_ns - from_ns, to_bytes - from_bytes);
		put(m, "%llu # %u\n", at_ns / WEIR_NS_PER_MS, OPPORTUNITY_BYTES + TUN_BYTES);
	}
}

int weir_mahimahi_close(struct weir_mahimahi *m)
{
	put_waiting(m, WEIR_NEVER);
	free(m->waiting);
	errno = 0;
	if (fclose(m->out) != 0 && !m->error)
		m->error = errno ? errno : EIO;
	errno = m->error;
	return m->error ? -1 : 0;
}

/* SPDX-License-Identifier: MIT */
/* What a FIFO link of that rate and delay would have done with the packets as they were sent, and how far
 * from it they came. */
#include "probe.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	i64 x = *(const i64 *)a, y = *(const i64 *)b;
	return x < y ? -1 : x > y;
}

/* Exact quantiles; sorts. */
static struct probe_quantiles quantiles(i64 *errors_ns, size_t n)
{
	struct probe_quantiles q = {.n = n};
	if (n == 0)
		return q;
	qsort(errors_ns, n, sizeof(*errors_ns), compare);
	q.min_us = (double)errors_ns[0] / 1e3;
	q.p50_us = (double)errors_ns[(n - 1) * 50 / 100] / 1e3;
	q.p90_us = (double)errors_ns[(n - 1) * 90 / 100] / 1e3;
	q.p99_us = (double)errors_ns[(n - 1) * 99 / 100] / 1e3;
	q.max_us = (double)errors_ns[n - 1] / 1e3;
	return q;
}

/* d(i) = max(a(i), d(i-1)) + bytes/rate; out at d(i) + delay. Lost packets took their turn: who tests losses
 * gives the link a buffer without end. */
static double replay_way(const struct probe_config *c, struct probe_packet *p, u32 n, int way)
{
	double free_ns = 0, wait_max_ns = 0,
	       ns_per_byte = c->link_bps[way] ? 8e9 / (double)c->link_bps[way] : 0;
	u64 base_ns = n ? p[0].sent_ns : 0;
	for (u32 i = 0; i < n; i++) {
		double came_ns = (double)((p[i].tx_ns ? p[i].tx_ns : p[i].sent_ns) - base_ns);
		double start_ns = came_ns > free_ns ? came_ns : free_ns;
		wait_max_ns = start_ns - came_ns > wait_max_ns ? start_ns - came_ns : wait_max_ns;
		free_ns = start_ns + ns_per_byte * p[i].size_bytes;
		p[i].ideal_ns = base_ns + (u64)(free_ns + .5) + c->delay_ns;
	}
	return n && ns_per_byte > 0 ? wait_max_ns / ns_per_byte / p[0].size_bytes : 0;
}

struct window {
	double due_bytes, come_bytes;
};

static void missed_and_rates(const struct probe_config *c, const struct probe_packet *p, u32 n, u64 from_ns,
			     u64 to_ns, struct window *windows, i64 *scratch, struct probe_way *out)
{
	size_t n_windows = (size_t)((to_ns - from_ns) / c->window_ns);
	double due_bytes = 0, missed_bytes = 0, come_bytes = 0;
	memset(windows, 0, n_windows * sizeof(*windows));
	for (u32 i = 0; i < n; i++) {
		u64 due = (p[i].ideal_ns - from_ns) / c->window_ns,
		    come = (p[i].rx_ns - from_ns) / c->window_ns;
		if (p[i].ideal_ns >= from_ns && due < n_windows)
			windows[due].due_bytes += p[i].size_bytes;
		if (p[i].rx_ns >= from_ns && come < n_windows)
			windows[come].come_bytes += p[i].size_bytes;
	}
	for (size_t i = 0; i < n_windows; i++) {
		double missed = windows[i].due_bytes - windows[i].come_bytes;
		due_bytes += windows[i].due_bytes;
		come_bytes += windows[i].come_bytes;
		missed_bytes += missed > 0 ? missed : 0;
		scratch[i] = (i64)(windows[i].come_bytes * 8e9 / (double)c->window_ns);
	}
	out->missed_fraction = due_bytes > 0 ? missed_bytes / due_bytes : 0;
	if (n_windows == 0)
		return;
	qsort(scratch, n_windows, sizeof(*scratch), compare);
	out->rates.mean_bps = come_bytes * 8e9 / (double)((u64)n_windows * c->window_ns);
	out->rates.min_bps = (double)scratch[0];
	out->rates.p50_bps = (double)scratch[n_windows / 2];
	out->rates.max_bps = (double)scratch[n_windows - 1];
}

static void judge_way(const struct probe_config *c, const struct probe_shared *s, int way, i64 *scratch,
		      struct window *windows, struct probe_way *out)
{
	const struct probe_packet *p = s->packets[way];
	u32 n = atomic_load(&s->n[way]);
	u64 from_ns = s->start_ns + c->skip_ns;
	size_t n_errors = 0;
	for (u32 i = 0; i < n; i++) {
		if (p[i].sent_ns < from_ns)
			continue;
		out->sent++;
		out->received += p[i].read_ns != 0;
		out->lost += p[i].read_ns == 0;
		out->ce += p[i].ce;
		if (p[i].read_ns == 0)
			continue;
		if ((p[i].tx_ns == 0 && !c->plain) || p[i].rx_ns == 0)
			out->unstamped++;
		else if (!c->plain)
			scratch[n_errors++] = (i64)(p[i].rx_ns - p[i].ideal_ns);
	}
	out->error = quantiles(scratch, n_errors);
	/* Windows begin when the first packet of the counted time may have come. */
	missed_and_rates(c, p, n, from_ns + c->delay_ns, s->start_ns + c->seconds_ns + c->delay_ns, windows,
			 scratch, out);
}

static void judge_round_trips(const struct probe_config *c, const struct probe_shared *s, i64 *scratch,
			      struct probe_report *out)
{
	const struct probe_packet *up = s->packets[PROBE_UP], *down = s->packets[PROBE_DOWN];
	u32 n = atomic_load(&s->n[PROBE_DOWN]);
	for (int process = 0; process < 2; process++) {
		size_t n_errors = 0;
		for (u32 i = 0; i < n && !c->plain; i++) {
			const struct probe_packet *there = &up[down[i].answers], *back = &down[i];
			if (there->sent_ns < s->start_ns + c->skip_ns || !there->tx_ns || !there->rx_ns ||
			    !back->tx_ns || !back->rx_ns)
				continue;
			i64 ideal_ns = (i64)(there->ideal_ns - there->tx_ns + back->ideal_ns - back->tx_ns);
			i64 error_ns = (i64)(there->rx_ns - there->ideal_ns + back->rx_ns - back->ideal_ns);
			scratch[n_errors++] =
			    process ? (i64)(back->read_ns - there->sent_ns) - ideal_ns : error_ns;
		}
		*(process ? &out->process_rtt_error : &out->rtt_error) = quantiles(scratch, n_errors);
	}
}

int probe_replay(const struct probe_config *c, struct probe_shared *s, struct probe_report *out)
{
	size_t n_windows = (size_t)(c->seconds_ns / c->window_ns) + 1;
	size_t room = s->room[PROBE_UP] > s->room[PROBE_DOWN] ? s->room[PROBE_UP] : s->room[PROBE_DOWN];
	i64 *scratch = calloc(room + n_windows, sizeof(*scratch));
	struct window *windows = calloc(n_windows, sizeof(*windows));
	int result = scratch && windows ? 0 : -1;
	memset(out, 0, sizeof(*out));
	for (int way = 0; result == 0 && way < PROBE_WAYS; way++) {
		out->way[way].ideal_queue_max_packets =
		    replay_way(c, s->packets[way], atomic_load(&s->n[way]), way);
		judge_way(c, s, way, scratch, windows, &out->way[way]);
	}
	if (result == 0)
		judge_round_trips(c, s, scratch, out);
	free(scratch);
	free(windows);
	return result;
}

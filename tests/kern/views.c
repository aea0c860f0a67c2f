/* SPDX-License-Identifier: MIT */
#include "views.h"

#include "kern/calls.h"
#include "mirror.h"
#include "weir/cc.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel counts delivered bytes by 16, and the SYN. */
#define COUNT_ERROR_BYTES 17
/* A timer of the kernel is late by up to two of its ticks, which are 4 ms at most where RACK's runs. */
#define EPISODE_NS (12 * WEIR_NS_PER_MS)
/* Where a small packet counts as a full one, ACKs are paired by their time. */
#define PAIR_NS (300 * WEIR_NS_PER_US)
#define RATE_TOLERANCE .05

int recorded_read(struct recorded *r, const char *path, u16 local_port, char why[200])
{
	static struct weir_calls_reader reader;
	struct weir_calls_frame f;
	FILE *in = fopen(path, "re");
	int more = -1;
	memset(r, 0, sizeof *r);
	snprintf(why, WEIR_CALLS_WHY_BYTES, "%.150s: cannot be opened", path);
	if (in && !weir_calls_open(&reader, in, why))
		while ((more = weir_calls_next(&reader, &f, why)) > 0) {
			r->missing += f.missing;
			if (f.kind != WEIR_CALLS_CALL || f.record.local_port != local_port)
				continue;
			if (r->n == r->room) {
				r->room = r->room ? 2 * r->room : 1024;
				r->call = realloc(r->call, r->room * sizeof *r->call);
				assert(r->call);
			}
			r->call[r->n++] = f.record.call;
		}
	if (in)
		fclose(in);
	if (!more && (!r->n || r->call[0].event != WEIR_KERN_INIT)) {
		snprintf(why, WEIR_CALLS_WHY_BYTES, "the connection's beginning is not in the record");
		more = -1;
	}
	if (more)
		recorded_free(r);
	return more;
}

void recorded_free(struct recorded *r)
{
	free(r->call);
	r->call = NULL;
	r->n = r->room = 0;
}

/* Both sides of one comparison, and how far it has come. */
struct pairing {
	struct views *v;
	struct mirror mirror;
	const struct recorded *kernel;
	u64 wall_ns, base_bytes, end_ns, said_bytes;
	u32 said;	  /* calls of the kernel up to this ACK's time */
	u32 at, mirrored; /* calls laid side by side: the kernel's, ours */
	double *rate, *rtt, late_ns;
	u32 rates, rtts;
	u64 data_min_ns; /* the least sample of data */
};

/* ---- ours, of the capture ---- */

/* A whole number of writes, of which nothing more is known to come. */
static u64 written_by(const struct written *w, u64 sent_bytes)
{
	u64 beyond = sent_bytes > w->bulk_bytes ? sent_bytes - w->bulk_bytes : 0;
	return w->bulk_bytes + (beyond + w->write_bytes - 1) / w->write_bytes * w->write_bytes;
}

static void take_ack(struct pairing *p, const struct captured *c)
{
	const struct recorded *k = p->kernel;
	for (; p->said < k->n && k->call[p->said].view.now_ns + p->wall_ns <= c->time_ns; p->said++)
		p->said_bytes =
		    k->call[p->said].out.cwnd_bytes ? k->call[p->said].out.cwnd_bytes : p->said_bytes;
	p->mirror.cwnd_bytes = p->mirror.sender.cwnd_bytes = p->said_bytes;
	mirror_rests(&p->mirror, c->time_ns);
	mirror_ack(&p->mirror, c->time_ns, c);
}

static void mirror_all(struct pairing *p, const struct capture *c, const struct written *w)
{
	u64 sent_bytes = 0;
	for (u32 i = 0; i < c->n && c->at[i].time_ns < p->end_ns; i++) {
		const struct captured *one = &c->at[i];
		if (one->ack) {
			take_ack(p, one);
			continue;
		}
		sent_bytes = weir_max(sent_bytes, weir_seq_expand(one->low, sent_bytes) + one->bytes);
		mirror_sent(&p->mirror, one->time_ns, one->low, one->bytes, written_by(w, sent_bytes));
	}
}

/* ---- side by side ---- */

static double difference(u64 a, u64 b)
{
	return (double)(i64)(a - b);
}

/* The handshake's sample may be the least of all, or by chance late in one of the two: then the data's
 * counts. */
static void compare_rtt(struct pairing *p, const struct weir_kern_call *kernel,
			const struct mirror_call *ours)
{
	struct views *v = p->v;
	u64 theirs_ns = kernel->ack.rtt_ns, ours_ns = ours->of_ack.rtt_ns;
	if (ours_ns)
		p->data_min_ns = weir_min(p->data_min_ns, ours_ns);
	if (p->data_min_ns != WEIR_NEVER)
		v->min_rtt_above_us =
		    fmax(v->min_rtt_above_us, difference(kernel->view.min_rtt_ns, p->data_min_ns) / 1e3);
	v->min_rtt_below_us =
	    fmax(v->min_rtt_below_us, difference(ours->view.min_rtt_ns, kernel->view.min_rtt_ns) / 1e3);
	v->only_kernel += theirs_ns && !ours_ns;
	if (theirs_ns && ours_ns)
		p->rtt[p->rtts++] = fabs(difference(theirs_ns, ours_ns)) / 1e3;
}

static void lay_beside(struct pairing *p, const struct weir_kern_call *kernel, const struct mirror_call *ours)
{
	struct views *v = p->v;
	const struct weir_view *a = &kernel->view, *b = &ours->view;
	u32 differ = a->flags ^ b->flags;
	v->paired++;
	v->rounds[0] += a->flags & WEIR_ROUND_START;
	v->rounds[1] += b->flags & WEIR_ROUND_START;
	v->round_differs += (a->flags & WEIR_ROUND_START) && !(b->flags & WEIR_ROUND_START);
	u32 apart = v->rounds[0] > v->rounds[1] ? v->rounds[0] - v->rounds[1] : v->rounds[1] - v->rounds[0];
	v->rounds_apart = (u32)weir_max(v->rounds_apart, apart);
	/* A connection of the kernel begins application-limited: its first window says so. */
	if (v->rounds[0] > 1) {
		v->limited[0] += a->flags & WEIR_APP_LIMITED ? 1 : 0;
		v->limited[1] += b->flags & WEIR_APP_LIMITED ? 1 : 0;
		v->limit_differs += differ & WEIR_APP_LIMITED ? 1 : 0;
	}
	compare_rtt(p, kernel, ours);
	p->late_ns += difference(a->now_ns + p->wall_ns, b->now_ns);
	if (a->delivery_Bps && b->delivery_Bps)
		p->rate[p->rates++] = fabs((double)a->delivery_Bps / (double)b->delivery_Bps - 1);
}

/* Below 0: the kernel's is earlier. */
static int order_of(const struct pairing *p, const struct weir_kern_call *kernel,
		    const struct mirror_call *ours)
{
	double bytes = difference(kernel->view.delivered_bytes - p->base_bytes, ours->view.delivered_bytes);
	double ns = difference(kernel->view.now_ns + p->wall_ns, ours->view.now_ns);
	if (fabs(bytes) <= COUNT_ERROR_BYTES || (fabs(bytes) <= ours->view.mss_bytes && fabs(ns) < PAIR_NS))
		return 0;
	return bytes < 0 ? -1 : 1;
}

static void pair_acks(struct pairing *p)
{
	const struct recorded *k = p->kernel;
	const struct mirror *m = &p->mirror;
	for (u32 i = 0, j = 0; i < k->n;) {
		if (k->call[i].event != WEIR_KERN_ACK || k->call[i].view.now_ns + p->wall_ns >= p->end_ns) {
			i++;
			continue;
		}
		while (j < m->n && m->call[j].loss)
			j++;
		int order = j < m->n ? order_of(p, &k->call[i], &m->call[j]) : -1;
		p->v->acks += order <= 0;
		if (!order)
			lay_beside(p, &k->call[i], &m->call[j]);
		i += order <= 0;
		j += order >= 0;
	}
}

static bool begins_episode(const struct mirror_call *c)
{
	return c->loss && c->of_loss.flags & WEIR_NEW_EPISODE;
}

/* The k-th of the one is the k-th of the other. A loss of what was sent during a repair begins an episode at
 * once here, in the kernel when that repair ends: at most a round trip later. */
static void pair_episodes(struct pairing *p)
{
	const struct recorded *k = p->kernel;
	const struct mirror *m = &p->mirror;
	u32 j = 0;
	for (u32 i = 0; i < k->n && k->call[i].view.now_ns + p->wall_ns < p->end_ns; i++) {
		const struct weir_kern_call *c = &k->call[i];
		if (c->event != WEIR_KERN_LOSS || !(c->loss.flags & WEIR_NEW_EPISODE))
			continue;
		p->v->episodes[0]++;
		while (j < m->n && !begins_episode(&m->call[j]))
			j++;
		double late_ns =
		    j < m->n ? difference(c->view.now_ns + p->wall_ns, m->call[j].view.now_ns) : (double)NAN;
		u64 may_ns =
		    EPISODE_NS +
		    (j < m->n && m->call[j].view.flags & WEIR_RECOVERY ? c->view.srtt_ns * 3 / 2 : 0);
		p->v->episode_differs += !(late_ns > -(double)EPISODE_NS && late_ns < (double)may_ns);
		j += j < m->n;
	}
	for (j = 0; j < m->n; j++)
		p->v->episodes[1] += begins_episode(&m->call[j]);
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void conclude(struct pairing *p)
{
	struct views *v = p->v;
	u32 beyond = 0;
	qsort(p->rate, p->rates, sizeof *p->rate, ascending);
	for (u32 i = 0; i < p->rates; i++)
		beyond += p->rate[i] > RATE_TOLERANCE;
	v->rate_median = p->rates ? p->rate[p->rates / 2] : (double)NAN;
	v->rate_outside = p->rates ? (double)beyond / p->rates : (double)NAN;
	v->late_us = v->paired ? p->late_ns / v->paired / 1e3 : (double)NAN;
	qsort(p->rtt, p->rtts, sizeof *p->rtt, ascending);
	v->rtt_median_us = p->rtts ? p->rtt[p->rtts / 2] : (double)NAN;
	v->forced = p->mirror.forced;
	v->ignored = p->mirror.ignored;
}

void views_compare(struct views *v, const struct capture *c, const struct recorded *r,
		   const struct written *w, u64 wall_ns)
{
	struct pairing *p = calloc(1, sizeof *p);
	assert(p);
	*v = (struct views){0};
	p->v = v;
	p->kernel = r;
	p->wall_ns = wall_ns;
	p->base_bytes = r->call[0].view.delivered_bytes;
	p->end_ns = WEIR_NEVER;
	p->data_min_ns = WEIR_NEVER;
	p->rate = calloc(r->n, sizeof *p->rate);
	p->rtt = calloc(r->n, sizeof *p->rtt);
	assert(p->rate && p->rtt);
	for (u32 i = r->n; i-- > 0;)
		if (r->call[i].event == WEIR_KERN_TIMEOUT) {
			p->end_ns = r->call[i].view.now_ns + wall_ns;
			v->timeouts++;
		}
	mirror_init(&p->mirror, c->syn_ns, c->syn_ack_ns - c->syn_ns, r->call[0].view.mss_bytes);
	p->said_bytes = p->mirror.cwnd_bytes;
	mirror_all(p, c, w);
	pair_acks(p);
	pair_episodes(p);
	conclude(p);
	mirror_free(&p->mirror);
	free(p->rate);
	free(p->rtt);
	free(p);
}

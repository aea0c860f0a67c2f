/* SPDX-License-Identifier: MIT */
#include "pilot/vivace_interval.h"

#include "weir/num.h"

#include <string.h>

#define UNKNOWN_RTT_NS (100 * WEIR_NS_PER_MS)
#define REACHED .75	 /* of an interval's rate must have been sent */
#define LIMITED_SHARE .1 /* of its time the application may have been the limit */
#define PLAN_MAX_S 3600. /* no interval is planned for longer */

static double seconds(double ns)
{
	return ns * 1e-9;
}

/* later - earlier, and 0 where a hostile clock runs backwards. */
static double between_ns(u64 earlier_ns, u64 later_ns)
{
	return (double)weir_sub(later_ns, earlier_ns);
}

static u64 planned_ns(const struct weir_report *r, double rate_Bps, double packets, u64 floor_ns)
{
	u64 srtt_ns = r->srtt_ns ? r->srtt_ns : UNKNOWN_RTT_NS;
	double packets_s = rate_Bps > 0 ? packets * r->mss_bytes / rate_Bps : 0;
	u64 packets_ns = (u64)((packets_s < PLAN_MAX_S ? packets_s : PLAN_MAX_S) * 1e9);
	u64 most_ns = (u64)PLAN_MAX_S * WEIR_NS_PER_S;
	return weir_min(weir_max(weir_max(srtt_ns, packets_ns), floor_ns), most_ns);
}

void vivace_batch_begin(struct vivace_batch *b, const struct weir_report *r, const double *rate_Bps, u32 n,
			double packets, u64 floor_ns)
{
	u64 front_ns = b->front_ns;
	memset(b, 0, sizeof *b);
	b->front_ns = front_ns;
	b->n = n < VIVACE_INTERVALS ? n : VIVACE_INTERVALS;
	for (u32 i = 0; i < b->n; i++) {
		b->interval[i].rate_Bps = rate_Bps[i];
		b->interval[i].planned_ns = planned_ns(r, rate_Bps[i], packets, floor_ns);
	}
	if (b->n)
		b->interval[0].begin_ns = r->now_ns;
}

/* The report's samples as one group: the sums within it are exact, and so is their mean RTT; their mean
 * sending time is taken to be the middle of the stretch. */
static void line_add(struct vivace_line *l, const struct weir_report *r, double t_s)
{
	double n = (double)r->rtt_n, mean_s = seconds((double)r->rtt_sum_ns / n);
	double t = (double)r->t_sum_us, d = (double)r->r_sum_us;
	double tt = ((double)r->t2_sum_us2 - t * t / n) * 1e-12,
	       tr = ((double)r->tr_sum_us2 - t * d / n) * 1e-12;
	if (!(tt >= 0))
		tt = tr = 0;
	if (l->n == 0)
		l->origin_s = mean_s;
	double r_s = mean_s - l->origin_s;
	l->n += n;
	l->t += n * t_s;
	l->r += n * r_s;
	l->tt += n * t_s * t_s + tt;
	l->tr += n * t_s * r_s + tr;
}

double vivace_line_slope(const struct vivace_line *l)
{
	if (l->n < 2)
		return 0;
	double tt = l->tt - l->t * l->t / l->n, tr = l->tr - l->t * l->r / l->n, slope = tr / tt;
	return tt > 0 && slope > -1e6 && slope < 1e6 ? slope : 0;
}

/* The interval's part of the stretch (from_ns, to_ns] that a report is of. */
static double share_of(const struct vivace_interval *i, u64 from_ns, u64 to_ns)
{
	u64 begin_ns = weir_max(from_ns, i->begin_ns);
	u64 end_ns = i->end_ns ? weir_min(to_ns, i->end_ns) : to_ns;
	if (from_ns == to_ns)
		return i->begin_ns <= to_ns && (!i->end_ns || to_ns <= i->end_ns) ? 1 : 0;
	return between_ns(begin_ns, end_ns) / between_ns(from_ns, to_ns);
}

static void hear(struct vivace_interval *i, const struct weir_report *r, u64 from_ns, u64 to_ns, double share)
{
	u64 middle_ns = from_ns + (to_ns - from_ns) / 2;
	i->acked_bytes += share * (double)r->acked_bytes;
	i->lost_bytes += share * (double)r->lost_bytes;
	i->limited_ns += share * (double)r->app_limited_ns;
	if (!i->first_heard_ns) {
		i->first_heard_ns = weir_max(r->now_ns, 1);
		i->first_srtt_ns = r->srtt_ns;
	}
	i->last_heard_ns = r->now_ns;
	i->last_srtt_ns = r->srtt_ns;
	bool inside = middle_ns >= i->begin_ns && (!i->end_ns || middle_ns < i->end_ns);
	if (!inside || !r->rtt_n)
		return;
	i->reports++;
	i->spread_ns += between_ns(r->rtt_min_ns, r->rtt_max_ns);
	line_add(&i->line, r, seconds(between_ns(i->begin_ns, middle_ns)));
}

static void hear_all(struct vivace_batch *b, const struct weir_report *r)
{
	u64 rtt_ns = r->latest_rtt_ns ? r->latest_rtt_ns : r->srtt_ns;
	u64 from_ns = weir_min(b->front_ns, r->now_ns);
	u64 to_ns = rtt_ns ? weir_max(from_ns, weir_sub(r->now_ns, rtt_ns)) : from_ns;
	b->front_ns = to_ns;
	while (b->hearing < b->n) {
		struct vivace_interval *i = &b->interval[b->hearing];
		double share = share_of(i, from_ns, to_ns);
		if (i->begin_ns && share > 0)
			hear(i, r, from_ns, to_ns, share);
		if (!i->end_ns || to_ns < i->end_ns)
			return;
		b->hearing++;
	}
}

void vivace_batch_report(struct vivace_batch *b, const struct weir_report *r)
{
	if (b->sending < b->n) {
		struct vivace_interval *i = &b->interval[b->sending];
		i->sent_bytes += (double)r->sent_bytes;
		if (weir_sub(r->now_ns, i->begin_ns) >= i->planned_ns) {
			i->end_ns = r->now_ns;
			b->sending++;
			if (b->sending < b->n)
				b->interval[b->sending].begin_ns = r->now_ns;
		}
	}
	hear_all(b, r);
}

double vivace_batch_rate(const struct vivace_batch *b, double rest_Bps)
{
	return b->sending < b->n ? b->interval[b->sending].rate_Bps : rest_Bps;
}

bool vivace_batch_heard(const struct vivace_batch *b)
{
	return b->n && b->hearing == b->n;
}

double vivace_interval_s(const struct vivace_interval *i)
{
	double length_ns = between_ns(i->begin_ns, i->end_ns);
	return seconds(length_ns > 1 ? length_ns : 1);
}

double vivace_interval_loss(const struct vivace_interval *i)
{
	double all = i->acked_bytes + i->lost_bytes;
	return all > 0 ? i->lost_bytes / all : 0;
}

bool vivace_interval_limited(const struct vivace_interval *i, u32 mss_bytes)
{
	double length_s = vivace_interval_s(i);
	return i->sent_bytes + mss_bytes < REACHED * i->rate_Bps * length_s ||
	       seconds(i->limited_ns) > LIMITED_SHARE * length_s;
}

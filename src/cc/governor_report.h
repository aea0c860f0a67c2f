/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What a governor keeps, and how it counts what a report tells. */
#ifndef WEIR_CC_GOVERNOR_REPORT_H
#define WEIR_CC_GOVERNOR_REPORT_H

#include "core/window.h"
#include "weir/pilot.h"

/* What an inner controller is told. */
enum weir_governor_event_kind {
	WEIR_GOVERNOR_INIT,
	WEIR_GOVERNOR_SEED,
	WEIR_GOVERNOR_ACK,
	WEIR_GOVERNOR_LOSS,
	WEIR_GOVERNOR_TIMEOUT,
	WEIR_GOVERNOR_IDLE,
	WEIR_GOVERNOR_TICK,
	WEIR_GOVERNOR_NOTHING,
};
struct weir_governor_event {
	u32 kind; /* enum weir_governor_event_kind */
	const struct weir_view *view;
	const struct weir_ack *ack;
	const struct weir_loss *loss;
	u64 amount; /* idle_ns of IDLE, cwnd_bytes of SEED */
};

/* What the host does for it; `context` is the host's. In BPF a constant, all inlined. */
struct weir_governor_host {
	/* To inner controller number `inner`, or Reno. */
	void (*tell)(const void *context, u32 inner, void *state, const struct weir_governor_event *e,
		     struct weir_out *o);
	/* Hands a report over. Where there is a newer setpoint than *io by now: true, and *io becomes it. */
	bool (*exchange)(const void *context, const struct weir_report *r, struct weir_setpoint *io);
};

struct weir_governor {
	struct weir_setpoint setpoint;	 /* in force */
	struct weir_report report;	 /* being counted; `now_ns` is when the last one left */
	u64 event_ns;			 /* of the last call */
	u64 period_ns;			 /* when the period began that the next report ends */
	u64 wave_ns;			 /* when the wave had `phase` */
	u64 first_sent_us, first_rtt_us; /* of the report's first RTT sample */
	u64 reported_inflight_bytes;	 /* in the last report */
	u64 unanswered_ns;		 /* since when a report has waited for a setpoint; 0: none does */
	u64 smooth_Bps;			 /* the base rate behind the low-pass; 0: not begun */
	struct weir_out inner_out;	 /* its newest words; wake_ns 0: it waits for no tick */
	u32 phase;
	u32 inner; /* which one `state` is of, or WEIR_SETPOINT_RATE */
	u32 seeds; /* as of its start */
	u8 expired;
	u8 has_paced; /* a rate was set, which stands until another one is */
	u8 stalled;   /* by a timeout, and nothing has come back yet */
	u64 state[WEIR_CC_MAX_BYTES / sizeof(u64)];
};

WEIR_CORE void weir_governor_count_time(struct weir_governor *g, const struct weir_view *v)
{
	if (v->flags & WEIR_APP_LIMITED)
		g->report.app_limited_ns += weir_sub(v->now_ns, g->event_ns);
	g->event_ns = v->now_ns;
	if (v->flags & WEIR_RECOVERY)
		g->report.flags |= WEIR_REPORT_RECOVERY;
}

/* In unsigned arithmetic: a clock may be hostile, and a sum that wraps is defined. */
WEIR_CORE void weir_governor_count_rtt(struct weir_governor *g, u64 now_ns, u64 rtt_ns)
{
	struct weir_report *r = &g->report;
	u64 rtt_us = rtt_ns / WEIR_NS_PER_US, sent_us = weir_sub(now_ns, rtt_ns) / WEIR_NS_PER_US;
	if (!r->rtt_n) {
		g->first_sent_us = sent_us;
		g->first_rtt_us = rtt_us;
		r->rtt_min_ns = rtt_ns;
	}
	u64 t = sent_us - g->first_sent_us, d = rtt_us - g->first_rtt_us;
	r->rtt_n++;
	r->rtt_sum_ns += rtt_ns;
	r->rtt_min_ns = weir_min(r->rtt_min_ns, rtt_ns);
	r->rtt_max_ns = weir_max(r->rtt_max_ns, rtt_ns);
	r->latest_rtt_ns = rtt_ns;
	r->t_sum_us = (i64)((u64)r->t_sum_us + t);
	r->t2_sum_us2 = (i64)((u64)r->t2_sum_us2 + t * t);
	r->r_sum_us = (i64)((u64)r->r_sum_us + d);
	r->tr_sum_us2 = (i64)((u64)r->tr_sum_us2 + t * d);
}

WEIR_CORE void weir_governor_count_ack(struct weir_governor *g, const struct weir_view *v,
				       const struct weir_ack *a)
{
	struct weir_report *r = &g->report;
	r->acked_bytes += a->acked_bytes;
	r->ce_bytes += a->ce_bytes;
	if (a->rtt_ns)
		weir_governor_count_rtt(g, v->now_ns, a->rtt_ns);
	if (!a->sample_bytes)
		return;
	r->sample_bytes = a->sample_bytes;
	r->send_interval_ns = a->send_interval_ns;
	r->ack_interval_ns = a->ack_interval_ns;
	r->flags &= ~(u32)WEIR_REPORT_APP_LIMITED;
	r->flags |= v->flags & WEIR_APP_LIMITED ? WEIR_REPORT_APP_LIMITED : 0;
}

WEIR_CORE void weir_governor_count(struct weir_governor *g, const struct weir_governor_event *e)
{
	weir_governor_count_time(g, e->view);
	switch (e->kind) {
	case WEIR_GOVERNOR_ACK:
		g->stalled = 0;
		weir_governor_count_ack(g, e->view, e->ack);
		break;
	case WEIR_GOVERNOR_LOSS:
		g->report.lost_bytes += e->loss->kind == WEIR_LOSS_PACKET ? e->loss->lost_bytes : 0;
		break;
	case WEIR_GOVERNOR_TIMEOUT:
		g->stalled = 1;
		g->report.flags |= WEIR_REPORT_TIMEOUT;
		break;
	case WEIR_GOVERNOR_IDLE:
		g->report.flags |= WEIR_REPORT_IDLE;
		break;
	}
}

WEIR_CORE void weir_governor_fill(struct weir_governor *g, const struct weir_view *v)
{
	struct weir_report *r = &g->report;
	u64 left = weir_add(r->acked_bytes, weir_add(r->lost_bytes, v->inflight_bytes));
	r->number++;
	r->interval_ns = v->now_ns - r->now_ns;
	r->now_ns = v->now_ns;
	r->sent_bytes = weir_sub(left, g->reported_inflight_bytes);
	r->srtt_ns = v->srtt_ns;
	r->min_rtt_ns = v->min_rtt_ns;
	r->inflight_bytes = g->reported_inflight_bytes = v->inflight_bytes;
	r->delivered_bytes = v->delivered_bytes;
	r->base_Bps = g->smooth_Bps;
	r->cwnd_bytes = g->inner == WEIR_SETPOINT_RATE
			    ? weir_muldiv(g->setpoint.rate_Bps, v->srtt_ns, WEIR_NS_PER_S)
			    : g->inner_out.cwnd_bytes;
	r->setpoint = g->setpoint.number;
	r->wave_phase = g->setpoint.wave_period_ns ? g->phase : 0;
	r->mss_bytes = v->mss_bytes;
	r->flags |= g->expired ? WEIR_REPORT_EXPIRED : 0;
}

/* The sums begin anew; what is not a sum stands. */
WEIR_CORE void weir_governor_restart(struct weir_report *r)
{
	r->acked_bytes = r->sent_bytes = r->lost_bytes = r->ce_bytes = r->app_limited_ns = 0;
	r->rtt_n = r->rtt_sum_ns = r->rtt_min_ns = r->rtt_max_ns = 0;
	r->t_sum_us = r->t2_sum_us2 = r->r_sum_us = r->tr_sum_us2 = 0;
	r->sample_bytes = r->send_interval_ns = r->ack_interval_ns = 0;
	r->flags = 0;
}

#endif

/* SPDX-License-Identifier: MIT */
#include "kernel_flow.h"

#include "core/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void take_loss(struct weir_kernel_flow *f, const struct weir_loss *l)
{
	f->episodes += l->flags & WEIR_NEW_EPISODE ? 1 : 0;
	f->spurious += l->kind == WEIR_LOSS_SPURIOUS;
	if (l->kind != WEIR_LOSS_PACKET)
		return;
	f->lost_bytes += l->lost_bytes;
	f->row_lost_bytes += l->lost_bytes;
}

static void take_ack(struct weir_kernel_flow *f, const struct weir_ack *a)
{
	f->acked_bytes += a->acked_bytes;
	f->row_acked_bytes += a->acked_bytes;
	f->ce_bytes += a->ce_bytes;
	if (!a->rtt_ns)
		return;
	weir_hist_add(&f->rtt, a->rtt_ns);
	f->row_rtt_ns += a->rtt_ns;
	f->row_rtt_n++;
}

void weir_kernel_flow_take(struct weir_kernel_flow *f, const struct weir_kern_record *r)
{
	const struct weir_kern_call *c = &r->call;
	f->socket = r->socket;
	if (!f->calls++)
		f->start_ns = f->row_ns = c->view.now_ns;
	f->last_ns = weir_max(f->last_ns, c->view.now_ns);
	f->view = c->view;
	f->mss_bytes = c->view.mss_bytes;
	f->kernel_cwnd_packets = r->cwnd_packets;
	f->row_flags |= c->view.flags;
	f->said.cwnd_bytes = c->out.cwnd_bytes ? c->out.cwnd_bytes : f->said.cwnd_bytes;
	f->said.pacing_Bps = c->out.pacing_Bps ? c->out.pacing_Bps : f->said.pacing_Bps;
	if (c->event == WEIR_KERN_ACK)
		take_ack(f, &c->ack);
	else if (c->event == WEIR_KERN_LOSS)
		take_loss(f, &c->loss);
	else if (c->event == WEIR_KERN_TIMEOUT)
		f->timeouts++;
}

static void put_signals(struct weir_kernel_flow *f, const struct weir_kernel_signals *signals,
			struct weir_series *series)
{
	for (u32 i = 0; i < signals->n; i++) {
		char name[WEIR_NAME_BYTES], prefixed[WEIR_NAME_BYTES + 8];
		if (!isfinite(signals->value[i]))
			continue;
		f->signal_last[i] = weir_signal_value(signals->table[i].unit, signals->value[i]);
		f->signal_sum[i] += f->signal_last[i];
		f->signal_looks[i]++;
		weir_signal_name(name, signals->table[i].name, signals->table[i].unit);
		snprintf(prefixed, sizeof prefixed, "cc.%s", name);
		if (series)
			weir_series_value(series, prefixed, f->signal_last[i]);
	}
}

/* Whether the controller has a signal of this name itself. */
static bool is_own(const struct weir_kernel_signals *signals, const char *name)
{
	char own[WEIR_NAME_BYTES];
	for (u32 i = 0; signals->value && i < signals->n; i++) {
		weir_signal_name(own, signals->table[i].name, signals->table[i].unit);
		if (!strcmp(own, name))
			return true;
	}
	return false;
}

static void put_row(const struct weir_kernel_flow *f, u64 ns, const struct weir_kernel_signals *signals,
		    struct weir_series *series)
{
	const struct weir_view *v = &f->view;
	if (ns)
		weir_series_fixed(series, "goodput_bps",
				  weir_muldiv(f->row_acked_bytes * 8, WEIR_NS_PER_S, ns), 0);
	if (f->row_rtt_n)
		weir_series_fixed(series, "rtt_ms", f->row_rtt_ns / f->row_rtt_n, 6);
	if (v->srtt_ns)
		weir_series_fixed(series, "srtt_ms", v->srtt_ns, 6);
	weir_series_fixed(series, "cwnd_bytes", f->said.cwnd_bytes, 0);
	weir_series_fixed(series, "inflight_bytes", v->inflight_bytes, 0);
	if (f->said.pacing_Bps)
		weir_series_fixed(series, "pacing_bps", weir_muldiv(f->said.pacing_Bps, 8, 1), 0);
	weir_series_fixed(series, "lost", weir_div(f->row_lost_bytes + f->mss_bytes / 2, f->mss_bytes), 0);
	if (v->min_rtt_ns && !is_own(signals, "min_rtt_ms"))
		weir_series_fixed(series, "cc.min_rtt_ms", v->min_rtt_ns, 6);
	if (v->delivery_Bps && !is_own(signals, "delivery_bps"))
		weir_series_fixed(series, "cc.delivery_bps", weir_muldiv(v->delivery_Bps, 8, 1), 0);
	weir_series_fixed(series, "cc.kernel_cwnd_bytes", (u64)f->kernel_cwnd_packets * f->mss_bytes, 0);
	weir_series_fixed(series, "delivered_bytes", v->delivered_bytes, 0);
	weir_series_fixed(series, "flags", f->row_flags, 0);
}

void weir_kernel_flow_row(struct weir_kernel_flow *f, u64 time_ns, const struct weir_kernel_signals *signals,
			  struct weir_series *series)
{
	f->looks++;
	f->cwnd_sum += (double)f->said.cwnd_bytes;
	f->backlog_sum += (double)f->view.inflight_bytes / (double)weir_max(f->mss_bytes, 1);
	if (series) {
		weir_series_time(series, time_ns);
		weir_series_flow(series, "", f->name);
		put_row(f, f->last_ns - f->row_ns, signals, series);
	}
	if (signals->value)
		put_signals(f, signals, series);
	f->row_ns = f->last_ns;
	f->row_acked_bytes = f->row_rtt_n = f->row_rtt_ns = f->row_lost_bytes = 0;
	f->row_flags = 0;
}

static double mean(double sum, u64 n)
{
	return n ? sum / (double)n : (double)NAN;
}

void weir_kernel_flow_summarise(const struct weir_kernel_flow *f, u64 origin_ns,
				const struct weir_kernel_signals *signals, const char *controller,
				struct weir_flow_summary *s)
{
	u64 mss_bytes = weir_max(f->mss_bytes, 1);
	*s = (struct weir_flow_summary){
	    .application = "kernel",
	    .start_s = (double)weir_sub(f->start_ns, origin_ns) / 1e9,
	    .active_s = (double)(f->last_ns - f->start_ns) / 1e9,
	    .throughput_bps = (double)NAN,
	    .packets_sent = WEIR_NEVER,
	    .packets_lost = (f->lost_bytes + mss_bytes / 2) / mss_bytes,
	    .retransmitted = WEIR_NEVER,
	    .timeouts = f->timeouts,
	    .recoveries = f->episodes,
	    .spurious = f->spurious,
	    .ce_packets = (f->ce_bytes + mss_bytes - 1) / mss_bytes,
	    .loss_fraction = (double)NAN,
	    .backlog_mean = mean(f->backlog_sum, f->looks),
	    .cwnd_mean_bytes = mean(f->cwnd_sum, f->looks),
	};
	snprintf(s->name, sizeof s->name, "%s", f->name);
	snprintf(s->path, sizeof s->path, "kernel");
	snprintf(s->controller, sizeof s->controller, "%s", controller);
	s->goodput_bps = s->active_s > 0 ? (double)f->acked_bytes * 8 / s->active_s : (double)NAN;
	weir_spread_from_hist(&s->rtt_ms, &f->rtt, 1e6);
	for (u32 i = 0; i < signals->n; i++) {
		const struct weir_signal *signal = &signals->table[i];
		if (!f->signal_looks[i])
			continue;
		struct weir_signal_summary *x = &s->signal[s->n_signals++];
		weir_signal_name(x->name, signal->name, signal->unit);
		x->words = weir_words_are(signal->unit) ? signal->unit : NULL;
		x->mean = mean(f->signal_sum[i], f->signal_looks[i]);
		x->last = f->signal_last[i];
	}
}

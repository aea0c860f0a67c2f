/* SPDX-License-Identifier: MIT */
#include "pilot/cross.h"

#define RATE_MAX_BPS 1e13 /* 80 Tbit/s */
#define SPAN_MAX_NS (60 * WEIR_NS_PER_S)
/* z of a path that stood still between two ACKs is as large as the stop is long. Eq. 1 does not bound it, but
 * one sample must not hide all others of its window. */
#define Z_MAX_MU 16

double weir_cross_rate(double rate_Bps)
{
	return rate_Bps > 0 && rate_Bps <= RATE_MAX_BPS ? rate_Bps : 0;
}

double weir_cross_z_Bps(double mu_Bps, double send_Bps, double receive_Bps)
{
	return mu_Bps * (send_Bps / receive_Bps) - send_Bps;
}

u64 weir_cross_rtt_ns(const struct weir_report *r)
{
	return r->rtt_n ? r->rtt_sum_ns / r->rtt_n : r->latest_rtt_ns;
}

bool weir_cross_queue(const struct weir_report *r)
{
	u64 rtt_ns = weir_cross_rtt_ns(r);
	u64 eps_ns = WEIR_NS_PER_MS + r->min_rtt_ns / 64;
	/* without any sample of a round trip nothing speaks against a queue */
	return !rtt_ns || !r->min_rtt_ns || (rtt_ns > r->min_rtt_ns && rtt_ns - r->min_rtt_ns >= eps_ns);
}

void weir_cross_read(const struct weir_report *r, double mu_Bps, struct weir_cross *out)
{
	*out = (struct weir_cross){.use = WEIR_CROSS_MISSING};
	if (!r->sample_bytes || !r->send_interval_ns || !r->ack_interval_ns || r->flags & WEIR_REPORT_IDLE)
		return;
	if (r->send_interval_ns > SPAN_MAX_NS || r->ack_interval_ns > SPAN_MAX_NS)
		return;
	double span_s = (double)r->send_interval_ns * 1e-9;
	double send_Bps = weir_cross_rate((double)r->sample_bytes / span_s);
	double receive_Bps = weir_cross_rate((double)r->sample_bytes / ((double)r->ack_interval_ns * 1e-9));
	if (send_Bps <= 0 || receive_Bps <= 0)
		return;
	out->send_Bps = send_Bps;
	out->receive_Bps = receive_Bps;
	out->span_s = span_s;
	if (r->flags & WEIR_REPORT_RECOVERY) {
		out->use = WEIR_CROSS_REPAIR;
		return;
	}
	if (r->flags & WEIR_REPORT_APP_LIMITED || r->app_limited_ns > r->interval_ns / 2) {
		out->use = WEIR_CROSS_APP_LIMITED;
		return;
	}
	if (!weir_cross_queue(r)) {
		out->use = WEIR_CROSS_EMPTY_QUEUE;
		return;
	}
	out->use = WEIR_CROSS_GOOD;
	double mu = weir_cross_rate(mu_Bps);
	double z = mu > 0 ? weir_cross_z_Bps(mu, send_Bps, receive_Bps) : 0, bound = Z_MAX_MU * mu;
	out->z_Bps = z > bound ? bound : z < -bound ? -bound : z;
}

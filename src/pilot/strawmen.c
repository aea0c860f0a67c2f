/* SPDX-License-Identifier: MIT */
#include "pilot/strawmen.h"

#include "core/fmath.h"
#include "pilot/detector_state.h"

#define MEAN_OVER_NS ((double)WEIR_NS_PER_S)
#define OWN_AT_LEAST .5
#define AGAINST_AT_LEAST .5

void weir_self_inflicted_report(struct weir_self_inflicted *s, const struct weir_report *r, double mu_Bps)
{
	struct weir_cross c;
	double mu = weir_cross_rate(mu_Bps);
	weir_cross_read(r, mu, &c);
	u64 rtt_ns = weir_cross_rtt_ns(r);
	if (mu <= 0 || c.use == WEIR_CROSS_MISSING || !rtt_ns || !r->min_rtt_ns)
		return;
	double path_bytes = c.receive_Bps * (double)r->min_rtt_ns * 1e-9;
	double own_ns = ((double)r->inflight_bytes - path_bytes) / mu * 1e9;
	double queue_ns = rtt_ns > r->min_rtt_ns ? (double)(rtt_ns - r->min_rtt_ns) : 0;
	double share = (double)r->interval_ns / MEAN_OVER_NS, part = s->known && share < 1 ? share : 1;
	s->own_ns += part * (own_ns - s->own_ns);
	s->queue_ns += part * (queue_ns - s->queue_ns);
	s->rate_share += part * (c.receive_Bps / mu - s->rate_share);
	s->known = true;
}

double weir_self_inflicted_share(const struct weir_self_inflicted *s)
{
	if (!s->known || s->queue_ns < (double)WEIR_NS_PER_MS)
		return WEIR_NAN;
	return s->own_ns > 0 ? s->own_ns / s->queue_ns : 0;
}

enum weir_answer weir_self_inflicted_verdict(const struct weir_self_inflicted *s)
{
	double share = weir_self_inflicted_share(s);
	if (!(share >= 0))
		return WEIR_NOT_APPLICABLE;
	return share < OWN_AT_LEAST ? WEIR_ELASTIC : WEIR_INELASTIC;
}

void weir_correlation_read(const struct weir_detector *d, struct weir_correlation *out)
{
	*out = (struct weir_correlation){.at_our_lag = WEIR_NAN, .strongest = WEIR_NAN};
	if (!(weir_detector_filled(d) >= 1) || d->wave_hz <= 0)
		return;
	u64 sample_ns = d->config.sample_ns;
	u64 lag = (d->srtt_ns + sample_ns / 2) / sample_ns;
	u64 lags = (u64)(1e9 / d->wave_hz) / sample_ns;
	out->at_our_lag =
	    weir_spectrum_correlation(&d->send, &d->z, &d->frame, lag < d->frame.n ? (u32)lag : d->frame.n);
	for (u32 i = 0; i < lags && i < d->frame.n / 2; i++) {
		double c = weir_spectrum_correlation(&d->send, &d->z, &d->frame, i);
		if (c * c <= out->strongest * out->strongest || !(c * c >= 0))
			continue;
		out->strongest = c;
		out->strongest_lag_ns = i * sample_ns;
	}
	if (out->at_our_lag >= -1)
		out->verdict = out->at_our_lag <= -AGAINST_AT_LEAST ? WEIR_ELASTIC : WEIR_INELASTIC;
}

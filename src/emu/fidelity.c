/* SPDX-License-Identifier: MIT */
#include "fidelity.h"

#include <stdio.h>
#include <string.h>

#define BASE_LEAST_NS (1 * WEIR_NS_PER_MS)
#define QUANTILE .99
#define FAITHFUL_MOST .01
#define DEGRADED_MOST .05
#define OVERRUN_MOST .001

const char *const weir_verdict_names[WEIR_FIDELITY_VERDICTS] = {"faithful", "degraded", "invalid"};

/* Shares of a whole by bucket of a weir_hist; nothing counted is a certain 0. */
struct shares {
	double of[WEIR_HIST_BUCKETS];
};

static void shares_of(const struct weir_hist *h, struct shares *out)
{
	memset(out, 0, sizeof *out);
	for (u32 i = 0; i < WEIR_HIST_BUCKETS; i++)
		out->of[i] = h->n ? (double)h->bucket[i] / (double)h->n : 0;
	if (h->n == 0)
		out->of[0] = 1;
}

/* The distribution of the sum of two independent values. */
static void convolve(const struct shares *a, const struct shares *b, struct shares *out)
{
	static const double negligible = 1e-12;
	memset(out, 0, sizeof *out);
	for (u32 i = 0; i < WEIR_HIST_BUCKETS; i++) {
		if (a->of[i] <= negligible)
			continue;
		for (u32 k = 0; k < WEIR_HIST_BUCKETS; k++)
			if (b->of[k] > negligible)
				out->of[weir_hist_index((u64)(weir_hist_middle(i) + weir_hist_middle(k)))] +=
				    a->of[i] * b->of[k];
	}
}

static double quantile(const struct shares *s, double q)
{
	double seen = 0, last = 0;
	for (u32 i = 0; i < WEIR_HIST_BUCKETS; i++) {
		if (s->of[i] <= 0)
			continue;
		seen += s->of[i];
		last = weir_hist_middle(i);
		if (seen >= q - 1e-9)
			return last;
	}
	return last;
}

static double rtt_error_ns(const struct weir_fidelity *f)
{
	struct shares sum, next, other;
	shares_of(&f->lateness_ns[0], &sum);
	for (u32 way = 0; way < WEIR_WAYS; way++) {
		if (way) {
			shares_of(&f->lateness_ns[way], &other);
			convolve(&sum, &other, &next);
			sum = next;
		}
		if (!f->stamped) {
			shares_of(&f->arrival_ns[way], &other);
			convolve(&sum, &other, &next);
			sum = next;
		}
	}
	return quantile(&sum, QUANTILE);
}

static enum weir_fidelity_verdict grade(double fraction)
{
	return fraction <= FAITHFUL_MOST   ? WEIR_FAITHFUL
	       : fraction <= DEGRADED_MOST ? WEIR_DEGRADED
					   : WEIR_INVALID;
}

void weir_fidelity_judge(const struct weir_fidelity *f, struct weir_judgement *out)
{
	double base_ns = (double)weir_max(f->base_rtt_ns, BASE_LEAST_NS);
	u64 packets = f->packets[WEIR_UP] + f->packets[WEIR_DOWN];
	*out = (struct weir_judgement){.rtt_error_ns = rtt_error_ns(f)};
	out->rtt_error_fraction = out->rtt_error_ns / base_ns;
	out->missed_fraction = f->due_bytes ? (double)f->missed_bytes / (double)f->due_bytes : 0;
	out->overrun_fraction = f->overruns ? (double)f->overruns / (double)(packets + f->overruns) : 0;

	enum weir_fidelity_verdict by_rtt = grade(out->rtt_error_fraction);
	enum weir_fidelity_verdict by_rate = grade(out->missed_fraction);
	if (out->overrun_fraction > OVERRUN_MOST) {
		out->verdict = WEIR_INVALID;
		snprintf(out->reason, sizeof out->reason,
			 "%.2f %% of the packets were lost outside the model (overruns: %llu)",
			 100 * out->overrun_fraction, f->overruns);
	} else if (by_rate > by_rtt) {
		out->verdict = by_rate;
		snprintf(out->reason, sizeof out->reason, "%.2f %% of the bytes due came late by a window",
			 100 * out->missed_fraction);
	} else {
		out->verdict = by_rtt;
		snprintf(out->reason, sizeof out->reason,
			 "the error of the RTT is %.3f ms at p99: %.2f %% of %.3f ms",
			 out->rtt_error_ns / 1e6, 100 * out->rtt_error_fraction, base_ns / 1e6);
	}
}

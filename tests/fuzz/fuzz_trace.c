/* SPDX-License-Identifier: MIT */
/* Any file as a trace and as a table of rates: refused with a reason, or read into a trace that can be
 * asked, written and driven. */
#include "link/trace_rates.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

static void use(struct weir_trace *t, int result, const struct weir_diag *d)
{
	assert((result == 0) == (d->n == 0));
	if (result < 0) {
		assert(!t->at_ns && !t->n);
		return;
	}
	assert(t->n && t->period_ns >= t->at_ns[t->n - 1]);
	for (u64 i = 1; i < t->n; i++)
		assert(t->at_ns[i] >= t->at_ns[i - 1]);
	u64 wrapped_ns = weir_trace_time_ns(t, 3 * t->n);
	assert(wrapped_ns == 3 * t->period_ns + t->at_ns[0]);
	assert(weir_trace_count(t, wrapped_ns) > 3 * t->n);
	assert(weir_trace_mean_bps(t) > 0 && weir_trace_max_bps(t, WEIR_NS_PER_MS) > 0);
	assert(weir_trace_longest_outage_ns(t) <= t->period_ns);
	weir_trace_fini(t);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	static struct weir_diag d;
	struct weir_trace t;
	const char *text = (const char *)data;
	for (int i = 0; i < 4; i++) {
		u64 period_ns = i & 1 ? 3 * WEIR_NS_PER_S : 0;
		d.n = d.more = 0;
		use(&t, weir_trace_parse(text, bytes, i & 2 ? WEIR_TRACE_SORT : 0, period_ns, &t, &d), &d);
		d.n = d.more = 0;
		/* a table may ask for millions of opportunities; once is enough */
		if (i < 2 && bytes < 4096)
			use(&t, weir_trace_parse_csv(text, bytes, period_ns, &t, &d), &d);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_BPS 200000. /* below: handshakes and timeouts, not congestion control, fill the time */
#define LONG_OUTAGE_NS (10 * WEIR_NS_PER_S)

struct weir_diag weir_trace_diag;

void weir_trace_diag_start(const char *file)
{
	weir_trace_diag.n = weir_trace_diag.more = 0;
	snprintf(weir_trace_diag.file, sizeof weir_trace_diag.file, "%s", file);
}

int weir_trace_complain(const char *source)
{
	weir_diag_print(&weir_trace_diag, source, stderr);
	return WEIR_EXIT_USAGE;
}

/* A table of rates has a comma in its first line that is no comment. */
static bool is_table(const char *text)
{
	while (*text == '#' || *text == '\n') {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text[strcspn(text, ",\n")] == ',';
}

int weir_trace_input(const char *path, unsigned options, u64 period_ns, struct weir_trace *t)
{
	size_t length;
	weir_trace_diag_start(path);
	char *text = weir_trace_read(path, WEIR_TRACE_MOST_BYTES, &length, &weir_trace_diag);
	if (!text)
		return weir_trace_complain(NULL);
	int result = is_table(text) ? weir_trace_parse_csv(text, length, period_ns, t, &weir_trace_diag)
				    : weir_trace_parse(text, length, options, period_ns, t, &weir_trace_diag);
	if (result < 0)
		result = weir_trace_complain(text);
	free(text);
	return result;
}

void weir_trace_warn(const char *path, const struct weir_trace *t)
{
	char number[48];
	double mean_bps = weir_trace_mean_bps(t);
	u64 outage_ns = weir_trace_longest_outage_ns(t);
	if (mean_bps < SLOW_BPS) {
		weir_quantity_print(WEIR_QUANTITY_RATE, (u64)mean_bps, number);
		fprintf(stderr, "%s: warning: mean rate %s, below %.0f kbit/s: expect timeouts\n", path,
			number, SLOW_BPS / 1e3);
	}
	if (outage_ns > LONG_OUTAGE_NS)
		fprintf(stderr, "%s: warning: an outage of %.3f s\n", path, (double)outage_ns / 1e9);
}

/* SPDX-License-Identifier: MIT */
#include "trace_rates.h"

#include <stdlib.h>

#define WORK (WEIR_TRACE_BYTES * 8 * WEIR_NS_PER_S) /* of one opportunity: bits times 1e9 */

__extension__ typedef unsigned __int128 u128;

struct builder {
	struct weir_trace *t;
	u64 size;
	struct weir_diag *d;
};

static bool append(struct builder *b, u64 at_ns)
{
	struct weir_trace *t = b->t;
	if (t->n == b->size) {
		u64 size = b->size ? 2 * b->size : 1024;
		u64 *at = realloc(t->at_ns, size * sizeof *at);
		if (!at) {
			weir_diag_add(b->d, 0, 0, "out of memory");
			return false;
		}
		t->at_ns = at;
		b->size = size;
	}
	t->at_ns[t->n++] = at_ns;
	return true;
}

/* One step from at_ns to end_ns; *done is work towards the next opportunity. */
static bool run_step(struct builder *b, u64 at_ns, u64 end_ns, u64 bps, u64 *done)
{
	while (bps && (u128)bps * (end_ns - at_ns) >= WORK - *done) {
		u64 need_ns = (WORK - *done + bps - 1) / bps;
		at_ns += need_ns;
		*done = (u64)((u128)*done + (u128)bps * need_ns - WORK);
		if (!append(b, at_ns))
			return false;
	}
	*done += bps * (end_ns - at_ns);
	return true;
}

static u64 step_end(const struct weir_rate_step *steps, u64 n, u64 period_ns, u64 i)
{
	return i + 1 < n ? weir_min(steps[i + 1].at_ns, period_ns) : period_ns;
}

static u64 step_bps(const struct weir_rate_step *step)
{
	return weir_min(step->bps, WEIR_TRACE_MOST_BPS);
}

/* Refused before any memory is spent on it. */
static bool is_too_much(const struct weir_rate_step *steps, u64 n, u64 period_ns, struct weir_diag *d)
{
	u128 work = 0;
	for (u64 i = 0; i < n && steps[i].at_ns < period_ns; i++)
		work += (u128)step_bps(&steps[i]) * (step_end(steps, n, period_ns, i) - steps[i].at_ns);
	if (work / WORK < WEIR_TRACE_MOST_ENTRIES)
		return false;
	weir_diag_add(d, 0, 0, "these rates give more than %u opportunities", WEIR_TRACE_MOST_ENTRIES);
	return true;
}

int weir_trace_from_steps(const struct weir_rate_step *steps, u64 n, u64 period_ns, struct weir_trace *t,
			  struct weir_diag *d)
{
	*t = (struct weir_trace){0};
	if (is_too_much(steps, n, period_ns, d))
		return -1;
	struct builder b = {.t = t, .d = d};
	u64 done = WORK / 2;
	for (u64 i = 0; i < n && steps[i].at_ns < period_ns; i++) {
		u64 end_ns = step_end(steps, n, period_ns, i);
		if (!run_step(&b, steps[i].at_ns, end_ns, step_bps(&steps[i]), &done)) {
			weir_trace_fini(t);
			return -1;
		}
	}
	t->period_ns = period_ns;
	t->own_period = true;
	if (t->n)
		return 0;
	weir_diag_add(d, 0, 0, "these rates give no opportunity of %u bytes in %.15g s", WEIR_TRACE_BYTES,
		      (double)period_ns / 1e9);
	return -1;
}

/* ns in units of unit_ns as a decimal number without useless zeros. */
static void print_time(u64 ns, u64 unit_ns, FILE *to)
{
	u64 rest = ns % unit_ns, place = unit_ns / 10;
	fprintf(to, "%llu", ns / unit_ns);
	if (rest)
		putc('.', to);
	for (; rest; rest %= place, place /= 10)
		putc('0' + (int)(rest / place), to);
}

static void write_own(const struct weir_trace *t, FILE *to)
{
	fputs("# weir-trace period_ms=", to);
	print_time(t->period_ns, WEIR_NS_PER_MS, to);
	putc('\n', to);
	for (u64 i = 0; i < t->n; i++) {
		print_time(t->at_ns[i], WEIR_NS_PER_MS, to);
		putc('\n', to);
	}
}

static u64 nearest_ms(u64 ns)
{
	return (ns + WEIR_NS_PER_MS / 2) / WEIR_NS_PER_MS;
}

static void write_mahimahi(const struct weir_trace *t, FILE *to)
{
	for (u64 i = 0; i < t->n; i++)
		fprintf(to, "%llu\n", nearest_ms(t->at_ns[i]));
}

static void write_csv(const struct weir_trace *t, u64 bin_ns, FILE *to)
{
	fputs("time_s,rate_bps\n", to);
	u64 i = 0;
	for (u64 at_ns = 0; at_ns < t->period_ns; at_ns += bin_ns) {
		u64 end_ns = weir_min(at_ns + bin_ns, t->period_ns), first = i;
		while (i < t->n && (t->at_ns[i] < end_ns || end_ns == t->period_ns))
			i++;
		u64 bits = (i - first) * WEIR_TRACE_BYTES * 8;
		print_time(at_ns, WEIR_NS_PER_S, to);
		fprintf(to, ",%llu\n", weir_muldiv(bits, WEIR_NS_PER_S, end_ns - at_ns));
	}
	print_time(t->period_ns, WEIR_NS_PER_S, to);
	fputs(",\n", to);
}

int weir_trace_can_write(const struct weir_trace *t, enum weir_trace_format format, u64 bin_ns,
			 struct weir_diag *d)
{
	if (format == WEIR_TRACE_MAHIMAHI && nearest_ms(t->at_ns[t->n - 1]) == 0)
		weir_diag_add(d, 0, 0,
			      "shorter than mahimahi's format can say: its last timestamp rounds to 0 ms");
	else if (format == WEIR_TRACE_CSV &&
		 (bin_ns == 0 || t->period_ns / bin_ns >= WEIR_TRACE_MOST_ENTRIES))
		weir_diag_add(d, 0, 0, "more than %u rows", WEIR_TRACE_MOST_ENTRIES);
	else
		return 0;
	return -1;
}

void weir_trace_write(const struct weir_trace *t, enum weir_trace_format format, u64 bin_ns, FILE *to)
{
	switch (format) {
	case WEIR_TRACE_OWN:
		write_own(t, to);
		break;
	case WEIR_TRACE_MAHIMAHI:
		write_mahimahi(t, to);
		break;
	case WEIR_TRACE_CSV:
		write_csv(t, bin_ns, to);
		break;
	}
}

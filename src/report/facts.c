/* SPDX-License-Identifier: MIT */
#include "facts.h"

#include <math.h>

static double sum_of(const json_t *list, const char *path)
{
	double sum = (double)NAN;
	for (size_t i = 0; i < json_array_size(list); i++) {
		double x = weir_get_number(json_array_get(list, i), path);
		if (!isnan(x))
			sum = isnan(sum) ? x : sum + x;
	}
	return sum;
}

/* The element whose number at `path` is largest; NULL when none has one. */
static const json_t *largest(const json_t *list, const char *path)
{
	const json_t *best = NULL;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *x = json_array_get(list, i);
		double value = weir_get_number(x, path);
		if (!isnan(value) && (!best || value > weir_get_number(best, path)))
			best = x;
	}
	return best;
}

static const json_t *object_or_null(const json_t *x)
{
	return json_is_object(x) ? x : NULL;
}

static double mean_age(const json_t *flows)
{
	double sum = 0;
	u32 n = 0;
	for (size_t i = 0; i < json_array_size(flows); i++) {
		double age = weir_get_number(json_array_get(flows, i), "age_ms.mean");
		if (isnan(age))
			continue;
		sum += age;
		n++;
	}
	return n ? sum / n : (double)NAN;
}

void weir_facts_of(const struct weir_run_data *run, struct weir_facts *f)
{
	const json_t *flows = json_object_get(run->summary, "flows");
	const json_t *groups = json_object_get(run->summary, "groups");
	*f = (struct weir_facts){.run = run, .flows = (u32)json_array_size(flows)};
	if (f->flows == 0) {
		double n = sum_of(groups, "flows");
		f->flows = n > 0 ? (u32)n : 0;
		flows = groups;
	}
	f->only_flow = f->flows == 1 ? json_array_get(flows, 0) : NULL;
	f->link = largest(json_object_get(run->summary, "links"), "utilization");
	f->goodput_bps = sum_of(flows, "goodput_bps");
	f->throughput_bps = sum_of(flows, "throughput_bps");
	double sent = sum_of(flows, "packets_sent"), lost = sum_of(flows, "packets_lost");
	f->loss_fraction = sent > 0 ? lost / sent : (double)NAN;
	f->jain = f->flows > 1 ? weir_get_number(run->summary, "fairness.jain_throughput") : (double)NAN;
	f->delay = object_or_null(weir_get(f->link, "queue_delay_ms"));
	if (!f->delay)
		f->delay = object_or_null(weir_get(f->only_flow, "queue_delay_ms"));
	f->rtt = object_or_null(weir_get(largest(flows, "goodput_bps"), "rtt_ms"));
	f->age_mean_ms = mean_age(flows);
	f->simulated_s = weir_get_number(run->summary, "simulated_s");
}

/* SPDX-License-Identifier: MIT */
/* Nanoseconds of CPU an ACK costs: the control alone (on_ack, and an epoch each ten), the whole source with
 * its integrals, an update at a monitor of a million sources; and bytes a source there. "NAME VALUE" a line,
 * the best of some runs. */
#include "age/monitors.h"
#include "age/source.h"
#include "age/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ACKS 2000000
#define RUNS 5
#define SOURCES 1000000

static double cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double control_ns(const struct weir_age_ops *ops, double *sum)
{
	static u64 state[WEIR_AGE_STATE_BYTES / 8], params[64];
	struct weir_age_out out = {0};
	memset(state, 0, sizeof state);
	weir_age_defaults(ops, params);
	ops->init(state, params, 0, .05, &out);
	double start_ns = cpu_ns(), now_s = 0;
	for (u32 i = 0; i < ACKS; i++) {
		now_s += .01;
		struct weir_age_ack a = {.now_s = now_s,
					 .rtt_s = .05 + 1e-4 * (i % 17),
					 .gap_s = .01,
					 .age_s = .05,
					 .forward_s = .02,
					 .acked = i,
					 .sent = i + 5,
					 .newly_acked = 1,
					 .newly_arrived = 1};
		ops->on_ack(state, params, &a, &out);
		if (i % WEIR_AGE_ETA)
			continue;
		struct weir_age_epoch e = {.now_s = now_s,
					   .length_s = .1,
					   .age_mean_s = .05 + 1e-4 * (i % 13),
					   .backlog_mean = 5 + .1 * (i % 7),
					   .rate_hz = 100,
					   .sent = 10,
					   .acked = 10};
		ops->on_epoch(state, params, &e, &out);
		*sum += out.rate_hz;
	}
	return (cpu_ns() - start_ns) / ACKS;
}

/* One update and its ACK: polled, received, answered, taken. */
static double exchange_ns(const struct weir_age_ops *ops, double *sum)
{
	static u64 params[64];
	static struct weir_source s;
	static struct weir_monitor m;
	weir_age_defaults(ops, params);
	struct weir_source_config c = weir_source_defaults(ops, params);
	c.just_in_time = true;
	c.ceiling_hz = 1000;
	weir_source_init(&s, &c, 1);
	weir_monitor_init(&m, 0, 1, 0);
	u64 now_ns = 1;
	double start_ns = cpu_ns();
	for (u32 i = 0; i < ACKS; i++) {
		struct weir_age_packet p, answer;
		u64 wake_ns = weir_source_wake_ns(&s);
		now_ns = wake_ns > now_ns ? wake_ns : now_ns;
		if (!weir_source_poll(&s, now_ns, &p))
			continue;
		weir_monitor_receive(&m, NULL, now_ns + 100000, &p, &answer);
		now_ns += 200000;
		weir_source_receive(&s, now_ns, &answer);
	}
	*sum += s.rate_hz + (double)m.fresh;
	return (cpu_ns() - start_ns) / ACKS;
}

/* Updates of a million sources in no order that a cache would like. */
static double monitor_ns(double *sum)
{
	static struct weir_monitors t;
	void *memory = calloc(1, weir_monitors_bytes(SOURCES));
	u32 *session = calloc(SOURCES, sizeof *session);
	if (!memory || !session)
		exit(1);
	weir_monitors_init(&t, memory, SOURCES, 7, 0, 0);
	struct weir_age_packet p = {.type = WEIR_AGE_PROBE, .incarnation = 1}, answer;
	enum weir_monitor_verdict verdict;
	for (u32 i = 0; i < SOURCES; i++) {
		p.flow_id = i;
		weir_monitors_receive(&t, i, 1, &p, &answer, &verdict);
		session[i] = answer.session;
	}
	p.type = WEIR_AGE_UPDATE;
	double start_ns = cpu_ns();
	for (u32 i = 0; i < ACKS; i++) {
		u32 key = (u32)((u64)i * 2654435761U % SOURCES);
		p.flow_id = key;
		p.session = session[key];
		p.sequence = 1 + i / SOURCES;
		p.sent_ns = p.generated_ns = i;
		weir_monitors_receive(&t, key, 1000 + i, &p, &answer, &verdict);
		*sum += answer.sequence;
	}
	double ns = (cpu_ns() - start_ns) / ACKS;
	free(session);
	free(memory);
	return ns;
}

int main(void)
{
	double sum = 0;
	for (u32 i = 0; i < weir_age_count(); i++) {
		const struct weir_age_ops *ops = weir_age_at(i);
		double control = 1e9, exchange = 1e9;
		for (u32 run = 0; run < RUNS; run++) {
			double ns = control_ns(ops, &sum);
			control = ns < control ? ns : control;
			ns = exchange_ns(ops, &sum);
			exchange = ns < exchange ? ns : exchange;
		}
		printf("control-%s %.1f\nexchange-%s %.1f\n", ops->name, control, ops->name, exchange);
	}
	printf("monitor %.1f\n", monitor_ns(&sum));
	printf("bytes %.1f\n", (double)weir_monitors_bytes(SOURCES) / SOURCES);
	fprintf(stderr, "checksum %g\n", sum);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* A source and its monitor with a path between them, in virtual time. The path has a delay each way and may
 * be cut; a test can hold packets back and bring them later. What is delivered is checked: never a stale
 * value after a newer one. */
#ifndef WEIR_TESTS_AGE_ENDS_H
#define WEIR_TESTS_AGE_ENDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "age/monitor.h"
#include "age/source.h"
#include "age/table.h"

#include <string.h>

#define ENDS_MS WEIR_NS_PER_MS
#define ENDS_S WEIR_NS_PER_S
#define ENDS_WAY 4096

/* Like assert_float_equal, but of doubles. */
#define NEAR(got, wanted, within) ends_near((got), (wanted), (within), __FILE__, __LINE__)
static inline void ends_near(double got, double wanted, double within, const char *file, int line)
{
	if (got >= wanted - within && got <= wanted + within)
		return;
	print_error("%.12g is not %.12g to within %g\n", got, wanted, within);
	_fail(file, line);
}

struct ends_way {
	struct {
		u64 at_ns;
		struct weir_age_packet packet;
	} packet[ENDS_WAY];
	u32 head, tail;
	u64 delay_ns;
	u64 service_ns, free_ns; /* of a FIFO server before the delay */
	u64 sent, carried;
	u32 marks_each; /* the one of so many updates that is marked CE; 0: none */
	bool cut;
	bool (*loses)(const struct weir_age_packet *p); /* NULL: none */
};

struct ends {
	struct weir_source source;
	struct weir_monitor monitor;
	struct weir_source_config config;
	struct weir_ledger ledger; /* true age, one clock */
	u64 params[16];
	struct ends_way there, back;
	u64 now_ns, period_ns, next_offer_ns; /* the application's; 0: offers nothing by itself */
	u64 newest_ns;			      /* generation time of the last value delivered */
	u64 fresh, last_fresh_ns, source_offset_ns;
	u32 verdicts[WEIR_MONITOR_VERDICTS];
};

static inline void ends_open(struct ends *e, const char *controller, u64 delay_ns)
{
	const struct weir_age_ops *ops = weir_age_find(controller);
	assert_non_null(ops);
	memset(e, 0, sizeof *e);
	weir_age_defaults(ops, e->params);
	e->config = weir_source_defaults(ops, e->params);
	e->config.flow_id = 7;
	e->config.incarnation = 1;
	e->config.just_in_time = true;
	e->there.delay_ns = e->back.delay_ns = delay_ns;
	e->now_ns = ENDS_S;
	weir_monitor_init(&e->monitor, 7, 1234, 0);
	weir_ledger_init(&e->ledger, 0);
}

static inline void ends_start(struct ends *e)
{
	weir_source_init(&e->source, &e->config, e->now_ns);
	e->next_offer_ns = e->now_ns;
}

static inline void ends_put(struct ends_way *w, u64 now_ns, const struct weir_age_packet *p)
{
	w->sent++;
	if (w->cut || (w->loses && w->loses(p)))
		return;
	assert_true(w->tail - w->head < ENDS_WAY);
	w->free_ns = (w->free_ns > now_ns ? w->free_ns : now_ns) + w->service_ns;
	w->packet[w->tail % ENDS_WAY].at_ns = w->free_ns + w->delay_ns;
	w->packet[w->tail % ENDS_WAY].packet = *p;
	w->packet[w->tail++ % ENDS_WAY].packet.marked =
	    w->marks_each && p->type == WEIR_AGE_UPDATE && p->sequence % w->marks_each == 0;
	w->carried++;
}

static inline u64 ends_due_ns(const struct ends_way *w)
{
	return w->head == w->tail ? WEIR_NEVER : w->packet[w->head % ENDS_WAY].at_ns;
}

static inline void ends_deliver(struct ends *e, const struct weir_age_packet *p)
{
	struct weir_age_packet answer;
	enum weir_monitor_verdict v = weir_monitor_receive(&e->monitor, NULL, e->now_ns, p, &answer);
	e->verdicts[v]++;
	if (v == WEIR_MONITOR_FRESH) {
		assert_true(p->generated_ns >= e->newest_ns); /* never a stale value after a newer one */
		weir_ledger_value(&e->ledger, NULL, e->now_ns, p->generated_ns);
		e->newest_ns = p->generated_ns;
		e->last_fresh_ns = e->now_ns;
		e->fresh++;
	}
	if (answer.type != WEIR_AGE_NONE)
		ends_put(&e->back, e->now_ns, &answer);
}

static inline void ends_poll(struct ends *e)
{
	struct weir_age_packet p;
	u32 n = 0;
	while (weir_source_poll(&e->source, e->now_ns, &p)) {
		assert_true(++n <= 2); /* no burst, whatever happened */
		ends_put(&e->there, e->now_ns, &p);
	}
}

static inline u64 ends_next_ns(const struct ends *e)
{
	u64 next_ns = weir_source_wake_ns(&e->source);
	next_ns = next_ns < ends_due_ns(&e->there) ? next_ns : ends_due_ns(&e->there);
	next_ns = next_ns < ends_due_ns(&e->back) ? next_ns : ends_due_ns(&e->back);
	return e->period_ns && e->next_offer_ns < next_ns ? e->next_offer_ns : next_ns;
}

/* All that happens up to a time. */
static inline void ends_until(struct ends *e, u64 end_ns)
{
	for (u64 guard = 0;; guard++) {
		assert_true(guard < 50000000);
		u64 next_ns = ends_next_ns(e);
		if (next_ns > end_ns)
			break;
		e->now_ns = next_ns > e->now_ns ? next_ns : e->now_ns;
		if (e->period_ns && e->next_offer_ns <= e->now_ns) {
			weir_source_offer(&e->source, e->now_ns, e->now_ns);
			e->next_offer_ns += e->period_ns;
		}
		while (ends_due_ns(&e->there) <= e->now_ns)
			ends_deliver(e, &e->there.packet[e->there.head++ % ENDS_WAY].packet);
		while (ends_due_ns(&e->back) <= e->now_ns)
			weir_source_receive(&e->source, e->now_ns,
					    &e->back.packet[e->back.head++ % ENDS_WAY].packet);
		ends_poll(e);
	}
	e->now_ns = end_ns;
	weir_ledger_advance(&e->ledger, NULL, end_ns);
	weir_source_advance(&e->source, end_ns);
}

static inline void ends_run(struct ends *e, u64 span_ns)
{
	ends_until(e, e->now_ns + span_ns);
}

static inline void ends_cut(struct ends *e, bool cut)
{
	e->there.cut = e->back.cut = cut;
	if (cut) {
		e->there.head = e->there.tail;
		e->back.head = e->back.tail;
	}
}

#endif

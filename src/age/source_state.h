/* SPDX-License-Identifier: MIT */
/* What the files of the source share: age/source.c sends, age/source_answers.c understands what comes back.
 */
#ifndef WEIR_AGE_SOURCE_STATE_H
#define WEIR_AGE_SOURCE_STATE_H

#include "source.h"
#include "weir/num.h"

#define WEIR_SOURCE_BREAKER_NS                                                                               \
	(3 * WEIR_NS_PER_S)		     /* RFC 8085, 3.1.3: one datagram in 3 s without feedback        \
					      */
#define WEIR_SOURCE_RTO_MIN_NS WEIR_NS_PER_S /* RFC 6298, 2.4 */
#define WEIR_SOURCE_HURRY_NS (50 * WEIR_NS_PER_MS)
#define WEIR_SOURCE_PERIOD_MIN_NS 100ULL
#define WEIR_SOURCE_PERIOD_MAX_NS (100000 * WEIR_NS_PER_S)
#define WEIR_SOURCE_UNANSWERED 3 /* packets without an answer, before silence is an outage */

/* The time, never back; notes when the host comes much later than it was asked to. */
void weir_source_tick(struct weir_source *s, u64 now_ns);

/* Integrals up to s->now_ns. */
void weir_source_account(struct weir_source *s);

/* A new rate from the controller, clamped. */
void weir_source_apply(struct weir_source *s, const struct weir_age_out *o);

/* A new epoch begins now. */
void weir_source_begin_epoch(struct weir_source *s, double epoch_s);

/* Retransmission timeout (RFC 6298) without its doubling, at least min_ns. */
u64 weir_source_rto_ns(const struct weir_source *s, u64 min_ns);

/* Silence: updates stop, one probe leaves at once. */
void weir_source_ask(struct weir_source *s);

/* The path answers: what was missing is no longer waited for. */
void weir_source_answered(struct weir_source *s);

/* Whether the newest value sent has not been acknowledged. */
static inline bool weir_source_owes(const struct weir_source *s)
{
	return s->last_generated_ns > s->confirmed_ns;
}

/* Whether a value can be had for a slot. */
static inline bool weir_source_has_value(const struct weir_source *s)
{
	return s->waiting || s->again || s->config.just_in_time;
}

#endif

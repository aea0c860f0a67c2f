/* SPDX-License-Identifier: MIT */
/* The functions of include/weir/acp.h: datagrams and the newest value around the state machines. With the
 * rest of this room it becomes weir_acp.c (tools/amalgamate). */
#include "monitors.h"
#include "source.h"
#include "table.h"
#include "weir/acp.h"
#include "wire.h"

#include <string.h>

#define PAIR_PARAMS 32
#define PAIR_DEFAULT "acp-robust"

struct pair_source {
	struct weir_source source;
	struct weir_acp_source_options options;
	u64 params[PAIR_PARAMS];
	u64 rejected;
	size_t value_bytes;
};

WEIR_AGE_ASSERT(sizeof(struct pair_source) <= sizeof(struct weir_acp_source), "weir_acp_source is too small");
WEIR_AGE_ASSERT(sizeof(struct weir_monitors) <= sizeof(struct weir_acp_monitor),
		"weir_acp_monitor is too small");
WEIR_AGE_ASSERT(WEIR_ACP_HEADER_BYTES == WEIR_AGE_HEADER_BYTES &&
		    WEIR_ACP_ANSWER_BYTES == WEIR_AGE_ANSWER_BYTES &&
		    WEIR_ACP_VALUE_BYTES_MAX == WEIR_AGE_VALUE_BYTES_MAX,
		"acp.h and wire.h differ");

static struct pair_source *pair_source(struct weir_acp_source *s)
{
	return (struct pair_source *)(void *)s->opaque;
}

static struct weir_monitors *pair_monitors(const struct weir_acp_monitor *m)
{
	return (struct weir_monitors *)(uintptr_t)m->opaque;
}

/* ---- the source ---- */

int weir_acp_source_init(struct weir_acp_source *s, const struct weir_acp_source_options *o, uint64_t now_ns)
{
	struct pair_source *p = pair_source(s);
	struct weir_source_config c;
	const struct weir_age_ops *ops = weir_age_find(o->controller ? o->controller : PAIR_DEFAULT);
	if (!ops || ops->n_params > PAIR_PARAMS)
		return WEIR_ACP_UNKNOWN_CONTROLLER;
	if (!o->buffer || o->buffer_bytes < WEIR_ACP_HEADER_BYTES ||
	    o->buffer_bytes > WEIR_ACP_HEADER_BYTES + WEIR_ACP_VALUE_BYTES_MAX)
		return WEIR_ACP_BAD_BUFFER;
	if (!o->send || (o->sensor && !o->ready))
		return WEIR_ACP_NO_SEND;
	memset(p, 0, sizeof *p);
	p->options = *o;
	weir_age_defaults(ops, p->params);
	c = weir_source_defaults(ops, p->params);
	c.flow_id = o->flow_id;
	c.incarnation = o->incarnation;
	c.ceiling_hz = o->max_rate_hz;
	c.max_age_ns = o->max_age_ns;
	c.just_in_time = o->sensor != 0;
	c.resend = true;
	weir_source_init(&p->source, &c, now_ns);
	return WEIR_ACP_OK;
}

int weir_acp_source_set(struct weir_acp_source *s, const char *name, uint64_t value)
{
	struct pair_source *p = pair_source(s);
	const struct weir_age_ops *ops = p->source.config.ops;
	for (u32 i = 0; i < ops->n_params; i++) {
		if (strcmp(ops->params[i].name, name) != 0)
			continue;
		if (value < ops->params[i].min || value > ops->params[i].max)
			return WEIR_ACP_OUT_OF_RANGE;
		p->params[i] = value;
		return WEIR_ACP_OK;
	}
	return WEIR_ACP_UNKNOWN_PARAMETER;
}

int weir_acp_source_notify(struct weir_acp_source *s, uint64_t now_ns, uint64_t made_ns)
{
	return weir_source_offer(&pair_source(s)->source, now_ns, made_ns) ? WEIR_ACP_OK : WEIR_ACP_TOO_OLD;
}

int weir_acp_source_offer(struct weir_acp_source *s, uint64_t now_ns, uint64_t made_ns, const void *value,
			  size_t bytes)
{
	struct pair_source *p = pair_source(s);
	if (bytes > p->options.buffer_bytes - WEIR_ACP_HEADER_BYTES)
		return WEIR_ACP_TOO_LARGE;
	int result = weir_acp_source_notify(s, now_ns, made_ns);
	if (result != WEIR_ACP_OK)
		return result;
	if (bytes)
		memcpy((u8 *)p->options.buffer + WEIR_ACP_HEADER_BYTES, value, bytes);
	p->value_bytes = bytes;
	return WEIR_ACP_OK;
}

void weir_acp_source_datagram(struct weir_acp_source *s, uint64_t now_ns, const void *datagram, size_t bytes)
{
	struct pair_source *p = pair_source(s);
	struct weir_age_packet in;
	if (weir_age_decode(&in, (const u8 *)datagram, bytes) == WEIR_AGE_WIRE_OK)
		weir_source_receive(&p->source, now_ns, &in);
	else
		p->rejected++;
}

static void pair_send(struct pair_source *p, const struct weir_age_packet *out)
{
	const struct weir_acp_source_options *o = &p->options;
	u8 *buffer = (u8 *)o->buffer;
	size_t bytes = weir_age_encode(out, buffer, o->buffer_bytes);
	if (out->type == WEIR_AGE_UPDATE) {
		size_t room = o->buffer_bytes - bytes;
		if (o->ready) {
			p->value_bytes = o->ready(o->context, buffer + bytes, room);
			p->value_bytes = p->value_bytes < room ? p->value_bytes : room;
		}
		bytes += p->value_bytes;
	}
	o->send(o->context, buffer, bytes);
}

uint64_t weir_acp_source_run(struct weir_acp_source *s, uint64_t now_ns)
{
	struct pair_source *p = pair_source(s);
	struct weir_age_packet out;
	while (weir_source_poll(&p->source, now_ns, &out))
		pair_send(p, &out);
	return weir_source_wake_ns(&p->source);
}

void weir_acp_source_path_changed(struct weir_acp_source *s, uint64_t now_ns)
{
	weir_source_path_changed(&pair_source(s)->source, now_ns);
}

void weir_acp_source_hurry(struct weir_acp_source *s, uint64_t now_ns)
{
	weir_source_hurry(&pair_source(s)->source, now_ns);
}

void weir_acp_source_status(struct weir_acp_source *s, uint64_t now_ns, struct weir_acp_source_status *status)
{
	struct pair_source *p = pair_source(s);
	const struct weir_source_stats *stats = &p->source.stats;
	weir_source_advance(&p->source, now_ns);
	memset(status, 0, sizeof *status);
	status->age_s = weir_ledger_age_s(&p->source.estimate, now_ns);
	status->age_mean_s = weir_ledger_mean_s(&p->source.estimate);
	status->rate_hz = p->source.rate_hz;
	status->rtt_s = p->source.srtt_s;
	status->backlog_mean = weir_source_backlog_mean(&p->source);
	status->sent = stats->updates;
	status->acked = stats->acked;
	status->lost = stats->lost;
	status->replaced = stats->replaced;
	status->expired = stats->expired;
	status->rejected = p->rejected + stats->acks_foreign + stats->acks_bad;
	status->outages = stats->outages;
	status->connected = p->source.phase == WEIR_SOURCE_RUNNING;
	status->settled = weir_source_settled(&p->source);
}

/* ---- the monitor ---- */

int weir_acp_monitor_init(struct weir_acp_monitor *m, uint32_t sources, void *memory, uint64_t seed,
			  uint64_t forget_ns)
{
	size_t bytes = weir_monitors_bytes(sources);
	if (!bytes || bytes > WEIR_ACP_MONITOR_BYTES(sources))
		return WEIR_ACP_OUT_OF_RANGE;
	if (!memory || (uintptr_t)memory % sizeof(u64))
		return WEIR_ACP_BAD_BUFFER;
	memset(m, 0, sizeof *m);
	weir_monitors_init(pair_monitors(m), memory, sources, seed, forget_ns, 0);
	return WEIR_ACP_OK;
}

static int pair_kind(enum weir_monitor_verdict verdict)
{
	switch (verdict) {
	case WEIR_MONITOR_FRESH:
		return WEIR_ACP_VALUE;
	case WEIR_MONITOR_REPEATED:
	case WEIR_MONITOR_LATE:
	case WEIR_MONITOR_DOUBLE:
	case WEIR_MONITOR_STRANGE:
		return WEIR_ACP_STALE;
	case WEIR_MONITOR_PROBED:
	case WEIR_MONITOR_OPENED:
		return WEIR_ACP_CONTROL;
	default:
		return WEIR_ACP_REJECTED;
	}
}

static void pair_tell(const struct weir_monitor *m, u64 now_ns, const struct weir_age_body *body,
		      struct weir_acp_event *event)
{
	struct weir_age_reading age = weir_monitor_age(m, now_ns);
	event->flow_id = m->flow_id;
	event->value = body->value;
	event->bytes = body->value_bytes;
	event->name = body->name;
	event->name_bytes = body->name_bytes;
	event->age_s = age.age_s;
	event->age_low_s = age.low_s;
	event->age_high_s = age.high_s;
	event->rtt_s = m->rtt_us * 1e-6;
	event->rate_hz = m->rate_mhz * 1e-3;
	event->delivered = m->fresh;
	event->lost = weir_monitor_lost(m);
}

size_t weir_acp_monitor_datagram(struct weir_acp_monitor *m, uint64_t now_ns, const void *datagram,
				 size_t bytes, void *answer, struct weir_acp_event *event)
{
	struct weir_monitors *t = pair_monitors(m);
	struct weir_age_packet in, out;
	struct weir_age_body body;
	enum weir_monitor_verdict verdict;
	memset(event, 0, sizeof *event);
	event->kind = WEIR_ACP_REJECTED;
	event->place = WEIR_MONITORS_NONE;
	enum weir_age_wire wire = weir_age_decode(&in, (const u8 *)datagram, bytes);
	if (wire == WEIR_AGE_WIRE_NEWER || wire == WEIR_AGE_WIRE_TYPE)
		event->kind = WEIR_ACP_UNKNOWN;
	if (wire != WEIR_AGE_WIRE_OK)
		return 0;
	if (in.type == WEIR_AGE_UPDATE && !weir_age_body(&in, (const u8 *)datagram, bytes, &body))
		return 0;
	event->place = weir_monitors_receive(t, in.flow_id, now_ns, &in, &out, &verdict);
	event->kind = pair_kind(verdict);
	if (verdict == WEIR_MONITOR_FRESH)
		pair_tell(weir_monitors_at(t, event->place), now_ns, &body, event);
	return weir_age_encode(&out, (u8 *)answer, WEIR_ACP_ANSWER_BYTES);
}

double weir_acp_monitor_age(const struct weir_acp_monitor *m, uint32_t place, uint64_t now_ns, int *known)
{
	const struct weir_monitor *at = weir_monitors_at(pair_monitors(m), place);
	*known = at && at->age.known;
	return *known ? weir_ledger_age_s(&at->age, now_ns) : 0;
}

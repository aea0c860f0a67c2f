/* SPDX-License-Identifier: MIT */
/* What a stranger can send to a source, a monitor and a table of them, as bytes: decoded, fed, and what comes
 * back encoded. Events of the application and of time in between. Nothing is answered that is an answer, an
 * answer is never larger than what it answers, and all numbers stay finite. */
#include "../transport/invariants.h"
#include "age/monitors.h"
#include "age/source.h"
#include "age/table.h"
#include "age/wire.h"
#include "bytes.h"

#include <math.h>
#include <string.h>

#define EVENTS_MAX 2000
#define PLACES 5

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

struct stage {
	struct weir_source source;
	struct weir_monitors table;
	struct weir_age_packet sent, answered; /* the last ones */
	u64 params[64];
	u64 memory[4096];
	u64 now_ns;
};

static u64 any_ns(struct reader *r)
{
	return size_up_to(r, 34);
}

/* A datagram from the input: as it is, or one that was sent with some bytes changed. */
static size_t datagram(struct stage *s, struct reader *r, u8 *to, size_t room)
{
	const struct weir_age_packet *model = byte(r) & 1 ? &s->sent : &s->answered;
	size_t n = weir_age_encode(model, to, room);
	if (!n)
		n = room - byte(r) % 70;
	for (u32 changes = byte(r) % 8; changes; changes--)
		to[byte(r) % room] = byte(r);
	if (byte(r) == 0xff)
		for (size_t i = 0; i < room; i++)
			to[i] = byte(r);
	return byte(r) & 0x80 ? byte(r) % (room + 1) : n;
}

static void to_monitors(struct stage *s, const struct weir_age_packet *p, u64 key)
{
	enum weir_monitor_verdict verdict;
	struct weir_age_packet answer;
	u8 a[WEIR_AGE_HEADER_BYTES], b[WEIR_AGE_HEADER_BYTES];
	u32 place = weir_monitors_receive(&s->table, key, s->now_ns, p, &answer, &verdict);
	INVARIANT(verdict < WEIR_MONITOR_VERDICTS && s->table.count <= PLACES);
	bool asks = p->type == WEIR_AGE_PROBE || p->type == WEIR_AGE_UPDATE;
	INVARIANT(asks || (answer.type == WEIR_AGE_NONE && place == WEIR_MONITORS_NONE));
	if (answer.type == WEIR_AGE_NONE)
		return;
	INVARIANT(weir_age_encode(&answer, a, sizeof a) <= weir_age_encode(p, b, sizeof b));
	s->answered = answer;
	const struct weir_monitor *m = weir_monitors_at(&s->table, place);
	struct weir_age_reading reading = weir_monitor_age(m, s->now_ns);
	INVARIANT(isfinite(reading.age_s) && reading.low_s >= 0 && reading.low_s <= reading.age_s);
	INVARIANT(isfinite(weir_ledger_mean_s(&m->age)) && m->age.area_s2 >= 0);
}

static void poll(struct stage *s)
{
	struct weir_age_packet p;
	u32 n = 0;
	while (weir_source_poll(&s->source, s->now_ns, &p)) {
		INVARIANT(p.type == WEIR_AGE_PROBE || p.type == WEIR_AGE_UPDATE);
		INVARIANT(p.sent_ns <= s->now_ns && p.generated_ns <= p.sent_ns && ++n < 3);
		s->sent = p;
	}
}

static void event(struct stage *s, struct reader *r)
{
	u8 bytes[WEIR_AGE_HEADER_BYTES + 6] = {0};
	struct weir_age_packet p;
	struct weir_age_body body;
	switch (byte(r) % 8) {
	case 0:
		s->now_ns += any_ns(r);
		break;
	case 1:
		if (weir_source_wake_ns(&s->source) != WEIR_NEVER)
			s->now_ns = s->now_ns > weir_source_wake_ns(&s->source)
					? s->now_ns
					: weir_source_wake_ns(&s->source);
		break;
	case 2:
		weir_source_offer(&s->source, s->now_ns, s->now_ns - any_ns(r));
		break;
	case 3:
		to_monitors(s, &s->sent, 7);
		break;
	case 4:
		weir_source_receive(&s->source, s->now_ns, &s->answered);
		break;
	case 5:
		if (byte(r) & 1)
			weir_source_path_changed(&s->source, s->now_ns);
		else
			weir_monitors_expire(&s->table, s->now_ns, byte(r));
		break;
	default: {
		size_t n = datagram(s, r, bytes, sizeof bytes);
		if (weir_age_decode(&p, bytes, n) != WEIR_AGE_WIRE_OK)
			break;
		if (weir_age_body(&p, bytes, n, &body))
			INVARIANT(body.value >= bytes && body.value + body.value_bytes <= bytes + n);
		p.marked = byte(r) & 1;
		to_monitors(s, &p, byte(r) & 1 ? 7 : byte(r));
		weir_source_receive(&s->source, s->now_ns, &p);
	}
	}
	poll(s);
}

static void check(const struct weir_source *s)
{
	INVARIANT(s->acked <= s->sent && s->phase <= WEIR_SOURCE_OUTAGE);
	INVARIANT(isfinite(s->rate_hz) && s->rate_hz >= 0 && isfinite(s->srtt_s) && s->srtt_s >= 0);
	INVARIANT(isfinite(s->estimate.area_s2) && s->estimate.area_s2 >= 0);
	INVARIANT(isfinite(s->backlog_area_s) && s->backlog_area_s >= 0);
	INVARIANT(!s->clock.known || s->clock.low_ns <= s->clock.high_ns);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes)
{
	struct reader r = {data, bytes};
	static struct stage s;
	memset(&s, 0, sizeof s);
	s.now_ns = 1 + any_ns(&r);
	const struct weir_age_ops *ops = weir_age_at(byte(&r) % weir_age_count());
	weir_age_defaults(ops, s.params);
	struct weir_source_config c = weir_source_defaults(ops, s.params);
	u32 flags = byte(&r);
	c.flow_id = 7;
	c.incarnation = byte(&r);
	c.probes = flags & 1 ? 1 : 10;
	c.just_in_time = flags >> 1 & 1;
	c.resend = flags >> 2 & 1;
	c.max_age_ns = flags & 8 ? WEIR_NS_PER_S : 0;
	c.first_sequence = flags & 16 ? 0xfffffff0 : flags & 32 ? 0x7ffffff0 : 1;
	c.ceiling_hz = flags & 64 ? 100 : 0;
	c.floor_hz = flags & 128 ? 1 : 0;
	INVARIANT(weir_monitors_bytes(PLACES) <= sizeof s.memory);
	weir_monitors_init(&s.table, s.memory, PLACES, 1, 60 * WEIR_NS_PER_S, WEIR_NS_PER_S);
	weir_source_init(&s.source, &c, s.now_ns);
	for (u32 i = 0; r.left && i < EVENTS_MAX; i++) {
		event(&s, &r);
		check(&s.source);
	}
	return 0;
}

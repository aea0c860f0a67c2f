/* SPDX-License-Identifier: MIT */
/* Flows of an age source and its monitor (src/age): updates travel forth, answers back, through whatever the
 * path has in store. Both ends have the world's clock. */
#include "age/wire.h"
#include "state.h"

#include <stdlib.h>

#define MONITOR_SESSION_SEED 0x5745u

bool weir_sim_acp_add(struct weir_sim_flow *f, const struct weir_source_config *c)
{
	struct weir_sim_acp *acp = calloc(1, sizeof *acp);
	if (!acp)
		return false;
	acp->source.config = *c;
	acp->source.config.flow_id = f->number;
	acp->source.config.incarnation = 0;
	f->app->age->acp = acp;
	return true;
}

static struct weir_sim_acp *acp_of(const struct weir_sim_flow *f)
{
	return f->app->age->acp;
}

static void push(struct weir_world *w, struct weir_sim_flow *f, const struct weir_age_packet *what, u64 bytes,
		 bool backward)
{
	u32 ext = weir_slips_take(&w->parcels);
	if (!ext) {
		w->failed = true;
		return;
	}
	((struct weir_sim_parcel *)weir_slip(&w->parcels, ext))->packet = *what;
	bool ect = !backward && w->endpoints[f->endpoint]->ecn;
	struct weir_packet p = {.ref = backward ? what->sequence : f->app->datagrams++,
				.ext = ext,
				.flow = f->number,
				.bytes = (u16)weir_min(bytes, 0xffff),
				.ecn = ect ? WEIR_ECN_ECT0 : WEIR_ECN_NOT_ECT,
				.flags = backward ? WEIR_SIM_REQUEST | WEIR_SIM_DATAGRAM : WEIR_SIM_DATAGRAM};
	if (!backward)
		f->app->datagram_sent_bytes += p.bytes;
	if (w->tapped && w->taps.on_send)
		w->taps.on_send(w->taps.ctx, w->now_ns, f->number, backward, p.ref, 0, p.bytes, false);
	weir_sim_push(w, f->first_hop[backward], &p);
}

/* All that the source sends now; a probe is an update without its value. */
static void pump(struct weir_world *w, struct weir_sim_flow *f)
{
	struct weir_source *source = &acp_of(f)->source;
	struct weir_age_packet out;
	if (f->stopped)
		return;
	while (!w->failed && weir_source_poll(source, w->now_ns, &out))
		push(w, f, &out,
		     out.type == WEIR_AGE_UPDATE ? f->app->app.config.chunk_bytes
						 : WEIR_AGE_HEADER_BYTES + (u64)f->header_bytes,
		     false);
	/* What was due now is done. */
	u64 wake_ns = weir_max(weir_source_wake_ns(source), w->now_ns + 1);
	weir_sim_arm(w, &f->sender_armed_ns, wake_ns, WEIR_TIMER_SENDER, f->number);
}

void weir_sim_acp_start(struct weir_world *w, struct weir_sim_flow *f)
{
	struct weir_sim_acp *acp = acp_of(f);
	struct weir_source_config config = acp->source.config;
	struct weir_rng rng;
	weir_rng_init(&rng, w->seed, weir_rng_point("acp"), f->number);
	config.incarnation = (u32)weir_rng_u64(&rng) | 1; /* 0: not started */
	weir_source_init(&acp->source, &config, w->now_ns);
	weir_monitor_init(&acp->monitor, config.flow_id, MONITOR_SESSION_SEED, 0);
	pump(w, f);
}

void weir_sim_acp_due(struct weir_world *w, struct weir_sim_flow *f)
{
	pump(w, f);
}

void weir_sim_acp_offer(struct weir_world *w, struct weir_sim_flow *f)
{
	if (f->stopped)
		return;
	weir_source_offer(&acp_of(f)->source, w->now_ns, w->now_ns);
	pump(w, f);
}

static void arrives_at_monitor(struct weir_world *w, struct weir_sim_flow *f,
			       const struct weir_age_packet *in, u32 wire_bytes)
{
	struct weir_sim_acp *acp = acp_of(f);
	struct weir_age_packet answer;
	switch (weir_monitor_receive(&acp->monitor, NULL, w->now_ns, in, &answer)) {
	case WEIR_MONITOR_FRESH:
		acp->fresh++;
		f->app->datagram_received_bytes +=
		    weir_sub(wire_bytes, WEIR_AGE_HEADER_BYTES + (u64)f->header_bytes);
		weir_sim_age_value(w, f->app->age, in->generated_ns);
		break;
	case WEIR_MONITOR_LATE:
		acp->late++;
		break;
	default:
		break;
	}
	if (answer.type != WEIR_AGE_NONE)
		push(w, f, &answer, WEIR_AGE_ANSWER_BYTES + (u64)f->header_bytes, true);
}

static void arrives_at_source(struct weir_world *w, struct weir_sim_flow *f, const struct weir_age_packet *in)
{
	struct weir_sim_acp *acp = acp_of(f);
	if (weir_source_receive(&acp->source, w->now_ns, in) == WEIR_SOURCE_ACKED) {
		u64 held_ns = in->held_us * WEIR_NS_PER_US;
		acp->latest_rtt_ns = weir_sub(w->now_ns - in->sent_ns, held_ns);
		if (f->rtt_ns)
			weir_hist_add(f->rtt_ns, acp->latest_rtt_ns);
		if (w->tapped && w->taps.on_ack_done) {
			struct weir_flow_now now;
			weir_world_flow_now(w, f->number, &now);
			w->taps.on_ack_done(w->taps.ctx, w->now_ns, f->number, &now);
		}
	}
	pump(w, f);
}

void weir_sim_acp_arrives(struct weir_world *w, struct weir_sim_flow *f, const struct weir_packet *p)
{
	struct weir_age_packet in = ((const struct weir_sim_parcel *)weir_slip(&w->parcels, p->ext))->packet;
	weir_slips_drop(&w->parcels, p->ext);
	in.marked = p->ecn == WEIR_ECN_CE;
	if (p->flags & WEIR_SIM_REQUEST)
		arrives_at_source(w, f, &in);
	else
		arrives_at_monitor(w, f, &in, p->bytes);
}

void weir_sim_acp_now(const struct weir_sim_flow *f, struct weir_flow_now *n)
{
	const struct weir_sim_acp *acp = acp_of(f);
	const struct weir_source *s = &acp->source;
	n->srtt_ns = (u64)(s->srtt_s * 1e9);
	n->min_rtt_ns = (u64)(s->min_rtt_s * 1e9);
	n->latest_rtt_ns = acp->latest_rtt_ns;
	n->inflight_bytes = (s->sent - s->acked) * f->app->app.config.chunk_bytes;
	n->pacing_Bps = (u64)(s->rate_hz * (double)f->app->app.config.chunk_bytes);
}

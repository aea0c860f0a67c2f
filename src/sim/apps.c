/* SPDX-License-Identifier: MIT */
/* Applications beyond bulk: their wake-ups, their requests, their completions. */
#include "state.h"

#include <stdlib.h>

#define REQUEST_RETRY_NS                                                                                     \
	(1 * WEIR_NS_PER_S) /* doubled for each retry: a lost request must not end a flow                    \
			     */
#define REQUEST_RETRIES_SHIFT_MAX 6

static void after_write(struct weir_world *w, struct weir_sim_flow *f)
{
	struct weir_app *app = &f->app->app;
	if (weir_sim_is_stream(f)) {
		weir_sender_written(&f->sender, app->written_bytes);
		weir_sim_send_all(w, f);
	}
	weir_sim_arm(w, &f->app->armed_ns, app->wake_ns, WEIR_TIMER_APP, f->number);
}

static void plan_request(struct weir_world *w, struct weir_sim_flow *f, u64 at_ns)
{
	f->app->request_ns = at_ns;
	weir_sim_arm(w, &f->app->request_armed_ns, at_ns, WEIR_TIMER_REQUEST, f->number);
}

void weir_sim_app_start(struct weir_world *w, u32 flow)
{
	struct weir_sim_flow *f = &w->flows[flow];
	struct weir_app *app = &f->app->app;
	struct weir_app_config config = app->config;
	weir_app_start(app, &config, w->seed, flow, w->now_ns);
	f->app->asked_ns = w->now_ns;
	u64 request_ns = weir_app_on_delivered(app, w->now_ns, 0);
	if (request_ns != WEIR_NEVER)
		plan_request(w, f, request_ns);
	after_write(w, f);
}

static void send_datagram(struct weir_world *w, struct weir_sim_flow *f, u64 wire_bytes)
{
	struct weir_packet p = {.ref = f->app->datagrams++,
				.flow = f->number,
				.bytes = (u16)weir_min(wire_bytes, 0xffff),
				.flags = WEIR_SIM_DATAGRAM};
	f->app->datagram_sent_bytes += p.bytes;
	if (w->tapped && w->taps.on_send)
		w->taps.on_send(w->taps.ctx, w->now_ns, p.flow, false, p.ref, 0, p.bytes, false);
	weir_sim_push(w, f->first_hop[0], &p);
}

void weir_sim_app_due(struct weir_world *w, u32 flow)
{
	struct weir_sim_flow *f = &w->flows[flow];
	struct weir_app *app = &f->app->app;
	u64 sent_bytes = weir_sim_sent_bytes(f);
	if (app->wake_ns <= w->now_ns) {
		u64 datagram_bytes = weir_app_on_wake(app, w->now_ns, sent_bytes);
		if (datagram_bytes && weir_sim_is_acp(f))
			weir_sim_acp_offer(w, f);
		else if (datagram_bytes)
			send_datagram(w, f, datagram_bytes);
	}
	after_write(w, f);
}

/* The receiving side asks; until the answer begins it asks again, ever more rarely. */
void weir_sim_request_due(struct weir_world *w, u32 flow)
{
	struct weir_sim_flow *f = &w->flows[flow];
	struct weir_sim_app *a = f->app;
	if (a->request_ns == WEIR_NEVER)
		return;
	if (a->request_ns > w->now_ns) {
		plan_request(w, f, a->request_ns);
		return;
	}
	if (a->tries == 0)
		a->asked_ns = w->now_ns;
	struct weir_packet p = {
	    .ref = a->app.requests, .flow = flow, .bytes = f->header_bytes, .flags = WEIR_SIM_REQUEST};
	if (w->tapped && w->taps.on_send)
		w->taps.on_send(w->taps.ctx, w->now_ns, flow, true, 0, f->receiver.next, p.bytes,
				a->tries > 0);
	weir_sim_push(w, f->first_hop[1], &p);
	plan_request(w, f, w->now_ns + (REQUEST_RETRY_NS << a->tries));
	a->tries += a->tries < REQUEST_RETRIES_SHIFT_MAX;
}

void weir_sim_request_arrives(struct weir_world *w, u32 flow, u64 number)
{
	struct weir_sim_flow *f = &w->flows[flow];
	weir_app_on_request(&f->app->app, w->now_ns, number);
	after_write(w, f);
}

static void record_completion(struct weir_world *w, u32 flow, u64 start_ns, u64 bytes)
{
	if (!w->flows[flow].fct)
		return;
	if (w->n_completions == w->completions_capacity) {
		u64 capacity = w->completions_capacity ? 2 * w->completions_capacity : 64;
		struct weir_completion *c = realloc(w->completions, capacity * sizeof *c);
		if (!c) {
			w->failed = true;
			return;
		}
		w->completions = c;
		w->completions_capacity = capacity;
	}
	w->completions[w->n_completions++] =
	    (struct weir_completion){.flow = flow, .start_ns = start_ns, .end_ns = w->now_ns, .bytes = bytes};
}

/* More of the stream has been delivered in order. */
void weir_sim_app_delivered(struct weir_world *w, u32 flow)
{
	struct weir_sim_flow *f = &w->flows[flow];
	struct weir_sim_app *a = f->app;
	u64 total_bytes = f->receiver.next - f->sender.config->first_sequence;
	if (a->age)
		weir_sim_age_delivered(w, f, total_bytes);
	if (a->app.config.kind == WEIR_APP_SIZED && a->app.closed && total_bytes == a->app.written_bytes &&
	    !a->completed && !f->stopped) {
		a->completed = true;
		record_completion(w, flow, a->asked_ns, total_bytes);
	}
	if (!weir_app_is_asked_for(a->app.config.kind))
		return;
	a->tries = 0;
	a->request_ns = WEIR_NEVER; /* the answer has begun: no need to ask again */
	u64 request_ns = weir_app_on_delivered(&a->app, w->now_ns, total_bytes);
	if (request_ns == WEIR_NEVER)
		return;
	record_completion(w, flow, a->asked_ns, total_bytes - a->answered_bytes);
	a->answered_bytes = total_bytes;
	plan_request(w, f, request_ns);
}

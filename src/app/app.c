/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include "app/gap.h"

static u64 period_ns(struct weir_app *a, u64 mean_ns)
{
	if (!a->config.exponential)
		return weir_min(weir_max(mean_ns, 1), WEIR_APP_GAP_MAX_NS);
	return weir_max((u64)weir_app_exponential(&a->rng, (double)mean_ns), 1);
}

static u64 chunk_gap_ns(struct weir_app *a)
{
	return weir_app_gap_equal(a->config.chunk_bytes, a->config.rate_bps, &a->carry);
}

static void write_chunk(struct weir_app *a)
{
	/* WEIR_NEVER would mean endless. */
	a->written_bytes = weir_min(weir_add(a->written_bytes, a->config.chunk_bytes), WEIR_NEVER - 1);
}

/* A gap is bytes * 8 s / rate: so many bytes make it 1e6 s / rate. */
#define UHZ_BYTES 125000

static u64 update_gap_ns(struct weir_app *a)
{
	if (a->config.exponential)
		return weir_app_gap_poisson(&a->rng, UHZ_BYTES, a->config.rate_uhz, &a->carry);
	return weir_app_gap_equal(UHZ_BYTES, a->config.rate_uhz, &a->carry);
}

static void start_updates(struct weir_app *a, u64 now_ns)
{
	if (!a->config.rate_uhz)
		return;
	if (a->config.exponential || a->config.datagrams) {
		a->wake_ns = a->config.exponential ? weir_app_after(now_ns, update_gap_ns(a)) : now_ns;
		return;
	}
	write_chunk(a);
	a->wake_ns = weir_app_after(now_ns, update_gap_ns(a));
}

static u64 wake_updates(struct weir_app *a, u64 due_ns)
{
	a->wake_ns = weir_app_after(due_ns, update_gap_ns(a));
	if (a->config.datagrams)
		return a->config.chunk_bytes;
	write_chunk(a);
	return 0;
}

bool weir_app_is_asked_for(enum weir_app_kind kind)
{
	return kind == WEIR_APP_REQUEST || kind == WEIR_APP_VIDEO;
}

static void begin_on(struct weir_app *a, u64 now_ns)
{
	a->on = true;
	a->phase_end_ns =
	    a->config.off_ns ? weir_app_after(now_ns, period_ns(a, a->config.on_ns)) : WEIR_NEVER;
	if (a->config.rate_bps) {
		a->chunk_ns = weir_app_after(now_ns, a->chunk_ns);
		a->wake_ns = weir_min(a->chunk_ns, a->phase_end_ns);
	} else {
		a->written_bytes = WEIR_NEVER;
		a->wake_ns = a->phase_end_ns;
	}
}

static void begin_off(struct weir_app *a, u64 now_ns, u64 sent_bytes)
{
	a->on = false;
	a->phase_end_ns = weir_app_after(now_ns, period_ns(a, a->config.off_ns));
	a->wake_ns = a->phase_end_ns;
	if (a->config.rate_bps)
		a->chunk_ns -= now_ns;
	else
		a->written_bytes = sent_bytes;
}

static void wake_on_off(struct weir_app *a, u64 due_ns, u64 sent_bytes)
{
	if (due_ns == a->phase_end_ns) { /* a chunk due at the same time belongs to the next on period */
		if (a->on)
			begin_off(a, due_ns, sent_bytes);
		else
			begin_on(a, due_ns);
		if (a->wake_ns > due_ns)
			return;
	}
	write_chunk(a);
	a->chunk_ns = weir_app_after(due_ns, chunk_gap_ns(a));
	a->wake_ns = weir_min(a->chunk_ns, a->phase_end_ns);
}

static void start_on_off(struct weir_app *a, u64 now_ns)
{
	if (a->config.on_ns == 0)
		return;
	begin_on(a, now_ns);
	if (a->wake_ns == now_ns)
		wake_on_off(a, now_ns, 0);
}

void weir_app_start(struct weir_app *a, const struct weir_app_config *c, u64 seed, u64 flow, u64 now_ns)
{
	*a = (struct weir_app){.config = *c, .started_ns = now_ns, .wake_ns = WEIR_NEVER};
	a->stop_ns = a->phase_end_ns = WEIR_NEVER;
	a->config.chunk_bytes = weir_max(a->config.chunk_bytes, 1);
	a->config.rate_bps = weir_min(a->config.rate_bps, ~0ULL >> 1);
	a->config.rate_uhz = weir_min(a->config.rate_uhz, ~0ULL >> 1);
	weir_rng_init(&a->rng, seed, weir_rng_point("application"), flow);
	switch (c->kind) {
	case WEIR_APP_BULK:
		a->written_bytes = WEIR_NEVER;
		break;
	case WEIR_APP_SIZED:
		a->written_bytes = c->size_bytes;
		a->closed = true;
		break;
	case WEIR_APP_PACED:
		if (a->config.rate_bps) {
			write_chunk(a);
			a->wake_ns = weir_app_after(now_ns, chunk_gap_ns(a));
		}
		break;
	case WEIR_APP_ON_OFF:
		start_on_off(a, now_ns);
		break;
	case WEIR_APP_CBR:
		if (a->config.rate_bps)
			a->wake_ns = now_ns;
		break;
	case WEIR_APP_POISSON:
		if (a->config.rate_bps)
			a->wake_ns =
			    weir_app_after(now_ns, weir_app_gap_poisson(&a->rng, a->config.chunk_bytes,
									a->config.rate_bps, &a->carry));
		break;
	case WEIR_APP_UPDATES:
		start_updates(a, now_ns);
		break;
	case WEIR_APP_VIDEO:
		weir_video_start(&a->video, now_ns);
		break;
	case WEIR_APP_REQUEST:
	case WEIR_APP_ARRIVALS:
	case WEIR_APP_KINDS:
		break;
	}
}

u64 weir_app_on_wake(struct weir_app *a, u64 now_ns, u64 sent_bytes)
{
	u64 due_ns = a->wake_ns, gap_ns;

	if (due_ns == WEIR_NEVER || now_ns < due_ns)
		return 0;
	switch (a->config.kind) {
	case WEIR_APP_PACED:
		write_chunk(a);
		a->wake_ns = weir_app_after(due_ns, chunk_gap_ns(a));
		return 0;
	case WEIR_APP_ON_OFF:
		wake_on_off(a, due_ns, sent_bytes);
		return 0;
	case WEIR_APP_CBR:
		a->wake_ns = weir_app_after(due_ns, chunk_gap_ns(a));
		return a->config.chunk_bytes;
	case WEIR_APP_POISSON:
		gap_ns = weir_app_gap_poisson(&a->rng, a->config.chunk_bytes, a->config.rate_bps, &a->carry);
		a->wake_ns = weir_app_after(due_ns, gap_ns);
		return a->config.chunk_bytes;
	case WEIR_APP_UPDATES:
		return wake_updates(a, due_ns);
	default:
		a->wake_ns = WEIR_NEVER;
		return 0;
	}
}

static u64 on_video_delivered(struct weir_app *a, u64 now_ns, u64 total_bytes)
{
	const struct weir_video_config *c = &a->config.video;
	if (a->stop_ns != WEIR_NEVER || total_bytes < a->requests || !c->rungs)
		return WEIR_NEVER;
	if (a->requests)
		weir_video_arrived(&a->video, c, a->started_ns, now_ns);
	u64 at_ns = weir_video_choose(&a->video, c, now_ns);
	a->requests =
	    weir_min(weir_add(a->requests, weir_video_chunk_bytes(c, a->video.rung)), WEIR_NEVER - 1);
	return at_ns;
}

u64 weir_app_on_delivered(struct weir_app *a, u64 now_ns, u64 total_bytes)
{
	if (a->config.kind == WEIR_APP_VIDEO)
		return on_video_delivered(a, now_ns, total_bytes);
	if (a->config.kind != WEIR_APP_REQUEST || a->stop_ns != WEIR_NEVER || a->config.size_bytes == 0)
		return WEIR_NEVER;
	if (total_bytes < weir_muldiv(a->requests, a->config.size_bytes, 1))
		return WEIR_NEVER;
	a->requests++;
	if (a->requests == 1 || a->config.think_ns == 0)
		return now_ns;
	return weir_app_after(now_ns, period_ns(a, a->config.think_ns));
}

void weir_app_on_request(struct weir_app *a, u64 now_ns, u64 n)
{
	if (!weir_app_is_asked_for(a->config.kind) || now_ns >= a->stop_ns || n <= a->served)
		return;
	u64 answer_bytes = a->config.kind == WEIR_APP_VIDEO ? 1 : a->config.size_bytes;
	a->served = n;
	a->written_bytes = weir_min(weir_muldiv(n, answer_bytes, 1), WEIR_NEVER - 1);
}

void weir_app_stop(struct weir_app *a, u64 now_ns, u64 sent_bytes)
{
	if (a->stop_ns != WEIR_NEVER)
		return;
	if (a->config.kind == WEIR_APP_VIDEO)
		weir_video_advance(&a->video, now_ns);
	a->stop_ns = now_ns;
	a->wake_ns = WEIR_NEVER;
	a->on = false;
	if (weir_app_sends_datagrams(&a->config))
		return;
	a->written_bytes = weir_min(a->written_bytes, sent_bytes);
	a->closed = true;
}

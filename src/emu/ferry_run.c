/* SPDX-License-Identifier: MIT */
#include "ferry_state.h"

#include <errno.h>

/* A port whose stamps lag behind its horizon is not waited for longer than this at the end. */
#define END_LONGEST_NS WEIR_NS_PER_S

static void look(struct weir_ferry *f, u64 now_ns)
{
	u64 from_ns = f->rest == FERRY_AWAKE ? f->looked_ns : f->wake_ns;
	if (f->rest != FERRY_WOKEN)
		weir_hist_add(&f->fidelity.gap_ns, weir_sub(now_ns, from_ns));
	f->looked_before_ns = f->looked_ns;
	f->looked_ns = now_ns;
}

static int poll_devices(struct weir_ferry *f)
{
	int n = epoll_wait(f->epoll, f->event, (int)weir_max(f->n_ports, 1), 0);
	return n < 0 ? 0 : n;
}

static bool busy(const struct weir_ferry *f)
{
	return f->n_full || f->n_staging || f->held_back;
}

/* When there is something to do again: shortly before the next departure, so that the rest can be spun. */
static u64 next_wake_ns(const struct weir_ferry *f, u64 until_ns)
{
	u64 departure_ns = ferry_next_departure_ns(f);
	u64 wake_ns = f->lead_ns > 0 ? weir_sub(departure_ns, (u64)f->lead_ns)
				     : weir_add(departure_ns, (u64)-f->lead_ns);
	if (departure_ns == WEIR_NEVER)
		wake_ns = WEIR_NEVER;
	return weir_min(weir_min(wake_ns, f->mark_ns), until_ns);
}

/* Nothing is to be done now. Where the CPU is scarce, packets that come are left alone for a while. */
static void rest(struct weir_ferry *f, u64 until_ns, bool found_packets)
{
	u64 wake_ns = next_wake_ns(f, until_ns), now_ns = ferry_now_ns(f);
	if (f->lead_ns < 0 && (found_packets || wake_ns < now_ns + 2 * (u64)-f->lead_ns))
		ferry_nap(f, weir_max(weir_min(wake_ns, now_ns + (u64)-f->lead_ns), now_ns));
	else if (wake_ns > now_ns && !found_packets)
		ferry_sleep(f, now_ns, wake_ns);
}

/* One round. True when the end has come. */
static bool turn(struct weir_ferry *f, u64 until_ns)
{
	u64 now_ns = ferry_now_ns(f);
	look(f, now_ns);
	int n = poll_devices(f);
	u64 horizon_ns = ferry_read(f, f->event, (u32)n);
	f->rest = FERRY_AWAKE;
	if (now_ns > weir_add(until_ns, END_LONGEST_NS))
		horizon_ns = until_ns;
	ferry_advance(f, weir_min(horizon_ns, until_ns), weir_min(now_ns, until_ns));
	ferry_write(f);
	if (horizon_ns >= until_ns && !f->held_back)
		return true;
	if (now_ns >= f->tick_ns)
		ferry_tick(f, now_ns);
	if (now_ns >= f->overruns_at_ns)
		ferry_overruns_tick(f, now_ns);
	if (!busy(f))
		rest(f, until_ns, n > 0);
	return false;
}

int weir_ferry_run(struct weir_ferry *f, const volatile sig_atomic_t *stop, u64 until_ns)
{
	struct ferry_thread_before before;
	if (f->failed) {
		errno = ENOMEM;
		return -1;
	}
	u64 from_ns = ferry_now_ns(f);
	ferry_pace_begin(f, &before);
	f->looked_ns = f->looked_before_ns = from_ns;
	f->rest = FERRY_AWAKE;
	while (!*stop && !f->error && !turn(f, until_ns))
		;
	ferry_pace_end(f, &before);
	ferry_overruns_all(f);
	f->fidelity.elapsed_ns += ferry_now_ns(f) - from_ns;
	for (u32 i = 0; i < f->n_hops && !f->error; i++)
		f->error = f->hop[i]->link->failed ? ENOMEM : 0;
	errno = f->error;
	return f->error ? -1 : 0;
}

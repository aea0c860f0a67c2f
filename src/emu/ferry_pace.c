/* SPDX-License-Identifier: MIT */
/* How the ferry's thread lives with others. A thread that sleeps is woken late, one that spins is punished by
 * the scheduler for the time it took, and a real-time thread that wants a whole core starves those whose
 * packets it carries. So: sleep until shortly before the next due time, spin the rest, less of it where the
 * CPU share grows; SCHED_FIFO only while the share is far from a whole core. */
#include "ferry_state.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define FIFO_PRIORITY 10
#define RAISED_NICE (-15)
#define SPIN_FIFO_NS (200 * WEIR_NS_PER_US)
#define SPIN_NORMAL_NS (60 * WEIR_NS_PER_US)
#define STEP_NS ((i64)(10 * WEIR_NS_PER_US))
#define HOLD_LONGEST_NS (60 * WEIR_NS_PER_US)
#define SLEEP_LONGEST_NS (100 * WEIR_NS_PER_MS)
/* Shares of a core, in percent. */
#define LEAVE_FIFO 70
#define SPIN_NOT 80
#define SPIN_LESS 55
#define SPIN_MORE 45
#define CALM 66
#define CALM_TICKS 30 /* below it before FIFO is tried again */

static u64 ns_of(struct timespec t)
{
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

u64 ferry_clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return ns_of(t);
}

static u64 thread_cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return ns_of(t);
}

static bool set_fifo(bool on)
{
	struct sched_param priority = {.sched_priority = on ? FIFO_PRIORITY : 0};
	int policy = on ? SCHED_FIFO : SCHED_OTHER;
	return sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &priority) == 0;
}

static void go_realtime(struct weir_ferry *f, u64 now_ns)
{
	f->realtime = set_fifo(true);
	f->may_realtime = f->realtime;
	f->realtime_from_ns = now_ns;
	f->calm_ticks = 0;
}

static void leave_realtime(struct weir_ferry *f, u64 now_ns)
{
	if (!f->realtime)
		return;
	f->fidelity.realtime_ns += now_ns - f->realtime_from_ns;
	f->realtime = !set_fifo(false);
	f->realtime_from_ns = now_ns;
	f->calm_ticks = 0;
}

/* A thread of normal priority that spins for long is made to wait when it matters. */
static i64 lead_most_ns(const struct weir_ferry *f)
{
	u64 spin_ns = f->realtime ? SPIN_FIFO_NS : SPIN_NORMAL_NS;
	return (i64)(f->config.spin_ns ? f->config.spin_ns : spin_ns);
}

void ferry_pace_begin(struct weir_ferry *f, struct ferry_thread_before *before)
{
	struct sched_param priority = {0};
	sched_getparam(0, &priority);
	*before = (struct ferry_thread_before){
	    .policy = sched_getscheduler(0),
	    .priority = priority.sched_priority,
	    .nice = getpriority(PRIO_PROCESS, 0),
	    .slack_ns = prctl(PR_GET_TIMERSLACK),
	};
	prctl(PR_SET_TIMERSLACK, 1);
	u64 now_ns = ferry_now_ns(f);
	f->lead_least_ns = -(i64)weir_min(f->config.base_rtt_ns / 400, HOLD_LONGEST_NS);
	f->cpu_base_ns = thread_cpu_ns();
	f->ticks = 0;
	f->tick_ns = now_ns;
	if (f->config.realtime != WEIR_REALTIME_OFF) {
		f->raised = setpriority(PRIO_PROCESS, 0, RAISED_NICE) == 0;
		go_realtime(f, now_ns);
	}
	f->lead_ns = lead_most_ns(f);
}

void ferry_pace_end(struct weir_ferry *f, const struct ferry_thread_before *before)
{
	struct sched_param priority = {.sched_priority = before->priority};
	f->fidelity.cpu_ns += thread_cpu_ns() - f->cpu_base_ns;
	f->cpu_base_ns = thread_cpu_ns();
	leave_realtime(f, ferry_now_ns(f));
	if (f->raised)
		setpriority(PRIO_PROCESS, 0, before->nice);
	f->raised = false;
	/* What cannot be restored was not changed. */
	(void)sched_setscheduler(0, before->policy, &priority);
	if (before->slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, before->slack_ns);
}

struct shares {
	u32 tick, ticks; /* percent of a core over the last tick, and over the last FERRY_TICKS of them */
};

static u32 share(u64 cpu_ns, u64 passed_ns)
{
	return (u32)weir_div(100 * cpu_ns, passed_ns);
}

/* 0 before there are so many ticks. */
static struct shares cpu_shares(struct weir_ferry *f, u64 now_ns)
{
	u64 cpu_ns = thread_cpu_ns();
	u32 slot = f->ticks % FERRY_TICKS, newest = (f->ticks + FERRY_TICKS - 1) % FERRY_TICKS;
	struct shares s = {0};
	if (f->ticks)
		s.tick = share(cpu_ns - f->tick_cpu_ns[newest], now_ns - f->tick_at_ns[newest]);
	if (f->ticks >= FERRY_TICKS)
		s.ticks = share(cpu_ns - f->tick_cpu_ns[slot], now_ns - f->tick_at_ns[slot]);
	f->tick_cpu_ns[slot] = cpu_ns;
	f->tick_at_ns[slot] = now_ns;
	f->ticks++;
	return s;
}

/* Spinning is cut to a quarter, then given up; where even that is not enough, what is due is written a little
 * late and several packets at a time. */
static i64 less(const struct weir_ferry *f, u32 percent)
{
	i64 lead_ns = f->lead_ns - STEP_NS;
	if (f->lead_ns > 4 * STEP_NS)
		lead_ns = percent > SPIN_NOT ? 0 : f->lead_ns / 4;
	return lead_ns > f->lead_least_ns ? lead_ns : f->lead_least_ns;
}

static i64 more(const struct weir_ferry *f)
{
	i64 lead_ns = f->lead_ns > 8 * STEP_NS ? f->lead_ns + f->lead_ns / 8 : f->lead_ns + STEP_NS / 2;
	return lead_ns < lead_most_ns(f) ? lead_ns : lead_most_ns(f);
}

void ferry_tick(struct weir_ferry *f, u64 now_ns)
{
	struct shares cpu = cpu_shares(f, now_ns);
	f->tick_ns = now_ns + FERRY_TICK_NS;
	if (cpu.tick > SPIN_LESS)
		f->lead_ns = less(f, cpu.tick);
	else if (cpu.tick < SPIN_MORE)
		f->lead_ns = more(f);
	if (f->config.realtime != WEIR_REALTIME_AUTO)
		return;
	f->calm_ticks = cpu.ticks < CALM ? f->calm_ticks + 1 : 0;
	if (f->realtime && cpu.ticks > LEAVE_FIFO)
		leave_realtime(f, now_ns);
	else if (!f->realtime && f->may_realtime && f->calm_ticks > CALM_TICKS)
		go_realtime(f, now_ns);
}

static int wait_for_devices(struct weir_ferry *f, u64 ns)
{
	struct timespec timeout = {.tv_sec = (time_t)(ns / WEIR_NS_PER_S),
				   .tv_nsec = (long)(ns % WEIR_NS_PER_S)};
	int n = epoll_pwait2(f->epoll, f->event, 1, &timeout, NULL);
	if (n < 0 && errno == ENOSYS) /* before Linux 5.11: whole milliseconds, and spin the rest */
		n = epoll_wait(f->epoll, f->event, 1, (int)(ns / WEIR_NS_PER_MS));
	return n;
}

static void note_alarm(struct weir_ferry *f)
{
	u64 late_ns = weir_sub(ferry_now_ns(f), f->wake_ns);
	f->timer_late_ns[f->n_timers++ % FERRY_TIMERS] = (u32)weir_min(late_ns, 0xffffffffU);
}

void ferry_sleep(struct weir_ferry *f, u64 now_ns, u64 wake_ns)
{
	u64 ns = weir_min(weir_sub(wake_ns, now_ns), SLEEP_LONGEST_NS);
	f->wake_ns = now_ns + ns;
	bool woken = wait_for_devices(f, ns) != 0;
	/* Who is woken after the alarm was due overslept, whatever woke him. */
	f->rest = woken && ferry_now_ns(f) < f->wake_ns ? FERRY_WOKEN : FERRY_SLEPT;
	if (f->rest == FERRY_SLEPT)
		note_alarm(f);
}

void ferry_nap(struct weir_ferry *f, u64 wake_ns)
{
	u64 clock_ns = f->origin_clock_ns + wake_ns;
	struct timespec until = {.tv_sec = (time_t)(clock_ns / WEIR_NS_PER_S),
				 .tv_nsec = (long)(clock_ns % WEIR_NS_PER_S)};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	f->wake_ns = wake_ns;
	f->rest = FERRY_NAPPED;
	note_alarm(f);
}

u64 ferry_waiting_since_ns(struct weir_ferry *f)
{
	u64 since_ns = f->looked_before_ns;
	if (f->rest == FERRY_SLEPT) {
		since_ns = f->wake_ns;
	} else if (f->rest == FERRY_WOKEN) {
		u32 n = (u32)weir_min(f->n_timers, FERRY_TIMERS);
		since_ns = weir_sub(f->looked_ns, n ? f->timer_late_ns[f->timer_draw++ % n] : 0);
	}
	return weir_max(since_ns, f->looked_before_ns);
}

/* The fractions step by the golden ratio: evenly spread over any number of packets. */
u64 ferry_guess_wait_ns(struct weir_ferry *f, u64 longest_ns, bool alone)
{
	f->fraction += 0x9e3779b9U;
	u64 wait_ns = weir_muldiv(longest_ns, f->fraction, 1ULL << 32);
	return alone ? wait_ns : (longest_ns + wait_ns) / 2;
}

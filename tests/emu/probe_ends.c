/* SPDX-License-Identifier: MIT */
/* The two processes of the observer. */
#include "core/fmath.h"
#include "core/rng.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ULL
/* What a sender that was kept from running makes good afterwards. More would be a flood that no application
 * sends. */
#define DEBT_NS 20000000ULL
#define AFTER_NS 500000000ULL /* beyond the link's delay, for what is still on its way */

static void enter(const char *path)
{
	if (path) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || setns(fd, CLONE_NEWNET) < 0)
			probe_die("%s: %s", path, strerror(errno));
		close(fd);
	}
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

static void wait_until(int fd, u64 until_ns)
{
	u64 now_ns = probe_now(), left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct timespec t = {.tv_sec = (time_t)(left_ns / NS_PER_S), .tv_nsec = (long)(left_ns % NS_PER_S)};
	ppoll(&p, 1, &t, NULL);
}

/* One stamp is for all packets of a burst. */
static void take_stamps(int fd, struct probe_shared *s, int way, u32 burst, struct probe_clock *clock)
{
	struct probe_stamp stamps[PROBE_BATCH];
	for (u32 n; (n = probe_stamps(fd, stamps)) > 0;) {
		probe_clock_sample(clock);
		for (u32 i = 0; i < n; i++) {
			for (u64 k = (u64)stamps[i].sequence * burst, end = k + burst;
			     k < end && k < s->room[way]; k++) {
				struct probe_packet *p = &s->packets[way][k];
				p->tx_ns = probe_clock_convert(clock, stamps[i].tx_wall_ns, p->sent_ns);
			}
		}
	}
}

static void note_arrival(struct probe_packet *p, const struct probe_got *got, const struct probe_clock *clock,
			 u64 now_ns)
{
	if (p->read_ns) /* a copy */
		return;
	p->read_ns = now_ns;
	p->ce = got->ce;
	if (got->rx_wall_ns)
		p->rx_ns = probe_clock_convert(clock, got->rx_wall_ns, now_ns);
}

static void answer(int fd, const struct probe_config *c, struct probe_shared *s, const struct probe_got *got)
{
	u32 i = atomic_load(&s->n[PROBE_DOWN]);
	if (i >= s->room[PROBE_DOWN])
		return;
	struct probe_wire w = {PROBE_MAGIC, i, 0, got->wire.sequence};
	s->packets[PROBE_DOWN][i] = (struct probe_packet){
	    .sent_ns = probe_now(), .size_bytes = c->reply_size_bytes, .answers = got->wire.sequence};
	probe_send(fd, &got->from, &w, 1, c->reply_size_bytes - probe_header_bytes(&c->to));
	atomic_store(&s->n[PROBE_DOWN], i + 1);
}

void probe_far(const struct probe_config *c, struct probe_shared *s)
{
	enter(c->far_path);
	int fd = probe_socket(&c->to, NULL, c);
	struct probe_clock clock = {{0}, 0};
	probe_clock_sample(&clock);
	atomic_store(&s->far_ready, 1);
	while (!atomic_load(&s->near_done)) {
		struct probe_got got[PROBE_BATCH];
		wait_until(fd, probe_now() + 50000000);
		for (u32 n; (n = probe_receive(fd, got)) > 0;) {
			u64 now_ns = probe_now();
			probe_clock_sample(&clock);
			for (u32 i = 0; i < n; i++) {
				if (got[i].wire.sequence >= s->room[PROBE_UP])
					continue;
				note_arrival(&s->packets[PROBE_UP][got[i].wire.sequence], &got[i], &clock,
					     now_ns);
				if (got[i].wire.reply)
					answer(fd, c, s, &got[i]);
			}
			take_stamps(fd, s, PROBE_DOWN, 1, &clock);
		}
	}
	close(fd);
}

struct sender {
	const struct probe_config *c;
	struct probe_shared *s;
	int fd;
	struct weir_rng rng;
	double next_ns; /* since the start: the mean rate must be exact */
};

static double gap_ns(struct sender *t)
{
	double mean_ns = (double)t->c->size_bytes * 8e9 / (double)t->c->rate_bps;
	return t->c->poisson ? -weir_log(weir_rng_unit(&t->rng)) * mean_ns : mean_ns;
}

/* Sends what is due, in whole bursts, at most a batch. True when more is due. */
static bool send_due(struct sender *t, u64 since_ns)
{
	const struct probe_config *c = t->c;
	struct probe_wire wires[PROBE_BATCH];
	double now = (double)since_ns;
	u32 n = 0, first = atomic_load(&t->s->n[PROBE_UP]), room = t->s->room[PROBE_UP] - first;
	u32 most = room < PROBE_BATCH / c->burst * c->burst ? room / c->burst * c->burst
							    : PROBE_BATCH / c->burst * c->burst;
	if (t->next_ns < now - (double)DEBT_NS)
		t->next_ns = now - (double)DEBT_NS;
	u64 sent_ns = probe_now();
	for (; n < most && (t->next_ns <= now || n % c->burst); n++) {
		u32 i = first + n;
		t->s->packets[PROBE_UP][i] =
		    (struct probe_packet){.sent_ns = sent_ns, .size_bytes = c->size_bytes};
		wires[n] = (struct probe_wire){PROBE_MAGIC, i, c->reply_every && i % c->reply_every == 0, 0};
		t->next_ns += gap_ns(t);
	}
	u32 payload_bytes = c->size_bytes - probe_header_bytes(&c->to);
	for (u32 i = 0; c->burst > 1 && i < n; i += c->burst)
		probe_send_burst(t->fd, wires + i, c->burst, payload_bytes);
	if (c->burst == 1 && n)
		probe_send(t->fd, NULL, wires, n, payload_bytes);
	atomic_store(&t->s->n[PROBE_UP], first + n);
	return n && n == most && t->next_ns <= now;
}

static void take_replies(struct sender *t, struct probe_clock *clock)
{
	struct probe_got got[PROBE_BATCH];
	for (u32 n; (n = probe_receive(t->fd, got)) > 0;) {
		u64 now_ns = probe_now();
		probe_clock_sample(clock);
		for (u32 i = 0; i < n; i++)
			if (got[i].wire.sequence < t->s->room[PROBE_DOWN])
				note_arrival(&t->s->packets[PROBE_DOWN][got[i].wire.sequence], &got[i], clock,
					     now_ns);
	}
}

void probe_near(const struct probe_config *c, struct probe_shared *s)
{
	enter(c->near_path);
	struct sender t = {.c = c, .s = s, .fd = probe_socket(NULL, &c->to, c)};
	struct probe_clock clock = {{0}, 0};
	weir_rng_init(&t.rng, 1, weir_rng_point("probe"), 0);
	probe_clock_sample(&clock);
	u64 start_ns = s->start_ns = probe_now(), end_ns = start_ns + c->seconds_ns, now_ns;
	while ((now_ns = probe_now()) < end_ns) {
		u64 woke_ns = now_ns;
		while (send_due(&t, now_ns - start_ns) && !c->plain)
			take_stamps(t.fd, s, PROBE_UP, c->burst, &clock);
		take_stamps(t.fd, s, PROBE_UP, c->burst, &clock);
		take_replies(&t, &clock);
		u64 next_ns = start_ns + (u64)t.next_ns;
		wait_until(t.fd, next_ns < woke_ns + c->tick_ns ? woke_ns + c->tick_ns : next_ns);
	}
	end_ns += 2 * c->delay_ns + AFTER_NS;
	while (probe_now() < end_ns) {
		wait_until(t.fd, probe_now() + 20000000);
		take_stamps(t.fd, s, PROBE_UP, c->burst, &clock);
		take_replies(&t, &clock);
	}
	atomic_store(&s->clock_steps, clock.steps);
	atomic_store(&s->near_done, 1);
	close(t.fd);
}

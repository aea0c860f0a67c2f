/* SPDX-License-Identifier: MIT */
#include "pilots.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLL_MS 100		     /* how soon the end is noticed */
#define REST_NS (1 * WEIR_NS_PER_MS) /* between two looks: an answer is awaited by the next report only */

struct weir_pilots {
	struct ring_buffer *ring;
	int setpoints_fd;
	pthread_mutex_t lock; /* of `hosted` */
	struct weir_hosted hosted;
	pthread_t thread;
	_Atomic bool over;
};

static int take_report(void *context, void *data, size_t bytes)
{
	struct weir_pilots *p = context;
	const struct weir_kern_report *r = data;
	struct weir_kern_setpoint answer = {0};
	u64 dropped;
	if (bytes < sizeof *r)
		return 0;
	pthread_mutex_lock(&p->lock);
	const struct weir_setpoint *setpoint = weir_hosted_take(&p->hosted, r, &dropped);
	if (setpoint)
		answer.setpoint = *setpoint;
	pthread_mutex_unlock(&p->lock);
	if (dropped)
		bpf_map_delete_elem(p->setpoints_fd, &dropped);
	if (setpoint)
		bpf_map_update_elem(p->setpoints_fd, &r->connection, &answer, BPF_F_LOCK);
	return 0;
}

static void *answer_reports(void *context)
{
	struct weir_pilots *p = context;
	const struct timespec rest = {.tv_nsec = (long)REST_NS};
	int n = 0;
	while (!atomic_load(&p->over) && (n >= 0 || n == -EINTR)) {
		n = ring_buffer__poll(p->ring, POLL_MS);
		nanosleep(&rest, NULL);
	}
	return NULL;
}

static int map_fd(const struct weir_kern *k, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(k->object, name);
	return map ? bpf_map__fd(map) : -1;
}

static int start_thread(struct weir_pilots *p)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&p->thread, NULL, answer_reports, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

struct weir_pilots *weir_pilots_start(const struct weir_kern *k, const struct weir_pilot_ops *ops,
				      const u64 *params, u64 seed, char why[WEIR_KERN_WHY_BYTES])
{
	struct weir_pilots *p = calloc(1, sizeof *p);
	int error = ENOMEM;
	if (p) {
		weir_hosted_begin(&p->hosted, ops, params, seed);
		pthread_mutex_init(&p->lock, NULL);
		p->setpoints_fd = map_fd(k, "weir_setpoints");
		p->ring = ring_buffer__new(map_fd(k, "weir_reports"), take_report, p, NULL);
		error = p->ring ? start_thread(p) : errno;
	}
	if (!error)
		return p;
	snprintf(why, WEIR_KERN_WHY_BYTES, "%s: cannot answer its reports: %s", k->name, strerror(error));
	if (p)
		ring_buffer__free(p->ring);
	free(p);
	return NULL;
}

bool weir_pilots_signals(struct weir_pilots *p, u64 socket, u16 local_port,
			 double value[WEIR_PILOT_SIGNALS_MAX])
{
	pthread_mutex_lock(&p->lock);
	bool found = weir_hosted_signals(&p->hosted, socket, local_port, value);
	pthread_mutex_unlock(&p->lock);
	return found;
}

void weir_pilots_counts(struct weir_pilots *p, struct weir_hosted_counts *out)
{
	pthread_mutex_lock(&p->lock);
	*out = p->hosted.counts;
	pthread_mutex_unlock(&p->lock);
}

void weir_pilots_stop(struct weir_pilots *p)
{
	if (!p)
		return;
	atomic_store(&p->over, true);
	pthread_join(p->thread, NULL);
	ring_buffer__free(p->ring);
	weir_hosted_end(&p->hosted);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

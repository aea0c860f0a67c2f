/* SPDX-License-Identifier: MIT */
#include "writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 2000000L
#define PIECE_BYTES 65536

struct weir_writer {
	int fd, wake_fd;
	size_t mask;
	pthread_t thread;
	_Atomic u64 head, tail; /* bytes put, bytes written */
	atomic_bool sleeping, ending;
	_Atomic int error;
	_Atomic int users; /* the thread and the owner: the last one frees it */
	u8 ring[];
};

static void leave(struct weir_writer *w)
{
	if (atomic_fetch_sub(&w->users, 1) == 1) {
		close(w->wake_fd);
		free(w);
	}
}

static void sleep_until_woken(struct weir_writer *w)
{
	u64 count;
	atomic_store(&w->sleeping, true);
	/* It may have come between the look and the sign. */
	if (atomic_load(&w->head) == atomic_load(&w->tail) && !atomic_load(&w->ending))
		while (read(w->wake_fd, &count, sizeof count) < 0 && errno == EINTR)
			;
	atomic_store(&w->sleeping, false);
}

static void *run(void *owner)
{
	struct weir_writer *w = owner;
	while (!atomic_load(&w->error)) {
		u64 tail = atomic_load_explicit(&w->tail, memory_order_relaxed);
		u64 head = atomic_load_explicit(&w->head, memory_order_acquire);
		if (head == tail) {
			if (atomic_load(&w->ending))
				break;
			sleep_until_woken(w);
			continue;
		}
		size_t at = (size_t)tail & w->mask, bytes = (size_t)(head - tail);
		bytes = bytes < w->mask + 1 - at ? bytes : w->mask + 1 - at;
		bytes = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
		ssize_t n = write(w->fd, w->ring + at, bytes);
		if (n > 0)
			atomic_store_explicit(&w->tail, tail + (u64)n, memory_order_release);
		else if (n < 0 && errno == EAGAIN) /* somebody else made it so: look again in a while */
			nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
		else if (n < 0 && errno != EINTR)
			atomic_store(&w->error, errno);
	}
	leave(w);
	return NULL;
}

struct weir_writer *weir_writer_new(int fd, size_t bytes)
{
	struct weir_writer *w = calloc(1, sizeof *w + bytes);
	sigset_t all, before;
	if (!w)
		return NULL;
	w->fd = fd;
	w->mask = bytes - 1;
	w->wake_fd = eventfd(0, EFD_CLOEXEC);
	atomic_init(&w->users, 2);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int error = w->wake_fd < 0 ? errno : pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!error) {
		pthread_detach(w->thread);
		return w;
	}
	if (w->wake_fd >= 0)
		close(w->wake_fd);
	free(w);
	errno = error;
	return NULL;
}

static void wake(struct weir_writer *w)
{
	u64 one = 1;
	if (atomic_load(&w->sleeping) && write(w->wake_fd, &one, sizeof one) < 0)
		atomic_store(&w->error, errno);
}

bool weir_writer_put(struct weir_writer *w, const void *text, size_t bytes)
{
	u64 head = atomic_load_explicit(&w->head, memory_order_relaxed);
	u64 used = head - atomic_load_explicit(&w->tail, memory_order_acquire);
	if (bytes > w->mask + 1 - used)
		return false;
	size_t at = (size_t)head & w->mask, first = w->mask + 1 - at;
	first = first < bytes ? first : bytes;
	memcpy(w->ring + at, text, first);
	memcpy(w->ring, (const u8 *)text + first, bytes - first);
	atomic_store(&w->head, head + bytes);
	wake(w);
	return true;
}

int weir_writer_error(const struct weir_writer *w)
{
	return atomic_load(&w->error);
}

bool weir_writer_end(struct weir_writer *w, u64 wait_ns)
{
	u64 waited_ns = 0;
	atomic_store(&w->ending, true);
	wake(w);
	while (atomic_load(&w->tail) != atomic_load(&w->head) && !atomic_load(&w->error) &&
	       waited_ns < wait_ns) {
		nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
		waited_ns += (u64)STEP_NS;
	}
	bool all = atomic_load(&w->tail) == atomic_load(&w->head);
	leave(w);
	return all;
}

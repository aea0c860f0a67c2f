/* SPDX-License-Identifier: MIT */
#include "resolver.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/* Whoever comes second, the answer or the one who drops the question, frees. */
enum { ASKED, ANSWERED, DROPPED };

struct weir_lookup {
	char host[WEIR_NET_HOST_BYTES];
	u16 port;
	weir_resolve *resolve;
	struct weir_address to[WEIR_RESOLVER_ROOM];
	u32 n;
	u32 state; /* atomic */
};

static bool moved(struct weir_lookup *l, u32 to)
{
	u32 expected = ASKED;
	return __atomic_compare_exchange_n(&l->state, &expected, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static void *ask(void *ctx)
{
	struct weir_lookup *l = ctx;
	char why[WEIR_NET_WHY_BYTES];
	l->n = l->resolve(l->host, l->port, l->to, WEIR_RESOLVER_ROOM, why);
	if (!moved(l, ANSWERED))
		free(l);
	return NULL;
}

struct weir_lookup *weir_lookup_begin(const char *host, u16 port, weir_resolve *resolve)
{
	struct weir_lookup *l = calloc(1, sizeof *l);
	pthread_t thread;
	sigset_t all, before;
	if (!l)
		return NULL;
	snprintf(l->host, sizeof l->host, "%s", host);
	l->port = port;
	l->resolve = resolve;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, NULL, ask, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		free(l);
		return NULL;
	}
	pthread_detach(thread);
	return l;
}

bool weir_lookup_take(struct weir_lookup *l, struct weir_address to[WEIR_RESOLVER_ROOM], u32 *n)
{
	if (__atomic_load_n(&l->state, __ATOMIC_ACQUIRE) != ANSWERED)
		return false;
	*n = l->n;
	for (u32 i = 0; i < l->n; i++)
		to[i] = l->to[i];
	free(l);
	return true;
}

void weir_lookup_drop(struct weir_lookup *l)
{
	if (l && !moved(l, DROPPED))
		free(l);
}

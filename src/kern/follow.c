/* SPDX-License-Identifier: MIT */
#include "follow.h"

#include <stdlib.h>
#include <string.h>

void weir_follow_begin(struct weir_follow *f, const struct weir_cc_ops *ops, const u64 *params)
{
	*f = (struct weir_follow){.ops = ops, .params = params};
}

void weir_follow_end(struct weir_follow *f)
{
	for (u32 i = 0; i < f->n; i++)
		free(f->socket[i]);
	free((void *)f->socket);
	f->socket = NULL;
	f->n = 0;
}

static bool make_room(struct weir_follow *f, u32 n)
{
	if (n <= f->n)
		return true;
	u32 room = f->n ? f->n : 8;
	while (room < n)
		room *= 2;
	struct weir_follow_socket **more = realloc((void *)f->socket, room * sizeof(*more));
	if (!more)
		return false;
	memset((void *)(more + f->n), 0, (room - f->n) * sizeof(*more));
	f->socket = more;
	f->n = room;
	return true;
}

/* As the kernel hands it to init: all zeros. */
static struct weir_follow_socket *begin_socket(struct weir_follow *f, u32 number)
{
	if (!make_room(f, number))
		return NULL;
	struct weir_follow_socket **s = &f->socket[number - 1];
	if (!*s)
		*s = calloc(1, sizeof **s);
	if (*s) {
		memset((*s)->state, 0, sizeof(*s)->state);
		(*s)->known = true;
	}
	return *s;
}

enum weir_followed weir_follow_call(struct weir_follow *f, u32 socket, const struct weir_kern_call *c,
				    struct weir_out *out)
{
	struct weir_follow_socket *s = socket <= f->n ? f->socket[socket - 1] : NULL;
	struct weir_kern_call call = *c;
	if (c->event == WEIR_KERN_INIT && !(s = begin_socket(f, socket)))
		f->failed = true;
	if (!s || !s->known)
		return WEIR_FOLLOWED_UNKNOWN;
	call.out = (struct weir_out){0, 0, 0};
	weir_call(f->ops, s->state, f->params, &call);
	*out = call.out;
	return memcmp(&call.out, &c->out, sizeof call.out) ? WEIR_FOLLOWED_DIFFERS : WEIR_FOLLOWED_SAME;
}

void weir_follow_gap(struct weir_follow *f)
{
	for (u32 i = 0; i < f->n; i++)
		if (f->socket[i])
			f->socket[i]->known = false;
}

const void *weir_follow_state(const struct weir_follow *f, u32 socket)
{
	const struct weir_follow_socket *s = socket && socket <= f->n ? f->socket[socket - 1] : NULL;
	return s && s->known ? s->state : NULL;
}

/* SPDX-License-Identifier: MIT */
#include "sends.h"

#include "number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void weir_sends_add(struct weir_sends *s, const struct weir_send *one)
{
	if (s->to_ns && (one->time_ns < s->from_ns || one->time_ns > s->to_ns))
		return;
	if (s->n == s->room) {
		u32 room = s->room ? 2 * s->room : 4096;
		room = room < WEIR_SENDS_MAX ? room : WEIR_SENDS_MAX;
		struct weir_send *longer = room > s->n ? realloc(s->send, room * sizeof *longer) : NULL;
		if (!longer) {
			s->left_out++;
			return;
		}
		s->send = longer;
		s->room = room;
	}
	s->send[s->n++] = *one;
}

void weir_sends_free(struct weir_sends *s)
{
	free(s->send);
	*s = (struct weir_sends){0};
}

static void write_name(FILE *to, const char *name)
{
	if (!strpbrk(name, ",\"\r\n")) {
		fputs(name, to);
		return;
	}
	fputc('"', to);
	for (; *name; name++) {
		if (*name == '"')
			fputc('"', to);
		fputc(*name, to);
	}
	fputc('"', to);
}

int weir_sends_write(const struct weir_sends *s, FILE *to, const char *(*name)(const void *ctx, u32 flow),
		     const void *ctx)
{
	fputs(WEIR_SENDS_HEADER, to);
	for (u32 i = 0; i < s->n; i++) {
		const struct weir_send *p = &s->send[i];
		char time[WEIR_NUMBER_MAX];
		fprintf(to, "%.*s,", (int)weir_number_fixed(time, p->time_ns, 9), time);
		write_name(to, name(ctx, p->flow));
		fprintf(to, ",%llu,%u,%d\n", p->first_byte, p->bytes, p->again);
	}
	if (fflush(to) == 0 && !ferror(to))
		return 0;
	errno = errno ? errno : EIO;
	return -1;
}

/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Mistakes found in somebody's input, collected so that all are reported at once. */
#ifndef WEIR_CORE_DIAG_H
#define WEIR_CORE_DIAG_H

#include "weir/types.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WEIR_DIAG_MAX 64

struct weir_diag_entry {
	u32 line, column; /* from 1, in characters; 0: the whole file or an argument */
	char text[240];
	/* Where the mistake is not in the file but in one of several arguments beside it: the option, e.g.
	 * "--set", in place of the file's name, and the argument in place of the source line. Else "". */
	char option[12];
	char argument[128];
};

struct weir_diag {
	char file[256]; /* as the user wrote it, or the name of the argument */
	u32 n, more;	/* entries kept; mistakes beyond them, counted only */
	struct weir_diag_entry entry[WEIR_DIAG_MAX];
};

__attribute__((format(printf, 4, 5))) static inline void weir_diag_add(struct weir_diag *d, u32 line,
								       u32 column, const char *format, ...)
{
	if (d->n == WEIR_DIAG_MAX) {
		d->more++;
		return;
	}
	struct weir_diag_entry *e = &d->entry[d->n++];
	e->line = line;
	e->column = column;
	va_list ap;
	va_start(ap, format);
	vsnprintf(e->text, sizeof e->text, format, ap);
	va_end(ap);
}

/* FILE:LINE:COLUMN: message, then the source line and a caret where `source` (the file's text) is given.
 * Control characters of the input never reach the terminal. */
void weir_diag_print(const struct weir_diag *d, const char *source, FILE *to);

#endif

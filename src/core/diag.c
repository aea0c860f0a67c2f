/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
#include "diag.h"

#define LINE_SHOWN 100 /* characters of a source line; of a longer one the part around the caret */

/* One line of hostile text: control characters (C0, DEL, and C1 as UTF-8) become '?', a tab one space, so
 * that the caret stays below its character. Shows `count` characters from the `skip`-th on. */
static void print_clean(const char *s, size_t bytes, size_t skip, size_t count, FILE *to)
{
	size_t at = 0;
	for (size_t i = 0; i < bytes && at < skip + count;) {
		size_t n = 1;
		while (i + n < bytes && ((u8)s[i + n] & 0xc0) == 0x80)
			n++;
		u8 c = (u8)s[i];
		bool control = (c < 0x20 && c != '\t') || c == 0x7f || (c & 0xc0) == 0x80 || n > 4 ||
			       (c == 0xc2 && n > 1 && (u8)s[i + 1] < 0xa0);
		if (at >= skip) {
			if (control)
				fputc('?', to);
			else if (c == '\t')
				fputc(' ', to);
			else
				fwrite(s + i, 1, n, to);
		}
		i += n;
		at++;
	}
}

/* The line-th line of text, without its end; NULL when there are fewer. */
static const char *find_line(const char *text, u32 line, size_t *bytes)
{
	while (--line) {
		text = strchr(text, '\n');
		if (!text)
			return NULL;
		text++;
	}
	*bytes = strcspn(text, "\r\n");
	return text;
}

static void print_quote(const char *line, size_t bytes, u32 column, FILE *to)
{
	size_t skip = column > LINE_SHOWN * 3 / 4 ? column - LINE_SHOWN / 2 : 0;
	fputs("    ", to);
	print_clean(line, bytes, skip, LINE_SHOWN, to);
	fprintf(to, "\n    %*s\n", (int)(column - skip), "^");
}

void weir_diag_print(const struct weir_diag *d, const char *source, FILE *to)
{
	for (u32 i = 0; i < d->n; i++) {
		const struct weir_diag_entry *e = &d->entry[i];
		const char *name = e->option[0] ? e->option : d->file;
		print_clean(name, strlen(name), 0, sizeof d->file, to);
		if (e->line)
			fprintf(to, ":%u:%u", e->line, e->column);
		fputs(": ", to);
		print_clean(e->text, strlen(e->text), 0, sizeof e->text, to);
		fputc('\n', to);

		size_t bytes = strlen(e->argument);
		const char *line = e->argument;
		if (!e->option[0])
			line = source && e->line ? find_line(source, e->line, &bytes) : NULL;
		if (line && e->column)
			print_quote(line, bytes, e->column, to);
	}
	if (d->more)
		fprintf(to, "%s: and %u more mistakes\n", d->file, d->more);
}

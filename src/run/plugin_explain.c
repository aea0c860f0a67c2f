/* SPDX-License-Identifier: MIT */
#include "plugin_explain.h"

#include "weir/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of the names of the runtime functions that clang would call, and what the author wrote. */
static const struct {
	const char *part, *means;
} functions[] = {
    {"ti3", "a number of 128 bits; weir_muldiv(a, b, c) is a * b / c"},
    {"df", "a double; the kernel has integers only"},
    {"sf", "a float; the kernel has integers only"},
    {"xf", "a long double; the kernel has integers only"},
    {"tf", "a long double; the kernel has integers only"},
};
#define CALL "A call to built-in function '"
#define SIGNED_DIVISION "a signed division, which the kernel lacks; make both numbers u64"

struct explanation {
	FILE *to;
	char *text; /* so far, after a flush */
	size_t bytes;
	bool skip; /* this mistake was told: its source line and its caret go as well */
};

static bool has(const char *line, size_t n, const char *words)
{
	return memmem(line, n, words, strlen(words)) != NULL;
}

/* The length of "mine.h:7:" in "mine.h:7:14: error: "; 0: there is no such place. */
static size_t line_of(const char *place, size_t n)
{
	const char *file = memchr(place, ':', n);
	const char *number = file ? memchr(file + 1, ':', n - (size_t)(file + 1 - place)) : NULL;
	return number ? (size_t)(number + 1 - place) : 0;
}

/* Whether these words were said of this line. */
static bool was_said(const struct explanation *e, const char *place, size_t n, const char *words)
{
	size_t key = line_of(place, n);
	for (const char *line = e->text; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, place, key ? key : n) && has(line, strcspn(line, "\n"), words))
			return true;
	return false;
}

/* A sum is several mistakes for the compiler, and what is inlined several times is told as often. */
static void say(struct explanation *e, const char *place, size_t n, const char *words)
{
	/* "././mine.h": from the compiler's folder, which is the author's. */
	while (n > 4 && !strncmp(place, "././", 4)) {
		place += 2;
		n -= 2;
	}
	fflush(e->to);
	e->skip = was_said(e, place, n, words);
	if (!e->skip)
		fprintf(e->to, "%.*s%s\n", (int)n, place, words);
}

/* "mine.h:7:14: error: A call to built-in function '__muldf3' is not supported." */
static void say_call(struct explanation *e, const char *line, size_t n)
{
	const char *call = memmem(line, n, CALL, strlen(CALL)), *name = call + strlen(CALL);
	const char *means = "a function of the compiler's that the kernel lacks";
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (has(name, strcspn(name, "'\n"), functions[i].part)) {
			means = functions[i].means;
			break;
		}
	say(e, line, (size_t)(call - line), means);
}

/* "Error at line 12: Unsupport signed division for DAG: 0x2a: i64 = sdiv 0x2b, 0x2c, mine.h:12:20 @[ ... ]",
 * or the same with "Cannot select" in an error of the backend: the place is the last word before the '@'. */
static void say_division(struct explanation *e, const char *line, size_t n)
{
	char place[320];
	const char *end = memmem(line, n, " @[", 3);
	end = end ? end : memmem(line, n, "Please", 6);
	end = end ? end : line + n;
	const char *at = end;
	while (at > line && at[-1] != ',')
		at--;
	at += strspn(at, " ");
	int length = at < end && memchr(at, ':', (size_t)(end - at)) ? (int)(end - at) : 0;
	int used = snprintf(place, sizeof place, "%.*s%serror: ", length < 300 ? length : 300, at,
			    length ? ": " : "");
	say(e, place, (size_t)used, SIGNED_DIVISION);
}

/* What follows from another mistake, or says nothing to the author. */
static bool is_noise(const char *line, size_t n)
{
	return has(line, n, "In file included from <built-in>") ||
	       has(line, n, "only small returns supported") || has(line, n, "too many errors emitted") ||
	       has(line, n, " generated.");
}

/* False where the compiler begins to speak of itself. */
static bool explain_line(struct explanation *e, const char *line, size_t n)
{
	bool backend = has(line, n, "error in backend");
	bool division = has(line, n, "Unsupport signed division") ||
			(backend && (has(line, n, "= sdiv ") || has(line, n, "= srem ")));
	if (division)
		say_division(e, line, n);
	else if (has(line, n, CALL))
		say_call(e, line, n);
	else if (is_noise(line, n))
		e->skip = true;
	else if (has(line, n, ": error: ") || has(line, n, ": warning: ") || has(line, n, ": note: ") ||
		 backend)
		say(e, line, n, "");
	else if (!e->skip) /* the source and the caret of a mistake, or more about it */
		fprintf(e->to, "%.*s\n", (int)n, line);
	return !backend;
}

char *weir_plugin_explain(const char *output)
{
	struct explanation e = {.text = NULL};
	e.to = open_memstream(&e.text, &e.bytes);
	if (!e.to)
		return NULL;
	for (const char *line = output; *line; line += *line == '\n') {
		size_t n = strcspn(line, "\n");
		if (!explain_line(&e, line, n))
			break;
		line += n;
	}
	fclose(e.to);
	return e.text;
}

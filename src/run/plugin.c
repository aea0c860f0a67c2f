/* SPDX-License-Identifier: MIT */
#include "plugin.h"

#include "compile.h"
#include "embedded.h"
#include "plugin_check.h"
#include "plugin_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPILE_TIMEOUT_MS 60000
#define HEADER_BYTES_MAX (1 << 20)
#define COMPILER_WORDS_MAX 16

/* ---- messages ---- */

__attribute__((format(printf, 1, 2))) static char *say(const char *format, ...)
{
	char *text = NULL;
	va_list ap;
	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	return text;
}

/* The compiler knows our headers by a temporary path; the user knows them as weir/NAME.h. */
static void drop_all(char *text, const char *what)
{
	size_t n = strlen(what);
	for (char *at = text; n && (at = strstr(at, what)) != NULL;)
		memmove(at, at + n, strlen(at + n) + 1);
}

/* ---- steps; each returns the exit code and leaves its message ---- */

static int look_at_header(const char *path, char **message)
{
	struct stat s;
	if (stat(path, &s) < 0)
		*message = say("%s: %s", path, strerror(errno));
	else if (!S_ISREG(s.st_mode))
		*message = say("%s: not a regular file", path);
	else if (s.st_size == 0)
		*message = say("%s: the file is empty", path);
	else if (s.st_size > HEADER_BYTES_MAX)
		*message = say("%s: larger than %d bytes, which no controller is", path, HEADER_BYTES_MAX);
	else if (access(path, R_OK) < 0)
		*message = say("%s: %s", path, strerror(errno));
	else
		return 0;
	return 2;
}

/* Why the compiler failed, in our words, where we know. */
static const char *hint(const char *output)
{
	if (strstr(output, "redefinition of") && strstr(output, "weir_cc_export"))
		return "\nOnly one WEIR_CONTROLLER may stand in a header.";
	if (strstr(output, "weir_cc_ops") && strstr(output, "_param_table"))
		return "\nA controller NAME needs struct NAME_params and NAME_param_table[].";
	return "";
}

static const char *const compiler_flags[] = {"-std=c11",
					     "-O2",
					     "-Wall",
					     "-Wextra",
					     "-Wno-unused-parameter",
					     "-Werror=implicit-function-declaration",
					     "-ffp-contract=off",
					     "-shared",
					     "-fPIC",
					     "-Wl,-z,defs",
					     "-DWEIR_CC_ON_THE_FLY"};

/* ${CC:-cc} may hold words after the compiler's name. `words` keeps them. */
static void compiler_argv(char *argv[], char *words, size_t room, const char *header, const char *include,
			  const char *object)
{
	const char *cc = getenv("CC");
	const char *rest[] = {"-I", include, "-include", header, "-x", "c", "/dev/null", "-o", object};
	char *next = NULL;
	int n = 0;
	snprintf(words, room, "%s", cc && cc[strspn(cc, " \t")] ? cc : "cc");
	for (char *w = strtok_r(words, " \t", &next); w && n < COMPILER_WORDS_MAX;
	     w = strtok_r(NULL, " \t", &next))
		argv[n++] = w;
	/* posix_spawn wants char *, and does not write to it. */
	for (size_t i = 0; i < sizeof compiler_flags / sizeof compiler_flags[0]; i++)
		argv[n++] = (char *)(size_t)compiler_flags[i];
	for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
		argv[n++] = (char *)(size_t)rest[i];
	argv[n] = NULL;
}

static int compile(const char *header, const char *folder, const char *object, char **message)
{
	char words[512], include[PATH_MAX + 16], *argv[COMPILER_WORDS_MAX + 32], *output = NULL;
	snprintf(include, sizeof include, "%s/include/", folder);
	compiler_argv(argv, words, sizeof words, header, include, object);
	enum weir_compile_result result = weir_compile(argv, folder, COMPILE_TIMEOUT_MS, &output);
	if (output) {
		drop_all(output, include);
		drop_all(output, folder);
	}
	const char *said = output ? output : "";
	int rc = 0;
	switch (result) {
	case WEIR_COMPILE_OK:
		*message = said[0] ? say("%s", said) : NULL;
		break;
	case WEIR_COMPILE_FAILED:
		*message = say("%s: it does not compile\n%s%s", header, said, hint(said));
		rc = 2;
		break;
	case WEIR_COMPILE_TIMEOUT:
		*message = say("%s: the compiler was stopped after %d s", header, COMPILE_TIMEOUT_MS / 1000);
		rc = 2;
		break;
	case WEIR_COMPILE_MISSING:
		*message =
		    say("no C compiler: there is no '%s'. Install gcc or clang, or name one in CC.", argv[0]);
		rc = 3;
		break;
	case WEIR_COMPILE_INTERRUPTED:
		*message = say("%s: interrupted", header);
		rc = 1;
		break;
	case WEIR_COMPILE_ERROR:
		*message = say("%s: cannot run the compiler: %s", header, strerror(errno));
		rc = 3;
		break;
	}
	free(output);
	return rc;
}

static int load(const char *header, const char *object, struct weir_plugin *out, char **message)
{
	char *warnings = *message;
	*message = NULL;
	out->handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
	if (!out->handle) {
		char *why = say("%s", dlerror());
		if (why)
			drop_all(why, object);
		*message = say("%s: cannot be loaded%s", header, why ? why : "");
		free(why);
		free(warnings);
		return 2;
	}
	/* ISO C has no cast from an object's address to a function's; POSIX promises that this works. */
	union {
		void *symbol;
		const struct weir_cc_ops *(*export)(void);
	} found = {.symbol = dlsym(out->handle, "weir_cc_export")};
	char why[240];
	if (!found.symbol) {
		*message = say("%s: no controller in it. End the header with\n"
			       "    WEIR_CONTROLLER(NAME, \"word\", .about = \"...\", .source = \"...\");",
			       header);
	} else {
		const struct weir_cc_ops *ops = found.export();
		if (weir_plugin_check(ops, why, sizeof why)) {
			out->ops = *ops;
			out->ops.about = ops->about ? ops->about : "";
			out->ops.source = ops->source ? ops->source : "";
			*message = warnings;
			return 0;
		}
		*message = say("%s: %s", header, why);
	}
	free(warnings);
	weir_plugin_close(out);
	return 2;
}

static int build_and_load(const char *header, struct weir_plugin *out, char **message)
{
	char folder[PATH_MAX], object[PATH_MAX + 16];
	int rc = 3;
	if (weir_plugin_folder_make(folder) < 0 ||
	    weir_plugin_folder_fill(folder, "weir", weir_public_headers) < 0) {
		*message = say("no room for temporary files in %s: %s",
			       folder[0] ? folder : "${TMPDIR:-/tmp}", strerror(errno));
	} else {
		snprintf(object, sizeof object, "%s/controller.so", folder);
		rc = compile(header, folder, object, message);
		if (rc == 0)
			rc = load(header, object, out, message);
	}
	if (folder[0])
		weir_plugin_folder_remove(folder);
	return rc;
}

int weir_plugin_open(const char *header_path, struct weir_plugin *out, char **message)
{
	memset(out, 0, sizeof *out);
	*message = NULL;
	int rc = look_at_header(header_path, message);
	if (rc)
		return rc;
	sigset_t before;
	weir_plugin_hold_signals(&before);
	rc = build_and_load(header_path, out, message);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

void weir_plugin_close(struct weir_plugin *p)
{
	if (p->handle)
		dlclose(p->handle);
	memset(p, 0, sizeof *p);
}

bool weir_plugin_is_path(const char *argument)
{
	size_t n = strlen(argument);
	return strchr(argument, '/') || (n > 2 && strcmp(argument + n - 2, ".h") == 0);
}

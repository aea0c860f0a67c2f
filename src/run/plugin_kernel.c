/* SPDX-License-Identifier: MIT */
#include "plugin_kernel.h"

#include "compile.h"
#include "kern/load.h"
#include "plugin_explain.h"
#include "plugin_folder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COMPILE_TIMEOUT_MS 60000
#define OBJECT_BYTES_MAX (16 << 20)

/* ---- steps; each returns the exit code and leaves its message ---- */

__attribute__((format(printf, 2, 3))) static void say(char **message, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	if (vasprintf(message, format, ap) < 0)
		*message = NULL;
	va_end(ap);
}

static int compile(const char *header, const char *name, const char *folder, const char *object,
		   char **message)
{
	char include[PATH_MAX + 16], define[80], *output = NULL;
	snprintf(include, sizeof include, "%s/include", folder);
	snprintf(define, sizeof define, "-DWEIR_KERNEL_NAME(id)=\"%s\"", name);
	const char *const words[] = {"clang",
				     "-target",
				     "bpf",
				     "-mcpu=v3",
				     "-std=c11",
				     "-O2",
				     "-g",
				     "-Wall",
				     "-Wextra",
				     "-Wno-unused-parameter",
				     "-fno-crash-diagnostics",
				     "-DWEIR_CC_ON_THE_FLY",
				     define,
				     "-I",
				     include,
				     "-include",
				     "kern/glue.bpf.h",
				     "-include",
				     header,
				     "-x",
				     "c",
				     "-c",
				     "/dev/null",
				     "-o",
				     object,
				     NULL};
	char *argv[sizeof words / sizeof words[0]];
	/* posix_spawn wants char *, and does not write to it. */
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		argv[i] = (char *)(size_t)words[i];
	enum weir_compile_result result = weir_compile(argv, folder, COMPILE_TIMEOUT_MS, &output);
	char *said = output ? weir_plugin_explain(output) : NULL;
	int rc = 0;
	switch (result) {
	case WEIR_COMPILE_OK:
		break;
	case WEIR_COMPILE_FAILED:
		say(message, "%s: the kernel cannot run it\n%s", header, said ? said : "");
		rc = 2;
		break;
	case WEIR_COMPILE_TIMEOUT:
		say(message, "%s: the compiler was stopped after %d s", header, COMPILE_TIMEOUT_MS / 1000);
		rc = 2;
		break;
	case WEIR_COMPILE_MISSING:
		say(message, "no clang, which makes programs for the kernel: apt-get install clang");
		rc = 3;
		break;
	case WEIR_COMPILE_INTERRUPTED:
		say(message, "%s: interrupted", header);
		rc = 1;
		break;
	case WEIR_COMPILE_ERROR:
		say(message, "%s: cannot run clang: %s", header, strerror(errno));
		rc = 3;
		break;
	}
	free(said);
	free(output);
	return rc;
}

static int take_object(const char *object, struct weir_plugin_kernel *out, char **message)
{
	struct stat s;
	FILE *f = fopen(object, "rbe");
	if (f && fstat(fileno(f), &s) == 0 && s.st_size > 0 && s.st_size < OBJECT_BYTES_MAX) {
		out->bytes = (size_t)s.st_size;
		out->data = malloc(out->bytes);
		if (out->data && fread(out->data, 1, out->bytes, f) != out->bytes) {
			free(out->data);
			out->data = NULL;
		}
	}
	if (f)
		fclose(f);
	if (!out->data)
		say(message, "what clang made cannot be read");
	return out->data ? 0 : 1;
}

static int build(const char *header, const char *name, struct weir_plugin_kernel *out, char **message)
{
	char folder[PATH_MAX], object[PATH_MAX + 16];
	int rc = 3;
	if (weir_plugin_folder_make(folder) < 0 ||
	    weir_plugin_folder_fill(folder, "weir", weir_public_headers) < 0 ||
	    weir_plugin_folder_fill(folder, "kern", weir_kernel_headers) < 0) {
		say(message, "no room for temporary files in %s: %s", folder[0] ? folder : "${TMPDIR:-/tmp}",
		    strerror(errno));
	} else {
		snprintf(object, sizeof object, "%s/controller.bpf.o", folder);
		rc = compile(header, name, folder, object, message);
		if (rc == 0)
			rc = take_object(object, out, message);
	}
	if (folder[0])
		weir_plugin_folder_remove(folder);
	return rc;
}

int weir_plugin_kernel_open(const char *header_path, const struct weir_cc_ops *ops,
			    struct weir_plugin_kernel *out, char **message)
{
	char name[WEIR_KERN_NAME_BYTES];
	memset(out, 0, sizeof *out);
	*message = NULL;
	if (!weir_kern_name(ops->name, name)) {
		say(message, "%s: the kernel has room for names of 10 characters; \"%s\" is longer",
		    header_path, ops->name);
		return 2;
	}
	sigset_t before;
	weir_plugin_hold_signals(&before);
	int rc = build(header_path, name, out, message);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

void weir_plugin_kernel_close(struct weir_plugin_kernel *p)
{
	free(p->data);
	memset(p, 0, sizeof *p);
}

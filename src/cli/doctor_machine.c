/* SPDX-License-Identifier: MIT */
/* What simulations, reports and controllers of one's own need. */
#include "doctor.h"
#include "net/dtls.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <yaml.h>

void weir_doctor_find(struct weir_doctor_finding *f, bool ok, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(f->detail, sizeof f->detail, format, arguments);
	va_end(arguments);
	f->ok = ok;
}

void weir_doctor_find_program(struct weir_doctor_finding *f, const char *const *names)
{
	const char *folders = getenv("PATH"), *first = names[0];
	char list[4096], path[WEIR_DOCTOR_DETAIL_BYTES];
	for (; *names; names++) {
		/* the administrators' folders are not in everybody's PATH */
		snprintf(list, sizeof list, "%s:/usr/sbin:/sbin", folders ? folders : "/usr/bin:/bin");
		char *next = NULL;
		for (char *folder = strtok_r(list, ":", &next); folder; folder = strtok_r(NULL, ":", &next)) {
			snprintf(path, sizeof path, "%s/%s", folder, *names);
			if (access(path, X_OK) == 0) {
				weir_doctor_find(f, true, "%s", path);
				return;
			}
		}
	}
	weir_doctor_find(f, false, "no %.100s", first);
}

bool weir_doctor_first_line(const char *path, char *line, int room)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, room, f);
	if (f)
		fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = 0;
	return ok;
}

static void look_at_cpus(struct weir_doctor_finding *f)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
	     page = sysconf(_SC_PAGESIZE);
	weir_doctor_find(f, cpus > 0, "%ld online, %.1f GB of memory", cpus,
			 (double)pages * (double)page / 1e9);
}

static void look_at_libraries(struct weir_doctor_finding *f)
{
	weir_doctor_find(f, true, "libyaml %s, jansson %s", yaml_get_version_string(), jansson_version_str());
}

/* What keys between sources and monitors need. */
static void look_at_dtls(struct weir_doctor_finding *f)
{
	const char *version = weir_dtls_version();
	weir_doctor_find(f, version != NULL, "%s%.60s", version ? "GnuTLS " : "built without GnuTLS",
			 version ? version : "");
}

/* As for `--controller ./mine.h`: the first word of CC, or cc. */
static void look_for_compiler(struct weir_doctor_finding *f)
{
	char word[256];
	const char *chosen = getenv("CC");
	snprintf(word, sizeof word, "%s", chosen && *chosen ? chosen : "cc");
	word[strcspn(word, " ")] = 0;
	const char *const names[] = {word, NULL};
	if (!strchr(word, '/'))
		weir_doctor_find_program(f, names);
	else if (access(word, X_OK) == 0)
		weir_doctor_find(f, true, "%.150s", word);
	else
		weir_doctor_find(f, false, "%.150s: %s", word, strerror(errno));
}

static void look_at_output(struct weir_doctor_finding *f)
{
	if (access(".", W_OK) == 0)
		weir_doctor_find(f, true, "the current directory can be written");
	else
		weir_doctor_find(f, false, "the current directory: %s", strerror(errno));
}

static void look_for_browser(struct weir_doctor_finding *f)
{
	static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "firefox", NULL};
	weir_doctor_find_program(f, names);
	if (!f->ok)
		weir_doctor_find(f, true, "none here; a report opens in any browser elsewhere");
}

static void look_at_kernel(struct weir_doctor_finding *f)
{
	struct utsname u;
	if (uname(&u))
		weir_doctor_find(f, false, "unknown: %s", strerror(errno));
	else
		weir_doctor_find(f, !strcmp(u.sysname, "Linux"), "%.40s %.100s, %.40s", u.sysname, u.release,
				 u.machine);
}

const struct weir_doctor_check weir_doctor_machine[] = {
    {"cpus", true, look_at_cpus, "run on a machine that tells its number of processors", NULL},
    {"libraries", true, look_at_libraries, "apt-get install libyaml-0-2 libjansson4", NULL},
    {"dtls", false, look_at_dtls, "apt-get install " WEIR_DTLS_PACKAGE ", and build Weir again",
     "`weir source` and `weir monitor` have keys with it"},
    {"compiler", true, look_for_compiler, "apt-get install gcc libc6-dev, or name one in CC",
     "`--controller ./mine.h` needs it"},
    {"output", false, look_at_output, "go to a directory of yours, or say -o DIR",
     "runs write into the current directory unless told otherwise"},
    {"browser", false, look_for_browser, "", NULL},
    {"kernel", true, look_at_kernel, "Weir runs on Linux", NULL},
    {0},
};

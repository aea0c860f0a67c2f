/* SPDX-License-Identifier: MIT */
/* `weir doctor`: what this machine can and cannot do, and how to mend it. */
#include "command.h"
#include "progress.h"
#include "record/json.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yaml.h>

#define DETAIL_BYTES 200

/* ---- looking around ---- */

/* The first of these programs (ends with NULL) that can be run. */
static bool find_program(const char *const *names, char *path, size_t room)
{
	const char *folders = getenv("PATH");
	char list[4096];
	for (; *names; names++) {
		/* the administrators' folders are not in everybody's PATH */
		snprintf(list, sizeof list, "%s:/usr/sbin:/sbin", folders ? folders : "/usr/bin:/bin");
		char *next = NULL;
		for (char *folder = strtok_r(list, ":", &next); folder; folder = strtok_r(NULL, ":", &next)) {
			snprintf(path, room, "%s/%s", folder, *names);
			if (access(path, X_OK) == 0)
				return true;
		}
	}
	return false;
}

static bool program(char *detail, const char *const *names)
{
	if (find_program(names, detail, DETAIL_BYTES))
		return true;
	snprintf(detail, DETAIL_BYTES, "no %.100s", names[0]);
	return false;
}

/* The first line of a file, or of a program's output. */
static bool first_line(FILE *f, char *line, size_t room)
{
	bool ok = f && fgets(line, (int)room, f);
	if (ok)
		line[strcspn(line, "\n")] = 0;
	return ok;
}

/* Whether a big binary file holds this string. */
static bool file_holds(const char *path, const char *text)
{
	static char block[1 << 16];
	size_t length = strlen(text), kept = 0;
	FILE *f = fopen(path, "rb");
	bool found = false;
	while (f && !found) {
		size_t n = fread(block + kept, 1, sizeof block - kept, f);
		if (n == 0)
			break;
		n += kept;
		found = memmem(block, n, text, length) != NULL;
		kept = n < length ? n : length - 1; /* it may stand across two blocks */
		memmove(block, block + n - kept, kept);
	}
	if (f)
		fclose(f);
	return found;
}

/* ---- the checks ---- */

static bool check_cpus(char *detail)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
	     page = sysconf(_SC_PAGESIZE);
	snprintf(detail, DETAIL_BYTES, "%ld online, %.1f GB of memory", cpus,
		 (double)pages * (double)page / 1e9);
	return cpus > 0;
}

static bool check_libraries(char *detail)
{
	snprintf(detail, DETAIL_BYTES, "libyaml %s, jansson %s", yaml_get_version_string(),
		 jansson_version_str());
	return true;
}

/* As for `--controller ./mine.h`: the first word of CC, or cc. */
static bool check_compiler(char *detail)
{
	char word[256];
	const char *chosen = getenv("CC");
	snprintf(word, sizeof word, "%s", chosen && *chosen ? chosen : "cc");
	word[strcspn(word, " ")] = 0;
	if (!strchr(word, '/')) {
		const char *const names[] = {word, NULL};
		return program(detail, names);
	}
	bool ok = access(word, X_OK) == 0;
	snprintf(detail, DETAIL_BYTES, "%.150s%s%s", word, ok ? "" : ": ", ok ? "" : strerror(errno));
	return ok;
}

static bool check_output(char *detail)
{
	if (access(".", W_OK) == 0) {
		snprintf(detail, DETAIL_BYTES, "the current directory can be written");
		return true;
	}
	snprintf(detail, DETAIL_BYTES, "the current directory: %s", strerror(errno));
	return false;
}

static bool check_browser(char *detail)
{
	static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "firefox", NULL};
	if (!program(detail, names))
		snprintf(detail, DETAIL_BYTES, "none here; a report opens in any browser elsewhere");
	return true;
}

static bool check_kernel(char *detail)
{
	struct utsname u;
	if (uname(&u))
		return false;
	snprintf(detail, DETAIL_BYTES, "%.40s %.100s, %.40s", u.sysname, u.release, u.machine);
	return !strcmp(u.sysname, "Linux");
}

static bool check_congestion(char *detail)
{
	FILE *f = fopen("/proc/sys/net/ipv4/tcp_available_congestion_control", "r");
	bool ok = first_line(f, detail, DETAIL_BYTES);
	if (f)
		fclose(f);
	if (!ok)
		snprintf(detail, DETAIL_BYTES, "the kernel does not tell");
	return ok;
}

static bool check_tun(char *detail)
{
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	snprintf(detail, DETAIL_BYTES, "/dev/net/tun: %s", fd >= 0 ? "opens" : strerror(errno));
	return fd >= 0;
}

static bool check_namespaces(char *detail)
{
	bool root = geteuid() == 0;
	pid_t child = fork();
	if (child == 0)
		_exit(unshare(root ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) ? errno & 0xff : 0);
	int status = 0;
	if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) {
		snprintf(detail, DETAIL_BYTES, "cannot try: %s", strerror(errno));
		return false;
	}
	int error = WEXITSTATUS(status);
	snprintf(detail, DETAIL_BYTES, "%s namespaces: %s", root ? "network" : "user and network",
		 error ? strerror(error) : "can be made");
	return error == 0;
}

#define BTF "/sys/kernel/btf/vmlinux"

static bool check_btf(char *detail)
{
	bool ok = access(BTF, R_OK) == 0;
	snprintf(detail, DETAIL_BYTES, BTF "%s%s", ok ? "" : ": ", ok ? "" : strerror(errno));
	return ok;
}

static bool check_struct_ops(char *detail)
{
	bool ok = file_holds(BTF, "bpf_struct_ops_tcp_congestion_ops");
	snprintf(detail, DETAIL_BYTES, "the kernel %s TCP controllers from BPF", ok ? "takes" : "takes no");
	return ok;
}

static bool check_clang(char *detail)
{
	static const char *const names[] = {"clang", "clang-14", NULL};
	return program(detail, names);
}

static bool check_bpftool(char *detail)
{
	static const char *const names[] = {"bpftool", NULL};
	return program(detail, names);
}

static const struct check {
	const char *name;
	bool needed; /* by a verb of this version: exit 3 without it */
	bool (*look)(char *detail);
	const char *remedy;
} checks[] = {
    {"cpus", true, check_cpus, "run on a machine that tells its number of processors"},
    {"libraries", true, check_libraries, "apt-get install libyaml-0-2 libjansson4"},
    {"compiler", true, check_compiler,
     "apt-get install gcc libc6-dev, or name one in CC; `--controller ./mine.h` needs it"},
    {"output", false, check_output, "go to a directory of yours, or say -o DIR"},
    {"browser", false, check_browser, ""},
    {"kernel", true, check_kernel, "Weir runs on Linux"},
    {"congestion", false, check_congestion, "mount /proc"},
    {"tun", false, check_tun, "modprobe tun, as root; in a container pass /dev/net/tun"},
    {"namespaces", false, check_namespaces,
     "run as root, or as root: sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000"},
    {"btf", false, check_btf, "a kernel built with CONFIG_DEBUG_INFO_BTF, as Debian's are"},
    {"struct_ops", false, check_struct_ops, "a kernel of 5.13 or newer with CONFIG_BPF_JIT and BTF"},
    {"clang", false, check_clang, "apt-get install clang"},
    {"bpftool", false, check_bpftool, "apt-get install bpftool"},
};
#define CHECKS (sizeof checks / sizeof checks[0])

struct finding {
	bool ok;
	char detail[DETAIL_BYTES];
};

static int print_json(const struct weir_invocation *call, const struct finding *finding)
{
	struct weir_json j;
	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.doctor/1");
	weir_json_put_array(&j, "checks");
	for (size_t i = 0; i < CHECKS; i++) {
		weir_json_line(&j);
		weir_json_object(&j);
		weir_json_put_string(&j, "name", checks[i].name);
		weir_json_put_bool(&j, "ok", finding[i].ok);
		weir_json_put_string(&j, "detail", finding[i].detail);
		weir_json_put_string(&j, "remedy", finding[i].ok ? NULL : checks[i].remedy);
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	if (weir_json_finish(&j))
		return weir_error(call, WEIR_EXIT_FAILED, "standard output: %s", strerror(errno));
	return WEIR_EXIT_OK;
}

static void print_text(const struct finding *finding)
{
	bool colour = weir_terminal_colour(STDOUT_FILENO);
	for (size_t i = 0; i < CHECKS; i++) {
		bool ok = finding[i].ok, needed = checks[i].needed;
		const char *paint = ok ? "\033[32m" : needed ? "\033[31m" : "\033[33m";
		printf("%s%-8s%s%-12s%s\n", colour ? paint : "",
		       ok	? "ok"
		       : needed ? "missing"
				: "no",
		       colour ? "\033[0m" : "", checks[i].name, finding[i].detail);
		if (!ok)
			printf("%20s-> %s%s\n", "", checks[i].remedy,
			       needed ? "" : " (nothing that this version does needs it)");
	}
}

static int cmd_doctor(struct weir_invocation *call)
{
	struct finding finding[CHECKS] = {0};
	bool able = true;
	for (size_t i = 0; i < CHECKS; i++) {
		finding[i].ok = checks[i].look(finding[i].detail);
		able = able && (finding[i].ok || !checks[i].needed);
	}
	int code = WEIR_EXIT_OK;
	if (weir_option(call, "json"))
		code = print_json(call, finding);
	else
		print_text(finding);
	return code ? code : able ? WEIR_EXIT_OK : WEIR_EXIT_MACHINE;
}

static const struct weir_option options[] = {WEIR_OPTION_JSON, {0}};

const struct weir_command weir_cmd_doctor = {
    .name = "doctor",
    .synopsis = "[--json]",
    .help = "tell what this machine can and cannot do, and how to mend it",
    .details = "The exit status is 3 when something is missing that a verb of this version needs.",
    .options = options,
    .run = cmd_doctor,
};

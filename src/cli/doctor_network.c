/* SPDX-License-Identifier: MIT */
/* What emulated links need: tried for real, each in a process of its own that takes it away again. */
#include "doctor.h"
#include "emu/tun.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

/* ---- another process tries ---- */

/* Exit status of the child: 0, or an errno. -1: it could not be tried. */
static int try(int (*attempt)(void))
{
	int status = 0;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		_exit(attempt() ? errno & 0xff : 0);
	if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static const char *reason(int error)
{
	return error < 0 ? "could not be tried" : strerror(error);
}

/* ---- the pieces ---- */

static void look_at_tun(struct weir_doctor_finding *f)
{
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	weir_doctor_find(f, fd >= 0, "/dev/net/tun: %s", fd >= 0 ? "opens" : strerror(errno));
	if (fd >= 0)
		close(fd);
	else if (errno == EACCES)
		snprintf(f->remedy, sizeof f->remedy,
			 "as root: chmod 666 /dev/net/tun, or give its group to this user");
}

static int make_network_namespace(void)
{
	return unshare(CLONE_NEWNET);
}

static int make_both_namespaces(void)
{
	return unshare(CLONE_NEWUSER | CLONE_NEWNET);
}

static int make_both_namespaces_as_nobody(void)
{
	if (syscall(SYS_setgroups, 0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return -1;
	return make_both_namespaces();
}

static void look_at_namespaces(struct weir_doctor_finding *f)
{
	bool root = geteuid() == 0;
	int error = try(root ? make_network_namespace : make_both_namespaces);
	weir_doctor_find(f, error == 0, "%s: %s", root ? "network namespaces" : "user and network namespaces",
			 error ? reason(error) : "can be made");
}

/* Whether those who are not root could: their own namespaces are switched off on some systems. */
static void look_at_user_namespaces(struct weir_doctor_finding *f)
{
	static const struct {
		const char *path, *bad, *good;
	} switches[] = {
	    {"kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"},
	    {"user/max_user_namespaces", "0", "user.max_user_namespaces=10000"},
	    {"kernel/apparmor_restrict_unprivileged_userns", "1",
	     "kernel.apparmor_restrict_unprivileged_userns=0"},
	};
	char path[96], value[32];
	int error = try(geteuid() == 0 ? make_both_namespaces_as_nobody : make_both_namespaces);
	weir_doctor_find(f, error == 0, "ordinary users: %s", error ? reason(error) : "can have their own");
	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
		snprintf(path, sizeof path, "/proc/sys/%s", switches[i].path);
		if (!weir_doctor_first_line(path, value, sizeof value) || strcmp(value, switches[i].bad) != 0)
			continue;
		weir_doctor_find(f, false, "ordinary users: %s is %s", switches[i].path, value);
		snprintf(f->remedy, sizeof f->remedy, "as root: sysctl %s", switches[i].good);
		break;
	}
}

/* ---- a whole device, as an emulated link has it ---- */

struct device {
	bool tried, made, rootless, stamped, offload, uso;
	char why[WEIR_WHY_BYTES];
};

static void make_device(struct device *d)
{
	struct weir_netns ns;
	struct weir_tun tun;
	const struct weir_tun_config c = {
	    .name = "weir%d", .mtu_bytes = 1500, .offload = true, .stamp = true};
	if (weir_netns_prepare(&d->rootless, d->why) || weir_netns_new(&ns, d->why))
		return;
	if (weir_netns_enter(&ns)) {
		snprintf(d->why, sizeof d->why, "cannot enter a network namespace: %s", strerror(errno));
		return;
	}
	if (weir_tun_open(&tun, &c, d->why))
		return;
	d->made = true;
	d->stamped = tun.stamped;
	d->offload = tun.offload;
	d->uso = tun.uso;
	weir_tun_close(&tun);
}

static const struct device *device(void)
{
	static struct device d;
	int pipes[2];
	if (d.tried)
		return &d;
	snprintf(d.why, sizeof d.why, "could not be tried");
	d.tried = true;
	fflush(NULL);
	if (pipe2(pipes, O_CLOEXEC))
		return &d;
	pid_t child = fork();
	if (child == 0) {
		make_device(&d);
		_exit(write(pipes[1], &d, sizeof d) != sizeof d);
	}
	close(pipes[1]);
	struct device answer;
	if (child > 0 && read(pipes[0], &answer, sizeof answer) == sizeof answer)
		d = answer;
	close(pipes[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return &d;
}

static void look_at_links(struct weir_doctor_finding *f)
{
	const struct device *d = device();
	if (d->made)
		weir_doctor_find(f, true, "can be made%s; super-packets: %s",
				 d->rootless ? " in a user namespace" : "",
				 d->uso	      ? "TCP and UDP"
				 : d->offload ? "TCP"
					      : "none");
	else
		weir_doctor_find(f, false, "cannot be made");
	snprintf(f->remedy, sizeof f->remedy, "%s", d->why);
}

static void look_at_stamps(struct weir_doctor_finding *f)
{
	const struct device *d = device();
	weir_doctor_find(f, d->stamped, "%s",
			 d->stamped ? "packets carry the time at which they came"
			 : d->made  ? "packets come without the time at which they came"
				    : "could not be tried without a link");
}

/* ---- priority, controllers ---- */

static int become_realtime(void)
{
	const struct sched_param p = {.sched_priority = 1};
	return sched_setscheduler(0, SCHED_FIFO, &p);
}

static void look_at_realtime(struct weir_doctor_finding *f)
{
	char runtime[32], period[32];
	int error = try(become_realtime);
	long share = 100;
	if (weir_doctor_first_line("/proc/sys/kernel/sched_rt_runtime_us", runtime, sizeof runtime) &&
	    weir_doctor_first_line("/proc/sys/kernel/sched_rt_period_us", period, sizeof period)) {
		long used, whole;
		if (sscanf(runtime, "%ld", &used) == 1 && sscanf(period, "%ld", &whole) == 1 && used >= 0 &&
		    whole > 0)
			share = (long)((double)used / (double)whole * 100);
	}
	if (error)
		weir_doctor_find(f, false, "SCHED_FIFO: %s", reason(error));
	else
		weir_doctor_find(f, share > 0, "SCHED_FIFO can be had, at most %ld %% of a CPU", share);
	if (!error && share <= 0)
		snprintf(f->remedy, sizeof f->remedy, "as root: sysctl kernel.sched_rt_runtime_us=950000");
}

static void look_at_congestion(struct weir_doctor_finding *f)
{
	static const char *const wanted[] = {"reno", "cubic", "bbr"};
	char line[WEIR_DOCTOR_DETAIL_BYTES], missing[64] = "", words[WEIR_DOCTOR_DETAIL_BYTES + 2];
	if (!weir_doctor_first_line("/proc/sys/net/ipv4/tcp_available_congestion_control", line,
				    sizeof line)) {
		weir_doctor_find(f, false, "the kernel does not tell");
		snprintf(f->remedy, sizeof f->remedy, "mount /proc");
		return;
	}
	snprintf(words, sizeof words, " %s ", line);
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		char word[16];
		snprintf(word, sizeof word, " %s ", wanted[i]);
		if (!strstr(words, word))
			snprintf(missing + strlen(missing), sizeof missing - strlen(missing), " tcp_%s",
				 wanted[i]);
	}
	weir_doctor_find(f, !*missing, "%s", line);
	if (*missing)
		snprintf(f->remedy, sizeof f->remedy, "as root: modprobe -a%s", missing);
}

#define LINKS "weir link and run --on emu need it"

const struct weir_doctor_check weir_doctor_network[] = {
    {"congestion", false, look_at_congestion, "", "`controller: kernel:NAME` needs it with --on emu"},
    {"tun", false, look_at_tun, "as root: modprobe tun; in a container pass it in (--device /dev/net/tun)",
     LINKS},
    {"namespaces", false, look_at_namespaces, "run as root; in a container grant it NET_ADMIN and SYS_ADMIN",
     LINKS},
    {"user_namespaces", false, look_at_user_namespaces, "run as root",
     "weir link and run --on emu then need root"},
    {"links", false, look_at_links, "", LINKS},
    {"stamps", false, look_at_stamps, "Linux 6.6 or newer, with CAP_BPF or as root",
     "the time a packet waits to be read is then estimated, and links are judged by that"},
    {"realtime", false, look_at_realtime,
     "run as root, or let this user have it: a line `USER - rtprio 10` in /etc/security/limits.conf",
     "packets are later under load without it, and links are judged by that"},
    {0},
};

/* SPDX-License-Identifier: MIT */
#include "netns.h"
#include "netlink.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fail(char why[WEIR_WHY_BYTES], const char *what, int error)
{
	snprintf(why, WEIR_WHY_BYTES, "%s: %s", what, strerror(error));
	errno = error;
	return -1;
}

/* ---- what may we ---- */

static bool has_capabilities(u64 wanted)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
	if (syscall(SYS_capget, &header, data))
		return false;
	u64 have = data[0].effective | (u64)data[1].effective << 32;
	return (have & wanted) == wanted;
}

/* The number in a file of /proc/sys; -1: there is no such file. */
static long sysctl_value(const char *path)
{
	long value = -1;
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%ld", &value) != 1)
		value = -1;
	if (f)
		fclose(f);
	return value;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = write(fd, text, strlen(text));
	int error = errno;
	close(fd);
	errno = error;
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* Why no user namespace: the switch that is off, where one is. */
static int refuse_user_namespace(int error, char why[WEIR_WHY_BYTES])
{
	static const struct {
		const char *path, *name;
		long off, on;
	} switches[] = {
	    {"/proc/sys/kernel/unprivileged_userns_clone", "kernel.unprivileged_userns_clone", 0, 1},
	    {"/proc/sys/user/max_user_namespaces", "user.max_user_namespaces", 0, 10000},
	    {"/proc/sys/user/max_net_namespaces", "user.max_net_namespaces", 0, 10000},
	    {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	     "kernel.apparmor_restrict_unprivileged_userns", 1, 0},
	};
	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
		if (sysctl_value(switches[i].path) == switches[i].off) {
			snprintf(why, WEIR_WHY_BYTES,
				 "needs CAP_NET_ADMIN and /dev/net/tun: run as root, or let users have "
				 "namespaces of their own: sysctl %s=%ld",
				 switches[i].name, switches[i].on);
			errno = error;
			return -1;
		}
	snprintf(
	    why, WEIR_WHY_BYTES,
	    "needs CAP_NET_ADMIN and /dev/net/tun: run as root; in a container grant NET_ADMIN and SYS_ADMIN "
	    "(user namespaces: %s)",
	    strerror(error));
	errno = error;
	return -1;
}

static int check_tun(char why[WEIR_WHY_BYTES])
{
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	int error = errno;
	const char *remedy = "needs CAP_NET_ADMIN and /dev/net/tun";
	if (error == EACCES)
		remedy = "as root: chmod 666 /dev/net/tun, or give its group to this user; or run as root";
	else if (error == ENOENT || error == ENODEV || error == ENXIO)
		remedy = "as root: modprobe tun; in a container pass it in (--device /dev/net/tun)";
	else if (error == EPERM)
		remedy = "needs CAP_NET_ADMIN and /dev/net/tun: let the container have them "
			 "(--cap-add NET_ADMIN --cap-add SYS_ADMIN --device /dev/net/tun)";
	snprintf(why, WEIR_WHY_BYTES, "/dev/net/tun: %s; %s", strerror(error), remedy);
	errno = error;
	return -1;
}

/* Root within, this user without: what is started inside may make namespaces and devices again. */
static int enter_user_namespace(char why[WEIR_WHY_BYTES])
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char map[64];
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return refuse_user_namespace(errno, why);
	/* Without this one, or on a kernel without the file, the map of groups is refused. */
	if (write_file("/proc/self/setgroups", "deny") && errno != ENOENT)
		return fail(why, "/proc/self/setgroups", errno);
	snprintf(map, sizeof map, "0 %u 1\n", uid);
	if (write_file("/proc/self/uid_map", map))
		return refuse_user_namespace(errno, why);
	snprintf(map, sizeof map, "0 %u 1\n", gid);
	if (write_file("/proc/self/gid_map", map))
		return refuse_user_namespace(errno, why);
	return 0;
}

static int loopback_up(char why[WEIR_WHY_BYTES])
{
	struct weir_netlink n;
	if (weir_netlink_open(&n, why))
		return -1;
	struct weir_netlink_device lo = {if_nametoindex("lo"), "lo"};
	int result = weir_netlink_up(&n, &lo, why), error = errno;
	weir_netlink_close(&n);
	errno = error;
	return result;
}

int weir_netns_prepare(bool *rootless, char why[WEIR_WHY_BYTES])
{
	*rootless = false;
	if (check_tun(why))
		return -1;
	if (has_capabilities(1ULL << CAP_NET_ADMIN | 1ULL << CAP_SYS_ADMIN))
		return 0;
	if (enter_user_namespace(why))
		return -1;
	/* Where a security module takes the rights away again this is where it shows. */
	if (loopback_up(why))
		return errno == EPERM || errno == EACCES ? refuse_user_namespace(errno, why) : -1;
	*rootless = true;
	return 0;
}

/* ---- namespaces ---- */

int weir_netns_here(struct weir_netns *ns, char why[WEIR_WHY_BYTES])
{
	struct stat s;
	ns->inode = 0;
	ns->fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (ns->fd < 0 || fstat(ns->fd, &s)) {
		int error = errno;
		weir_netns_close(ns);
		return fail(why, "/proc/thread-self/ns/net", error);
	}
	ns->inode = s.st_ino;
	return 0;
}

int weir_netns_enter(const struct weir_netns *ns)
{
	return setns(ns->fd, CLONE_NEWNET);
}

int weir_netns_new(struct weir_netns *ns, char why[WEIR_WHY_BYTES])
{
	struct weir_netns here;
	ns->fd = -1;
	if (weir_netns_here(&here, why))
		return -1;
	if (unshare(CLONE_NEWNET)) {
		int error = errno;
		weir_netns_close(&here);
		if (error == EPERM)
			return fail(
			    why,
			    "cannot make a network namespace (needs CAP_SYS_ADMIN, or a container that "
			    "has it)",
			    error);
		if (error == ENOSPC)
			return fail(why,
				    "cannot make a network namespace (raise sysctl user.max_net_namespaces)",
				    error);
		return fail(why, "cannot make a network namespace", error);
	}
	int result = weir_netns_here(ns, why);
	if (!result)
		result = loopback_up(why);
	int error = errno;
	if (weir_netns_enter(&here)) {
		error = errno;
		result = fail(why, "cannot return to the network namespace of this process", error);
	}
	weir_netns_close(&here);
	if (result)
		weir_netns_close(ns);
	errno = error;
	return result;
}

void weir_netns_close(struct weir_netns *ns)
{
	if (ns->fd >= 0)
		close(ns->fd);
	ns->fd = -1;
}

/* SPDX-License-Identifier: MIT */
/* What an ordinary user may, and what is said where a right is missing. Each case is a process with a mount
 * namespace of its own, in which /dev/net/tun is what the case wants. */
#include "ground.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/virtio_net.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#define NOBODY 65534

static struct weir_site site;
static char scratch[64];

/* /dev/net/tun becomes a node with this mode, or (mode 0) is not there. */
static bool private_tun(mode_t mode)
{
	char node[80];
	snprintf(node, sizeof node, "%s/tun", scratch);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return false;
	if (mode == 0)
		return mount("none", "/dev/net", "tmpfs", 0, NULL) == 0;
	unlink(node); /* of the case before */
	return mknod(node, S_IFCHR | mode, makedev(10, 200)) == 0 && chmod(node, mode) == 0 &&
	       mount(node, "/dev/net/tun", NULL, MS_BIND, NULL) == 0;
}

static bool become_nobody(void)
{
	/* a process that changed its user is closed even to itself in /proc, unlike one that was started so
	 */
	return syscall(SYS_setgroups, 0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
	       setresuid(NOBODY, NOBODY, NOBODY) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0;
}

static bool drop_all_rights(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
	return syscall(SYS_capset, &header, none) == 0;
}

/* In a user namespace that may have no other inside: root's switch, without touching the machine's. */
static bool no_user_namespaces(void)
{
	int fd;
	bool ok = unshare(CLONE_NEWUSER) == 0 &&
		  (fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC)) >= 0 && write(fd, "0 0 1", 5) == 5;
	if (ok)
		close(fd);
	ok = ok && (fd = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC)) >= 0 &&
	     write(fd, "0", 1) == 1;
	if (ok)
		close(fd);
	return ok;
}

/* ---- cases: they run in a child and write what they found to `out` ---- */

typedef bool body(char out[WEIR_WHY_BYTES]);

static bool prepare(char out[WEIR_WHY_BYTES])
{
	bool rootless;
	return weir_netns_prepare(&rootless, out) == 0;
}

static bool as_nobody_with_the_machines_tun(char out[WEIR_WHY_BYTES])
{
	return private_tun(0600) && become_nobody() && prepare(out);
}

static bool as_nobody_without_tun(char out[WEIR_WHY_BYTES])
{
	return private_tun(0) && become_nobody() && prepare(out);
}

static bool without_rights_or_user_namespaces(char out[WEIR_WHY_BYTES])
{
	return private_tun(0666) && no_user_namespaces() && drop_all_rights() && prepare(out);
}

static bool one_datagram_across(char out[WEIR_WHY_BYTES])
{
	u8 raw[2000];
	const struct weir_site_host *left = &site.host[WEIR_LEFT][0], *right = &site.host[WEIR_RIGHT][0];
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(4713),
				 .sin_addr.s_addr = htonl(right->address)},
			   from;
	socklen_t length = sizeof from;
	struct timeval patience = {.tv_sec = 2};
	int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	setsockopt(receiver, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (bind(receiver, (struct sockaddr *)&to, sizeof to) || weir_netns_enter(&left->ns))
		return false;
	int sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sendto(sender, "across", 6, 0, (struct sockaddr *)&to, sizeof to) != 6)
		return false;
	ssize_t n = read(left->tun.fd, raw, sizeof raw);
	if (n < 28 || write(right->tun.fd, raw, (size_t)n) != n)
		return false;
	n = recvfrom(receiver, raw, sizeof raw, 0, (struct sockaddr *)&from, &length);
	close(sender);
	close(receiver);
	snprintf(out, WEIR_WHY_BYTES, "%.*s from %s", (int)n, (char *)raw, inet_ntoa(from.sin_addr));
	return n == 6;
}

static bool as_nobody_with_a_tun_for_all(char out[WEIR_WHY_BYTES])
{
	bool rootless = false;
	if (!private_tun(0666) || !become_nobody() || weir_netns_prepare(&rootless, out) || !rootless)
		return false;
	setenv("WEIR_RUNTIME_DIR", scratch, 1);
	if (weir_site_open(&site, &(struct weir_site_config){.hosts = 1, .right_is_here = true}, out))
		return false;
	bool ok = one_datagram_across(out) && !site.stamped;
	weir_site_close(&site);
	return ok;
}

/* The session after has another user namespace and no right over processes in that of the dead one: what is
 * left is found and ended all the same. */
static bool as_nobody_after_a_killed_session(char out[WEIR_WHY_BYTES])
{
	int pipes[2];
	pid_t orphan = 0;
	bool rootless;
	if (!private_tun(0666) || !become_nobody() || pipe(pipes))
		return false;
	setenv("WEIR_RUNTIME_DIR", scratch, 1);
	pid_t owner = fork();
	if (owner == 0) {
		if (weir_netns_prepare(&rootless, out) ||
		    weir_site_open(&site, &(struct weir_site_config){.hosts = 1, .right_is_here = true}, out))
			_exit(1);
		orphan = fork();
		if (orphan == 0) {
			if (weir_netns_enter(&site.host[WEIR_LEFT][0].ns))
				_exit(1);
			weir_site_forget(&site);
			execlp("sleep", "sleep", "300", (char *)NULL);
			_exit(1);
		}
		if (write(pipes[1], &orphan, sizeof orphan) != sizeof orphan)
			_exit(1);
		pause();
	}
	close(pipes[1]);
	if (read(pipes[0], &orphan, sizeof orphan) != sizeof orphan)
		return false;
	usleep(50000);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	if (kill(orphan, 0) || weir_netns_prepare(&rootless, out) ||
	    weir_site_open(&site, &(struct weir_site_config){.hosts = 1, .right_is_here = true}, out))
		return false;
	bool ended = false;
	for (u32 i = 0; i < 200 && !ended; i++, usleep(10000))
		ended = waitpid(orphan, NULL, WNOHANG) == orphan; /* it has become our child */
	snprintf(out, WEIR_WHY_BYTES, "range %x, %s", site.first, ended ? "ended" : "still there");
	weir_site_close(&site);
	return ended;
}

/* ---- and what they should find ---- */

static void expect(body *b, bool ok, const char *words)
{
	char text[WEIR_WHY_BYTES] = "";
	int pipes[2], status = 0;
	assert_int_equal(pipe(pipes), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char out[WEIR_WHY_BYTES] = "(nothing said)";
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_CHILD_SUBREAPER, 1); /* what outlives its parent is waited for by us */
		bool done = b(out);
		if (write(pipes[1], out, sizeof out) != sizeof out)
			_exit(2);
		_exit(done ? 0 : 1);
	}
	close(pipes[1]);
	ssize_t n = read(pipes[0], text, sizeof text);
	close(pipes[0]);
	waitpid(pid, &status, 0);
	if (n <= 0 || WEXITSTATUS(status) != (ok ? 0 : 1) || !strstr(text, words))
		fail_msg("expected \"%s\" and %s, got \"%s\" and exit %d", words, ok ? "success" : "failure",
			 text, WEXITSTATUS(status));
	assert_null(strchr(text, '\n'));
}

static int clean(void **state)
{
	(void)state;
	char node[80];
	snprintf(node, sizeof node, "%s/tun", scratch);
	unlink(node);
	snprintf(scratch, sizeof scratch, "/tmp/test-rootless-XXXXXX");
	return !mkdtemp(scratch) || chown(scratch, NOBODY, NOBODY);
}

static int cleaned(void **state)
{
	(void)state;
	char node[80];
	snprintf(node, sizeof node, "%s/tun", scratch);
	unlink(node);
	return rmdir(scratch);
}

static void a_user_with_a_tun_has_a_network(void **state)
{
	(void)state;
	expect(as_nobody_with_a_tun_for_all, true, "across from 100.64.0.2");
}

static void a_user_ends_what_his_killed_session_left(void **state)
{
	(void)state;
	expect(as_nobody_after_a_killed_session, true, "range 64400000, ended");
}

static void a_user_without_a_tun_is_told_in_one_line(void **state)
{
	(void)state;
	expect(as_nobody_with_the_machines_tun, false,
	       "/dev/net/tun: Permission denied; as root: chmod 666 /dev/net/tun");
	expect(as_nobody_without_tun, false,
	       "/dev/net/tun: No such file or directory; as root: modprobe tun");
}

/* field case A20 */
static void A20_a_container_without_rights_is_told_in_one_line(void **state)
{
	(void)state;
	expect(without_rights_or_user_namespaces, false, "needs CAP_NET_ADMIN and /dev/net/tun");
	expect(without_rights_or_user_namespaces, false, "sysctl user.max_user_namespaces=10000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, clean, cleaned)
	    T(a_user_with_a_tun_has_a_network),
	    T(a_user_ends_what_his_killed_session_left),
	    T(a_user_without_a_tun_is_told_in_one_line),
	    T(A20_a_container_without_rights_is_told_in_one_line),
	};
	skip_without_ground();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

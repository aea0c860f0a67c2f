/* SPDX-License-Identifier: MIT */
#include "lease.h"
#include "netlink.h"
#include "orphans.h"
#include "runtime.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define POOL_FIRST 0x64400000U /* 100.64.0.0/10 */
#define POOL_BITS 10
#define SITE_BITS 16
#define RECORD_BYTES 256
#define SITES_MAX 1024

struct range {
	u32 first, bits;
};

struct record {
	struct range range;
	long pid;
	u64 start, pid_namespace;
	u32 token; /* host order */
};

static u32 size_of(u32 bits)
{
	return 1U << (32 - bits);
}

static bool overlap(const struct range *a, const struct range *b)
{
	u32 bits = a->bits < b->bits ? a->bits : b->bits;
	return ((a->first ^ b->first) & ~(size_of(bits) - 1)) == 0;
}

/* "100.64.0.0" and 16, between the two a character of the caller's choice. */
static bool parse_range(const char *text, char between, struct range *out)
{
	char address[INET_ADDRSTRLEN], *rest;
	struct in_addr a;
	const char *mark = strchr(text, between);
	if (!mark || mark - text >= (ptrdiff_t)sizeof address || mark[1] < '0' || mark[1] > '9')
		return false;
	memcpy(address, text, (size_t)(mark - text));
	address[mark - text] = 0;
	unsigned long bits = strtoul(mark + 1, &rest, 10);
	if (*rest || inet_pton(AF_INET, address, &a) != 1 || bits < POOL_BITS || bits > 32)
		return false;
	*out = (struct range){ntohl(a.s_addr), (u32)bits};
	return (out->first & (size_of(POOL_BITS) - 1) & (size_of(out->bits) - 1)) == 0 &&
	       (out->first & ~(size_of(POOL_BITS) - 1)) == POOL_FIRST;
}

/* ---- records ---- */

static void record_name(const struct range *range, char name[64])
{
	struct in_addr a = {htonl(range->first)};
	char address[INET_ADDRSTRLEN] = "";
	inet_ntop(AF_INET, &a, address, sizeof address);
	snprintf(name, 64, "site-%s-%u", address, range->bits);
}

static u64 pid_namespace(void)
{
	struct stat s;
	return stat("/proc/self/ns/pid", &s) ? 0 : s.st_ino;
}

static int read_record(int fd, struct record *out)
{
	char text[RECORD_BYTES], range[32], token[32];
	struct in_addr a;
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	if (n <= 0)
		return -1;
	text[n] = 0;
	if (sscanf(text, "weir-site 1\nrange %31s\npid %ld\nstart %llu\npid-namespace %llu\ntoken %31s",
		   range, &out->pid, &out->start, &out->pid_namespace, token) != 5 ||
	    !parse_range(range, '/', &out->range) || inet_pton(AF_INET, token, &a) != 1)
		return -1;
	out->token = ntohl(a.s_addr);
	/* never the namespaces of everybody */
	return out->token >> 24 == 127 && out->token != INADDR_LOOPBACK ? 0 : -1;
}

static int write_record(int fd, const struct record *r)
{
	char text[RECORD_BYTES], range[INET_ADDRSTRLEN] = "", token[INET_ADDRSTRLEN] = "";
	struct in_addr a = {htonl(r->range.first)}, b = {htonl(r->token)};
	inet_ntop(AF_INET, &a, range, sizeof range);
	inet_ntop(AF_INET, &b, token, sizeof token);
	int n = snprintf(text, sizeof text,
			 "weir-site 1\nrange %s/%u\npid %ld\nstart %llu\npid-namespace %llu\ntoken %s\n",
			 range, r->range.bits, r->pid, r->start, r->pid_namespace, token);
	return pwrite(fd, text, (size_t)n, 0) == n ? 0 : -1;
}

static bool is_live(const struct record *r)
{
	/* in another container's processes nothing can be looked up */
	if (r->pid_namespace != pid_namespace())
		return true;
	u64 start = weir_process_start((pid_t)r->pid);
	return start && start == r->start;
}

/* Reads all records, removes those of dead owners and ends what they left. How many live ones there are. */
static u32 look_through(int folder, struct range taken[SITES_MAX])
{
	u32 n = 0;
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = again < 0 ? NULL : fdopendir(again);
	for (struct dirent *entry; list && n < SITES_MAX && (entry = readdir(list));) {
		struct record r;
		struct range range;
		u32 remain = 0;
		if (strncmp(entry->d_name, "site-", 5) || !parse_range(entry->d_name + 5, '-', &range))
			continue;
		int fd = openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		bool whole = fd >= 0 && !read_record(fd, &r) && r.range.first == range.first &&
			     r.range.bits == range.bits;
		if (fd >= 0)
			close(fd);
		bool live = whole && is_live(&r);
		if (whole && !live)
			weir_orphans_end(r.token, &remain);
		/* half a record is what a writer left that died */
		if (live || remain || unlinkat(folder, entry->d_name, 0))
			taken[n++] = range;
	}
	if (list)
		closedir(list);
	return n;
}

/* ---- ranges ---- */

static bool is_free(const struct range *wanted, const struct range *taken, u32 n, u32 within_bits)
{
	for (u32 i = 0; i < n; i++)
		/* those around us are the ones that we are opened in */
		if (taken[i].bits > within_bits && overlap(wanted, &taken[i]))
			return false;
	return true;
}

static int choose(const struct range *taken, u32 n, struct range *out, char why[WEIR_WHY_BYTES])
{
	const char *text = getenv(WEIR_RANGE_VARIABLE);
	struct range within = {POOL_FIRST, POOL_BITS};
	if (!text || !*text) {
		for (u32 i = 0; i < size_of(POOL_BITS) / size_of(SITE_BITS); i++) {
			*out = (struct range){POOL_FIRST + i * size_of(SITE_BITS), SITE_BITS};
			if (is_free(out, taken, n, within.bits))
				return 0;
		}
		snprintf(why, WEIR_WHY_BYTES,
			 "all ranges of 100.64.0.0/10 are taken: %u emulated networks are running", n);
		return -1;
	}
	if (!parse_range(text, '/', &within)) {
		snprintf(why, WEIR_WHY_BYTES,
			 "the environment says " WEIR_RANGE_VARIABLE
			 "=%.40s, which is no part of 100.64.0.0/10: "
			 "unset it",
			 text);
		return -1;
	}
	for (u32 bits = within.bits + 1; bits <= WEIR_RANGE_BITS_MAX; bits++) {
		*out = (struct range){within.first + size_of(bits), bits};
		if (is_free(out, taken, n, within.bits))
			return 0;
	}
	snprintf(why, WEIR_WHY_BYTES,
		 "no addresses are left in %.40s for one more emulated network inside this one", text);
	return -1;
}

static u32 new_token(void)
{
	u32 random = 0;
	while (getrandom(&random, sizeof random, 0) != sizeof random && errno == EINTR)
		;
	/* 127.1.0.1 to 127.254.255.254: not what others use of 127/8, no broadcast address */
	return 127U << 24 | (1 + (random >> 16) % 254) << 16 | (random & 0xff00) |
	       (1 + (random & 0xff) % 254);
}

/* ---- the calls ---- */

static int create_record(int folder, const struct range *range, char why[WEIR_WHY_BYTES])
{
	struct record r = {*range, getpid(), weir_process_start(getpid()), pid_namespace(), new_token()};
	char name[64];
	record_name(range, name);
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && !write_record(fd, &r))
		return fd;
	int error = errno;
	snprintf(why, WEIR_WHY_BYTES, "cannot write the record %s: %s", name, strerror(error));
	if (fd >= 0) {
		close(fd);
		unlinkat(folder, name, 0);
	}
	errno = error;
	return -1;
}

int weir_lease_open(int *lease, u32 *first, u32 *end, char why[WEIR_WHY_BYTES])
{
	struct range taken[SITES_MAX], range;
	*lease = -1;
	int folder = weir_runtime_lock(why);
	if (folder < 0)
		return -1;
	u32 n = look_through(folder, taken);
	if (!choose(taken, n, &range, why)) {
		*lease = create_record(folder, &range, why);
		*first = range.first;
		*end = range.first + size_of(range.bits);
	}
	close(folder);
	return *lease < 0 ? -1 : 0;
}

static int mark(u32 token, char why[WEIR_WHY_BYTES])
{
	struct weir_netlink n;
	if (weir_netlink_open(&n, why))
		return -1;
	struct weir_netlink_device lo = {if_nametoindex("lo"), "lo"};
	int result = weir_netlink_address4(&n, &lo, token, 32, why);
	weir_netlink_close(&n);
	return result;
}

int weir_lease_add(int lease, const struct weir_netns *ns, char why[WEIR_WHY_BYTES])
{
	struct record r;
	struct weir_netns here;
	if (read_record(lease, &r)) {
		snprintf(why, WEIR_WHY_BYTES, "the record of this emulated network was damaged");
		return -1;
	}
	if (weir_netns_here(&here, why))
		return -1;
	int result = -1;
	if (weir_netns_enter(ns)) {
		snprintf(why, WEIR_WHY_BYTES, "cannot enter a network namespace: %s", strerror(errno));
	} else {
		result = mark(r.token, why);
		if (weir_netns_enter(&here)) {
			snprintf(why, WEIR_WHY_BYTES,
				 "cannot return to the network namespace of this process: %s",
				 strerror(errno));
			result = -1;
		}
	}
	weir_netns_close(&here);
	return result;
}

u32 weir_lease_close(int lease)
{
	struct record r;
	struct stat ours, there;
	char name[64], why[WEIR_WHY_BYTES];
	u32 remain = 0, ended = 0;
	if (lease < 0)
		return 0;
	bool whole = !read_record(lease, &r) && !fstat(lease, &ours);
	if (whole)
		ended = weir_orphans_end(r.token, &remain);
	int folder = whole && !remain ? weir_runtime_lock(why) : -1;
	if (folder >= 0) {
		record_name(&r.range, name);
		if (!fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) && there.st_ino == ours.st_ino &&
		    there.st_dev == ours.st_dev)
			unlinkat(folder, name, 0);
		close(folder);
	}
	close(lease);
	return ended;
}

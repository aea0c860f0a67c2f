/* SPDX-License-Identifier: MIT */
#include "site.h"
#include "lease.h"
#include "netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLOSERS 16
#define MTU_DEFAULT_BYTES 1500
#define MTU_MIN_BYTES 68    /* RFC 791 */
#define MTU_MAX_BYTES 65535 /* the device's own limit */
#define MTU6_MIN_BYTES 1280 /* RFC 8200; below it the kernel has no IPv6 on a device */

/* fd57:4549:5200::/96: a ULA whose 40 bits spell "WEIR". Never seen outside of our namespaces, so that there
 * is nothing that a random one would keep apart. */
static const struct in6_addr prefix6 = {{{0xfd, 0x57, 0x45, 0x49, 0x52, 0x00}}};

struct in6_addr weir_site_address6(const struct weir_site *site, u32 address)
{
	struct in6_addr a = site->prefix6;
	u32 wire = htonl(address);
	memcpy(&a.s6_addr[12], &wire, sizeof wire);
	return a;
}

/* ---- addresses ---- */

static u32 power_of_two_from(u32 n)
{
	u32 p = 1;
	while (p < n)
		p *= 2;
	return p;
}

/* Of [first, end), a power of two: the right hosts have the addresses from the second on. The left hosts
 * share the upper half in equal parts; a left host that is alone has all but the first two, and the sites
 * that are opened in it take the half, a quarter, an eighth ... of the whole. */
static int assign(struct weir_site *site, u32 first, u32 end, char why[WEIR_WHY_BYTES])
{
	u32 left = site->n[WEIR_LEFT], right = site->n[WEIR_RIGHT], size = end - first, half = size / 2;
	u32 part = half / power_of_two_from(left);
	if (left == 1)
		part = size;
	if (size < 4 || part == 0 || right + 1 > (left == 1 ? 2 : half)) {
		snprintf(
		    why, WEIR_WHY_BYTES,
		    "%u hosts a side do not fit into the %u addresses that are left inside of this network",
		    left, size);
		return -1;
	}
	site->first = first;
	site->bits = 32 - (u32)__builtin_ctz(size);
	for (u32 i = 0; i < right; i++) {
		struct weir_site_host *h = &site->host[WEIR_RIGHT][i];
		h->address = first + 1 + i;
		h->range_end = h->address + 1;
		h->range_bits = 32;
	}
	for (u32 i = 0; i < left; i++) {
		struct weir_site_host *h = &site->host[WEIR_LEFT][i];
		h->address = left == 1 ? first + 2 : first + half + i * part;
		h->range_end = left == 1 ? end : h->address + part;
		h->range_bits = 32 - (u32)__builtin_ctz(part);
	}
	return 0;
}

/* ---- one host ---- */

static int set(const char *path, const char *value, char why[WEIR_WHY_BYTES])
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t length = (ssize_t)strlen(value);
	if (fd >= 0 && write(fd, value, (size_t)length) == length) {
		close(fd);
		return 0;
	}
	int error = errno;
	snprintf(why, WEIR_WHY_BYTES, "cannot write \"%s\" to %.80s: %s%s", value, path, strerror(error),
		 error == EROFS ? "; in a container: --security-opt systempaths=unconfined, or --privileged"
				: "");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The middle value, where a socket begins, stays as it is. */
static int set_socket_memory(const char *path, u32 most_bytes, char why[WEIR_WHY_BYTES])
{
	unsigned least = 4096, first = 131072, most;
	char value[64];
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%u %u %u", &least, &first, &most) != 3)
		least = 4096;
	if (f)
		fclose(f);
	snprintf(value, sizeof value, "%u %u %u", least, first, most_bytes);
	return set(path, value, why);
}

/* Of the namespace that the calling thread is in: one of ours. */
static int set_sysctls(bool left, bool ecn, char why[WEIR_WHY_BYTES])
{
	const u32 most_bytes = 64U << 20;
	if (set_socket_memory("/proc/sys/net/ipv4/tcp_rmem", most_bytes, why) ||
	    set_socket_memory("/proc/sys/net/ipv4/tcp_wmem", most_bytes, why) ||
	    /* a connection must not begin with what another one has learnt */
	    set("/proc/sys/net/ipv4/tcp_no_metrics_save", "1", why) ||
	    set("/proc/sys/net/ipv4/tcp_ecn", ecn ? "1" : "2", why) ||
	    set("/proc/sys/net/ipv4/ip_forward", left ? "1" : "0", why))
		return -1;
	/* What a kernel without IPv6 has not. "all" decides whether a host forwards; of a device it only
	 * decides whether it reports to be a router, which would be packets that nobody asked for. And `ping`
	 * without rights, where all groups are known here. */
	char unused[WEIR_WHY_BYTES];
	set("/proc/sys/net/ipv6/conf/all/forwarding", left ? "1" : "0", unused);
	set("/proc/sys/net/ipv6/conf/default/forwarding", "0", unused);
	set("/proc/sys/net/ipv4/ping_group_range", "0 2147483647", unused);
	return 0;
}

struct addressing {
	u32 address, route, route_bits; /* 0 bits: the default route */
	bool ipv6;
};

static int address_device(const struct weir_site *site, const struct weir_tun *tun,
			  const struct addressing *a, char why[WEIR_WHY_BYTES])
{
	struct weir_netlink_device device = {tun->ifindex, tun->name};
	struct in6_addr own = weir_site_address6(site, a->address),
			route = weir_site_address6(site, a->route);
	if (weir_netlink_address4(tun->control, &device, a->address, 32, why) ||
	    weir_netlink_route4(tun->control, &device, a->route, a->route_bits, why))
		return -1;
	if (!a->ipv6)
		return 0;
	if (a->route_bits == 0)
		route = in6addr_any;
	return weir_netlink_address6(tun->control, &device, &own, 128, why) ||
		       weir_netlink_route6(tun->control, &device, &route,
					   a->route_bits ? 96 + a->route_bits : 0, why)
		   ? -1
		   : 0;
}

static int open_device(struct weir_site *site, const struct weir_site_config *c, struct weir_site_host *h,
		       const struct addressing *a, char why[WEIR_WHY_BYTES])
{
	const struct weir_tun_config config = {
	    .name = "weir%d",
	    .mtu_bytes = c->mtu_bytes ? c->mtu_bytes : MTU_DEFAULT_BYTES,
	    .offload = !c->no_offload,
	    .no_gso = c->no_gso,
	    .stamp = !c->no_stamp,
	};
	return weir_tun_open(&h->tun, &config, why) || address_device(site, &h->tun, a, why) ? -1 : 0;
}

/* In a namespace of its own: all that it knows of the world is behind its device. */
static int open_host(struct weir_site *site, const struct weir_site_config *c, u32 side, u32 i,
		     const struct weir_netns *here, char why[WEIR_WHY_BYTES])
{
	struct weir_site_host *h = &site->host[side][i];
	const struct addressing addressing = {.address = h->address, .ipv6 = site->ipv6};
	if (weir_netns_new(&h->ns, why) || weir_lease_add(site->lease, &h->ns, why))
		return -1;
	if (weir_netns_enter(&h->ns)) {
		snprintf(why, WEIR_WHY_BYTES, "cannot enter a network namespace: %s", strerror(errno));
		return -1;
	}
	int result = set_sysctls(side == WEIR_LEFT, c->ecn, why);
	if (!result)
		result = open_device(site, c, h, &addressing, why);
	if (weir_netns_enter(here)) {
		snprintf(why, WEIR_WHY_BYTES, "cannot return to the network namespace of this process: %s",
			 strerror(errno));
		result = -1;
	}
	return result;
}

/* The caller's namespace: only the way into the site's range is added. */
static int open_here(struct weir_site *site, const struct weir_site_config *c, char why[WEIR_WHY_BYTES])
{
	struct weir_site_host *h = &site->host[WEIR_RIGHT][0];
	const struct addressing addressing = {h->address, site->first, site->bits, site->ipv6};
	return weir_netns_here(&h->ns, why) || open_device(site, c, h, &addressing, why) ? -1 : 0;
}

/* ---- the end ---- */

/* The kernel takes some 25 ms to remove a device, in which it waits: many at a time. */
struct closer {
	pthread_t thread;
	struct weir_site *site;
	u32 first;
	bool started;
};

static void *close_some(void *argument)
{
	struct closer *c = argument;
	for (u32 i = c->first; i < WEIR_SITE_HOSTS_MAX; i += CLOSERS)
		for (u32 side = 0; side < WEIR_SIDES; side++)
			weir_tun_close(&c->site->host[side][i].tun);
	return NULL;
}

static void close_devices(struct weir_site *site)
{
	struct closer c[CLOSERS];
	bool many = site->n[WEIR_LEFT] > 1;
	for (u32 i = 0; i < CLOSERS; i++) {
		c[i] = (struct closer){.site = site, .first = i};
		c[i].started = many && !pthread_create(&c[i].thread, NULL, close_some, &c[i]);
	}
	for (u32 i = 0; i < CLOSERS; i++)
		if (c[i].started)
			pthread_join(c[i].thread, NULL);
		else
			close_some(&c[i]);
}

void weir_site_forget(struct weir_site *site)
{
	/* Of a site that was never opened, all zero, there is nothing: its descriptors are not 0. */
	for (u32 side = 0; side < WEIR_SIDES; side++)
		for (u32 i = 0; i < site->n[side]; i++) {
			weir_tun_close(&site->host[side][i].tun);
			weir_netns_close(&site->host[side][i].ns);
		}
	if (site->lease >= 0)
		close(site->lease);
	site->lease = -1;
}

void weir_site_close(struct weir_site *site)
{
	weir_lease_close(site->lease);
	site->lease = -1;
	close_devices(site);
	weir_site_forget(site);
}

/* ---- the beginning ---- */

static void clear(struct weir_site *site, const struct weir_site_config *c)
{
	memset(site, 0, sizeof *site);
	site->lease = -1;
	site->prefix6 = prefix6;
	site->n[WEIR_LEFT] = c->hosts;
	site->n[WEIR_RIGHT] = c->right_is_here ? 1 : c->hosts;
	site->ipv6 =
	    access("/proc/sys/net/ipv6", F_OK) == 0 && (c->mtu_bytes == 0 || c->mtu_bytes >= MTU6_MIN_BYTES);
	for (u32 side = 0; side < WEIR_SIDES; side++)
		for (u32 i = 0; i < WEIR_SITE_HOSTS_MAX; i++) {
			struct weir_site_host *h = &site->host[side][i];
			h->ns.fd = h->tun.fd = h->tun.stamp_fd = -1;
		}
}

static int open_hosts(struct weir_site *site, const struct weir_site_config *c, char why[WEIR_WHY_BYTES])
{
	struct weir_netns here;
	u32 first, end;
	if (weir_lease_open(&site->lease, &first, &end, why) || assign(site, first, end, why) ||
	    weir_netns_here(&here, why))
		return -1;
	int result = 0;
	for (u32 i = 0; !result && i < site->n[WEIR_LEFT]; i++)
		result = open_host(site, c, WEIR_LEFT, i, &here, why);
	if (!result && c->right_is_here)
		result = open_here(site, c, why);
	for (u32 i = 0; !result && !c->right_is_here && i < site->n[WEIR_RIGHT]; i++)
		result = open_host(site, c, WEIR_RIGHT, i, &here, why);
	weir_netns_close(&here);
	return result;
}

int weir_site_open(struct weir_site *site, const struct weir_site_config *c, char why[WEIR_WHY_BYTES])
{
	clear(site, c);
	if (c->hosts < 1 || c->hosts > WEIR_SITE_HOSTS_MAX) {
		snprintf(why, WEIR_WHY_BYTES, "%u hosts a side: 1 to %d can be", c->hosts,
			 WEIR_SITE_HOSTS_MAX);
		return -1;
	}
	if (c->mtu_bytes && (c->mtu_bytes < MTU_MIN_BYTES || c->mtu_bytes > MTU_MAX_BYTES)) {
		snprintf(why, WEIR_WHY_BYTES, "an MTU of %u bytes: %d to %d can be", c->mtu_bytes,
			 MTU_MIN_BYTES, MTU_MAX_BYTES);
		return -1;
	}
	if (open_hosts(site, c, why)) {
		weir_site_close(site);
		return -1;
	}
	site->stamped = true;
	for (u32 side = 0; side < WEIR_SIDES; side++)
		for (u32 i = 0; i < site->n[side]; i++)
			site->stamped = site->stamped && site->host[side][i].tun.stamped;
	return 0;
}

/* ---- for what is started in a host ---- */

int weir_site_export(const struct weir_site *site, u32 left)
{
	const struct weir_site_host *h = &site->host[WEIR_LEFT][left];
	const struct weir_site_host *peer = &site->host[WEIR_RIGHT][left < site->n[WEIR_RIGHT] ? left : 0];
	char text[INET6_ADDRSTRLEN], range[INET6_ADDRSTRLEN + 8];
	struct in_addr address = {htonl(h->range_end - (1U << (32 - h->range_bits)))};
	struct in6_addr address6 = weir_site_address6(site, peer->address);
	inet_ntop(AF_INET, &address, text, sizeof text);
	snprintf(range, sizeof range, "%s/%u", text, h->range_bits);
	int result = setenv(WEIR_RANGE_VARIABLE, range, 1);
	address.s_addr = htonl(peer->address);
	inet_ntop(AF_INET, &address, text, sizeof text);
	result |= setenv("WEIR_PEER", text, 1);
	inet_ntop(AF_INET6, &address6, text, sizeof text);
	result |= site->ipv6 ? setenv("WEIR_PEER6", text, 1) : unsetenv("WEIR_PEER6");
	return result ? -1 : 0;
}

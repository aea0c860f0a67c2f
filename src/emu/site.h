/* SPDX-License-Identifier: MIT */
/* Where the packets come from: hosts (namespaces) on the left and on the right of one emulated network, each
 * with one TUN device to the ferry, with addresses, routes and room in its sockets.
 *
 *	left host 0 --tun--\              /--tun-- right host 0
 *	left host 1 --tun----  the ferry ----tun-- right host 1
 *	...                                        ...
 *
 * Way 0, "up", goes from the left to the right; way 1, "down", back.
 *
 * Addresses: a site owns a range of 100.64.0.0/10 (RFC 6598), and the same range in IPv6 inside a ULA /96,
 * the IPv4 address in its last 32 bits: an address is known by its low 32 bits in both families. Each left
 * host owns a part of the range, of which its own address is the first and the rest is for the sites that
 * are opened inside it (nesting). A site's record (lease.h) keeps two live sites from the same range. */
#ifndef WEIR_EMU_SITE_H
#define WEIR_EMU_SITE_H

#include "tun.h"

#include <netinet/in.h>

#define WEIR_SITE_HOSTS_MAX 80 /* a side */

enum { WEIR_LEFT, WEIR_RIGHT, WEIR_SIDES };

struct weir_site_config {
	u32 hosts; /* a side, 1 to WEIR_SITE_HOSTS_MAX */
	/* The right side is the calling namespace, with one TUN (`hosts` may still be many on the left).
	 * Else each right host is a new namespace. */
	bool right_is_here;
	u32 mtu_bytes;	 /* 0: 1500 */
	bool no_offload; /* TUN without super-packets */
	bool no_stamp;
	bool no_gso; /* also no super-packets above the device: the sender's bursts are single packets */
	bool ecn;    /* hosts ask for ECN on their TCP connections */
};

struct weir_site_host {
	struct weir_netns ns;
	struct weir_tun tun;
	u32 address;	/* host order; also the last 32 bits of the IPv6 one */
	u32 range_end;	/* addresses from `address` up to here, exclusive, are behind this host's TUN */
	u32 range_bits; /* of the prefix that ends there: what sites opened inside this host share */
};

struct weir_site {
	struct weir_site_host host[WEIR_SIDES][WEIR_SITE_HOSTS_MAX];
	u32 n[WEIR_SIDES];
	struct in6_addr prefix6; /* the /96 */
	u32 first, bits;	 /* the range of all of it */
	int lease;		 /* of lease.h */
	bool stamped;		 /* all TUNs are */
	bool ipv6;		 /* false: the kernel has none, or the MTU is under 1280 bytes */
};

/* Makes namespaces, devices, addresses, routes, sysctls: IPv4 and IPv6 forwarding on in the left hosts (for
 * nesting), tcp_rmem and tcp_wmem up to 64 MiB, no IPv6 duplicate address detection, no router solicitations.
 * Opens nothing that outlives the process except the lease's record. 0, or -1 with everything undone. */
int weir_site_open(struct weir_site *site, const struct weir_site_config *c, char why[WEIR_WHY_BYTES]);
/* Ends what still runs in the namespaces we made (see lease.h), and lets go of everything. */
void weir_site_close(struct weir_site *site);
/* Closes the descriptors and nothing else: for a forked child that does not exec. A child that keeps them
 * keeps devices and namespaces alive beyond the death of its parent. */
void weir_site_forget(struct weir_site *site);

/* Puts into the environment of the calling process what a command in a left host should know: WEIR_PEER and
 * WEIR_PEER6 (its peer's addresses; the right host of the same number, or the only one) and WEIR_RANGE (for
 * sites opened inside). 0, or -1 when out of memory. */
int weir_site_export(const struct weir_site *site, u32 left);

struct in6_addr weir_site_address6(const struct weir_site *site, u32 address);

#endif

/* SPDX-License-Identifier: MIT */
/* What site and tun ask of the kernel about devices, addresses and routes, by rtnetlink (man 7 rtnetlink).
 * A socket belongs to the network namespace in which it was opened, wherever its thread goes later. Every
 * request waits for its acknowledgement, at most two seconds. Addresses are in host order. */
#ifndef WEIR_EMU_NETLINK_H
#define WEIR_EMU_NETLINK_H

#include "netns.h"

#include <netinet/in.h>

struct mnl_socket;
struct weir_netlink {
	struct mnl_socket *socket;
	u32 sequence;
};

/* All return 0, or -1 with a sentence in why and errno set. */
int weir_netlink_open(struct weir_netlink *n, char why[WEIR_WHY_BYTES]);
void weir_netlink_close(struct weir_netlink *n);

struct weir_netlink_device {
	u32 ifindex;
	const char *name; /* for messages only */
};
int weir_netlink_up(struct weir_netlink *n, const struct weir_netlink_device *device,
		    char why[WEIR_WHY_BYTES]);
/* 0: left as it is. */
int weir_netlink_sizes(struct weir_netlink *n, const struct weir_netlink_device *device, u32 mtu_bytes,
		       u32 queue_packets, char why[WEIR_WHY_BYTES]);
/* TCP then hands over single packets, and what is a super-packet all the same is cut before the device.
 * (ethtool's switch of this name no longer holds for TCP.) */
int weir_netlink_no_gso(struct weir_netlink *n, const struct weir_netlink_device *device,
			char why[WEIR_WHY_BYTES]);
/* IPv6 addresses without duplicate address detection: they work at once. */
int weir_netlink_address4(struct weir_netlink *n, const struct weir_netlink_device *device, u32 address,
			  u32 bits, char why[WEIR_WHY_BYTES]);
int weir_netlink_address6(struct weir_netlink *n, const struct weir_netlink_device *device,
			  const struct in6_addr *address, u32 bits, char why[WEIR_WHY_BYTES]);
/* A route by the device, without a gateway; 0 bits: the default route. */
int weir_netlink_route4(struct weir_netlink *n, const struct weir_netlink_device *device, u32 destination,
			u32 bits, char why[WEIR_WHY_BYTES]);
int weir_netlink_route6(struct weir_netlink *n, const struct weir_netlink_device *device,
			const struct in6_addr *destination, u32 bits, char why[WEIR_WHY_BYTES]);
/* Packets that the device itself dropped on their way out. */
int weir_netlink_tx_dropped(struct weir_netlink *n, const struct weir_netlink_device *device, u64 *packets,
			    char why[WEIR_WHY_BYTES]);

#endif

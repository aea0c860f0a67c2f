/* SPDX-License-Identifier: MIT */
#include "netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define ANSWER_BYTES 32768 /* as the kernel's own: one message of it at least */
#define ANSWERS_MAX 64	   /* of one request, ours has one */

int weir_netlink_open(struct weir_netlink *n, char why[WEIR_WHY_BYTES])
{
	struct timeval patience = {.tv_sec = 2};
	n->sequence = 0;
	n->socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (n->socket && !mnl_socket_bind(n->socket, 0, MNL_SOCKET_AUTOPID) &&
	    !setsockopt(mnl_socket_get_fd(n->socket), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience))
		return 0;
	int error = errno;
	snprintf(why, WEIR_WHY_BYTES, "cannot open a route socket: %s", strerror(error));
	weir_netlink_close(n);
	errno = error;
	return -1;
}

void weir_netlink_close(struct weir_netlink *n)
{
	if (n->socket)
		mnl_socket_close(n->socket);
	n->socket = NULL;
}

/* ---- one request, one answer ---- */

struct request {
	struct nlmsghdr *header;
	_Alignas(struct nlmsghdr) char bytes[512];
};

static void begin(struct request *r, struct weir_netlink *n, u16 type, u16 flags)
{
	r->header = mnl_nlmsg_put_header(r->bytes);
	r->header->nlmsg_type = type;
	r->header->nlmsg_flags = (u16)(NLM_F_REQUEST | flags);
	r->header->nlmsg_seq = ++n->sequence;
}

/* Sends, and gives what comes back to `take` (NULL: nothing but the acknowledgement). 0, or -1 with errno. */
static int exchange(struct weir_netlink *n, const struct request *r, mnl_cb_t take, void *data)
{
	_Alignas(struct nlmsghdr) char answer[ANSWER_BYTES];
	u32 port = mnl_socket_get_portid(n->socket);
	if (mnl_socket_sendto(n->socket, r->header, r->header->nlmsg_len) < 0)
		return -1;
	for (u32 i = 0; i < ANSWERS_MAX; i++) {
		ssize_t bytes = mnl_socket_recvfrom(n->socket, answer, sizeof answer);
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0) {
			if (errno == EAGAIN)
				errno = ETIMEDOUT;
			return -1;
		}
		int more = mnl_cb_run(answer, (size_t)bytes, n->sequence, port, take, data);
		/* the answer to a request that timed out earlier */
		if (more < 0 && errno == EPROTO)
			continue;
		if (more <= 0)
			return more;
	}
	errno = EOVERFLOW;
	return -1;
}

static int perform(struct weir_netlink *n, const struct request *r, const char *what, const char *device,
		   char why[WEIR_WHY_BYTES])
{
	if (!exchange(n, r, NULL, NULL))
		return 0;
	int error = errno;
	snprintf(why, WEIR_WHY_BYTES, "cannot %s %.16s: %s", what, device, strerror(error));
	errno = error;
	return -1;
}

/* ---- devices ---- */

static struct ifinfomsg *begin_device(struct request *r, struct weir_netlink *n, u16 type, u16 flags,
				      u32 ifindex)
{
	begin(r, n, type, flags);
	struct ifinfomsg *link = mnl_nlmsg_put_extra_header(r->header, sizeof *link);
	link->ifi_family = AF_UNSPEC;
	link->ifi_index = (int)ifindex;
	return link;
}

int weir_netlink_up(struct weir_netlink *n, const struct weir_netlink_device *device,
		    char why[WEIR_WHY_BYTES])
{
	struct request r;
	struct ifinfomsg *link = begin_device(&r, n, RTM_NEWLINK, NLM_F_ACK, device->ifindex);
	link->ifi_flags = link->ifi_change = IFF_UP;
	return perform(n, &r, "bring up", device->name, why);
}

int weir_netlink_sizes(struct weir_netlink *n, const struct weir_netlink_device *device, u32 mtu_bytes,
		       u32 queue_packets, char why[WEIR_WHY_BYTES])
{
	struct request r;
	char what[64];
	begin_device(&r, n, RTM_NEWLINK, NLM_F_ACK, device->ifindex);
	if (mtu_bytes)
		mnl_attr_put_u32(r.header, IFLA_MTU, mtu_bytes);
	if (queue_packets)
		mnl_attr_put_u32(r.header, IFLA_TXQLEN, queue_packets);
	snprintf(what, sizeof what, "set an MTU of %u bytes and a queue of %u packets on", mtu_bytes,
		 queue_packets);
	return perform(n, &r, what, device->name, why);
}

int weir_netlink_no_gso(struct weir_netlink *n, const struct weir_netlink_device *device,
			char why[WEIR_WHY_BYTES])
{
	struct request r;
	begin_device(&r, n, RTM_NEWLINK, NLM_F_ACK, device->ifindex);
	mnl_attr_put_u32(r.header, IFLA_GSO_MAX_SEGS, 1);
	return perform(n, &r, "turn off super-packets on", device->name, why);
}

static int take_counter(const struct nlattr *attr, void *data)
{
	struct rtnl_link_stats64 stats = {0};
	if (mnl_attr_get_type(attr) == IFLA_STATS64) {
		size_t bytes = mnl_attr_get_payload_len(attr);
		memcpy(&stats, mnl_attr_get_payload(attr), bytes < sizeof stats ? bytes : sizeof stats);
		*(u64 *)data = stats.tx_dropped;
	}
	return MNL_CB_OK;
}

static int take_stats(const struct nlmsghdr *header, void *data)
{
	return mnl_attr_parse(header, sizeof(struct ifinfomsg), take_counter, data) < 0 ? MNL_CB_ERROR
											: MNL_CB_STOP;
}

int weir_netlink_tx_dropped(struct weir_netlink *n, const struct weir_netlink_device *device, u64 *packets,
			    char why[WEIR_WHY_BYTES])
{
	struct request r;
	begin_device(&r, n, RTM_GETLINK, 0, device->ifindex);
	*packets = 0;
	if (!exchange(n, &r, take_stats, packets))
		return 0;
	int error = errno;
	snprintf(why, WEIR_WHY_BYTES, "cannot read the counters of %.16s: %s", device->name, strerror(error));
	errno = error;
	return -1;
}

/* ---- addresses ---- */

/* `address` in network order. */
static int add_address(struct weir_netlink *n, const struct weir_netlink_device *device, int family,
		       const void *address, u32 bits, char why[WEIR_WHY_BYTES])
{
	struct request r;
	char text[INET6_ADDRSTRLEN] = "", what[80];
	size_t bytes = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
	begin(&r, n, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK);
	struct ifaddrmsg *a = mnl_nlmsg_put_extra_header(r.header, sizeof *a);
	a->ifa_family = (u8)family;
	a->ifa_prefixlen = (u8)bits;
	a->ifa_flags = family == AF_INET6 ? IFA_F_NODAD : 0;
	bool loopback = family == AF_INET && *(const u8 *)address == 127;
	a->ifa_scope = loopback ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE;
	a->ifa_index = device->ifindex;
	mnl_attr_put(r.header, IFA_LOCAL, bytes, address);
	mnl_attr_put(r.header, IFA_ADDRESS, bytes, address);
	inet_ntop(family, address, text, sizeof text);
	snprintf(what, sizeof what, "add %s/%u to", text, bits);
	return perform(n, &r, what, device->name, why);
}

int weir_netlink_address4(struct weir_netlink *n, const struct weir_netlink_device *device, u32 address,
			  u32 bits, char why[WEIR_WHY_BYTES])
{
	u32 wire = htonl(address);
	return add_address(n, device, AF_INET, &wire, bits, why);
}

int weir_netlink_address6(struct weir_netlink *n, const struct weir_netlink_device *device,
			  const struct in6_addr *address, u32 bits, char why[WEIR_WHY_BYTES])
{
	return add_address(n, device, AF_INET6, address, bits, why);
}

/* ---- routes ---- */

static int add_route(struct weir_netlink *n, const struct weir_netlink_device *device, int family,
		     const void *destination, u32 bits, char why[WEIR_WHY_BYTES])
{
	struct request r;
	char text[INET6_ADDRSTRLEN] = "", what[80];
	size_t bytes = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
	begin(&r, n, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK);
	struct rtmsg *route = mnl_nlmsg_put_extra_header(r.header, sizeof *route);
	route->rtm_family = (u8)family;
	route->rtm_dst_len = (u8)bits;
	route->rtm_table = RT_TABLE_MAIN;
	route->rtm_protocol = RTPROT_STATIC;
	route->rtm_scope = family == AF_INET ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
	route->rtm_type = RTN_UNICAST;
	if (bits)
		mnl_attr_put(r.header, RTA_DST, bytes, destination);
	mnl_attr_put_u32(r.header, RTA_OIF, device->ifindex);
	inet_ntop(family, destination, text, sizeof text);
	snprintf(what, sizeof what, "add the route to %s/%u by", text, bits);
	return perform(n, &r, what, device->name, why);
}

int weir_netlink_route4(struct weir_netlink *n, const struct weir_netlink_device *device, u32 destination,
			u32 bits, char why[WEIR_WHY_BYTES])
{
	u32 wire = htonl(destination);
	return add_route(n, device, AF_INET, &wire, bits, why);
}

int weir_netlink_route6(struct weir_netlink *n, const struct weir_netlink_device *device,
			const struct in6_addr *destination, u32 bits, char why[WEIR_WHY_BYTES])
{
	return add_route(n, device, AF_INET6, destination, bits, why);
}

/* SPDX-License-Identifier: MIT */
#include "tun.h"
#include "netlink.h"
#include "stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define QUEUE_PACKETS_DEFAULT 10000

/* Linux 6.2; newer than the headers of Debian 12. */
#define OFFLOAD_USO4 0x20U
#define OFFLOAD_USO6 0x40U

static int fail(char why[WEIR_WHY_BYTES], const char *what, const char *device, int error)
{
	snprintf(why, WEIR_WHY_BYTES, "cannot %s %.16s: %s", what, device, strerror(error));
	errno = error;
	return -1;
}

static int make_device(struct weir_tun *tun, const char *name, char why[WEIR_WHY_BYTES])
{
	struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR};
	tun->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tun->fd < 0)
		return fail(why, "open", "/dev/net/tun", errno);
	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	if (ioctl(tun->fd, TUNSETIFF, &request)) {
		int error = errno;
		fail(why, "make the TUN device", name, error);
		if (error == EPERM)
			snprintf(
			    why, WEIR_WHY_BYTES,
			    "cannot make the TUN device %.16s: needs CAP_NET_ADMIN in this network namespace",
			    name);
		errno = error;
		return -1;
	}
	int header_bytes = sizeof(struct virtio_net_hdr);
	if (ioctl(tun->fd, TUNSETVNETHDRSZ, &header_bytes))
		return fail(why, "set the header size of", name, errno);
	snprintf(tun->name, sizeof tun->name, "%s", request.ifr_name);
	tun->ifindex = if_nametoindex(tun->name);
	return tun->ifindex ? 0 : fail(why, "find", tun->name, errno);
}

/* Super-packets of the kinds that this kernel knows. */
static void set_offload(struct weir_tun *tun)
{
	const unsigned tcp = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6;
	tun->uso = !ioctl(tun->fd, TUNSETOFFLOAD, tcp | OFFLOAD_USO4 | OFFLOAD_USO6);
	tun->offload = tun->uso || !ioctl(tun->fd, TUNSETOFFLOAD, tcp);
}

/* A quiet device: nothing of its own leaves by it. A kernel without IPv6 has no such files. */
static void quiet(const struct weir_tun *tun)
{
	static const char *const settings[][2] = {
	    {"disable_ipv6", "0"}, {"addr_gen_mode", "1"}, {"router_solicitations", "0"},
	    {"accept_ra", "0"},	   {"accept_dad", "0"},	   {"autoconf", "0"},
	};
	char path[96];
	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
		snprintf(path, sizeof path, "/proc/sys/net/ipv6/conf/%s/%s", tun->name, settings[i][0]);
		int fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (write(fd, settings[i][1], strlen(settings[i][1])) < 0)
			errno = 0; /* the device only says a little more then */
		close(fd);
	}
}

static int bring_up(struct weir_tun *tun, const struct weir_tun_config *c, char why[WEIR_WHY_BYTES])
{
	struct weir_netlink_device device = {tun->ifindex, tun->name};
	u32 queue_packets = c->queue_packets ? c->queue_packets : QUEUE_PACKETS_DEFAULT;
	tun->control = calloc(1, sizeof *tun->control);
	if (!tun->control)
		return fail(why, "open", tun->name, ENOMEM);
	if (weir_netlink_open(tun->control, why) ||
	    weir_netlink_sizes(tun->control, &device, c->mtu_bytes, queue_packets, why) ||
	    (c->no_gso && weir_netlink_no_gso(tun->control, &device, why)))
		return -1;
	return weir_netlink_up(tun->control, &device, why);
}

int weir_tun_open(struct weir_tun *tun, const struct weir_tun_config *c, char why[WEIR_WHY_BYTES])
{
	*tun = (struct weir_tun){.fd = -1, .stamp_fd = -1, .mtu_bytes = c->mtu_bytes};
	int result = make_device(tun, c->name, why);
	if (!result && c->offload)
		set_offload(tun);
	if (!result && c->stamp) {
		tun->stamp_fd = weir_stamp_attach(tun->ifindex);
		tun->stamped = tun->stamp_fd >= 0;
	}
	if (!result) {
		quiet(tun);
		result = bring_up(tun, c, why);
	}
	if (result) {
		int error = errno;
		weir_tun_close(tun);
		errno = error;
	}
	return result;
}

void weir_tun_close(struct weir_tun *tun)
{
	if (tun->stamp_fd >= 0)
		close(tun->stamp_fd);
	if (tun->fd >= 0)
		close(tun->fd);
	if (tun->control)
		weir_netlink_close(tun->control);
	free(tun->control);
	tun->control = NULL;
	tun->fd = tun->stamp_fd = -1;
}

int weir_tun_overruns(const struct weir_tun *tun, u64 *packets)
{
	char why[WEIR_WHY_BYTES];
	struct weir_netlink_device device = {tun->ifindex, tun->name};
	return weir_netlink_tx_dropped(tun->control, &device, packets, why);
}

/* SPDX-License-Identifier: MIT */
/* A TUN device: where packets leave a namespace for the ferry and come back from it. Not persistent: it goes
 * with its descriptor.
 *
 * A read gives [struct virtio_net_hdr][struct weir_stamp, where stamped][IP packet]. With `offload` the IP
 * packet may be a super-packet of up to 64 KiB (TCP, and UDP where the kernel can) that the ferry cuts, and
 * its checksum may be left to be filled in, as the virtio header says. What the header says counts from the
 * front of what follows it, the stamp included: csum_start is 16 more than from the IP header, and so is
 * hdr_len, which moreover is but a hint (the linear part of the kernel's buffer; virtio 1.2, 5.1.6.2). Who
 * writes a packet on takes the 16 off again. A write has no stamp.
 *
 * The stamp is written in front of the packet by a BPF program at the device's egress (TCX, Linux 6.6), at
 * the moment the sender hands the packet over: the true arrival, however late the ferry reads. A tcpdump on
 * the device inside the namespace sees it too, as 16 bytes of rubbish before outgoing packets; who needs that
 * turns stamps off or uses --pcap. */
#ifndef WEIR_EMU_TUN_H
#define WEIR_EMU_TUN_H

#include "netns.h"
#include "stamp_format.h"

struct weir_tun_config {
	const char *name;  /* at most 15 characters; "%d" in it is replaced by a free number */
	u32 mtu_bytes;	   /* of IP packets that are not super-packets */
	u32 queue_packets; /* of the device's ring between sender and ferry; 0: 10000. An overrun there is
			      outside the model and ends in the verdict */
	bool offload;	   /* super-packets and unfinished checksums */
	bool no_gso;	   /* no super-packets above the device either */
	bool stamp;	   /* wanted: where the kernel or a missing right refuses, stamped is false */
};

struct weir_tun {
	int fd;			      /* non-blocking; -1: none */
	int stamp_fd;		      /* the BPF link; -1: none */
	struct weir_netlink *control; /* a socket of the device's namespace, wherever the caller is */
	u32 ifindex;
	char name[16];
	u32 mtu_bytes;
	bool offload, stamped, uso; /* what was got */
};

/* In the calling thread's namespace; up only after the stamp is attached. 0, or -1. */
int weir_tun_open(struct weir_tun *tun, const struct weir_tun_config *c, char why[WEIR_WHY_BYTES]);
void weir_tun_close(struct weir_tun *tun);

/* Packets the kernel dropped because the ring was full, so far: the device's tx_dropped. From any namespace,
 * but one thread at a time. A system call or two. 0, or -1. */
int weir_tun_overruns(const struct weir_tun *tun, u64 *packets);

#endif

/* SPDX-License-Identifier: MIT */
/* A UDP socket that takes and gives batches (recvmmsg, sendmmsg), with the kernel's time of arrival.
 *
 * What cannot be sent at once is dropped and counted: these are acknowledgements and newest values, and a
 * queue of them would only make them old. GSO and GRO are not used: a batch goes to as many addresses as it
 * has datagrams, or is one datagram. Nothing is fragmented: DF is set, and a datagram too large for the path
 * is an error that is counted. */
#ifndef WEIR_NET_UDP_H
#define WEIR_NET_UDP_H

#include "net/address.h"

#define WEIR_UDP_BATCH 64 /* of one who listens */
/* The largest payload sent: an MTU of 1500 without the headers of IPv6 and UDP. */
#define WEIR_UDP_BYTES 1452
#define WEIR_UDP_ROOM 2048 /* of a datagram that comes in; a larger one is dropped as truncated */

struct weir_udp_stats {
	u64 received, received_bytes, sent, sent_bytes;
	u64 truncated;	/* larger than any that is ours */
	u64 unsent;	/* no room in the kernel's buffer */
	u64 refused;	/* an ICMP error came back: nobody listens, no way */
	u64 overflowed; /* lost in this socket's own buffer, by the kernel's count */
};

struct weir_udp_batch; /* buffers of one batch in and one out */

struct weir_udp {
	int fd;
	struct weir_address local;
	struct weir_udp_batch *batch;
	void *memory; /* in which the batch stands */
	u32 batch_in; /* datagrams that one receive takes at most */
	struct weir_udp_stats stats;
	int last_error; /* errno of the newest failure to send or ICMP error; 0: none since it was cleared */
	bool marked;	/* CE, of the datagram for which take is called (RFC 3168) */
	i64 clock_gap_ns; /* CLOCK_REALTIME less our clock at the last batch: a step of it voids time stamps
			   */
	bool has_clock_gap;
	u32 dropped_before; /* the kernel's counter of overflows, as last seen */
};

/* Listens at `local`; where its port is 0 the kernel chooses one, and u->local tells it. An IPv6 "any"
 * address takes both families. 0, or -1 and why. */
int weir_udp_listen(struct weir_udp *u, const struct weir_address *local, char why[WEIR_NET_WHY_BYTES]);
/* Speaks to `peer` alone: the kernel drops what comes from elsewhere. `from_port` 0: any. */
int weir_udp_connect(struct weir_udp *u, const struct weir_address *peer, u16 from_port,
		     char why[WEIR_NET_WHY_BYTES]);
/* From now on datagrams say ECT(0): for one who slows down when they come marked. */
void weir_udp_ask_marks(struct weir_udp *u);
void weir_udp_close(struct weir_udp *u);

/* Takes what has come, at most one batch. `arrived_ns` is within the last second, the kernel's time stamp
 * where it can be trusted. Returns how many datagrams there were: u->batch_in means maybe more. */
typedef void weir_udp_take(void *owner, const struct weir_address *from, const u8 *data, size_t bytes,
			   u64 arrived_ns);
u32 weir_udp_receive(struct weir_udp *u, weir_udp_take *take, void *owner);

/* Into the batch, which is sent when it is full or flushed. `to` is not used where connected. */
void weir_udp_send(struct weir_udp *u, const struct weir_address *to, const u8 *data, size_t bytes);
void weir_udp_flush(struct weir_udp *u);

/* The address from which this machine would speak to `peer` now, without a packet; false: there is no way. */
bool weir_udp_source_address(const struct weir_address *peer, struct weir_address *local);

#endif

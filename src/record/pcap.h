/* SPDX-License-Identifier: MIT */
/* packets.pcap: nanosecond time stamps, DLT_RAW, headers only (the snap length cuts the payload, which
 * never existed). The simulator has no headers, so they are made up: IPv4 and TCP (UDP for datagrams) with
 * the flow's number in addresses and ports, NOP options up to the header size of the endpoint, sequence
 * and acknowledgement numbers as the low 32 bits of the stream's. */
#ifndef WEIR_RECORD_PCAP_H
#define WEIR_RECORD_PCAP_H

#include "weir/types.h"

struct weir_pcap;

struct weir_pcap_packet {
	u64 time_ns;
	u32 flow;
	bool datagram;
	bool backward; /* from the receiver to the sender: an ACK or a request */
	u64 seq, ack;
	u32 wire_bytes, header_bytes;
};

/* NULL with errno set. */
struct weir_pcap *weir_pcap_open(const char *path);
void weir_pcap_write(struct weir_pcap *p, const struct weir_pcap_packet *packet);

/* The same for real packets, as much of each as `snap_bytes`. Times are the caller's; write with
 * weir_pcap_write_real only. */
struct weir_pcap *weir_pcap_open_real(const char *path, u32 snap_bytes);
void weir_pcap_write_real(struct weir_pcap *p, u64 time_ns, const u8 *ip, u32 captured_bytes, u32 wire_bytes);

/* 0, or -1 with errno set when anything could not be written. */
int weir_pcap_close(struct weir_pcap *p);

#endif

/* SPDX-License-Identifier: MIT */
#include "pcap.h"

#include "weir/num.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IP_BYTES 20
#define TCP_BYTES 20
#define UDP_BYTES 8
#define HEADERS_MAX (IP_BYTES + 60)
#define SNAP_BYTES 128
#define SENDER_PORT 5001
#define TCP_FLAG_ACK 0x10
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
#define OPTION_NOP 1

struct weir_pcap {
	pcap_t *shape;
	pcap_dumper_t *out;
};

struct weir_pcap *weir_pcap_open(const char *path)
{
	return weir_pcap_open_real(path, SNAP_BYTES);
}

struct weir_pcap *weir_pcap_open_real(const char *path, u32 snap_bytes)
{
	struct weir_pcap *p = calloc(1, sizeof *p);
	FILE *file = p ? fopen(path, "wbe") : NULL;
	if (!file) {
		free(p);
		return NULL;
	}
	p->shape = pcap_open_dead_with_tstamp_precision(DLT_RAW, (int)snap_bytes, PCAP_TSTAMP_PRECISION_NANO);
	errno = ENOSPC; /* libpcap does not say why the file's header could not be written */
	p->out = p->shape ? pcap_dump_fopen(p->shape, file) : NULL;
	if (p->out)
		return p;
	int error = errno;
	fclose(file);
	if (p->shape)
		pcap_close(p->shape);
	free(p);
	errno = error;
	return NULL;
}

static void put16(u8 *p, u32 x)
{
	p[0] = (u8)(x >> 8);
	p[1] = (u8)x;
}

static void put32(u8 *p, u32 x)
{
	put16(p, x >> 16);
	put16(p + 2, x);
}

/* RFC 1071 */
static u32 checksum(const u8 *p, u32 bytes)
{
	u32 sum = 0;
	for (u32 i = 0; i < bytes; i += 2)
		sum += (u32)(p[i] << 8) | p[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

/* Senders are 10.x, receivers 11.x, the rest of the address is the flow's number. */
static void put_ip(u8 *p, const struct weir_pcap_packet *k)
{
	u32 sender = 10U << 24 | (k->flow & 0xffffff), receiver = 11U << 24 | (k->flow & 0xffffff);
	p[0] = 0x45;
	put16(p + 2, k->wire_bytes);
	put16(p + 6, 0x4000); /* don't fragment */
	p[8] = 64;
	p[9] = k->datagram ? PROTOCOL_UDP : PROTOCOL_TCP;
	put32(p + 12, k->backward ? receiver : sender);
	put32(p + 16, k->backward ? sender : receiver);
	put16(p + 10, checksum(p, IP_BYTES));
}

static u32 put_headers(u8 *p, const struct weir_pcap_packet *k)
{
	u32 port = 10000 + k->flow % 50000;
	put_ip(p, k);
	u8 *t = p + IP_BYTES;
	put16(t, k->backward ? port : SENDER_PORT);
	put16(t + 2, k->backward ? SENDER_PORT : port);
	if (k->datagram) {
		put16(t + 4, (u32)weir_sub(k->wire_bytes, IP_BYTES));
		return IP_BYTES + UDP_BYTES;
	}
	u32 tcp = (u32)weir_clamp(weir_sub(k->header_bytes, IP_BYTES) & ~3ULL, TCP_BYTES, 60);
	put32(t + 4, (u32)k->seq);
	put32(t + 8, (u32)k->ack);
	t[12] = (u8)(tcp / 4 << 4);
	t[13] = TCP_FLAG_ACK;
	put16(t + 14, 0xffff);
	memset(t + TCP_BYTES, OPTION_NOP, tcp - TCP_BYTES);
	return IP_BYTES + tcp;
}

void weir_pcap_write_real(struct weir_pcap *p, u64 time_ns, const u8 *ip, u32 captured_bytes, u32 wire_bytes)
{
	/* With nanosecond precision libpcap keeps them in the field that is called tv_usec. */
	struct pcap_pkthdr h = {
	    .ts = {.tv_sec = (time_t)(time_ns / WEIR_NS_PER_S),
		   .tv_usec = (suseconds_t)(time_ns % WEIR_NS_PER_S)},
	    .caplen = (u32)weir_min(weir_min(captured_bytes, wire_bytes), (u32)pcap_snapshot(p->shape)),
	    .len = wire_bytes,
	};
	pcap_dump((u_char *)p->out, &h, ip);
}

void weir_pcap_write(struct weir_pcap *p, const struct weir_pcap_packet *k)
{
	u8 headers[HEADERS_MAX] = {0};
	u32 bytes = put_headers(headers, k);
	weir_pcap_write_real(p, k->time_ns, headers, bytes, k->wire_bytes);
}

int weir_pcap_close(struct weir_pcap *p)
{
	errno = 0;
	bool failed = pcap_dump_flush(p->out) != 0 || ferror(pcap_dump_file(p->out)) != 0;
	int error = errno ? errno : EIO;
	pcap_dump_close(p->out);
	pcap_close(p->shape);
	free(p);
	errno = error;
	return failed ? -1 : 0;
}

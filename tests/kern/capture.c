/* SPDX-License-Identifier: MIT */
#include "capture.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TCP 6
#define FIN 1
#define SYN 2
#define ACK 16
#define OPTION_END 0
#define OPTION_NOP 1
#define OPTION_SACK 5

struct parsed {
	u16 from, to;
	u32 seq, ack, bytes, options_bytes;
	u8 flags;
	const u8 *options;
};

static u32 get16(const u8 *p)
{
	return (u32)p[0] << 8 | p[1];
}

static u32 get32(const u8 *p)
{
	return get16(p) << 16 | get16(p + 2);
}

/* IPv4 and TCP; false for anything else. */
static bool parse(const u8 *ip, u32 captured_bytes, u32 wire_bytes, struct parsed *p)
{
	u32 ip_bytes = captured_bytes ? (ip[0] & 15U) * 4 : 0;
	if (captured_bytes < ip_bytes + 20 || ip[0] >> 4 != 4 || ip[9] != TCP)
		return false;
	const u8 *tcp = ip + ip_bytes;
	u32 tcp_bytes = (tcp[12] >> 4) * 4U;
	if (tcp_bytes < 20 || captured_bytes < ip_bytes + tcp_bytes || wire_bytes < ip_bytes + tcp_bytes)
		return false;
	*p = (struct parsed){.from = (u16)get16(tcp),
			     .to = (u16)get16(tcp + 2),
			     .seq = get32(tcp + 4),
			     .ack = get32(tcp + 8),
			     .flags = tcp[13],
			     .bytes = wire_bytes - ip_bytes - tcp_bytes,
			     .options = tcp + 20,
			     .options_bytes = tcp_bytes - 20};
	return true;
}

static void take_sack(struct captured *c, const struct parsed *p, u32 base)
{
	for (u32 i = 0; i < p->options_bytes && p->options[i] != OPTION_END;) {
		if (p->options[i] == OPTION_NOP) {
			i++;
			continue;
		}
		u32 bytes = i + 1 < p->options_bytes ? p->options[i + 1] : 0;
		if (bytes < 2 || i + bytes > p->options_bytes)
			return;
		for (u32 at = 2;
		     p->options[i] == OPTION_SACK && at + 8 <= bytes && c->n_sack < WEIR_SACK_BLOCKS; at += 8)
			c->sack[c->n_sack++] = (struct weir_sack_block){
			    get32(p->options + i + at) - base, get32(p->options + i + at + 4) - base};
		i += bytes;
	}
}

static bool add(struct capture *c, const struct captured *one)
{
	if (c->n == c->room) {
		u32 room = c->room ? 2 * c->room : 1024;
		struct captured *at = realloc(c->at, room * sizeof *at);
		if (!at)
			return false;
		c->at = at;
		c->room = room;
	}
	c->at[c->n++] = *one;
	return true;
}

/* Packets are written when they pass, with the times at which they did or should have. */
static void sort(struct capture *c)
{
	for (u32 i = 1; i < c->n; i++) {
		struct captured one = c->at[i];
		u32 to = i;
		for (; to > 0 && c->at[to - 1].time_ns > one.time_ns; to--)
			c->at[to] = c->at[to - 1];
		c->at[to] = one;
	}
}

static bool take(struct capture *c, u64 time_ns, const struct parsed *p, u32 *base)
{
	bool forth = p->from == c->local_port && p->to == c->remote_port,
	     back = p->to == c->local_port && p->from == c->remote_port;
	if (p->flags & SYN && !(p->flags & ACK) && !c->local_port) {
		c->local_port = p->from;
		c->remote_port = p->to;
		c->syn_ns = time_ns;
		*base = p->seq + 1;
	}
	if (p->flags & SYN && back)
		c->syn_ack_ns = time_ns;
	if (p->flags & SYN)
		return true;
	struct captured one = {.time_ns = time_ns, .ack = back};
	one.low = (back ? p->ack : p->seq) - *base;
	one.bytes = back ? 0 : p->bytes;
	if (back)
		take_sack(&one, p, *base);
	return !(back || (forth && p->bytes)) || add(c, &one);
}

int capture_read(struct capture *c, const char *path, char why[200])
{
	char error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *head;
	const u_char *data;
	u32 base = 0;
	bool fits = true;
	memset(c, 0, sizeof *c);
	pcap_t *in = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
	if (!in) {
		snprintf(why, 200, "%.190s", error);
		return -1;
	}
	while (fits && pcap_next_ex(in, &head, &data) == 1) {
		struct parsed p;
		u64 time_ns = (u64)head->ts.tv_sec * WEIR_NS_PER_S + (u64)head->ts.tv_usec;
		if (parse(data, head->caplen, head->len, &p))
			fits = take(c, time_ns, &p, &base);
	}
	pcap_close(in);
	sort(c);
	if (fits && c->n && c->syn_ack_ns)
		return 0;
	snprintf(why, 200, "%s", fits ? "no connection with data in it" : "out of memory");
	capture_free(c);
	return -1;
}

void capture_free(struct capture *c)
{
	free(c->at);
	c->at = NULL;
	c->n = c->room = 0;
}

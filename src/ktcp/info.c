/* SPDX-License-Identifier: MIT */
#include "info.h"

#include "weir/num.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* include/uapi/linux/tcp.h only ever grows at its end. What the headers of Debian 12 (Linux 6.1) lack is
 * read by its place, counted from their last field: u32 rcv_wnd, u32 rehash (both 6.2), u16 total_rto (6.7).
 */
#define AT_RCV_WND (offsetof(struct tcp_info, tcpi_snd_wnd) + 4)
#define AT_TOTAL_RTO (AT_RCV_WND + 8)
_Static_assert(AT_RCV_WND == 232, "the public layout of struct tcp_info");

/* The one-byte fields in front: the options stand before two bytes of bit fields, which have no address. */
#define AT_BITS (offsetof(struct tcp_info, tcpi_options) + 2)
#define BIT_APP_LIMITED 1
#define STATE_LISTEN 10 /* then the counters say something else: the lengths of the listener's queues */

enum none { ALWAYS, NOT_ZERO, NOT_ONES, NOT_SSTHRESH };

static const struct field {
	u16 at, bytes;
	enum none none;
	u32 unit_ns;
	u16 to;
} fields[] = {
#define FIELD(name, none, unit, to)                                                                          \
	{                                                                                                    \
		offsetof(struct tcp_info, name), sizeof((struct tcp_info *)0)->name, none, unit,             \
		    offsetof(struct weir_ktcp_info, to)                                                      \
	}
    FIELD(tcpi_rtt, NOT_ZERO, 1000, srtt_ns),
    FIELD(tcpi_rttvar, ALWAYS, 1000, rttvar_ns),
    FIELD(tcpi_min_rtt, NOT_ONES, 1000, min_rtt_ns),
    FIELD(tcpi_rto, NOT_ZERO, 1000, rto_ns),
    FIELD(tcpi_snd_cwnd, ALWAYS, 1, cwnd_packets),
    FIELD(tcpi_snd_ssthresh, NOT_SSTHRESH, 1, ssthresh_packets),
    FIELD(tcpi_snd_mss, NOT_ZERO, 1, mss_bytes),
    FIELD(tcpi_unacked, ALWAYS, 1, unacked_packets),
    FIELD(tcpi_sacked, ALWAYS, 1, sacked_packets),
    FIELD(tcpi_lost, ALWAYS, 1, lost_packets),
    FIELD(tcpi_retrans, ALWAYS, 1, retrans_out_packets),
    FIELD(tcpi_pacing_rate, NOT_ONES, 1, pacing_Bps),
    FIELD(tcpi_delivery_rate, NOT_ZERO, 1, delivery_Bps),
    FIELD(tcpi_bytes_acked, ALWAYS, 1, acked_bytes),
    FIELD(tcpi_bytes_sent, ALWAYS, 1, sent_bytes),
    FIELD(tcpi_bytes_retrans, ALWAYS, 1, retransmitted_bytes),
    FIELD(tcpi_notsent_bytes, ALWAYS, 1, notsent_bytes),
    FIELD(tcpi_segs_out, ALWAYS, 1, sent_segments),
    FIELD(tcpi_data_segs_out, ALWAYS, 1, data_segments),
    FIELD(tcpi_total_retrans, ALWAYS, 1, retransmitted_segments),
    FIELD(tcpi_delivered, ALWAYS, 1, delivered_segments),
    FIELD(tcpi_delivered_ce, ALWAYS, 1, delivered_ce_segments),
    FIELD(tcpi_busy_time, ALWAYS, 1000, busy_ns),
    FIELD(tcpi_rwnd_limited, ALWAYS, 1000, rwnd_limited_ns),
    FIELD(tcpi_sndbuf_limited, ALWAYS, 1000, sndbuf_limited_ns),
    FIELD(tcpi_snd_wnd, ALWAYS, 1, peer_window_bytes),
    {AT_RCV_WND, 4, ALWAYS, 1, offsetof(struct weir_ktcp_info, offered_window_bytes)},
    {AT_TOTAL_RTO, 2, ALWAYS, 1, offsetof(struct weir_ktcp_info, rto_total)},
};

static u64 load(const u8 *from, u16 bytes)
{
	u16 two;
	u32 four;
	u64 eight;
	switch (bytes) {
	case 2:
		memcpy(&two, from, sizeof two);
		return two;
	case 4:
		memcpy(&four, from, sizeof four);
		return four;
	default:
		memcpy(&eight, from, sizeof eight);
		return eight;
	}
}

static bool is_none(const struct field *f, u64 value)
{
	switch (f->none) {
	case NOT_ZERO:
		return value == 0;
	case NOT_ONES:
		return value == (f->bytes == 4 ? 0xffffffffULL : ~0ULL);
	case NOT_SSTHRESH:
		return value >= 0x7fffffff;
	default:
		return false;
	}
}

static u8 byte_at(const u8 *from, u32 bytes, size_t at)
{
	return at < bytes ? from[at] : 0;
}

void weir_ktcp_info_parse(const void *tcp_info, u32 bytes, struct weir_ktcp_info *out)
{
	const u8 *from = tcp_info;
	*out = (struct weir_ktcp_info){
	    .state = byte_at(from, bytes, offsetof(struct tcp_info, tcpi_state)),
	    .ca_state = byte_at(from, bytes, offsetof(struct tcp_info, tcpi_ca_state)),
	    .app_limited = byte_at(from, bytes, AT_BITS) & BIT_APP_LIMITED,
	    .timestamps = byte_at(from, bytes, offsetof(struct tcp_info, tcpi_options)) & TCPI_OPT_TIMESTAMPS,
	    .ecn = byte_at(from, bytes, offsetof(struct tcp_info, tcpi_options)) & TCPI_OPT_ECN,
	};
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		const struct field *f = &fields[i];
		u64 value = WEIR_KTCP_UNKNOWN;
		if (out->state != STATE_LISTEN && (u32)f->at + f->bytes <= bytes) {
			u64 raw = load(from + f->at, f->bytes);
			if (!is_none(f, raw))
				value = weir_muldiv(raw, f->unit_ns, 1);
		}
		memcpy((u8 *)out + f->to, &value, sizeof value);
	}
	if (out->srtt_ns == WEIR_KTCP_UNKNOWN)
		out->rttvar_ns = WEIR_KTCP_UNKNOWN;
}

int weir_ktcp_info_read(int socket, struct weir_ktcp_info *out)
{
	u8 buffer[512]; /* twice what any kernel has, so that it fills in all that it knows */
	socklen_t bytes = sizeof buffer;
	if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, buffer, &bytes) < 0)
		return -1;
	weir_ktcp_info_parse(buffer, (u32)bytes, out);
	return 0;
}

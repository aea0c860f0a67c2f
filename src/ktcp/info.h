/* SPDX-License-Identifier: MIT */
/* TCP_INFO by our own reader: the kernel says how long its struct is, fields beyond are unknown, and the
 * kernel's sentinels (snd_ssthresh 0x7fffffff, rtt 0, min_rtt ~0, pacing ~0, delivery rate 0) are "none". */
#ifndef WEIR_KTCP_INFO_H
#define WEIR_KTCP_INFO_H

#include "weir/types.h"

#define WEIR_KTCP_UNKNOWN ((u64)-1) /* the kernel is too old, or there is no value yet */

struct weir_ktcp_info {
	u64 srtt_ns, rttvar_ns, min_rtt_ns, rto_ns;
	u64 cwnd_packets, ssthresh_packets, mss_bytes;
	u64 unacked_packets, sacked_packets, lost_packets, retrans_out_packets;
	u64 pacing_Bps, delivery_Bps;
	u64 acked_bytes, sent_bytes, retransmitted_bytes, notsent_bytes;
	u64 sent_segments, data_segments, retransmitted_segments, delivered_segments, delivered_ce_segments;
	u64 busy_ns, rwnd_limited_ns, sndbuf_limited_ns;
	u64 peer_window_bytes;	  /* what the other side offers, Linux 5.4 */
	u64 offered_window_bytes; /* what this side offers, Linux 6.2 */
	u64 rto_total;		  /* timeouts, Linux 6.7 */
	u32 state, ca_state;	  /* TCP_ESTABLISHED = 1 and so on; 0: unknown. TCP_CA_Open = 0 and so on */
	bool app_limited;
	bool timestamps, ecn; /* negotiated */
};

/* 0, or -1 with errno set. */
int weir_ktcp_info_read(int socket, struct weir_ktcp_info *out);
/* From what getsockopt filled in: `bytes` long. For tests: any length, any contents, is fine. */
void weir_ktcp_info_parse(const void *tcp_info, u32 bytes, struct weir_ktcp_info *out);

#endif

/* SPDX-License-Identifier: MIT */
/* TCP_INFO as Linux lays it out, whole, cut short and with the kernel's ways to say "none". */
#include "ktcp/info.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* What Linux 6.7 has: the headers' struct, then u32 rcv_wnd, u32 rehash, u16 total_rto, 6 bytes. */
struct whole {
	struct tcp_info old;
	u32 rcv_wnd, rehash;
	u16 total_rto, rest[3];
};
_Static_assert(sizeof(struct whole) == 248, "Linux 6.7");

static struct whole an_example(void)
{
	return (struct whole){
	    .old = {.tcpi_state = 1,
		    .tcpi_ca_state = 3,
		    .tcpi_options = TCPI_OPT_TIMESTAMPS | TCPI_OPT_SACK | TCPI_OPT_ECN,
		    .tcpi_delivery_rate_app_limited = 1,
		    .tcpi_rto = 204000,
		    .tcpi_snd_mss = 1448,
		    .tcpi_unacked = 12,
		    .tcpi_sacked = 4,
		    .tcpi_lost = 2,
		    .tcpi_retrans = 1,
		    .tcpi_rtt = 50123,
		    .tcpi_rttvar = 1200,
		    .tcpi_snd_ssthresh = 77,
		    .tcpi_snd_cwnd = 80,
		    .tcpi_total_retrans = 9,
		    .tcpi_pacing_rate = 12000000,
		    .tcpi_bytes_acked = 0x123456789aULL,
		    .tcpi_segs_out = 1000,
		    .tcpi_notsent_bytes = 5000,
		    .tcpi_min_rtt = 50001,
		    .tcpi_data_segs_out = 990,
		    .tcpi_delivery_rate = 1250000,
		    .tcpi_busy_time = 3000000,
		    .tcpi_rwnd_limited = 2000,
		    .tcpi_sndbuf_limited = 1000,
		    .tcpi_delivered = 950,
		    .tcpi_delivered_ce = 3,
		    .tcpi_bytes_sent = 1433520,
		    .tcpi_bytes_retrans = 13032,
		    .tcpi_snd_wnd = 65536},
	    .rcv_wnd = 64256,
	    .total_rto = 5,
	};
}

static void all_fields_have_their_place_and_unit(void **state)
{
	(void)state;
	struct whole raw = an_example();
	struct weir_ktcp_info i;
	weir_ktcp_info_parse(&raw, sizeof raw, &i);
	assert_int_equal(i.state, 1);
	assert_int_equal(i.ca_state, 3);
	assert_true(i.app_limited && i.timestamps && i.ecn);
	assert_int_equal(i.srtt_ns, 50123000);
	assert_int_equal(i.rttvar_ns, 1200000);
	assert_int_equal(i.min_rtt_ns, 50001000);
	assert_int_equal(i.rto_ns, 204000000);
	assert_int_equal(i.cwnd_packets, 80);
	assert_int_equal(i.ssthresh_packets, 77);
	assert_int_equal(i.mss_bytes, 1448);
	assert_int_equal(i.unacked_packets, 12);
	assert_int_equal(i.sacked_packets, 4);
	assert_int_equal(i.lost_packets, 2);
	assert_int_equal(i.retrans_out_packets, 1);
	assert_int_equal(i.pacing_Bps, 12000000);
	assert_int_equal(i.delivery_Bps, 1250000);
	assert_int_equal(i.acked_bytes, 0x123456789aULL);
	assert_int_equal(i.sent_bytes, 1433520);
	assert_int_equal(i.retransmitted_bytes, 13032);
	assert_int_equal(i.notsent_bytes, 5000);
	assert_int_equal(i.sent_segments, 1000);
	assert_int_equal(i.data_segments, 990);
	assert_int_equal(i.retransmitted_segments, 9);
	assert_int_equal(i.delivered_segments, 950);
	assert_int_equal(i.delivered_ce_segments, 3);
	assert_int_equal(i.busy_ns, 3000000000ULL);
	assert_int_equal(i.rwnd_limited_ns, 2000000);
	assert_int_equal(i.sndbuf_limited_ns, 1000000);
	assert_int_equal(i.peer_window_bytes, 65536);
	assert_int_equal(i.offered_window_bytes, 64256);
	assert_int_equal(i.rto_total, 5);
}

static void what_the_kernel_calls_none_is_unknown(void **state)
{
	(void)state;
	struct whole raw = an_example();
	struct weir_ktcp_info i;
	raw.old.tcpi_rtt = 0;
	raw.old.tcpi_min_rtt = ~0U;
	raw.old.tcpi_snd_ssthresh = 0x7fffffff;
	raw.old.tcpi_pacing_rate = ~0ULL;
	raw.old.tcpi_delivery_rate = 0;
	weir_ktcp_info_parse(&raw, sizeof raw, &i);
	assert_true(i.srtt_ns == WEIR_KTCP_UNKNOWN && i.rttvar_ns == WEIR_KTCP_UNKNOWN);
	assert_true(i.min_rtt_ns == WEIR_KTCP_UNKNOWN);
	assert_true(i.ssthresh_packets == WEIR_KTCP_UNKNOWN);
	assert_true(i.pacing_Bps == WEIR_KTCP_UNKNOWN && i.delivery_Bps == WEIR_KTCP_UNKNOWN);
	assert_int_equal(i.cwnd_packets, 80);
}

/* Lengths of real kernels: 104 (3.x), 192 (4.18), 232 (5.4 to 6.1), 240 (6.2), 248 (6.7). */
static void an_older_kernel_leaves_the_rest_unknown(void **state)
{
	(void)state;
	struct whole raw = an_example();
	struct weir_ktcp_info i;
	weir_ktcp_info_parse(&raw, 104, &i);
	assert_int_equal(i.retransmitted_segments, 9);
	assert_true(i.pacing_Bps == WEIR_KTCP_UNKNOWN && i.min_rtt_ns == WEIR_KTCP_UNKNOWN);
	weir_ktcp_info_parse(&raw, 192, &i);
	assert_int_equal(i.sndbuf_limited_ns, 1000000);
	assert_true(i.delivered_segments == WEIR_KTCP_UNKNOWN);
	weir_ktcp_info_parse(&raw, 232, &i);
	assert_int_equal(i.peer_window_bytes, 65536);
	assert_true(i.offered_window_bytes == WEIR_KTCP_UNKNOWN && i.rto_total == WEIR_KTCP_UNKNOWN);
	weir_ktcp_info_parse(&raw, 241, &i); /* half a field is none */
	assert_int_equal(i.offered_window_bytes, 64256);
	assert_true(i.rto_total == WEIR_KTCP_UNKNOWN);
	weir_ktcp_info_parse(&raw, 242, &i);
	assert_int_equal(i.rto_total, 5);
	weir_ktcp_info_parse(&raw, 0, &i);
	assert_true(i.state == 0 && i.cwnd_packets == WEIR_KTCP_UNKNOWN && !i.app_limited);
}

/* There unacked and sacked are the lengths of its queues. */
static void a_listener_has_no_counters(void **state)
{
	(void)state;
	struct whole raw = an_example();
	struct weir_ktcp_info i;
	raw.old.tcpi_state = 10;
	weir_ktcp_info_parse(&raw, sizeof raw, &i);
	assert_int_equal(i.state, 10);
	assert_true(i.unacked_packets == WEIR_KTCP_UNKNOWN && i.sacked_packets == WEIR_KTCP_UNKNOWN);
}

static void this_kernel_answers(void **state)
{
	(void)state;
	struct weir_ktcp_info i;
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(s >= 0);
	assert_int_equal(weir_ktcp_info_read(s, &i), 0);
	close(s);
	assert_int_equal(i.state, 7); /* TCP_CLOSE */
	assert_true(i.cwnd_packets > 0 && i.cwnd_packets < 1000);
	assert_true(i.srtt_ns == WEIR_KTCP_UNKNOWN && i.ssthresh_packets == WEIR_KTCP_UNKNOWN);
	assert_int_equal(weir_ktcp_info_read(s, &i), -1);
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_fields_have_their_place_and_unit),
	    cmocka_unit_test(what_the_kernel_calls_none_is_unknown),
	    cmocka_unit_test(an_older_kernel_leaves_the_rest_unknown),
	    cmocka_unit_test(a_listener_has_no_counters),
	    cmocka_unit_test(this_kernel_answers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* What other tools read: pcap by libpcap, the rest by its grammar. */
#include "record/iperf3.h"
#include "record/mahimahi.h"
#include "record/pcap.h"
#include "record/qlog.h"
#include "weir/num.h"

#include <jansson.h>
#include <pcap/pcap.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static u32 get32(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

static void pcap_is_read_by_libpcap(void **state)
{
	(void)state;
	char path[] = "/tmp/weir-pcap-XXXXXX", error[PCAP_ERRBUF_SIZE];
	close(mkstemp(path));
	struct weir_pcap *p = weir_pcap_open(path);
	assert_non_null(p);
	struct weir_pcap_packet k = {.time_ns = 5 * WEIR_NS_PER_S + 123456789,
				     .flow = 7,
				     .seq = (1ULL << 32) + 1448,
				     .ack = (3ULL << 32) + 5,
				     .wire_bytes = 1500,
				     .header_bytes = 52};
	weir_pcap_write(p, &k);
	k.backward = true;
	k.wire_bytes = 52;
	weir_pcap_write(p, &k);
	k = (struct weir_pcap_packet){.time_ns = 6 * WEIR_NS_PER_S, .datagram = true, .wire_bytes = 1000};
	weir_pcap_write(p, &k);
	assert_int_equal(weir_pcap_close(p), 0);

	pcap_t *in = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
	assert_non_null(in);
	assert_int_equal(pcap_datalink(in), DLT_RAW);
	struct pcap_pkthdr h;
	const u8 *b = pcap_next(in, &h);
	assert_non_null(b);
	assert_int_equal(h.ts.tv_sec, 5);
	assert_int_equal(h.ts.tv_usec, 123456789);
	assert_int_equal(h.len, 1500);
	assert_int_equal(h.caplen, 52);
	assert_int_equal(b[0], 0x45);
	assert_int_equal(b[2] << 8 | b[3], 1500);
	assert_int_equal(b[9], 6);
	assert_int_equal(get32(b + 12), 10U << 24 | 7);
	assert_int_equal(get32(b + 16), 11U << 24 | 7);
	assert_int_equal(get32(b + 24), 1448); /* 32 bits of the sequence number wrap */
	assert_int_equal(get32(b + 28), 5);
	assert_int_equal(b[32] >> 4, 8);
	u32 sum = 0;
	for (int i = 0; i < 20; i += 2)
		sum += (u32)(b[i] << 8 | b[i + 1]);
	assert_int_equal((sum & 0xffff) + (sum >> 16), 0xffff);
	b = pcap_next(in, &h);
	assert_int_equal(get32(b + 12), 11U << 24 | 7);
	b = pcap_next(in, &h);
	assert_int_equal(b[9], 17);
	assert_int_equal(h.caplen, 28);
	assert_null(pcap_next(in, &h));
	pcap_close(in);
	unlink(path);
}

static void pcap_on_a_full_disk(void **state)
{
	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	struct weir_pcap *p = weir_pcap_open("/dev/full");
	struct weir_pcap_packet k = {.wire_bytes = 1500, .header_bytes = 52};
	for (int i = 0; p && i < 1000; i++)
		weir_pcap_write(p, &k);
	assert_true(!p || weir_pcap_close(p) < 0);
}

static void qlog_is_a_json_sequence(void **state)
{
	(void)state;
	char *text;
	size_t n;
	struct weir_qlog q;
	struct weir_qlog_metrics m = {
	    .min_rtt_ns = 50000000, .cwnd_bytes = 14480, .inflight_bytes = 1448, .packets_in_flight = 1};
	weir_qlog_begin(&q, open_memstream(&text, &n), "a title");
	weir_qlog_metrics(&q, 1500000, "a", &m);
	weir_qlog_state(&q, 2000000, "a", false, true);
	weir_qlog_packet(&q, 3000000, "a", true, 1448, 1500, true);
	assert_int_equal(weir_qlog_close(&q), 0);
	u32 records = 0;
	for (char *r = text; r < text + n; records++) {
		assert_int_equal(*r, 0x1e);
		char *end = strchr(r, '\n');
		assert_non_null(end);
		*end = 0;
		json_t *read = json_loads(r + 1, 0, NULL);
		assert_non_null(read);
		const json_t *data = json_object_get(read, "data");
		if (records == 0)
			assert_string_equal(json_string_value(json_object_get(read, "serialization_format")),
					    "application/qlog+json-seq");
		if (records == 1) {
			assert_true(json_number_value(json_object_get(read, "time")) == 1.5);
			assert_true(json_number_value(json_object_get(data, "min_rtt")) == 50);
			assert_int_equal(json_integer_value(json_object_get(data, "congestion_window")),
					 14480);
			assert_null(json_object_get(data, "smoothed_rtt"));
			assert_null(json_object_get(data, "ssthresh"));
		}
		json_decref(read);
		r = end + 1;
	}
	assert_int_equal(records, 4);
	free(text);
}

/* A13: the log says what its delays hold. */
static void mahimahi_lines_are_in_order_field_A13(void **state)
{
	(void)state;
	char *text;
	size_t n;
	struct weir_mahimahi m;
	weir_mahimahi_begin(&m, open_memstream(&text, &n), "bottleneck", "droptail");
	weir_mahimahi_arrival(&m, 1000000, 1500);
	weir_mahimahi_arrival(&m, 2000000, 1500);
	weir_mahimahi_drop(&m, 30000000, 1500);
	weir_mahimahi_capacity(&m, 0, 10000000, 0, 3000);
	weir_mahimahi_departure(&m, 12000000, 1500, 10600000);
	assert_int_equal(weir_mahimahi_close(&m), 0);
	assert_string_equal(text, "# mahimahi mm-link (bottleneck) [weir]\n"
				  "# command line: weir run\n"
				  "# queue: droptail\n"
				  "# init timestamp: 0\n"
				  "# base timestamp: 0\n"
				  "# delays are waits in this hop's queue, without transmission and "
				  "propagation\n"
				  "5 # 1504\n"
				  "10 # 1504\n"
				  "1 + 1504\n"
				  "2 + 1504\n"
				  "12 - 1504 11\n"
				  "30 d 1 1504\n");
	free(text);
}

static void iperf3_has_its_shape(void **state)
{
	(void)state;
	char *text;
	size_t n;
	struct weir_iperf3 p;
	struct weir_iperf3_stream stream = {.name = "a", .controller = "cubic", .mss_bytes = 1448};
	weir_iperf3_begin(&p, open_memstream(&text, &n), &stream, 1, 2500000000);
	stream.sent_bytes = 1000;
	stream.srtt_ns = 50000000;
	stream.cwnd_bytes = 14480;
	weir_iperf3_interval(&p, WEIR_IPERF3_INTERVAL_NS);
	stream.sent_bytes = 3000;
	stream.received_bytes = 2000;
	stream.retransmits = 2;
	weir_iperf3_interval(&p, 2 * WEIR_IPERF3_INTERVAL_NS);
	weir_iperf3_end(&p, 2500000000, "interrupt - the run was stopped early");
	assert_int_equal(weir_iperf3_close(&p), 0);
	json_t *read = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(read);
	json_t *intervals = json_object_get(read, "intervals");
	assert_int_equal(json_array_size(intervals), 3);
	json_t *sum = json_object_get(json_array_get(intervals, 1), "sum");
	assert_int_equal(json_integer_value(json_object_get(sum, "bytes")), 2000);
	assert_true(json_number_value(json_object_get(sum, "bits_per_second")) == 16000);
	json_t *s = json_array_get(json_object_get(json_array_get(intervals, 1), "streams"), 0);
	assert_int_equal(json_integer_value(json_object_get(s, "rtt")), 50000); /* microseconds */
	assert_int_equal(json_integer_value(json_object_get(s, "snd_cwnd")), 14480);
	json_t *end = json_object_get(read, "end");
	assert_true(json_number_value(
			json_object_get(json_object_get(end, "sum_received"), "bits_per_second")) == 6400);
	assert_non_null(json_object_get(read, "error"));
	json_decref(read);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pcap_is_read_by_libpcap),
	    cmocka_unit_test(pcap_on_a_full_disk),
	    cmocka_unit_test(qlog_is_a_json_sequence),
	    cmocka_unit_test(mahimahi_lines_are_in_order_field_A13),
	    cmocka_unit_test(iperf3_has_its_shape),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Logs of real packets: the ring between two threads, checksums that a kernel left open, and the files. */
#include "record/checksum.h"
#include "record/live.h"
#include "record/ring.h"
#include "weir/num.h"

#include <pcap/pcap.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the ring ---- */

#define RING_BYTES 4096
#define RECORDS 200000

static u32 length_of(u32 i)
{
	return i * 2654435761u >> 23; /* 0 to 511 */
}

static void *put_all(void *ctx)
{
	u8 body[512];
	for (u32 i = 0; i < RECORDS; i++) {
		memset(body, (int)(i & 0xff), sizeof body);
		while (!weir_ring_put(ctx, &i, sizeof i, body, length_of(i)))
			sched_yield();
	}
	return NULL;
}

static void test_ring_keeps_order_and_bytes(void **state)
{
	(void)state;
	static struct weir_ring r;
	pthread_t thread;
	u32 bytes, number;
	assert_int_equal(weir_ring_init(&r, RING_BYTES), 0);
	assert_null(weir_ring_front(&r, &bytes));
	assert_int_equal(pthread_create(&thread, NULL, put_all, &r), 0);
	for (u32 i = 0; i < RECORDS; i++) {
		const u8 *record;
		while (!(record = weir_ring_front(&r, &bytes)))
			sched_yield();
		memcpy(&number, record, sizeof number);
		assert_int_equal(number, i);
		assert_int_equal(bytes, sizeof number + length_of(i));
		for (u32 k = sizeof number; k < bytes; k++)
			assert_int_equal(record[k], i & 0xff);
		weir_ring_drop(&r);
	}
	pthread_join(thread, NULL);
	assert_null(weir_ring_front(&r, &bytes));
	weir_ring_fini(&r);
}

static void test_ring_says_when_full(void **state)
{
	(void)state;
	static struct weir_ring r;
	u8 body[1000] = {0};
	u32 n = 0;
	assert_int_equal(weir_ring_init(&r, RING_BYTES), 0);
	while (weir_ring_put(&r, &n, sizeof n, body, sizeof body))
		n++;
	assert_int_equal(n, 4); /* 8 + 1004 + 4 of padding each */
	weir_ring_drop(&r);
	assert_true(weir_ring_put(&r, &n, sizeof n, body, sizeof body));
	assert_false(weir_ring_put(&r, &n, sizeof n, body, RING_BYTES));
	weir_ring_fini(&r);
}

/* ---- checksums ---- */

static u32 add_all(const u8 *p, u32 bytes, u32 sum)
{
	for (u32 i = 0; i < bytes; i++)
		sum += i & 1 ? p[i] : (u32)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* UDP from 10.0.0.1 to 10.0.0.2 with three bytes, its checksum left open. */
static u32 make_udp4(u8 *p)
{
	static const u8 packet[] = {0x45, 0, 0, 31, 0, 0, 0x40, 0, 64, 17, 0, 0, 10,  0,   0,  1,
				    10,	  0, 0, 2,  4, 0, 5,	0, 0,  11, 0, 0, 'a', 'b', 'c'};
	memcpy(p, packet, sizeof packet);
	u32 pseudo = add_all(p + 12, 8, 17 + 11);
	p[26] = (u8)(pseudo >> 8);
	p[27] = (u8)pseudo;
	return sizeof packet;
}

static void test_open_checksum_is_finished(void **state)
{
	(void)state;
	u8 p[64] = {0};
	u32 n = make_udp4(p);
	assert_true(weir_checksum_finish(p, n));
	/* All of it with the pseudo header sums up to ones. */
	u8 padded[64] = {0};
	memcpy(padded, p + 20, n - 20);
	assert_int_equal(add_all(padded, n - 20 + 1, add_all(p + 12, 8, 17 + 11)), 0xffff);
	/* A finished one stays, right or wrong. */
	assert_false(weir_checksum_finish(p, n));
	p[30]++;
	u8 before[64];
	memcpy(before, p, sizeof before);
	assert_false(weir_checksum_finish(p, n));
	assert_memory_equal(before, p, sizeof before);
}

static void test_odd_packets_are_left_alone(void **state)
{
	(void)state;
	u8 p[64], before[64];
	u32 n = make_udp4(p);
	memcpy(before, p, n);
	for (u32 cut = 0; cut < n; cut++)
		assert_false(weir_checksum_finish(p, cut));
	p[6] = 0x20; /* more fragments */
	assert_false(weir_checksum_finish(p, n));
	p[6] = before[6];
	p[0] = 0x4f; /* header longer than the packet */
	assert_false(weir_checksum_finish(p, n));
	p[0] = 0x65;
	assert_false(weir_checksum_finish(p, n));
}

/* ---- the files ---- */

static u64 one_hop_capacity(void *ctx, u32 hop, u64 now_ns)
{
	(void)ctx;
	(void)hop;
	return weir_muldiv(12000000, now_ns, 8 * WEIR_NS_PER_S); /* one packet of 1500 bytes each ms */
}

static char *slurp(const char *path)
{
	char *text = calloc(1, 65536);
	FILE *in = fopen(path, "r");
	assert_non_null(in);
	assert_true(fread(text, 1, 65535, in) > 0);
	fclose(in);
	return text;
}

static u32 count(const char *text, const char *what)
{
	u32 n = 0;
	for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
		n++;
	return n;
}

static u64 monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

static void check_capture(const char *path, u32 caplen)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *in = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
	struct pcap_pkthdr *h;
	const u_char *data;
	assert_non_null(in);
	assert_int_equal(pcap_datalink(in), DLT_RAW);
	assert_int_equal(pcap_next_ex(in, &h, &data), 1);
	assert_int_equal(h->caplen, caplen);
	assert_int_equal(h->len, 31);
	assert_true(h->ts.tv_sec > 1600000000);
	assert_int_equal(pcap_next_ex(in, &h, &data), PCAP_ERROR_BREAK);
	pcap_close(in);
}

static void test_files_field_A13(void **state)
{
	(void)state;
	char folder[] = "/tmp/weir-live-XXXXXX", log[64], capture[64], path[80], why[WEIR_LIVE_WHY_BYTES];
	assert_non_null(mkdtemp(folder));
	snprintf(log, sizeof log, "%s/l", folder);
	snprintf(capture, sizeof capture, "%s/c.pcap", folder);
	struct weir_live_hop hop = {"up", "droptail", "delays do not include propagation"};
	struct weir_live *l = weir_live_open(&(struct weir_live_config){.log = log,
									.capture = capture,
									.snap_bytes = 28,
									.hop = &hop,
									.n_hops = 1,
									.capacity_bytes = one_hop_capacity},
					     why);
	assert_non_null(l);
	assert_int_equal(weir_live_start(l, monotonic_ns()), 0);
	u8 p[64];
	u32 n = make_udp4(p);
	weir_live_event(l, WEIR_LIVE_ARRIVAL, 2000000, 0, 1500, 0);
	weir_live_event(l, WEIR_LIVE_ARRIVAL, 2500000, 0, 1500, 0);
	weir_live_event(l, WEIR_LIVE_DROP, 2600000, 0, 1500, 0);
	weir_live_event(l, WEIR_LIVE_DEPARTURE, 3000000, 0, 1500, 1000000);
	weir_live_packet(l, 2000000, 0, p, n, n);
	weir_live_packet(l, 3000000, 1, p, n, n);
	struct weir_live_lost lost;
	assert_int_equal(weir_live_close(l, 10000000, &lost, why), 0);
	assert_int_equal(lost.events + lost.packets, 0);

	snprintf(path, sizeof path, "%s.up", log);
	char *text = slurp(path);
	assert_non_null(strstr(text, "# command line: weir link\n"));
	assert_non_null(strstr(text, "# delays do not include propagation\n"));
	assert_non_null(strstr(text, "\n2 + 1504\n2 + 1504\n2 d 1 1504\n3 - 1504 1\n"));
	assert_int_equal(count(text, " # 1504\n"), 10);
	free(text);
	unlink(path);
	check_capture(capture, 28);
	unlink(capture);
	snprintf(path, sizeof path, "%s/c-beyond.pcap", folder);
	check_capture(path, 28);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

static void test_a_file_that_cannot_be_made(void **state)
{
	(void)state;
	char why[WEIR_LIVE_WHY_BYTES] = "";
	struct weir_live_hop hop = {"up", "droptail", ""};
	assert_null(
	    weir_live_open(&(struct weir_live_config){.log = "/nowhere/x", .hop = &hop, .n_hops = 1}, why));
	assert_string_equal(why, "/nowhere/x.up: No such file or directory");
	assert_null(
	    weir_live_open(&(struct weir_live_config){.capture = "/nowhere/x.pcap", .snap_bytes = 96}, why));
	assert_string_equal(why, "/nowhere/x.pcap: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ring_keeps_order_and_bytes),
	    cmocka_unit_test(test_ring_says_when_full),
	    cmocka_unit_test(test_open_checksum_is_finished),
	    cmocka_unit_test(test_odd_packets_are_left_alone),
	    cmocka_unit_test(test_files_field_A13),
	    cmocka_unit_test(test_a_file_that_cannot_be_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

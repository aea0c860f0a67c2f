/* SPDX-License-Identifier: MIT */
/* Eighty hosts a side, each in a namespace of its own, all through one shared path: each sends to each on the
 * other side and is answered. What that costs in memory and in time to begin. */
#include "ground.h"

#include "emu/ferry.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>

#define HOSTS 80U
#define DELAY_NS (5 * MS)
#define PORT 7
#define START_MAX_NS (5000 * MS)
#define ROUND_MAX_NS (2000 * MS)
#define MEMORY_MAX_KIB (64L << 10)

static struct weir_site site;
static int sockets[WEIR_SIDES][HOSTS];
static volatile sig_atomic_t stop;

static long resident_kib(void)
{
	long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld %ld", &pages, &resident), 2);
	fclose(f);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static struct sockaddr_in address(u32 side, u32 host)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons(PORT),
				    .sin_addr = {htonl(site.host[side][host].address)}};
}

static void open_sockets(void)
{
	char why[WEIR_WHY_BYTES];
	struct weir_netns home;
	assert_int_equal(weir_netns_here(&home, why), 0);
	for (u32 side = 0; side < WEIR_SIDES; side++) {
		for (u32 i = 0; i < HOSTS; i++) {
			struct sockaddr_in a = address(side, i);
			assert_int_equal(weir_netns_enter(&site.host[side][i].ns), 0);
			sockets[side][i] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
			assert_true(sockets[side][i] >= 0);
			assert_int_equal(bind(sockets[side][i], (struct sockaddr *)&a, sizeof a), 0);
		}
	}
	assert_int_equal(weir_netns_enter(&home), 0);
	weir_netns_close(&home);
}

/* One hop each way, shared by all. */
static struct weir_ferry *new_ferry(void)
{
	struct weir_ferry *f =
	    weir_ferry_new(&(struct weir_ferry_config){.seed = 1, .base_rtt_ns = 2 * DELAY_NS});
	assert_non_null(f);
	for (u32 way = 0; way < WEIR_WAYS; way++) {
		struct weir_hop_config hop = {.name = way ? "down" : "up", .delay_ns = DELAY_NS};
		hop.rate.bps = 100000000;
		hop.queue.limit_bytes = 1000000;
		u32 number = weir_ferry_add_hop(f, &hop);
		assert_int_equal(weir_ferry_add_path(f, &number, 1, way), way);
	}
	for (u32 side = 0; side < WEIR_SIDES; side++) {
		for (u32 i = 0; i < HOSTS; i++) {
			const struct weir_site_host *h = &site.host[side][i];
			u32 port = weir_ferry_add_port(f, &h->tun, side, WEIR_FERRY_NONE);
			assert_int_not_equal(port, WEIR_FERRY_NONE);
			assert_int_equal(weir_ferry_route(f, h->address, h->range_end, port), 0);
		}
	}
	return f;
}

static void *carry(void *ferry)
{
	return (void *)(intptr_t)weir_ferry_run(ferry, &stop, WEIR_NEVER);
}

/* Left host i asks right host (i + shift) mod n; all at once. How many answers came to the right asker. */
static u32 round_of(u32 shift, u64 *shortest_ns)
{
	struct pollfd p[WEIR_SIDES * HOSTS];
	u64 sent_ns[HOSTS], begin_ns = now_ns();
	u32 answers = 0;
	for (u32 i = 0; i < WEIR_SIDES * HOSTS; i++)
		p[i] = (struct pollfd){.fd = sockets[i / HOSTS][i % HOSTS], .events = POLLIN};
	for (u32 i = 0; i < HOSTS; i++) {
		struct sockaddr_in to = address(WEIR_RIGHT, (i + shift) % HOSTS);
		u32 said[2] = {i, shift};
		sent_ns[i] = now_ns();
		assert_int_equal(
		    sendto(sockets[WEIR_LEFT][i], said, sizeof said, 0, (struct sockaddr *)&to, sizeof to),
		    sizeof said);
	}
	while (answers < HOSTS && now_ns() - begin_ns < ROUND_MAX_NS) {
		poll(p, WEIR_SIDES * HOSTS, 100);
		for (u32 i = 0; i < WEIR_SIDES * HOSTS; i++) {
			u32 said[2], side = i / HOSTS, host = i % HOSTS;
			struct sockaddr_in from;
			socklen_t bytes = sizeof from;
			if (recvfrom(p[i].fd, said, sizeof said, 0, (struct sockaddr *)&from, &bytes) !=
				sizeof said ||
			    said[1] != shift)
				continue;
			if (side == WEIR_RIGHT) {
				assert_int_equal(host, (said[0] + shift) % HOSTS);
				assert_int_equal(ntohl(from.sin_addr.s_addr),
						 site.host[WEIR_LEFT][said[0]].address);
				sendto(p[i].fd, said, sizeof said, 0, (struct sockaddr *)&from, bytes);
				continue;
			}
			assert_int_equal(host, said[0]);
			u64 rtt_ns = now_ns() - sent_ns[host];
			*shortest_ns = rtt_ns < *shortest_ns ? rtt_ns : *shortest_ns;
			answers++;
		}
	}
	return answers;
}

static void each_reaches_each(void **state)
{
	(void)state;
	char why[WEIR_WHY_BYTES];
	long before_kib = resident_kib();
	u64 begin_ns = now_ns(), shortest_ns = WEIR_NEVER;
	assert_done(weir_site_open(&site, &(struct weir_site_config){.hosts = HOSTS}, why), why);
	struct weir_ferry *ferry = new_ferry();
	open_sockets();
	pthread_t thread;
	weir_ferry_start(ferry);
	assert_int_equal(pthread_create(&thread, NULL, carry, ferry), 0);
	u64 start_ns = now_ns() - begin_ns;
	u32 answers = 0, lost_rounds = 0;
	begin_ns = now_ns();
	for (u32 shift = 0; shift < HOSTS; shift++) {
		u32 got = round_of(shift, &shortest_ns);
		lost_rounds += got < HOSTS;
		answers += got;
	}
	u64 took_ns = now_ns() - begin_ns;
	long used_kib = resident_kib() - before_kib;
	stop = 1;
	void *result;
	pthread_join(thread, &result);
	weir_ferry_free(ferry);
	for (u32 i = 0; i < WEIR_SIDES * HOSTS; i++)
		close(sockets[i / HOSTS][i % HOSTS]);
	weir_site_close(&site);
	print_message("%u hosts a side: begun in %llu ms, %ld KiB, %u answers in %llu ms\n", HOSTS,
		      (unsigned long long)(start_ns / MS), used_kib, answers,
		      (unsigned long long)(took_ns / MS));
	assert_int_equal((int)(intptr_t)result, 0);
	assert_int_equal(lost_rounds, 0);
	assert_int_equal(answers, HOSTS * HOSTS);
	assert_true(shortest_ns >= 2 * DELAY_NS); /* nobody is early */
	assert_true(start_ns < START_MAX_NS);
	assert_true(used_kib < MEMORY_MAX_KIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_reaches_each)};
	skip_without_ground();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

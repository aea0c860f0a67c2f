/* SPDX-License-Identifier: MIT */
/* Memory runs out at each allocation in turn: whoever asks is told, nothing crashes, nothing is left behind.
 * The test's own malloc stands before the C library's; sanitizers have one of their own, so there it skips.
 */
#include "net.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define OWN_MALLOC 0
#endif
#endif
#if !defined(OWN_MALLOC) && defined(__GLIBC__)
#define OWN_MALLOC 1
#endif

#if defined(OWN_MALLOC) && OWN_MALLOC
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *p);

static bool armed, failed;
static u64 left; /* allocations before the one that fails */
static i64 live;

static bool fails(void)
{
	if (!armed || left-- > 0)
		return false;
	armed = false;
	failed = true;
	return true;
}

void *malloc(size_t bytes)
{
	void *p = fails() ? NULL : __libc_malloc(bytes);
	live += p != NULL;
	return p;
}

void *calloc(size_t n, size_t bytes)
{
	void *p = fails() ? NULL : __libc_calloc(n, bytes);
	live += p != NULL;
	return p;
}

void *realloc(void *old, size_t bytes)
{
	void *p = fails() ? NULL : __libc_realloc(old, bytes);
	live += p && !old;
	return p;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	void *p = fails() ? NULL : __libc_memalign(alignment, bytes);
	live += p != NULL;
	return p;
}

void free(void *p)
{
	live -= p != NULL;
	__libc_free(p);
}

static u64 params[64];

/* True when all of it was built. */
static bool build(struct weir_world *w)
{
	const struct weir_hop_config forth = {.name = "forth",
					      .rate = {.bps = 20000000},
					      .delay_ns = 10 * MS,
					      .queue = {.limit_packets = 1500}};
	struct weir_hop_config back = {.name = "back", .rate = {.bps = 20000000}, .delay_ns = 10 * MS};
	back.queue.aqm = WEIR_AQM_FQ_CODEL;
	back.queue.limit_packets = 50;
	back.queue.target_ns = 5 * MS;
	back.queue.interval_ns = 100 * MS;
	back.queue.fq_flows = 16;
	back.queue.fq_quantum_bytes = 1514;
	back.after = (struct weir_impair_config){
	    .loss = {.model = WEIR_LOSS_BERNOULLI, .p = .02}, .duplicate_p = .02, .jitter_ns = MS};
	const u32 hops[] = {weir_world_add_hop(w, &forth), weir_world_add_hop(w, &back)};
	if (hops[0] == WEIR_NONE || hops[1] == WEIR_NONE ||
	    weir_world_add_path(w, &hops[0], 1, &hops[1], 1) == WEIR_NONE)
		return false;
	for (u32 i = 0; i < 20; i++) {
		struct weir_flow_config f = {.cc = weir_cc_find("cubic"),
					     .params = params,
					     .endpoint = weir_endpoint_defaults(),
					     .app = {.kind = i ? WEIR_APP_SIZED : WEIR_APP_BULK},
					     .fct = true,
					     .start_ns = i * MS,
					     .stop_ns = WEIR_NEVER};
		f.app.size_bytes = 10000 + 3000 * i;
		f.endpoint.mss_bytes -= i; /* each flow a row of its own */
		if (weir_world_add_flow(w, &f) == WEIR_NONE)
			return false;
	}
	return true;
}

static void each_allocation_may_fail(void **state)
{
	(void)state;
	u64 n = 0, refused = 0, stopped = 0;
	weir_cc_defaults(weir_cc_find("cubic"), params);
	for (;; n++) {
		failed = false;
		live = 0;
		left = n;
		armed = true;
		struct weir_world *w = weir_world_new(&(struct weir_world_config){.seed = 1});
		bool built = w && build(w);
		int result = built ? weir_world_run(w, 700 * MS) : 0;
		if (result)
			result = weir_world_run(w, 800 * MS); /* it stays so */
		armed = false;
		weir_world_free(w);
		i64 left_behind = live;
		assert_int_equal(left_behind, 0);
		if (!failed)
			break;
		refused += !built;
		stopped += built && result == -1;
		assert_true(!built || result == -1);
	}
	assert_true(refused > 20);
	assert_true(stopped > 5); /* few: a pool serves what grows with the flows */
}
#else
static void each_allocation_may_fail(void **state)
{
	(void)state;
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

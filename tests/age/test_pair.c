/* SPDX-License-Identifier: MIT */
/* The interface of the pair of files, include/weir/acp.h, over two queues of datagrams. */
#include "weir/acp.h"

#include "ends.h"

#include <stdio.h>

struct wire_queue {
	u8 bytes[64][2048];
	size_t length[64];
	u32 head, tail;
};

static struct wire_queue there;
static struct weir_acp_source source;
static struct weir_acp_monitor monitor;
static u64 memory[WEIR_ACP_MONITOR_BYTES(4) / 8];
static u8 buffer[WEIR_ACP_HEADER_BYTES + 32];
static struct weir_acp_event event, last_value;
static char value[64];
static u64 now_ns;
static u32 asked;

static void send_there(void *context, const void *datagram, size_t bytes)
{
	struct wire_queue *q = context;
	assert_true(q->tail - q->head < 64 && bytes <= 2048);
	memcpy(q->bytes[q->tail % 64], datagram, bytes);
	q->length[q->tail++ % 64] = bytes;
}

static size_t ready(void *context, void *to, size_t room)
{
	(void)context;
	return (size_t)snprintf(to, room, "asked %u", ++asked);
}

static struct weir_acp_source_options options(void)
{
	struct weir_acp_source_options o = {.flow_id = 5,
					    .incarnation = 6,
					    .controller = "fixed",
					    .buffer = buffer,
					    .buffer_bytes = sizeof buffer,
					    .send = send_there,
					    .context = &there};
	return o;
}

static void open_pair(const struct weir_acp_source_options *o)
{
	memset(&there, 0, sizeof there);
	memset(memory, 0, sizeof memory);
	memset(&last_value, 0, sizeof last_value);
	now_ns = ENDS_S;
	asked = 0;
	assert_int_equal(weir_acp_source_init(&source, o, now_ns), WEIR_ACP_OK);
	assert_int_equal(weir_acp_monitor_init(&monitor, 4, memory, 7, 0), WEIR_ACP_OK);
}

/* Everything takes a ms there and a ms back. */
static void carry(u64 span_ns)
{
	for (u64 end_ns = now_ns + span_ns; now_ns < end_ns;) {
		u64 wake_ns = weir_acp_source_run(&source, now_ns);
		if (there.head == there.tail) {
			now_ns = wake_ns < end_ns ? (wake_ns > now_ns ? wake_ns : now_ns) : end_ns;
			continue;
		}
		now_ns += ENDS_MS;
		u8 answer[WEIR_ACP_ANSWER_BYTES];
		u32 i = there.head++ % 64;
		size_t n = weir_acp_monitor_datagram(&monitor, now_ns, there.bytes[i], there.length[i],
						     answer, &event);
		assert_true(n <= there.length[i]);
		if (event.kind == WEIR_ACP_VALUE) {
			snprintf(value, sizeof value, "%.*s", (int)event.bytes, (const char *)event.value);
			last_value = event;
		}
		now_ns += ENDS_MS;
		if (n)
			weir_acp_source_datagram(&source, now_ns, answer, n);
	}
}

static void mistakes_are_told(void **unused)
{
	(void)unused;
	struct weir_acp_source_options o = options();
	o.controller = "acp_plus";
	assert_int_equal(weir_acp_source_init(&source, &o, 0), WEIR_ACP_UNKNOWN_CONTROLLER);
	o = options();
	o.buffer_bytes = WEIR_ACP_HEADER_BYTES - 1;
	assert_int_equal(weir_acp_source_init(&source, &o, 0), WEIR_ACP_BAD_BUFFER);
	o = options();
	o.send = NULL;
	assert_int_equal(weir_acp_source_init(&source, &o, 0), WEIR_ACP_NO_SEND);
	o = options();
	o.sensor = 1;
	assert_int_equal(weir_acp_source_init(&source, &o, 0), WEIR_ACP_NO_SEND);
	o = options();
	assert_int_equal(weir_acp_source_init(&source, &o, 0), WEIR_ACP_OK);
	assert_int_equal(weir_acp_source_set(&source, "speed", 1), WEIR_ACP_UNKNOWN_PARAMETER);
	assert_int_equal(weir_acp_source_set(&source, "rate", 0), WEIR_ACP_OUT_OF_RANGE);
	assert_int_equal(weir_acp_monitor_init(&monitor, 0, memory, 7, 0), WEIR_ACP_OUT_OF_RANGE);
	assert_int_equal(weir_acp_monitor_init(&monitor, 4, (u8 *)memory + 1, 7, 0), WEIR_ACP_BAD_BUFFER);
}

/* C2: a value larger than the buffer is refused, and one larger than a datagram cannot even be prepared. */
static void c2_no_byte_beyond_the_buffer(void **unused)
{
	(void)unused;
	static u8 huge[4096];
	struct weir_acp_source_options o = options();
	o.buffer = huge;
	o.buffer_bytes = sizeof huge;
	assert_int_equal(weir_acp_source_init(&source, &o, 0), WEIR_ACP_BAD_BUFFER);
	o = options();
	open_pair(&o);
	assert_int_equal(weir_acp_source_offer(&source, now_ns, now_ns, huge, 33), WEIR_ACP_TOO_LARGE);
	assert_int_equal(
	    weir_acp_source_offer(&source, now_ns, now_ns, "12345678901234567890123456789012", 32),
	    WEIR_ACP_OK);
	carry(ENDS_S);
	assert_string_equal(value, "12345678901234567890123456789012");
	for (u32 i = 0; i < 64; i++)
		assert_true(there.length[i] <= sizeof buffer);
}

static void offered_values_arrive_newest_first(void **unused)
{
	(void)unused;
	struct weir_acp_source_options o = options();
	struct weir_acp_source_status status;
	open_pair(&o);
	assert_int_equal(weir_acp_source_offer(&source, now_ns, now_ns, "first", 5), WEIR_ACP_OK);
	assert_int_equal(weir_acp_source_offer(&source, now_ns, now_ns, "second", 6), WEIR_ACP_OK);
	assert_int_equal(weir_acp_source_offer(&source, now_ns, now_ns - 1, "older", 5), WEIR_ACP_TOO_OLD);
	carry(ENDS_S);
	assert_string_equal(value, "second");
	assert_int_equal(last_value.flow_id, 5);
	assert_true(last_value.age_low_s <= last_value.age_s && last_value.age_s <= last_value.age_high_s);
	weir_acp_source_status(&source, now_ns, &status);
	assert_int_equal(status.sent, 1);
	assert_int_equal(status.replaced, 1);
	assert_true(status.connected && status.settled);
	NEAR(status.rtt_s, .002, 1e-9);
	int known;
	NEAR(weir_acp_monitor_age(&monitor, last_value.place, now_ns, &known), status.age_s, .0011);
	assert_true(known);
	weir_acp_monitor_age(&monitor, 3, now_ns, &known);
	assert_false(known);
	assert_true(weir_acp_source_run(&source, now_ns + 3 * ENDS_S) == WEIR_ACP_NEVER);
}

static void the_newest_is_asked_for_when_it_can_leave(void **unused)
{
	(void)unused;
	struct weir_acp_source_options o = options();
	o.ready = ready;
	open_pair(&o);
	for (u32 i = 0; i < 10; i++)
		weir_acp_source_notify(&source, now_ns, now_ns);
	assert_int_equal(asked, 0);
	carry(ENDS_S);
	assert_int_equal(asked, 1);
	assert_string_equal(value, "asked 1");
	o.sensor = 1;
	open_pair(&o);
	assert_int_equal(weir_acp_source_set(&source, "rate", 50000000), WEIR_ACP_OK);
	carry(10 * ENDS_S);
	assert_in_range(asked, 495, 501);
}

static void expired_values_are_counted(void **unused)
{
	(void)unused;
	struct weir_acp_source_options o = options();
	struct weir_acp_source_status status;
	o.max_age_ns = 100 * ENDS_MS;
	open_pair(&o);
	carry(ENDS_S);
	weir_acp_source_offer(&source, now_ns, now_ns - 200 * ENDS_MS, "old", 3);
	carry(ENDS_S);
	weir_acp_source_status(&source, now_ns, &status);
	assert_int_equal(status.expired, 1);
	assert_int_equal(status.sent, 0);
	assert_true(status.settled);
}

static void strangers_are_counted(void **unused)
{
	(void)unused;
	struct weir_acp_source_options o = options();
	struct weir_acp_source_status status;
	u8 answer[WEIR_ACP_ANSWER_BYTES];
	open_pair(&o);
	assert_int_equal(weir_acp_monitor_datagram(&monitor, 1, "hello", 5, answer, &event), 0);
	assert_int_equal(event.kind, WEIR_ACP_REJECTED);
	assert_int_equal(weir_acp_monitor_datagram(&monitor, 1, "W\2\1", 3, answer, &event), 0);
	assert_int_equal(event.kind, WEIR_ACP_UNKNOWN);
	assert_int_equal(weir_acp_monitor_datagram(&monitor, 1, "", 0, answer, &event), 0);
	weir_acp_source_datagram(&source, 1, "hello", 5);
	weir_acp_source_status(&source, 1, &status);
	assert_int_equal(status.rejected, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mistakes_are_told),
	    cmocka_unit_test(c2_no_byte_beyond_the_buffer),
	    cmocka_unit_test(offered_values_arrive_newest_first),
	    cmocka_unit_test(the_newest_is_asked_for_when_it_can_leave),
	    cmocka_unit_test(expired_values_are_counted),
	    cmocka_unit_test(strangers_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

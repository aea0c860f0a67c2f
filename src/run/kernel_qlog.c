/* SPDX-License-Identifier: MIT */
#include "kernel_qlog.h"

#include "kern/watch.h"
#include "record/qlog.h"

#include <errno.h>
#include <stdlib.h>

#define CALL_BYTES 1500 /* more than the events of a call take */
#define END_BYTES 500	/* and what is said at the end of what found no room */
#define SOCKETS_MAX 65536U

struct weir_kernel_qlog {
	struct weir_qlog q;
	u64 limit_bytes, omitted, time_ns;
	u8 recovery[SOCKETS_MAX / 8]; /* a bit for each socket */
};

struct weir_kernel_qlog *weir_kernel_qlog_begin(FILE *out, const char *title, u64 limit_bytes)
{
	struct weir_kernel_qlog *q = calloc(1, sizeof *q);
	if (!q) {
		fclose(out);
		return NULL;
	}
	q->limit_bytes = limit_bytes;
	weir_qlog_begin_with(&q->q, out, title, "urn:weir:qlog:events:controller-1");
	return q;
}

static void put_call(struct weir_qlog *q, u64 time_ns, const char *flow, const struct weir_kern_call *c)
{
	static const char *const kinds[] = {"packet", "ecn", "spurious"};
	char name[32];
	snprintf(name, sizeof name, "weir:%s", weir_kern_event_word(c->event));
	struct weir_json *j = weir_qlog_event(q, time_ns, flow, name);
	if (c->event == WEIR_KERN_ACK) {
		weir_json_put_u64(j, "acked_bytes", c->ack.acked_bytes);
		weir_json_put_u64(j, "ce_bytes", c->ack.ce_bytes);
	}
	if (c->event == WEIR_KERN_LOSS) {
		weir_json_put_string(j, "kind", kinds[c->loss.kind < 3 ? c->loss.kind : 0]);
		weir_json_put_u64(j, "lost_bytes", c->loss.lost_bytes);
		weir_json_put_bool(j, "new_episode", c->loss.flags & WEIR_NEW_EPISODE);
	}
	if (c->event == WEIR_KERN_IDLE)
		weir_json_put_double(j, "idle", (double)c->idle_ns / 1e6);
	weir_json_put_bool(j, "round_start", c->view.flags & WEIR_ROUND_START);
	weir_json_put_bool(j, "app_limited", c->view.flags & WEIR_APP_LIMITED);
	weir_json_put_bool(j, "cwnd_limited", c->view.flags & WEIR_CWND_LIMITED);
	weir_json_put_u64(j, "delivered_bytes", c->view.delivered_bytes);
	weir_json_put_u64(j, "delivery_rate", weir_muldiv(c->view.delivery_Bps, 8, 1));
	weir_qlog_event_end(q);
}

/* Where the controller has no opinion, the kernel's window stands. */
static void put_metrics(struct weir_qlog *q, u64 time_ns, const char *flow, const struct weir_kern_record *r)
{
	const struct weir_kern_call *c = &r->call;
	const struct weir_view *v = &c->view;
	const struct weir_qlog_metrics m = {
	    .min_rtt_ns = v->min_rtt_ns,
	    .srtt_ns = v->srtt_ns,
	    .latest_rtt_ns = c->event == WEIR_KERN_ACK ? c->ack.rtt_ns : 0,
	    .cwnd_bytes = c->out.cwnd_bytes ? c->out.cwnd_bytes : (u64)r->cwnd_packets * v->mss_bytes,
	    .inflight_bytes = v->inflight_bytes,
	    .packets_in_flight = weir_div(v->inflight_bytes + v->mss_bytes - 1, v->mss_bytes),
	    .pacing_bps = weir_muldiv(c->out.pacing_Bps, 8, 1),
	};
	weir_qlog_metrics(q, time_ns, flow, &m);
}

void weir_kernel_qlog_take(struct weir_kernel_qlog *q, u64 time_ns, const char *flow, u32 socket,
			   const struct weir_kern_record *r)
{
	const struct weir_kern_call *c = &r->call;
	if (q->omitted || q->q.bytes + CALL_BYTES + END_BYTES > q->limit_bytes) {
		q->omitted++;
		return;
	}
	q->time_ns = time_ns;
	u8 *at = &q->recovery[socket % SOCKETS_MAX / 8], bit = (u8)(1 << socket % 8);
	bool was = *at & bit, is = c->view.flags & WEIR_RECOVERY;
	if (was != is)
		weir_qlog_state(&q->q, time_ns, flow, was, is);
	*at = (u8)(is ? *at | bit : *at & ~bit);
	put_call(&q->q, time_ns, flow, c);
	put_metrics(&q->q, time_ns, flow, r);
}

static void put_missing(struct weir_qlog *q, u64 time_ns, const char *name, u64 calls)
{
	struct weir_json *j = weir_qlog_event(q, time_ns, "", name);
	weir_json_put_u64(j, "calls", calls);
	weir_qlog_event_end(q);
}

void weir_kernel_qlog_gap(struct weir_kernel_qlog *q, u64 time_ns, u64 dropped)
{
	q->time_ns = time_ns;
	if (q->omitted || q->q.bytes + 2 * END_BYTES > q->limit_bytes)
		q->omitted += dropped;
	else
		put_missing(&q->q, time_ns, "weir:dropped", dropped);
}

u64 weir_kernel_qlog_omitted(const struct weir_kernel_qlog *q)
{
	return q->omitted;
}

int weir_kernel_qlog_end(struct weir_kernel_qlog *q)
{
	if (q->omitted)
		put_missing(&q->q, q->time_ns, "weir:omitted", q->omitted);
	int failed = weir_qlog_close(&q->q), error = errno;
	free(q);
	errno = error;
	return failed;
}

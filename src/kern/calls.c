/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define VERSION 1
#define HEAD_BYTES 96
#define FRAME_BYTES 152
#define NAME_BYTES 64
#define KINDS_OF_LOSS 3

static const u8 magic[8] = {'w', 'e', 'i', 'r', 'c', 'a', 'l', 'l'};

/* ---- bytes ---- */

static void put(u8 **at, u64 value, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++)
		*(*at)++ = (u8)(value >> 8 * i);
}

static u64 get(const u8 **at, u32 bytes)
{
	u64 value = 0;
	for (u32 i = 0; i < bytes; i++)
		value |= (u64) * (*at)++ << 8 * i;
	return value;
}

static u32 get32(const u8 **at)
{
	return (u32)get(at, 4);
}

static u64 get64(const u8 **at)
{
	return get(at, 8);
}

static void put_call(u8 **at, const struct weir_kern_call *c)
{
	const struct weir_view *v = &c->view;
	const u64 of_view[] = {v->now_ns,	   v->srtt_ns,	    v->min_rtt_ns,   v->inflight_bytes,
			       v->delivered_bytes, v->delivery_Bps, v->initial_bytes};
	u64 of_event[5] = {0};
	if (c->event == WEIR_KERN_ACK)
		memcpy(of_event, &c->ack, sizeof of_event);
	if (c->event == WEIR_KERN_LOSS) {
		of_event[0] = c->loss.lost_bytes;
		of_event[1] = c->loss.sent_ns;
		of_event[2] = c->loss.inflight_at_send_bytes;
		of_event[3] = c->loss.kind | (u64)c->loss.flags << 32;
	}
	if (c->event == WEIR_KERN_IDLE)
		of_event[0] = c->idle_ns;
	put(at, c->event, 4);
	put(at, 0, 4);
	for (u32 i = 0; i < 7; i++)
		put(at, of_view[i], 8);
	put(at, v->mss_bytes, 4);
	put(at, v->flags, 4);
	for (u32 i = 0; i < 5; i++)
		put(at, of_event[i], 8);
	put(at, c->out.cwnd_bytes, 8);
	put(at, c->out.pacing_Bps, 8);
	put(at, c->out.wake_ns, 8);
}

static void get_call(const u8 **at, struct weir_kern_call *c)
{
	struct weir_view *v = &c->view;
	u64 of_event[5];
	memset(c, 0, sizeof *c);
	c->event = get32(at);
	get32(at);
	v->now_ns = get64(at);
	v->srtt_ns = get64(at);
	v->min_rtt_ns = get64(at);
	v->inflight_bytes = get64(at);
	v->delivered_bytes = get64(at);
	v->delivery_Bps = get64(at);
	v->initial_bytes = get64(at);
	v->mss_bytes = get32(at);
	v->flags = get32(at);
	for (u32 i = 0; i < 5; i++)
		of_event[i] = get64(at);
	if (c->event == WEIR_KERN_ACK)
		memcpy(&c->ack, of_event, sizeof of_event);
	if (c->event == WEIR_KERN_LOSS)
		c->loss = (struct weir_loss){of_event[0], of_event[1], of_event[2], (u32)of_event[3],
					     (u32)(of_event[3] >> 32)};
	if (c->event == WEIR_KERN_IDLE)
		c->idle_ns = of_event[0];
	c->out.cwnd_bytes = get64(at);
	c->out.pacing_Bps = get64(at);
	c->out.wake_ns = get64(at);
}
/* The rate sample is not among them: only governors look at it, whose calls nobody makes again. */
_Static_assert(offsetof(struct weir_ack, ce_bytes) == 32, "five numbers of an event");

/* ---- writing ---- */

static void write_bytes(struct weir_calls_writer *w, const u8 *data, size_t bytes)
{
	errno = 0;
	if (!w->error && fwrite(data, 1, bytes, w->out) != bytes)
		w->error = errno ? errno : EIO;
	w->bytes += bytes;
}

void weir_calls_begin(struct weir_calls_writer *w, FILE *out, const struct weir_calls_head *head,
		      u64 limit_bytes)
{
	u8 data[HEAD_BYTES + 8 * WEIR_CALLS_PARAMS_MAX] = {0}, *at = data;
	*w = (struct weir_calls_writer){.out = out, .limit_bytes = limit_bytes};
	memcpy(at, magic, sizeof magic);
	at += sizeof magic;
	put(&at, VERSION, 4);
	put(&at, FRAME_BYTES, 4);
	put(&at, WEIR_CC_ABI, 4);
	put(&at, head->n_params, 4);
	put(&at, 0, 8);
	memcpy(at, head->controller, strnlen(head->controller, NAME_BYTES - 1));
	at += NAME_BYTES;
	for (u32 i = 0; i < head->n_params && i < WEIR_CALLS_PARAMS_MAX; i++)
		put(&at, head->params[i], 8);
	write_bytes(w, data, (size_t)(at - data));
}

static void write_frame(struct weir_calls_writer *w, enum weir_calls_kind kind, u32 socket,
			const struct weir_kern_record *r, u64 missing)
{
	u8 data[FRAME_BYTES] = {0}, *at = data;
	put(&at, kind, 4);
	put(&at, socket, 4);
	if (kind == WEIR_CALLS_CALL) {
		put(&at, r->local_port, 2);
		put(&at, r->remote_port, 2);
		put(&at, r->cwnd_packets, 4);
		put_call(&at, &r->call);
	} else {
		put(&at, missing, 8);
	}
	write_bytes(w, data, sizeof data);
}

void weir_calls_put(struct weir_calls_writer *w, u32 socket, const struct weir_kern_record *r)
{
	/* Room for two frames more: a gap and the end. */
	if (w->omitted || w->bytes + 3 * FRAME_BYTES > w->limit_bytes) {
		w->omitted++;
		return;
	}
	w->records++;
	write_frame(w, WEIR_CALLS_CALL, socket, r, 0);
}

void weir_calls_gap(struct weir_calls_writer *w, u64 dropped)
{
	w->dropped += dropped;
	if (!w->omitted && w->bytes + 2 * FRAME_BYTES <= w->limit_bytes)
		write_frame(w, WEIR_CALLS_GAP, 0, NULL, dropped);
	else
		w->omitted += dropped;
}

int weir_calls_end(struct weir_calls_writer *w)
{
	write_frame(w, WEIR_CALLS_END, 0, NULL, w->omitted);
	errno = 0;
	if (!w->error && (fflush(w->out) != 0 || ferror(w->out)))
		w->error = errno ? errno : EIO;
	errno = w->error;
	return w->error ? -1 : 0;
}

/* ---- reading ---- */

__attribute__((format(printf, 2, 3))) static int refuse(char *why, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(why, WEIR_CALLS_WHY_BYTES, format, ap);
	va_end(ap);
	return -1;
}

static bool is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
	return n > 0 && !text[n];
}

static int read_params(struct weir_calls_reader *r, char *why)
{
	u8 data[8 * WEIR_CALLS_PARAMS_MAX];
	const u8 *at = data;
	size_t bytes = 8 * (size_t)r->head.n_params;
	if (fread(data, 1, bytes, r->in) != bytes)
		return refuse(why, "it ends amid its head");
	for (u32 i = 0; i < r->head.n_params; i++)
		r->head.params[i] = get64(&at);
	return 0;
}

int weir_calls_open(struct weir_calls_reader *r, FILE *in, char why[WEIR_CALLS_WHY_BYTES])
{
	u8 data[HEAD_BYTES];
	const u8 *at = data + sizeof magic;
	memset(r, 0, sizeof *r);
	r->in = in;
	size_t n = fread(data, 1, sizeof data, in);
	if (n < sizeof magic || memcmp(data, magic, sizeof magic) != 0)
		return refuse(why,
			      "it does not begin as records of `weir kernel watch --record` or `kernel run "
			      "--record` do");
	if (n < sizeof data)
		return refuse(why, "it ends amid its head");
	u32 version = get32(&at), frame_bytes = get32(&at), abi = get32(&at);
	r->head.n_params = get32(&at);
	get64(&at);
	memcpy(r->head.controller, at, NAME_BYTES);
	if (version != VERSION)
		return refuse(why, "it is in version %u of the format; this program reads version %u",
			      version, VERSION);
	if (frame_bytes != FRAME_BYTES || abi != WEIR_CC_ABI)
		return refuse(why, "frames of %u bytes for interface %u; expected are %u and %u", frame_bytes,
			      abi, FRAME_BYTES, WEIR_CC_ABI);
	if (r->head.n_params > WEIR_CALLS_PARAMS_MAX)
		return refuse(why, "%u parameters; at most %u are possible", r->head.n_params,
			      WEIR_CALLS_PARAMS_MAX);
	if (r->head.controller[NAME_BYTES - 1] || !is_name(r->head.controller))
		return refuse(why, "the controller's name is not one");
	return read_params(r, why);
}

static int read_call(struct weir_calls_reader *r, struct weir_calls_frame *f, const u8 *at, char *why)
{
	struct weir_kern_record *k = &f->record;
	k->socket = f->socket;
	k->local_port = (u16)get(&at, 2);
	k->remote_port = (u16)get(&at, 2);
	k->cwnd_packets = get32(&at);
	get_call(&at, &k->call);
	if (f->socket == 0 || f->socket > r->sockets + 1)
		return refuse(why, "frame %llu: socket %u after %u sockets", r->frames, f->socket,
			      r->sockets);
	if (f->socket > WEIR_CALLS_SOCKETS_MAX)
		return refuse(why, "frame %llu: more than %u sockets", r->frames, WEIR_CALLS_SOCKETS_MAX);
	if (k->call.event >= WEIR_KERN_EVENTS)
		return refuse(why, "frame %llu: there is no event %u", r->frames, k->call.event);
	if (k->call.event == WEIR_KERN_LOSS && k->call.loss.kind >= KINDS_OF_LOSS)
		return refuse(why, "frame %llu: there is no loss of kind %u", r->frames, k->call.loss.kind);
	if (f->socket > r->sockets)
		r->sockets = f->socket;
	return 1;
}

int weir_calls_next(struct weir_calls_reader *r, struct weir_calls_frame *f, char why[WEIR_CALLS_WHY_BYTES])
{
	u8 data[FRAME_BYTES];
	const u8 *at = data;
	memset(f, 0, sizeof *f);
	size_t n = fread(data, 1, sizeof data, r->in);
	if (n < sizeof data && ferror(r->in))
		return refuse(why, "%s", strerror(errno));
	if (r->ended)
		return n ? refuse(why, "there is more after its end") : 0;
	if (n < sizeof data)
		return 0;
	r->frames++;
	u32 kind = get32(&at);
	f->socket = get32(&at);
	if (kind < WEIR_CALLS_CALL || kind > WEIR_CALLS_END)
		return refuse(why, "frame %llu: there is no kind %u", r->frames, kind);
	f->kind = (enum weir_calls_kind)kind;
	if (f->kind == WEIR_CALLS_CALL)
		return read_call(r, f, at, why);
	f->missing = get64(&at);
	r->ended = f->kind == WEIR_CALLS_END;
	return 1;
}

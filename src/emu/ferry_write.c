/* SPDX-License-Identifier: MIT */
#include "ferry_state.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static bool marked(const struct weir_slot *slot, const struct weir_packet *p)
{
	return p->ecn == WEIR_ECN_CE && slot->frame.ecn != WEIR_ECN_CE;
}

static bool joins(const struct ferry_run *run, const struct weir_slot *slot, u32 segment, bool ce)
{
	return run->slot == slot && slot->cut.segments > 1 && run->first + run->n == segment && run->ce == ce;
}

void ferry_leave(struct weir_ferry *f, struct weir_slot *slot, const struct weir_packet *p, u64 due_ns)
{
	struct ferry_port *port = &f->port[slot->exit];
	u32 number = f->n_leaving++, segment = ferry_packet_segment(p);
	bool ce = marked(slot, p);
	f->leaving[number] = (struct ferry_leaving){
	    .due_ns = due_ns,
	    .wait_ns = ((u64)p->ext + p->queued_16ns) << 4,
	    .flow = p->flow,
	    .bytes = p->bytes,
	    .marked = ce,
	};
	struct ferry_run *run = &f->run[port->run];
	if (port->round == f->round && joins(run, slot, segment, ce)) {
		f->leaving[run->last_leaving].next = number;
		run->n++;
	} else {
		port->run = f->n_runs++;
		port->round = f->round;
		run = &f->run[port->run];
		*run = (struct ferry_run){.slot = slot,
					  .exit = slot->exit,
					  .first = segment,
					  .n = 1,
					  .first_leaving = number,
					  .ce = ce};
	}
	run->last_leaving = number;
	run->bytes += p->bytes;
}

/* A single packet that the link marked: its IP header is copied, since another copy of the packet may be on
 * its way unmarked. */
static void marked_piece(struct weir_slot *slot, struct weir_cut_piece *piece)
{
	u32 header = (u32)weir_min(slot->bytes, slot->frame.transport_at);
	header = (u32)weir_min(header, WEIR_CUT_HEADER_MAX);
	piece->vnet = slot->vnet;
	memcpy(piece->header, weir_slot_packet(slot), header);
	weir_frame_mark_ce(piece->header);
	piece->header_bytes = piece->payload_at = header;
	piece->payload_bytes = slot->bytes - header;
}

static void make_piece(struct weir_slot *slot, u32 first, u32 n, bool ce, struct weir_cut_piece *piece)
{
	if (slot->cut.segments > 1)
		weir_cut_piece(weir_slot_packet(slot), slot->bytes, &slot->frame, &slot->cut, first, n, ce,
			       piece);
	else
		marked_piece(slot, piece);
}

static ssize_t write_run(const struct ferry_run *run, int fd)
{
	struct weir_slot *slot = run->slot;
	u8 *ip = weir_slot_packet(slot);
	if (run->n == slot->cut.segments && !run->ce)
		return write(fd, ip - sizeof slot->vnet, sizeof slot->vnet + slot->bytes);
	struct weir_cut_piece piece;
	make_piece(slot, run->first, run->n, run->ce, &piece);
	struct iovec part[] = {
	    {&piece.vnet, sizeof piece.vnet + piece.header_bytes},
	    {ip + piece.payload_at, piece.payload_bytes},
	};
	return writev(fd, part, 2);
}

/* Copies as much of one segment as the tap wants, as it is on the wire. */
void ferry_tap_packet(struct weir_ferry *f, u64 now_ns, struct weir_slot *slot, u32 segment, bool ce,
		      u32 port, bool exited)
{
	u8 buffer[WEIR_CUT_HEADER_MAX + 65535], *ip = weir_slot_packet(slot);
	u32 wire = weir_cut_segment_bytes(&slot->cut, &slot->frame, slot->bytes, segment);
	u32 snap = f->taps.snap_bytes ? (u32)weir_min(wire, f->taps.snap_bytes) : wire;
	if (slot->cut.segments > 1 || ce) {
		struct weir_cut_piece piece;
		make_piece(slot, segment, 1, ce, &piece);
		u32 rest = (u32)weir_min(weir_sub(snap, piece.header_bytes), piece.payload_bytes);
		memcpy(buffer, piece.header, piece.header_bytes);
		memcpy(buffer + piece.header_bytes, ip + piece.payload_at, rest);
		ip = buffer;
	}
	f->taps.on_packet(f->taps.ctx, now_ns, port, exited, ip, snap, wire);
}

/* ---- what was due, and what was delivered ---- */

static void close_window(struct weir_ferry *f, struct ferry_window *w)
{
	f->fidelity.due_bytes += w->due_bytes;
	f->fidelity.missed_bytes += weir_sub(w->due_bytes, w->delivered_bytes);
	w->due_bytes = w->delivered_bytes = 0;
}

/* NULL: the window was closed long ago. */
static struct ferry_window *window_of(struct weir_ferry *f, u64 at_ns)
{
	u64 index = at_ns / f->window_ns;
	struct ferry_window *w = &f->window[index % FERRY_WINDOWS];
	if (w->index > index)
		return NULL;
	if (w->index < index) {
		close_window(f, w);
		w->index = index;
	}
	return w;
}

static void count_due(struct weir_ferry *f, u64 due_ns, u64 bytes)
{
	struct ferry_window *w = window_of(f, due_ns);
	if (w) {
		w->due_bytes += bytes;
	} else {
		f->fidelity.due_bytes += bytes;
		f->fidelity.missed_bytes += bytes;
	}
}

/* A packet that crosses the border between two windows by a hundredth of one is not missing. */
static void count_delivered(struct weir_ferry *f, u64 due_ns, u64 after_ns, u64 bytes)
{
	struct ferry_window *w = window_of(f, weir_max(due_ns, weir_sub(after_ns, f->window_ns / 100)));
	if (w)
		w->delivered_bytes += bytes;
}

static void account(struct weir_ferry *f, const struct ferry_run *run, bool delivered, u64 after_ns)
{
	struct weir_slot *slot = run->slot;
	u32 way = f->port[slot->port].way;
	struct weir_hist *lateness_ns = &f->fidelity.lateness_ns[way];
	u64 pushed_late_ns = slot->pushed_ns - slot->arrived_ns, due_ns = 0, due_bytes = 0;

	for (u32 i = 0, at = run->first_leaving; i < run->n; i++, at = f->leaving[at].next) {
		const struct ferry_leaving *l = &f->leaving[at];
		if (l->due_ns != due_ns && due_bytes) {
			count_due(f, due_ns, due_bytes);
			due_bytes = 0;
		}
		due_ns = l->due_ns;
		due_bytes += l->bytes;
		if (delivered) {
			u64 late_ns = weir_sub(after_ns, due_ns) + pushed_late_ns;
			weir_hist_add(lateness_ns, late_ns);
			weir_hist_add(&f->fidelity.delay_ns[way], weir_sub(after_ns, slot->arrived_ns));
			f->self.late_n++;
			f->self.late_sum_ns += late_ns;
			f->self.late_max_ns = weir_max(f->self.late_max_ns, late_ns);
			ferry_flow_delivered(f, slot, l, after_ns);
		}
		if (f->taps.on_packet && delivered)
			ferry_tap_packet(f, due_ns, slot, run->first + i, run->ce, run->exit, true);
	}
	count_due(f, due_ns, due_bytes);
	if (delivered) {
		count_delivered(f, due_ns, after_ns, run->bytes);
		f->fidelity.packets[way] += run->n;
		f->fidelity.bytes[way] += run->bytes;
	}
}

/* A device that is down, or a queue behind it that is full, loses the packet; one that is gone is the end. */
static bool is_fatal(int error)
{
	return error == EBADF || error == EBADFD || error == EFAULT || error == ENXIO || error == EPIPE ||
	       error == ECONNRESET;
}

void ferry_write(struct weir_ferry *f)
{
	for (u32 i = 0; i < f->n_runs; i++) {
		struct ferry_run *run = &f->run[i];
		bool delivered = write_run(run, f->port[run->exit].tun->fd) >= 0;
		if (!delivered) {
			f->refused += run->n;
			if (is_fatal(errno))
				f->error = errno;
		}
		account(f, run, delivered, ferry_now_ns(f));
		for (u32 k = 0; k < run->n; k++)
			weir_slot_drop(&f->pool, run->slot);
	}
	f->n_runs = f->n_leaving = 0;
	f->round++;
}

/* SPDX-License-Identifier: MIT */
#include "ferry_state.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

/* One read goes into three slots at once: the beginning of a packet into the small one, and only what does
 * not fit there into the next. Then the beginning is copied to where the rest is. */
static u32 room_bytes(u32 kind)
{
	return weir_slot_bytes[kind] - WEIR_SLOT_DATA;
}

int ferry_read_begin(struct weir_ferry *f)
{
	for (u32 i = 0; i < WEIR_SLOT_KINDS; i++) {
		f->spare[i] = f->spare[i] ? f->spare[i] : weir_slot_get(&f->pool, i);
		if (!f->spare[i])
			return -1;
	}
	return 0;
}

static ssize_t read_packet(struct weir_ferry *f, int fd)
{
	struct iovec part[WEIR_SLOT_KINDS];
	u32 done = 0;
	for (u32 i = 0; i < WEIR_SLOT_KINDS; i++) {
		part[i].iov_base = (u8 *)f->spare[i] + WEIR_SLOT_DATA + done;
		part[i].iov_len = room_bytes(i) - done;
		done = room_bytes(i);
	}
	return readv(fd, part, WEIR_SLOT_KINDS);
}

/* The slot that holds the `bytes` just read; NULL when memory is used up, and they are lost. */
static struct weir_slot *keep(struct weir_ferry *f, u32 bytes)
{
	u32 kind = WEIR_SLOT_SMALL, done = 0;
	while (bytes > room_bytes(kind))
		kind++;
	struct weir_slot *fresh = weir_slot_get(&f->pool, kind), *slot = f->spare[kind];
	if (!fresh)
		return NULL;
	for (u32 i = 0; i < kind; i++) {
		memcpy((u8 *)slot + WEIR_SLOT_DATA + done, (u8 *)f->spare[i] + WEIR_SLOT_DATA + done,
		       room_bytes(i) - done);
		done = room_bytes(i);
	}
	f->spare[kind] = fresh;
	return slot;
}

u32 ferry_find_exit(const struct weir_ferry *f, const struct ferry_port *port, u32 destination)
{
	if (port->exit != WEIR_FERRY_NONE)
		return port->exit;
	u32 low = 0, high = f->n_routes;
	while (low < high) {
		u32 middle = low + (high - low) / 2;
		if (f->route[middle].last < destination)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low < f->n_routes && f->route[low].first <= destination;
	return found ? f->route[low].port : WEIR_FERRY_NONE;
}

/* Finds virtio header, stamp and packet in what was read. False when it is no packet. */
static bool unwrap(struct weir_slot *slot, u32 bytes, bool stamped, struct weir_stamp *stamp)
{
	const u8 *data = (const u8 *)slot + WEIR_SLOT_DATA;
	u32 before = sizeof slot->vnet;
	slot->stamped = false;
	if (bytes <= before)
		return false;
	memcpy(&slot->vnet, data, sizeof slot->vnet);
	if (stamped && bytes > before + sizeof *stamp) {
		memcpy(stamp, data + before, sizeof *stamp);
		slot->stamped = stamp->magic == WEIR_STAMP_MAGIC;
		before += slot->stamped ? (u32)sizeof *stamp : 0;
	}
	slot->data_at = (u16)(WEIR_SLOT_DATA + before);
	slot->bytes = bytes - before;
	return slot->bytes <= 65535 &&
	       weir_frame_read(weir_slot_packet(slot), slot->bytes, &slot->frame) == 0;
}

/* The header as it will be written again, right before the packet: the stamp is gone. Of where the headers
 * end the kernel needs to know for super-packets only. */
static void set_vnet(struct weir_slot *slot)
{
	struct weir_vnet *v = &slot->vnet;
	if (slot->stamped)
		v->checksum_from = (u16)weir_sub(v->checksum_from, sizeof(struct weir_stamp));
	if (v->gso_type == WEIR_VNET_SINGLE)
		v->header_bytes = 0;
	else
		v->header_bytes = slot->frame.payload_at ? slot->frame.payload_at : slot->frame.transport_at;
	memcpy(weir_slot_packet(slot) - sizeof *v, v, sizeof *v);
}

static u32 flow_of(const struct weir_ferry *f, struct weir_slot *slot)
{
	if (slot->frame.ports) {
		u32 flow = slot->frame.source_port - f->config.first_port;
		if (flow < f->config.n_flows)
			return flow;
		flow = slot->frame.destination_port - f->config.first_port;
		if (flow < f->config.n_flows)
			return flow;
	}
	return weir_frame_hash(weir_slot_packet(slot), &slot->frame, f->hash_key) | 1u << 31;
}

/* When it came, as far as that is known. A stamp from the future is none. */
static void set_arrival(struct weir_ferry *f, struct ferry_port *port, struct weir_slot *slot,
			const struct weir_stamp *stamp, u64 now_ns, u64 guess_ns)
{
	u64 wait_ns = guess_ns, stamp_ns = slot->stamped ? stamp->ns + f->stamp_shift_ns : WEIR_NEVER;
	if (stamp_ns <= f->origin_clock_ns + now_ns) {
		slot->arrived_ns = weir_sub(stamp_ns, f->origin_clock_ns);
		wait_ns = now_ns - slot->arrived_ns;
	} else {
		slot->arrived_ns = now_ns;
		f->fidelity.unstamped += port->stamped;
	}
	port->newest_ns = weir_max(port->newest_ns, slot->arrived_ns);
	slot->pushed_ns = port->newest_ns;
	for (u32 i = 0; i < slot->cut.segments; i++)
		weir_hist_add(&f->fidelity.arrival_ns[port->way], wait_ns);
}

static void stage(struct weir_ferry *f, struct ferry_port *port, struct weir_slot *slot)
{
	slot->next = WEIR_SLOT_NONE;
	if (port->n_staged++ == 0) {
		port->first_staged = slot->self;
		f->staging[f->n_staging++] = (u32)(port - f->port);
	} else {
		weir_slot_at(&f->pool, port->last_staged)->next = slot->self;
	}
	port->last_staged = slot->self;
}

void ferry_stage_pop(struct weir_ferry *f, struct ferry_port *port)
{
	port->first_staged = weir_slot_at(&f->pool, port->first_staged)->next;
	if (--port->n_staged)
		return;
	u32 i = 0, number = (u32)(port - f->port);
	while (f->staging[i] != number)
		i++;
	f->staging[i] = f->staging[--f->n_staging];
}

static void accept(struct weir_ferry *f, struct ferry_port *port, struct weir_slot *slot, u32 bytes,
		   u64 now_ns, u64 guess_ns)
{
	struct weir_stamp stamp = {0};
	bool ip = unwrap(slot, bytes, port->stamped, &stamp);
	slot->port = (u32)(port - f->port);
	slot->exit = ip ? ferry_find_exit(f, port, slot->frame.destination) : WEIR_FERRY_NONE;
	if (slot->exit == WEIR_FERRY_NONE || !slot->frame.routable) {
		f->fidelity.unroutable++;
		weir_slot_drop(&f->pool, slot);
		return;
	}
	set_vnet(slot);
	weir_cut_plan(&slot->vnet, &slot->frame, slot->bytes, &slot->cut);
	u32 mtu_bytes = f->port[slot->exit].tun->mtu_bytes;
	f->fidelity.oversize += mtu_bytes && slot->cut.segments == 1 && slot->bytes > mtu_bytes;
	slot->flow = flow_of(f, slot);
	set_arrival(f, port, slot, &stamp, now_ns, guess_ns);
	stage(f, port, slot);
}

/* One batch. The clock is read once behind it, for all of it. `first`: the packet that woke the ferry is in
 * it. */
static void read_port(struct weir_ferry *f, struct ferry_port *port, bool first)
{
	struct weir_slot *slot[FERRY_READ_BATCH];
	u32 bytes[FERRY_READ_BATCH], n = 0, tries = 0;
	for (; tries < FERRY_READ_BATCH; tries++) {
		ssize_t got = read_packet(f, port->tun->fd);
		if (got <= 0) {
			port->full = got < 0 && errno == EINTR;
			if (got == 0 || (errno != EAGAIN && errno != EINTR))
				f->error = got == 0 ? ECONNRESET : errno;
			break;
		}
		slot[n] = keep(f, (u32)got);
		bytes[n] = (u32)got;
		f->refused += !slot[n];
		n += slot[n] != NULL;
	}
	u64 now_ns = ferry_now_ns(f), longest_ns = weir_sub(now_ns, port->since_ns);
	for (u32 i = 0; i < n; i++) {
		u64 guess_ns = first && i == 0 ? longest_ns : ferry_guess_wait_ns(f, longest_ns, n == 1);
		accept(f, port, slot[i], bytes[i], now_ns, guess_ns);
	}
}

u64 ferry_read(struct weir_ferry *f, const struct epoll_event *ready, u32 n)
{
	u64 horizon_ns = WEIR_NEVER, since_ns = n ? ferry_waiting_since_ns(f) : 0;
	f->n_full = 0;
	for (u32 i = 0; i < n; i++) {
		struct ferry_port *port = &f->port[ready[i].data.u32];
		/* Where it was not ready in between, it was found empty at the look before this one. */
		bool was_empty = !port->full || port->full_round + 1 != f->round;
		if (was_empty)
			port->since_ns = since_ns;
		port->full_round = f->round;
		port->full = true;
		if (port->n_staged < FERRY_STAGED_MAX)
			read_port(f, port, was_empty && f->rest == FERRY_WOKEN);
		f->n_full += port->full;
		if (port->full && port->stamped)
			horizon_ns = weir_min(horizon_ns, port->newest_ns);
	}
	/* Without stamps a packet arrives when it is read. */
	u64 now_ns = n && !f->fidelity.stamped ? ferry_now_ns(f) : f->looked_ns;
	return weir_min(horizon_ns, now_ns);
}

/* ---- what was lost in a device's ring ---- */

static void ask(struct ferry_port *port)
{
	u64 packets;
	if (port->tun->ifindex && weir_tun_overruns(port->tun, &packets) == 0)
		port->overruns = packets;
}

void ferry_overruns_begin(struct weir_ferry *f)
{
	for (u32 i = 0; i < f->n_ports; i++) {
		ask(&f->port[i]);
		f->port[i].overruns_base = f->port[i].overruns;
	}
}

void ferry_overruns_tick(struct weir_ferry *f, u64 now_ns)
{
	if (now_ns < f->overruns_at_ns || f->n_ports == 0)
		return;
	ask(&f->port[f->overruns_next]);
	f->overruns_next = (f->overruns_next + 1) % f->n_ports;
	f->overruns_at_ns = now_ns + WEIR_NS_PER_S / f->n_ports;
}

void ferry_overruns_all(struct weir_ferry *f)
{
	for (u32 i = 0; i < f->n_ports; i++)
		ask(&f->port[i]);
}

/* SPDX-License-Identifier: MIT */
/* Many sources behind a few sockets: datagrams come in batches, go through a guard into the table of
 * age/monitors.h, are answered, and what is fresh is handed on. Nothing here waits for anybody. */
#ifndef WEIR_NET_MONITOR_HOST_H
#define WEIR_NET_MONITOR_HOST_H

#include "age/monitors.h"
#include "age/wire.h"
#include "net/loop.h"
#include "net/session.h"
#include "net/udp.h"

#define WEIR_MONITOR_PORTS 4
#define WEIR_MONITOR_WHO_BYTES 32 /* of the name that a source has proved, cut off */
#define WEIR_MONITOR_ID_BYTES 32  /* a name of at most 31 bytes, or the flow id as 16 hexadecimal digits */

struct weir_monitor_host;

/* A value that nobody had before. All pointers stand until the call returns. */
struct weir_monitor_value {
	u32 place;
	u64 now_ns;
	const struct weir_monitor *monitor;
	const char *id;
	const struct weir_peer *from;
	const u8 *data;
	size_t bytes;
	u32 sequence;
};

struct weir_monitor_host_config {
	u32 capacity;
	u64 expiry_ns, bound_ns, seed; /* as weir_monitors_init */
	void (*fresh)(void *owner, const struct weir_monitor_value *v);
	/* A second source has this place's id: an incarnation came back that another one had replaced, twice.
	 * NULL: nobody wants to know. Told once for each place. */
	void (*contested)(void *owner, u32 place);
	/* The source of this place has gone; it can still be read. NULL: nobody wants to know. */
	void (*gone)(void *owner, u32 place);
	void *owner;
};

/* The incarnations that a place had last: a restart never comes back to the one before. */
struct weir_monitor_lives {
	u32 newest, before, returns;
};

struct weir_monitor_port {
	struct weir_udp udp;
	struct weir_guard *guard;
	struct weir_watch watch;
	struct weir_monitor_host *host;
};

struct weir_monitor_host {
	struct weir_monitors table;
	struct weir_monitor_port port[WEIR_MONITOR_PORTS];
	u32 n_ports;
	char (*id)[WEIR_MONITOR_ID_BYTES];   /* by place */
	char (*who)[WEIR_MONITOR_WHO_BYTES]; /* by place: "" without keys, and then it takes no memory */
	struct weir_monitor_lives *lives;    /* likewise */
	u64 wire[WEIR_AGE_WIRE_KINDS];	     /* datagrams by what they are; OK: packets of ours */
	u64 nameless;			     /* of ours, with a name that is cut off */
	u64 delivered;

	/* private */
	struct weir_monitor_host_config config;
	struct weir_loop *loop;
	void *memory;
	size_t memory_bytes;
	u64 now_ns, expire_ns;
};

/* Bytes that a table for so many sources takes, all in. */
size_t weir_monitor_host_bytes(u32 capacity);

/* 0, or -1 and why. */
int weir_monitor_host_open(struct weir_monitor_host *h, struct weir_loop *loop,
			   const struct weir_monitor_host_config *c, char why[WEIR_NET_WHY_BYTES]);
/* Listens at one more address. The caller makes the guard of the port that is returned with
 * weir_monitor_host_guard_port before the loop runs. NULL and why. */
struct weir_monitor_port *weir_monitor_host_listen(struct weir_monitor_host *h, const struct weir_address *at,
						   char why[WEIR_NET_WHY_BYTES]);
struct weir_guard_port weir_monitor_host_guard_port(struct weir_monitor_port *p);
/* Does what is due; when to come again. */
u64 weir_monitor_host_step(struct weir_monitor_host *h);
void weir_monitor_host_close(struct weir_monitor_host *h);

#endif

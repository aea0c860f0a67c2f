/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Gives each TCP connection that begins in a cgroup a congestion control, and reads back whether it has it.
 * The hooks and helpers are those of man 7 bpf-helpers. It is done when the handshake is complete, just
 * before the kernel would begin with its own: earlier the MSS is not known, and a controller would begin with
 * a wrong one. */
#include "kern/kernel.bpf.h"
#include "kern/steer_format.h"

#define SOCKOPS_CONNECTED 4 /* a connection that was asked for is complete */
#define SOCKOPS_ACCEPTED 5  /* likewise an incoming one */
#define LEVEL_TCP 6
#define TCP_CONGESTION 13

struct bpf_sock_ops {
	u32 op;
};
static long (*const bpf_setsockopt)(struct bpf_sock_ops *c, int level, int option, void *value,
				    int bytes) = (void *)49;
static long (*const bpf_getsockopt)(struct bpf_sock_ops *c, int level, int option, void *value,
				    int bytes) = (void *)57;

const volatile struct weir_steer_name weir_wanted WEIR_SECTION(".rodata.wanted") = {0};
volatile struct weir_steer_counts weir_counts;

WEIR_SECTION("sockops") int weir_steer(struct bpf_sock_ops *c)
{
	struct weir_steer_name wanted = weir_wanted, has = {0};
	if (c->op != SOCKOPS_CONNECTED && c->op != SOCKOPS_ACCEPTED)
		return 1;
	bpf_setsockopt(c, LEVEL_TCP, TCP_CONGESTION, &wanted, sizeof wanted);
	bool same = !bpf_getsockopt(c, LEVEL_TCP, TCP_CONGESTION, &has, sizeof has) &&
		    has.half[0] == wanted.half[0] && has.half[1] == wanted.half[1];
	__sync_fetch_and_add(same ? &weir_counts.steered : &weir_counts.missed, 1);
	return 1;
}

char weir_license[] WEIR_SECTION("license") = "Dual MIT/GPL";

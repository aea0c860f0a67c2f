/* SPDX-License-Identifier: MIT */
/* What this kernel says of itself. */
#ifndef WEIR_KERN_KERNEL_BTF_H
#define WEIR_KERN_KERNEL_BTF_H

#include "weir/types.h"

struct weir_kernel_btf {
	u32 control_arguments;		   /* of tcp_congestion_ops.cong_control: 2, since Linux 6.10 4 */
	bool has_link;			   /* a registration may hang on a link: since Linux 6.4 */
	u32 name_at_bytes, state_at_bytes; /* in the value of a struct_ops map of congestion controls */
};

/* 0, or -1 if there is no BTF, or no word in it of TCP controllers from BPF. */
int weir_kernel_btf_look(struct weir_kernel_btf *b);

#endif

/* SPDX-License-Identifier: MIT */
#include "kernel_btf.h"

#include <bpf/btf.h>
#include <string.h>

/* The number of arguments of tcp_congestion_ops.cong_control; 0: there is none. */
static u32 count_arguments(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "tcp_congestion_ops", BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (u32)id);
	for (u32 i = 0; type && i < btf_vlen(type); i++) {
		const struct btf_member *member = btf_members(type) + i;
		const char *name = btf__name_by_offset(btf, member->name_off);
		if (!name || strcmp(name, "cong_control"))
			continue;
		const struct btf_type *pointer = btf__type_by_id(btf, member->type);
		const struct btf_type *function =
		    pointer && btf_is_ptr(pointer) ? btf__type_by_id(btf, pointer->type) : NULL;
		return function && btf_is_func_proto(function) ? btf_vlen(function) : 0;
	}
	return 0;
}

int weir_kernel_btf_look(struct weir_kernel_btf *b)
{
	struct btf *btf = btf__load_vmlinux_btf();
	if (!btf)
		return -1;
	b->control_arguments = count_arguments(btf);
	b->has_link = btf__find_by_name_kind(btf, "bpf_struct_ops_link", BTF_KIND_STRUCT) > 0;
	bool takes = btf__find_by_name_kind(btf, "bpf_struct_ops_tcp_congestion_ops", BTF_KIND_STRUCT) > 0;
	btf__free(btf);
	return takes && (b->control_arguments == 2 || b->control_arguments == 4) ? 0 : -1;
}

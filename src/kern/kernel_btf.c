/* SPDX-License-Identifier: MIT */
#include "kernel_btf.h"

#include <bpf/btf.h>
#include <string.h>

static const struct btf_type *find_struct(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	return id < 0 ? NULL : btf__type_by_id(btf, (u32)id);
}

static const struct btf_member *find_member(const struct btf *btf, const struct btf_type *type,
					    const char *wanted)
{
	for (u32 i = 0; type && i < btf_vlen(type); i++) {
		const struct btf_member *member = btf_members(type) + i;
		const char *name = btf__name_by_offset(btf, member->name_off);
		if (name && !strcmp(name, wanted))
			return member;
	}
	return NULL;
}

/* How many arguments the function has that a member points to; 0: it points to none. */
static u32 count_arguments(const struct btf *btf, const struct btf_member *member)
{
	const struct btf_type *pointer = member ? btf__type_by_id(btf, member->type) : NULL;
	const struct btf_type *function =
	    pointer && btf_is_ptr(pointer) ? btf__type_by_id(btf, pointer->type) : NULL;
	return function && btf_is_func_proto(function) ? btf_vlen(function) : 0;
}

static bool look(const struct btf *btf, struct weir_kernel_btf *b)
{
	const struct btf_type *ops = find_struct(btf, "tcp_congestion_ops");
	const struct btf_type *value = find_struct(btf, "bpf_struct_ops_tcp_congestion_ops");
	const struct btf_member *data = find_member(btf, value, "data"),
				*name = find_member(btf, ops, "name");
	if (!data || !name)
		return false;
	b->control_arguments = count_arguments(btf, find_member(btf, ops, "cong_control"));
	b->has_link = find_struct(btf, "bpf_struct_ops_link");
	b->name_at_bytes = (data->offset + name->offset) / 8;
	b->state_at_bytes = sizeof(u32); /* after a counter of users, since the first of them */
	return b->control_arguments == 2 || b->control_arguments == 4;
}

int weir_kernel_btf_look(struct weir_kernel_btf *b)
{
	struct btf *btf = btf__load_vmlinux_btf();
	if (!btf)
		return -1;
	bool takes = look(btf, b);
	btf__free(btf);
	return takes ? 0 : -1;
}

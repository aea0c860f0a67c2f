/* SPDX-License-Identifier: MIT */
#include "registered.h"

#include "kernel_btf.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AVAILABLE "/proc/sys/net/ipv4/tcp_available_congestion_control"
#define MAP_HAS_LINK (1U << 13)
#define IN_USE 1 /* enum bpf_struct_ops_state */

bool weir_kern_is_registered(const char *name)
{
	char word[64];
	bool found = false;
	FILE *f = fopen(AVAILABLE, "re");
	while (f && !found && fscanf(f, "%63s", word) == 1)
		found = !strcmp(word, name);
	if (f)
		fclose(f);
	return found;
}

/* What a struct_ops map holds: a state, and the congestion control with its name. */
static bool read_map(int fd, const struct bpf_map_info *info, const struct weir_kernel_btf *btf,
		     struct weir_kern_registration *r)
{
	u32 zero = 0, state;
	if (info->value_size < btf->name_at_bytes + WEIR_KERN_NAME_BYTES)
		return false;
	char *value = calloc(1, info->value_size);
	bool read = value && !bpf_map_lookup_elem(fd, &zero, value);
	if (read) {
		memcpy(&state, value + btf->state_at_bytes, sizeof state);
		memcpy(r->name, value + btf->name_at_bytes, WEIR_KERN_NAME_BYTES);
		r->name[WEIR_KERN_NAME_BYTES - 1] = 0;
		r->map_id = info->id;
		r->stays = !(info->map_flags & MAP_HAS_LINK);
		read = !r->stays || state == IN_USE;
	}
	free(value);
	return read && !strncmp(r->name, "weir_", 5) && weir_kern_is_registered(r->name);
}

/* A registration of a name that was ended may still be held by its sockets: the newest is the one that
 * counts. */
static u32 keep(struct weir_kern_registration *all, u32 n, u32 room, const struct weir_kern_registration *r)
{
	for (u32 i = 0; i < n && i < room; i++)
		if (!strcmp(all[i].name, r->name)) {
			all[i] = *r;
			return n;
		}
	if (n < room)
		all[n] = *r;
	return n + 1;
}

int weir_kern_registrations(struct weir_kern_registration *r, u32 room)
{
	struct weir_kernel_btf btf;
	u32 id = 0, n = 0;
	if (weir_kernel_btf_look(&btf))
		return 0;
	while (!bpf_map_get_next_id(id, &id)) {
		struct bpf_map_info info = {0};
		struct weir_kern_registration found = {0};
		u32 bytes = sizeof info;
		int fd = bpf_map_get_fd_by_id(id);
		if (fd < 0 && errno == ENOENT) /* gone since */
			continue;
		if (fd < 0)
			return -1;
		if (!bpf_obj_get_info_by_fd(fd, &info, &bytes) && info.type == BPF_MAP_TYPE_STRUCT_OPS &&
		    read_map(fd, &info, &btf, &found))
			n = keep(r, n, room, &found);
		close(fd);
	}
	return errno == ENOENT ? (int)n : -1;
}

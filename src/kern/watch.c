/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPS_MAX 16

static volatile struct weir_kern_control *map_control(int fd)
{
	void *at = mmap(NULL, sizeof(struct weir_kern_control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void unmap_control(volatile struct weir_kern_control *control)
{
	if (control)
		munmap((void *)(size_t)control, sizeof *control);
}

/* What a watcher needs of a controller's maps. */
struct found {
	int ring_fd;
	u32 ring_id;
	volatile struct weir_kern_control *control;
	u32 n_params;
	u64 params[WEIR_CALLS_PARAMS_MAX];
};

static void release(struct found *f)
{
	if (f->ring_fd >= 0)
		close(f->ring_fd);
	unmap_control(f->control);
	*f = (struct found){.ring_fd = -1};
}

/* Of the section where the loader put them. */
static void take_params(int fd, const struct bpf_map_info *info, struct found *f)
{
	u32 zero = 0;
	if (info->value_size <= sizeof f->params && !bpf_map_lookup_elem(fd, &zero, f->params))
		f->n_params = info->value_size / sizeof(u64);
}

/* What of a program's maps is the ring, and what the control of this controller. */
static void look_at_map(u32 id, const char *name, struct found *f)
{
	struct bpf_map_info info = {0};
	u32 bytes = sizeof info;
	int fd = bpf_map_get_fd_by_id(id);
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &bytes)) {
		if (info.type == BPF_MAP_TYPE_RINGBUF && !strcmp(info.name, "weir_ring") && f->ring_fd < 0) {
			f->ring_fd = fd;
			f->ring_id = id;
			return;
		}
		if (info.type == BPF_MAP_TYPE_ARRAY && !strcmp(info.name, ".rodata.params"))
			take_params(fd, &info, f);
		else if (info.type == BPF_MAP_TYPE_ARRAY && info.value_size == sizeof *f->control &&
			 !f->control) {
			volatile struct weir_kern_control *c = map_control(fd);
			if (c && !strncmp((const char *)(size_t)c->name, name, sizeof c->name))
				f->control = c;
			else
				unmap_control(c);
		}
	}
	close(fd);
}

static bool look_at_program(u32 id, const char *name, struct found *f)
{
	u32 maps[MAPS_MAX];
	struct bpf_prog_info info = {.nr_map_ids = MAPS_MAX, .map_ids = (u64)(size_t)maps};
	u32 bytes = sizeof info;
	int fd = bpf_prog_get_fd_by_id(id);
	*f = (struct found){.ring_fd = -1};
	if (fd < 0)
		return false;
	bool ours = !bpf_obj_get_info_by_fd(fd, &info, &bytes) && info.type == BPF_PROG_TYPE_STRUCT_OPS;
	for (u32 i = 0; ours && i < info.nr_map_ids && i < MAPS_MAX; i++)
		look_at_map(maps[i], name, f);
	close(fd);
	if (f->ring_fd >= 0 && f->control)
		return true;
	release(f);
	return false;
}

/* The newest one of this name: programs of an ended registration may live on with their sockets. Not every
 * program of it looks at the parameters. */
static bool find(const char *name, struct found *found)
{
	u32 id = 0;
	*found = (struct found){.ring_fd = -1};
	while (!bpf_prog_get_next_id(id, &id)) {
		struct found f;
		if (!look_at_program(id, name, &f))
			continue;
		if (!f.n_params && f.ring_id == found->ring_id) {
			f.n_params = found->n_params;
			memcpy(f.params, found->params, sizeof f.params);
		}
		release(found);
		*found = f;
	}
	return found->control;
}

static int take_record(void *context, void *data, size_t bytes)
{
	struct weir_kern_watch *w = context;
	if (bytes >= sizeof(struct weir_kern_record))
		w->take(w->context, data);
	return 0;
}

static int refuse(struct weir_kern_watch *w, const char *text, const char *name,
		  char why[WEIR_KERN_WHY_BYTES])
{
	snprintf(why, WEIR_KERN_WHY_BYTES, "%s: %s", name, text);
	unmap_control(w->control);
	w->control = NULL;
	return 1;
}

int weir_kern_watch_open(struct weir_kern_watch *w, const char *name,
			 void (*take)(void *context, const struct weir_kern_record *record), void *context,
			 char why[WEIR_KERN_WHY_BYTES])
{
	struct found f;
	*w = (struct weir_kern_watch){.take = take, .context = context};
	bool found = find(name, &f);
	w->control = f.control;
	w->n_params = f.n_params;
	memcpy(w->params, f.params, sizeof w->params);
	if (!found)
		return refuse(w, "it is not in this kernel, or was not loaded by this version of Weir", name,
			      why);
	u32 other = w->control->watcher;
	if (other && other != (u32)getpid() && (kill((pid_t)other, 0) == 0 || errno == EPERM)) {
		close(f.ring_fd);
		return refuse(w, "somebody watches it already", name, why);
	}
	w->ring = ring_buffer__new(f.ring_fd, take_record, w, NULL);
	close(f.ring_fd); /* the ring has its own mapping, and epoll holds the rest */
	if (!w->ring)
		return refuse(w, strerror(errno), name, why);
	w->dropped_before = w->control->dropped;
	w->control->watcher = (u32)getpid();
	return 0;
}

int weir_kern_watch_poll(struct weir_kern_watch *w, u32 timeout_ms)
{
	int n = timeout_ms ? ring_buffer__poll(w->ring, (int)timeout_ms) : ring_buffer__consume(w->ring);
	if (n < 0)
		errno = -n;
	return n < 0 ? -1 : n;
}

u64 weir_kern_watch_dropped(const struct weir_kern_watch *w)
{
	return w->control->dropped - w->dropped_before;
}

void weir_kern_watch_close(struct weir_kern_watch *w)
{
	if (w->control)
		w->control->watcher = 0;
	ring_buffer__free(w->ring);
	unmap_control(w->control);
	*w = (struct weir_kern_watch){0};
}

const char *weir_kern_event_word(u32 event)
{
	static const char *const words[] = {"init", "ack", "loss", "timeout", "idle", "tick"};
	return event < WEIR_KERN_EVENTS ? words[event] : "?";
}

/* SPDX-License-Identifier: MIT */
#include "load.h"

#include "kernel_btf.h"
#include "registered.h"
#include "rename.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Linux 6.4; newer than the headers of Debian 12. */
#define MAP_HAS_LINK (1U << 13)
#define LINK_STRUCT_OPS ((enum bpf_attach_type)44)
#define PARAMS_MAX 64

bool weir_kern_name(const char *word, char name[WEIR_KERN_NAME_BYTES])
{
	int n = snprintf(name, WEIR_KERN_NAME_BYTES, "weir_%s", word);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return n < WEIR_KERN_NAME_BYTES;
}

static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

static int say_all(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, format, arguments);
}

/* What the kernel's TCP cannot give. */
static const char *unmet_need(const struct weir_cc_ops *ops)
{
	if (ops->needs & WEIR_NEED_SEND)
		return "wants to see each packet that leaves (WEIR_NEED_SEND)";
	if (ops->needs & WEIR_NEED_TICK)
		return "wants to be woken in time (WEIR_NEED_TICK), which is possible with the next ACK only";
	if (ops->needs & WEIR_NEED_OWD)
		return "wants one-way delays (WEIR_NEED_OWD), which TCP does not carry";
	return NULL;
}

bool weir_kern_takes(const struct weir_cc_ops *ops, char why[WEIR_KERN_WHY_BYTES])
{
	char name[WEIR_KERN_NAME_BYTES];
	const char *unmet = unmet_need(ops);
	*why = 0;
	if (unmet)
		snprintf(why, WEIR_KERN_WHY_BYTES, "%s: it %s; the kernel's TCP cannot do that", ops->name,
			 unmet);
	else if (!weir_kern_name(ops->name, name))
		snprintf(why, WEIR_KERN_WHY_BYTES,
			 "%s: the name is too long for the kernel, which has room for 10 characters",
			 ops->name);
	return *why == 0;
}

bool weir_kern_takes_pilot(const struct weir_pilot_ops *pilot, char why[WEIR_KERN_WHY_BYTES])
{
	struct weir_kern_governor governor;
	struct weir_kern_object object;
	u64 params[PARAMS_MAX] = {0};
	for (u32 i = 0; i < pilot->n_params && i < PARAMS_MAX; i++)
		params[i] = pilot->params[i].default_value;
	return !weir_kern_object_governor(pilot, params, &governor, &object, why) &&
	       weir_kern_takes(object.ops, why);
}

static const char *section(const struct bpf_program *program)
{
	return bpf_program__section_name(program);
}

/* Which of the programs and maps this kernel, and this life, need. */
static void choose(struct weir_kern *k, const struct weir_kernel_btf *btf)
{
	struct bpf_program *program;
	bool registers = k->life != WEIR_KERN_REPLAY;
	const char *other =
	    btf->control_arguments == 2 ? "struct_ops/cong_control" : "struct_ops/cong_control_2";
	bpf_object__for_each_program(program, k->object)
	{
		bool replay = !strcmp(section(program), "syscall");
		bpf_program__set_autoload(program,
					  replay ? !registers : registers && strcmp(section(program), other));
	}
	struct bpf_map *map;
	const char *ours = btf->control_arguments == 2 ? "weir_tcp_2" : "weir_tcp";
	bool in_socket = k->ops->state_bytes + (k->ops->on_tick ? sizeof(u64) : 0) <= WEIR_CC_HOT_BYTES;
	bpf_object__for_each_map(map, k->object)
	{
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS) {
			bpf_map__set_autocreate(map, registers && !strcmp(bpf_map__name(map), ours));
			if (k->life == WEIR_KERN_PROCESS && btf->has_link)
				bpf_map__set_map_flags(map, MAP_HAS_LINK);
		} else if (bpf_map__type(map) == BPF_MAP_TYPE_SK_STORAGE) {
			bpf_map__set_autocreate(map, registers && !in_socket);
		}
	}
}

static int set_params(struct weir_kern *k, const struct weir_kern_inners *inners, const u64 *params,
		      char why[WEIR_KERN_WHY_BYTES])
{
	struct bpf_map *map = bpf_object__find_map_by_name(k->object, ".rodata.params");
	size_t bytes = 0;
	const void *there = map ? bpf_map__initial_value(map, &bytes) : NULL;
	u64 values[PARAMS_MAX];
	if (!there || bytes > (inners ? sizeof *inners : sizeof values) || bytes != k->ops->params_bytes) {
		snprintf(why, WEIR_KERN_WHY_BYTES, "%s: its BPF program has no room for its parameters",
			 k->ops->name);
		return 2;
	}
	for (u32 i = 0; i < k->ops->n_params; i++)
		values[i] = params ? params[i] : k->ops->params[i].default_value;
	bpf_map__set_initial_value(map, inners ? (const void *)inners : values, bytes);
	return 0;
}

static void tell_of_signals(const struct weir_kern *k)
{
	const struct weir_signal *first = k->ops->n_signals ? &k->ops->signals[0] : NULL;
	u32 has = first && !strcmp(first->name, "ssthresh") && !strcmp(first->unit, "bytes");
	struct bpf_map *map = bpf_object__find_map_by_name(k->object, ".rodata.signal");
	if (map)
		bpf_map__set_initial_value(map, &has, sizeof has);
}

static int find_fds(struct weir_kern *k)
{
	struct bpf_program *program;
	struct bpf_map *map;
	bpf_object__for_each_program(program, k->object) if (!strcmp(section(program), "syscall"))
	    k->replay_fd = bpf_program__fd(program);
	bpf_object__for_each_map(map, k->object) if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS &&
						     bpf_map__autocreate(map)) k->map_fd = bpf_map__fd(map);
	if (k->life == WEIR_KERN_REPLAY) {
		map = bpf_object__find_map_by_name(k->object, ".data.replay");
		k->replay = map ? mmap(NULL, sizeof *k->replay, PROT_READ | PROT_WRITE, MAP_SHARED,
				       bpf_map__fd(map), 0)
				: MAP_FAILED;
		return k->replay_fd < 0 || k->replay == MAP_FAILED ? -1 : 0;
	}
	struct bpf_map_info info = {0};
	u32 bytes = sizeof info;
	if (k->map_fd < 0 || bpf_obj_get_info_by_fd(k->map_fd, &info, &bytes))
		return -1;
	k->map_id = info.id;
	return 0;
}

static int open_and_load(struct weir_kern *k, const struct weir_kern_object *object, const u64 *params,
			 char why[WEIR_KERN_WHY_BYTES])
{
	struct weir_kernel_btf btf;
	if (weir_kernel_btf_look(&btf)) {
		snprintf(
		    why, WEIR_KERN_WHY_BYTES,
		    "this kernel takes no TCP controllers from BPF: `weir doctor` tells what is missing");
		return 3;
	}
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = k->name);
	k->object = bpf_object__open_mem(object->data, object->bytes, &options);
	if (!k->object) {
		snprintf(why, WEIR_KERN_WHY_BYTES, "%s: its BPF program cannot be read: %s", k->ops->name,
			 strerror(errno));
		return 2;
	}
	choose(k, &btf);
	int rc = set_params(k, object->inners, params, why);
	if (rc)
		return rc;
	tell_of_signals(k);
	int error = bpf_object__load(k->object);
	if (!error && !find_fds(k))
		return 0;
	error = error ? -error : errno;
	bool may_not = error == EPERM || error == EACCES;
	snprintf(why, WEIR_KERN_WHY_BYTES, "%s: the kernel does not take its BPF program: %s%s", k->ops->name,
		 strerror(error),
		 may_not ? "; root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN, may load it"
			 : "; --verbose shows what its verifier says");
	return may_not ? 3 : 2;
}

/* A copy under another name; NULL with a sentence. */
static void *copy_as(const struct weir_kern_object *object, const char *name, char why[WEIR_KERN_WHY_BYTES])
{
	void *copy = malloc(object->bytes);
	snprintf(why, WEIR_KERN_WHY_BYTES, "%s: out of memory", object->ops->name);
	errno = ENOMEM;
	if (!copy)
		return NULL;
	memcpy(copy, object->data, object->bytes);
	if (!weir_kern_rename(copy, object->bytes, name))
		return copy;
	snprintf(why, WEIR_KERN_WHY_BYTES, "%s: its BPF program has no name to replace", object->ops->name);
	errno = EINVAL;
	free(copy);
	return NULL;
}

/* Under k->name, which is the object's own unless it was renamed. The governor's is each pilot's. */
static int load(struct weir_kern *k, const struct weir_kern_object *object, const u64 *params, bool verbose,
		char why[WEIR_KERN_WHY_BYTES])
{
	struct weir_kern_object named = *object;
	void *copy = object->inners ? copy_as(object, k->name, why) : NULL;
	if (object->inners && !copy)
		return 2;
	if (copy)
		named.data = copy;
	libbpf_print_fn_t before = libbpf_set_print(verbose ? say_all : say_nothing);
	int rc = open_and_load(k, &named, params, why);
	libbpf_set_print(before);
	free(copy);
	if (rc)
		weir_kern_close(k);
	return rc;
}

static int begin(struct weir_kern *k, const struct weir_kern_object *object, enum weir_kern_life life,
		 char why[WEIR_KERN_WHY_BYTES])
{
	*k = (struct weir_kern){
	    .ops = object->ops, .life = life, .map_fd = -1, .link_fd = -1, .replay_fd = -1};
	bool fits = weir_kern_name(k->ops->name, k->name);
	return weir_kern_takes(k->ops, why) || (life == WEIR_KERN_REPLAY && fits) ? 0 : 2;
}

int weir_kern_load(struct weir_kern *k, const struct weir_kern_object *object, const u64 *params,
		   enum weir_kern_life life, bool verbose, char why[WEIR_KERN_WHY_BYTES])
{
	int rc = begin(k, object, life, why);
	return rc ? rc : load(k, object, params, verbose, why);
}

static int refused(const struct weir_kern *k, char why[WEIR_KERN_WHY_BYTES])
{
	int error = errno;
	if (error == EEXIST)
		snprintf(
		    why, WEIR_KERN_WHY_BYTES,
		    "%s is registered already: `weir kernel list` shows it, `weir kernel unload %s` ends it",
		    k->name, k->ops->name);
	else
		snprintf(why, WEIR_KERN_WHY_BYTES, "the kernel does not register %s: %s", k->name,
			 strerror(error));
	errno = error;
	return 1;
}

int weir_kern_register(struct weir_kern *k, char why[WEIR_KERN_WHY_BYTES])
{
	struct bpf_map *map = NULL, *each;
	bpf_object__for_each_map(each, k->object) if (bpf_map__fd(each) == k->map_fd) map = each;
	bool has_link = map && bpf_map__map_flags(map) & MAP_HAS_LINK;
	/* This fills in the programs' numbers; a map with the flag is registered by its link only. libbpf's
	 * own notion of a link is not wanted: it would end the registration with this object. */
	struct bpf_link *ours = map ? bpf_map__attach_struct_ops(map) : NULL;
	if (!ours)
		return refused(k, why);
	bpf_link__disconnect(ours);
	bpf_link__destroy(ours);
	if (!has_link)
		return 0;
	k->link_fd = bpf_link_create(k->map_fd, 0, LINK_STRUCT_OPS, NULL);
	return k->link_fd < 0 ? refused(k, why) : 0;
}

#define NAMES_MAX 999

/* The n-th name for this controller: its own, or one with a number, for which it may be cut short. */
static void name_again(char name[WEIR_KERN_NAME_BYTES], u32 n)
{
	char number[WEIR_KERN_NAME_BYTES];
	int digits = snprintf(number, sizeof number, ".%u", n);
	size_t room = (size_t)(WEIR_KERN_NAME_BYTES - 1 - digits);
	name[weir_min(strlen(name), room)] = 0;
	strcat(name, number);
}

/* Somebody may take the name between the look and the registration. */
static int try_name(struct weir_kern *k, const struct weir_kern_object *object, const u64 *params,
		    bool verbose, char why[WEIR_KERN_WHY_BYTES])
{
	int rc = load(k, object, params, verbose, why);
	if (rc)
		return rc;
	rc = weir_kern_register(k, why);
	int error = errno;
	if (rc)
		weir_kern_close(k);
	errno = error;
	return rc;
}

static int host_renamed(struct weir_kern *k, const struct weir_kern_object *object, const u64 *params,
			bool verbose, char why[WEIR_KERN_WHY_BYTES])
{
	int rc = 1;
	errno = EEXIST;
	for (u32 n = 2; rc == 1 && errno == EEXIST && n <= NAMES_MAX; n++) {
		struct weir_kern_object copy = *object;
		weir_kern_name(k->ops->name, k->name);
		name_again(k->name, n);
		if (weir_kern_is_registered(k->name)) {
			errno = EEXIST;
			continue;
		}
		void *data = copy_as(object, k->name, why);
		if (!data)
			return errno == ENOMEM ? 1 : 2;
		copy.data = data;
		rc = try_name(k, &copy, params, verbose, why);
		int error = errno;
		free(data);
		errno = error;
	}
	return rc;
}

int weir_kern_host(struct weir_kern *k, const struct weir_kern_object *object, const u64 *params,
		   bool verbose, char why[WEIR_KERN_WHY_BYTES])
{
	int rc = begin(k, object, WEIR_KERN_PROCESS, why);
	if (rc)
		return rc;
	rc = 1;
	errno = EEXIST;
	if (!weir_kern_is_registered(k->name))
		rc = try_name(k, object, params, verbose, why);
	return rc == 1 && errno == EEXIST ? host_renamed(k, object, params, verbose, why) : rc;
}

void weir_kern_close(struct weir_kern *k)
{
	u32 zero = 0;
	if (k->link_fd >= 0)
		close(k->link_fd);
	else if (k->map_fd >= 0 && k->life == WEIR_KERN_PROCESS)
		bpf_map_delete_elem(k->map_fd, &zero);
	if (k->replay && k->replay != MAP_FAILED)
		munmap(k->replay, sizeof *k->replay);
	bpf_object__close(k->object);
	k->replay = NULL;
	k->object = NULL;
	k->map_fd = k->link_fd = k->replay_fd = -1;
}

int weir_kern_replay(const struct weir_kern *k, struct weir_kern_replay *r)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	*k->replay = *r;
	int error = bpf_prog_test_run_opts(k->replay_fd, &options);
	if (error)
		errno = -error;
	else
		*r = *k->replay;
	return error ? -1 : 0;
}

int weir_kern_unregister(u32 map_id)
{
	struct bpf_map_info info = {0};
	u32 bytes = sizeof info, zero = 0;
	int fd = bpf_map_get_fd_by_id(map_id);
	if (fd < 0)
		return -1;
	int result = bpf_obj_get_info_by_fd(fd, &info, &bytes);
	if (!result && info.type != BPF_MAP_TYPE_STRUCT_OPS) {
		errno = ENOENT;
		result = -1;
	} else if (!result) {
		result = bpf_map_delete_elem(fd, &zero);
	}
	int error = errno;
	close(fd);
	errno = error;
	return result ? -1 : 0;
}

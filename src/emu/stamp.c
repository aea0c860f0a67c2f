/* SPDX-License-Identifier: MIT */
#include "stamp.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

/* Linux 6.6; newer than the headers of Debian 12. */
#define TCX_EGRESS ((enum bpf_attach_type)47)

/* tools/embed, of stamp.bpf.o */
extern const unsigned char weir_stamp_object[];
extern const size_t weir_stamp_object_bytes;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int program_fd = -1, load_error;

/* What libbpf has to say of a kernel without BPF is no news to the user: the caller goes on without stamps.
 */
static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

static void load(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "weir_stamp");
	libbpf_print_fn_t before = libbpf_set_print(say_nothing);
	struct bpf_object *object =
	    bpf_object__open_mem(weir_stamp_object, weir_stamp_object_bytes, &options);
	if (object && !bpf_object__load(object)) {
		struct bpf_program *program = bpf_object__find_program_by_name(object, "weir_stamp");
		/* what the object has ends with it */
		program_fd = program ? fcntl(bpf_program__fd(program), F_DUPFD_CLOEXEC, 3) : -1;
	}
	if (program_fd < 0)
		load_error = errno ? errno : ENOTSUP;
	bpf_object__close(object);
	libbpf_set_print(before);
}

int weir_stamp_attach(u32 ifindex)
{
	pthread_once(&once, load);
	if (program_fd < 0) {
		errno = load_error;
		return -1;
	}
	return bpf_link_create(program_fd, (int)ifindex, TCX_EGRESS, NULL);
}

i64 weir_stamp_shift_ns(void)
{
	char line[128];
	long long s, ns, shift_ns = 0;
	FILE *f = fopen("/proc/self/timens_offsets", "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "monotonic %lld %lld", &s, &ns) == 2)
			shift_ns = s * (long long)WEIR_NS_PER_S + ns;
	if (f)
		fclose(f);
	return shift_ns;
}

/* SPDX-License-Identifier: MIT */
/* What BPF needs: the stamps of emulated links, and controllers inside the kernel. */
#include "doctor.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BTF "/sys/kernel/btf/vmlinux"

/* Whether a big binary file holds this string. */
static bool file_holds(const char *path, const char *text)
{
	static char block[1 << 16];
	size_t length = strlen(text), kept = 0;
	FILE *f = fopen(path, "rbe");
	bool found = false;
	while (f && !found) {
		size_t n = fread(block + kept, 1, sizeof block - kept, f);
		if (n == 0)
			break;
		n += kept;
		found = memmem(block, n, text, length) != NULL;
		kept = n < length ? n : length - 1; /* it may stand across two blocks */
		memmove(block, block + n - kept, kept);
	}
	if (f)
		fclose(f);
	return found;
}

static void look_for_btf(struct weir_doctor_finding *f)
{
	if (access(BTF, R_OK) == 0)
		weir_doctor_find(f, true, BTF);
	else
		weir_doctor_find(f, false, BTF ": %s", strerror(errno));
}

static void look_for_struct_ops(struct weir_doctor_finding *f)
{
	bool ok = file_holds(BTF, "bpf_struct_ops_tcp_congestion_ops");
	weir_doctor_find(f, ok, "the kernel %s TCP controllers from BPF", ok ? "takes" : "takes no");
}

static void look_for_clang(struct weir_doctor_finding *f)
{
	static const char *const names[] = {"clang", "clang-14", NULL};
	weir_doctor_find_program(f, names);
}

static void look_at_libbpf(struct weir_doctor_finding *f)
{
	weir_doctor_find(f, true, "%s", libbpf_version_string());
}

static void look_for_bpftool(struct weir_doctor_finding *f)
{
	static const char *const names[] = {"bpftool", NULL};
	weir_doctor_find_program(f, names);
}

const struct weir_doctor_check weir_doctor_bpf[] = {
    {"btf", false, look_for_btf, "a kernel built with CONFIG_DEBUG_INFO_BTF, as Debian's are", NULL},
    {"struct_ops", false, look_for_struct_ops, "a kernel of 5.13 or newer with CONFIG_BPF_JIT and BTF", NULL},
    {"clang", false, look_for_clang, "apt-get install clang", "building Weir needs it"},
    {"libbpf", false, look_at_libbpf, "apt-get install libbpf1", NULL},
    {"bpftool", false, look_for_bpftool, "apt-get install bpftool", NULL},
    {0},
};

/* SPDX-License-Identifier: MIT */
#include "preflight.h"

#include "kernel_btf.h"

#include <linux/capability.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define JIT_FILE "/proc/sys/net/core/bpf_jit_enable"

/* Root, or the three capabilities that its parts ask for. */
static bool may_load(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};
	if (syscall(SYS_capget, &head, data))
		return geteuid() == 0;
	u64 has = (u64)data[1].effective << 32 | data[0].effective;
	u64 all = 1ULL << CAP_SYS_ADMIN | 1ULL << CAP_NET_ADMIN;
	u64 some = 1ULL << CAP_BPF | 1ULL << CAP_PERFMON | 1ULL << CAP_NET_ADMIN;
	return (has & all) == all || (has & some) == some;
}

static bool jit_is_on(void)
{
	FILE *f = fopen(JIT_FILE, "re");
	if (!f) /* not told in this namespace: then the load will tell */
		return true;
	int on = fgetc(f);
	fclose(f);
	return on != '0';
}

u32 weir_kern_preflight(void (*say)(void *context, const char *line), void *context)
{
	u32 missing = 0;
	struct weir_kernel_btf btf;
	if (!may_load()) {
		say(context, "no right to load BPF programs: run as root, or with CAP_BPF, CAP_PERFMON and "
			     "CAP_NET_ADMIN");
		missing++;
	}
	if (access(BTF_FILE, R_OK)) {
		say(context, "no " BTF_FILE ": a kernel built with CONFIG_DEBUG_INFO_BTF is needed, as "
			     "distributions have it; in a container, /sys must be mounted");
		missing++;
	} else if (weir_kernel_btf_look(&btf)) {
		say(context, "this kernel takes no TCP controllers from BPF: 5.6 or newer is needed, with "
			     "CONFIG_BPF_JIT");
		missing++;
	}
	if (!jit_is_on()) {
		say(context, "the JIT compiler of BPF is off: sysctl net.core.bpf_jit_enable=1");
		missing++;
	}
	return missing;
}

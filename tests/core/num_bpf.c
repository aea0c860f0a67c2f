/* SPDX-License-Identifier: MIT */
/* Compiled as the kernel's machine would see it: no 128-bit product. */
#define __BPF__ 1
#include "num_bpf.h"
#include "weir/num.h"

unsigned long long num_bpf_muldiv(unsigned long long a, unsigned long long b, unsigned long long c)
{
	return weir_muldiv(a, b, c);
}

unsigned num_bpf_ilog2(unsigned long long x)
{
	return weir_ilog2(x);
}

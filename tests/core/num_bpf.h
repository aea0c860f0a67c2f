/* SPDX-License-Identifier: MIT */
/* The arithmetic as BPF gets it, callable on the host. */
#ifndef WEIR_TESTS_CORE_NUM_BPF_H
#define WEIR_TESTS_CORE_NUM_BPF_H

unsigned long long num_bpf_muldiv(unsigned long long a, unsigned long long b, unsigned long long c);
unsigned num_bpf_ilog2(unsigned long long x);

#endif

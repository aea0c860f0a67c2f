/* SPDX-License-Identifier: MIT */
/* What of a scenario an emulation can do: kernel TCP over an emulated path has its own recovery, its own
 * acknowledgements, its own headers. What would make the result meaningless is a mistake; what the kernel
 * merely does in its own way becomes a note in the summary, so that one file runs on both. */
#ifndef WEIR_RUN_EMULABLE_H
#define WEIR_RUN_EMULABLE_H

#include "build.h"
#include "record/summary.h"

/* Two processes each, and every packet of all of them through one thread. */
#define WEIR_EMULATED_FLOWS_MAX 160
#define WEIR_EMULATED_PAIRS_MAX 80 /* host pairs; one for each flow, as far as they go */
#define WEIR_EMULATED_HEADER4 52   /* IPv4, TCP and its time stamps */
#define WEIR_EMULATED_HEADER6 72   /* with IPv6 */
#define WEIR_EMULATED_UDP_HEADER4 28
#define WEIR_EMULATED_UDP_HEADER6 48

/* Returns how many mistakes were added to *diag. */
u32 weir_emulable_check(const struct weir_scenario_set *set, const struct weir_scenario *s,
			struct weir_diag *diag);
/* "cubic" of "kernel:cubic" and of "cubic". */
const char *weir_emulable_controller(const char *name);
/* 0; or a weir_exit with a sentence: a controller of Weir's that no kernel can be host to, or this machine
 * may not; or one of the kernel's own that it does not have, and what it has. */
int weir_emulable_controllers(const struct weir_scenario *s, const struct weir_build_with *with,
			      char why[512]);
/* What the kernel does in its own way. */
void weir_emulable_notes(const struct weir_scenario *s, const struct weir_build_with *with,
			 struct weir_summary *out);

/* Largest packet that any flow needs, and at least 1500. */
u32 weir_emulable_mtu_bytes(const struct weir_scenario *s);

#endif

/* SPDX-License-Identifier: MIT */
/* What the ferry measured of itself, as it is recorded. */
#ifndef WEIR_RUN_JUDGE_H
#define WEIR_RUN_JUDGE_H

#include "emu/fidelity.h"
#include "record/emulation.h"

/* Verdict, figures and the release of the kernel. */
void weir_judge(const struct weir_fidelity *f, struct weir_emulation *out);

#endif

/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <stdio.h>
#include <sys/utsname.h>

static double share(u64 part, u64 whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void way_of(struct weir_emulation_way *out, const struct weir_fidelity *f, u32 way)
{
	out->packets = f->packets[way];
	out->bytes = f->bytes[way];
	weir_lateness_from_hist(&out->lateness_us, &f->lateness_ns[way]);
	weir_lateness_from_hist(&out->arrival_us, &f->arrival_ns[way]);
}

void weir_judge(const struct weir_fidelity *f, struct weir_emulation *out)
{
	struct weir_judgement j;
	struct utsname u;
	weir_fidelity_judge(f, &j);
	*out = (struct weir_emulation){
	    .verdict = weir_verdict_names[j.verdict],
	    .rtt_error_us = j.rtt_error_ns / 1e3,
	    .rtt_error_fraction = j.rtt_error_fraction,
	    .missed_fraction = j.missed_fraction,
	    .overrun_fraction = j.overrun_fraction,
	    .base_rtt_ms = (double)f->base_rtt_ns / 1e6,
	    .overruns = f->overruns,
	    .unstamped = f->unstamped,
	    .oversize = f->oversize,
	    .unroutable = f->unroutable,
	    .elapsed_s = (double)f->elapsed_ns / 1e9,
	    .cpu_fraction = share(f->cpu_ns, f->elapsed_ns),
	    .realtime_fraction = share(f->realtime_ns, f->elapsed_ns),
	    .stamped = f->stamped,
	};
	snprintf(out->reason, sizeof out->reason, "%s", j.reason);
	way_of(&out->up, f, WEIR_UP);
	way_of(&out->down, f, WEIR_DOWN);
	static const struct weir_hist none;
	struct weir_hist both = none;
	weir_hist_merge(&both, &f->lateness_ns[WEIR_UP]);
	weir_hist_merge(&both, &f->lateness_ns[WEIR_DOWN]);
	weir_lateness_from_hist(&out->lateness_us, &both);
	weir_lateness_from_hist(&out->gap_us, &f->gap_ns);
	if (uname(&u) == 0)
		snprintf(out->kernel, sizeof out->kernel, "%.79s", u.release);
}

/* SPDX-License-Identifier: MIT */
/* Did the emulator deliver what was asked? Counted by the ferry, judged here.
 *
 * lateness   of each packet that came out: when the write that delivered it had returned, less when the model
 *            says it leaves the last hop. Counts from the true arrival where packets are stamped.
 * arrival    of each packet that went in: when the ferry had read it, less its stamp. Without stamps it is
 *            guessed. A packet that woke the ferry waited as long as one of the latest 64 alarms of the ferry
 *            itself was late. One that was found waited since the look before, or the alarm that was
 *            overslept, or a part of that, spread evenly from nothing, if it was alone, or from a half, if
 *            several were found together: they queue behind each other in the link then.
 * gap        between two looks at the devices while the ferry was awake, or past the end of a planned sleep.
 * missed     in each window of max(100 ms, base RTT): bytes due in it less bytes delivered in it, where
 *            positive; summed over all windows, over all bytes due. What is late by up to a hundredth of a
 *            window counts as delivered when it was due.
 * overruns   packets lost outside the model: a device's ring, or the ferry's memory.
 *
 * The error that an outside observer sees in the RTT is the sum of the lateness of two crossings; its p99 is
 * taken over the convolution of both ways' lateness. Verdict: `faithful` while that is at most 1 % of the
 * base RTT and missed at most 1 %, `degraded` up to 5 %, `invalid` above, or with any overrun over .1 % of
 * the packets. A path without delay is judged against the time of one full packet at its slowest rate, at
 * least 1 ms. */
#ifndef WEIR_EMU_FIDELITY_H
#define WEIR_EMU_FIDELITY_H

#include "core/hist.h"

enum weir_fidelity_verdict { WEIR_FAITHFUL, WEIR_DEGRADED, WEIR_INVALID, WEIR_FIDELITY_VERDICTS };
extern const char *const weir_verdict_names[WEIR_FIDELITY_VERDICTS]; /* "faithful", "degraded", "invalid" */

enum { WEIR_UP, WEIR_DOWN, WEIR_WAYS };

struct weir_fidelity {
	struct weir_hist lateness_ns[WEIR_WAYS], arrival_ns[WEIR_WAYS], gap_ns;
	struct weir_hist delay_ns[WEIR_WAYS];	  /* from true arrival to delivery, of each packet */
	u64 packets[WEIR_WAYS], bytes[WEIR_WAYS]; /* delivered */
	u64 due_bytes, missed_bytes;
	u64 overruns, unstamped, oversize, unroutable;
	u64 elapsed_ns, cpu_ns, realtime_ns; /* wall time, CPU time of the ferry's thread, time at FIFO */
	u64 base_rtt_ns;		     /* of the shortest path, without queueing */
	bool stamped;
};

struct weir_judgement {
	enum weir_fidelity_verdict verdict;
	double rtt_error_ns, rtt_error_fraction, missed_fraction, overrun_fraction;
	char reason[160]; /* what decided, with its number */
};
void weir_fidelity_judge(const struct weir_fidelity *f, struct weir_judgement *out);

#endif

/* SPDX-License-Identifier: MIT */
/* A checked scenario, laid out for a run: what the simulated and the emulated network both need. */
#ifndef WEIR_RUN_BUILD_H
#define WEIR_RUN_BUILD_H

#include "backend.h"
#include "registry.h"
#include "scenario/scenario.h"

/* More flows than this, those apart that arrive at random: histograms and records are kept for groups only.
 */
#define WEIR_FLOWS_RECORDED_MAX 1000

/* Each keeps up to WEIR_PILOT_STATE_BYTES. */
#define WEIR_PILOTED_FLOWS_MAX 4096

#define WEIR_BUILD_NAME_BYTES 96

struct weir_traces;

struct weir_build_with {
	const struct weir_registry *registry;
	/* In place of every `controller: subject`, or of the controller of every entry of `flows` (not of
	 * `traffic`) when none is marked; NULL: as the scenario says. */
	const char *controller_name;	   /* what the records call it */
	struct weir_controller controller; /* none: the kernel's own of that name (kernel:NAME) */
	/* Kernel TCP: Weir's controllers run in the kernel, and kernel:NAME is the kernel's own. */
	bool emulated;
};

/* Whether --controller takes the place of this entry's own: that of acp flows if it is an age controller,
 * else that of all others. */
bool weir_build_replaces(const struct weir_scenario *s, const struct weir_build_with *with,
			 const struct weir_scenario_flow *f);

/* Whether the entry's controller is the kernel's own, in an emulation. */
bool weir_build_is_native(const struct weir_scenario *s, const struct weir_build_with *with,
			  const struct weir_scenario_flow *f);

/* The controller of Weir's (or of a header) that an entry has; none: the kernel's own, or nobody. `params`:
 * its parameters; NULL: the defaults. */
struct weir_controller weir_build_ops(const struct weir_scenario *s, const struct weir_build_with *with,
				      const struct weir_scenario_flow *f, const u64 **params);

struct weir_build_entry {
	const struct weir_scenario_flow *flow;
	u32 first, count; /* numbers of its flows, from 0 over all entries */
	u32 first_hist;	  /* of its histograms: one for each flow; one if grouped */
	bool arrivals;	  /* drawn by seed: their number, sizes and starts; then also grouped and numbered */
	bool grouped;	  /* no single flow of it is recorded */
	bool numbered;	  /* its flows are NAME.1, NAME.2, ... */
	bool controlled;  /* a stream: neither datagrams nor acp */
	char controller[WEIR_BUILD_NAME_BYTES]; /* as recorded: "kernel:cubic" stays visible */
	struct weir_controller ops;		/* none: the kernel's own, or nobody */
	const u64 *params;			/* its parameters */
	u64 *own_params;			/* defaults of a controller that was put in */
	const struct weir_signal *signals;	/* what weir_flow_now shows of it */
	u32 n_signals;
	bool fair; /* counts for the fairness index: of `flows`, not of `traffic` */
};

struct weir_build {
	const struct weir_scenario *scenario;
	const struct weir_registry *registry;
	struct weir_backend backend; /* set by who carries it: simulated.h, emulated.h */
	u32 n_flows, n_entries;
	struct weir_build_entry *entry; /* one for each flow of the scenario, in its order */
	u64 *start_ns;			/* of each flow, jitter included */
	u64 *size_bytes;		/* of each that arrived at random; NULL where there are none */
	u32 n_recorded;			/* flows of entries that are not grouped */
	u32 n_hists;
	/* Rows as weir_build_hist says. delay_ns: NULL in a simulation. Filled by who carries
	 * it, and to be read at the end; on the way tallies serve. */
	struct weir_hist *rtt_ns, *queue_ns, *delay_ns;
	struct weir_age_spread *age; /* likewise; NULL where nobody asks for an age */
	struct weir_hist *wait_ns;   /* of each hop of the scenario */
	u64 *mean_bps;		     /* of each hop, 0: infinitely fast */
};

/* 0, or -1 when out of memory; *b must be freed in both cases. */
int weir_build(struct weir_build *b, const struct weir_scenario *s, const struct weir_build_with *with,
	       const struct weir_traces *traces, u64 seed);
void weir_build_free(struct weir_build *b);

/* Row of the histograms where this flow of the entry counts. */
static inline u32 weir_build_hist(const struct weir_build_entry *e, u32 flow)
{
	return e->grouped ? e->first_hist : e->first_hist + (flow - e->first);
}

/* Whether the records sum its flows up. */
static inline bool weir_build_has_group(const struct weir_build_entry *e)
{
	return e->grouped || e->count > 1;
}

/* A flow that arrived at random and is long enough to react to others: app/arrivals.h. */
bool weir_build_is_elastic(const struct weir_build *b, const struct weir_build_entry *e, u32 flow);

/* The entry of a flow. */
const struct weir_build_entry *weir_build_entry_of(const struct weir_build *b, u32 flow);

/* Of a flow of the entry, as a host takes it: one that arrived at random is a sized one. */
struct weir_app_config weir_build_app(const struct weir_build *b, const struct weir_build_entry *e, u32 flow);
/* Whether its flows end by themselves, and their completion times are recorded. */
bool weir_build_completes(const struct weir_scenario_flow *f);

/* The source of an acp flow of the entry. */
struct weir_source_config weir_build_source(const struct weir_build_entry *e);

/* "cubic", or "cubic.7" for one of several, from 1 as in the scenario. */
void weir_build_flow_name(const struct weir_build_entry *e, u32 flow, char name[WEIR_BUILD_NAME_BYTES]);
/* "cubic.*", or "cubic" where there is one only. */
void weir_build_group_name(const struct weir_build_entry *e, char name[WEIR_BUILD_NAME_BYTES]);

/* What the hop could have transmitted by now_ns, where the backend stands: exact for a fixed rate, as the
 * hop counts it for a varying one, 0 for an infinitely fast one. */
u64 weir_build_capacity_bytes(const struct weir_build *b, u32 hop, u64 now_ns);

#endif

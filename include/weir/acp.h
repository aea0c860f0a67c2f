/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Fresh telemetry over any path, in one pair of files: weir_acp.h and weir_acp.c.
 *
 * A source sends the newest value as often as keeps its age at the other end low, and no more often: it
 * measures the path by the answers of the monitor. There is no queue and nothing is sent again but what is
 * still the newest. No thread, no allocation, no clock, no socket and no global state: the host brings time,
 * datagrams and memory. Works from C99 and C++; needs memcpy, memset and strcmp. docs/acp.md is a guide,
 * examples/acp/ has both ends in 40 lines each, docs/formats.md tells the bytes.
 *
 * Times are of one monotonic clock of the host's, in ns, of any origin. On Linux CLOCK_BOOTTIME is best: it
 * counts suspended time. Not for several threads at once on one struct.
 */
#ifndef WEIR_ACP_H
#define WEIR_ACP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_ACP_HEADER_BYTES 64U      /* in front of each value */
#define WEIR_ACP_VALUE_BYTES_MAX 1400U /* one datagram on any path */
#define WEIR_ACP_ANSWER_BYTES 60U
#define WEIR_ACP_NEVER UINT64_MAX

/* ---- the source ---- */

struct weir_acp_source_options {
	uint64_t flow_id;	/* names the source; random, or the application's; the same after a restart */
	uint32_t incarnation;	/* random: another one after each start */
	const char *controller; /* "acp-robust" (also NULL), "acp-plus", "acp", "lazy", "fixed" */
	double max_rate_hz;	/* updates a second at most; 0: no limit */
	uint64_t max_age_ns;	/* a value older than this is not sent but counted as expired; 0: never */
	int sensor;		/* not 0: a value can be made at any time by `ready`; no offers are needed */
	void *buffer;		/* WEIR_ACP_HEADER_BYTES and room for the largest value; stays the source's */
	size_t buffer_bytes;
	/* Writes the newest value, at most `room` bytes of it, and returns how many; called just before it
	 * leaves. NULL: values are given to weir_acp_source_offer. */
	size_t (*ready)(void *context, void *value, size_t room);
	/* Sends a datagram to the monitor; one that cannot be sent is simply lost. */
	void (*send)(void *context, const void *datagram, size_t bytes);
	void *context;
};

/* Fixed size, the caller's memory; no pointer to itself, but do not copy it while in use. */
struct weir_acp_source {
	uint64_t opaque[272];
};

enum weir_acp_result {
	WEIR_ACP_OK = 0,
	WEIR_ACP_UNKNOWN_CONTROLLER = -1,
	WEIR_ACP_BAD_BUFFER = -2, /* none, too small for the header, or for more than one datagram */
	WEIR_ACP_NO_SEND = -3,	  /* no send callback, or `sensor` without `ready` */
	WEIR_ACP_UNKNOWN_PARAMETER = -4,
	WEIR_ACP_OUT_OF_RANGE = -5,
	WEIR_ACP_TOO_LARGE = -6, /* the value does not fit into the buffer */
	WEIR_ACP_TOO_OLD = -7	 /* made before the one offered last */
};

/* Returns an enum weir_acp_result. */
int weir_acp_source_init(struct weir_acp_source *s, const struct weir_acp_source_options *o, uint64_t now_ns);

/* Sets a parameter of the controller (`weir list controllers`), before the first run: counts as they are,
 * ratios and rates in millionths. */
int weir_acp_source_set(struct weir_acp_source *s, const char *name, uint64_t value);

/* A new value, made at made_ns: copied, and in place of one that still waits. */
int weir_acp_source_offer(struct weir_acp_source *s, uint64_t now_ns, uint64_t made_ns, const void *value,
			  size_t bytes);

/* The same with `ready`: there is a newer value, to be asked for when it can leave. */
int weir_acp_source_notify(struct weir_acp_source *s, uint64_t now_ns, uint64_t made_ns);

/* A datagram from the monitor, or from anybody. */
void weir_acp_source_datagram(struct weir_acp_source *s, uint64_t now_ns, const void *datagram, size_t bytes);

/* Sends what is due. Call it after the three above and when the time it returned has come; being late costs
 * freshness, never a burst. WEIR_ACP_NEVER: nothing is due before one of the three. */
uint64_t weir_acp_source_run(struct weir_acp_source *s, uint64_t now_ns);

/* The address or the interface is another one now: what was learnt of the path is forgotten. */
void weir_acp_source_path_changed(struct weir_acp_source *s, uint64_t now_ns);

/* The application is about to end: what is unanswered is sent again quickly, until `settled`. */
void weir_acp_source_hurry(struct weir_acp_source *s, uint64_t now_ns);

struct weir_acp_source_status {
	double age_s, age_mean_s; /* what the monitor has, as seen from here: one way back older than it is */
	double rate_hz, rtt_s, backlog_mean; /* updates a second; smoothed; updates under way */
	uint64_t sent, acked, lost;	     /* updates */
	uint64_t replaced, expired;	     /* values never sent: a newer one came, too old */
	uint64_t rejected;		     /* datagrams that were no answers of the monitor's */
	uint64_t outages;
	int connected; /* 0: nothing comes back; one probe in 3 s asks for the path */
	int settled;   /* all values offered are acknowledged, replaced or expired */
};
void weir_acp_source_status(struct weir_acp_source *s, uint64_t now_ns,
			    struct weir_acp_source_status *status);

/* ---- the monitor ---- */

/* Memory for so many sources: uint64_t memory[WEIR_ACP_MONITOR_BYTES(8) / 8] = {0}. */
#define WEIR_ACP_MONITOR_BYTES(sources) ((size_t)(sources)*304U + 64U)

struct weir_acp_monitor {
	uint64_t opaque[64];
};

enum weir_acp_kind {
	WEIR_ACP_VALUE,	   /* deliver it: newer than all before it */
	WEIR_ACP_STALE,	   /* overtaken, doubled or delivered before: not to be delivered */
	WEIR_ACP_CONTROL,  /* probes, sessions */
	WEIR_ACP_REJECTED, /* not of this protocol, truncated, no place for another source */
	WEIR_ACP_UNKNOWN   /* another version of this protocol */
};

struct weir_acp_event {
	int kind;	/* enum weir_acp_kind; the rest is valid for VALUE */
	uint32_t place; /* number of the source, below `sources`, for arrays of yours; it stays while the
			   source does */
	uint64_t flow_id;
	const void *value; /* within the datagram */
	size_t bytes;
	const void *name; /* what the source calls itself, UTF-8 of a stranger; NULL: nothing */
	size_t name_bytes;
	double age_s, age_low_s, age_high_s; /* as it came; high 0: nothing bounds it */
	double rtt_s, rate_hz;		     /* by the source's word */
	uint64_t delivered, lost;
};

/* memory: WEIR_ACP_MONITOR_BYTES(sources), aligned to 8, all zeros. seed: random and secret. forget_ns: a
 * source not heard of for so long makes room for another; 0: never. Returns an enum weir_acp_result. */
int weir_acp_monitor_init(struct weir_acp_monitor *m, uint32_t sources, void *memory, uint64_t seed,
			  uint64_t forget_ns);

/* Takes a datagram that came. What is in `answer` (of WEIR_ACP_ANSWER_BYTES) is to be sent to where it came
 * from: as many bytes as this returns, 0 for none, never more than came. */
size_t weir_acp_monitor_datagram(struct weir_acp_monitor *m, uint64_t now_ns, const void *datagram,
				 size_t bytes, void *answer, struct weir_acp_event *event);

/* Age of the newest value of a source now; 0 in *known: nobody is at this place, or nothing was delivered. */
double weir_acp_monitor_age(const struct weir_acp_monitor *m, uint32_t place, uint64_t now_ns, int *known);

#ifdef __cplusplus
}
#endif

#endif

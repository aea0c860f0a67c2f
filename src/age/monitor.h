/* SPDX-License-Identifier: MIT */
/* One source's state at the monitor, and what it accepts. Sans-I/O.
 *
 * Never a stale value after a newer one: an UPDATE is delivered only if it carries the session given last to
 * this incarnation, its number is newer than all before (serial arithmetic, RFC 1982) and its generation time
 * is not older. Every UPDATE of the session is answered, with the highest received, so that a lost ACK costs
 * nothing. ACKs, PROBE_ACKs and RESETs are never answered. What a source says of itself (offset, RTT, rate,
 * backlog) is shown, never relied upon.
 */
#ifndef WEIR_AGE_MONITOR_H
#define WEIR_AGE_MONITOR_H

#include "ledger.h"
#include "packet.h"

enum weir_monitor_verdict {
	WEIR_MONITOR_FRESH,    /* deliver it */
	WEIR_MONITOR_REPEATED, /* in sequence, but its value was delivered before */
	WEIR_MONITOR_LATE,     /* a newer one came before: not delivered */
	WEIR_MONITOR_DOUBLE,   /* the highest once more: not delivered */
	WEIR_MONITOR_PROBED,   /* a probe of the session's incarnation */
	WEIR_MONITOR_OPENED,   /* a probe or an update that opened a session: nothing to deliver yet */
	WEIR_MONITOR_STRANGE,  /* an update of another session or incarnation: not delivered */
	WEIR_MONITOR_IGNORED,  /* neither UPDATE nor PROBE, or of another flow: not even answered */
	WEIR_MONITOR_REFUSED,  /* of a new source, and the table is full (age/monitors.h) */
	WEIR_MONITOR_VERDICTS
};

/* For counters and metrics: "fresh", "repeated", ... */
extern const char *const weir_monitor_words[WEIR_MONITOR_VERDICTS];

struct weir_monitor {
	u64 flow_id;
	u32 incarnation, session;		   /* session 0: none yet */
	u64 first, highest;			   /* numbers of the session, 64 bits; both 0: none yet */
	u64 highest_sent_ns, highest_generated_ns; /* source's clock */
	u64 highest_received_ns;
	u64 opened_ns, heard_ns;  /* of the session; of anything from the source */
	u64 fresh, late, doubles; /* over all sessions */
	u64 lost;		  /* of earlier sessions; weir_monitor_lost counts this one too */
	u32 received, marked;	  /* of the session, as the ACK tells them */
	u32 sessions;
	u32 next_session; /* private */
	bool used;	  /* by age/monitors.h */
	double gap_s;	  /* smoothed time between updates delivered (alpha .2); 0: not known */
	/* what the source says of itself, last */
	i64 offset_ns;
	u32 offset_error_us, rtt_us, rate_mhz, backlog_updates;
	double delivered_age_s; /* of the last update delivered, as it came */
	/* True age by the monitor's clock: generation time + offset. */
	struct weir_ledger age;
};

/* An age with what it may be off by. */
struct weir_age_reading {
	double age_s, low_s, high_s; /* low <= age <= high; high is 0 where nothing bounds it */
	bool known;
};

/* session_seed: random; from it the sessions of this state are drawn. bound_ns: of the age, 0 for none. */
void weir_monitor_init(struct weir_monitor *m, u64 flow_id, u32 session_seed, u64 bound_ns);

/* Takes a packet that came and writes the answer to send back where it came from; answer->type is
 * WEIR_AGE_NONE where none is due. `spread` gets the distribution of the age, or is NULL. */
enum weir_monitor_verdict weir_monitor_receive(struct weir_monitor *m, struct weir_age_spread *spread,
					       u64 now_ns, const struct weir_age_packet *in,
					       struct weir_age_packet *answer);

/* The age of the newest value now. */
struct weir_age_reading weir_monitor_age(const struct weir_monitor *m, u64 now_ns);

/* Updates that left the source and never came, as far as numbers tell: doubles may hide some. */
u64 weir_monitor_lost(const struct weir_monitor *m);

#endif

/* SPDX-License-Identifier: MIT */
/* `weir link`, in the order in which things happen:
 *	cmd_link.c       options, and the whole from start to end
 *	link_scenario.c  from options to a checked path
 *	link_network.c   site, ferry, logs
 *	link_hosts.c     the commands and their environment
 *	link_child.c     one command; link_wait.c: signals and the terminal meanwhile
 *	link_verdict.c   what is told afterwards */
#ifndef WEIR_CLI_LINK_H
#define WEIR_CLI_LINK_H

#include "command.h"
#include "emu/site.h"
#include "link_child.h"
#include "link_scenario.h"
#include "link_wait.h"
#include "record/live.h"

#include <pthread.h>

struct weir_link_options {
	u64 hosts, seed, snap_bytes;
	bool isolated, ecn, stamp, offload, gso, quiet, json;
	enum weir_realtime realtime;
	const char *beyond, *log, *capture, *verdict; /* NULL: not wanted */
	const char *const *command;		      /* ends with NULL; empty: a shell */
};

/* The emulated network. */
struct weir_link_network {
	const struct weir_link_options *options;
	const struct weir_link_path *path;
	struct weir_site site;
	struct weir_ferry *ferry;
	struct weir_live *live;		    /* NULL: neither log nor capture */
	struct weir_ferry_snapshot offered; /* of the writing thread: capacity of random walks */
	pthread_t thread, owner;
	int failure; /* signal to the owner when the ferry fails */
	bool running, right_is_here;
	volatile sig_atomic_t stop;
	int error; /* errno of a ferry that failed */
	u64 start_ns;
	/* After the end. */
	struct weir_fidelity fidelity;
	struct weir_ferry_snapshot end;
	struct weir_hist *wait_ns; /* in the queue of each hop */
	struct weir_live_lost lost;
};

const char *weir_link_queue_name(enum weir_aqm_kind aqm);
/* Makes the logs' files. 0, or -1 with a sentence. */
int weir_link_network_open_logs(struct weir_link_network *n, char why[WEIR_WHY_BYTES]);
/* Namespaces, devices and the ferry, not yet running. 0, or -1 with a sentence. */
int weir_link_network_open(struct weir_link_network *n, bool here, char why[WEIR_WHY_BYTES]);
/* Packets pass from here on. 0, or -1 with a sentence. */
int weir_link_network_start(struct weir_link_network *n, char why[WEIR_WHY_BYTES]);
/* No packet passes any more; `fidelity` and `end` are filled in. */
void weir_link_network_stop(struct weir_link_network *n);
/* Brings the logs to their end. 0, or -1 with a sentence. */
int weir_link_network_close_logs(struct weir_link_network *n, char why[WEIR_WHY_BYTES]);
/* Ends what still runs in the namespaces: how many processes. */
u32 weir_link_network_end_processes(struct weir_link_network *n);
void weir_link_network_close(struct weir_link_network *n);

/* The commands. */
struct weir_link_hosts {
	u32 n, n_beyond;
	struct weir_link_child command[WEIR_SITE_HOSTS_MAX], beyond[WEIR_SITE_HOSTS_MAX];
	const char *name; /* of the command, for messages */
};

/* Forks all of them, up to their gates; `mask`: of signals, for them. 0, or -1 with errno set. */
int weir_link_hosts_fork(struct weir_link_hosts *h, const struct weir_link_network *n, const char *label,
			 const sigset_t *mask);
/* Lets first the one kind, then the other run. false after telling which could not be run. */
bool weir_link_hosts_release(struct weir_link_hosts *h, const struct weir_invocation *call);
/* Ends what runs at the right end, and what never got through its gate. */
void weir_link_hosts_end(struct weir_link_hosts *h, const struct weir_invocation *call);
/* The exit status of the first command, by number, that failed; 0 when none did. */
int weir_link_hosts_code(const struct weir_link_hosts *h);

/* What the link did, for people and for programs. WEIR_EXIT_OK, or after a message what failed. */
struct weir_link_report {
	const struct weir_invocation *call;
	const struct weir_link_options *options;
	const struct weir_link_network *network;
	const struct weir_link_hosts *hosts;
	int code;      /* of the commands */
	bool invalid;  /* set here: the verdict */
	u32 left_over; /* processes that were ended */
};
int weir_link_report(struct weir_link_report *r);

#endif

/* SPDX-License-Identifier: MIT */
/* A controller in the kernel: loaded, registered as a congestion control named weir_NAME, and gone again. */
#ifndef WEIR_KERN_LOAD_H
#define WEIR_KERN_LOAD_H

#include "objects.h"
#include "record.h"

#define WEIR_KERN_WHY_BYTES 400
#define WEIR_KERN_NAME_BYTES 16

enum weir_kern_life {
	WEIR_KERN_PROCESS, /* registered until closed, or until this process ends, whatever ends it (before
			      Linux 6.4: unless SIGKILL does) */
	WEIR_KERN_STAYS,   /* registered until weir_kern_unregister */
	WEIR_KERN_REPLAY,  /* not registered: weir_kern_replay only */
};

struct weir_kern {
	const struct weir_cc_ops *ops;
	enum weir_kern_life life;
	char name[WEIR_KERN_NAME_BYTES]; /* of the congestion control */
	struct bpf_object *object;
	int map_fd;			 /* the registration; -1: none */
	int link_fd;			 /* what holds it; -1: nothing does */
	int replay_fd;			 /* -1: none */
	struct weir_kern_replay *replay; /* shared with the replay program */
	u32 map_id;
};

/* `weir_` and the word with `_` for `-`. False for more than 10 characters: the kernel has no room. */
bool weir_kern_name(const char *word, char name[WEIR_KERN_NAME_BYTES]);

/* Whether a kernel can be host to it: nothing that TCP cannot give, and a name that fits; else a sentence. */
bool weir_kern_takes(const struct weir_cc_ops *ops, char why[WEIR_KERN_WHY_BYTES]);

/* The same of a pilot, by its defaults. */
bool weir_kern_takes_pilot(const struct weir_pilot_ops *pilot, char why[WEIR_KERN_WHY_BYTES]);

/* Loads the programs; the kernel's verifier has seen them then. `params`: ops->n_params values; NULL: the
 * defaults. 0 and *k ready; 2 if the controller cannot live in a kernel; 3 if this machine cannot do it;
 * `why` says which. What libbpf and the verifier say goes to stderr if `verbose`. */
int weir_kern_load(struct weir_kern *k, const struct weir_kern_object *object, const u64 *params,
		   enum weir_kern_life life, bool verbose, char why[WEIR_KERN_WHY_BYTES]);
/* Registers it. Sockets may ask for k->name from now on. 0; 1 if there is one of this name (errno is EEXIST),
 * or the kernel refuses. */
int weir_kern_register(struct weir_kern *k, char why[WEIR_KERN_WHY_BYTES]);
/* Loads and registers it for this process, whoever else has it: where weir_NAME is taken, as weir_NAME.2 and
 * so on, shortened to fit. 0, or as weir_kern_load, or 1 as weir_kern_register; *k is closed then. */
int weir_kern_host(struct weir_kern *k, const struct weir_kern_object *object, const u64 *params,
		   bool verbose, char why[WEIR_KERN_WHY_BYTES]);
/* No new socket gets it; those that have it keep it until they close. */
void weir_kern_close(struct weir_kern *k);

/* One call of the loaded program, on r->state. 0, or -1 with errno. */
int weir_kern_replay(const struct weir_kern *k, struct weir_kern_replay *r);

/* Ends the registration of a map that another process left (WEIR_KERN_STAYS): only if it is a struct_ops map
 * of this id and registered. 0, or -1 with errno: ENOENT if it is not there any more. */
int weir_kern_unregister(u32 map_id);

#endif

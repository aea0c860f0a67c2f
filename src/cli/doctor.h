/* SPDX-License-Identifier: MIT */
/* What `weir doctor` looks at: each check looks at one thing and knows the way out. */
#ifndef WEIR_CLI_DOCTOR_H
#define WEIR_CLI_DOCTOR_H

#include "weir/types.h"

#define WEIR_DOCTOR_DETAIL_BYTES 200
#define WEIR_DOCTOR_REMEDY_BYTES 256

struct weir_doctor_finding {
	bool ok;
	char detail[WEIR_DOCTOR_DETAIL_BYTES]; /* never empty */
	char remedy[WEIR_DOCTOR_REMEDY_BYTES]; /* empty: the check's own */
};

struct weir_doctor_check {
	const char *name;
	bool needed; /* simulations need it: exit 3 without it */
	void (*look)(struct weir_doctor_finding *f);
	const char *remedy;
	const char *without; /* what one misses; NULL: nothing in this version */
};

/* Each ends with a check without a name. */
extern const struct weir_doctor_check weir_doctor_machine[], weir_doctor_network[], weir_doctor_bpf[];

/* What was found, as printf says it. */
__attribute__((format(printf, 3, 4))) void weir_doctor_find(struct weir_doctor_finding *f, bool ok,
							    const char *format, ...);
/* The first of these programs (ends with NULL) that can be run, as a finding. */
void weir_doctor_find_program(struct weir_doctor_finding *f, const char *const *names);
/* The first line of a file without its end. False: there is none. */
bool weir_doctor_first_line(const char *path, char *line, int room);

#endif

/* SPDX-License-Identifier: MIT */
/* What the files of `weir source` share. */
#ifndef WEIR_CLI_SOURCE_H
#define WEIR_CLI_SOURCE_H

#include "progress.h"
#include "session_options.h"
#include "source_input.h"

struct weir_source_run {
	const struct weir_invocation *call;
	struct weir_loop loop;
	struct weir_session_options session;
	struct weir_source_host_config config;
	struct weir_source_host host;
	struct weir_input_options input_options;
	struct weir_input input;
	u64 params[32];		    /* of the controller */
	u64 linger_ns, duration_ns; /* after the end of stdin; of all, 0: no end */
	bool quiet, json;
	u64 begun_ns, ended_ns, give_up_ns, draw_ns, told_ns;
	struct weir_progress bar;
	char peer[WEIR_ADDRESS_TEXT];
	int code;
};

/* 0, or an exit code after all mistakes were told. */
int weir_source_options_take(const struct weir_invocation *call, struct weir_source_run *r);

/* One line on a terminal, kept up to date; a word where the other end is silent. When to come again. */
u64 weir_source_print_progress(struct weir_source_run *r, u64 now_ns);
void weir_source_print_end(struct weir_source_run *r);

#endif

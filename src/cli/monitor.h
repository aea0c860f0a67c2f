/* SPDX-License-Identifier: MIT */
/* What the files of `weir monitor` share. */
#ifndef WEIR_CLI_MONITOR_H
#define WEIR_CLI_MONITOR_H

#include "monitor_exec.h"
#include "net/monitor_host.h"
#include "session_options.h"
#include "sink/ndjson.h"

struct weir_monitor_run {
	const struct weir_invocation *call;
	struct weir_loop loop;
	struct weir_session_options session;
	struct weir_monitor_host_config config;
	struct weir_monitor_host host;
	struct weir_address at[2];
	u32 n_at;
	struct weir_ndjson *ndjson;
	struct weir_exec exec;
	u64 duration_ns, count; /* 0: no end */
	bool quiet;
	u64 begun_ns;
	int code;
};

/* 0, or an exit code after all mistakes were told. */
int weir_monitor_options_take(const struct weir_invocation *call, struct weir_monitor_run *r);

#endif

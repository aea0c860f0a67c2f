/* SPDX-License-Identifier: MIT */
/* What the files of `weir monitor` share. */
#ifndef WEIR_CLI_MONITOR_H
#define WEIR_CLI_MONITOR_H

#include "monitor_exec.h"
#include "net/monitor_host.h"
#include "session_options.h"
#include "sink/http.h"
#include "sink/metrics.h"
#include "sink/ndjson.h"

/* One address at which pages are served. */
struct weir_monitor_web {
	struct weir_address at;
	bool page; /* not metrics alone */
	struct weir_http *http;
	struct weir_watch watch;
	u64 next_ns;
};
enum { WEIR_MONITOR_WEBS = 2 };

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
	struct weir_monitor_web web[WEIR_MONITOR_WEBS];
	u32 n_webs;
	struct weir_board *live; /* NULL: no page */
	struct weir_metrics_ages ages;
	u64 duration_ns, count; /* 0: no end */
	bool quiet, contested;	/* contested: it has been said */
	u64 begun_ns;
	int code;
};

/* 0, or an exit code after all mistakes were told. */
int weir_monitor_options_take(const struct weir_invocation *call, struct weir_monitor_run *r);

/* Opens what the options asked for. 0, or an exit code after saying what is wrong. */
int weir_monitor_web_open(struct weir_monitor_run *r);
void weir_monitor_web_value(struct weir_monitor_run *r, u64 now_ns, const struct weir_told *told);
u64 weir_monitor_web_step(struct weir_monitor_run *r, u64 now_ns);
void weir_monitor_web_close(struct weir_monitor_run *r);

#endif

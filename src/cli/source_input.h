/* SPDX-License-Identifier: MIT */
/* Where the values of `weir source` come from: only the newest one is ever kept. */
#ifndef WEIR_CLI_SOURCE_INPUT_H
#define WEIR_CLI_SOURCE_INPUT_H

#include "age/wire.h"
#include "command.h"
#include "net/shell.h"
#include "net/source_host.h"

#define WEIR_INPUT_BUFFER_BYTES 65536

enum weir_input_kind { WEIR_INPUT_LINES, WEIR_INPUT_RECORDS, WEIR_INPUT_FILE, WEIR_INPUT_COMMAND };

struct weir_input_options {
	enum weir_input_kind kind;
	const char *file, *command;
	u64 record_bytes;
	u64 every_ns;	/* how often the file is looked at besides what the kernel tells */
	u64 timeout_ns; /* of a run of the command */
};

struct weir_input {
	struct weir_input_options o;
	const struct weir_invocation *call;
	struct weir_loop *loop;
	struct weir_source_host *host;
	u8 value[WEIR_AGE_VALUE_BYTES_MAX]; /* the newest */
	size_t bytes;
	u64 values, too_large, failed; /* failed: runs of the command, looks at the file */
	bool ended;		       /* stdin has: nothing comes any more */
	bool broken;		       /* it cannot go on, and has said why */

	/* private */
	struct weir_watch watch; /* of stdin or inotify; fd -1: none */
	bool always_ready;	 /* stdin is a file: epoll does not take it */
	bool warned_large, warned_failed, skipping;
	u64 next_ns; /* look at the file; end the command */
	u64 took_ns; /* how long the command takes, smoothed */
	struct weir_shell shell;
	size_t used; /* of unread */
	u8 unread[WEIR_INPUT_BUFFER_BYTES];
};

/* 0, or an exit code after saying what is wrong. The host need not have begun yet. */
int weir_input_open(struct weir_input *in, const struct weir_invocation *call, struct weir_loop *loop,
		    struct weir_source_host *host, const struct weir_input_options *o);
/* Does what is due at this time; when to come again. */
u64 weir_input_step(struct weir_input *in, u64 now_ns);
void weir_input_close(struct weir_input *in);

/* For weir_source_host_config.value. */
size_t weir_input_value(void *owner, u8 *to, size_t room);

/* ---- between the files of this ---- */

/* A newer value, made at generated_ns. One that does not fit into a datagram is dropped and counted. */
void weir_input_newer(struct weir_input *in, u64 now_ns, u64 generated_ns, const u8 *data, size_t bytes);
/* One that does not is counted, and said once; more: it goes on beyond these bytes. */
void weir_input_too_large(struct weir_input *in, size_t bytes, bool more);
int weir_input_stream_open(struct weir_input *in);
void weir_input_stream_read(struct weir_input *in);
int weir_input_file_open(struct weir_input *in);
u64 weir_input_file_step(struct weir_input *in, u64 now_ns);
u64 weir_input_sensor_step(struct weir_input *in, u64 now_ns);

#endif

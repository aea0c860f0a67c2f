/* SPDX-License-Identifier: MIT */
/* `weir kernel replay`: what a controller decided in the kernel, decided again here. */
#include "cc/table.h"
#include "kern/follow.h"
#include "kern/watch.h"
#include "kernel.h"
#include "pilot/table.h"
#include "record/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct replay {
	const struct weir_invocation *call;
	const struct weir_cc_ops *ops;
	struct weir_plugin plugin;
	struct weir_calls_reader reader;
	struct weir_follow follow;
	u64 records, compared, differing, dropped, omitted, first_ns;
	/* of the first difference */
	struct weir_calls_frame frame;
	struct weir_out here;
	u64 number, after_ns;
};

/* ---- whose calls ---- */

static int compile(struct replay *r, const char *path)
{
	char *message;
	int code = weir_plugin_open(path, &r->plugin, &message);
	if (code)
		weir_error(r->call, (enum weir_exit)code, "%s", message ? message : "out of memory");
	free(message);
	r->ops = code ? NULL : &r->plugin.ops;
	return code;
}

static int choose(struct replay *r)
{
	const struct weir_calls_head *head = &r->reader.head;
	const char *asked = weir_option(r->call, "controller"), *name = asked ? asked : head->controller;
	if (weir_plugin_is_path(name)) {
		int code = compile(r, name);
		if (code)
			return code;
	} else {
		r->ops = weir_cc_find(name);
	}
	if (!r->ops && weir_pilot_find(name))
		return weir_error(
		    r->call, WEIR_EXIT_USAGE,
		    "%s is a pilot: its governor's answers depend on setpoints, which a record of "
		    "calls does not hold",
		    name);
	if (!r->ops)
		return weir_error(
		    r->call, WEIR_EXIT_USAGE,
		    "%s: this program has no controller of that name; --controller ./HEADER.h names it",
		    name);
	if (head->n_params != r->ops->n_params)
		return weir_error(r->call, WEIR_EXIT_USAGE,
				  "%s has %u parameters, that of the record %u: another header or version",
				  name, r->ops->n_params, head->n_params);
	return 0;
}

/* ---- the calls ---- */

static void take_call(struct replay *r, const struct weir_calls_frame *f)
{
	struct weir_out here;
	u64 now_ns = f->record.call.view.now_ns;
	if (!r->records++)
		r->first_ns = now_ns;
	enum weir_followed result = weir_follow_call(&r->follow, f->socket, &f->record.call, &here);
	r->compared += result != WEIR_FOLLOWED_UNKNOWN;
	if (result != WEIR_FOLLOWED_DIFFERS || r->differing++)
		return;
	r->frame = *f;
	r->here = here;
	r->number = r->records;
	r->after_ns = weir_sub(now_ns, r->first_ns);
}

static int take_all(struct replay *r)
{
	char why[WEIR_CALLS_WHY_BYTES];
	struct weir_calls_frame f;
	int more;
	weir_follow_begin(&r->follow, r->ops, r->reader.head.params);
	while ((more = weir_calls_next(&r->reader, &f, why)) > 0) {
		if (f.kind == WEIR_CALLS_CALL)
			take_call(r, &f);
		if (f.kind == WEIR_CALLS_GAP) {
			r->dropped += f.missing;
			weir_follow_gap(&r->follow);
		}
		if (f.kind == WEIR_CALLS_END)
			r->omitted = f.missing;
	}
	bool failed = r->follow.failed;
	weir_follow_end(&r->follow);
	if (more < 0)
		return weir_error(r->call, WEIR_EXIT_USAGE, "%s: %s", r->call->operands[0], why);
	return failed ? weir_error(r->call, WEIR_EXIT_FAILED, "out of memory") : 0;
}

/* ---- what came of it ---- */

static const char *verdict(const struct replay *r)
{
	if (r->differing)
		return "differs";
	return r->dropped || r->omitted || !r->reader.ended || !r->compared ? "incomplete" : "same";
}

static void put_pair(struct weir_json *j, const char *name, u64 there, u64 here)
{
	if (there == here)
		return;
	weir_json_key(j, name);
	weir_json_line(j);
	weir_json_object(j);
	weir_json_put_u64(j, "kernel", there);
	weir_json_put_u64(j, "here", here);
	weir_json_object_end(j);
}

static void put_first(struct weir_json *j, const struct replay *r)
{
	const struct weir_out *there = &r->frame.record.call.out, *here = &r->here;
	if (!r->differing) {
		weir_json_put_null(j, "first");
		return;
	}
	weir_json_put_object(j, "first");
	weir_json_put_u64(j, "record", r->number);
	weir_json_put_double(j, "time_s", (double)r->after_ns / 1e9);
	weir_json_put_u64(j, "socket", r->frame.socket);
	weir_json_put_string(j, "event", weir_kern_event_word(r->frame.record.call.event));
	weir_json_put_object(j, "fields");
	put_pair(j, "cwnd_bytes", there->cwnd_bytes, here->cwnd_bytes);
	put_pair(j, "pacing_Bps", there->pacing_Bps, here->pacing_Bps);
	put_pair(j, "wake_ns", there->wake_ns, here->wake_ns);
	weir_json_object_end(j);
	weir_json_object_end(j);
}

static int say_json(const struct replay *r)
{
	struct weir_json j;
	weir_json_to_file(&j, stdout);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.kernel-replay/1");
	weir_json_put_string(&j, "file", r->call->operands[0]);
	weir_json_put_string(&j, "controller", r->ops->name);
	weir_json_put_u64(&j, "sockets", r->reader.sockets);
	weir_json_put_u64(&j, "records", r->records);
	weir_json_put_u64(&j, "compared", r->compared);
	weir_json_put_u64(&j, "differing", r->differing);
	weir_json_put_u64(&j, "dropped", r->dropped);
	weir_json_put_u64(&j, "omitted", r->omitted);
	weir_json_put_bool(&j, "truncated", !r->reader.ended);
	weir_json_put_string(&j, "verdict", verdict(r));
	put_first(&j, r);
	weir_json_object_end(&j);
	if (weir_json_finish(&j))
		return weir_error(r->call, WEIR_EXIT_FAILED, "standard output: %s", strerror(errno));
	return 0;
}

static void say_text(const struct replay *r)
{
	const struct weir_out *there = &r->frame.record.call.out, *here = &r->here;
	printf("%s: %llu calls of %u sockets, %llu compared, %llu differ\n", r->ops->name, r->records,
	       r->reader.sockets, r->compared, r->differing);
	if (r->records > r->compared)
		printf("%llu calls could not be compared: their socket's beginning, or something before "
		       "them, is "
		       "not in the record\n",
		       r->records - r->compared);
	if (r->dropped || r->omitted)
		printf("%llu calls were lost while recording, %llu found no room\n", r->dropped, r->omitted);
	if (!r->reader.ended)
		puts("the record is cut off: its writer was ended, or still writes");
	if (!r->differing)
		return;
	printf("first: call %llu, after %.6f s, socket %u, %s\n", r->number, (double)r->after_ns / 1e9,
	       r->frame.socket, weir_kern_event_word(r->frame.record.call.event));
	if (there->cwnd_bytes != here->cwnd_bytes)
		printf("  cwnd_bytes: %llu in the kernel, %llu here\n", there->cwnd_bytes, here->cwnd_bytes);
	if (there->pacing_Bps != here->pacing_Bps)
		printf("  pacing_Bps: %llu in the kernel, %llu here\n", there->pacing_Bps, here->pacing_Bps);
	if (there->wake_ns != here->wake_ns)
		printf("  wake_ns: %llu in the kernel, %llu here\n", there->wake_ns, here->wake_ns);
}

static int conclude(const struct replay *r)
{
	int code = 0;
	if (weir_option(r->call, "json"))
		code = say_json(r);
	else
		say_text(r);
	if (code || r->differing)
		return code ? code : WEIR_EXIT_CLAIM;
	return strcmp(verdict(r), "same") ? WEIR_EXIT_INVALID : WEIR_EXIT_OK;
}

int weir_kernel_replay(struct weir_invocation *call)
{
	static struct replay r;
	char why[WEIR_CALLS_WHY_BYTES];
	r = (struct replay){.call = call};
	FILE *in = fopen(call->operands[0], "re");
	if (!in)
		return weir_error(call, WEIR_EXIT_USAGE, "%s: %s", call->operands[0], strerror(errno));
	int code = 0;
	if (weir_calls_open(&r.reader, in, why))
		code = weir_error(call, WEIR_EXIT_USAGE, "%s: %s", call->operands[0], why);
	code = code ? code : choose(&r);
	code = code ? code : take_all(&r);
	code = code ? code : conclude(&r);
	fclose(in);
	weir_plugin_close(&r.plugin);
	return code;
}

/* SPDX-License-Identifier: MIT */
/* `weir kernel run`: a controller that lives and dies with a command. */
#include "kern/steer.h"
#include "kernel.h"
#include "kernel_recorder.h"
#include "link_wait.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

struct kernel_run {
	const struct weir_invocation *call;
	struct weir_kernel_choice choice;
	struct weir_kern kern;
	struct weir_steer steer;
	struct weir_link_wait wait;
	struct weir_link_child child;
	struct weir_kernel_recorder recorder;
	struct weir_pilots *pilots; /* NULL: it is a controller */
	bool registered;
};

/* Failures of ours have a status that is hardly a command's. */
static int own_failure(const struct kernel_run *r, const char *why)
{
	weir_error(r->call, WEIR_EXIT_FAILED, "%s", why);
	return WEIR_EXIT_LINK;
}

static int put_in_kernel(struct kernel_run *r)
{
	char why[WEIR_KERN_WHY_BYTES];
	int code = weir_kern_load(&r->kern, &r->choice.object, r->choice.params, WEIR_KERN_PROCESS,
				  r->choice.verbose, why);
	if (code)
		return weir_error(r->call, (enum weir_exit)code, "%s", why);
	r->registered = true;
	if (r->choice.pilot && !(r->pilots = weir_pilots_start(&r->kern, r->choice.pilot, r->choice.params,
							       (u64)getpid() << 32, why)))
		return own_failure(r, why);
	return weir_kern_register(&r->kern, why) ? own_failure(r, why) : 0;
}

/* -o, --qlog, --record. */
static int record(struct kernel_run *r)
{
	if (!r->recorder.any)
		return 0;
	weir_kernel_recorder_pilot(&r->recorder, r->choice.pilot, r->pilots);
	int code =
	    weir_kernel_recorder_begin(&r->recorder, r->kern.name, r->choice.object.ops, r->choice.params);
	return code ? code : weir_kernel_recorder_start(&r->recorder);
}

/* ---- without a command ---- */

static int until_interrupted(struct kernel_run *r)
{
	sigset_t wanted;
	int number, code = put_in_kernel(r);
	code = code ? code : record(r);
	if (code)
		return code;
	fprintf(stderr, "%s is registered until you interrupt this\n", r->kern.name);
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGHUP);
	while (sigwait(&wanted, &number))
		;
	return WEIR_EXIT_OK;
}

/* ---- with one ---- */

static int fork_command(struct kernel_run *r)
{
	struct weir_netns here;
	char why[WEIR_WHY_BYTES];
	if (weir_netns_here(&here, why))
		return own_failure(r, why);
	const struct weir_link_spawn spawn = {.ns = &here,
					      .argv = (char *const *)(r->call->operands + 1),
					      .envp = environ,
					      .mask = &r->wait.before};
	int result = weir_link_child_fork(&r->child, &spawn);
	weir_netns_close(&here);
	return result ? own_failure(r, strerror(errno)) : 0;
}

static int steer(struct kernel_run *r)
{
	char why[WEIR_KERN_WHY_BYTES];
	int code = weir_steer_to(&r->steer, r->kern.name, why);
	if (code)
		return weir_error(r->call, (enum weir_exit)code, "%s", why);
	if (weir_steer_add(&r->steer, r->child.pid) == 0)
		return 0;
	snprintf(why, sizeof why, "cannot move the command into %.200s: %s", r->steer.path, strerror(errno));
	return own_failure(r, why);
}

/* What the pilots could not do. */
static void account_pilots(const struct kernel_run *r)
{
	struct weir_hosted_counts c;
	if (!r->pilots)
		return;
	weir_pilots_counts(r->pilots, &c);
	if (c.refused)
		fprintf(stderr,
			"%s: %llu connections found no room for a pilot and were left to Reno: %u at a time "
			"have one\n",
			r->kern.name, c.refused, WEIR_KERN_PILOTS_MAX);
	if (c.lost_reports)
		fprintf(stderr, "%s: %llu reports of %llu were lost on the way to the pilot\n", r->kern.name,
			c.lost_reports, c.lost_reports + c.reports);
	if (c.expired_reports)
		fprintf(stderr, "%s: the pilot was late %llu times: Reno took over until it answered\n",
			r->kern.name, c.expired_reports);
}

/* What its connections had. */
static int account(const struct kernel_run *r)
{
	u64 steered = r->steer.counts->steered, missed = r->steer.counts->missed;
	bool quiet = weir_option(r->call, "quiet");
	account_pilots(r);
	if (missed) {
		weir_error(r->call, WEIR_EXIT_FAILED, "%llu of %llu connections did not get %s", missed,
			   steered + missed, r->kern.name);
		return r->child.code ? r->child.code : WEIR_EXIT_LINK;
	}
	if (!quiet && steered)
		fprintf(stderr, "%s: %llu connection%s\n", r->kern.name, steered, steered == 1 ? "" : "s");
	else if (!quiet)
		fprintf(stderr, "%s: the command made no TCP connection\n", r->kern.name);
	return r->child.code;
}

static int run_command(struct kernel_run *r)
{
	char why[WEIR_KERN_WHY_BYTES];
	int code = weir_steer_open(&r->steer, why);
	if (code)
		return weir_error(r->call, (enum weir_exit)code, "%s", why);
	code = fork_command(r);
	code = code ? code : put_in_kernel(r);
	code = code ? code : record(r);
	code = code ? code : steer(r);
	if (code) {
		weir_link_child_abandon(&r->child);
		return code;
	}
	int error = weir_link_child_release(&r->child);
	if (error) {
		weir_error(r->call, WEIR_EXIT_FAILED, "%s: %s", r->call->operands[1], strerror(error));
		return r->child.code;
	}
	r->wait.command = &r->child;
	r->wait.n = 1;
	weir_link_wait_all(&r->wait);
	weir_link_wait_end(&r->wait);
	return account(r);
}

int weir_kernel_run(struct weir_invocation *call)
{
	static struct kernel_run r;
	memset(&r, 0, sizeof r);
	r.call = call;
	r.steer.attached_fd = r.steer.guard_fd = -1;
	int code = weir_kernel_recorder_choose(&r.recorder, call);
	code = code ? code : weir_kernel_choose(call, &r.choice);
	if (code) {
		weir_kernel_choice_free(&r.choice);
		return code;
	}
	weir_link_wait_begin(&r.wait);
	code = call->n_operands > 1 ? run_command(&r) : until_interrupted(&r);
	weir_steer_close(&r.steer);
	int unrecorded = weir_kernel_recorder_end(&r.recorder);
	weir_pilots_stop(r.pilots);
	if (unrecorded && !code)
		code = WEIR_EXIT_LINK;
	if (r.registered)
		weir_kern_close(&r.kern);
	weir_kernel_choice_free(&r.choice);
	return code;
}

/* SPDX-License-Identifier: MIT */
#include "emu/lease.h"
#include "link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the environment ---- */

static int set(const char *name, const char *value)
{
	return value && *value ? setenv(name, value, 1) : unsetenv(name);
}

static int set_number(const char *name, u32 x)
{
	char text[16];
	snprintf(text, sizeof text, "%u", x);
	return set(name, text);
}

/* NAME and NAME6. */
static int set_address(const struct weir_site *site, const char *name, u32 address)
{
	char text[INET6_ADDRSTRLEN], name6[32];
	struct in_addr a = {htonl(address)};
	struct in6_addr a6 = weir_site_address6(site, address);
	snprintf(name6, sizeof name6, "%s6", name);
	inet_ntop(AF_INET, &a, text, sizeof text);
	int result = set(name, text);
	inet_ntop(AF_INET6, &a6, text, sizeof text);
	return result | set(name6, site->ipv6 ? text : NULL);
}

static int set_peers(const struct weir_site *site)
{
	char text[WEIR_SITE_HOSTS_MAX * INET_ADDRSTRLEN] = "";
	for (u32 i = 0; i < site->n[WEIR_RIGHT]; i++) {
		struct in_addr a = {htonl(site->host[WEIR_RIGHT][i].address)};
		size_t used = strlen(text);
		text[used] = ' ';
		inet_ntop(AF_INET, &a, text + used + (used > 0), (socklen_t)(sizeof text - used - 1));
	}
	return set("WEIR_PEERS", text);
}

/* Whether an address of the environment is one of this namespace: variables may have been carried elsewhere.
 */
static bool is_ours(const char *text)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	if (!text || inet_pton(AF_INET, text, &a.sin_addr) != 1)
		return false;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool good = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0;
	if (fd >= 0)
		close(fd);
	return good;
}

/* Who is beyond the outermost link that this one is opened in; empty: it is in none. */
struct outermost {
	char peer[INET6_ADDRSTRLEN], peer6[INET6_ADDRSTRLEN];
};

static struct outermost find_outermost(const struct weir_link_network *n)
{
	struct outermost o = {"", ""};
	const char *peer = getenv("WEIR_PEER"), *peer6 = getenv("WEIR_PEER6");
	bool inside = n->right_is_here && peer && getenv(WEIR_RANGE_VARIABLE) && is_ours(getenv("WEIR_SELF"));
	if (inside)
		snprintf(o.peer, sizeof o.peer, "%s", peer);
	if (inside && peer6)
		snprintf(o.peer6, sizeof o.peer6, "%s", peer6);
	return o;
}

/* Of the left host: WEIR_RANGE, WEIR_PEER as weir_site_export has them, and the rest. */
static int describe_left(const struct weir_site *site, u32 i, const struct outermost *outer)
{
	u32 peer = site->host[WEIR_RIGHT][i < site->n[WEIR_RIGHT] ? i : 0].address;
	int result = weir_site_export(site, i);
	result |= set_address(site, "WEIR_LINK_PEER", peer);
	result |= set_address(site, "WEIR_SELF", site->host[WEIR_LEFT][i].address);
	result |= set_number("WEIR_HOST", i + 1);
	if (*outer->peer)
		result |= set("WEIR_PEER", outer->peer) | set("WEIR_PEER6", outer->peer6);
	return result;
}

static int describe_right(const struct weir_site *site, u32 i)
{
	return set_address(site, "WEIR_PEER", site->host[WEIR_LEFT][i].address) |
	       set_address(site, "WEIR_LINK_PEER", site->host[WEIR_LEFT][i].address) |
	       set_address(site, "WEIR_SELF", site->host[WEIR_RIGHT][i].address) |
	       set_number("WEIR_HOST", i + 1);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Links around it stand before it: "[weir 96 Mbit/s 25 ms | 10 Mbit/s 5 ms] ". A start-up file of bash that
 * has a prompt of its own gets the link put in front of it: bash obeys PROMPT_COMMAND, whoever starts it. */
static int set_prompt(const char *shell, const char *label, bool nested)
{
	char all[256], text[600];
	const char *outer = nested ? getenv("WEIR_LINK") : NULL;
	snprintf(all, sizeof all, "%.150s%s%.96s", outer ? outer : "", outer ? " | " : "", label);
	bool bash = strcmp(base_name(shell), "bash") == 0;
	snprintf(text, sizeof text, bash ? "[weir %s] \\w\\$ " : "[weir %s] $ ", all);
	int result = set("WEIR_LINK", all) | set("PS1", text);
	snprintf(text, sizeof text, "case $PS1 in '[weir '*) ;; *) PS1=\"[weir $WEIR_LINK] $PS1\" ;; esac");
	return result | set("PROMPT_COMMAND", text);
}

/* ---- starting ---- */

static int fork_one(struct weir_link_child *c, const struct weir_netns *ns, const char *const *command,
		    bool background, const sigset_t *mask)
{
	const struct weir_link_spawn s = {.ns = ns,
					  .argv = (char *const *)command,
					  .envp = environ,
					  .background = background,
					  .mask = mask};
	return weir_link_child_fork(c, &s);
}

int weir_link_hosts_fork(struct weir_link_hosts *h, const struct weir_link_network *n, const char *label,
			 const sigset_t *mask)
{
	const struct weir_site *site = &n->site;
	const struct weir_link_options *o = n->options;
	const char *shell = getenv("SHELL"), *beyond[] = {"/bin/sh", "-c", o->beyond, NULL};
	shell = shell && *shell ? shell : "/bin/sh";
	const char *own[] = {shell, NULL}, *const *command = o->command[0] ? o->command : own;
	struct outermost outer = find_outermost(n);
	int result = set_peers(site) | set_number("WEIR_HOSTS", site->n[WEIR_LEFT]);
	h->name = command[0];
	if (!n->right_is_here)
		result |= unsetenv(WEIR_RANGE_VARIABLE);
	for (u32 i = 0; o->beyond && !result && i < site->n[WEIR_RIGHT]; i++) {
		result = describe_right(site, i) ||
			 fork_one(&h->beyond[i], &site->host[WEIR_RIGHT][i].ns, beyond, true, mask);
		h->n_beyond += !result;
	}
	result |= set_prompt(shell, label, *outer.peer);
	for (u32 i = 0; !result && i < site->n[WEIR_LEFT]; i++) {
		result = describe_left(site, i, &outer) ||
			 fork_one(&h->command[i], &site->host[WEIR_LEFT][i].ns, command, false, mask);
		h->n += !result;
	}
	return result ? -1 : 0;
}

bool weir_link_hosts_release(struct weir_link_hosts *h, const struct weir_invocation *call)
{
	bool good = true;
	for (u32 i = 0; i < h->n_beyond; i++) {
		u32 listening = weir_link_listening(h->beyond[i].pid);
		int error = weir_link_child_release(&h->beyond[i]);
		if (error) {
			weir_error(call, WEIR_EXIT_FAILED, "--beyond: /bin/sh: %s", strerror(error));
			h->command[0].code = WEIR_EXIT_LINK;
			return false;
		}
		weir_link_child_await(&h->beyond[i], listening);
	}
	for (u32 i = 0; i < h->n; i++) {
		int error = weir_link_child_release(&h->command[i]);
		if (error && good)
			weir_error(call, WEIR_EXIT_FAILED, "%s: %s", h->name, strerror(error));
		good = good && !error;
	}
	return good;
}

static void tell_early_end(const struct weir_link_child *c, const struct weir_invocation *call)
{
	if (c->ended && c->code > 128)
		weir_error(call, WEIR_EXIT_FAILED, "--beyond was ended by signal %d", c->code - 128);
	else if (c->ended && c->code)
		weir_error(call, WEIR_EXIT_FAILED, "--beyond ended early with status %d", c->code);
}

void weir_link_hosts_end(struct weir_link_hosts *h, const struct weir_invocation *call)
{
	for (u32 i = 0; i < h->n_beyond; i++) {
		tell_early_end(&h->beyond[i], call);
		weir_link_child_end(&h->beyond[i]);
	}
	for (u32 i = 0; i < h->n; i++)
		if (!h->command[i].ended)
			weir_link_child_abandon(&h->command[i]);
}

int weir_link_hosts_code(const struct weir_link_hosts *h)
{
	for (u32 i = 0; i < h->n; i++)
		if (h->command[i].code)
			return h->command[i].code;
	return 0;
}

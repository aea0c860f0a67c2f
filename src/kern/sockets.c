/* SPDX-License-Identifier: MIT */
#include "registered.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>

#define ALL_STATES 0xffffffffU
#define PROTOCOL_TCP 6
#define BUFFER_BYTES 32768 /* the kernel fills at most this much at once */

struct count {
	const char *name;
	u64 n;
};

static int look_at_attribute(const struct nlattr *attribute, void *data)
{
	struct count *count = data;
	if (mnl_attr_get_type(attribute) == INET_DIAG_CONG &&
	    mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) >= 0 &&
	    !strcmp(mnl_attr_get_str(attribute), count->name))
		count->n++;
	return MNL_CB_OK;
}

static int look_at_socket(const struct nlmsghdr *message, void *data)
{
	return mnl_attr_parse(message, sizeof(struct inet_diag_msg), look_at_attribute, data);
}

static int ask(struct mnl_socket *socket, u8 family, struct count *count)
{
	char buffer[BUFFER_BYTES];
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	message->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	message->nlmsg_seq = family;
	struct inet_diag_req_v2 *request = mnl_nlmsg_put_extra_header(message, sizeof *request);
	request->sdiag_family = family;
	request->sdiag_protocol = PROTOCOL_TCP;
	request->idiag_ext = 1 << (INET_DIAG_CONG - 1);
	request->idiag_states = ALL_STATES;
	if (mnl_socket_sendto(socket, message, message->nlmsg_len) < 0)
		return -1;
	int more = MNL_CB_OK;
	while (more > MNL_CB_STOP) {
		ssize_t bytes = mnl_socket_recvfrom(socket, buffer, sizeof buffer);
		if (bytes < 0)
			return -1;
		more = mnl_cb_run(buffer, (size_t)bytes, family, mnl_socket_get_portid(socket),
				  look_at_socket, count);
	}
	return more;
}

int weir_kern_sockets(const char *name, u64 *n)
{
	struct count count = {.name = name};
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_SOCK_DIAG, SOCK_CLOEXEC);
	if (!socket)
		return -1;
	int result = mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID);
	if (!result)
		result = ask(socket, AF_INET, &count);
	if (!result && ask(socket, AF_INET6, &count) && errno != ENOENT)
		result = -1; /* ENOENT: a kernel without IPv6 */
	int error = errno;
	mnl_socket_close(socket);
	errno = error;
	*n = count.n;
	return result ? -1 : 0;
}

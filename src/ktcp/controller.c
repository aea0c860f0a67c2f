/* SPDX-License-Identifier: MIT */
#include "controller.h"

#include "flow.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool weir_ktcp_name_is_sane(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
	return n > 0 && n < WEIR_KTCP_NAME_BYTES && name[n] == '\0';
}

int weir_ktcp_controller_set(int socket, const char *name)
{
	if (!weir_ktcp_name_is_sane(name))
		return ENOENT;
	return setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) < 0 ? errno : 0;
}

bool weir_ktcp_controller_is(int socket, const char *name, char found[WEIR_KTCP_NAME_BYTES])
{
	socklen_t bytes = WEIR_KTCP_NAME_BYTES;
	memset(found, 0, WEIR_KTCP_NAME_BYTES);
	if (getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, found, &bytes) < 0)
		return false;
	found[WEIR_KTCP_NAME_BYTES - 1] = '\0';
	return strcmp(found, name) == 0;
}

static void read_list(char list[WEIR_KTCP_WHY_BYTES])
{
	ssize_t n = -1;
	int fd = open("/proc/sys/net/ipv4/tcp_available_congestion_control", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, list, WEIR_KTCP_WHY_BYTES - 1);
		close(fd);
	}
	list[n < 0 ? 0 : n] = '\0';
	list[strcspn(list, "\n")] = '\0';
}

bool weir_ktcp_has_controller(const char *name, char list[WEIR_KTCP_WHY_BYTES])
{
	char found[WEIR_KTCP_NAME_BYTES];
	bool has = false;
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0)
		s = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s >= 0) {
		has = weir_ktcp_controller_set(s, name) == 0 && weir_ktcp_controller_is(s, name, found);
		close(s);
	}
	if (list) /* after the attempt, which may have loaded a module */
		read_list(list);
	return has;
}

/* SPDX-License-Identifier: MIT */
/* Sockets with what the configuration asks of them. Each returns a descriptor, or -1 with the fault told.
 * Inside ktcp/ only. */
#ifndef WEIR_KTCP_SOCKET_H
#define WEIR_KTCP_SOCKET_H

#include "child.h"

int weir_ktcp_stream_socket(struct weir_ktcp_child *c);
int weir_ktcp_listener(struct weir_ktcp_child *c);
/* The sender's connection out of the listener's queue: -1 without a fault where there is none yet. */
int weir_ktcp_accept(struct weir_ktcp_child *c, int listener);
int weir_ktcp_datagram_socket(struct weir_ktcp_child *c, bool sender);

socklen_t weir_ktcp_address_bytes(const struct sockaddr_in6 *a);
/* The most that this side offers from now on. To be called again after each read: the kernel sets the clamp
 * anew when it sees segments of another size. */
void weir_ktcp_clamp_window(int socket, u64 rwnd_bytes);
int weir_ktcp_pending_error(int socket); /* errno, 0: none */
/* Raises this process's limit of open files as far as it may; how many connections of a crowd find room. */
u32 weir_ktcp_crowd_room(void);

#endif

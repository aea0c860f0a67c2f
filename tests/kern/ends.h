/* SPDX-License-Identifier: MIT */
/* Both ends of a transfer whose application is known: a bulk of data, and when all of it has arrived small
 * writes with pauses. */
#ifndef WEIR_TESTS_KERN_ENDS_H
#define WEIR_TESTS_KERN_ENDS_H

#define ENDS_BULK_BYTES 2500000U
#define ENDS_WRITE_BYTES 20000U

/* To $WEIR_PEER. Exit statuses. */
int ends_send(void);
int ends_take(void);

#endif

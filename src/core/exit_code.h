/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the exit status of `weir` means. The only list of these numbers. */
#ifndef WEIR_CORE_EXIT_CODE_H
#define WEIR_CORE_EXIT_CODE_H

enum weir_exit {
	WEIR_EXIT_OK = 0,
	WEIR_EXIT_FAILED = 1,	/* the run failed: full disk, no memory, interrupted */
	WEIR_EXIT_USAGE = 2,	/* usage or bad input */
	WEIR_EXIT_MACHINE = 3,	/* the machine lacks something; the message says what */
	WEIR_EXIT_INVALID = 4,	/* the result is invalid: the emulator could not keep up */
	WEIR_EXIT_CLAIM = 5,	/* a claim or a comparison failed */
	WEIR_EXIT_SKIPPED = 77, /* tests only */
};

#endif

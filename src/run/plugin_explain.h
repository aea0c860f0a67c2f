/* SPDX-License-Identifier: MIT */
/* What clang says of a header that it cannot make a BPF program of, in words for its author. */
#ifndef WEIR_RUN_PLUGIN_EXPLAIN_H
#define WEIR_RUN_PLUGIN_EXPLAIN_H

/* Each mistake once, with its line; the compiler's own affairs (calls of its runtime, nodes, stack dumps)
 * become what the author wrote: a double, a signed division, 128 bits. Free the result; NULL: no memory. */
char *weir_plugin_explain(const char *output);

#endif

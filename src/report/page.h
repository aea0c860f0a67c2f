/* SPDX-License-Identifier: MIT */
/* The frame of every page: head, policy, style, scripts. All in one file, nothing from outside. */
#ifndef WEIR_REPORT_PAGE_H
#define WEIR_REPORT_PAGE_H

#include "core/diag.h"

#include <stdio.h>

/* From the doctype to the open <main>; `scripts`: the page will end with them. */
void weir_page_begin(FILE *to, const char *title, bool scripts);
/* The footer and, if so begun, dygraphs and charts.js. */
void weir_page_end(FILE *to, bool scripts);

/* Writes a file whole or not at all: `fill` writes to a temporary file beside it, which then takes its
 * place. Returns an enum weir_exit; what is wrong is in `d`. */
int weir_page_write(const char *path, int (*fill)(FILE *to, void *ctx), void *ctx, struct weir_diag *d);

#endif

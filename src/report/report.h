/* SPDX-License-Identifier: MIT */
/* What a run left in its directory, as one page that opens offline. */
#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H

#include "core/diag.h"

/* Reads summary.json, series.csv and manifest.json of `dir` (of its run-* directories, when its summary is
 * of schema weir.run/1) and writes dir/report.html, whole or not at all. Returns an enum weir_exit: 2 when
 * an input is missing or wrong, 1 when the report could not be written; why is in `d`, with file and line. */
int weir_report_write(const char *dir, struct weir_diag *d);

/* The runs of several directories, one or many in each, laid side by side on one page `path`. */
int weir_report_write_together(const char *const *dirs, u32 n, const char *path, struct weir_diag *d);

#endif

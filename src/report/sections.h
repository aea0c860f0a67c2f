/* SPDX-License-Identifier: MIT */
/* The parts of the page below its charts and above them; each writes nothing when it has nothing to say. */
#ifndef WEIR_REPORT_SECTIONS_H
#define WEIR_REPORT_SECTIONS_H

#include "charts.h"

#include <stdio.h>

/* What happened, in words; then whatever a reader must know before the numbers. */
void weir_section_sentence(FILE *to, const struct weir_report_data *data);
void weir_section_notes(FILE *to, const struct weir_report_data *data, const struct weir_entities *e);
/* Whether emulated runs may be believed; nothing for simulated ones. And the emulator's own figures. */
void weir_section_verdict(FILE *to, const struct weir_report_data *data);
void weir_section_emulation(FILE *to, const struct weir_report_data *data);
/* Key figures of a single run as tiles, of several as one table. */
void weir_section_figures(FILE *to, const struct weir_report_data *data);

/* All charts on their common time axis, and (once, near the end of the page) what charts.js draws them from:
 * 0, or -1 with errno set. */
void weir_section_charts(FILE *to, const struct weir_charts *c);
int weir_section_data(FILE *to, const struct weir_charts *c, const struct weir_entities *e);

/* Each packet as a dot, of the runs in `dir` that have a sends.csv. */
void weir_section_sequence(FILE *to, const char *dir, const struct weir_report_data *data);

/* Throughput against 95th percentile of delay; for at least two points. */
void weir_section_scatter(FILE *to, const struct weir_report_data *data, const struct weir_entities *e);
/* How round-trip time and queueing delay are distributed over time. */
void weir_section_distributions(FILE *to, const struct weir_report_data *data, const struct weir_entities *e);

void weir_section_tables(FILE *to, const struct weir_report_data *data, const struct weir_entities *e);
/* How to run it again: command, seed, version, the scenario's text. */
void weir_section_manifest(FILE *to, const struct weir_report_data *data);
/* Only the command, of one manifest. */
void weir_section_command(FILE *to, const json_t *manifest);

#endif

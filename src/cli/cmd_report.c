/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "report/report.h"

static int cmd_report(struct weir_invocation *call)
{
	static struct weir_diag d;
	int code = weir_report_write(call->operands[0], &d);
	if (code == WEIR_EXIT_OK)
		fprintf(stderr, "%s: wrote %s/report.html\n", call->path, call->operands[0]);
	else
		weir_diag_print(&d, NULL, stderr);
	return code;
}

const struct weir_command weir_cmd_report = {
    .name = "report",
    .synopsis = "DIR",
    .help = "write report.html, one page that opens offline, from what a run left in DIR",
    .details =
	"DIR holds summary.json, series.csv and manifest.json, or the run-* directories of several runs,\n"
	"which the report lays side by side. `weir run` does this itself at its end.\n",
    .operands_min = 1,
    .operands_max = 1,
    .run = cmd_report,
};

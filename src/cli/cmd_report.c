/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "report/report.h"

static int cmd_report(struct weir_invocation *call)
{
	static struct weir_diag d;
	const char *page = weir_option(call, "output");
	if (call->n_operands > 1 && !page)
		return weir_usage_error(call, "several directories make one page: -o FILE.html names it");
	int code =
	    page ? weir_report_write_together((const char *const *)call->operands, call->n_operands, page, &d)
		 : weir_report_write(call->operands[0], &d);
	if (code == WEIR_EXIT_OK && page)
		fprintf(stderr, "%s: wrote %s\n", call->path, page);
	else if (code == WEIR_EXIT_OK)
		fprintf(stderr, "%s: wrote %s/report.html\n", call->path, call->operands[0]);
	else
		weir_diag_print(&d, NULL, stderr);
	return code;
}

static const struct weir_option options[] = {
    {.name = "output", .letter = 'o', .value = "FILE.html", .help = "where the page goes, instead of DIR"},
    {0}};

const struct weir_command weir_cmd_report = {
    .name = "report",
    .synopsis = "DIR... [-o FILE.html]",
    .help = "write report.html, one page that opens offline, from what a run left in DIR",
    .details =
	"DIR holds summary.json, series.csv and manifest.json, or the run-* directories of several runs,\n"
	"which the report lays side by side. `weir run` does this itself at its end. Several DIRs make one\n"
	"page: of a simulated and an emulated run, say.\n",
    .options = options,
    .operands_min = 1,
    .operands_max = WEIR_ANY,
    .run = cmd_report,
};

/* SPDX-License-Identifier: MIT */
#include "html.h"
#include "sections.h"

#include <string.h>

/* An argument as a shell would take it back. */
static void put_argument(FILE *to, const char *argument)
{
	size_t plain = strspn(argument, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
					"_-./:=,+@%");
	if (*argument && !argument[plain]) {
		weir_html_text(to, argument);
		return;
	}
	fputs("&#39;", to);
	for (; *argument; argument++) {
		char one[2] = {*argument, 0};
		if (*argument == '\'')
			fputs("&#39;\\&#39;&#39;", to);
		else if ((u8)*argument < 0x80)
			weir_html_text(to, one);
		else {
			/* A whole UTF-8 sequence at once, so that it is escaped as one. */
			char sequence[8] = {0};
			size_t n = 0;
			do
				sequence[n++] = *argument++;
			while (n < 4 && ((u8)*argument & 0xc0) == 0x80);
			weir_html_text(to, sequence);
			argument--;
		}
	}
	fputs("&#39;", to);
}

void weir_section_command(FILE *to, const json_t *manifest)
{
	const json_t *arguments = json_object_get(manifest, "arguments");
	if (!json_array_size(arguments))
		return;
	fputs("<pre class=\"command\">", to);
	for (size_t i = 0; i < json_array_size(arguments); i++) {
		const char *argument = json_string_value(json_array_get(arguments, i));
		if (i)
			fputc(' ', to);
		put_argument(to, argument ? argument : "");
	}
	fputs("</pre>\n", to);
}

/* Calls of a controller in the kernel: nothing was run, and nothing can be run again but its decisions. */
static void watched(FILE *to, const struct weir_report_data *data)
{
	fputs("<h2>Decide it again</h2>\n<p class=\"about\">Watched by weir ", to);
	weir_html_text(to, weir_get_text(data->run[0].summary, "version", "?"));
	fputs("; <code>calls.weir</code> beside this file holds every call, and <code>weir kernel "
	      "replay</code> makes them "
	      "again outside the kernel.</p>\n",
	      to);
}

void weir_section_manifest(FILE *to, const struct weir_report_data *data)
{
	const json_t *manifest = data->run[0].manifest;
	if (!strcmp(weir_get_text(data->run[0].summary, "backend", ""), "kernel")) {
		watched(to, data);
		return;
	}
	const char *scenario = weir_get_text(manifest, "scenario_text", NULL);
	if (!scenario)
		scenario = weir_get_text(manifest, "scenario.text", NULL);
	if (!scenario)
		scenario = weir_get_text(manifest, "scenario", NULL);
	fputs("<h2>Run it again</h2>\n", to);
	weir_section_command(to, manifest);
	fputs("<p class=\"about\">Made by weir ", to);
	weir_html_text(to, weir_get_text(data->run[0].summary, "version", "?"));
	bool emulated = weir_get(data->run[0].summary, "emulation.verdict") != NULL;
	fprintf(to, "; <code>manifest.json</code> beside this file holds all that is needed. %s</p>\n",
		emulated ? "Real packets never take the same time twice: the numbers come near these."
			 : "The same version and seed give the same numbers.");
	if (!scenario)
		return;
	fputs("<details class=\"block\"><summary>The scenario</summary><pre>", to);
	weir_html_text(to, scenario);
	fputs("</pre></details>\n", to);
}

/* SPDX-License-Identifier: MIT */
/* Text into HTML. Every name in a report came from a file that anybody may have written. */
#ifndef WEIR_REPORT_HTML_H
#define WEIR_REPORT_HTML_H

#include "weir/types.h"

#include <stdio.h>

/* Escaped for element content and for quoted attributes alike. Bytes that are not UTF-8 and control
 * characters (but newline and tab) become U+FFFD. */
void weir_html_text(FILE *to, const char *text);
/* A name inside a sentence: escaped, and isolated so that right-to-left letters stay in their place. */
void weir_html_name(FILE *to, const char *name);
/* JSON for a <script type="application/json">: no '<', '>' or '&' is left in it. `json` is a whole
 * document of the emitter, so that these stand in strings only. */
void weir_html_json(FILE *to, const char *json, size_t length);

#endif

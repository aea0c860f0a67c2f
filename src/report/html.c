/* SPDX-License-Identifier: MIT */
#include "html.h"

#include <string.h>

/* Length of the valid UTF-8 sequence at s, 0 for none: no overlong form, surrogate or number past U+10FFFF.
 */
static u32 utf8_length(const u8 *s)
{
	if (s[0] < 0x80)
		return 1;
	u32 n = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
		: (s[0] & 0xf0) == 0xe0	       ? 3
		: s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
					       : 0;
	for (u32 i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

void weir_html_text(FILE *to, const char *text)
{
	for (const u8 *s = (const u8 *)text; *s;) {
		u32 n = utf8_length(s);
		const char *entity = n == 0 ? "\357\277\275" : NULL;
		switch (*s) {
		case '&':
			entity = "&amp;";
			break;
		case '<':
			entity = "&lt;";
			break;
		case '>':
			entity = "&gt;";
			break;
		case '"':
			entity = "&quot;";
			break;
		case '\'':
			entity = "&#39;";
			break;
		default:
			if ((*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f)
				entity = "\357\277\275";
		}
		if (entity)
			fputs(entity, to);
		else
			fwrite(s, 1, n, to);
		s += n ? n : 1;
	}
}

void weir_html_name(FILE *to, const char *name)
{
	fputs("<bdi>", to);
	weir_html_text(to, name);
	fputs("</bdi>", to);
}

void weir_html_json(FILE *to, const char *json, size_t length)
{
	size_t from = 0;
	for (size_t i = 0; i < length; i++) {
		if (json[i] != '<' && json[i] != '>' && json[i] != '&')
			continue;
		fwrite(json + from, 1, i - from, to);
		fprintf(to, "\\u%04x", (unsigned)json[i]);
		from = i + 1;
	}
	fwrite(json + from, 1, length - from, to);
}

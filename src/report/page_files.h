/* SPDX-License-Identifier: MIT */
/* The parts of a page that are files of their own here, made into C at build time by embed_page. */
#ifndef WEIR_REPORT_PAGE_FILES_H
#define WEIR_REPORT_PAGE_FILES_H

#include <stddef.h>

struct weir_page_file {
	const unsigned char *data;
	size_t bytes;
	const char *sha256_base64; /* as a content security policy names it */
	/* The same of the one style attribute that this script sets as text; "" for none. */
	const char *style_attribute_sha256_base64;
};

extern const struct weir_page_file weir_page_style, weir_page_charts;
extern const struct weir_page_file weir_page_dygraphs, weir_page_dygraphs_style;

#endif

/* SPDX-License-Identifier: MIT */
#include "page.h"

#include "core/exit_code.h"
#include "html.h"
#include "page_files.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_file(FILE *to, const struct weir_page_file *file)
{
	fwrite(file->data, 1, file->bytes, to);
}

static void allow(FILE *to, const char *sha256_base64)
{
	fprintf(to, " 'sha256-%s'", sha256_base64);
}

/* Nothing is loaded from anywhere, and only these very scripts and styles run: whatever a name in the data
 * may smuggle in, the browser refuses it. */
static void put_policy(FILE *to, bool scripts)
{
	fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
	      "form-action 'none'; style-src",
	      to);
	allow(to, weir_page_style.sha256_base64);
	if (scripts) {
		allow(to, weir_page_dygraphs_style.sha256_base64);
		if (*weir_page_dygraphs.style_attribute_sha256_base64) {
			fputs(" 'unsafe-hashes'", to);
			allow(to, weir_page_dygraphs.style_attribute_sha256_base64);
		}
		fputs("; script-src", to);
		allow(to, weir_page_dygraphs.sha256_base64);
		allow(to, weir_page_charts.sha256_base64);
	}
	fputs("\">\n", to);
}

void weir_page_begin(FILE *to, const char *title, bool scripts)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", to);
	put_policy(to, scripts);
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" "
	      "content=\"weir " WEIR_VERSION "\">\n<title>",
	      to);
	weir_html_text(to, title);
	fputs("</title>\n", to);
	if (scripts) {
		fputs("<style>", to);
		put_file(to, &weir_page_dygraphs_style);
		fputs("</style>\n", to);
	}
	fputs("<style>", to);
	put_file(to, &weir_page_style);
	fputs("</style>\n</head>\n<body>\n<main>\n", to);
}

void weir_page_end(FILE *to, bool scripts)
{
	fputs("<footer>weir " WEIR_VERSION, to);
	if (scripts)
		fputs(" \302\267 charts by dygraphs (MIT licence, Copyright 2006\342\200\2232023 Dan "
		      "Vanderkam and "
		      "contributors)",
		      to);
	fputs("</footer>\n</main>\n", to);
	if (scripts) {
		fputs("<script>", to);
		put_file(to, &weir_page_dygraphs);
		fputs("</script>\n<script>", to);
		put_file(to, &weir_page_charts);
		fputs("</script>\n", to);
	}
	fputs("</body>\n</html>\n", to);
}

static int complain(struct weir_diag *d, const char *path, const char *temporary)
{
	snprintf(d->file, sizeof d->file, "%.250s", path);
	weir_diag_add(d, 0, 0, "cannot write: %s", strerror(errno ? errno : EIO));
	if (temporary)
		unlink(temporary);
	return WEIR_EXIT_FAILED;
}

int weir_page_write(const char *path, int (*fill)(FILE *to, void *ctx), void *ctx, struct weir_diag *d)
{
	char temporary[4096];
	if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary) {
		errno = ENAMETOOLONG;
		return complain(d, path, NULL);
	}
	int fd = mkstemp(temporary);
	if (fd < 0)
		return complain(d, path, NULL);
	FILE *to = fdopen(fd, "w");
	if (!to) {
		close(fd);
		return complain(d, path, temporary);
	}
	/* mkstemp's file is its owner's alone; a report is as readable as anything else he writes. */
	mode_t mask = umask(0);
	umask(mask);
	errno = 0;
	bool failed = fchmod(fd, 0666 & ~mask) != 0 || fill(to, ctx) != 0;
	failed |= fflush(to) != 0 || ferror(to);
	int reason = errno;
	if (fclose(to) != 0 && !failed) {
		failed = true;
		reason = errno;
	}
	if (!failed && rename(temporary, path) == 0)
		return WEIR_EXIT_OK;
	if (failed)
		errno = reason;
	return complain(d, path, temporary);
}

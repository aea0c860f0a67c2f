/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SILENT_NS (2 * WEIR_NS_PER_S)
#define REDRAW_NS (100 * WEIR_NS_PER_MS)
#define BAR_CELLS 30

static u64 monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * WEIR_NS_PER_S + (u64)t.tv_nsec;
}

static bool smart_terminal(int fd)
{
	const char *term = getenv("TERM");
	return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

bool weir_terminal_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR");
	return smart_terminal(fd) && !(no_colour && *no_colour);
}

void weir_progress_start(struct weir_progress *bar, const char *label)
{
	*bar = (struct weir_progress){
	    .label = label,
	    .enabled = smart_terminal(STDERR_FILENO),
	    .started_ns = monotonic_ns(),
	};
}

/* "2:05", "1:00:09" */
static void format_clock(char *to, size_t room, double seconds)
{
	u64 s = seconds < 360000 ? (u64)(seconds + .5) : 359999;
	if (s >= 3600)
		snprintf(to, room, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(to, room, "%llu:%02llu", s / 60, s % 60);
}

static void draw(struct weir_progress *bar, double fraction, double elapsed_s)
{
	char clock[24];
	if (!(fraction > 0)) {
		format_clock(clock, sizeof clock, elapsed_s);
		fprintf(stderr, "\r\033[K%.40s  %s", bar->label, clock);
	} else {
		char cells[BAR_CELLS + 1];
		int full = (int)(fraction * BAR_CELLS);
		memset(cells, '#', (size_t)full);
		memset(cells + full, '.', (size_t)(BAR_CELLS - full));
		cells[BAR_CELLS] = 0;
		format_clock(clock, sizeof clock, elapsed_s * (1 - fraction) / fraction);
		fprintf(stderr, "\r\033[K%.24s [%s] %3.0f %%  %s left", bar->label, cells, fraction * 100,
			clock);
	}
	fflush(stderr);
	bar->shown = true;
}

void weir_progress_update(struct weir_progress *bar, double done, double total)
{
	if (!bar->enabled)
		return;
	u64 now_ns = monotonic_ns();
	if (now_ns - bar->started_ns < SILENT_NS || now_ns - bar->drawn_ns < REDRAW_NS)
		return;
	bar->drawn_ns = now_ns;
	double fraction = total > 0 ? done / total : 0;
	draw(bar, fraction > 1 ? 1 : fraction, (double)(now_ns - bar->started_ns) / (double)WEIR_NS_PER_S);
}

void weir_progress_end(struct weir_progress *bar)
{
	if (bar->shown)
		fputs("\r\033[K", stderr);
	bar->shown = false;
}

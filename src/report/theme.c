/* SPDX-License-Identifier: MIT */
#include "theme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	struct weir_unit unit;
} units[] = {
    {"bps", {WEIR_RATE, 1}},	    {"Bps", {WEIR_RATE, 8}},	    {"bytes", {WEIR_BYTES, 1}},
    {"ns", {WEIR_TIME, 1e-6}},	    {"us", {WEIR_TIME, 1e-3}},	    {"ms", {WEIR_TIME, 1}},
    {"s", {WEIR_TIME, 1e3}},	    {"fraction", {WEIR_SHARE, 1}},  {"utilization", {WEIR_SHARE, 1}},
    {"percent", {WEIR_SHARE, .01}}, {"packets", {WEIR_PACKETS, 1}}, {"hz", {WEIR_OFTEN, 1}},
};

struct weir_unit weir_unit_named(const char *unit)
{
	for (u32 i = 0; i < sizeof units / sizeof units[0]; i++)
		if (!strcmp(unit, units[i].name))
			return units[i].unit;
	return (struct weir_unit){WEIR_PLAIN, 1};
}

struct weir_unit weir_unit_of(const char *signal)
{
	const char *end = strrchr(signal, '_');
	return weir_unit_named(end ? end + 1 : signal);
}

const char *weir_signal_words(const char *signal, char *out, u32 room)
{
	const char *end = strrchr(signal, '_');
	size_t n = strlen(signal);
	if (end && end > signal && weir_unit_of(signal).dimension != WEIR_PLAIN &&
	    strcmp(end, "_utilization"))
		n = (size_t)(end - signal);
	if (n >= room)
		n = room - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = signal[i] == '_' ? ' ' : signal[i];
	out[n] = 0;
	return out;
}

static const struct weir_scale scales[WEIR_DIMENSIONS][5] = {
    [WEIR_RATE] = {{1, "bit/s"}, {1e3, "kbit/s"}, {1e6, "Mbit/s"}, {1e9, "Gbit/s"}, {1e12, "Tbit/s"}},
    [WEIR_BYTES] = {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}},
    [WEIR_TIME] = {{1e-6, "ns"}, {1e-3, "\302\265s"}, {1, "ms"}, {1e3, "s"}, {0, NULL}},
    [WEIR_SHARE] = {{.01, "%"}, {0, NULL}},
    [WEIR_PACKETS] = {{1, "packets"}, {0, NULL}},
    [WEIR_OFTEN] = {{1e-3, "mHz"}, {1, "Hz"}, {1e3, "kHz"}, {0, NULL}},
};

struct weir_scale weir_scale_for(enum weir_dimension dimension, double max)
{
	/* Up to 2 s stay in ms: the habit of the field. */
	double switch_at = dimension == WEIR_TIME ? 2 : 1;
	struct weir_scale best = {1, ""};
	if (!isfinite(max))
		max = 0;
	for (u32 i = 0; i < 5 && scales[dimension][i].symbol; i++) {
		double from = scales[dimension][i].divisor;
		if (i == 0 || max >= from * (from >= 1e3 ? switch_at : 1))
			best = scales[dimension][i];
	}
	if (dimension == WEIR_TIME && max == 0)
		best = scales[WEIR_TIME][2];
	return best;
}

/* Commas between thousands of a string of digits that may go on with a point. */
static void group_thousands(char text[WEIR_PRETTY_MAX])
{
	char grouped[WEIR_PRETTY_MAX];
	size_t start = text[0] == '-', digits = strspn(text + start, "0123456789"), n = 0;
	if (digits < 5 || strlen(text) + digits / 3 >= WEIR_PRETTY_MAX)
		return;
	for (size_t i = 0; text[i]; i++) {
		if (i > start && i < start + digits && (start + digits - i) % 3 == 0)
			grouped[n++] = ',';
		grouped[n++] = text[i];
	}
	grouped[n] = 0;
	memcpy(text, grouped, n + 1);
}

const char *weir_digits(char out[WEIR_PRETTY_MAX], double value, u32 digits)
{
	if (!isfinite(value)) {
		strcpy(out, "\342\200\223");
		return out;
	}
	double size = fabs(value);
	if (size >= 1e15 || (size > 0 && size < 1e-6)) {
		snprintf(out, WEIR_PRETTY_MAX, "%.*e", (int)digits - 1, value);
		return out;
	}
	/* Decimals that leave `digits` significant ones; whole numbers stay whole. */
	int decimals = (int)digits - 1;
	for (double step = 10; size >= step && decimals > 0; step *= 10)
		decimals--;
	for (double step = 1; size > 0 && size < step && decimals < 9; step /= 10)
		decimals++;
	snprintf(out, WEIR_PRETTY_MAX, "%.*f", decimals, value);
	if (strchr(out, '.')) {
		size_t n = strlen(out);
		while (out[n - 1] == '0')
			out[--n] = 0;
		if (out[n - 1] == '.')
			out[--n] = 0;
	}
	if (!strcmp(out, "-0"))
		strcpy(out, "0");
	group_thousands(out);
	return out;
}

const char *weir_pretty(char out[WEIR_PRETTY_MAX], enum weir_dimension dimension, double value)
{
	if (!isfinite(value) || dimension == WEIR_PLAIN || dimension == WEIR_COUNT)
		return weir_digits(out, value, dimension == WEIR_COUNT ? 15 : 4);
	struct weir_scale scale = weir_scale_for(dimension, fabs(value));
	char number[WEIR_PRETTY_MAX];
	/* Between 99 % and 100 % the third digit is the interesting one. */
	double scaled = value / scale.divisor;
	weir_digits(number, scaled, dimension == WEIR_SHARE && scaled < 10 ? 2 : 3);
	snprintf(out, WEIR_PRETTY_MAX, "%.24s %s", number, scale.symbol);
	return out;
}

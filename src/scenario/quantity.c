/* SPDX-License-Identifier: MIT */
#include "quantity.h"

#include "core/nearest.h"

#include <stdarg.h>
#include <stdio.h>

__extension__ typedef unsigned __int128 u128;

#define DIGITS_MAX 20 /* any u64; digits x the largest unit still fits 128 bits */
#define TEXT_SHOWN 40 /* characters of the user's text in a message */

/* value = number x mul x 10^exp10. Units not `shown` are other spellings: taken, never printed. */
struct unit {
	const char *name;
	u8 kind; /* enum weir_quantity */
	bool shown;
	u64 mul;
	int exp10;
};

static const struct unit units[] = {
    {"bit/s", WEIR_QUANTITY_RATE, true, 1, 0},
    {"kbit/s", WEIR_QUANTITY_RATE, true, 1, 3},
    {"Mbit/s", WEIR_QUANTITY_RATE, true, 1, 6},
    {"Gbit/s", WEIR_QUANTITY_RATE, true, 1, 9},
    {"Tbit/s", WEIR_QUANTITY_RATE, true, 1, 12},
    {"bps", WEIR_QUANTITY_RATE, false, 1, 0},
    {"kbps", WEIR_QUANTITY_RATE, false, 1, 3},
    {"Mbps", WEIR_QUANTITY_RATE, false, 1, 6},
    {"Gbps", WEIR_QUANTITY_RATE, false, 1, 9},
    {"Tbps", WEIR_QUANTITY_RATE, false, 1, 12},
    {"B/s", WEIR_QUANTITY_RATE, false, 8, 0},
    {"kB/s", WEIR_QUANTITY_RATE, false, 8, 3},
    {"MB/s", WEIR_QUANTITY_RATE, false, 8, 6},
    {"GB/s", WEIR_QUANTITY_RATE, false, 8, 9},
    {"ns", WEIR_QUANTITY_TIME, true, 1, 0},
    {"us", WEIR_QUANTITY_TIME, true, 1, 3},
    {"ms", WEIR_QUANTITY_TIME, true, 1, 6},
    {"s", WEIR_QUANTITY_TIME, true, 1, 9},
    {"min", WEIR_QUANTITY_TIME, true, 60, 9},
    {"h", WEIR_QUANTITY_TIME, true, 3600, 9},
    {"d", WEIR_QUANTITY_TIME, true, 86400, 9},
    {"\xc2\xb5s", WEIR_QUANTITY_TIME, false, 1, 3}, /* micro sign */
    {"\xce\xbcs", WEIR_QUANTITY_TIME, false, 1, 3}, /* Greek mu */
    {"B", WEIR_QUANTITY_BYTES, true, 1, 0},
    {"kB", WEIR_QUANTITY_BYTES, true, 1, 3},
    {"MB", WEIR_QUANTITY_BYTES, true, 1, 6},
    {"GB", WEIR_QUANTITY_BYTES, true, 1, 9},
    {"TB", WEIR_QUANTITY_BYTES, true, 1, 12},
    {"KiB", WEIR_QUANTITY_BYTES, true, 1ULL << 10, 0},
    {"MiB", WEIR_QUANTITY_BYTES, true, 1ULL << 20, 0},
    {"GiB", WEIR_QUANTITY_BYTES, true, 1ULL << 30, 0},
    {"TiB", WEIR_QUANTITY_BYTES, true, 1ULL << 40, 0},
    {"byte", WEIR_QUANTITY_BYTES, false, 1, 0},
    {"bytes", WEIR_QUANTITY_BYTES, false, 1, 0},
    {"packets", WEIR_QUANTITY_PACKETS, true, 1, 0},
    {"packet", WEIR_QUANTITY_PACKETS, false, 1, 0},
    {"%", WEIR_QUANTITY_RATIO, true, 1, 4},
    {"BDP", WEIR_QUANTITY_BDP, true, 1, 6},
    {"uHz", WEIR_QUANTITY_FREQUENCY, true, 1, 0},
    {"mHz", WEIR_QUANTITY_FREQUENCY, true, 1, 3},
    {"Hz", WEIR_QUANTITY_FREQUENCY, true, 1, 6},
    {"kHz", WEIR_QUANTITY_FREQUENCY, true, 1, 9},
    {"MHz", WEIR_QUANTITY_FREQUENCY, true, 1, 12},
    {"/s", WEIR_QUANTITY_FREQUENCY, false, 1, 6},
};
#define N_UNITS (sizeof units / sizeof units[0])

static const struct unit plain_count = {"", WEIR_QUANTITY_COUNT, false, 1, 0};
static const struct unit plain_packets = {"", WEIR_QUANTITY_PACKETS, false, 1, 0};
static const struct unit plain_ratio = {"", WEIR_QUANTITY_RATIO, false, 1, 6};

static const struct {
	const char *a; /* with its article */
	const char *two_units[2];
} kind_words[] = {
    [WEIR_QUANTITY_COUNT] = {"a whole number", {NULL, NULL}},
    [WEIR_QUANTITY_RATE] = {"a rate", {"Mbit/s", "kbit/s"}},
    [WEIR_QUANTITY_TIME] = {"a time", {"ms", "s"}},
    [WEIR_QUANTITY_BYTES] = {"a size", {"kB", "B"}},
    [WEIR_QUANTITY_PACKETS] = {"a number of packets", {"packets", NULL}},
    [WEIR_QUANTITY_RATIO] = {"a fraction", {"%", NULL}},
    [WEIR_QUANTITY_BDP] = {"a number of BDP", {"BDP", NULL}},
    [WEIR_QUANTITY_FREQUENCY] = {"a number of times a second", {"Hz", "kHz"}},
};
#define N_KINDS (sizeof kind_words / sizeof kind_words[0])

/* mantissa x 10^exp10, trailing zeros of the mantissa moved to the exponent. */
struct number {
	u128 mantissa;
	int exp10;
	bool negative;
	const char *rest; /* what follows, blanks skipped */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *read_digits(const char *s, struct number *n, int *digits, bool fraction)
{
	for (; is_digit(*s); s++) {
		if (*digits || *s != '0')
			(*digits)++;
		if (*digits <= DIGITS_MAX) {
			n->mantissa *= 10;
			n->mantissa += (u32)(*s - '0');
		}
		n->exp10 -= fraction;
	}
	return s;
}

/* "e5" only counts as an exponent when a digit follows. */
static const char *read_exponent(const char *s, struct number *n)
{
	if (*s != 'e' && *s != 'E')
		return s;
	const char *e = s + 1;
	bool negative = *e == '-';
	if (*e == '-' || *e == '+')
		e++;
	if (!is_digit(*e))
		return s;
	int exponent = 0;
	for (; is_digit(*e); e++)
		exponent = exponent < 1000 ? exponent * 10 + (*e - '0') : exponent;
	n->exp10 += negative ? -exponent : exponent;
	return e;
}

/* NULL when fine, else what is wrong with the number. */
static const char *read_number(const char *s, struct number *n)
{
	*n = (struct number){0};
	n->negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	int digits = 0;
	const char *start = s;
	s = read_digits(s, n, &digits, false);
	bool any = s > start;
	if (*s == '.') {
		start = ++s;
		s = read_digits(s, n, &digits, true);
		any |= s > start;
	}
	if (!any)
		return "";
	if (digits > DIGITS_MAX)
		return "has too many digits";
	s = read_exponent(s, n);
	if (*s == ',')
		return "has a comma: write a decimal point";
	while (*s == ' ' || *s == '\t')
		s++;
	n->rest = s;
	while (n->mantissa && n->mantissa % 10 == 0) {
		n->mantissa /= 10;
		n->exp10++;
	}
	return NULL;
}

/* mantissa x mul x 10^exp10, rounded half up; false when it is over the largest u64. */
static bool scale(const struct number *n, const struct unit *unit, u64 *value, bool *exact)
{
	u128 x = n->mantissa * unit->mul;
	int e = n->exp10 + unit->exp10;
	*exact = true;
	for (; e > 0 && x; e--) {
		if (x > ~0ULL)
			return false;
		x *= 10;
	}
	u128 divisor = 1;
	for (; e < 0 && divisor <= x * 2; e++)
		divisor *= 10;
	*exact = x % divisor == 0;
	x = x / divisor + (x % divisor >= divisor - divisor / 2);
	*value = (u64)x;
	return x <= ~0ULL;
}

/* Appends to a message; what does not fit is cut off. */
__attribute__((format(printf, 2, 3))) static void say(char error[WEIR_QUANTITY_ERROR], const char *format,
						      ...)
{
	size_t used = strlen(error);
	va_list ap;
	va_start(ap, format);
	vsnprintf(error + used, WEIR_QUANTITY_ERROR - used, format, ap);
	va_end(ap);
}

static void say_kinds(char error[WEIR_QUANTITY_ERROR], u32 kinds)
{
	const char *joint = "";
	for (u32 k = 0; k < N_KINDS; k++) {
		if (!(kinds & WEIR_QUANTITY_BIT(k)))
			continue;
		say(error, "%s%s", joint, kind_words[k].a);
		u32 more = kinds >> (k + 1);
		joint = more & (more - 1) ? ", " : " or ";
	}
}

static void say_no_unit(char error[WEIR_QUANTITY_ERROR], const char *text, u32 kinds)
{
	say(error, "%.*s has no unit: write ", TEXT_SHOWN, text);
	const char *names[2 * N_KINDS];
	u32 n = 0;
	bool single = !(kinds & (kinds - 1));
	for (u32 k = 0; k < N_KINDS; k++)
		for (u32 i = 0; i < 2 && (kinds & WEIR_QUANTITY_BIT(k)); i++)
			if (kind_words[k].two_units[i] && (single || i == 0))
				names[n++] = kind_words[k].two_units[i];
	for (u32 i = 0; i < n; i++)
		say(error, "%s%.*s %s", i == 0 ? "" : i + 1 == n ? " or " : ", ", TEXT_SHOWN, text, names[i]);
}

static void say_bad_unit(char error[WEIR_QUANTITY_ERROR], const char *unit, u32 kinds)
{
	struct weir_nearest near = weir_nearest_to(unit);
	say(error, "unknown unit \"%.*s\"", TEXT_SHOWN, unit);
	for (u32 i = 0; i < N_UNITS; i++)
		if (units[i].shown && (kinds & WEIR_QUANTITY_BIT(units[i].kind)))
			weir_nearest_try(&near, units[i].name);
	if (near.name) {
		say(error, "; did you mean %s?", near.name);
		return;
	}
	const char *joint =
	    kinds & WEIR_QUANTITY_BIT(WEIR_QUANTITY_COUNT) ? ": it takes none" : ": it is one of";
	say(error, "%s", joint);
	for (u32 i = 0; i < N_UNITS; i++)
		if (units[i].shown && (kinds & WEIR_QUANTITY_BIT(units[i].kind)))
			say(error, " %s", units[i].name);
}

static const struct unit *find_unit(const char *name, u32 kinds)
{
	if (!*name) {
		if (kinds & WEIR_QUANTITY_BIT(WEIR_QUANTITY_COUNT))
			return &plain_count;
		if (kinds & WEIR_QUANTITY_BIT(WEIR_QUANTITY_RATIO))
			return &plain_ratio;
		/* Among several kinds a bare number could mean any of them. */
		return kinds == WEIR_QUANTITY_BIT(WEIR_QUANTITY_PACKETS) ? &plain_packets : NULL;
	}
	for (u32 i = 0; i < N_UNITS; i++)
		if ((kinds & WEIR_QUANTITY_BIT(units[i].kind)) && !strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

static bool is_whole_kind(u8 kind)
{
	return kind == WEIR_QUANTITY_COUNT || kind == WEIR_QUANTITY_PACKETS;
}

/* The checks that every kind of number shares; false with a message. */
static bool read_checked(const char *text, u32 kinds, struct number *n, char error[WEIR_QUANTITY_ERROR])
{
	error[0] = 0;
	const char *wrong = read_number(text, n);
	if (wrong && *wrong) {
		say(error, "\"%.*s\" %s", TEXT_SHOWN, text, wrong);
		return false;
	}
	if (wrong) {
		say(error, *text ? "\"%.*s\" is not " : "%.*snothing stands here; it should be ", TEXT_SHOWN,
		    text);
		say_kinds(error, kinds);
		return false;
	}
	if (n->negative && n->mantissa) {
		say(error, "%.*s is negative", TEXT_SHOWN, text);
		return false;
	}
	return true;
}

bool weir_quantity_any(const char *text, u32 kinds, enum weir_quantity *kind, u64 *value,
		       char error[WEIR_QUANTITY_ERROR])
{
	struct number n;
	if (!read_checked(text, kinds, &n, error))
		return false;
	const struct unit *unit = find_unit(n.rest, kinds);
	if (!unit && !*n.rest && n.mantissa == 0) { /* nothing is nothing in any unit */
		for (*kind = 0; !(kinds & WEIR_QUANTITY_BIT(*kind));)
			++*kind;
		*value = 0;
		return true;
	}
	if (!unit && !*n.rest)
		say_no_unit(error, text, kinds);
	else if (!unit)
		say_bad_unit(error, n.rest, kinds);
	if (!unit)
		return false;

	bool exact;
	*kind = (enum weir_quantity)unit->kind;
	if (!scale(&n, unit, value, &exact))
		say(error, "%.*s is too large", TEXT_SHOWN, text);
	else if (!exact && is_whole_kind(unit->kind))
		say(error, "%.*s is not a whole number", TEXT_SHOWN, text);
	else if (*value == 0 && n.mantissa)
		say(error, "%.*s is too small", TEXT_SHOWN, text);
	return !error[0];
}

bool weir_quantity(const char *text, enum weir_quantity kind, u64 *value, char error[WEIR_QUANTITY_ERROR])
{
	enum weir_quantity found;
	return weir_quantity_any(text, WEIR_QUANTITY_BIT(kind), &found, value, error);
}

bool weir_quantity_fraction(const char *text, double *value, char error[WEIR_QUANTITY_ERROR])
{
	const u32 kinds = WEIR_QUANTITY_BIT(WEIR_QUANTITY_RATIO);
	struct number n;
	if (!read_checked(text, kinds, &n, error))
		return false;
	const struct unit *unit = find_unit(n.rest, kinds);
	if (!unit) {
		say_bad_unit(error, n.rest, kinds);
		return false;
	}
	/* Mantissa and power of ten are exact doubles, so that one division or product rounds once. */
	int e = n.mantissa ? n.exp10 + unit->exp10 - 6 : 0;
	if (n.mantissa > 999999999999999ULL || e < -22 || e > 22) {
		say(error, "%.*s has too many digits", TEXT_SHOWN, text);
		return false;
	}
	double power = 1;
	for (int i = 0; i < (e < 0 ? -e : e); i++)
		power *= 10;
	*value = e < 0 ? (double)n.mantissa / power : (double)n.mantissa * power;
	return true;
}

static u64 unit_size(const struct unit *unit)
{
	u64 size = unit->mul;
	for (int i = 0; i < unit->exp10; i++)
		size *= 10;
	return size;
}

void weir_quantity_print(enum weir_quantity kind, u64 value, char out[48])
{
	const char *name = "";
	u64 size = kind == WEIR_QUANTITY_RATIO ? 1000000 : 1;
	for (u32 i = 0; i < N_UNITS && kind != WEIR_QUANTITY_RATIO; i++) {
		if (units[i].kind != kind || !units[i].shown)
			continue;
		u64 candidate = unit_size(&units[i]);
		/* Thousandths of a decimal unit read well; others (min, KiB) only where they come out even.
		 */
		u64 grain = units[i].mul == 1 ? candidate / 1000 : candidate;
		bool fits = value >= candidate && value % weir_max(grain, 1) == 0;
		if (!*name || (fits && candidate >= size)) {
			name = units[i].name;
			size = candidate;
		}
	}
	if (kind == WEIR_QUANTITY_PACKETS && value == 1)
		name = "packet";
	u64 whole = value / size, rest = value % size;
	int n = snprintf(out, 48, "%llu", whole);
	if (rest) {
		out[n++] = '.';
		for (; rest; rest %= size) {
			rest *= 10;
			out[n++] = (char)('0' + rest / size);
		}
	}
	snprintf(out + n, 48 - (size_t)n, "%s%s", *name ? " " : "", name);
}

/* SPDX-License-Identifier: MIT */
#include "param.h"

#include "core/words.h"

#include <stdio.h>
#include <string.h>

/* How the unit of a controller's parameter is written. Bytes per second are read and shown as a rate in
 * bit/s: *scale = 8. */
static enum weir_quantity quantity_of(const char *unit, u64 *scale)
{
	*scale = !strcmp(unit, "Bps") ? 8 : 1;
	return !strcmp(unit, "ns")	  ? WEIR_QUANTITY_TIME
	       : !strcmp(unit, "bytes")	  ? WEIR_QUANTITY_BYTES
	       : !strcmp(unit, "packets") ? WEIR_QUANTITY_PACKETS
	       : !strcmp(unit, "Bps")	  ? WEIR_QUANTITY_RATE
	       : !strcmp(unit, "Hz")	  ? WEIR_QUANTITY_FREQUENCY
	       : !strcmp(unit, "ratio")	  ? WEIR_QUANTITY_RATIO
					  : WEIR_QUANTITY_COUNT;
}

static bool word_of(const struct weir_param *p, const char *text, u64 *value, char error[WEIR_QUANTITY_ERROR])
{
	if (weir_words_find(p->unit, text, value))
		return true;
	snprintf(error, WEIR_QUANTITY_ERROR, "unknown word \"%.60s\": it is one of %.60s", text, p->unit);
	return false;
}

bool weir_scenario_param(const struct weir_param *p, const char *text, u64 *value,
			 char error[WEIR_QUANTITY_ERROR])
{
	char border[48];
	u64 scale, x = 0;
	enum weir_quantity quantity = quantity_of(p->unit, &scale);
	if (!strcmp(p->unit, "flag")) {
		bool yes = !strcmp(text, "true");
		if (yes || !strcmp(text, "false"))
			*value = yes;
		else
			snprintf(error, WEIR_QUANTITY_ERROR, "\"%.60s\" is neither true nor false", text);
		return yes || !strcmp(text, "false");
	}
	if (weir_words_are(p->unit))
		return word_of(p, text, value, error);
	if (!weir_quantity(text, quantity, &x, error))
		return false;
	x /= scale;
	if (x >= p->min && x <= p->max) {
		*value = x;
		return true;
	}
	u64 edge = x < p->min ? p->min : p->max;
	weir_quantity_print(quantity, edge > ~0ULL / scale ? ~0ULL : edge * scale, border);
	snprintf(error, WEIR_QUANTITY_ERROR, "%.60s is %s than %s", text, x < p->min ? "less" : "more",
		 border);
	return false;
}

/* SPDX-License-Identifier: MIT */
/* What an experiment's `conclusion` says, with the numbers of today in it. */
#include "report/theme.h"
#include "reproduce.h"

#include <math.h>
#include <string.h>

/* What the claim with this id measured, as text. */
static void put_measured(FILE *to, const struct weir_reproduced *item, const char *id, size_t bytes)
{
	const struct weir_experiment *e = &item->experiment;
	char text[WEIR_PRETTY_MAX];

	for (u32 i = 0; i < e->n_claims; i++) {
		const struct weir_claim_result *r = &item->result.claim[i];
		if (strlen(e->claims[i].id) != bytes || memcmp(e->claims[i].id, id, bytes) != 0)
			continue;
		fputs(weir_digits(text, r->judged && r->known ? r->measured : (double)NAN, 3), to);
		return;
	}
	fprintf(to, "{%.*s}", (int)bytes, id);
}

bool weir_reproduce_conclusion(FILE *to, const struct weir_reproduced *item)
{
	const char *at = item->experiment.conclusion, *open, *close;

	if (!at)
		return false;
	while ((open = strchr(at, '{')) != NULL && (close = strchr(open, '}')) != NULL) {
		fwrite(at, 1, (size_t)(open - at), to);
		put_measured(to, item, open + 1, (size_t)(close - open - 1));
		at = close + 1;
	}
	fputs(at, to);
	return true;
}

/* SPDX-License-Identifier: MIT */
/* What `weir reproduce` says: one JSON document, or a table for people. */
#include "record/json.h"
#include "reproduce.h"

#include <stdio.h>
#include <string.h>

#define ID_WIDTH 24
#define PART_WIDTH 40

static void put_pair(struct weir_json *j, const char *key, bool known, double low, double high)
{
	weir_json_key(j, key);
	if (!known) {
		weir_json_null(j);
		return;
	}
	weir_json_line(j);
	weir_json_array(j);
	weir_json_double(j, low);
	weir_json_double(j, high);
	weir_json_array_end(j);
}

static void put_number(struct weir_json *j, const char *key, bool known, double x)
{
	if (known)
		weir_json_put_double(j, key, x);
	else
		weir_json_put_null(j, key);
}

static void put_claim(struct weir_json *j, const struct weir_claim *c, const struct weir_claim_result *r)
{
	weir_json_object(j);
	weir_json_put_string(j, "id", c->id);
	weir_json_put_string(j, "claim", c->text);
	weir_json_put_string(j, "unit", c->unit);
	put_number(j, "paper", c->has_paper, c->paper);
	put_pair(j, "band", true, r->band[0], r->band[1]);
	put_number(j, "measured", r->known, r->measured);
	put_pair(j, "ci95", r->has_ci, r->ci_low, r->ci_high);
	weir_json_put_u64(j, "n", r->n);
	weir_json_put_string(j, "verdict", weir_verdict_words[r->verdict]);
	weir_json_put_string(j, "reason", r->reason[0] ? r->reason : NULL);
	weir_json_object_end(j);
}

int weir_reproduce_json(FILE *to, const struct weir_reproduced *items, u32 n)
{
	struct weir_json j;

	weir_json_to_file(&j, to);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.reproduce/1");
	weir_json_put_array(&j, "experiments");
	for (u32 i = 0; i < n; i++) {
		const struct weir_reproduced *item = &items[i];
		weir_json_object(&j);
		weir_json_put_string(&j, "name", item->experiment.name);
		weir_json_put_string(&j, "backend", weir_reproduced_backend(item));
		weir_json_put_array(&j, "claims");
		for (u32 c = 0; c < item->experiment.n_claims; c++)
			if (item->result.claim[c].judged)
				put_claim(&j, &item->experiment.claims[c], &item->result.claim[c]);
		weir_json_array_end(&j);
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

/* Four significant digits: enough to see on which side of a band it lies, which the verdict says exactly. */
static void print_measured(const struct weir_claim_result *r)
{
	char text[64] = "-";

	if (r->known && r->has_ci)
		snprintf(text, sizeof text, "%.4g +- %.2g", r->measured, (r->ci_high - r->ci_low) / 2);
	else if (r->known)
		snprintf(text, sizeof text, "%.4g", r->measured);
	printf(" %20s", text);
}

static void print_claim(const struct weir_claim *c, const struct weir_claim_result *r, bool colour)
{
	static const char *const colours[WEIR_VERDICTS] = {"\033[32m", "\033[31m", "\033[33m", "\033[35m"};
	char band[64], paper[32] = "-";

	snprintf(band, sizeof band, "%.4g .. %.4g", r->band[0], r->band[1]);
	if (c->has_paper)
		snprintf(paper, sizeof paper, "%.4g", c->paper);
	printf("  %s%-9s%s %-*s", colour ? colours[r->verdict] : "", weir_verdict_words[r->verdict],
	       colour ? "\033[0m" : "", c->part ? PART_WIDTH : ID_WIDTH, c->part ? c->part : c->id);
	print_measured(r);
	printf(" %20s %10s  %s\n", band, paper, c->unit);
	if (!c->part)
		printf("            %s (%s)\n", c->text, c->where);
	if (r->reason[0])
		printf("            %s\n", r->reason);
	if (r->verdict == WEIR_VERDICT_EXPLAINED)
		printf("            evidence: %s\n", c->miss_evidence);
}

/* Of several claims that were written as one, what they have in common. */
static void print_group(const struct weir_claim *c)
{
	size_t text = strlen(c->text) - strlen(c->part) - 2;

	printf("  %s: %.*s (%s)\n", c->group, (int)text, c->text, c->where);
}

void weir_reproduce_text(const struct weir_reproduced *items, u32 n, bool colour)
{
	for (u32 i = 0; i < n; i++) {
		const struct weir_experiment *e = &items[i].experiment;
		const struct weir_experiment_result *r = &items[i].result;
		printf("%s: %s\n", e->name, e->title);
		if (e->source)
			printf("  %s\n", e->source);
		if (weir_reproduce_conclusion(stdout, &items[i]))
			putchar('\n');
		printf("  %llu runs, %.0f simulated seconds", r->runs, r->simulated_s);
		if (r->emulated_runs)
			printf(", %.0f emulated", r->emulated_s);
		printf("\n\n");
		printf("  %-9s %-24s %20s %20s %10s  %s\n", "", "claim", "measured", "band", "paper", "unit");
		const char *group = NULL;
		for (u32 c = 0; c < e->n_claims; c++) {
			if (!r->claim[c].judged)
				continue;
			if (e->claims[c].part && (!group || strcmp(group, e->claims[c].group) != 0))
				print_group(&e->claims[c]);
			group = e->claims[c].group;
			print_claim(&e->claims[c], &r->claim[c], colour);
		}
		putchar('\n');
	}
}

/* SPDX-License-Identifier: MIT */
#include "model_tuning.h"

#include "record/json.h"
#include "record/outdir.h"
#include "report/tuning.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define TEXT_COLUMNS 12 /* of the matrix on a terminal; more are in JSON and on the page */

static bool has_best(const struct weir_model_tuning *t, u32 b)
{
	return t->best[b] < t->grid.n_lambdas;
}

static double at(const struct weir_model_tuning *t, u32 b, u32 k)
{
	return t->matrix[(size_t)b * t->grid.n_lambdas + k];
}

/* How many rows Algorithm 1 and eq. 36 agree on; of those whose value the grid has. */
static void compare(const struct weir_model_tuning *t, u32 *equal, u32 *comparable)
{
	*equal = *comparable = 0;
	for (u32 b = 0; b < t->grid.n_betas; b++)
		for (u32 k = 0; k < t->grid.n_lambdas; k++)
			if (t->lambda_max[k] == t->eq36[b]) {
				++*comparable;
				*equal += t->best[b] == k;
			}
}

static void verdict(const struct weir_model_tuning *t, char text[400])
{
	u32 equal, comparable;

	compare(t, &equal, &comparable);
	snprintf(
	    text, 400,
	    "Algorithm 1 %s gives eq. 36 for %u of %u values of beta. The paper derives eq. 36, "
	    "ceil(8.91 - 7 beta), from this algorithm, but it does not follow: as printed, at PER 1e-8, the "
	    "largest lambda_max of the grid wins for every beta. Eq. 36 looks like a point of diminishing "
	    "returns.",
	    t->tolerance > WEIR_MODEL_TIE ? "with this tolerance" : "as printed", equal, comparable);
}

/* ---- text ---- */

static void matrix_text(const struct weir_model_tuning *t)
{
	u32 columns = t->grid.n_lambdas < TEXT_COLUMNS ? t->grid.n_lambdas : TEXT_COLUMNS;

	printf("%-7s", "beta");
	for (u32 k = 0; k < columns; k++)
		printf(" %7.4g", t->lambda_max[k]);
	printf("%s  optimum  eq. 36\n", columns < t->grid.n_lambdas ? "  ..." : "");
	for (u32 b = 0; b < t->grid.n_betas; b++) {
		printf("%-7.4g", t->beta[b]);
		for (u32 k = 0; k < columns; k++)
			printf(" %7.5f", at(t, b, k));
		if (columns < t->grid.n_lambdas)
			printf("  ...");
		if (has_best(t, b))
			printf("  %7.4g  %6.4g\n", t->lambda_max[t->best[b]], t->eq36[b]);
		else
			printf("  %7s  %6.4g\n", "-", t->eq36[b]);
	}
}

/* Some trial sends more packets at once than fit. */
static bool overflows(const struct weir_model_tuning *t)
{
	for (u32 i = 0; i < t->n_trials; i++)
		if (t->trial[i].config.lambda_max > 1 &&
		    t->trial[i].config.lambda_max + 3 > (double)t->path.buffer_packets)
			return true;
	return false;
}

static void trials_text(const struct weir_model_tuning *t)
{
	if (!t->n_trials)
		return;
	printf("\n%-8s  %-24s  %6s  %10s  %8s  %8s\n", "", "setting", "model", "simulation", "95 %",
	       "residual");
	for (u32 i = 0; i < t->n_trials; i++) {
		const struct weir_model_trial *x = &t->trial[i];
		printf("%-8s  %-24s  %6.4f  %10.4f  ", x->name, x->setting, x->model, x->simulated);
		if (isnan(x->ci95[0]))
			printf("%8s", "");
		else
			printf("+-%6.4f", (x->ci95[1] - x->ci95[0]) / 2);
		printf("  %+8.4f\n", x->simulated - x->model);
	}
	if (overflows(t))
		printf("\nThe buffer of %llu packets holds fewer than lambda_max + 3: what the ACK clock "
		       "lets out at once "
		       "after a cut overflows it again,\nwhich no reading knows (docs/agile-sd.md). Pacing "
		       "or a larger "
		       "--buffer mends it.\n",
		       t->path.buffer_packets);
}

void weir_model_tuning_text(const struct weir_model_tuning *t)
{
	char path[256], words[400];

	weir_model_path_words(&t->path, path);
	printf("%s; reading %s, tolerance %g%s\n\n", path, weir_model_reading_names[t->path.reading],
	       t->tolerance, t->carry ? ", the maximum carried" : "");
	matrix_text(t);
	trials_text(t);
	verdict(t, words);
	printf("\n%s\n", words);
}

/* ---- JSON ---- */

static void put_numbers(struct weir_json *j, const char *key, const double *x, u32 n)
{
	weir_json_key(j, key);
	weir_json_line(j);
	weir_json_array(j);
	for (u32 i = 0; i < n; i++)
		weir_json_double(j, x[i]);
	weir_json_array_end(j);
}

static void put_trials(struct weir_json *j, const struct weir_model_tuning *t)
{
	weir_json_put_array(j, "verify");
	for (u32 i = 0; i < t->n_trials; i++) {
		const struct weir_model_trial *x = &t->trial[i];
		weir_json_object(j);
		weir_json_put_string(j, "name", x->name);
		weir_json_put_double(j, "beta", x->config.beta);
		weir_json_put_double(j, "lambda_max", x->config.lambda_max);
		weir_json_put_double(j, "model", x->model);
		weir_json_put_double(j, "simulation", x->simulated);
		if (isnan(x->ci95[0]))
			weir_json_put_null(j, "ci95");
		else
			put_numbers(j, "ci95", x->ci95, 2);
		weir_json_put_double(j, "residual", x->simulated - x->model);
		weir_json_put_u64(j, "n", x->n);
		weir_json_object_end(j);
	}
	weir_json_array_end(j);
}

static void put_path(struct weir_json *j, const struct weir_model_config *c)
{
	weir_json_put_string(j, "reading", weir_model_reading_names[c->reading]);
	weir_json_put_double(j, "per", c->per);
	weir_json_put_u64(j, "buffer_packets", c->buffer_packets);
	weir_json_put_double(j, "rtt_ms", (double)c->rtt_ns / 1e6);
	weir_json_put_u64(j, "rate_bps", c->rate_bps);
	weir_json_put_u64(j, "packet_bytes", c->packet_bytes);
}

int weir_model_tuning_json(const struct weir_model_tuning *t, FILE *to)
{
	struct weir_json j;
	u32 equal, comparable;

	weir_json_to_file(&j, to);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.model-tune/1");
	put_path(&j, &t->path);
	weir_json_put_double(&j, "tolerance", t->tolerance);
	weir_json_put_bool(&j, "carry", t->carry);
	put_numbers(&j, "lambda_max", t->lambda_max, t->grid.n_lambdas);
	weir_json_put_array(&j, "rows");
	for (u32 b = 0; b < t->grid.n_betas; b++) {
		weir_json_object(&j);
		weir_json_put_double(&j, "beta", t->beta[b]);
		put_numbers(&j, "normalized_throughput", &t->matrix[(size_t)b * t->grid.n_lambdas],
			    t->grid.n_lambdas);
		weir_json_put_double(&j, "optimum", has_best(t, b) ? t->lambda_max[t->best[b]] : (double)NAN);
		weir_json_put_double(&j, "eq36", t->eq36[b]);
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	compare(t, &equal, &comparable);
	weir_json_put_u64(&j, "equal_to_eq36", equal);
	if (t->n_trials)
		put_trials(&j, t);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

/* ---- the directory ---- */

static int write_page(const struct weir_model_tuning *t, const char *path)
{
	static struct weir_diag diag;
	struct weir_report_trial trial[3];
	char about[400], words[256], verdict_text[400];

	for (u32 i = 0; i < t->n_trials; i++)
		trial[i] = (struct weir_report_trial){.name = t->trial[i].name,
						      .setting = t->trial[i].setting,
						      .model = t->trial[i].model,
						      .simulated = t->trial[i].simulated,
						      .ci95 = {t->trial[i].ci95[0], t->trial[i].ci95[1]},
						      .n = t->trial[i].n};
	weir_model_path_words(&t->path, words);
	snprintf(about, sizeof about, "%s. Reading: %s. Ties within %g.", words,
		 weir_model_reading_names[t->path.reading], t->tolerance);
	verdict(t, verdict_text);
	const struct weir_report_tuning page = {.title = "Agile-SD, tuned by its model",
						.about = about,
						.verdict = verdict_text,
						.reference = "eq. 36",
						.beta = t->beta,
						.lambda_max = t->lambda_max,
						.n_betas = t->grid.n_betas,
						.n_lambdas = t->grid.n_lambdas,
						.share = t->matrix,
						.best = t->best,
						.recommended = t->eq36,
						.trial = trial,
						.n_trials = t->n_trials};
	int code = weir_report_tuning(path, &page, &diag);
	if (code)
		weir_diag_print(&diag, NULL, stderr);
	return code;
}

static int write_manifest(const struct weir_invocation *call, FILE *to)
{
	struct weir_json j;

	weir_json_to_file(&j, to);
	weir_json_object(&j);
	weir_json_put_string(&j, "schema", "weir.manifest/1");
	weir_json_put_string(&j, "version", WEIR_VERSION);
	weir_json_put_string(&j, "command", call->path);
	weir_json_put_array(&j, "options");
	for (u32 i = 0; i < call->n_given; i++) {
		weir_json_line(&j);
		weir_json_object(&j);
		weir_json_put_string(&j, "name", call->given[i].option->name);
		weir_json_put_string(&j, "value", call->given[i].value);
		weir_json_object_end(&j);
	}
	weir_json_array_end(&j);
	weir_json_object_end(&j);
	return weir_json_finish(&j);
}

static int fill(const struct weir_invocation *call, const struct weir_model_tuning *t,
		const struct weir_outdir *dir)
{
	static const char *const names[] = {"tune.json", "manifest.json"};
	char path[PATH_MAX];

	for (u32 i = 0; i < 2; i++) {
		FILE *f = weir_outdir_path(dir, names[i], path) ? fopen(path, "w") : NULL;
		int rc = !f ? -1 : i ? write_manifest(call, f) : weir_model_tuning_json(t, f);
		if (f && fclose(f) != 0)
			rc = -1;
		if (rc < 0)
			return weir_error(call, WEIR_EXIT_FAILED, "cannot write %s: %s", names[i],
					  strerror(errno));
	}
	if (!weir_outdir_path(dir, "report.html", path))
		return weir_error(call, WEIR_EXIT_FAILED, "the name of the directory is too long");
	return write_page(t, path);
}

int weir_model_tuning_check_place(const struct weir_invocation *call, const char *directory)
{
	char why[512];

	return weir_outdir_check(directory, why) < 0 ? weir_usage_error(call, "%s", why) : 0;
}

int weir_model_tuning_write(const struct weir_invocation *call, const struct weir_model_tuning *t,
			    const char *directory)
{
	struct weir_outdir dir;
	char why[512];

	if (weir_outdir_begin(&dir, directory, why) < 0)
		return weir_error(call, WEIR_EXIT_FAILED, "%s", why);
	int code = fill(call, t, &dir);
	if (code)
		weir_outdir_abandon(&dir);
	else if (weir_outdir_commit(&dir, why) < 0)
		return weir_error(call, WEIR_EXIT_FAILED, "%s", why);
	else
		fprintf(stderr, "results in %s, page %s/report.html\n", directory, directory);
	return code;
}

/* SPDX-License-Identifier: MIT */
/* A semi-Markov reading of the chain: a state lasts RTT / lambda and sends w / lambda packets, with the
 * lambda of its own window; its long-run mean is exact. */
#include "chain.h"
#include "law.h"

#include <errno.h>
#include <stdlib.h>

static void lose(struct weir_chain *chain, const struct weir_model_config *c, double *lambda)
{
	double full = (double)weir_model_window_packets(c), errors = weir_model_packet_errors(c);

	for (u32 s = 0; s < chain->n; s++) {
		double w = (double)weir_chain_window_packets(chain, s);
		lambda[s] = weir_model_lambda(c, full - w, full - c->beta * full);
		double sent = c->exposure == WEIR_MODEL_CYCLE ? w / lambda[s] : w;
		double p = weir_model_loss_probability(c->loss, errors * sent);
		if (s + 1 < chain->n)
			chain->loss[s] = p < 1e-200 ? 0 : p;
	}
}

static void average(const struct weir_chain *chain, const struct weir_model_config *c, const double *lambda,
		    const double *law, struct weir_model_result *out)
{
	double carried = 0, time_rtts = 0, losses = 0, bdp = weir_model_bdp_packets(c);

	for (u32 s = 0; s < chain->n; s++) {
		double w = (double)weir_chain_window_packets(chain, s);
		carried += law[s] / lambda[s] * weir_model_carried(c, w, bdp);
		time_rtts += law[s] / lambda[s];
		losses += law[s] * chain->loss[s];
	}
	out->mean_window_packets = carried / time_rtts;
	out->epoch_rtts = time_rtts / losses;
}

/* Both laws, in the memory of `law` and `lambda`, which then belong to *out. */
static void keep(u32 n, double *law, double *lambda, struct weir_model_result *out)
{
	double sum = 0;

	for (u32 s = 0; s < n; s++) {
		lambda[s] = law[s] / lambda[s];
		sum += lambda[s];
	}
	for (u32 s = 0; s < n; s++)
		lambda[s] /= sum;
	out->n = n;
	out->probability = law;
	out->time_share = lambda;
}

int weir_model_renewal(const struct weir_model_config *c, bool distribution, struct weir_model_result *out)
{
	struct weir_chain chain;
	int rc = weir_chain_init(&chain, c);
	double *law = rc == 0 ? malloc(chain.n * sizeof *law) : NULL;
	double *lambda = rc == 0 ? malloc(chain.n * sizeof *lambda) : NULL;

	rc = law && lambda ? 0 : -1;
	if (rc == 0) {
		lose(&chain, c, lambda);
		rc = weir_chain_stationary(&chain, law);
	}
	if (rc == 0)
		average(&chain, c, lambda, law, out);
	if (rc == 0 && distribution) {
		keep(chain.n, law, lambda, out);
	} else {
		free(law);
		free(lambda);
	}
	weir_chain_free(&chain);
	errno = rc == 0 ? 0 : ENOMEM;
	return rc;
}

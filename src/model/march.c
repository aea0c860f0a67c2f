/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include "core/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRETCH 512
#define FORGET 1e-30	    /* weight of a stretch that is given up */
#define FORGET_STATE 1e-100 /* of a state: far from where doubles become slow */

/* Two lanes, that every machine of ours has; each sum has four, in an order of its own that no compiler
 * changes. */
typedef double pair __attribute__((vector_size(16)));
typedef long long mask __attribute__((vector_size(16)));

static inline pair load(const double *from)
{
	pair x;
	memcpy(&x, from, sizeof x);
	return x;
}

static inline void store(double *to, pair x)
{
	memcpy(to, &x, sizeof x);
}

/* From beta 1/2 on no state is led to by more than two: then a sum with 0 or 1 replaces a loop. */
static void find_runs(struct weir_march *m)
{
	const struct weir_chain *chain = m->chain;
	u32 next = 0, longest = 0;

	for (u32 s = 0; s < chain->n; s++)
		while (next <= chain->down[s])
			m->run[next++] = s;
	while (next <= chain->n)
		m->run[next++] = chain->n;
	for (u32 j = 0; j < chain->n; j++) {
		u32 n = m->run[j + 1] - m->run[j];
		m->second[j] = n == 2;
		longest = j && n > longest ? n : longest;
	}
	if (longest > 2) {
		free(m->second);
		m->second = NULL;
	}
}

int weir_march_init(struct weir_march *m, const struct weir_chain *chain, u32 start, u64 steps)
{
	u64 cells = chain->n + steps, stretches = cells / STRETCH + 1;

	*m = (struct weir_march){.chain = chain, .steps = steps};
	m->at = weir_pages_alloc(stretches * STRETCH * sizeof *m->at);
	m->live = calloc(stretches, sizeof *m->live);
	m->gain = malloc(chain->n * sizeof *m->gain);
	m->run = malloc((chain->n + 1ULL) * sizeof *m->run);
	m->second = malloc(chain->n * sizeof *m->second);
	if (!m->at || !m->live || !m->gain || !m->run || !m->second) {
		errno = ENOMEM;
		return -1;
	}
	memset(m->at, 0, stretches * STRETCH * sizeof *m->at);
	m->at[start + steps] = 1;
	m->live[(start + steps) / STRETCH] = true;
	find_runs(m);
	weir_march_gains(m);
	return 0;
}

void weir_march_free(struct weir_march *m)
{
	free(m->at);
	free(m->live);
	free(m->gain);
	free(m->run);
	free(m->second);
	*m = (struct weir_march){0};
}

void weir_march_gains(struct weir_march *m)
{
	const struct weir_chain *chain = m->chain;

	for (u32 s = 0; s < chain->n; s++) {
		double up = (double)weir_chain_window_packets(chain, s) + 1;
		double below = (double)weir_chain_window_packets(chain, chain->down[s]);
		m->gain[s] = up - chain->loss[s] * (up - below);
	}
}

/* What part of a stretch stands for states. */
struct part {
	double *at;
	u32 state, n;
};

static struct part part_of(const struct weir_march *m, u64 stretch)
{
	i64 state = (i64)(stretch * STRETCH) + (i64)m->t - (i64)m->steps;
	i64 end = state + STRETCH, first = state < 0 ? 0 : state;

	end = end > (i64)m->chain->n ? (i64)m->chain->n : end;
	return (struct part){.at = &m->at[stretch * STRETCH + (u64)(first - state)],
			     .state = (u32)first,
			     .n = first < end ? (u32)(end - first) : 0};
}

struct sums {
	double window, loss;
};

/* Takes the losses out of a part, into lost[]; what remains is one state further up after this step. */
static struct sums lose(const struct part *p, const double *loss, const double *gain, double *lost)
{
	const pair forget = {FORGET_STATE, FORGET_STATE};
	pair w0 = {0}, w1 = {0}, l0 = {0}, l1 = {0};
	u32 i = 0;

	for (; i + 4 <= p->n; i += 4) {
		pair a = load(p->at + i), b = load(p->at + i + 2);
		pair x = a * load(loss + i), y = b * load(loss + i + 2);
		w0 += a * load(gain + i);
		w1 += b * load(gain + i + 2);
		l0 += x;
		l1 += y;
		a -= x;
		b -= y;
		store(lost + i, x);
		store(lost + i + 2, y);
		store(p->at + i, (pair)((mask)a & (a > forget)));
		store(p->at + i + 2, (pair)((mask)b & (b > forget)));
	}
	w0 += w1;
	l0 += l1;
	struct sums s = {w0[0] + w0[1], l0[0] + l0[1]};
	for (; i < p->n; i++) {
		double a = p->at[i];
		lost[i] = a * loss[i];
		s.window += a * gain[i];
		s.loss += lost[i];
		a -= lost[i];
		p->at[i] = a > FORGET_STATE ? a : 0;
	}
	return s;
}

/* Adds the losses of the states from `state` on, lost[0 ... n - 1], to where they lead. */
static void land(struct weir_march *m, const double *lost, u32 state, u32 n)
{
	const u32 *run = m->run, *down = m->chain->down;
	u32 j = down[state], last = down[state + n - 1], end = state + n;
	u64 cell = m->steps - m->t - 1;
	double *to = &m->at[cell], sum = 0;

	for (u64 s = (cell + j) / STRETCH; s <= (cell + last) / STRETCH; s++)
		m->live[s] = true;
	/* the run at the beginning may be a part of one, as may the last */
	for (u32 i = state; i < end && i < run[j + 1]; i++)
		sum += lost[i - state];
	to[j] += sum;
	if (m->second)
		for (j++; j < last; j++) {
			const double *from = &lost[run[j] - state];
			to[j] += from[0] + m->second[j] * from[1];
		}
	for (j += !m->second; j <= last; j++) {
		sum = 0;
		for (u32 i = run[j]; i < end && i < run[j + 1]; i++)
			sum += lost[i - state];
		to[j] += sum;
	}
}

double weir_march_step(struct weir_march *m, double *loss)
{
	double lost[STRETCH], window = 0, total = 0;
	u64 first = (m->steps - m->t) / STRETCH, last = (m->steps - m->t + m->chain->n - 1) / STRETCH;

	for (u64 s = first; s <= last; s++) {
		if (!m->live[s])
			continue;
		struct part p = part_of(m, s);
		struct sums sums = lose(&p, m->chain->loss + p.state, m->gain + p.state, lost);
		/* windows are at least 1, so that this is at least the weight */
		if (!(sums.window > FORGET)) {
			memset(m->at + s * STRETCH, 0, STRETCH * sizeof *m->at);
			m->live[s] = false;
			continue;
		}
		window += sums.window;
		total += sums.loss;
		if (sums.loss > FORGET * FORGET)
			land(m, lost, p.state, p.n);
	}
	m->t++;
	*loss = total;
	return window;
}

double weir_march_mean(const struct weir_march *m, const double *value)
{
	double sum = 0;
	u64 first = (m->steps - m->t) / STRETCH, last = (m->steps - m->t + m->chain->n - 1) / STRETCH;

	for (u64 s = first; s <= last; s++) {
		if (!m->live[s])
			continue;
		struct part p = part_of(m, s);
		for (u32 i = 0; i < p.n; i++)
			sum += p.at[i] * value[p.state + i];
	}
	return sum;
}

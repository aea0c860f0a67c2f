/* SPDX-License-Identifier: MIT */
#include "sizes.h"

#include "weir/num.h"

#include <stdlib.h>

static const struct weir_sizes_point caida[] = {{0, 0},	     {1e4, .976},  {1e5, .995},
						{1e6, .999}, {5e6, .9998}, {1e8, 1}};
static const struct weir_sizes_point dctcp[] = {{0, 0},	   {1e4, .15}, {2e4, .2},  {3e4, .3},
						{5e4, .4}, {8e4, .53}, {2e5, .6},  {1e6, .7},
						{2e6, .8}, {5e6, .9},  {1e7, .97}, {3e7, 1}};
static const struct weir_sizes_point vl2[] = {{0, 0},	     {180, .1},	 {216, .2},  {560, .3}, {900, .4},
					      {1100, .5},    {1870, .6}, {3160, .7}, {1e4, .8}, {4e5, .9},
					      {3.16e6, .95}, {1e8, .98}, {1e9, 1}};
static const struct weir_sizes_point fb_cache[] = {
    {0, 0},	    {3, .28},	    {10, .32},	    {12, .44},	      {75, .5},	     {250, .75},
    {350, .9},	    {1000, .965},   {2515, .98},    {6326, .99},      {10032, .995}, {15910, .997},
    {23009, .9992}, {24094, .9996}, {25000, .9999}, {100000, .99999}, {1e6, 1}};

#define POINTS(table) table, sizeof table / sizeof table[0]
const struct weir_sizes_table weir_sizes_tables[] = {
    {"caida", "An Internet backbone: nearly all flows are short, half of the bytes are in 0.02 % of them.",
     "Bundler, EuroSys 2021: fitted to a CAIDA trace of 2016", POINTS(caida)},
    {"dctcp", "Web search in a data centre.", "DCTCP, SIGCOMM 2010", POINTS(dctcp)},
    {"vl2", "Data mining in a data centre.", "VL2, SIGCOMM 2009", POINTS(vl2)},
    {"fb-cache", "Values of a key-value cache.", "Atikoglu et al., SIGMETRICS 2012", POINTS(fb_cache)},
};
const u32 weir_sizes_n_tables = sizeof weir_sizes_tables / sizeof weir_sizes_tables[0];

double weir_sizes_mean(const struct weir_sizes_point *p, u32 n)
{
	double sum = 0;
	for (u32 i = 1; i < n; i++)
		sum += (p[i].fraction - p[i - 1].fraction) * (p[i].bytes + p[i - 1].bytes) / 2;
	return sum;
}

bool weir_sizes_named(const char *name, struct weir_sizes *s)
{
	for (u32 i = 0; i < weir_sizes_n_tables; i++) {
		const struct weir_sizes_table *t = &weir_sizes_tables[i];
		if (strcmp(t->name, name) != 0)
			continue;
		*s = (struct weir_sizes){
		    .point = t->point, .n = t->n, .mean_bytes = weir_sizes_mean(t->point, t->n)};
		return true;
	}
	return false;
}

void weir_sizes_free(struct weir_sizes *s)
{
	free(s->own);
	*s = (struct weir_sizes){0};
}

u64 weir_sizes_at(const struct weir_sizes *s, double u)
{
	u32 low = 0, high = s->n - 1; /* the first point that is not below u lies in (low, high] */
	while (high - low > 1) {
		u32 middle = (low + high) / 2;
		if (s->point[middle].fraction < u)
			low = middle;
		else
			high = middle;
	}
	const struct weir_sizes_point *a = &s->point[low], *b = &s->point[high];
	double part = (u - a->fraction) / (b->fraction - a->fraction);
	double bytes = a->bytes + part * (b->bytes - a->bytes);
	return weir_max((u64)(bytes + .5), 1);
}

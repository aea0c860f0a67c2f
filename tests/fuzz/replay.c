/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target as a regression test, without libFuzzer: each file of the folder given, then inputs
 * made from them by a fixed seed. Stops after RUNS_MAX inputs or a few seconds, whichever comes first. */
#include "core/rng.h"
#include "weir/num.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILES_MAX 512
#define INPUT_BYTES_MAX 65536
#define RUNS_MAX 20000
#define CPU_SECONDS_MAX 4

int LLVMFuzzerTestOneInput(const u8 *data, size_t bytes);

struct input {
	u8 *data;
	size_t bytes;
};

static struct input input[FILES_MAX];
static u32 n_inputs;

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool load(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "rb");
	u8 *data = malloc(INPUT_BYTES_MAX);
	if (!f || !data) {
		perror(path);
		return false;
	}
	size_t bytes = fread(data, 1, INPUT_BYTES_MAX, f);
	fclose(f);
	input[n_inputs++] = (struct input){data, bytes};
	return true;
}

/* The target gets a block of exactly the input's size, so that ASan sees a read past its end. */
static void feed(const u8 *data, size_t bytes)
{
	u8 *exact = malloc(bytes ? bytes : 1);
	if (!exact)
		abort();
	memcpy(exact, data, bytes);
	LLVMFuzzerTestOneInput(exact, bytes);
	free(exact);
}

/* A piece of another input over, or between, the bytes of this one. */
static size_t splice(struct weir_rng *r, u8 *to, size_t bytes)
{
	const struct input *from = &input[weir_rng_below(r, n_inputs)];
	size_t start = weir_rng_below(r, from->bytes + 1), n = weir_rng_below(r, from->bytes - start + 1);
	size_t at = weir_rng_below(r, bytes + 1);
	n = weir_min(n, INPUT_BYTES_MAX - at);
	bool insert = weir_rng_below(r, 2) && bytes + n <= INPUT_BYTES_MAX;
	if (insert)
		memmove(to + at + n, to + at, bytes - at);
	memcpy(to + at, from->data + start, n);
	return insert ? bytes + n : weir_max(bytes, at + n);
}

static size_t mutate(struct weir_rng *r, u8 *to, size_t bytes)
{
	for (u64 steps = 1 + weir_rng_below(r, 6); steps; steps--) {
		size_t at = weir_rng_below(r, bytes + 1), n = weir_rng_below(r, 9);
		switch (weir_rng_below(r, 5)) {
		case 0: /* one bit */
			if (at < bytes)
				to[at] = (u8)(to[at] ^ (1u << weir_rng_below(r, 8)));
			break;
		case 1: /* one byte */
			if (at < bytes)
				to[at] = (u8)weir_rng_u64(r);
			break;
		case 2: /* cut out */
			n = weir_min(n, bytes - at);
			memmove(to + at, to + at + n, bytes - at - n);
			bytes -= n;
			break;
		case 3: /* cut off */
			bytes = weir_rng_below(r, 8) ? bytes : at;
			break;
		default:
			bytes = splice(r, to, bytes);
		}
	}
	return bytes;
}

int main(int argc, char **argv)
{
	struct dirent **entry;
	int n = argc == 2 ? scandir(argv[1], &entry, NULL, by_name) : -1;
	if (n < 0) {
		fprintf(stderr, "usage: %s FOLDER-OF-INPUTS\n", argv[0]);
		return 2;
	}
	bool ok = true;
	for (int i = 0; i < n; i++) {
		if (entry[i]->d_name[0] != '.' && n_inputs < FILES_MAX)
			ok = load(argv[1], entry[i]->d_name) && ok;
		free(entry[i]);
	}
	free(entry);
	if (!ok || n_inputs == 0) {
		fprintf(stderr, "%s: no inputs\n", argv[1]);
		return 1;
	}
	for (u32 i = 0; i < n_inputs; i++)
		feed(input[i].data, input[i].bytes);

	static u8 work[INPUT_BYTES_MAX];
	struct weir_rng r;
	weir_rng_init(&r, 1, weir_rng_point("replay"), 0);
	u32 runs = 0;
	for (; runs < RUNS_MAX && clock() < CPU_SECONDS_MAX * CLOCKS_PER_SEC; runs++) {
		const struct input *from = &input[weir_rng_below(&r, n_inputs)];
		memcpy(work, from->data, from->bytes);
		feed(work, mutate(&r, work, from->bytes));
	}
	printf("%u files, %u made from them\n", n_inputs, runs);
	for (u32 i = 0; i < n_inputs; i++)
		free(input[i].data);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Writes the key table of docs/formats.md: tools/doc-keys puts it in its place, or compares. */
#include "scenario/schema.h"

int main(void)
{
	weir_schema_print(stdout);
	return fflush(stdout) != 0;
}

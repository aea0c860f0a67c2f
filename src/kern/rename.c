/* SPDX-License-Identifier: MIT */
#include "rename.h"

#include <elf.h>
#include <string.h>

#define HOOKS_SECTION ".struct_ops"
#define CONTROL_SECTION ".data.control" /* begins with the name: record.h */

struct section {
	char *data;
	size_t bytes;
};

static bool is_within(size_t at, size_t bytes, size_t room)
{
	return at <= room && bytes <= room - at;
}

static bool section_is(const char *strings, size_t room, u32 at, const char *name)
{
	size_t n = strlen(name) + 1;
	return is_within(at, n, room) && !memcmp(strings + at, name, n);
}

/* Sections of a 64-bit ELF file in this machine's byte order, which is what is compiled for it. */
static struct section find(char *elf, size_t bytes, const char *name)
{
	Elf64_Ehdr head;
	Elf64_Shdr strings, s;
	const struct section none = {NULL, 0};
	if (bytes < sizeof head)
		return none;
	memcpy(&head, elf, sizeof head);
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_shentsize != sizeof s || head.e_shstrndx >= head.e_shnum ||
	    !is_within(head.e_shoff, head.e_shnum * sizeof s, bytes))
		return none;
	memcpy(&strings, elf + head.e_shoff + head.e_shstrndx * sizeof s, sizeof s);
	if (!is_within(strings.sh_offset, strings.sh_size, bytes))
		return none;
	for (u32 i = 0; i < head.e_shnum; i++) {
		memcpy(&s, elf + head.e_shoff + i * sizeof s, sizeof s);
		if (section_is(elf + strings.sh_offset, strings.sh_size, s.sh_name, name) &&
		    is_within(s.sh_offset, s.sh_size, bytes))
			return (struct section){elf + s.sh_offset, s.sh_size};
	}
	return none;
}

static u32 replace(struct section s, const char from[WEIR_KERN_NAME_BYTES],
		   const char to[WEIR_KERN_NAME_BYTES])
{
	u32 n = 0;
	for (size_t at = 0; at + WEIR_KERN_NAME_BYTES <= s.bytes; at++)
		if (!memcmp(s.data + at, from, WEIR_KERN_NAME_BYTES)) {
			memcpy(s.data + at, to, WEIR_KERN_NAME_BYTES);
			n++;
		}
	return n;
}

int weir_kern_rename(void *elf, size_t bytes, const char *to)
{
	struct section hooks = find(elf, bytes, HOOKS_SECTION), control = find(elf, bytes, CONTROL_SECTION);
	char from[WEIR_KERN_NAME_BYTES], padded[WEIR_KERN_NAME_BYTES] = "";
	if (!hooks.data || control.bytes < sizeof from)
		return -1;
	memcpy(from, control.data, sizeof from);
	for (size_t i = 0; i + 1 < sizeof padded && to[i]; i++)
		padded[i] = to[i];
	if (memcmp(from, "weir_", 5) || !replace(hooks, from, padded))
		return -1;
	memcpy(control.data, padded, sizeof padded);
	return 0;
}

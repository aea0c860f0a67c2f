/* SPDX-License-Identifier: MIT */
#include "objects.h"

#include "cc/table.h"

#include <string.h>

/* tools/embed, of NAME.bpf.o */
#define WEIR_CC(id)                                                                                          \
	extern const unsigned char weir_kern_##id##_object[];                                                \
	extern const size_t weir_kern_##id##_object_bytes;
#define WEIR_CC_ALIAS(word, id)
#include "cc/list.def"
#undef WEIR_CC

bool weir_kern_object_find(const char *name, struct weir_kern_object *object)
{
	/* In the order of list.def, which is also that of weir_cc_at. */
	const struct {
		const unsigned char *data;
		size_t bytes;
	} objects[] = {
#define WEIR_CC(id) {weir_kern_##id##_object, weir_kern_##id##_object_bytes},
#include "cc/list.def"
#undef WEIR_CC
#undef WEIR_CC_ALIAS
	};
	const struct weir_cc_ops *ops = weir_cc_find(name);
	for (u32 i = 0; ops && i < weir_cc_count(); i++)
		if (weir_cc_at(i) == ops) {
			*object = (struct weir_kern_object){ops, objects[i].data, objects[i].bytes};
			return true;
		}
	return false;
}

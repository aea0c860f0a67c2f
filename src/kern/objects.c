/* SPDX-License-Identifier: MIT */
#include "objects.h"

#include "cc/table.h"
#include "governed.h"
#include "hosted.h"

#include <string.h>

/* tools/embed, of NAME.bpf.o */
#define WEIR_CC(id)                                                                                          \
	extern const unsigned char weir_kern_##id##_object[];                                                \
	extern const size_t weir_kern_##id##_object_bytes;
#define WEIR_CC_ALIAS(word, id)
#include "cc/list.def"
#undef WEIR_CC

extern const unsigned char weir_kern_governor_object[];
extern const size_t weir_kern_governor_object_bytes;

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
			*object = (struct weir_kern_object){ops, objects[i].data, objects[i].bytes, NULL};
			return true;
		}
	return false;
}

/* Its params are its inner controllers, which the loader knows how to put there. */
int weir_kern_object_governor(const struct weir_pilot_ops *pilot, const u64 *params,
			      struct weir_kern_governor *g, struct weir_kern_object *object, char why[200])
{
	g->ops =
	    (struct weir_cc_ops){.name = pilot->name,
				 .about = pilot->about,
				 .source = pilot->source,
				 .abi = WEIR_CC_ABI,
				 .needs = WEIR_GOVERNOR_NEEDS & ~WEIR_NEED_TICK, /* it lives with late ones */
				 .state_bytes = sizeof(struct weir_kern_governed),
				 .params_bytes = sizeof g->inners};
	*object = (struct weir_kern_object){&g->ops, weir_kern_governor_object,
					    weir_kern_governor_object_bytes, &g->inners};
	return weir_hosted_inners(pilot, params, &g->inners, why);
}

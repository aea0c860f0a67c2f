/* SPDX-License-Identifier: MIT */
#include "controller.h"

#include "age/table.h"
#include "cc/table.h"
#include "pilot/table.h"

#include <stdio.h>

#define ABOUT(kind_, ops)                                                                                    \
	(struct weir_controller_about)                                                                       \
	{                                                                                                    \
		.name = (ops)->name, .kind = (kind_), .about = (ops)->about, .source = (ops)->source,        \
		.params = (ops)->params, .signals = (ops)->signals, .n_params = (ops)->n_params,             \
		.n_signals = (ops)->n_signals                                                                \
	}

struct weir_controller_about weir_controller_about(const struct weir_controller *c)
{
	if (c->cc)
		return ABOUT("cc", c->cc);
	if (c->age)
		return ABOUT("age", c->age);
	if (c->pilot)
		return ABOUT("pilot", c->pilot);
	return (struct weir_controller_about){0};
}

bool weir_controller_kernel_takes(const struct weir_controller *c, char why[WEIR_KERN_WHY_BYTES])
{
	if (c->cc)
		return weir_kern_takes(c->cc, why);
	if (c->pilot)
		return weir_kern_takes_pilot(c->pilot, why);
	snprintf(why, WEIR_KERN_WHY_BYTES, "it is no controller of TCP");
	return false;
}

void weir_controller_defaults(const struct weir_controller *c, u64 *params)
{
	const struct weir_controller_about a = weir_controller_about(c);
	for (u32 i = 0; i < a.n_params; i++)
		params[i] = a.params[i].default_value;
}

bool weir_controller_at(u32 i, struct weir_controller *c)
{
	u32 n_cc = weir_cc_count(), n_pilot = weir_pilot_count();
	*c = (struct weir_controller){0};
	if (i < n_cc)
		c->cc = weir_cc_at(i);
	else if (i - n_cc < n_pilot)
		c->pilot = weir_pilot_at(i - n_cc);
	else
		c->age = weir_age_at(i - n_cc - n_pilot);
	return !weir_controller_is_none(c);
}

/* SPDX-License-Identifier: MIT */
#include "plugin_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_CHARS 31
#define PARAMS_MAX 64

struct complaint {
	char *text;
	size_t room;
};

__attribute__((format(printf, 2, 3))) static bool no(const struct complaint *c, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(c->text, c->room, format, ap);
	va_end(ap);
	return false;
}

/* [a-z][a-z0-9-]*, with '_' where the word is not typed on the command line. */
static bool is_word(const char *name, bool underscore)
{
	size_t n = name ? strlen(name) : 0;
	if (n == 0 || n > NAME_MAX_CHARS || name[0] < 'a' || name[0] > 'z')
		return false;
	for (size_t i = 0; i < n; i++) {
		bool other = underscore ? name[i] == '_' : name[i] == '-';
		if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') || other))
			return false;
	}
	return true;
}

static bool is_unit(const char *unit)
{
	static const char *const units[] = {"", "ns", "bytes", "packets", "Bps", "ratio", "flag"};
	for (size_t i = 0; unit && i < sizeof units / sizeof units[0]; i++)
		if (strcmp(unit, units[i]) == 0)
			return true;
	return false;
}

/* A choice: its words in the unit, with '|' between them, and the value is the number of one. */
static bool is_choice(const struct weir_param *p)
{
	u64 n_words = 1;
	for (const char *c = p->unit ? p->unit : ""; *c; c++)
		n_words += *c == '|';
	return n_words > 1 && p->min == 0 && p->max == n_words - 1;
}

static bool check_params(const struct weir_cc_ops *ops, const struct complaint *c)
{
	if (ops->n_params > PARAMS_MAX)
		return no(c, "%u parameters; at most %u are possible", ops->n_params, PARAMS_MAX);
	if (ops->params_bytes != ops->n_params * sizeof(u64))
		return no(c, "%u parameters in the table, %zu u64 in the struct", ops->n_params,
			  ops->params_bytes / sizeof(u64));
	for (u32 i = 0; i < ops->n_params; i++) {
		const struct weir_param *p = &ops->params[i];
		if (!is_word(p->name, true))
			return no(c, "parameter %u: its name must be [a-z][a-z0-9_]*, at most %u characters",
				  i + 1, NAME_MAX_CHARS);
		if (!is_unit(p->unit) && !is_choice(p))
			return no(
			    c, "parameter %s: its unit must be \"\" or ns, bytes, packets, Bps, ratio, flag",
			    p->name);
		if (p->min > p->max || p->default_value < p->min || p->default_value > p->max)
			return no(c,
				  "parameter %s: %llu <= %llu <= %llu (least, default, most) does not hold",
				  p->name, p->min, p->default_value, p->max);
		if (!p->help)
			return no(c, "parameter %s: it has no help text", p->name);
		for (u32 k = 0; k < i; k++)
			if (strcmp(ops->params[k].name, p->name) == 0)
				return no(c, "parameter %s: it stands twice in the table", p->name);
	}
	return true;
}

static bool check_signals(const struct weir_cc_ops *ops, const struct complaint *c)
{
	if (ops->n_signals > WEIR_CC_SIGNALS_MAX)
		return no(c, "%u signals; at most %u are possible", ops->n_signals, WEIR_CC_SIGNALS_MAX);
	for (u32 i = 0; i < ops->n_signals; i++) {
		const struct weir_signal *s = &ops->signals[i];
		if (!is_word(s->name, true))
			return no(c, "signal %u: its name must be [a-z][a-z0-9_]*, at most %u characters",
				  i + 1, NAME_MAX_CHARS);
		if (!is_unit(s->unit))
			return no(c,
				  "signal %s: its unit must be \"\" or ns, bytes, packets, Bps, ratio, flag",
				  s->name);
		for (u32 k = 0; k < i; k++)
			if (strcmp(ops->signals[k].name, s->name) == 0)
				return no(c, "signal %s: it stands twice in the table", s->name);
	}
	return true;
}

static bool check_callbacks(const struct weir_cc_ops *ops, const struct complaint *c)
{
	const struct {
		const char *name;
		bool there;
	} needed[] = {
	    {"init", ops->init != NULL},
	    {"on_ack", ops->on_ack != NULL},
	    {"on_loss", ops->on_loss != NULL},
	    {"on_timeout", ops->on_timeout != NULL},
	    {"on_send, since it sets WEIR_NEED_SEND", ops->on_send || !(ops->needs & WEIR_NEED_SEND)},
	    {"on_tick, since it sets WEIR_NEED_TICK", ops->on_tick || !(ops->needs & WEIR_NEED_TICK)},
	    {"probe, since it lists signals", ops->probe || !ops->n_signals},
	};
	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
		if (!needed[i].there)
			return no(c, "the controller lacks %s", needed[i].name);
	return true;
}

bool weir_plugin_check(const struct weir_cc_ops *ops, char *why, size_t room)
{
	const struct complaint c = {why, room};
	u32 known = WEIR_NEED_SEND | WEIR_NEED_TICK | WEIR_NEED_OWD | WEIR_NEED_RATE | WEIR_NEED_OWN_REPAIR;
	if (!ops)
		return no(&c, "weir_cc_export returns nothing");
	if (ops->abi != WEIR_CC_ABI)
		return no(&c, "it is written for version %u of weir/cc.h, this is version %u", ops->abi,
			  WEIR_CC_ABI);
	if (!is_word(ops->name, false))
		return no(&c,
			  "the controller's name \"%.40s\" must be [a-z][a-z0-9-]*, at most %u characters",
			  ops->name ? ops->name : "", NAME_MAX_CHARS);
	if (ops->state_bytes == 0 || ops->state_bytes > WEIR_CC_MAX_BYTES)
		return no(&c, "its state has %u bytes; 1 to %u are possible", ops->state_bytes,
			  WEIR_CC_MAX_BYTES);
	if (ops->needs & ~known)
		return no(&c, "it needs something this version does not know (%#x)", ops->needs & ~known);
	return check_params(ops, &c) && check_signals(ops, &c) && check_callbacks(ops, &c);
}

/* SPDX-License-Identifier: MIT */
/* Properties: random right scenarios arrive as they were written, in any spelling and order of keys; one
 * wrong value among right ones is found where it stands; the borders of the schema are the borders. */
#include "complain.h"

#include "core/rng.h"
#include "scenario/quantity.h"
#include "scenario/schema.h"

static struct weir_rng rng;

static u64 between(u64 low, u64 high)
{
	return low + weir_rng_below(&rng, high - low + 1);
}

/* Spread over the powers of two, as quantities are. */
static u64 spread(u64 low, u64 high)
{
	u64 x = weir_rng_u64(&rng) >> weir_rng_below(&rng, 64);
	return weir_clamp(x, low, high);
}

/* One key with its value, in one of several spellings. */
struct line {
	char text[160];
};
struct lines {
	u32 n;
	struct line line[24];
};

static char *next_line(struct lines *l)
{
	assert_true(l->n < 24);
	return l->line[l->n++].text;
}

static void put_quantity(struct lines *l, const char *key, enum weir_quantity kind, const char *unit,
			 u64 value)
{
	char printed[48];
	weir_quantity_print(kind, value, printed);
	if (between(0, 1))
		snprintf(printed, sizeof printed, "%llu%s%s", value, between(0, 1) ? " " : "", unit);
	const char *quote = between(0, 3) ? "" : "'";
	snprintf(next_line(l), 160, "%s: %s%s%s", key, quote, printed, quote);
}

static void put_fraction(struct lines *l, const char *key, u64 millionths)
{
	if (between(0, 1))
		snprintf(next_line(l), 160, "%s: %llu.%06llu", key, millionths / 1000000,
			 millionths % 1000000);
	else
		snprintf(next_line(l), 160, "%s: %llu.%04llu %%", key, millionths / 10000,
			 millionths % 10000);
}

static void put_word(struct lines *l, const char *key, const char *word)
{
	snprintf(next_line(l), 160, "%s: %s", key, word);
}

/* As a map in flow style, the keys in random order. */
static size_t write_map(char *to, size_t room, struct lines *l)
{
	size_t used = 0;
	for (u32 i = l->n; i-- > 0;) {
		u32 k = (u32)weir_rng_below(&rng, i + 1);
		struct line kept = l->line[i];
		l->line[i] = l->line[k];
		l->line[k] = kept;
		used += (size_t)snprintf(to + used, room - used, "%s%s", used ? ", " : "{", l->line[i].text);
	}
	return used + (size_t)snprintf(to + used, room - used, "}");
}

struct expected {
	u64 duration_ns, seed, rate_bps, delay_ns, buffer, loss, duplicate, jitter_ns, back_ns;
	u32 buffer_kind, aqm;
	u64 start_ns, count, mss_bytes, window_packets, alpha, size_bytes;
	u32 recovery, app;
	bool undo;
};

static void choose(struct expected *e)
{
	*e = (struct expected){
	    .duration_ns = spread(WEIR_NS_PER_MS, 86400 * WEIR_NS_PER_S),
	    .seed = between(0, (1ULL << 53) - 1),
	    .rate_bps = spread(1000, 10000000000000),
	    .delay_ns = spread(0, 3600 * WEIR_NS_PER_S),
	    .buffer_kind = (u32)between(WEIR_SCENARIO_PACKETS, WEIR_SCENARIO_BDP),
	    .loss = between(0, 1000000),
	    .duplicate = between(0, 1000000),
	    .jitter_ns = spread(0, 60 * WEIR_NS_PER_S),
	    .back_ns = spread(0, 3600 * WEIR_NS_PER_S),
	    .aqm = (u32)between(0, 5),
	    .start_ns = spread(0, 86400 * WEIR_NS_PER_S),
	    .count = spread(1, 1000000),
	    .mss_bytes = between(64, 64000),
	    .window_packets = between(1, 1000),
	    .alpha = between(0, 100),
	    .size_bytes = spread(1, 1ULL << 40),
	    .recovery = (u32)between(0, 2),
	    .app = (u32)between(WEIR_SCENARIO_BULK, WEIR_SCENARIO_SIZED),
	    .undo = between(0, 1),
	};
	/* In ms a buffer must hold a packet at the rate; 3000 s do at 1 kbit/s. */
	e->buffer = e->buffer_kind == WEIR_SCENARIO_NS ? 3000 * WEIR_NS_PER_S + between(0, 1000)
						       : between(1, 1000000);
}

static void write_hop(const struct expected *e, char *to, size_t room)
{
	static const enum weir_quantity kinds[] = {[WEIR_SCENARIO_PACKETS] = WEIR_QUANTITY_PACKETS,
						   [WEIR_SCENARIO_NS] = WEIR_QUANTITY_TIME,
						   [WEIR_SCENARIO_BDP] = WEIR_QUANTITY_BDP};
	struct lines hop = {0};
	char buffer[48], word[32];
	put_word(&hop, "name", "b");
	put_quantity(&hop, "rate", WEIR_QUANTITY_RATE, "bit/s", e->rate_bps);
	put_quantity(&hop, "delay", WEIR_QUANTITY_TIME, "ns", e->delay_ns);
	put_quantity(&hop, "jitter", WEIR_QUANTITY_TIME, "ns", e->jitter_ns);
	put_fraction(&hop, "loss", e->loss);
	put_fraction(&hop, "duplicate", e->duplicate);
	weir_quantity_print(kinds[e->buffer_kind], e->buffer, buffer);
	put_word(&hop, "buffer", buffer);
	assert_true(weir_schema_word(weir_schema[WEIR_SCOPE_AQM].keys[0].words, e->aqm, word));
	put_word(&hop, "aqm", word);
	write_map(to, room, &hop);
}

static void write_flow(const struct expected *e, char *to, size_t room)
{
	static const char *const recoveries[] = {"sack", "newreno", "reno"};
	struct lines flow = {0}, endpoint = {0};
	char map[800];
	put_word(&flow, "name", "f");
	put_quantity(&flow, "start", WEIR_QUANTITY_TIME, "ns", e->start_ns);
	put_quantity(&flow, "count", WEIR_QUANTITY_COUNT, "", e->count);
	snprintf(map, sizeof map, "{name: vegas, alpha: %llu}", e->alpha);
	put_word(&flow, "controller", map);
	put_quantity(&endpoint, "mss", WEIR_QUANTITY_BYTES, "B", e->mss_bytes);
	put_quantity(&endpoint, "initial_window", WEIR_QUANTITY_PACKETS, " packets", e->window_packets);
	put_word(&endpoint, "recovery", recoveries[e->recovery]);
	put_word(&endpoint, "undo", e->undo ? "true" : "false");
	if (e->app == WEIR_SCENARIO_SIZED) {
		put_word(&flow, "application", "sized");
		put_quantity(&flow, "size", WEIR_QUANTITY_BYTES, "B", e->size_bytes);
	}
	size_t used = write_map(to, room, &flow);
	write_map(map, sizeof map, &endpoint);
	snprintf(to + used - 1, room - used, ", endpoint: %s}", map);
}

static void write_scenario(const struct expected *e, char *to, size_t room)
{
	char hop[1000], flow[1200];
	write_hop(e, hop, sizeof hop);
	write_flow(e, flow, sizeof flow);
	snprintf(
	    to, room,
	    "flows: [%s]\nseed: %llu\npaths: {p: {hops: [%s], back: {delay: %llu ns}}}\nduration: %llu ns\n",
	    flow, e->seed, hop, e->back_ns, e->duration_ns);
}

static void compare(const struct expected *e, const struct weir_scenario *s)
{
	const struct weir_scenario_hop *h = s->hops;
	const struct weir_scenario_flow *f = s->flows;
	assert_int_equal(s->duration_ns, e->duration_ns);
	assert_int_equal(s->seed, e->seed);
	assert_int_equal(h->rate_bps, e->rate_bps);
	assert_int_equal(h->delay_ns, e->delay_ns);
	assert_int_equal(h->after.jitter_ns, e->jitter_ns);
	assert_true(h->after.loss.p == (double)e->loss / 1e6);
	assert_true(h->after.duplicate_p == (double)e->duplicate / 1e6);
	assert_int_equal(h->buffer.kind, e->buffer_kind);
	assert_int_equal(h->buffer.value, e->buffer);
	assert_int_equal(h->aqm.kind, e->aqm);
	assert_int_equal(s->paths[0].back_delay_ns, e->back_ns);
	assert_int_equal(f->start_ns, e->start_ns);
	assert_int_equal(f->count, e->count);
	assert_int_equal(f->controller.params[0], e->alpha);
	assert_int_equal(f->endpoint.mss_bytes, e->mss_bytes);
	assert_int_equal(f->endpoint.initial_window_packets, e->window_packets);
	assert_int_equal(f->endpoint.recovery, e->recovery);
	assert_int_equal(f->endpoint.undo, e->undo);
	assert_int_equal(f->app.kind, e->app);
	assert_int_equal(f->app.size_bytes, e->app == WEIR_SCENARIO_SIZED ? e->size_bytes : 0);
}

/* RED divides the buffer: one of a single packet has no room for two thresholds. */
static bool red_fits(const struct expected *e)
{
	return e->aqm != WEIR_SCENARIO_RED || e->buffer > 12;
}

static void random_scenarios_arrive_as_written(void **state)
{
	(void)state;
	weir_rng_init(&rng, 1, weir_rng_point("scenario"), 0);
	for (u32 i = 0; i < 5000; i++) {
		struct expected e;
		char text[4000];
		struct weir_scenario_set set;
		struct weir_scenario s;
		struct weir_diag diag = {0};
		choose(&e);
		if (!red_fits(&e))
			continue;
		write_scenario(&e, text, sizeof text);
		if (weir_scenario_parse("t.yaml", text, strlen(text), NULL, 0, &catalog, &set, &diag) < 0) {
			weir_diag_print(&diag, text, stderr);
			fail_msg("%s", text);
		}
		assert_int_equal(weir_scenario_point(&set, 0, &s, &diag), 0);
		compare(&e, &s);
		weir_scenario_free(&s);
		weir_scenario_set_free(&set);
	}
}

/* Any one value replaced by nonsense: the mistake is at that value (or is about it and nothing else). */
static void one_wrong_value_is_found_where_it_stands(void **state)
{
	(void)state;
	weir_rng_init(&rng, 2, weir_rng_point("scenario"), 0);
	for (u32 i = 0; i < 3000; i++) {
		struct expected e;
		char text[4000], out[4000];
		choose(&e);
		if (!red_fits(&e))
			continue;
		write_scenario(&e, text, sizeof text);
		u32 colons = 0;
		for (const char *s = text; (s = strstr(s, ": ")); s++)
			colons += s[2] != '{' && s[2] != '[' && s[2] != '\'';
		u64 chosen = weir_rng_below(&rng, colons);
		char *value = text;
		for (;; value++) {
			value = strstr(value, ": ");
			if (value[2] != '{' && value[2] != '[' && value[2] != '\'' && chosen-- == 0)
				break;
		}
		value += 2;
		u32 line = 1, column = 1;
		for (const char *s = text; s < value; s++) {
			line += *s == '\n';
			column = *s == '\n' ? 1 : column + 1;
		}
		value[0] = '?';
		char at[32];
		snprintf(at, sizeof at, "%u:%u: ", line, column);
		complain(text, strlen(text), NULL, 0, out, sizeof out);
		if (!strstr(out, at))
			fail_msg("%s\nnothing at %s:\n%s", text, at, out);
	}
}

/* ---- the schema's own borders ---- */

static bool refuses(enum weir_scope_id scope, const char *key, bool acp, enum weir_quantity kind, u64 value)
{
	char printed[48], pair[120], text[400], out[4000];
	weir_quantity_print(kind, value, printed);
	snprintf(pair, sizeof pair, "%s: %s", key, printed);
	if (scope == WEIR_SCOPE_SCENARIO)
		snprintf(text, sizeof text, "%s\n", pair);
	else if (scope == WEIR_SCOPE_HOP)
		snprintf(text, sizeof text, "paths: {m: {hops: [{name: b, %s}]}}\n", pair);
	else if (scope == WEIR_SCOPE_ENDPOINT)
		snprintf(text, sizeof text, "endpoint: {%s}\n", pair);
	else
		snprintf(text, sizeof text, "flows: [{name: f, %s%s}]\n", acp ? "transport: acp, " : "",
			 pair);
	complain(text, strlen(text), NULL, 0, out, sizeof out);
	snprintf(pair, sizeof pair, "%s: %s is ", key, printed);
	return strstr(out, pair) != NULL;
}

static void borders_of_the_schema_hold(void **state)
{
	(void)state;
	static const enum weir_scope_id scopes[] = {WEIR_SCOPE_SCENARIO, WEIR_SCOPE_HOP, WEIR_SCOPE_ENDPOINT,
						    WEIR_SCOPE_FLOW};
	static const u8 kinds[] = {
	    [WEIR_KEY_COUNT] = WEIR_QUANTITY_COUNT,	[WEIR_KEY_RATE] = WEIR_QUANTITY_RATE,
	    [WEIR_KEY_TIME] = WEIR_QUANTITY_TIME,	[WEIR_KEY_BYTES] = WEIR_QUANTITY_BYTES,
	    [WEIR_KEY_PACKETS] = WEIR_QUANTITY_PACKETS, [WEIR_KEY_FREQUENCY] = WEIR_QUANTITY_FREQUENCY,
	};
	u32 looked_at = 0;
	for (u32 i = 0; i < 4; i++)
		for (u32 k = 0; k < weir_schema[scopes[i]].n; k++) {
			const struct weir_schema_key *key = &weir_schema[scopes[i]].keys[k];
			if (key->kind < WEIR_KEY_COUNT || key->kind > WEIR_KEY_FREQUENCY || !key->max ||
			    (key->flags & WEIR_KEY_SHARED))
				continue;
			enum weir_quantity kind = (enum weir_quantity)kinds[key->kind];
			bool acp = scopes[i] == WEIR_SCOPE_FLOW && key->only;
			assert_false(refuses(scopes[i], key->name, acp, kind, key->min));
			assert_false(refuses(scopes[i], key->name, acp, kind, key->max));
			assert_true(refuses(scopes[i], key->name, acp, kind, key->max + 1));
			if (key->min)
				assert_true(refuses(scopes[i], key->name, acp, kind, key->min - 1));
			looked_at++;
		}
	assert_true(looked_at > 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_scenarios_arrive_as_written),
	    cmocka_unit_test(one_wrong_value_is_found_where_it_stands),
	    cmocka_unit_test(borders_of_the_schema_hold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

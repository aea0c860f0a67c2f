/* SPDX-License-Identifier: MIT */
#include "schema.h"

#include <stddef.h>

#define US WEIR_NS_PER_US
#define MS WEIR_NS_PER_MS
#define S WEIR_NS_PER_S
#define HOUR (3600 * S)
#define DAY (24 * HOUR)
#define ONE 1000000ULL /* of a fraction */
#define TBIT 1000000000000ULL
#define TB 1000000000000ULL
#define MEGAHERTZ 1000000000000ULL /* in uHz */

#define REQUIRED WEIR_KEY_REQUIRED
#define SINGLE WEIR_KEY_SINGLE
#define AT(type, field) .at = offsetof(struct type, field)
#define BIT(word) (1u << WEIR_SCENARIO_##word)
#define RATES .min = 1, .max = 10 * TBIT
#define DELAYS .min = 0, .max = HOUR
#define FREQUENCIES .min = 1000, .max = MEGAHERTZ /* of 1 mHz and more */
#define GENERATE "at-slot|periodic|poisson"

static const struct weir_schema_key scenario_keys[] = {
    {"title", WEIR_KEY_TEXT, SINGLE, AT(weir_scenario, title), .help = "the heading of the report"},
    {"duration", WEIR_KEY_TIME, REQUIRED, AT(weir_scenario, duration_ns), .min = MS, .max = 30 * DAY,
     .help = "how long to run"},
    {"stop_after", WEIR_KEY_PACKETS, AT(weir_scenario, stop_after_packets), .min = 1, .max = TBIT,
     .help = "end sooner, when all flows together have sent so many data packets; looked at each ms"},
    {"warmup", WEIR_KEY_TIME, AT(weir_scenario, warmup_ns), .default_text = "0 s", .max = 30 * DAY,
     .help = "a beginning that no average counts"},
    {"seed", WEIR_KEY_COUNT, AT(weir_scenario, seed), .max = (1ULL << 53) - 1, .default_text = "1",
     .help = "of everything random"},
    {"sample", WEIR_KEY_TIME, AT(weir_scenario, sample_ns), .min = 10 * US, .max = HOUR,
     .help = "period of the series; else a 2000th of the duration, but at least 10 ms"},
    {"hops", WEIR_KEY_LIST, SINGLE, WEIR_SCOPE_HOP,
     .help = "hops that several paths share; a path names them"},
    {"paths", WEIR_KEY_NAMED, SINGLE | REQUIRED, WEIR_SCOPE_PATH, .help = "the paths, by name"},
    {"endpoint", WEIR_KEY_MAP, SINGLE | WEIR_KEY_ALWAYS, WEIR_SCOPE_ENDPOINT, AT(weir_scenario, endpoint),
     .help = "of all flows; each may say otherwise"},
    {"flows", WEIR_KEY_LIST, SINGLE, WEIR_SCOPE_FLOW, .help = "the flows in question"},
    {"traffic", WEIR_KEY_LIST, SINGLE, WEIR_SCOPE_FLOW, .help = "cross traffic: the same keys"},
    {"record", WEIR_KEY_MAP, SINGLE, WEIR_SCOPE_RECORD, AT(weir_scenario, record),
     .help = "what to write beside the summary, the series and the report"},
};

static const struct weir_schema_key path_keys[] = {
    {"hops", WEIR_KEY_LIST, SINGLE | REQUIRED, WEIR_SCOPE_HOP,
     .help = "in order; each a map, or the name of a hop that stands elsewhere (a shared hop)"},
    {"back", WEIR_KEY_MAP, SINGLE | WEIR_KEY_OWN_CODE, WEIR_SCOPE_BACK,
     .help = "the way back; else uncongested, with the same delay"},
};

static const struct weir_schema_key back_keys[] = {
    {"delay", WEIR_KEY_TIME, AT(weir_back_input, delay_ns), DELAYS, .help = "of an uncongested way back"},
    {"hops", WEIR_KEY_LIST, SINGLE, WEIR_SCOPE_HOP,
     .help = "of a congested one, like those of the way there"},
};

static const struct weir_schema_key hop_keys[] = {
    {"name", WEIR_KEY_NAME, SINGLE | REQUIRED, AT(weir_scenario_hop, name), .help = "one hop, one name"},
    {"rate", WEIR_KEY_RATE, WEIR_KEY_UNLIMITED, AT(weir_scenario_hop, rate_bps), RATES,
     .help = "a fixed rate; this, `trace` or `walk` is needed"},
    {"service", WEIR_KEY_WORD, AT(weir_scenario_hop, service), .words = "even|exponential",
     .default_text = "even",
     .help = "of a fixed `rate`: the time that a packet takes is as long as its bytes need, or exponential "
	     "with that mean, drawn for each packet (the M of queueing theory)"},
    {"trace", WEIR_KEY_FILE, AT(weir_scenario_hop, trace),
     .place_at = offsetof(struct weir_scenario_hop, trace_at),
     .help = "a trace file, looked for from the scenario's folder"},
    {"walk", WEIR_KEY_MAP, SINGLE, WEIR_SCOPE_WALK, .help = "a rate that walks at random"},
    {"delay", WEIR_KEY_TIME, AT(weir_scenario_hop, delay_ns), .default_text = "0 ms", DELAYS,
     .help = "of propagation, after the queue"},
    {"buffer", WEIR_KEY_BUFFER, WEIR_KEY_UNLIMITED, AT(weir_scenario_hop, buffer),
     .help = "in bytes, packets, ms or BDP; else 1 BDP and at least 10 packets"},
    {"aqm", WEIR_KEY_MAP, 0, WEIR_SCOPE_AQM, AT(weir_scenario_hop, aqm), .default_text = "droptail",
     .help = "what the queue drops: a name, or a map with its parameters"},
    {"policer", WEIR_KEY_MAP, SINGLE, WEIR_SCOPE_POLICER, .help = "a token bucket before all else"},
    {"before", WEIR_KEY_MAP, SINGLE, WEIR_SCOPE_IMPAIR, AT(weir_scenario_hop, before),
     .help = "what goes wrong before the queue"},
    {"after", WEIR_KEY_MAP, SINGLE, WEIR_SCOPE_IMPAIR, AT(weir_scenario_hop, after),
     .help = "what goes wrong after the queue"},
    {"loss", WEIR_KEY_MAP, 0, WEIR_SCOPE_LOSS, AT(weir_scenario_hop, after.loss),
     .help = "short for `after.loss`"},
    {"duplicate", WEIR_KEY_FRACTION, AT(weir_scenario_hop, after.duplicate_p), .max = ONE,
     .help = "short for `after.duplicate`"},
    {"reorder", WEIR_KEY_MAP, SINGLE, WEIR_SCOPE_REORDER, AT(weir_scenario_hop, after),
     .help = "short for `after.reorder`"},
    {"jitter", WEIR_KEY_MAP, 0, WEIR_SCOPE_JITTER, AT(weir_scenario_hop, after),
     .help = "short for `after.jitter`"},
    {"aggregation", WEIR_KEY_TIME, AT(weir_scenario_hop, aggregate_ns), .max = S,
     .help = "packets leave in batches, one each so long, as on Wi-Fi (2 to 32 ms)"},
};

static const struct weir_schema_key walk_keys[] = {
    {"mean", WEIR_KEY_RATE, REQUIRED, AT(weir_scenario_hop, rate_bps), RATES, .help = "where it starts"},
    {"min", WEIR_KEY_RATE, REQUIRED, AT(weir_scenario_hop, walk_min_bps), RATES,
     .help = "it turns back here"},
    {"max", WEIR_KEY_RATE, REQUIRED, AT(weir_scenario_hop, walk_max_bps), RATES, .help = "and here"},
    {"step", WEIR_KEY_TIME, AT(weir_scenario_hop, walk_step_ns), .default_text = "100 ms", .min = 100 * US,
     .max = HOUR, .help = "a new rate each so long"},
    {"sigma", WEIR_KEY_FRACTION, AT(weir_scenario_hop, walk_sigma), .default_text = "0.1", .max = ONE,
     .help = "standard deviation of a step, as a part of the mean"},
};

#define CODELS (BIT(CODEL) | BIT(FQ_CODEL))
static const struct weir_schema_key aqm_keys[] = {
    {"name", WEIR_KEY_WORD, SINGLE | REQUIRED, AT(weir_scenario_aqm, kind),
     .words = "droptail|drophead|red|codel|pie|fq_codel", .help = "which"},
    {"target", WEIR_KEY_TIME, AT(weir_scenario_aqm, target_ns), .only = CODELS, .default_text = "5 ms",
     .min = US, .max = 10 * S, .help = "queueing delay to aim at (RFC 8289)"},
    {"interval", WEIR_KEY_TIME, AT(weir_scenario_aqm, interval_ns), .only = CODELS, .default_text = "100 ms",
     .min = 10 * US, .max = 10 * S, .help = "how long the delay may stay above the target"},
    {"target", WEIR_KEY_TIME, AT(weir_scenario_aqm, target_ns), .only = BIT(PIE), .default_text = "15 ms",
     .min = US, .max = 10 * S, .help = "queueing delay to aim at (RFC 8033)"},
    {"interval", WEIR_KEY_TIME, AT(weir_scenario_aqm, interval_ns), .only = BIT(PIE), .default_text = "15 ms",
     .min = 10 * US, .max = 10 * S, .help = "period of the update of the drop probability"},
    {"min", WEIR_KEY_BUFFER, AT(weir_scenario_aqm, red_min), .only = BIT(RED),
     .help = "average queue at which it starts to drop; else a sixth of the buffer"},
    {"max", WEIR_KEY_BUFFER, AT(weir_scenario_aqm, red_max), .only = BIT(RED),
     .help = "average queue at which it drops `max_p`; else a half of the buffer"},
    {"max_p", WEIR_KEY_FRACTION, AT(weir_scenario_aqm, red_max_p), .only = BIT(RED), .default_text = "0.1",
     .min = 1, .max = ONE, .help = "drop probability at `max`"},
    {"weight", WEIR_KEY_FRACTION, AT(weir_scenario_aqm, red_weight), .only = BIT(RED),
     .default_text = "0.002", .min = 1, .max = ONE, .help = "of the newest queue length in the average"},
    {"flows", WEIR_KEY_COUNT, AT(weir_scenario_aqm, fq_flows), .only = BIT(FQ_CODEL), .default_text = "1024",
     .min = 1, .max = 65536, .help = "number of queues (RFC 8290)"},
    {"quantum", WEIR_KEY_BYTES, AT(weir_scenario_aqm, fq_quantum_bytes), .only = BIT(FQ_CODEL),
     .default_text = "1514 B", .min = 64, .max = 1000000, .help = "bytes that a queue sends in its turn"},
    {"ecn", WEIR_KEY_FLAG, AT(weir_scenario_aqm, ecn), .only = BIT(RED) | CODELS | BIT(PIE),
     .default_text = "false", .help = "mark packets of ECN-capable flows instead of dropping them"},
};

static const struct weir_schema_key policer_keys[] = {
    {"rate", WEIR_KEY_RATE, REQUIRED, AT(weir_scenario_hop, policer_bps), RATES, .help = "of the tokens"},
    {"burst", WEIR_KEY_BYTES, REQUIRED, AT(weir_scenario_hop, policer_burst_bytes), .min = 1500, .max = TB,
     .help = "size of the bucket, full at the start"},
};

static const struct weir_schema_key impair_keys[] = {
    {"loss", WEIR_KEY_MAP, 0, WEIR_SCOPE_LOSS, AT(weir_scenario_impair, loss),
     .help = "a probability, or a map that names a model"},
    {"duplicate", WEIR_KEY_FRACTION, AT(weir_scenario_impair, duplicate_p), .max = ONE,
     .help = "probability that a packet comes twice"},
    {"reorder", WEIR_KEY_MAP, SINGLE, WEIR_SCOPE_REORDER, .help = "some packets are held back"},
    {"jitter", WEIR_KEY_MAP, 0, WEIR_SCOPE_JITTER, .help = "a further delay at random: a time, or a map"},
};

static const struct weir_schema_key loss_keys[] = {
    {"model", WEIR_KEY_WORD, SINGLE, AT(weir_scenario_loss, model), .default_text = "bernoulli",
     .words = "none|bernoulli|periodic|gilbert-elliott", .help = "how losses come"},
    {"p", WEIR_KEY_FRACTION, REQUIRED, AT(weir_scenario_loss, p), .only = BIT(BERNOULLI), .max = ONE,
     .help = "probability that a packet is lost"},
    {"period", WEIR_KEY_PACKETS, REQUIRED, AT(weir_scenario_loss, period_packets), .only = BIT(PERIODIC),
     .min = 1, .max = TBIT, .help = "each so-many-th packet is lost"},
    {"good_to_bad", WEIR_KEY_FRACTION, REQUIRED, AT(weir_scenario_loss, good_to_bad),
     .only = BIT(GILBERT_ELLIOTT), .max = ONE, .help = "probability, per packet, to change to the bad state"},
    {"bad_to_good", WEIR_KEY_FRACTION, REQUIRED, AT(weir_scenario_loss, bad_to_good),
     .only = BIT(GILBERT_ELLIOTT), .max = ONE, .help = "and back"},
    {"loss_good", WEIR_KEY_FRACTION, AT(weir_scenario_loss, loss_good), .only = BIT(GILBERT_ELLIOTT),
     .default_text = "0", .max = ONE, .help = "probability of a loss in the good state"},
    {"loss_bad", WEIR_KEY_FRACTION, AT(weir_scenario_loss, loss_bad), .only = BIT(GILBERT_ELLIOTT),
     .default_text = "1", .max = ONE, .help = "and in the bad one"},
};

static const struct weir_schema_key reorder_keys[] = {
    {"p", WEIR_KEY_FRACTION, REQUIRED, AT(weir_scenario_impair, reorder_p), .max = ONE,
     .help = "probability that a packet is held back"},
    {"delay", WEIR_KEY_TIME, REQUIRED, AT(weir_scenario_impair, reorder_delay_ns), .max = 60 * S,
     .help = "for how long; others may overtake it"},
};

static const struct weir_schema_key jitter_keys[] = {
    {"max", WEIR_KEY_TIME, REQUIRED, AT(weir_scenario_impair, jitter_ns), .max = 60 * S,
     .help = "the delay is uniform between 0 and this"},
    {"reorders", WEIR_KEY_FLAG, AT(weir_scenario_impair, jitter_reorders), .default_text = "false",
     .help = "packets may overtake each other"},
};

static const struct weir_schema_key flow_keys[] = {
    {"name", WEIR_KEY_NAME, SINGLE | REQUIRED, AT(weir_flow_input, flow.name), .help = "one flow, one name"},
    {"path", WEIR_KEY_NAME, AT(weir_flow_input, path), .place_at = offsetof(struct weir_flow_input, path_at),
     .help = "where there is only one path, it need not be named"},
    {"reverse", WEIR_KEY_FLAG, AT(weir_flow_input, flow.reverse), .default_text = "false",
     .help = "data takes the way back, acknowledgements the way there"},
    {"count", WEIR_KEY_COUNT, AT(weir_flow_input, flow.count), .default_text = "1", .min = 1,
     .max = WEIR_SCENARIO_MAX_FLOWS, .help = "so many equal flows: NAME.1, NAME.2, ..."},
    {"controller", WEIR_KEY_CONTROLLER, AT(weir_flow_input, flow.controller),
     .help = "a name of `weir list controllers`, or a map {name, parameters}; needed but for datagrams"},
    {"application", WEIR_KEY_MAP, 0, WEIR_SCOPE_APPLICATION, AT(weir_flow_input, flow.app), .only = BIT(TCP),
     .default_text = "bulk", .help = "what is sent: a name, or a map with its keys"},
    {"application", WEIR_KEY_MAP, 0, WEIR_SCOPE_APPLICATION, AT(weir_flow_input, flow.app),
     .only = BIT(UDP) | BIT(ACP), .default_text = "updates",
     .help = "`updates`; by udp also `cbr` and `poisson`"},
    {"rate", WEIR_KEY_RATE, WEIR_KEY_SHARED, RATES, .help = "short for `application.rate`"},
    {"load", WEIR_KEY_RATE, WEIR_KEY_SHARED, RATES, .help = "short for `application.load`"},
    {"sizes", WEIR_KEY_FILE, WEIR_KEY_SHARED, .words = WEIR_SCENARIO_SIZES,
     .help = "short for `application.sizes`"},
    {"size", WEIR_KEY_BYTES, WEIR_KEY_SHARED, .min = 1, .max = 1000 * TB,
     .help = "short for `application.size`"},
    {"ladder", WEIR_KEY_LADDER, WEIR_KEY_SHARED, .words = "4k|1080p",
     .help = "short for `application.ladder`"},
    {"update", WEIR_KEY_BYTES, WEIR_KEY_SHARED, .min = 1, .max = 65000,
     .help = "short for `application.update`"},
    {"generate", WEIR_KEY_WORD, WEIR_KEY_SHARED, .words = GENERATE,
     .help = "short for `application.generate`"},
    {"transport", WEIR_KEY_WORD, AT(weir_flow_input, flow.transport), .words = "tcp|udp|acp",
     .later = "weir-udp", .default_text = "tcp",
     .help = "how it is sent: a stream, datagrams without any control, or updates at a rate that an age "
	     "controller sets (docs/acp.md)"},
    {"age", WEIR_KEY_FLAG, AT(weir_flow_input, flow.age.measured), .default_text = "false",
     .help = "measure the age of information at the receiver: without `updates` each segment or datagram is "
	     "an update, generated when it is first sent. Of `updates` it is always measured"},
    {"age_bound", WEIR_KEY_TIME, AT(weir_flow_input, flow.age.bound_ns), .min = US, .max = DAY,
     .help = "the age that shall not be passed: how long it was is recorded; implies `age: true`"},
    {"max_age", WEIR_KEY_TIME, AT(weir_flow_input, flow.age.max_age_ns), .only = BIT(ACP), .min = US,
     .max = DAY, .help = "a value that is older when its turn comes is not sent, but counted as expired"},
    {"floor", WEIR_KEY_FREQUENCY, AT(weir_flow_input, flow.age.floor_uhz), .only = BIT(ACP), FREQUENCIES,
     .help = "the rate of updates never falls below, while the path answers"},
    {"ceiling", WEIR_KEY_FREQUENCY, AT(weir_flow_input, flow.age.ceiling_uhz), .only = BIT(ACP), FREQUENCIES,
     .help = "and never rises above"},
    {"start", WEIR_KEY_TIME, AT(weir_flow_input, flow.start_ns), .default_text = "0 s", .max = 30 * DAY,
     .help = "when it starts"},
    {"stop", WEIR_KEY_TIME, AT(weir_flow_input, flow.stop_ns), .max = 30 * DAY,
     .help = "when it stops; else with the run"},
    {"start_jitter", WEIR_KEY_TIME, AT(weir_flow_input, flow.start_jitter_ns), .default_text = "0 s",
     .max = DAY, .help = "it starts later by a random time up to this: breaks phase effects"},
    {"endpoint", WEIR_KEY_MAP, SINGLE | WEIR_KEY_INHERITS, WEIR_SCOPE_ENDPOINT,
     AT(weir_flow_input, flow.endpoint), .help = "where it differs from the scenario's `endpoint`"},
};

#define DATAGRAMS (BIT(CBR) | BIT(POISSON))
static const struct weir_schema_key application_keys[] = {
    {"name", WEIR_KEY_WORD, SINGLE | REQUIRED, AT(weir_scenario_app, kind),
     .words = "bulk|sized|paced|on-off|request-response|cbr|poisson|updates|arrivals|video", .help = "which"},
    {"rate", WEIR_KEY_RATE, REQUIRED, AT(weir_scenario_app, rate_bps), .only = BIT(PACED) | DATAGRAMS, RATES,
     .help = "of what it writes; of datagrams on the wire"},
    {"rate", WEIR_KEY_RATE, AT(weir_scenario_app, rate_bps), .only = BIT(ON_OFF), RATES,
     .help = "in its on periods; else as fast as the connection goes"},
    {"size", WEIR_KEY_BYTES, REQUIRED, AT(weir_scenario_app, size_bytes), .only = BIT(SIZED) | BIT(REQUEST),
     .min = 1, .max = 1000 * TB, .help = "of the whole transfer; of each answer"},
    {"chunk", WEIR_KEY_BYTES, AT(weir_scenario_app, chunk_bytes), .only = BIT(PACED) | BIT(ON_OFF), .min = 1,
     .max = 1000000000, .help = "bytes of one write; else the MSS"},
    {"chunk", WEIR_KEY_BYTES, AT(weir_scenario_app, chunk_bytes), .only = DATAGRAMS, .default_text = "1500 B",
     .min = 28, .max = 65535, .help = "bytes of one datagram on the wire"},
    {"chunk", WEIR_KEY_TIME, AT(weir_scenario_app, video_chunk_ns), .only = BIT(VIDEO), .default_text = "4 s",
     .min = 100 * MS, .max = 60 * S, .help = "of video that is asked for at a time"},
    {"ladder", WEIR_KEY_LADDER, SINGLE, AT(weir_scenario_app, ladder), .only = BIT(VIDEO),
     .words = "4k|1080p", .default_text = "4k", .min = 1000, .max = TBIT,
     .help = "the bitrates that there are, such as \"1 Mbit/s, 5 Mbit/s\"; 1080p: 1, 2.5, 5 and 8 Mbit/s; "
	     "4k: also "
	     "16, 25 and 40"},
    {"buffer", WEIR_KEY_TIME, AT(weir_scenario_app, video_buffer_ns), .only = BIT(VIDEO),
     .default_text = "30 s", .min = 200 * MS, .max = HOUR,
     .help = "of video that the player holds at most, at least two chunks: its level chooses the bitrate"},
    {"on", WEIR_KEY_TIME, REQUIRED, AT(weir_scenario_app, on_ns), .only = BIT(ON_OFF), .min = US, .max = DAY,
     .help = "length of an on period"},
    {"off", WEIR_KEY_TIME, REQUIRED, AT(weir_scenario_app, off_ns), .only = BIT(ON_OFF), .max = DAY,
     .help = "length of an off period"},
    {"think", WEIR_KEY_TIME, AT(weir_scenario_app, think_ns), .only = BIT(REQUEST), .default_text = "0 s",
     .max = DAY, .help = "from the last byte of an answer to the next request"},
    {"update", WEIR_KEY_BYTES, AT(weir_scenario_app, update_bytes), .only = BIT(UPDATES),
     .default_text = "526 B", .min = 1, .max = 65000, .help = "bytes of one update, without any header"},
    {"generate", WEIR_KEY_WORD, AT(weir_scenario_app, generate), .only = BIT(UPDATES), .words = GENERATE,
     .help = "when a new value is there: when an update is about to leave (acp, where it is the default), or "
	     "at `rate`: at equal gaps (the default where there is a rate), or at exponential ones"},
    {"rate", WEIR_KEY_FREQUENCY, AT(weir_scenario_app, rate_uhz), .only = BIT(UPDATES), FREQUENCIES,
     .help = "how often a new value is there; needed but for acp"},
    {"sizes", WEIR_KEY_FILE, REQUIRED, AT(weir_scenario_app, sizes), .only = BIT(ARRIVALS),
     .place_at = offsetof(struct weir_scenario_app, sizes_at), .words = WEIR_SCENARIO_SIZES,
     .help =
	 "how large the flows are: a table that comes along, or a file of lines \"BYTES FRACTION\", looked "
	 "for from the scenario's folder"},
    {"load", WEIR_KEY_RATE, REQUIRED, AT(weir_scenario_app, load_bps), .only = BIT(ARRIVALS), RATES,
     .help = "payload that the flows bring, on average: they arrive at random, load / mean size a second"},
    {"exponential", WEIR_KEY_FLAG, AT(weir_scenario_app, exponential), .only = BIT(ON_OFF) | BIT(REQUEST),
     .default_text = "false", .help = "the times above are means of an exponential distribution"},
};

#define MODERN .only = BIT(MODERN)
#define HISTORIC .only = BIT(ERA_1986) | BIT(ERA_1988)
#define SWITCH(field, what)                                                                                  \
	WEIR_KEY_WORD, HISTORIC, AT(weir_scenario_endpoint, field), .words = "era|true|false",               \
								    .default_text = "era", .help = what
static const struct weir_schema_key endpoint_keys[] = {
    {"era", WEIR_KEY_WORD, AT(weir_scenario_endpoint, era), .words = "modern|1986|1988",
     .default_text = "modern",
     .help =
	 "today's endpoint, that of 4.3BSD, or that of 4.3BSD-Tahoe with the seven algorithms of Jacobson "
	 "and Karels: it sets the switches that say `era` (docs/historic.md)"},
    {"recovery", WEIR_KEY_WORD, MODERN, AT(weir_scenario_endpoint, recovery), .words = "sack|newreno|reno",
     .default_text = "sack",
     .help = "how lost data is repaired: RFC 6675 with PRR and RACK-TLP, RFC 6582, RFC 5681"},
    {"mss", WEIR_KEY_BYTES, AT(weir_scenario_endpoint, mss_bytes), .default_text = "1448 B", .min = 64,
     .max = 64000, .help = "payload of a full packet"},
    {"header", WEIR_KEY_BYTES, AT(weir_scenario_endpoint, header_bytes), .default_text = "52 B", .min = 20,
     .max = 1000, .help = "IP and transport header of each packet"},
    {"receiver_window", WEIR_KEY_BYTES, AT(weir_scenario_endpoint, rwnd_bytes), .default_text = "1 TiB",
     .min = 1000, .max = WEIR_SCENARIO_RWND_BYTES,
     .help = "receive buffer; of 1986 and 1988 at most 65535 B, and 4 KiB unless told otherwise"},
    {"initial_window", WEIR_KEY_PACKETS, MODERN, AT(weir_scenario_endpoint, initial_window_packets),
     .default_text = "10 packets", .min = 1, .max = 1000, .help = "RFC 6928"},
    {"initial_window", WEIR_KEY_PACKETS, HISTORIC, AT(weir_scenario_endpoint, initial_window_packets),
     .default_text = "1 packet", .min = 1, .max = 1000, .help = "where slow start begins"},
    {"ack_policy", WEIR_KEY_WORD, AT(weir_scenario_endpoint, ack_policy),
     .words = "era|standard|bsd-old|bsd-new", .default_text = "era",
     .help = "when the receiver answers: by `ack_every` and `delayed_ack`; at 35 % of the window or with a "
	     "tick of 200 ms; or with two segments already"},
    {"ack_out_of_order", WEIR_KEY_WORD, AT(weir_scenario_endpoint, ack_out_of_order),
     .words = "era|delayed|at-once", .default_text = "era",
     .help = "how soon data out of order is answered; `delayed` needs a bsd policy"},
    {"ack_every", WEIR_KEY_PACKETS, MODERN, AT(weir_scenario_endpoint, ack_every),
     .default_text = "2 packets", .min = 1, .max = 2,
     .help = "an acknowledgement for each packet or each second one"},
    {"delayed_ack", WEIR_KEY_TIME, MODERN, AT(weir_scenario_endpoint, delayed_ack_ns),
     .default_text = "200 ms", .max = 10 * S, .help = "the longest that an acknowledgement waits"},
    {"rto_min", WEIR_KEY_TIME, MODERN, AT(weir_scenario_endpoint, rto_min_ns), .default_text = "200 ms",
     .min = MS, .max = 60 * S, .help = "least retransmission timeout"},
    {"rto_max", WEIR_KEY_TIME, MODERN, AT(weir_scenario_endpoint, rto_max_ns), .default_text = "120 s",
     .min = S, .max = HOUR, .help = "largest retransmission timeout"},
    {"tail_loss_probe", WEIR_KEY_FLAG, MODERN, AT(weir_scenario_endpoint, tail_loss_probe),
     .default_text = "true", .help = "RFC 8985 section 7; with `recovery: sack`"},
    {"undo", WEIR_KEY_FLAG, MODERN, AT(weir_scenario_endpoint, undo), .default_text = "true",
     .help = "take back a cut that proves to be a mistake"},
    {"ecn", WEIR_KEY_FLAG, MODERN, AT(weir_scenario_endpoint, ecn), .default_text = "false",
     .help = "ECN-capable data; each mark is echoed"},
    {"pace", WEIR_KEY_FLAG, MODERN, AT(weir_scenario_endpoint, pace), .default_text = "false",
     .help = "spread a window over its round trip where the controller sets no rate"},
    {"first_sequence", WEIR_KEY_COUNT, AT(weir_scenario_endpoint, first_sequence), .default_text = "0",
     .max = 1ULL << 40, .help = "stream offset of the first byte, to see 32-bit numbers wrap"},
    {"rtt_variance", WEIR_KEY_WORD, HISTORIC, AT(weir_scenario_endpoint, rtt_variance),
     .words = "era|none|2v|4v", .default_text = "era",
     .help = "timeout of twice the mean (RFC 793), of the mean and two deviations, or and four"},
    {"exponential_backoff", SWITCH(exponential_backoff, "the timeout doubles with each in a row")},
    {"slow_start", SWITCH(slow_start, "begin with one segment, again after a loss or an idle time")},
    {"dynamic_window", SWITCH(dynamic_window, "congestion avoidance: a loss halves the window")},
    {"karn",
     SWITCH(karn, "no measurement of what was sent again; the timeout stays backed off till the next")},
    {"fast_retransmit", SWITCH(fast_retransmit, "with the third duplicate acknowledgement, then slow start")},
};

static const struct weir_schema_key record_keys[] = {
    {"pcap", WEIR_KEY_FLAG, SINGLE, AT(weir_scenario_record, pcap), .default_text = "false",
     .help = "`packets.pcap`"},
    {"qlog", WEIR_KEY_FLAG, SINGLE, AT(weir_scenario_record, qlog), .default_text = "false",
     .help = "`trace.qlog`"},
    {"iperf3", WEIR_KEY_FLAG, SINGLE, AT(weir_scenario_record, iperf3), .default_text = "false",
     .help = "JSON in the shape of iperf3's"},
    {"mahimahi", WEIR_KEY_FLAG, SINGLE, AT(weir_scenario_record, mahimahi), .default_text = "false",
     .help = "a log in the shape of mm-link's"},
    {"sends", WEIR_KEY_FLAG, SINGLE, AT(weir_scenario_record, sends), .default_text = "false",
     .help = "`sends.csv`: each data packet as it left, for sequence numbers over time"},
};

#define KEYS(of) of##_keys, sizeof of##_keys / sizeof of##_keys[0]
const struct weir_schema_scope weir_schema[WEIR_SCOPES] = {
    [WEIR_SCOPE_SCENARIO] = {"a scenario", "(top)", NULL, NULL, KEYS(scenario)},
    [WEIR_SCOPE_PATH] = {"a path", "paths.NAME", NULL, NULL, KEYS(path)},
    [WEIR_SCOPE_BACK] = {"a way back", "paths.NAME.back", "delay", NULL, KEYS(back)},
    [WEIR_SCOPE_HOP] = {"a hop", "hops.NAME", NULL, NULL, KEYS(hop)},
    [WEIR_SCOPE_WALK] = {"a walk", "hops.NAME.walk", NULL, NULL, KEYS(walk)},
    [WEIR_SCOPE_AQM] = {"an aqm", "hops.NAME.aqm", "name", "name", KEYS(aqm)},
    [WEIR_SCOPE_POLICER] = {"a policer", "hops.NAME.policer", NULL, NULL, KEYS(policer)},
    [WEIR_SCOPE_IMPAIR] = {"a place in a hop", "hops.NAME.before, .after", NULL, NULL, KEYS(impair)},
    [WEIR_SCOPE_LOSS] = {"a loss", "hops.NAME.after.loss", "p", "model", KEYS(loss)},
    [WEIR_SCOPE_REORDER] = {"a reorder", "hops.NAME.after.reorder", NULL, NULL, KEYS(reorder)},
    [WEIR_SCOPE_JITTER] = {"a jitter", "hops.NAME.after.jitter", "max", NULL, KEYS(jitter)},
    [WEIR_SCOPE_FLOW] = {"a flow", "flows.NAME, traffic.NAME", NULL, "transport", KEYS(flow)},
    [WEIR_SCOPE_APPLICATION] = {"an application", "flows.NAME.application", "name", "name",
				KEYS(application)},
    [WEIR_SCOPE_ENDPOINT] = {"an endpoint", "endpoint, flows.NAME.endpoint", NULL, "era", KEYS(endpoint)},
    [WEIR_SCOPE_RECORD] = {"a record", "record", NULL, NULL, KEYS(record)},
};

bool weir_schema_word(const char *words, u32 n, char out[32])
{
	for (; n; n--) {
		words = strchr(words, '|');
		if (!words)
			return false;
		words++;
	}
	size_t bytes = strcspn(words, "|");
	memcpy(out, words, bytes < 31 ? bytes : 31);
	out[bytes < 31 ? bytes : 31] = 0;
	return true;
}

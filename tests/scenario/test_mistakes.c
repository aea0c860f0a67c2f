/* SPDX-License-Identifier: MIT */
/* Every kind of mistake: its exact words, line and column. */
#include "complain.h"

/* What stands in the scenario at its place, and all that is said about it. */
struct mistake {
	const char *text, *said;
};

static const struct mistake top_mistakes[] = {
    {"tilte: x", "2:1: unknown key \"tilte\" in a scenario; did you mean title?\n"},
    {"duraton: 3 s", "2:1: unknown key \"duraton\" in a scenario; did you mean duration?\n"},
    {"warmup: 10 s", "2:9: warmup: it must be below the duration\n"},
    {"warmup: 3", "2:9: warmup: 3 has no unit: write 3 ms or 3 s\n"},
    {"warmup: 31 d", "2:9: warmup: 31 d is more than 30 d\n"},
    {"seed: 1.5", "2:7: seed: 1.5 is not a whole number\n"},
    {"seed: -1", "2:7: seed: -1 is negative\n"},
    {"seed: [1, [2]]", "2:11: a list in a list: one value is expected here\n"},
    {"seed: {a: 1}", "2:7: seed: one value is expected here, not a map\n"},
    {"seed: []", "2:7: an empty list: at least one value is needed\n"},
    {"sample: 1 us", "2:9: sample: 1 us is less than 10 us\n"},
    {"title: [a, b]", "2:8: one value is expected here, not a list\n"},
    {"title: {a: b}", "2:8: title: one value is expected here, not a map\n"},
    {"hops: {name: x}", "2:7: hops: a list is needed, such as [{name: ...}]\n"},
    {"hops: [x]", "2:8: a hop is a map of keys, such as {name: ...}\n"},
    {"hops: [{name: x, rate: 1 Mbit/s, rate: 2 Mbit/s}]", "2:34: \"rate\" was given already in line 2\n"},
    {"endpoint: {mss: 10 B}", "2:17: mss: 10 B is less than 64 B\n"},
    {"endpoint: {mss: 1448}", "2:17: mss: 1448 has no unit: write 1448 kB or 1448 B\n"},
    {"endpoint: {recovery: sak}", "2:22: recovery: unknown word \"sak\"; did you mean sack?\n"},
    {"endpoint: {recovery: tahoe}",
     "2:22: recovery: unknown word \"tahoe\": it is one of sack newreno reno\n"},
    {"endpoint: {ack_every: 3}", "2:23: ack_every: 3 is more than 2 packets\n"},
    {"endpoint: {rto_min: 10 s, rto_max: 2 s}", "2:11: endpoint: rto_min must not be above rto_max\n"},
    {"endpoint: {receiver_window: 1 kB}", "2:11: endpoint: receiver_window must hold at least one mss\n"},
    {"endpoint: {undo: no}", "2:18: undo: \"no\" is neither true nor false\n"},
    {"endpoint: sack", "2:11: an endpoint is a map of keys, such as {era: ...}\n"},
    {"endpoint:", "2:1: endpoint: a value is missing\n"},
    {"record: {pcpa: true}", "2:10: unknown key \"pcpa\" in a record; did you mean pcap?\n"},
    {"record: {pcap: [true, false]}", "2:16: one value is expected here, not a list\n"},
    {"traffic: []", "2:10: traffic: a list of at least one flow is needed, such as [{name: ...}]\n"},
    {"traffic: x", "2:10: traffic: a list of at least one flow is needed, such as [{name: ...}]\n"},
    {"traffic: [3]", "2:11: a flow is a map of keys, such as {name: ...}\n"},
    {"traffic: [{name: f, application: cbr, rate: 1 Mbit/s}]",
     "2:11: a flow \"f\" stands already in line 4\n"},
    {"seed: &a 1", "2:7: an anchor (&a) is not allowed here\n"},
    {"seed: *a", "2:7: an alias (*a) is not allowed: write the value again\n"},
    {"seed: !!int 1", "2:7: a tag (tag:yaml.org,2002:int) is not allowed here\n"},
    {"seed: 1\nseed: 2", "3:1: \"seed\" was given already in line 2\n"},
    {"? [a]\n: 3", "2:3: a key must be a plain word\n"},
    {"<<: {seed: 1}", "2:1: unknown key \"<<\" in a scenario\n"},
    {"seed: \"a\\0b\"", "2:7: a zero character is not allowed\n"},
    {"seed: 1\n---\nseed: 2", "3:1: a second document: one file holds one scenario\n"},
    {"seed: [1, 2", "3:6: not YAML: did not find expected ',' or ']' while parsing a flow sequence\n"},
    {"\tseed: 1",
     "2:1: not YAML: found a tab character that violates indentation while scanning a plain scalar\n"},
    {"duration: 5 s", "2:1: \"duration\" was given already in line 1\n"},
    {"paths: {main: {hops: []}}", "2:22: hops: a list of at least one hop is needed, such as [{name: ...}]\n"
				  "3:1: \"paths\" was given already in line 2\n"},
};

static const struct mistake hop_mistakes[] = {
    {"rate: 0", "3:39: rate: 0 is less than 1 bit/s\n"},
    {"rate: 11 Tbit/s", "3:39: rate: 11 Tbit/s is more than 10 Tbit/s\n"},
    {"rate: 1 Mbit/s, trace: x", "3:49: \"trace\" and \"rate\" exclude each other\n"},
    {"rate: 1 Mbit/s, walk: {mean: 1 Mbit/s, min: 1 Mbit/s, max: 1 Mbit/s}",
     "3:49: \"walk\" and \"rate\" exclude each other\n"},
    {"delay: 1 ms", "3:23: a hop needs \"rate\", \"trace\" or \"walk\"\n"},
    {"walk: {mean: 5 Mbit/s, min: 6 Mbit/s, max: 9 Mbit/s}",
     "3:39: walk: the mean must lie between min and max\n"},
    {"walk: {mean: 5 Mbit/s}", "3:39: a walk needs \"min\"\n"
			       "3:39: a walk needs \"max\"\n"},
    {"walk: 5 Mbit/s", "3:39: a walk is a map of keys, such as {mean: ...}\n"},
    {"rate: fast", "3:39: rate: \"fast\" is not a rate\n"},
    {"rate: 1 Mbit/s, delay: 2 h", "3:56: delay: 2 h is more than 1 h\n"},
    {"rate: 1 Mbit/s, dela: 2 ms", "3:49: unknown key \"dela\" in a hop; did you mean delay?\n"},
    {"rate: 1 Mbit/s, buffer: 0 packets", "3:57: buffer: 0 packets is less than 1 packet\n"},
    {"rate: 1 Mbit/s, buffer: 1 kB", "3:57: buffer: less than one packet of 1500 bytes\n"},
    {"rate: 1 Mbit/s, buffer: 11 ms",
     "3:57: buffer: at the hop's rate is 1375 bytes, less than one packet of 1500 bytes\n"},
    {"rate: 1 Mbit/s, buffer: 10",
     "3:57: buffer: 10 has no unit: write 10 ms, 10 kB, 10 packets or 10 BDP\n"},
    {"rate: 1 Mbit/s, buffer: big",
     "3:57: buffer: \"big\" is not a time, a size, a number of packets or a number of BDP\n"},
    {"rate: 1 Mbit/s, buffer: 20000 BDP", "3:57: buffer: 20000 BDP is more than 10000 BDP\n"},
    {"rate: 1 Mbit/s, aqm: codle", "3:54: aqm: unknown word \"codle\"; did you mean codel?\n"},
    {"rate: 1 Mbit/s, aqm: {target: 5 ms}", "3:54: an aqm needs \"name\"\n"},
    {"rate: 1 Mbit/s, aqm: {name: codel, target: 5}", "3:76: target: 5 has no unit: write 5 ms or 5 s\n"},
    {"rate: 1 Mbit/s, aqm: {target: 5 ms, name: droptail}", "3:55: \"target\" does not apply to droptail\n"},
    {"rate: 1 Mbit/s, aqm: {name: codel, flows: 3}", "3:68: \"flows\" does not apply to codel\n"},
    {"rate: 1 Mbit/s, aqm: {name: cake, flows: 3}",
     "3:61: name: unknown word \"cake\": it is one of droptail drophead red codel pie fq_codel\n"},
    {"rate: 1 Mbit/s, aqm: {name: red, min: 10 packets, max: 5 packets}",
     "3:88: red: min must be below max\n"},
    {"rate: 1 Mbit/s, aqm: red, buffer: unlimited",
     "3:23: red on an unlimited buffer needs \"min\" and \"max\"\n"},
    {"rate: 1 Mbit/s, aqm: {name: red, max_p: 2, weight: 0}", "3:73: max_p: 2 is more than 1\n"
							      "3:84: weight: 0 is less than 0.000001\n"},
    {"rate: 1 Mbit/s, aqm: [codel, [pie]]", "3:62: a list in a list: one value is expected here\n"},
    {"rate: 1 Mbit/s, aqm: [{name: codel, target: [1 ms, 2 ms]}]",
     "3:77: one value is expected here, not a list\n"},
    {"rate: 1 Mbit/s, loss: 2", "3:55: loss: 2 is more than 1\n"},
    {"rate: 1 Mbit/s, loss: {model: periodic}", "3:55: a loss needs \"period\"\n"},
    {"rate: 1 Mbit/s, loss: {model: periodic, period: 0}", "3:81: period: 0 is less than 1 packet\n"},
    {"rate: 1 Mbit/s, loss: {p: 1%, period: 3}", "3:63: \"period\" does not apply to bernoulli\n"},
    {"rate: 1 Mbit/s, loss: {model: gilbert-elliott, good_to_bad: 1%}",
     "3:55: a loss needs \"bad_to_good\"\n"},
    {"rate: 1 Mbit/s, loss: {model: gilbert}",
     "3:63: model: unknown word \"gilbert\"; did you mean gilbert-elliott?\n"},
    {"rate: 1 Mbit/s, loss: 1%, after: {loss: 1%}",
     "3:49: \"loss\" is given twice: here and under `after`\n"},
    {"rate: 1 Mbit/s, before: {jitter: {max: 5}}", "3:72: max: 5 has no unit: write 5 ms or 5 s\n"},
    {"rate: 1 Mbit/s, reorder: {p: 1%}", "3:58: a reorder needs \"delay\"\n"},
    {"rate: 1 Mbit/s, jitter: {max: 5 ms, reorders: maybe}",
     "3:79: reorders: \"maybe\" is neither true nor false\n"},
    {"rate: 1 Mbit/s, duplicate: 101%", "3:60: duplicate: 101% is more than 1\n"},
    {"rate: 1 Mbit/s, policer: {rate: 1 Mbit/s}", "3:58: a policer needs \"burst\"\n"},
    {"rate: 1 Mbit/s, policer: {rate: 1 Mbit/s, burst: 10 B}", "3:82: burst: 10 B is less than 1.5 kB\n"},
    {"rate: 1 Mbit/s, aggregation: 2 s", "3:62: aggregation: 2 s is more than 1 s\n"},
    {"rate: 1 Mbit/s}, b, {name: c, rate: 1 Mbit/s",
     "3:50: hop \"b\" stands twice in one direction of a path\n"},
    {"rate: 1 Mbit/s}, bb, {name: c, rate: 1 Mbit/s", "3:50: no hop is called \"bb\"\n"},
    {"rate: 1 Mbit/s}, xyz, {name: c, rate: 1 Mbit/s", "3:50: no hop is called \"xyz\"\n"},
    {"rate: 1 Mbit/s}, [c], {name: c, rate: 1 Mbit/s",
     "3:50: a list in a list: a hop is a map or the name of a hop\n"},
    {"rate: 1 Mbit/s}, {name: b, rate: 1 Mbit/s", "3:57: a hop \"b\" is defined already in line 3\n"},
    {"rate: 1 Mbit/s}, {name: a b, rate: 1 Mbit/s",
     "3:57: name: \"a b\" must be 1 to 64 letters, digits, - or _\n"},
    {"rate: 1 Mbit/s}, {rate: 1 Mbit/s", "3:50: a hop needs \"name\"\n"},
    {"rate: unlimited", "3:15: this path takes no time at all: give a hop a rate or a delay\n"},
};

static const struct mistake flow_mistakes[] = {
    {"count: 2", "4:9: a flow needs \"controller\"\n"},
    {"controller: cubci", "4:31: unknown controller \"cubci\"; did you mean cubic?\n"},
    {"controller: xyzzyx", "4:31: unknown controller \"xyzzyx\"; weir list controllers names them\n"},
    {"controller: {alpha: 3}", "4:31: a controller needs \"name\"\n"},
    {"controller: {name: [cubic, vegas]}", "4:38: one value is expected here, not a list\n"},
    {"controller: {name: vegas, alhpa: 1}", "4:45: vegas has no parameter \"alhpa\"; did you mean alpha?\n"},
    {"controller: {name: cubic, alpha: 1}", "4:45: cubic has no parameter \"alpha\"\n"},
    {"controller: {name: vegas, alpha: 101}", "4:52: alpha: 101 is more than 100 packets\n"},
    {"controller: {name: vegas, alpha: 1 ms}", "4:52: alpha: unknown unit \"ms\": it is one of packets\n"},
    {"controller: {name: vegas, probe: 3}", "4:52: probe: 3 has no unit: write 3 ms or 3 s\n"},
    {"controller: {name: vegas, gain: 3}", "4:51: gain: 3 is more than 2\n"},
    {"controller: {name: vegas, floor: 9 Tbit/s}", "4:52: floor: 9 Tbit/s is more than 8 Gbit/s\n"},
    {"controller: {name: vegas, floor: 3}", "4:52: floor: 3 has no unit: write 3 Mbit/s or 3 kbit/s\n"},
    {"controller: {name: vegas, fast: 1}", "4:51: fast: \"1\" is neither true nor false\n"},
    {"controller: {name: nimbus, delay_mode: basicdelay}",
     "4:58: delay_mode: unknown word \"basicdelay\": it is one of basic-delay|copa|vegas\n"},
    {"controller: {name: nimbus, delay_mode: 1}",
     "4:58: delay_mode: unknown word \"1\": it is one of basic-delay|copa|vegas\n"},
    {"controller: nimbuss", "4:31: unknown controller \"nimbuss\"; did you mean nimbus?\n"},
    {"controller: {name: vegas, alpha: {x: 1}}", "4:52: alpha: one value is expected here, not a map\n"},
    {"controller: 'kernel:a/b'", "4:31: \"kernel:a/b\" is not a name that a kernel can have\n"},
    {"controller: {name: kernel:bbr, gain: 1}",
     "4:50: a kernel's own controller takes no parameters here: \"gain\"\n"},
    {"controller: {name: subject, gain: 1}", "4:47: subject takes no parameters here: \"gain\"\n"},
    {"controller: ", "4:19: controller: a value is missing\n"},
    {"controller: cubic, path: mian", "4:44: no path is called \"mian\"; did you mean main?\n"},
    {"controller: cubic, path: x", "4:44: no path is called \"x\"\n"},
    {"controller: cubic, application: blk", "4:51: application: unknown word \"blk\"; did you mean bulk?\n"},
    {"controller: cubic, application: sized", "4:51: an application needs \"size\"\n"},
    {"controller: cubic, application: sized, size: 0", "4:64: size: 0 is less than 1 B\n"},
    {"controller: cubic, application: {name: sized, size: 1 MB}, size: 2 MB",
     "4:78: \"size\" is given twice: here and in the application\n"},
    {"controller: cubic, rate: 1 Mbit/s", "4:38: \"rate\" does not apply to bulk\n"},
    {"controller: cubic, application: arrivals",
     "4:51: an application needs \"sizes\"\n4:51: an application needs \"load\"\n"},
    {"controller: cubic, application: arrivals, sizes: caida, load: 0",
     "4:81: load: 0 is less than 1 bit/s\n"},
    {"controller: cubic, application: arrivals, sizes: caida, load: 1 Mbit/s, count: 2",
     "4:91: \"count\" does not apply to arrivals: `load` says how many come\n"},
    {"controller: cubic, application: video, sizes: caida", "4:58: \"sizes\" does not apply to video\n"},
    {"controller: cubic, application: video, ladder: 8k",
     "4:66: ladder: unknown unit \"k\": it is one of bit/s kbit/s Mbit/s Gbit/s Tbit/s\n"},
    {"controller: cubic, application: {name: video, ladder: [4k, 1080p]}",
     "4:73: one value is expected here, not a list\n"},
    {"controller: cubic, application: {name: video, chunk: 4 s, buffer: 7 s}",
     "4:9: a video's buffer must hold at least two chunks\n"},
    {"controller: cubic, application: paced", "4:51: an application needs \"rate\"\n"},
    {"controller: cubic, application: {name: on-off, on: 1 s}", "4:51: an application needs \"off\"\n"},
    {"controller: cubic, application: cbr, rate: 1 Mbit/s",
     "4:19: \"controller\" does not apply to datagrams (cbr)\n"},
    {"application: poisson, rate: 1 Mbit/s, endpoint: {mss: 100 B}, transport: tcp",
     "4:57: \"endpoint\" does not apply to datagrams (poisson)\n"
     "4:81: \"transport\" does not apply to datagrams (poisson)\n"},
    {"application: poisson", "4:32: an application needs \"rate\"\n"},
    {"application: {name: cbr, rate: 1 Mbit/s, chunk: 70 kB}", "4:67: chunk: 70 kB is more than 65.535 kB\n"},
    {"controller: cubic, transport: weir-udp", "4:49: transport: \"weir-udp\" is not built yet\n"},
    {"controller: cubic, transport: acp",
     "4:31: cubic sets a window; transport: acp needs an age controller, such as acp-robust\n"},
    {"controller: acp-plus", "4:31: acp-plus is an age controller: it needs transport: acp\n"},
    {"controller: acp-plus, transport: acp, application: bulk",
     "4:70: application: acp carries `updates` only\n"},
    {"controller: acp-plus, transport: acp, generate: poisson",
     "4:9: updates need \"rate\", such as 20 Hz\n"},
    {"controller: acp-plus, transport: acp, generate: at-slot, rate: 20 Hz",
     "4:9: generate: at-slot has no rate of its own\n"},
    {"controller: acp-plus, transport: acp, update: 1401 B",
     "4:9: update: acp carries at most 1400 B: it must fit into one datagram\n"},
    {"controller: acp-plus, transport: acp, floor: 2 Hz, ceiling: 1 Hz",
     "4:64: floor: it is above the ceiling\n"},
    {"controller: cubic, floor: 2 Hz", "4:38: \"floor\" does not apply to tcp\n"},
    {"controller: cubic, application: updates", "4:9: updates need \"rate\", such as 20 Hz\n"},
    {"controller: cubic, transport: udp, rate: 20 Hz",
     "4:19: \"controller\" does not apply to datagrams (updates)\n"},
    {"transport: udp, application: bulk",
     "4:48: application: udp carries `updates`, `cbr` or `poisson`: the others are streams\n"},
    {"transport: udp, rate: 20 Mbit/s",
     "4:41: rate: unknown unit \"Mbit/s\": it is one of uHz mHz Hz kHz MHz\n"},
    {"controller: cubic, transport: tpc", "4:49: transport: unknown word \"tpc\"; did you mean tcp?\n"},
    {"controller: cubic, start: 5 s, stop: 5 s", "4:56: stop: it must be after the start\n"},
    {"controller: cubic, start: soon", "4:45: start: \"soon\" is not a time\n"},
    {"controller: cubic, count: 0", "4:45: count: 0 is less than 1\n"},
    {"controller: cubic, count: 1000001", "4:45: count: 1000001 is more than 1000000\n"},
    {"controller: cubic, endpoint: {header: 5 B}", "4:57: header: 5 B is less than 20 B\n"},
    {"controller: cubic, endpoint: {mss: 9 kB, receiver_window: 8 kB}",
     "4:48: receiver_window must hold at least one mss\n"},
    {"controller: cubic, reverse: 1", "4:47: reverse: \"1\" is neither true nor false\n"},
    {"controller: cubic}, {name: f, controller: cubic", "4:39: a flow \"f\" stands already in line 4\n"},
    {"controller: cubic, count: 600000}, {name: g, count: 600000, controller: cubic",
     "1:1: 1200000 flows: at most 1000000\n"},
    {"controller: cubic}, {name: 'a.b', controller: cubic",
     "4:46: name: \"a.b\" must be 1 to 64 letters, digits, - or _\n"},
    {"controller: cubic}, {controller: cubic", "4:39: a flow needs \"name\"\n"},
    {"controller: cubic}, x, {name: g, controller: cubic",
     "4:39: a flow is a map of keys, such as {name: ...}\n"},
};

static const struct mistake set_mistakes[] = {
    {"durations=3 s", "--set:1:1: unknown key \"durations\" in a scenario; did you mean duration?\n"},
    {"duration=3", "--set:1:10: duration: 3 has no unit: write 3 ms or 3 s\n"},
    {"duration", "--set:1:1: write KEY=VALUE, such as duration=5s\n"},
    {"=3", "--set:1:1: write KEY=VALUE, such as duration=5s\n"},
    {"paths.mian.hops.b.rate=1 Mbit/s", "--set:1:7: no path is called \"mian\"; did you mean main?\n"},
    {"paths.main.hops.c.rate=1 Mbit/s", "--set:1:17: nothing in this list is called \"c\"\n"},
    {"paths.main.hops.b.raet=1 Mbit/s", "--set:1:19: unknown key \"raet\" in a hop; did you mean rate?\n"},
    {"paths.main.hops.7.rate=1 Mbit/s", "--set:1:17: nothing in this list is called \"7\"\n"},
    {"paths.main.hops.b.rate.x=1", "--set:1:24: \"rate\" is a single value: nothing can stand below it\n"},
    {"paths.main.hops.b.rate=fast", "--set:1:24: rate: \"fast\" is not a rate\n"},
    {"paths..hops=3", "--set:1:7: a name is missing here\n"},
    {"flows.f.controller.alhpa=3", "--set:1:20: cubic has no parameter \"alhpa\"\n"},
    {"flows.f.controller=[cubic, nosuch]",
     "--set:1:28: unknown controller \"nosuch\"; weir list controllers names them\n"},
    {"flows.f.controller={name: vegas, alpha: [1, 999]}",
     "--set:1:45: alpha: 999 is more than 100 packets\n"},
    {"flows.f.controller=[cubic",
     "--set:1:26: not YAML: did not find expected ',' or ']' while parsing a flow sequence\n"},
    {"seed.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=1",
     "--set:1:6: \"seed\" is a single value: nothing can stand below it\n"},
    {"seed=", "--set:1:6: seed: a value is missing\n"},
    {"endpoint.mss=9", "--set:1:14: mss: 9 has no unit: write 9 kB or 9 B\n"},
    {"flows=3", "--set:1:7: flows: a list of at least one flow is needed, such as [{name: ...}]\n"},
    {"paths.main.back=x", "--set:1:17: back: \"x\" is not a time\n"},
    {"flows.f.start=6 s=x", "--set:1:15: start: unknown unit \"s=x\": it is one of ns us ms s min h d\n"},
    {"seed=é x", "--set:1:6: seed: \"é x\" is not a whole number\n"},
};

#define N(array) (sizeof(array) / sizeof(array)[0])

static void expect(const char *top, const char *hop, const char *flow, const char *argument, const char *said)
{
	char text[2000], out[4000];
	int bytes =
	    snprintf(text, sizeof text,
		     "duration: 10 s\n%s\npaths: {main: {hops: [{name: b, %s}]}}\nflows: [{name: f, %s}]\n",
		     top, hop, flow);
	complain(text, (size_t)bytes, &argument, argument != NULL, out, sizeof out);
	if (strcmp(out, said) != 0)
		fail_msg("%s%s%s\nsaid:\n%sinstead of:\n%s", text, argument ? "--set " : "",
			 argument ? argument : "", out, said);
}

static void the_template_itself_is_right(void **state)
{
	(void)state;
	expect("seed: 1", "rate: 1 Mbit/s", "controller: cubic", NULL, "");
}

static void mistakes_at_the_top(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(top_mistakes); i++)
		expect(top_mistakes[i].text, "rate: 1 Mbit/s", "controller: cubic", NULL,
		       top_mistakes[i].said);
}

static void mistakes_in_a_hop(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(hop_mistakes); i++)
		expect("seed: 1", hop_mistakes[i].text, "controller: cubic", NULL, hop_mistakes[i].said);
}

static void mistakes_in_a_flow(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(flow_mistakes); i++)
		expect("seed: 1", "rate: 1 Mbit/s", flow_mistakes[i].text, NULL, flow_mistakes[i].said);
}

static void mistakes_in_arguments(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(set_mistakes); i++)
		expect("seed: 1", "rate: 1 Mbit/s", "controller: cubic", set_mistakes[i].text,
		       set_mistakes[i].said);
}

/* A mistake that only one combination has is found before the first one runs, and told once. */
static void every_point_of_a_sweep_is_checked(void **state)
{
	(void)state;
	expect("warmup: [1 s, 3 s]\nsample: [10 ms, 20 ms]", "rate: [1 Mbit/s, 2 Mbit/s], buffer: 11 ms",
	       "controller: cubic", NULL,
	       "4:69: buffer: at the hop's rate is 1375 bytes, less than one packet of 1500 bytes\n");
	expect("warmup: [1 s, 30 s]", "rate: [1 Mbit/s, 2 bit]", "controller: [cubic, reno, vgas]", NULL,
	       "2:9: warmup: it must be below the duration\n"
	       "3:50: rate: unknown unit \"bit\"; did you mean bit/s?\n"
	       "4:45: unknown controller \"vgas\"; did you mean vegas?\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_template_itself_is_right),
	    cmocka_unit_test(mistakes_at_the_top),
	    cmocka_unit_test(mistakes_in_a_hop),
	    cmocka_unit_test(mistakes_in_a_flow),
	    cmocka_unit_test(mistakes_in_arguments),
	    cmocka_unit_test(every_point_of_a_sweep_is_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""weir run: flows that arrive at random, and a player of video."""
import csv

from run_common import *

PATH = """\
duration: %s
paths:
  main:
    hops:
      - {name: bottleneck, rate: %s, delay: 20 ms, buffer: 100 ms}
"""


def run(text, *arguments, out="out/x"):
    write("x.yaml", text)
    weir("run", "x.yaml", "-o", out, *arguments)
    return summary(out)


def series(name, signal, out="out/x"):
    """By time: where nothing arrived there is no share of it."""
    with open(out + "/series.csv", encoding="utf-8") as f:
        return {row["time_s"]: float(row["value"]) for row in csv.DictReader(f)
                if row["flow"] == name and row["signal"] == signal}


def lone(size):
    write("one.txt", "# always the same\n%d 0\n%d 1\n" % (size, size))
    s = run(PATH % ("60 s", "12 Mbit/s") + "traffic:\n  - {name: one, application: arrivals, sizes: one.txt, "
            "load: 50 kbit/s, controller: reno}\n")
    return s["groups"][0]


def test_a_lone_flow_takes_as_long_as_it_must():
    """12 Mbit/s: a packet of 1500 B takes 1 ms; 20 ms each way. Ten fit into the first window; the next ten leave from
    42 ms on, four for each acknowledgement of two."""
    for packets, wanted_ms in ((1, 21), (10, 30), (20, 72)):
        g = lone(1448 * packets)
        check(g["retransmitted"] == 0, g)  # its end is acknowledged at once, be it one packet
        fct = [c for c in g["fct"] if c["n"]]
        check(len(fct) == 1 and g["flows"] - 1 <= fct[0]["n"] <= g["flows"], g)
        check(abs(fct[0]["fct_ms"]["min"] - wanted_ms) < .001 and abs(fct[0]["fct_ms"]["p50"] - wanted_ms) < .5,
              packets, fct[0])
        check(fct[0]["min_bytes"] <= 1448 * packets < fct[0]["max_bytes"], fct[0])


WAN = PATH % ("20 s", "96 Mbit/s") + """\
flows:
  - {name: long, controller: cubic}
traffic:
  - {name: wan, application: arrivals, sizes: caida, load: 48 Mbit/s, controller: cubic}
"""


def test_thousands_are_one_group_and_the_flow_beside_them_is_itself():
    s = run(WAN)
    check([f["name"] for f in s["flows"]] == ["long"], s["flows"])
    check(s["flows"][0]["signals"]["ssthresh_bytes"]["mean"] > 0)
    check(len(s["groups"]) == 1)
    g = s["groups"][0]
    check(g["name"] == "wan.*" and g["application"] == "arrivals")
    expected = 48e6 / 8 / 21025 * 20
    check(abs(g["flows"] - expected) < 4 * expected ** .5, g["flows"], "not about", expected)
    check([c["size"] for c in g["fct"]] == ["15kB", "150kB", "1.5MB", "15MB", "150MB", "larger"])
    check(.95 * g["flows"] < sum(c["n"] for c in g["fct"]) <= g["flows"])
    check(g["fct"][0]["n"] > .97 * g["flows"] * .95 and g["fct"][0]["fct_ms"]["p95"] < g["fct"][2]["fct_ms"]["p95"])
    moved = sum(f["throughput_bps"] for f in s["flows"]) + g["throughput_bps"]
    check(abs(moved - s["links"][0]["throughput_bps"]) < .01 * moved, moved, s["links"][0])
    elastic = series("wan.*", "elastic_fraction")
    rate = series("wan.*", "throughput_bps")
    check(all(0 <= x <= 1 for x in elastic.values()))
    check({t for t, r in rate.items() if r} == set(elastic))
    mean = sum(e * rate[t] for t, e in elastic.items()) / sum(rate.values())
    check(abs(mean - g["elastic_fraction"]) < 1e-3, mean, g["elastic_fraction"])
    active, long = series("wan.*", "active_flows"), series("wan.*", "elastic_flows")
    check(all(n >= long[t] for t, n in active.items()) and 5 < max(active.values()) < 2000)


def test_the_table_tells_them():
    write("x.yaml", WAN)
    out, _ = weir("run", "x.yaml")
    for words in ("flows of", "15kB", "took p50/p95 ms"):
        check(words in out, words, "is not in", out)
    write("x.yaml", PATH % ("5 s", "48 Mbit/s") + VIDEO % "4k")
    out, _ = weir("run", "x.yaml")
    check("tv plays " in out and "stalls: 0, of 0.0 s" in out, out)


def test_same_seed_same_flows():
    a, c = run(WAN, out="out/a"), run(WAN, "--seed", "2", out="out/c")
    run(WAN, out="out/b")
    for name in ("summary.json", "series.csv"):
        check(without_wall(read("out/a/" + name)) == without_wall(read("out/b/" + name)), name)
    check(a["groups"][0]["flows"] != c["groups"][0]["flows"])


def test_another_load_brings_the_same_sizes():
    """At half the load the same flows come, in twice the time."""
    text = PATH % ("10 s", "unlimited") + ("traffic:\n  - {name: web, application: arrivals, sizes: dctcp, "
                                           "load: %s, controller: reno}\n")
    full = run(text.replace(", buffer: 100 ms", "") % "100 Mbit/s")["groups"][0]
    half = run(text.replace(", buffer: 100 ms", "").replace("10 s", "20 s") % "50 Mbit/s")["groups"][0]
    check(full["flows"] == half["flows"], full["flows"], half["flows"])


def test_mistakes():
    def wrong(says, keys, table=None):
        if table is not None:
            write("sizes.txt", table)
        write("x.yaml", PATH % ("1 s", "12 Mbit/s") + "traffic:\n  - {name: x, application: arrivals, controller: reno, "
              + keys + "}\n")
        weir("run", "x.yaml", code=2, says=says)

    wrong('an application needs "sizes"', "load: 1 Mbit/s")
    wrong('an application needs "load"', "sizes: caida")
    wrong("x.yaml:7:63: sizes: caidas: cannot open: No such file or directory. It is a file, or one of caida, dctcp, vl2 "
          "and fb-cache", "sizes: caidas, load: 1 Mbit/s")
    wrong("sizes: sizes.txt:2:1: 9: sizes rise from line to line", "sizes: sizes.txt, load: 1 Mbit/s", "10 0\n9 1\n")
    wrong("the last line must have fraction 1", "sizes: sizes.txt, load: 1 Mbit/s", "0 0\n9 0.5\n")
    wrong("load: 1250000 flows of 100 B on average; at most 1000000", "sizes: sizes.txt, load: 1 Gbit/s",
          "100 0\n100 1\n")
    wrong('"count" does not apply to arrivals: `load` says how many come', "sizes: vl2, load: 1 Mbit/s, count: 3")
    wrong('"age" does not apply to arrivals', "sizes: vl2, load: 1 Mbit/s, age: true")


VIDEO = "flows:\n  - {name: tv, application: video, ladder: %s, controller: cubic}\n"


def test_a_video_below_the_link_is_played_at_its_best_and_pauses():
    s = run(PATH % ("60 s", "48 Mbit/s") + VIDEO % '"2 Mbit/s, 8 Mbit/s"')
    v = s["flows"][0]["video"]
    check(v["rebuffers"] == 0 and v["rebuffer_s"] == 0 and v["switches"] == 1, v)
    check(60 - v["startup_s"] - .001 < v["played_s"] <= 60, v)
    check(list(series("tv", "video_bitrate_bps").values())[-1] == 8e6)
    check(max(series("tv", "video_buffer_s").values()) <= 30.001)
    check(7.5e6 < s["flows"][0]["goodput_bps"] < 11e6, s["flows"][0]["goodput_bps"])  # what it plays, and 30 s more
    bits = v["chunks"] * 4 * v["bitrate_bps"]
    check(0 <= s["flows"][0]["goodput_bps"] * 60 - bits < 8e6 * 4, bits, s["flows"][0]["goodput_bps"])


def test_a_video_above_the_link_takes_what_there_is():
    s = run(PATH % ("60 s", "20 Mbit/s") + VIDEO % "4k", "--set", "warmup=20 s")
    v = s["flows"][0]["video"]
    check(s["links"][0]["utilization"] > .97, s["links"][0])  # elastic: no pause
    check(15e6 < v["bitrate_bps"] < 22e6 and v["rebuffers"] == 0, v)


def test_a_video_that_the_link_cannot_carry_stands_still():
    s = run(PATH % ("100 s", "1 Mbit/s") + VIDEO % '"2 Mbit/s"')
    v = s["flows"][0]["video"]
    check(v["rebuffers"] >= 10 and abs(v["played_s"] / 100 - .5 * 1448 / 1500) < .05, v)
    check(v["startup_s"] + v["played_s"] + v["rebuffer_s"] - 100 < 1e-6, v)


def test_video_mistakes():
    for says, keys in (
            ("a video's buffer must hold at least two chunks", "{name: video, buffer: 3 s}"),
            ("ladder: 2 Mbit/s: bitrates rise", '{name: video, ladder: "2 Mbit/s, 2 Mbit/s"}'),
            ("ladder: nothing stands here; it should be a rate", '{name: video, ladder: "2 Mbit/s,"}'),
            ("more than 16 bitrates", '{name: video, ladder: "%s"}' % ", ".join("%d Mbit/s" % i for i in range(1, 18)))):
        write("x.yaml", PATH % ("1 s", "12 Mbit/s") + "flows:\n  - {name: x, controller: reno, application: " + keys + "}\n")
        weir("run", "x.yaml", code=2, says=says)


all_tests(globals())

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""weir run: repeats, several controllers, axes, many flows, traces, exports, and what the docs promise."""
import json
import os
import re
import statistics
import struct

from run_common import *


def test_repeat_gives_means():
    weir("run", "two.yaml", "--repeat", "4", "--seed", "3", "-o", "x")
    single = []
    for seed in range(3, 7):
        out, _ = weir("run", "two.yaml", "--seed", str(seed), "--json")
        single.append(one_document(out))
    s = summary("x")
    check(s["seed"] == 3 and s["flows"] == single[0]["flows"], "the first seed's numbers stand beside the means")
    r = s["repeats"]
    check(r["n"] == 4 and r["seeds"] == [3, 4, 5, 6])
    values = [d["flows"][0]["goodput_bps"] for d in single]
    got = r["flows"][0]["goodput_bps"]
    half = 3.182446 * statistics.stdev(values) / 2  # t(.975, 3), n = 4
    mean = statistics.mean(values)
    check(got["n"] == 4 and abs(got["mean"] - mean) < 1e-6 * mean, got)
    check(abs(got["ci95"][0] - (mean - half)) < 1e-4 * half and abs(got["ci95"][1] - (mean + half)) < 1e-4 * half, got)
    check(r["links"][0]["queue_delay_ms"]["p95"]["n"] == 4 and r["flows"][0]["name"] == "a")


def test_results_of_several_directories_make_one_page():
    weir("run", "two.yaml", "--controller", "reno", "--controller", "cubic", "-o", "x")
    weir("run", "two.yaml", "--controller", "vegas", "-o", "y")
    # As an emulated run leaves it: then the labels say which is which.
    z = summary("y")
    z["backend"] = "emu"
    os.mkdir("z")
    for name in ("series.csv", "manifest.json"):
        write(os.path.join("z", name), read(os.path.join("y", name)))
    write("z/summary.json", json.dumps(z))
    weir("report", "x", "y", "z", code=2, says=["-o FILE.html"])
    _, err = weir("report", "x", "y", "z", "-o", "all.html", says="wrote all.html")
    page = read("all.html")
    for label in ("reno, simulated", "cubic, simulated", "vegas, simulated", "vegas, in the kernel"):
        check(label in page, "the page has no run", label, err)
    check("simulated and emulated" in page)
    weir("report", "x", "nowhere", "-o", "none.html", code=2, says="nowhere")
    check(not os.path.exists("none.html"))


def test_parameters_are_in_the_manifest():
    text = SCENARIO.replace("name: a, path: main, controller: cubic",
                            "name: a, path: main, controller: {name: cubic, beta: .5}")
    write("two.yaml", text)
    weir("run", "two.yaml", "-o", "x")
    p = json.loads(read("x/manifest.json"))["parameters"]
    check(p["a"]["beta"] == .5 and p["b"]["beta"] == .7 and p["a"]["c"] == p["b"]["c"], p)
    write("two.yaml", text.replace("name: cubic, beta: .5", "name: copa, mode: mvfst"))
    weir("run", "two.yaml", "-o", "x")
    check(json.loads(read("x/manifest.json"))["parameters"]["a"]["mode"] == "mvfst")
    weir("run", "two.yaml", "--controller", "vegas", "-o", "x")
    check(set(json.loads(read("x/manifest.json"))["parameters"]["a"]) >= {"alpha", "beta", "gamma"})


def test_one_run_each_controller():
    out, _ = weir("run", "two.yaml", "--controller", "reno", "--controller", "vegas", "--json", "-o", "x")
    d = one_document(out)
    check(d["schema"] == "weir.run/1" and out == read("x/summary.json"))
    check([r["label"] for r in d["runs"]] == ["reno", "vegas"])
    check([r["directory"] for r in d["runs"]] == ["run-1-reno", "run-2-vegas"])
    for r in d["runs"]:
        check(summary(os.path.join("x", r["directory"])) == r)
        check({f["controller"] for f in r["flows"]} == {r["label"]})
    check(sorted(os.listdir("x")) == ["manifest.json", "report.html", "run-1-reno", "run-2-vegas", "summary.json"])
    weir("run", "two.yaml", "-o", "x")
    check("run-1-reno" not in os.listdir("x"))


def test_axes():
    text = SCENARIO.replace("20 Mbit/s", "[10 Mbit/s, 20 Mbit/s]").replace("duration: 3 s", "duration: 1 s")
    write("two.yaml", text)
    weir("run", "two.yaml", "--controller", "cubic", "--controller", "reno", "-o", "x")
    runs = summary("x")["runs"]
    check(len(runs) == 4 and len({r["directory"] for r in runs}) == 4)
    check([r["links"][0]["capacity_bps"] for r in runs] == [10e6, 10e6, 20e6, 20e6])
    check(set(runs[0]["axes"].values()) == {"10 Mbit/s"} and runs[0]["label"].startswith("cubic"), runs[0]["axes"])


def test_traffic_keeps_its_controller():
    write("two.yaml", SCENARIO.replace("  - {name: b,", "traffic:\n  - {name: b,"))
    weir("run", "two.yaml", "--controller", "reno", "-o", "x")
    check([f["controller"] for f in summary("x")["flows"]] == ["reno", "cubic"])
    check(summary("x")["fairness"]["jain_throughput"] is None)


def test_groups():
    write("two.yaml", SCENARIO.replace("name: a, path: main", "name: a, count: 3, path: main"))
    weir("run", "two.yaml", "-o", "x")
    s = summary("x")
    check([f["name"] for f in s["flows"]] == ["a.1", "a.2", "a.3", "b"])
    (g,) = s["groups"]
    check(g["name"] == "a.*" and g["flows"] == 3)
    check(abs(g["goodput_bps"] - sum(f["goodput_bps"] for f in s["flows"][:3])) < 1)
    check(g["packets_sent"] == sum(f["packets_sent"] for f in s["flows"][:3]))
    check(",a.*,throughput_p50_bps," in read("x/series.csv"))


def test_over_a_thousand_flows_only_groups():
    write("two.yaml", SCENARIO.replace("name: a, path: main", "name: a, count: 1200, path: main"))
    weir("run", "two.yaml", "--set", "duration=1s", "-o", "x")
    s = summary("x")
    check(s["flows"] == [] and [g["name"] for g in s["groups"]] == ["a.*", "b"], s["groups"])
    check(os.path.getsize("x/series.csv") < 300000)


def test_datagrams_have_no_controller():
    write("two.yaml", SCENARIO + "traffic:\n  - {name: p, path: main, application: poisson, rate: 5 Mbit/s}\n")
    weir("run", "two.yaml", "-o", "x")
    p = summary("x")["flows"][2]
    check(p["controller"] is None and p["rtt_ms"] is None and p["packets_sent"] > 1000, p)
    check(abs(p["throughput_bps"] - 5e6) < .2 * 5e6)


def test_completion_times():
    write("two.yaml", SCENARIO + "  - {name: s, path: main, controller: cubic, application: sized, size: 50 kB, start: 1 s}\n")
    weir("run", "two.yaml", "-o", "x")
    s = summary("x")
    done = {c["size"]: c["n"] for c in s["fct_ms"]}
    check(done == {"<10kB": 0, "10kB-100kB": 1, "100kB-1MB": 0, "1MB-10MB": 0, ">=10MB": 0}, done)
    fct = s["fct_ms"][1]["fct_ms"]
    check(fct["min"] == fct["max"] and 20 < fct["mean"] < 2000, fct)
    flow = s["flows"][2]
    check(abs(flow["active_s"] * 1000 - fct["mean"]) < 1e-6, "it lives until it is complete")
    check(abs(flow["goodput_bps"] * flow["active_s"] / 8 - 50000) < 1e-6 * 50000)


def test_trace_shows_its_capacity():
    write("slow.down", "".join(f"{t}\n" for t in range(2, 1002, 2)))  # 1500 bytes each 2 ms: 6 Mbit/s
    write("two.yaml", SCENARIO.replace("rate: 20 Mbit/s", "trace: slow.down"))
    weir("run", "two.yaml", "-o", "x")
    link = summary("x")["links"][0]
    check(abs(link["capacity_bps"] - 6e6) < 6e4 and .9 < link["utilization"] <= 1, link)
    check(",link:bottleneck,capacity_bps,6000000" in read("x/series.csv"))
    check(one_document(read("x/manifest.json"))["traces"][0]["path"] == "slow.down")


def packets_of(path):
    data = open(path, "rb").read()
    magic, _, _, _, _, snap, link = struct.unpack("=IHHiIII", data[:24])
    check(magic == 0xA1B23C4D and link == 101, hex(magic), link)
    at, packets = 24, []
    while at < len(data):
        sec, nsec, kept, length = struct.unpack("=IIII", data[at:at + 16])
        check(kept <= snap and nsec < 10**9)
        packets.append((sec + nsec / 1e9, length, data[at + 16:at + 16 + kept]))
        at += 16 + kept
    check(at == len(data))
    return packets


def test_pcap_agrees_with_the_counters():
    weir("run", "two.yaml", "--pcap", "--set", "flows.a.endpoint.first_sequence=4294900000", "-o", "x")
    s = summary("x")
    sender, receiver = packets_of("x/packets.pcap"), packets_of("x/packets-receiver.pcap")
    for number, flow in enumerate(s["flows"]):
        source = struct.pack(">I", (10 << 24) + number)
        sent = [p for p in sender if p[2][12:16] == source]
        arrived = [p for p in receiver if p[2][12:16] == source]
        check(len(sent) == flow["packets_sent"], len(sent), flow["packets_sent"])
        seen = sum(p[1] for p in arrived) * 8 / flow["active_s"]
        check(abs(seen - flow["throughput_bps"]) < 1e-6 * seen, seen, flow["throughput_bps"])
    sequences = [struct.unpack(">I", p[2][24:28])[0] for p in sender if p[2][12:16] == b"\x0a\0\0\0"]
    check(sequences[0] == 4294900000 and min(sequences) < 10**7, "the sequence number wraps at 32 bits")
    for packets in (sender, receiver):
        check(all(a[0] <= b[0] for a, b in zip(packets, packets[1:])), "not in order of time")


def test_other_exports():
    write("two.yaml", SCENARIO + "record: {qlog: true, iperf3: true, mahimahi: true}\n")
    weir("run", "two.yaml", "-o", "x")
    s = summary("x")
    records = [one_document(r) for r in open("x/trace.qlog", encoding="utf-8").read().split("\x1e")[1:]]
    sent = [r for r in records if r.get("name") == "quic:packet_sent"]
    check(len(sent) == s["packets"], len(sent), s["packets"])
    iperf = one_document(read("x/iperf3.json"))
    check(len(iperf["intervals"]) == 3 and len(iperf["start"]["connected"]) == 2)
    log = [line.split() for line in read("x/mahimahi-bottleneck.log").splitlines() if not line.startswith("#")]
    check(abs(len([e for e in log if e[1] == "-"]) - s["links"][0]["packets"]) <= 20, "departures in flight at the end")
    check(len([e for e in log if e[1] == "d"]) == s["links"][0]["drops"])
    check(abs(len([e for e in log if e[1] == "#"]) - 3 * 20e6 / 12000) <= 1)


# ---- the documents against docs/formats.md ----

def documented(section, after=None):
    """Names in the first column of the table that follows `after` in a section of the chapter."""
    text = read(os.path.join(os.environ["SOURCE_ROOT"], "docs", "formats.md"))
    body = re.search(r"\n### " + re.escape(section) + r"\n(.*?)(?=\n### |\n## |\Z)", text, re.S).group(1)
    if after:
        body = body[body.index(after) + len(after):]
    table = re.search(r"\n\|.*?\n\n", body + "\n\n", re.S).group(0)
    return {n for row in table.strip().split("\n")[2:] for n in re.findall(r"`([^`]+)`", row.split("|")[1])}


def same_fields(document, names, what):
    check(set(document) == names, what, "has but docs lack:", set(document) - names, "docs have but it lacks:",
          names - set(document))


def test_documents_are_as_documented():
    write("two.yaml", SCENARIO.replace("name: a, path: main", "name: a, count: 2, path: main") +
          "  - {name: s, path: main, controller: cubic, application: sized, size: 50 kB}\n")
    weir("run", "two.yaml", "--repeat", "2", "-o", "x")
    s = summary("x")
    same_fields(s, documented("summary.json"), "summary.json")
    spread = {"min", "mean", "p50", "p95", "p99", "max"}
    for f in s["flows"]:
        same_fields(f, documented("summary.json", "`flows[]`:"), "a flow")
        same_fields(f["rtt_ms"], spread, "rtt_ms")
    same_fields(s["groups"][0], documented("summary.json", "`groups[]`:"), "a group")
    same_fields(s["links"][0], documented("summary.json", "`links[]`:"), "a link")
    same_fields(s["fct_ms"][0], documented("summary.json", "at the receiver:"), "fct_ms")
    same_fields(s["fairness"], documented("summary.json", "`fairness`:"), "fairness")
    same_fields(one_document(read("x/manifest.json")), documented("manifest.json"), "manifest.json")
    weir("run", "two.yaml", "--controller", "reno", "--controller", "cubic", "-o", "y")
    same_fields(summary("y"), documented("Several runs"), "weir.run/1")
    text = read(os.path.join(os.environ["SOURCE_ROOT"], "docs", "formats.md"))
    for signal in {row.split(",")[2] for row in read("x/series.csv").splitlines()[1:]}:
        known = re.sub(r"_p[159]0_", "_p10_", signal)
        check(signal.startswith("cc.") or f"`{signal}`" in text or f"`{known}`" in text, signal, "is not documented")


all_tests(globals())

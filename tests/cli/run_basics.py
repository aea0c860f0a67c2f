#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""weir run: what it leaves, where, and that it is the same each time."""
import glob
import os

from run_common import *


def test_leaves_its_files():
    out, err = weir("run", "two.yaml", says="results in out/two, report out/two/report.html")
    check(set(os.listdir("out/two")) == {"summary.json", "series.csv", "manifest.json", "report.html"},
          os.listdir("out/two"))
    check(os.listdir("out") == ["two"], "something is left beside it:", os.listdir("out"))
    for words in ("two cubics", "cubic", "Mbit/s", "bottleneck"):
        check(words in out, "the table lacks", words, out)
    s = summary("out/two")
    check([f["name"] for f in s["flows"]] == ["a", "b"])
    check(s["simulated_s"] == 3 and s["interrupted"] is False)
    link = s["links"][0]
    check(.9 < link["utilization"] <= 1, link)
    total = sum(f["throughput_bps"] for f in s["flows"])
    check(.9 * 20e6 < total < 1.1 * 20e6, total)
    for f in s["flows"]:
        check(f["goodput_bps"] < f["throughput_bps"] and f["rtt_ms"]["min"] >= 20)
        check(abs(f["loss_fraction"] - f["packets_lost"] / f["packets_sent"]) < 1e-12)
    check(sum(f["packets_lost"] for f in s["flows"]) == link["drops"])
    check(s["packets"] == sum(f["packets_sent"] for f in s["flows"]))


def test_j4_json_is_one_document_and_writes_nothing():
    out, err = weir("run", "two.yaml", "--json")
    check(one_document(out)["schema"] == "weir.summary/1")
    check(err == "", err)
    check(os.listdir(".") == ["two.yaml"], os.listdir("."))


def test_json_with_a_directory_is_the_summary():
    out, _ = weir("run", "two.yaml", "--json", "-o", "x")
    check(out == read("x/summary.json"))


def test_same_seed_same_bytes():
    weir("run", "two.yaml", "-o", "x")
    weir("run", "two.yaml", "-o", "y")
    for name in ("series.csv", "manifest.json"):
        check(read(f"x/{name}") == read(f"y/{name}"), name, "differs")
    check(without_wall(read("x/summary.json")) == without_wall(read("y/summary.json")))
    check(read("x/summary.json").count('"wall_s"') == 1)


def test_other_seed_other_numbers():
    weir("run", "two.yaml", "--seed", "1", "-o", "x")
    weir("run", "two.yaml", "--seed", "2", "-o", "y")
    check(summary("x")["seed"] == 1 and summary("y")["seed"] == 2)
    check(summary("x")["flows"] != summary("y")["flows"])


def test_recording_changes_nothing():
    """Series, taps and where the world stops to be looked at: none of it moves an event."""
    weir("run", "two.yaml", "-o", "x")
    plain, _ = weir("run", "two.yaml", "--json")
    weir("run", "two.yaml", "-o", "y", "--pcap", "--qlog", "--iperf3", "--mahimahi-log", "--set", "sample=7 ms")
    for other in (one_document(plain), summary("y")):
        check(other["events"] == summary("x")["events"] and other["links"][0]["packets"] ==
              summary("x")["links"][0]["packets"])
        check(other["flows"][0]["rtt_ms"] == summary("x")["flows"][0]["rtt_ms"])


def test_set_changes_a_key():
    weir("run", "two.yaml", "--set", "duration=1s", "--set", "paths.main.hops.bottleneck.rate=5 Mbit/s", "-o", "x")
    check(summary("x")["simulated_s"] == 1)
    check(summary("x")["links"][0]["capacity_bps"] == 5e6)
    manifest = one_document(read("x/manifest.json"))
    check(manifest["set"] == ["duration=1s", "paths.main.hops.bottleneck.rate=5 Mbit/s"])
    check(manifest["scenario_text"] == SCENARIO)
    check("-o" not in manifest["arguments"] and "--set" in manifest["arguments"], manifest["arguments"])


def test_a_manifest_is_enough_to_run_it_again():
    weir("run", "two.yaml", "--seed", "5", "--set", "duration=1s", "--controller", "reno", "-o", "x")
    manifest = one_document(read("x/manifest.json"))
    write("two.yaml", "lost")
    os.rename("two.yaml", "gone.yaml")
    write("two.yaml", manifest["scenario_text"])
    weir(*manifest["arguments"][1:], "-o", "y")
    check(without_wall(read("x/summary.json")) == without_wall(read("y/summary.json")))


def test_a_result_is_replaced_whole():
    weir("run", "two.yaml", "--pcap", "-o", "x")
    write("x/stray", "old")
    weir("run", "two.yaml", "-o", "x")
    check(sorted(os.listdir("x")) == ["manifest.json", "report.html", "series.csv", "summary.json"], os.listdir("x"))


def test_warmup_is_left_out():
    weir("run", "two.yaml", "--set", "warmup=2 s", "-o", "x")
    weir("run", "two.yaml", "-o", "y")
    warm, whole = summary("x"), summary("y")
    check(warm["warmup_s"] == 2 and warm["flows"][0]["active_s"] == 1)
    check(warm["events"] == whole["events"] and warm["packets"] == whole["packets"])
    check(warm["flows"][0]["packets_sent"] < whole["flows"][0]["packets_sent"])
    check(warm["links"][0]["utilization"] > .97, warm["links"][0])


def test_a_flow_that_stops():
    weir("run", "two.yaml", "--set", "flows.b.stop=1 s", "-o", "x")
    a, b = summary("x")["flows"]
    check(b["start_s"] + b["active_s"] == 1 and a["start_s"] + a["active_s"] == 3, b)
    rows = [r.split(",") for r in read("x/series.csv").splitlines()[1:]]
    last = max(float(r[0]) for r in rows if r[1] == "b")
    check(1 <= last < 1.5, "b has rows until", last)


def test_every_shipped_scenario_runs():
    files = sorted(glob.glob(os.path.join(os.environ["SOURCE_ROOT"], "scenarios", "*.yaml")))
    for path in files:
        out, _ = weir("run", path, "--set", "duration=2s", "--json")
        check(one_document(out)["schema"] in ("weir.summary/1", "weir.run/1"), path)


def test_series_is_well_formed():
    weir("run", "two.yaml", "-o", "x")
    lines = read("x/series.csv").split("\n")
    check(lines[0] == "time_s,flow,signal,value" and lines[-1] == "")
    before = 0.0
    for line in lines[1:-1]:
        time, flow, _, value = line.split(",")
        check(before <= float(time) <= 3 and float(value) >= 0, line)
        check(flow in ("a", "b", "link:bottleneck"), line)
        before = float(time)
    check(before == 3)


all_tests(globals())

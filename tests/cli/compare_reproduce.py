#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""weir compare and weir reproduce: exit codes, documents, nothing on stdout when something is wrong."""
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

weir = os.path.abspath(sys.argv[1])
root = os.environ["SOURCE_ROOT"]


def run(*arguments, code=0, says="", cwd=root):
    p = subprocess.run([weir, *arguments], capture_output=True, text=True, cwd=cwd)
    assert p.returncode == code, (arguments, p.returncode, p.stdout, p.stderr)
    assert says in p.stderr, (arguments, p.stderr)
    return p.stdout


def check_compare(folder):
    scenario = os.path.join(root, "scenarios/two-cubic.yaml")
    results = {}
    for name, extra in {
        "a": [],
        "b": [],
        "slow": ["--set", "paths.main.hops.bottleneck.rate=24Mbit/s"],
        "repeats": ["--repeat", "3"],
    }.items():
        results[name] = os.path.join(folder, name)
        run("run", scenario, "--set", "duration=20s", *extra, "-o", results[name])
    assert "0 outside" in run("compare", results["a"], results["b"])
    assert "OUTSIDE" in run("compare", results["a"], results["slow"], code=5)
    d = json.loads(run("compare", results["a"], results["slow"], "--json", code=5))
    assert list(d) == ["schema", "first", "second", "limits", "verdict", "compared", "outside", "noise", "unsure",
                       "notes", "rows"]
    assert d["schema"] == "weir.compare/1" and d["verdict"] == "outside"
    assert {r["kind"] for r in d["rows"]} == {"flow", "link"}
    assert list(d["rows"][0]) == ["run", "kind", "name", "metric", "first", "second", "first_ci95", "second_ci95",
                                  "difference", "difference_ci95", "limit", "verdict", "sure"]
    link = next(r for r in d["rows"] if r["metric"] == "throughput_bps")
    # one run has intervals too, and that of the difference is wider than either
    width = [r[1] - r[0] for r in (link["first_ci95"], link["second_ci95"], link["difference_ci95"])]
    assert link["verdict"] == "outside" and link["sure"] is True and width[2] > max(width[:2]) > 0
    assert link["difference"] == link["second"] - link["first"]
    d = json.loads(run("compare", results["a"], results["slow"], "--goodput", "60%", "--delay", "60%,50ms", "--json"))
    assert d["verdict"] == "within" and d["limits"] == {"goodput": 0.6, "delay": 0.6, "delay_ms": 50}
    d = json.loads(run("compare", results["repeats"], results["repeats"] + "/summary.json", "--json"))
    assert all(r["first_ci95"] for r in d["rows"])

    assert run("compare", results["a"], folder + "/none", code=2, says="No such file") == ""
    assert run("compare", results["a"], folder, code=2, says="No such file") == ""
    half = os.path.join(folder, "half.json")
    with open(results["a"] + "/summary.json") as f:
        text = f.read()
    with open(half, "w") as f:
        f.write(text[: len(text) // 2])
    assert run("compare", half, results["a"], code=2, says="line") == ""
    run("compare", results["a"], code=2, says="an operand is missing")
    for limit in ["--goodput=x", "--delay=3", "--delay=10%,", "--goodput=-1%"]:
        assert run("compare", results["a"], results["b"], limit, code=2, says=limit.split("=")[0]) == ""
    check_notes(folder, results["a"], text)


def check_notes(folder, good, text):
    """A side without series, with a broken one, of another scenario, and one that says itself it is invalid."""
    d = json.loads(text)
    d["backend"] = "emu"
    d["flows"][0]["controller"] = "kernel:" + d["flows"][0]["controller"]
    d["flows"][1]["controller"] = "kernel:reno"

    def compare(verdict, code):
        d["emulation"] = {"verdict": verdict, "reason": "lateness 9 ms"}
        other = os.path.join(folder, verdict)
        os.makedirs(other, exist_ok=True)
        with open(other + "/summary.json", "w") as f:
            json.dump(d, f)
        says = "could not keep up" if code == 4 else ""
        first, second = (run("compare", good, other, *more, code=code, says=says) for more in ([], ["--json"]))
        return first, json.loads(second)

    table, document = compare("faithful", 0)
    assert any("no series.csv" in n for n in document["notes"]) and "no series.csv" in table
    # kernel:cubic is cubic, kernel:reno is not
    assert [n for n in document["notes"] if "controller" in n] == [
        "second: controller cubic in the first, kernel:reno in the second"]
    assert all(r["first_ci95"] and not r["second_ci95"] and r["sure"] is None for r in document["rows"])
    table, document = compare("degraded", 0)
    assert document["verdict"] == "within" and "degraded (lateness 9 ms)" in document["notes"][0]
    table, document = compare("invalid", 4)
    assert table.startswith("the second was emulated, and the emulator calls it invalid")
    assert document["verdict"] == "invalid" and document["outside"] == 0
    with open(os.path.join(folder, "faithful/series.csv"), "w") as f:
        f.write("time_s,flow,signal,value\n1,first,goodput_bps,nan\n")
    assert run("compare", good, folder + "/faithful", code=2, says="series.csv:2:") == ""


def check_overlay(folder):
    scenario = os.path.join(root, "scenarios/two-cubic.yaml")
    several = {}
    for name, controllers in {"several": ["cubic", "reno"], "others": ["kernel:cubic", "vegas"],
                              "strangers": ["vegas", "kernel:reno"]}.items():
        several[name] = os.path.join(folder, name)
        flags = [word for c in controllers for word in ("--controller", c)]
        run("run", scenario, "--set", "duration=5s", *flags, "-o", several[name])
    page = os.path.join(folder, "overlay")
    out = run("compare", several["several"], several["others"], "-o", page, code=5, says="report.html")
    assert out.count("MISSING") == 2 and "-- cubic" in out
    assert sorted(os.listdir(page)) == ["compare.json", "manifest.json", "report.html"]
    with open(page + "/compare.json") as f:
        rows = json.load(f)["rows"]
    assert [r["name"] for r in rows if r["kind"] == "run"] == ["reno", "vegas"]
    assert {r["run"] for r in rows} == {"cubic", "reno", "vegas"}
    assert all(r["verdict"] == "within" for r in rows if r["kind"] != "run")
    with open(page + "/report.html") as f:
        html = f.read()
    for words in ["Differences", "cubic, first", "cubic, second", "gauge", "Run them again"]:
        assert words in html, words
    # the same comparison again takes its place, but nothing that is compared is ever replaced
    run("compare", several["several"], several["others"], "-o", page, code=5, says="report.html")
    for place in [several["several"], os.path.join(several["several"], "run-1-cubic")]:
        run("compare", several["several"], several["others"], "-o", place, code=2, says="would replace")
        assert os.path.exists(place + "/summary.json")
    run("compare", several["several"], several["several"] + "/run-1-cubic", code=2, says="holds several runs")
    d = several["strangers"] + "/summary.json"
    with open(d) as f:
        text = f.read()
    with open(d, "w") as f:
        f.write(text.replace('"label": "vegas"', '"label": "x"').replace('"label": "kernel:reno"', '"label": "y"'))
    assert run("compare", several["several"], d, code=2, says="cubic; reno against x; y") == ""
    # a directory's name from a file leads nowhere but below
    with open(d, "w") as f:
        f.write(text.replace('"directory": "run-1-vegas"', '"directory": "../several"'))
    assert run("compare", several["several"], d, code=2, says="no label or directory") == ""


EXPERIMENT = """title: T
scenario:
  duration: 1 s
  paths: {main: {hops: [{name: link, rate: 10 Mbit/s, delay: 5 ms}]}}
  flows: [{name: a, controller: reno}]
claims:
  - {id: busy, text: t, unit: ratio, where: w, paper: .9, metric: links.link.utilization, band: [%s, 1]}
"""


def check_reproduce(folder):
    d = json.loads(run("reproduce", "two-cubic", "--quick", "--json", says="0 miss"))
    assert list(d) == ["schema", "experiments"] and d["schema"] == "weir.reproduce/1"
    (e,) = d["experiments"]
    assert list(e) == ["name", "backend", "claims"] and e["name"] == "weir/two-cubic" and e["backend"] == "sim"
    for c in e["claims"]:
        assert list(c) == ["id", "claim", "unit", "paper", "band", "measured", "ci95", "n", "verdict", "reason"]
        assert c["verdict"] == "holds" and c["reason"] is None
    path = os.path.join(folder, "x.yaml")
    with open(path, "w") as f:
        f.write(EXPERIMENT % ".5")
    assert "1 hold, 0 miss, 0 explained" in run("reproduce", path)
    # The same again is the same to the byte.
    assert run("reproduce", path, "--json") == run("reproduce", path, "--json")
    with open(path, "w") as f:
        f.write(EXPERIMENT % "1")
    assert "0 hold, 1 miss, 0 explained" in run("reproduce", path, code=5)
    (c,) = json.loads(run("reproduce", path, "--json", code=5))["experiments"][0]["claims"]
    assert c["verdict"] == "misses" and "outside" in c["reason"] and c["paper"] == 0.9 and c["ci95"] is None
    with open(path, "w") as f:
        f.write((EXPERIMENT % "1").replace("reno", "renno"))
    assert run("reproduce", path, "--json", code=2, says="x.yaml:5:33: ") == ""
    assert run("reproduce", "two-cubik", code=2, says="did you mean two-cubic?") == ""
    # Nothing of it is emulated, so that --on emu changes nothing.
    with open(path, "w") as f:
        f.write(EXPERIMENT % ".5")
    assert run("reproduce", path, "--json") == run("reproduce", path, "--json", "--on", "emu")
    assert run("reproduce", path, "--on", "moon", code=2, says="sim or emu") == ""
    assert run("reproduce", path, "--at", "rate=1", code=2, says="is no axis") == ""
    check_hosts(path)


HOSTS = """axes:
  - {name: host, values: [{name: sim, on: sim}, {name: kernel, on: emu}]}
"""


def check_hosts(path):
    """Without --on emu a claim about an emulated point is not judged, and not listed."""
    with open(path, "w") as f:
        f.write(HOSTS + EXPERIMENT % ".5" + """  - {id: same, text: t, unit: ratio, where: w, metric: links.link.drops / links.link.drops,
     at: {host: kernel}, against: {host: sim}, band: [1, 1]}
""")
    d = json.loads(run("reproduce", path, "--json", says="1 claim was not judged"))
    assert d["experiments"][0]["backend"] == "sim" and [c["id"] for c in d["experiments"][0]["claims"]] == ["busy"]
    # and without any point there is nothing to judge
    d = json.loads(run("reproduce", path, "--json", "--at", "host=kernel", says="2 claims were not judged"))
    assert d["experiments"][0]["claims"] == []


def check_interrupt(folder):
    """What was interrupted goes on where it stopped, and comes to the same."""
    path, out, whole = (os.path.join(folder, name) for name in ("long.yaml", "stopped", "whole"))
    with open(path, "w") as f:
        f.write("seeds: 400\n" + (EXPERIMENT % ".5").replace("duration: 1 s", "duration: 20 s"))
    process = subprocess.Popen([weir, "reproduce", path, "-o", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, cwd=folder)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and len(glob.glob(out + "/runs/*.json")) < 5:
        time.sleep(.01)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 1 and stdout == "" and "goes on from there" in stderr, (process.returncode, stderr)
    assert sorted(os.listdir(out)) == ["manifest.json", "runs"]
    kept = len(glob.glob(out + "/runs/*.json"))
    run("reproduce", path, "-o", out, says=f"{kept} of 400 runs had been made before")
    run("reproduce", path, "-o", whole)
    with open(out + "/reproduce.json") as one, open(whole + "/reproduce.json") as other:
        assert one.read() == other.read()
    run("reproduce", path, "-o", out, says="400 of 400 runs had been made before")


def check_page(folder):
    page = os.path.join(folder, "results")
    run("reproduce", "cubic-response", "-o", page, says="report.html")
    assert sorted(os.listdir(page)) == ["manifest.json", "report.html", "reproduce.json", "runs"]
    assert len(os.listdir(page + "/runs")) == 3
    with open(page + "/reproduce.json") as f:
        d = json.load(f)
    assert [c["verdict"] for c in d["experiments"][0]["claims"]] == ["explained", "holds", "holds"]
    with open(page + "/manifest.json") as f:
        assert json.load(f)["experiments"][0]["text"].startswith("title:")
    with open(page + "/report.html") as f:
        html = f.read()
    assert "The response function of CUBIC" in html and "explained" in html and "<svg" in html
    run("reproduce", "cubic-response", "-o", page, says="report.html")
    # What is not ours is not replaced, and nothing is run for it.
    other = os.path.join(folder, "other")
    os.mkdir(other)
    with open(other + "/letter", "w") as f:
        f.write("dear")
    assert run("reproduce", "cubic-response", "-o", other, code=2, says="not replaced") == ""
    assert os.listdir(other) == ["letter"]


with tempfile.TemporaryDirectory() as folder:
    check_compare(folder)
    check_overlay(folder)
    check_page(folder)
    check_interrupt(folder)
    check_reproduce(folder)

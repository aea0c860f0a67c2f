#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""weir run with pilots: named as any controller, simulated, recorded with a sign and with words."""
import csv
import io

from run_common import *

PILOTED = SCENARIO.replace("controller: cubic", "controller: {name: nimbus, delay_mode: copa}", 1)


def timed(out):
    rows = {}
    for row in csv.DictReader(io.StringIO(read(out + "/series.csv"))):
        rows.setdefault((row["flow"], row["signal"]), []).append((float(row["time_s"]), float(row["value"])))
    return rows


def series(out):
    return {key: [v for _, v in values] for key, values in timed(out).items()}


def test_named_in_a_scenario():
    write("two.yaml", PILOTED)
    weir("run", "two.yaml", "--set", "duration=8s", "-o", "x")
    a, b = summary("x")["flows"]
    check(a["controller"] == "nimbus" and b["controller"] == "cubic", a, b)
    signals = a["signals"]
    check(len(signals) > 8 and "words" not in signals["eta"], signals)
    check(signals["mode"]["words"] == ["delay", "competitive"], signals["mode"])
    check(0 <= signals["mode"]["mean"] <= 1 and signals["mode"]["last"] in (0, 1), signals["mode"])
    check(5e6 < signals["mu_bps"]["last"] < 21e6, signals["mu_bps"])
    rows = series("x")
    check({v for v in rows["a", "cc.mode"]} <= {0, 1} and len(rows["a", "cc.mode"]) > 500, rows["a", "cc.mode"])
    for usual in ("cwnd_bytes", "pacing_bps", "rtt_ms", "throughput_bps", "lost"):
        check(rows["a", usual], usual)
    check(("b", "cc.mode") not in rows)
    params = one_document(read("x/manifest.json"))["parameters"]["a"]
    check(params["delay_mode"] == "copa" and params["pulse_frequency"] == 5 and params["threshold"] == 2, params)
    page = read("x/report.html")
    check("<h3>Mode" in page and "competitive" in page, "no mode on the page")


def mean(rows, flow, signal, begin, end):
    values = [v for t, v in rows[flow, signal] if begin <= t < end]
    check(values, flow, signal, "has no value from", begin, "to", end)
    return sum(values) / len(values)


def test_the_shipped_scenario_is_what_it_is_shipped_for():
    """Alone and beside datagrams a short queue, beside CUBIC a fair share; mode and eta say which it is."""
    weir("run", os.path.join(os.environ["SOURCE_ROOT"], "scenarios", "nimbus.yaml"), "-o", "x")
    rows = timed("x")
    for begin, end in ((10, 30), (70, 90)):
        check(mean(rows, "nimbus", "queue_delay_ms", begin, end) < 25, "no short queue from", begin)
        check(mean(rows, "nimbus", "cc.mode", begin, end) < .1, "not in delay mode from", begin)
        check(mean(rows, "nimbus", "cc.eta", begin, end) < 2, "eta from", begin)
    check(mean(rows, "nimbus", "cc.mode", 45, 60) > .9, "not in competitive mode")
    check(mean(rows, "nimbus", "cc.eta", 45, 60) > 2, "eta beside CUBIC")
    share = mean(rows, "nimbus", "throughput_bps", 40, 60) / 48e6
    check(.6 < share < 1.4, "beside CUBIC", share, "of its fair share")
    check(mean(rows, "nimbus", "throughput_bps", 70, 90) > 42e6, "beside datagrams")


def test_on_the_command_line_and_the_same_each_time():
    weir("run", "two.yaml", "--controller", "nimbus", "-o", "x")
    weir("run", "two.yaml", "--controller", "nimbus", "-o", "y")
    check([f["controller"] for f in summary("x")["flows"]] == ["nimbus", "nimbus"])
    check(read("x/series.csv") == read("y/series.csv"), "not the same twice")
    check(without_wall(read("x/summary.json")) == without_wall(read("y/summary.json")), "not the same twice")


def test_mistakes():
    write("two.yaml", PILOTED.replace("copa", "basicdelay"))
    weir("run", "two.yaml", code=2, says=['unknown word "basicdelay": it is one of basic-delay|copa|vegas', "^"])
    write("two.yaml", PILOTED.replace("name: nimbus,", "name: nimbus, eta: 3,"))
    weir("run", "two.yaml", code=2, says='nimbus has no parameter "eta"')
    write("two.yaml", SCENARIO.replace("controller: cubic", "controller: kernel:nimbus", 1))
    weir("run", "two.yaml", code=2, says=["two.yaml:8:", "kernel:nimbus", "write nimbus"])
    write("two.yaml", SCENARIO)
    weir("run", "two.yaml", "--controller", "kernel:nimbus", code=2, says="write nimbus")
    weir("run", "two.yaml", "--controller", "nimbuss", code=2, says="did you mean nimbus?")
    weir("run", "two.yaml", "--set", "flows.a.controller=nimbus", "--set", "flows.a.count=5000", code=2,
         says="at most 4096")


all_tests(globals())

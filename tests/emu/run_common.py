# SPDX-License-Identifier: MIT
"""What the tests of `weir run --on emu` share: a scenario in, the documents of its run out."""
import csv
import json
import os
import subprocess

from link_common import INVALID, TRIES, WEIR, Failed, Skipped, check, main, nothing_left, path  # noqa: F401
import outside

ENVIRONMENT = "MALLOC_PERTURB_"  # what would slow the ferry down is not for these tests


def write(name, text):
    file = path(name)
    with open(file, "w", encoding="utf-8") as f:
        f.write(text)
    return file


def read_json(*names):
    with open(os.path.join(*names), encoding="utf-8") as f:
        return json.load(f)


def series(folder, flow, signal):
    """[(time_s, value)]"""
    with open(os.path.join(folder, "series.csv"), encoding="utf-8", newline="") as f:
        return [(float(r["time_s"]), float(r["value"])) for r in csv.DictReader(f)
                if r["flow"] == flow and r["signal"] == signal]


def run(scenario, *options, on="emu", code=None, timeout_s=60):
    """(the summary, the folder). Exit 4 and the verdict must agree, unless another code is expected."""
    folder = path(f"out-{on}")
    environment = {k: v for k, v in os.environ.items() if k != ENVIRONMENT}
    done = outside.run([WEIR, "run", write("scenario.yaml", scenario), "--on", on, "-o", folder, *options], timeout_s,
                       env=environment)
    if code is not None:
        check(done.returncode == code, options, "exit", done.returncode, "not", code, done.stderr)
        return done.stderr, folder
    check(done.returncode in (0, INVALID), options, "exit", done.returncode, done.stderr)
    summary = read_json(folder, "summary.json")
    if on == "emu" and "runs" not in summary:
        verdicts = summary.get("repeats", {}).get("verdicts", [summary["emulation"]["verdict"]])
        check((done.returncode == INVALID) == ("invalid" in verdicts), "exit", done.returncode, "for", verdicts)
    return summary, folder


def start_run(file, *options, **more):
    """A run that goes on."""
    return subprocess.Popen([WEIR, "run", file, "--on", "emu", *options], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, preexec_fn=outside.die_with_parent, **more)  # pylint: disable=subprocess-popen-preexec-fn


def valid(name, scenario, *options, **more):
    """A run that the emulator stands to: twice more, then a named skip."""
    for _ in range(TRIES):
        summary, folder = run(scenario, *options, **more)
        if summary["emulation"]["verdict"] != "invalid":
            e = summary["emulation"]
            print(f"{name}: {e['verdict']}, RTT error {e['rtt_error_us']:.0f} us")
            return summary, folder
    raise Skipped(f"{name}: invalid {TRIES} times: {summary['emulation']['reason']}")


def flow(summary, name):
    return next(f for f in summary["flows"] if f["name"] == name)


def link(summary, name):
    return next(h for h in summary["links"] if h["name"] == name)


def within(value, low, high, *what):
    check(value is not None and low <= value <= high, *what, ":", value, "is not in", (low, high))

#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A stock iperf3 in `weir link`, driven by the pilot nimbus in `weir kernel run`: its share of the link, a short queue,
pulses, rate samples; and that a pilot is had in no other way, and leaves nothing."""
import cmath
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WEIR = sys.argv[1]
AVAILABLE = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
FOLDER = tempfile.TemporaryDirectory(prefix="weir-pilot-")  # pylint: disable=consider-using-with
os.environ["WEIR_RUNTIME_DIR"] = os.path.join(FOLDER.name, "records")
LINK_BPS, RTT_MS, SECONDS, SETTLED_S, TRIES = 24e6, 40, 13, 8, 3
SHARE = 1448 / 1500  # payload of what the link carries


def fail(*words):
    print("FAILED:", *words)
    sys.exit(1)


def skip(*words):
    print(*words)
    sys.exit(77)


def registered():
    return [name for name in AVAILABLE.read_text(encoding="ascii").split() if name.startswith("weir_")]


def run(*arguments, code=0, says=""):
    done = subprocess.run([WEIR, "kernel", *arguments], text=True, capture_output=True, timeout=60, check=False)
    if done.returncode != code or says not in done.stderr or done.stdout:
        fail(arguments, "exit", done.returncode, "not", code, "says", repr(done.stderr), "not", repr(says), done.stdout)


def in_no_other_way():
    run("load", "nimbus", code=2, says="nimbus is a pilot")
    run("run", "nimbuss", "--", "true", code=2, says="did you mean nimbus?")
    run("run", "nimbus", "--set", "delay_mod=copa", "--", "true", code=2, says="did you mean delay_mode?")
    for mode in ("basic-delay", "copa", "vegas"):
        run("run", "nimbus", "--set", f"delay_mode={mode}", "--", "true", says="made no TCP connection")
    with subprocess.Popen([WEIR, "kernel", "run", "nimbus", "-q"]) as owner:
        end = time.monotonic() + 20
        while "weir_nimbus" not in registered() and time.monotonic() < end:
            time.sleep(.02)
        listed = subprocess.run([WEIR, "kernel", "list"], text=True, capture_output=True, timeout=20, check=True).stdout
        if "weir_nimbus" not in listed or "while the `weir` that has it runs" not in listed:
            fail("list:", listed)
        owner.send_signal(signal.SIGKILL)
    end = time.monotonic() + 20
    while registered():
        if time.monotonic() > end:
            fail("left after SIGKILL:", registered())
        time.sleep(.02)


def values(series, signal_name):
    return [(float(row[0]), float(row[3])) for row in series if row[2] == signal_name and float(row[0]) > SETTLED_S]


def mean(pairs):
    return sum(value for _, value in pairs) / max(len(pairs), 1)


def slope(pairs):
    return (pairs[-1][1] - pairs[0][1]) / (pairs[-1][0] - pairs[0][0])


def part(pairs, hz):
    """Amplitude of a sine of this frequency, as a share of the mean; the looks are not quite regular."""
    total = sum((a + b) / 2 * (t1 - t0) * cmath.exp(-2j * cmath.pi * hz * (t0 + t1) / 2)
                for (t0, a), (t1, b) in zip(pairs, pairs[1:]))
    return 2 * abs(total) / (pairs[-1][0] - pairs[0][0]) / mean(pairs)


def drive(out, verdict):
    """What iperf3 measured; None: the link was not what it should be."""
    inner = (f"sleep .5; '{WEIR}' kernel run nimbus -q -o '{out}' -- "
             f"iperf3 -c $WEIR_PEER -t {SECONDS} -J")
    done = subprocess.run([WEIR, "link", "--rate", f"{LINK_BPS / 1e6} Mbit/s", "--delay", f"{RTT_MS / 2}ms", "--buffer",
                           "2BDP", "-q", "--verdict", verdict, "--beyond", "iperf3 -s -1 >/dev/null 2>&1", "--", "sh", "-c", inner],
                          text=True, capture_output=True, timeout=90, check=False)
    if done.returncode == 4:
        return None
    if done.returncode:
        fail("exit", done.returncode, done.stdout[-1000:], done.stderr)
    return json.loads(done.stdout)


def a_stock_program_is_driven():
    out, verdict = (os.path.join(FOLDER.name, name) for name in ("out", "verdict"))
    seen = None
    for _ in range(TRIES):
        shutil.rmtree(out, ignore_errors=True)
        if seen := drive(out, verdict):
            break
    else:
        skip("the link was invalid", TRIES, "times: this machine is too busy")
    if seen["end"]["sender_tcp_congestion"] != "weir_nimbus":
        fail(seen["end"]["sender_tcp_congestion"])
    with open(os.path.join(out, "series.csv"), encoding="ascii", newline="") as f:
        series = list(csv.reader(f))[1:]
    summary = json.loads(pathlib.Path(out, "summary.json").read_text(encoding="ascii"))
    goodput = slope(values(series, "delivered_bytes")) * 8 / LINK_BPS / SHARE
    rtt_ms = mean(values(series, "rtt_ms"))
    mode, pacing = values(series, "cc.mode"), values(series, "pacing_bps")
    pulse, beside = part(pacing, 5), part(pacing, 3)
    mu, receive = (mean(values(series, f"cc.{name}_bps")) / LINK_BPS / SHARE for name in ("mu", "receive"))
    print(f"goodput {goodput:.3f} of the link, RTT {rtt_ms:.1f} ms, competitive {mean(mode):.2f} of the time, "
          f"pulses {pulse:.3f} of the mean, {beside:.3f} beside, mu {mu:.3f}, R {receive:.3f}; calls lost: "
          f"{summary['calls_dropped']}")
    # alone: the link nearly full, and nobody to compete with
    if not .8 < goodput < 1.02 or mean(mode) > .5:
        fail("alone on a link")
    if not RTT_MS < rtt_ms < RTT_MS + 60:
        fail("RTT", rtt_ms, "with a buffer of", 2 * RTT_MS, "ms")
    # mu/4 of half a sine for a quarter of a period has .12 of mu at its frequency
    if not .07 < pulse < .2 or beside > pulse / 3:
        fail("no pulses")
    if not .9 < mu < 1.15 or not .8 < receive < 1.1:
        fail("rate samples")


def main():
    have = subprocess.run([WEIR, "kernel", "run", "reno", "--", "true"], capture_output=True, text=True, timeout=60,
                          check=False)
    if have.returncode == 3 or registered():
        skip(have.stderr.strip() or f"{registered()} are in use on this machine")
    in_no_other_way()
    print("ok in_no_other_way")
    if not shutil.which("iperf3"):
        skip("iperf3 is not installed: no stock program to drive")
    a_stock_program_is_driven()
    print("ok a_stock_program_is_driven")
    if registered():
        fail("left:", registered())


main()

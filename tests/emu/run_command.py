#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run --on emu`: signals, several controllers, marks, IPv6, more flows than hosts."""
import json
import os
import signal
import sys
import time

from run_common import Skipped, check, flow, link, main, nothing_left, path, read_json, run, start_run, within, write

ONE = """
duration: %s
paths: {main: {hops: [{name: wire, rate: 20 Mbit/s, delay: 5 ms, buffer: 20 ms}]}}
flows:
  - {name: only, controller: kernel:cubic}
"""


def interrupted(number):
    folder = path("interrupted")
    process = start_run(write("scenario.yaml", ONE % "20 s"), "-o", folder)
    time.sleep(3.5)
    process.send_signal(number)
    _, err = process.communicate(timeout=15)
    check(process.returncode == 1 and "interrupted" in err, "exit", process.returncode, err)
    summary = read_json(folder, "summary.json")
    check(summary["interrupted"] is True, summary["interrupted"])
    within(summary["simulated_s"], .5, 4, "emulated")
    check(flow(summary, "only")["goodput_bps"] > 1e6 and summary["emulation"]["verdict"], summary)
    nothing_left()


def an_interrupt_leaves_what_there_is():
    for number in (signal.SIGINT, signal.SIGTERM):
        interrupted(number)


def an_interrupt_from_the_terminal_reaches_everybody():
    """^C goes to the whole group: processes of flows must leave the ending to their parent."""
    folder = path("terminal")
    process = start_run(write("scenario.yaml", ONE % "20 s"), "-o", folder, start_new_session=True)
    time.sleep(3.5)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=15)
    check(process.returncode == 1 and read_json(folder, "summary.json")["interrupted"], process.returncode, err)
    nothing_left()


def a_killed_run_leaves_nothing():
    process = start_run(write("scenario.yaml", ONE % "20 s"), "-o", path("killed"))
    time.sleep(2.5)
    process.kill()
    process.wait(timeout=10)
    # Its record goes with the next start, which finds its owner gone.
    run(ONE % "200 ms")
    nothing_left(but=[os.path.basename(path("killed"))])


def several_controllers_have_a_run_each():
    """A header of one's own in the kernel, and the kernel's cubic, side by side in one report."""
    header = os.path.join(os.environ["SOURCE_ROOT"], "examples", "toy-aimd.h")
    document, folder = run(ONE % "1500 ms", "--controller", header, "--controller", "kernel:cubic")
    runs = document["runs"]
    check([r["flows"][0]["controller"] for r in runs] == ["toy-aimd", "kernel:cubic"], document)
    with open(os.path.join(folder, "report.html"), encoding="utf-8") as f:
        page = f.read()
    check("toy-aimd" in page and "kernel:cubic" in page, "the report has not both")
    check(flow(runs[0], "only")["signals"]["acked_bytes"]["mean"] > 0, flow(runs[0], "only")["signals"])
    manifest = read_json(folder, runs[0]["directory"], "manifest.json")
    check(manifest["parameters"] == {"only": {"beta": .5}} and "toy_aimd_on_ack" in manifest["controller_header"],
          manifest["parameters"])
    for r in runs:
        check(os.path.exists(os.path.join(folder, r["directory"], "series.csv")), r["directory"])


def marks_arrive():
    summary, _ = run("""
duration: 3 s
paths: {main: {hops: [{name: wire, rate: 20 Mbit/s, delay: 10 ms, buffer: 200 ms, aqm: {name: codel, ecn: true}}]}}
endpoint: {ecn: true}
flows:
  - {name: only, controller: cubic}
""")
    check(link(summary, "wire")["marks"] > 0 and flow(summary, "only")["ce_packets"] > 0, summary)
    check(link(summary, "wire")["drops_by"]["overflow"] == 0, summary["links"])


def ipv6_by_its_headers():
    try:
        with open("/proc/net/if_inet6", encoding="ascii"):
            pass
    except OSError:
        raise Skipped("no IPv6 in this kernel") from None
    summary, _ = run((ONE % "2 s") + "endpoint: {header: 72 B, mss: 1428 B}\n")
    f = flow(summary, "only")
    within(f["throughput_bps"] / f["goodput_bps"], 1500 / 1428 * .98, 1500 / 1428 * 1.1, "headers")


def more_flows_than_hosts():
    summary, _ = run("""
duration: 2 s
paths:
  one: {hops: [{name: wire, rate: 50 Mbit/s, delay: 10 ms}]}
  two: {hops: [wire, {name: tail, rate: 50 Mbit/s, delay: 1 ms}]}
flows:
  - {name: many, path: one, count: 88, controller: reno, start_jitter: 500 ms}
  - {name: few, path: two, count: 2, controller: cubic}
""", timeout_s=90)
    names = {f["name"]: f for f in summary["flows"]}
    check(len(names) == 90, len(names))
    check(all(f["packets_sent"] > 0 for f in names.values()), [n for n, f in names.items() if not f["packets_sent"]])


def notes_say_what_the_kernel_does_in_its_own_way():
    summary, _ = run((ONE % "300 ms") + "endpoint: {initial_window: 3 packets, recovery: newreno}\n")
    notes = json.dumps(summary["notes"])
    for words in ("initial_window", "recovery", "newreno", "not newreno"):
        check(words in notes, "no note of", words, notes)


if __name__ == "__main__":
    sys.exit(main(an_interrupt_leaves_what_there_is, an_interrupt_from_the_terminal_reaches_everybody,
                  a_killed_run_leaves_nothing, several_controllers_have_a_run_each,
                  marks_arrive, ipv6_by_its_headers, more_flows_than_hosts,
                  notes_say_what_the_kernel_does_in_its_own_way))

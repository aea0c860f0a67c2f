#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run --on emu`: acp flows and datagrams of updates over real sockets, and their ages."""
import sys

from run_common import check, flow, main, run, series, valid, within

# Two slow hops: each datagram has its age in closed form, and the links never fill.
AGES = """
duration: 5 s
warmup: 1 s
paths:
  a: {hops: [{name: a, rate: 2 Mbit/s, delay: 20 ms, buffer: 100 packets}]}
  b: {hops: [{name: b, rate: 2 Mbit/s, delay: 20 ms, buffer: 100 packets}]}
  c: {hops: [{name: c, rate: 2 Mbit/s, delay: 20 ms, buffer: 100 packets}]}
flows:
  - {name: plus, path: a, transport: acp, controller: acp-plus}
  - {name: steady, path: b, transport: acp, controller: {name: fixed, rate: 50 Hz}, age_bound: 40 ms}
  - {name: datagrams, path: c, transport: udp, rate: 100 Hz, update: 472 B}
"""
HOST_MS = 4  # of processes that wait for the CPU


def ages_are_those_of_the_simulator():
    simulated, _ = run(AGES, on="sim")
    summary, folder = valid("acp", AGES)
    # 500 B at 2 Mbit/s, 20 ms, and half of 10 ms between two.
    there = flow(summary, "datagrams")
    within(there["age_ms"]["mean"], 27, 27 + HOST_MS, "age of datagrams")
    within(there["updates"]["fresh"], 398, 402, "datagrams")
    # 20 ms between two; half of it is the mean of what a value waits for the next.
    here, there = (flow(s, "steady") for s in (simulated, summary))
    within(there["age_ms"]["mean"], here["age_ms"]["mean"] - 1, here["age_ms"]["mean"] + HOST_MS, "age")
    within(there["age_estimate_ms"]["mean"], there["age_ms"]["mean"] + 19, there["age_ms"]["mean"] + 21 + HOST_MS,
           "the estimate is older by the way back")
    within(there["updates"]["sent"], 190, 202, "updates")
    within(there["backlog_mean"], .9 * here["backlog_mean"], 1.3 * here["backlog_mean"], "backlog")
    within(there["age_ms"]["over_fraction"], 0, .3, "over the bound")
    # The age controller at work: its age, its rate, its round trips are those of the same source in the simulator.
    here, there = (flow(s, "plus") for s in (simulated, summary))
    within(there["age_ms"]["mean"], .8 * here["age_ms"]["mean"], 1.3 * here["age_ms"]["mean"] + HOST_MS, "age of acp-plus")
    # In so short a run it has not settled: a machine that hesitates early on makes it twice as high.
    within(there["updates"]["sent_hz"], .6 * here["updates"]["sent_hz"], 2.2 * here["updates"]["sent_hz"], "rate")
    within(there["rtt_ms"]["p50"], 42, 43 + HOST_MS, "round trip")
    check(there["controller"] == "acp-plus" and there["signals"]["mean_rtt_ms"]["mean"] > 40, there["signals"])
    within(there["updates"]["sent"] - there["updates"]["fresh"], 0, 30, "under way at the end")
    for signal in ("age_ms", "age_estimate_ms", "backlog", "update_hz", "rtt_ms", "cc.mean_gap_ms"):
        check(len(series(folder, "plus", signal)) > 100, signal)


# Two sources over IPv6 beside a download that overflows the queue: nothing stops, and what was lost is told.
BESIDE = """
duration: 3 s
paths:
  main: {hops: [{name: wire, rate: 10 Mbit/s, delay: 10 ms, buffer: 40 ms}]}
flows:
  - {name: sensor, transport: acp, controller: acp-robust, endpoint: {header: 48 B}, count: 2}
traffic:
  - {name: download, controller: kernel:cubic, start: 1 s}
"""


def beside_a_download():
    summary, _ = valid("beside a download", BESIDE)
    for name in ("sensor.1", "sensor.2"):
        f = flow(summary, name)
        check(f["updates"]["outages"] == 0 and f["updates"]["fresh"] > 50, name, f["updates"])
        within(f["age_ms"]["p50"], 10, 120, name)
        within(f["loss_fraction"], 0, .2, name)
    group = next(g for g in summary["groups"] if g["name"] == "sensor.*")
    within(group["age_ms"]["mean"], 10, 150, "of both")


def what_cannot_be_is_refused():
    says, _ = run(AGES.replace("controller: acp-plus}", "controller: acp-plus, update: 1400 B}"), code=2)
    check("at most 1388 B" in says, says)
    says, _ = run(AGES.replace("controller: acp-plus}", "controller: acp-plus, endpoint: {header: 20 B}}"), code=2)
    check("28 bytes (IPv4, UDP) or 48" in says, says)


if __name__ == "__main__":
    sys.exit(main(ages_are_those_of_the_simulator, beside_a_download, what_cannot_be_is_refused))

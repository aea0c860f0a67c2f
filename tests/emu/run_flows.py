#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run --on emu`: kernel TCP and datagrams on emulated paths, against what these paths can carry."""
import sys

from run_common import check, flow, link, main, read_json, run, series, valid, within

MTU, MSS = 1500, 1448
# Between what the model says and what is seen beside the hosts: their own wake-ups.
HOST_MS = 0.5

TWO_CUBIC = """
duration: 6 s
warmup: 2 s
paths:
  main:
    hops:
      - {name: bottleneck, rate: 48 Mbit/s, delay: 20 ms, buffer: 1 BDP}
flows:
  - {name: first, controller: kernel:cubic}
  - {name: second, controller: kernel:cubic, start: 300 ms}
"""


def keys(x):
    """The shape of a document: names only."""
    if isinstance(x, dict):
        return {k: keys(v) for k, v in x.items() if k not in ("signals", "emulation", "one_way_delay_ms")}
    return [keys(x[0])] if isinstance(x, list) and x and isinstance(x[0], dict) else None


def two_cubics_share_a_link():
    summary, folder = valid("two cubics", TWO_CUBIC)
    ceiling = 48e6 * MSS / MTU
    error_ms = summary["emulation"]["rtt_error_us"] / 1e3
    both = [flow(summary, name) for name in ("first", "second")]
    within(sum(f["goodput_bps"] for f in both), .95 * ceiling, 1.005 * ceiling, "goodput of both")
    for f in both:
        check(f["controller"] == "kernel:cubic", f)
        # 40 ms of path, 40 ms of buffer; the minimum holds whatever the machine does.
        within(f["rtt_ms"]["min"], 40, 80 + HOST_MS + error_ms, "least RTT")
        within(f["rtt_ms"]["p95"], 40, 80 + 1 + HOST_MS + error_ms, "RTT of", f["name"])
        within(f["one_way_delay_ms"]["min"], 20, 60, "one way")
        within(f["queue_delay_ms"]["max"], 1, 40.25, "queue of", f["name"])
        within(f["loss_fraction"], 0, .1, "loss")
        check(f["packets_lost"] <= f["packets_sent"] and f["recoveries"] is None, f)
        for name in ("ssthresh_bytes", "delivery_bps", "min_rtt_ms", "rto_ms"):
            check(f["signals"][name]["last"] > 0, name, f["signals"])
    h = link(summary, "bottleneck")
    check(sum(f["packets_lost"] for f in both) == h["drops"], "lost and dropped differ", both, h)
    within(h["utilization"], .95, 1, "utilization")
    records_are_complete(summary, folder)


def records_are_complete(summary, folder):
    simulated, _ = run(TWO_CUBIC, on="sim")
    check(summary["backend"] == "emu" and simulated["backend"] == "sim" and simulated["emulation"] is None)
    check(keys(summary) == keys(simulated), "fields differ:", keys(summary), keys(simulated))
    e = summary["emulation"]
    for name in ("lateness_us", "gap_us"):
        check(0 <= e[name]["p50"] <= e[name]["p99"] <= e[name]["max"], e)
    check(e["stamped"] in (True, False) and e["overruns"] == 0 and e["reason"] and e["kernel"], e)
    check(e["up"]["packets"] >= flow(summary, "first")["packets_sent"] and e["down"]["packets"] > 0, e)
    manifest = read_json(folder, "manifest.json")
    check(manifest["backend"] == "emu" and manifest["kernel"] == e["kernel"], manifest)
    check(manifest["controllers"] == {"first": "kernel:cubic", "second": "kernel:cubic"}, manifest["controllers"])
    for who, signal in (("first", "srtt_ms"), ("first", "cwnd_bytes"), ("first", "rtt_ms"), ("second", "throughput_bps"),
                        ("link:bottleneck", "queue_bytes"), ("emulator:ferry", "lateness_us"),
                        ("emulator:ferry", "lateness_max_us"), ("first", "one_way_delay_ms")):
        rows = series(folder, who, signal)
        check(len(rows) > 100 and rows[-1][0] > 5.5, who, signal, "has", len(rows), "rows", rows[-1:])
    with open(f"{folder}/report.html", encoding="utf-8") as f:
        page = f.read()
    check(f'class="note verdict {e["verdict"]}"' in page and "The emulator" in page, "the report says no verdict")


def datagrams_come_as_they_were_sent():
    summary, _ = valid("datagrams", """
duration: 4 s
warmup: 500 ms
paths: {main: {hops: [{name: wire, rate: 20 Mbit/s, delay: 5 ms}]}}
traffic:
  - {name: constant, application: cbr, rate: 8 Mbit/s}
  - {name: random, application: poisson, rate: 4 Mbit/s}
""")
    constant, random = flow(summary, "constant"), flow(summary, "random")
    within(constant["throughput_bps"], 7.96e6, 8.04e6, "constant rate")
    within(constant["goodput_bps"], 7.96e6 * 1472 / 1500, 8.04e6 * 1472 / 1500, "its payload")
    # 1167 datagrams on average: five standard deviations are 15 %.
    within(random["throughput_bps"], .85 * 4e6, 1.15 * 4e6, "random rate")
    for f in (constant, random):
        check(f["packets_lost"] == 0 and f["controller"] is None and f["rtt_ms"] is None, f)
        within(f["one_way_delay_ms"]["min"], 5.6, 6.6, "one way")  # 1500 bytes take .6 ms


def two_hops_and_a_reverse_flow():
    summary, _ = valid("two hops", """
duration: 5 s
warmup: 1500 ms
paths:
  main:
    hops:
      - {name: access, rate: 40 Mbit/s, delay: 2 ms}
      - {name: narrow, rate: 10 Mbit/s, delay: 8 ms, buffer: 30 ms}
    back: {hops: [{name: home, rate: 4 Mbit/s, delay: 10 ms, buffer: 60 ms}]}
flows:
  - {name: down, controller: kernel:reno}
  - {name: up, controller: kernel:cubic, reverse: true, application: {name: paced, rate: 2 Mbit/s}}
""")
    down, up = flow(summary, "down"), flow(summary, "up")
    # Each way carries the other's acknowledgements, 52 bytes for at least each 1500.
    within(down["goodput_bps"], .8 * 10e6 * MSS / MTU, 10e6 * MSS / MTU, "there")
    within(up["goodput_bps"], .98 * 2e6, 1.02 * 2e6, "back")
    within(down["rtt_ms"]["min"], 20, 120, "RTT there")
    check(up["controller"] == "kernel:cubic" and down["controller"] == "kernel:reno", up, down)
    for name, rate in (("access", 40e6), ("narrow", 10e6), ("home", 4e6)):
        # A packet half transmitted at the end of the warm-up counts whole.
        within(link(summary, name)["throughput_bps"], 1e5, rate * 1.001, name)
    check(link(summary, "access")["drops"] == 0, summary["links"])


def flows_start_and_stop_when_told():
    summary, folder = valid("start and stop", """
duration: 4 s
paths: {main: {hops: [{name: wire, rate: 10 Mbit/s, delay: 5 ms, buffer: 20 ms}]}}
flows:
  - {name: early, controller: kernel:cubic, stop: 2 s}
  - {name: late, controller: kernel:cubic, start: 2200 ms}
""")
    early, late = flow(summary, "early"), flow(summary, "late")
    within(early["active_s"], 1.999, 2.001, "active")
    within(late["active_s"], 1.799, 1.801, "active")
    for f in (early, late):
        within(f["goodput_bps"], .8 * 10e6 * MSS / MTU, 10e6 * MSS / MTU, f["name"])
    # After the stop the kernel still sends what it was handed, some 20 ms, through 20 ms of queue.
    after = [v for t, v in series(folder, "early", "throughput_bps") if t > 2.15]
    before = [v for t, v in series(folder, "late", "throughput_bps") if t <= 2.2]
    check(not any(after), "sends after its stop:", after)
    check(not any(before), "sends before its start:", before)


def transfers_are_timed():
    summary, _ = valid("transfers", """
duration: 3 s
paths:
  main: {hops: [{name: wire, rate: 20 Mbit/s, delay: 10 ms}]}
  long: {hops: [{name: far, rate: 100 Mbit/s, delay: 25 ms, buffer: 50 ms}]}
flows:
  - {name: file, path: main, controller: kernel:cubic, application: {name: sized, size: 500 kB}}
  - name: web
    path: main
    controller: kernel:cubic
    application: {name: request-response, size: 5 kB, think: 100 ms}
    start: 1 s
  - {name: wide, path: long, controller: kernel:reno, application: {name: sized, size: 2 MB}, start: 1 s}
""")
    by_size = {c["size"]: c for c in summary["fct_ms"]}
    small, large, wide = by_size["<10kB"], by_size["100kB-1MB"], by_size["1MB-10MB"]
    # A request and its answer: at least a round trip; 2 s of them, each with 100 ms to think.
    within(small["fct_ms"]["min"], 20, 40, "an answer")
    within(small["n"], 12, 17, "answers")
    # 500 kB at 20 Mbit/s are 207 ms and a window that opens takes some round trips.
    check(large["n"] == 1, large)
    within(large["fct_ms"]["mean"], 207, 600, "a file")
    # Seven round trips of slow start. A receiver whose window stays at 60 packets would need 23.
    within(wide["fct_ms"]["mean"], 300, 900, "a file that the receiver does not hold up")
    within(flow(summary, "file")["active_s"], .2, .6, "a file is there only as long as it takes")


if __name__ == "__main__":
    sys.exit(main(two_cubics_share_a_link, datagrams_come_as_they_were_sent, two_hops_and_a_reverse_flow,
                  flows_start_and_stop_when_told, transfers_are_timed))

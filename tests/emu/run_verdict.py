#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run --on emu`: what only runs can show that the emulator stands to: repeats, exports, and what parameters do."""
import json
import os
import sys

from run_common import TRIES, Skipped, check, flow, link, main, read_json, run, valid, within

ONE = """
duration: %s
paths: {main: {hops: [{name: wire, rate: 20 Mbit/s, delay: 5 ms, buffer: 20 ms}]}}
flows:
  - {name: only, controller: kernel:cubic}
"""
# Two registrations of one controller, each with a queue of its own.
PARAMETERS = """
duration: 3 s
warmup: 1 s
paths:
  one: {hops: [{name: wire1, rate: 10 Mbit/s, delay: 10 ms, buffer: 100 ms}]}
  two: {hops: [{name: wire2, rate: 10 Mbit/s, delay: 10 ms, buffer: 100 ms}]}
flows:
  - {name: few, path: one, controller: {name: vegas, alpha: 2, beta: 4}}
  - {name: many, path: two, controller: {name: vegas, alpha: 24, beta: 28}}
"""


def repeats_have_verdicts():
    for _ in range(TRIES):
        summary, _ = run(ONE % "1500 ms", "--repeat", "2")
        if "invalid" not in summary["repeats"]["verdicts"]:
            break
    else:
        raise Skipped(f"repeats: invalid {TRIES} times")
    again = summary["repeats"]
    check(again["n"] == 2 and len(again["verdicts"]) == 2, again)
    goodput = again["flows"][0]["goodput_bps"]
    check(goodput["n"] == 2 and goodput["ci95"][0] <= goodput["mean"] <= goodput["ci95"][1], goodput)


def exports_are_of_real_packets():
    summary, folder = valid("exports", ONE % "2 s", "--controller", "cubic", "--pcap", "--iperf3", "--mahimahi-log",
                            "--qlog")
    files = set(os.listdir(folder))
    wanted = {"packets.pcap", "packets-receiver.pcap", "iperf3.json", "mahimahi-wire.log", "series.csv",
              "trace.qlog"}
    check(wanted <= files, files)
    with open(os.path.join(folder, "trace.qlog"), encoding="utf-8") as f:
        events = [json.loads(record.lstrip("\x1e")) for record in f if "weir:ack" in record]
    check(len(events) > 100 and all(0 <= e["time"] <= 2500 for e in events), len(events), events[:1])
    check(not any("answered otherwise" in note for note in summary["notes"]), summary["notes"])
    sent = flow(summary, "only")["packets_sent"]
    for name in ("packets.pcap", "packets-receiver.pcap"):
        check(os.path.getsize(os.path.join(folder, name)) > sent * 68, name, "has not", sent, "packets")
    with open(os.path.join(folder, "mahimahi-wire.log"), encoding="utf-8") as f:
        departures = sum(" - " in line for line in f)
    within(departures, link(summary, "wire")["packets"] - 60, link(summary, "wire")["packets"] + 60, "departures")
    iperf = read_json(folder, "iperf3.json")
    seconds = [i["sum"]["bits_per_second"] for i in iperf["intervals"]]
    check(len(seconds) == 2, seconds)
    within(seconds[1], .7 * 20e6, 20e6, "the second second")


def parameters_reach_the_program():
    summary, folder = valid("parameters", PARAMETERS)
    few, many = (flow(summary, name)["queue_delay_ms"]["p50"] for name in ("few", "many"))
    print(f"queue: {few:.1f} ms with 2 to 4 packets, {many:.1f} ms with 24 to 28")
    # a packet takes 1.2 ms; a run of a busy machine adds some
    within(few, 1, 10, "2 to 4 packets")
    within(many, 22, 40, "24 to 28 packets")
    manifest = read_json(folder, "manifest.json")
    check(manifest["controllers"] == {"few": "vegas", "many": "vegas"}, manifest["controllers"])
    check([manifest["parameters"][n]["alpha"] for n in ("few", "many")] == [2, 24], manifest["parameters"])
    signals = flow(summary, "many")["signals"]
    within(signals["base_rtt_ms"]["last"], 19.9, 23, "the controller's own base RTT")


if __name__ == "__main__":
    sys.exit(main(repeats_have_verdicts, exports_are_of_real_packets, parameters_reach_the_program))

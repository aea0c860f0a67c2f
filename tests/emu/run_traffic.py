#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir run --on emu`: flows that arrive at random and a player of video, on kernel TCP."""
import sys

from run_common import check, flow, link, main, run, series, valid, within, write

TRAFFIC = """
duration: 5 s
paths:
  main:
    hops:
      - {name: wire, rate: 50 Mbit/s, delay: 20 ms, buffer: 100 ms}
flows:
  - {name: tv, application: {name: video, ladder: "2 Mbit/s, 8 Mbit/s", chunk: 500 ms, buffer: 4 s}, controller: kernel:cubic}
traffic:
  - {name: web, application: arrivals, sizes: %s, load: 2 Mbit/s, controller: kernel:reno}
"""
HOST_MS = 5  # of processes that wait for the CPU


def flows_arrive_as_in_the_simulator():
    """The same flows: their number, their sizes, their starts. Each of 10 packets fits into a first window: 20 ms to the
    other end, and 2.4 ms on the wire, where it is alone; what is in the way is at most the video."""
    sizes = write("sizes.txt", "0 0\n14480 1\n")
    text = TRAFFIC % sizes
    simulated, _ = run(text, on="sim")
    summary, folder = valid("arrivals and a video", text)
    there, here = summary["groups"][0], simulated["groups"][0]
    check(there["flows"] == here["flows"] and 100 < there["flows"] < 250, there["flows"], here["flows"])
    check(there["controller"] == "kernel:reno" and there["retransmitted"] is None and there["rtt_ms"] is None, there)
    done = [g["fct"][0] for g in (there, here)]
    check(all(abs(c["n"] - there["flows"]) <= 5 for c in done), done)
    within(done[0]["fct_ms"]["min"], 20, 20 + 2.4 + HOST_MS, "least completion time")
    within(done[0]["fct_ms"]["p50"], 20, 120 + 2.4 + HOST_MS, "median completion time")
    within(there["goodput_bps"], .95 * here["goodput_bps"], 1.05 * here["goodput_bps"], "goodput")
    check(there["elastic_fraction"] == 0, there)
    check(not [n for n in summary["notes"] if "left out" in n], summary["notes"])
    check(max(v for _, v in series(folder, "web.*", "active_flows")) >= 1)
    a_video_is_played(summary, folder)


def a_video_is_played(summary, folder):
    v = flow(summary, "tv")["video"]
    check(v["rebuffers"] == 0 and v["switches"] == 1, v)
    within(v["startup_s"], .04, .5, "startup")  # a request, and 125 kB in slow start
    within(v["played_s"], 5 - .5, 5, "played")
    check(series(folder, "tv", "video_bitrate_bps")[-1][1] == 8e6)
    within(max(x for _, x in series(folder, "tv", "video_buffer_s")), 3, 4.01, "fullest buffer")
    check(link(summary, "wire")["utilization"] < .7)  # it pauses


if __name__ == "__main__":
    sys.exit(main(flows_arrive_as_in_the_simulator))

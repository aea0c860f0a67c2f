#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The observer itself, over a veth pair: it sees next to nothing there, sees what it is told falsely, and counts
what it sent. Without that, nothing that it says of a link would count."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import outside  # noqa: E402  pylint: disable=wrong-import-position


def veth_adds_next_to_nothing():
    seen = outside.veth(3, rate=10_000_000, size=1000, reply=4, tick=500)
    up, rtt = seen["up"], seen["rtt_error_us"]
    outside.check(up["lost"] == 0 and up["unstamped"] == 0 and seen["down"]["unstamped"] == 0, seen)
    # A packet is stamped, handed over and stamped again in one system call: microseconds, in which the
    # machine may take the processor away now and then, but not from half of all packets.
    outside.check(0 <= rtt["min"] and rtt["p50"] < 100, seen)
    outside.check(seen["process_rtt_error_us"]["p50"] > rtt["p50"], "processes wake later than stamps", seen)
    sent = 10_000_000 / 8000 * 2.5
    outside.check(abs(up["sent"] - sent) < 0.05 * sent, "sent", up["sent"], "of", sent)
    outside.check(abs(up["rate_bps"]["mean"] / 10e6 - 1) < 0.05, seen)


def a_false_ideal_is_seen():
    # Held against a link with 2 ms each way, a bare veth comes 4 ms early.
    early = outside.veth(1.5, rate=1_000_000, size=500, delay=2)["rtt_error_us"]
    outside.check(-4000 <= early["min"] and -4000 <= early["p50"] < -3900, early)
    # Held against 100 Mbit/s: 1500 bytes take 120 us up, 84 bytes 6.72 us down.
    early = outside.veth(1.5, rate=1_000_000, size=1500, link=100_000_000)
    outside.check(-120 <= early["up"]["error_us"]["p50"] < -70, early)
    outside.check(-6.72 <= early["down"]["error_us"]["p50"] < 43, early)
    # 10 Mbit/s on a link of 5: half of what came was not due yet, and an ever longer queue was expected.
    early = outside.veth(1.5, rate=10_000_000, size=1500, reply=0, link=5_000_000)["up"]
    outside.check(early["ideal_queue_max_packets"] > 500 and early["error_us"]["p99"] < -100_000, early)


sys.exit(outside.main(veth_adds_next_to_nothing, a_false_ideal_is_seen))

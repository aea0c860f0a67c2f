#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Field cases of emulators (field-cases.md), seen from outside on emulated links: A14, B1, B5, B7. A run that the
link itself calls invalid is repeated twice, then skipped by name, except where `invalid` is a right answer."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import outside  # noqa: E402  pylint: disable=wrong-import-position


def valid(name, probe):
    """What `probe` gave, from a run that the link stands to."""
    for _ in range(3):
        seen, said = probe()
        if said["verdict"] != "invalid":
            return seen
    raise outside.Skipped(f"{name}: invalid three times: {said.get('reason', '')}")


def b1_a_long_delay_drops_nothing():
    # 95 % of 100 Mbit/s, a second on its way: up to 7900 packets are inside. A busy machine may send fewer; a line
    # of 1000 packets would let 3500 pass.
    link = outside.Link(100_000_000, 1000, buffer="1s")
    seen = valid("B1", lambda: link.probe(2.5, rate=95_000_000, size=1500, reply=10, tick=500, skip=0))
    outside.check(seen["up"]["lost"] == 0 and seen["down"]["lost"] == 0, seen)
    outside.check(seen["up"]["received"] > 8000, seen)


def b5_the_rate_holds_for_ecn():
    for options in ((), ("--aqm", "codel", "--ecn")):
        link = outside.Link(20_000_000, 10, buffer="100ms", options=options)
        seen = valid("B5", lambda link=link: link.probe(2, rate=26_000_000, size=1500, reply=0, tick=500,
                                                        plain=True, ecn=True, skip=0.5))["up"]
        outside.check(abs(seen["rate_bps"]["mean"] / 20e6 - 1) <= 0.01, options, seen)
        outside.check((seen["ce"] > 0) == bool(options), options, seen)


def b7_no_loss_below_the_rate():
    link = outside.Link(8_000_000, 20, buffer="40packets")

    def probe():
        for _ in range(3):
            seen, said = link.probe(5, rate=7_600_000, size=1200, reply=20, skip=0)
            # A sender that was kept from running sends a burst. Only where no true link would have dropped any
            # of it does a loss count.
            if seen["up"]["ideal_queue_max_packets"] < 39:
                return seen, said
        raise outside.Skipped("B7: the sender's own bursts fill 40 packets")
    seen = valid("B7", probe)
    outside.check(seen["up"]["lost"] == 0, seen)


def a14_a_fixed_window_swings_only_where_invalid():
    stream = outside.Stream(window_bytes=10_000_000)  # 1 Gbit/s x 80 ms
    said = stream.run(outside.Link(1_000_000_000, 40, buffer="10MB"), 4.5)
    # Windows of 200 ms: what a reader that slept for 20 ms misses in one of 100 it finds in the next.
    windows = [rate / 1e6 for rate in stream.rates_bps(2, 4)]
    rates = [(a + b) / 2 for a, b in zip(windows[::2], windows[1::2])]
    mean = sum(rates) / len(rates)
    print(f"A14: {mean:.0f} Mbit/s ({min(rates):.0f} to {max(rates):.0f}), {said['verdict']}: {said.get('reason', '')}")
    # The kernel takes headers and its own structures off the window: what rate that is exactly is not the point.
    steady = mean > 600 and min(rates) > 0.8 * mean and max(rates) < 1.2 * mean
    outside.check(steady or said["verdict"] == "invalid", "swings, and", said["verdict"], rates)


sys.exit(outside.main(b1_a_long_delay_drops_nothing, b5_the_rate_holds_for_ecn, b7_no_loss_below_the_rate,
                      a14_a_fixed_window_swings_only_where_invalid))

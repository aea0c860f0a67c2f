#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weir link`: a kernel TCP connection (cubic) through it, in windows of 100 ms at its far end."""
import sys

import outside
from link_common import TRIES, Skipped, check, main

CEILING = 1448 / 1500  # payload of a packet with time stamps


def share_of_the_ceiling(rate_bps, buffer, seconds=7, from_s=3):
    """(share, verdict) of the first run that the link stands to."""
    for _ in range(TRIES):
        stream = outside.Stream()
        verdict = stream.run(outside.Link(rate_bps, 10, buffer=buffer), seconds)
        rates = stream.rates_bps(from_s, seconds - 0.5)
        share = sum(rates) / len(rates) / rate_bps / CEILING
        print(f"{rate_bps / 1e6:g} Mbit/s, {buffer}: {share:.2%} of the ceiling, {verdict['verdict']}: "
              f"{verdict['reason']}", flush=True)
        if verdict["verdict"] != "invalid":
            return share, verdict
    raise Skipped(f"TCP at {rate_bps / 1e6:g} Mbit/s: invalid {TRIES} times: {verdict['reason']}")


def tcp_fills_the_link():
    """A drop-tail buffer of 1 BDP is what cubic needs to keep a link busy while it backs off to .7 of its window. What
    was asked bounds it from above: it holds within .2 %."""
    share, verdict = share_of_the_ceiling(100_000_000, "1BDP")
    check(0.95 <= share <= 1.002, share)
    check(verdict["overruns"] == 0, verdict)


if __name__ == "__main__":
    sys.exit(main(tcp_fills_the_link))

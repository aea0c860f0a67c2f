#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""As hogs.py, at length, for check-long: hogs 0, 1, 2 and 4, each priority of the ferry, RTT 50 and 10 ms, and half
a Gbit/s in super-packets. Last, without stamps of arrival, where the link has to guess how long packets waited for it."""
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hogs  # noqa: E402  pylint: disable=wrong-import-position

HOGS = (0, 1, 2, 4)


def hogs_of_all_kinds():
    hogs.table(*({"count": count, "realtime": realtime, "rtt_ms": rtt_ms}
                 for rtt_ms, realtime, count in itertools.product((50, 10), ("off", "on", "auto"), HOGS)))


def hogs_beside_a_gigabit():
    hogs.table(*({"count": count, "realtime": realtime, "rate_bps": 1000 * hogs.MBPS, "burst": 16}
                 for realtime, count in itertools.product(("off", "auto"), HOGS)))


def hogs_without_stamps():
    hogs.table(*({"count": count, "realtime": realtime, "stamped": False}
                 for realtime, count in itertools.product(("off", "on", "auto"), HOGS)))


sys.exit(hogs.outside.main(hogs_of_all_kinds, hogs_beside_a_gigabit, hogs_without_stamps))

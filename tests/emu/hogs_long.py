#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""As hogs.py, at length, for check-long: hogs 0, 1, 2 and 4, each priority of the ferry, RTT 50 and 10 ms, with and
without stamps of arrival; and half a Gbit/s in super-packets."""
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hogs  # noqa: E402  pylint: disable=wrong-import-position

HOGS = (0, 1, 2, 4)


def hogs_of_all_kinds():
    kinds = itertools.product(HOGS, ("off", "on", "auto"), (50, 10), (True, False))
    hogs.table(*({"count": count, "realtime": realtime, "rtt_ms": rtt_ms, "stamped": stamped}
                 for count, realtime, rtt_ms, stamped in kinds))


def hogs_beside_a_gigabit():
    hogs.table(*({"count": count, "realtime": realtime, "rate_bps": 1000 * hogs.MBPS, "burst": 16}
                 for count, realtime in itertools.product(HOGS, ("off", "auto"))))


sys.exit(hogs.outside.main(hogs_of_all_kinds, hogs_beside_a_gigabit))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the verdict say what an outside observer sees, however busy the machine is? Busy loops beside the link,
normal and real-time priority of the ferry. A link flagged by mistake, or missed, fails the test: there is no
invalid run here that would have to be repeated.

Hogs 0 and 4 here, for `make check`; hogs_long.py has the rest."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import outside  # noqa: E402  pylint: disable=wrong-import-position

MBPS = 1_000_000


def observe(count, realtime, rtt_ms=50, stamped=True, seconds=8, rate_bps=100 * MBPS, burst=1):
    """One line of the table; whether the verdict is right. The load is half of the rate, a thousand packets in a
    second are answered."""
    # A buffer that even a sender kept from running for a while does not fill: what is lost is the link's fault.
    link = outside.Link(rate_bps, rtt_ms / 2, buffer="1s", realtime=realtime, stamped=stamped)
    with outside.hogs(count, seconds):
        seen, said = link.probe(seconds, rate=rate_bps // 2, size=1500, reply=rate_bps // (25 * MBPS), tick=500, skip=0,
                                burst=burst)
    rtt, rate = outside.outside_error(seen, rtt_ms)
    right = outside.agrees(said["verdict"], max(rtt, rate))
    print(f"{'ok   ' if right else 'WRONG'} hogs {count}, realtime {realtime}, RTT {rtt_ms} ms, {rate_bps // MBPS} Mbit/s"
          f"{'' if stamped else ', unstamped'}: outside {rtt:.2%} of the RTT at p99, {rate:.2%} of the bytes; "
          f"the link: {said['verdict']}, {said['reason']}", flush=True)
    return right


def table(*cases):
    wrong = [case for case in cases if not observe(**case)]
    outside.check(not wrong, "the verdict and the observer disagree:", wrong)


def hogs_0_and_4():
    """The last one without real-time priority: there the verdict has to turn."""
    table(*({"count": count, "realtime": realtime, "seconds": 3.5}
            for count, realtime in ((0, "auto"), (4, "auto"), (4, "off"))))


if __name__ == "__main__":
    sys.exit(outside.main(hogs_0_and_4))

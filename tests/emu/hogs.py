#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the verdict say what an outside observer sees, however busy the machine is? Busy loops beside the link,
normal and real-time priority of the ferry. A link flagged by mistake, or missed, fails the test: there is no
invalid run here that would have to be repeated.

Hogs 0 and 4 here, for `make check`; hogs_long.py has the rest."""
import itertools
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import outside  # noqa: E402  pylint: disable=wrong-import-position

RATE_BPS = 100_000_000
LOAD_BPS = 50_000_000


def observe(count, realtime, rtt_ms, stamped, seconds):
    """One line of the table; whether the verdict is right."""
    # A buffer that even a sender kept from running for a while does not fill: what is lost is the link's fault.
    link = outside.Link(RATE_BPS, rtt_ms / 2, buffer="1s", realtime=realtime, stamped=stamped)
    with outside.hogs(count, seconds):
        seen, said = link.probe(seconds, rate=LOAD_BPS, size=1500, reply=4, tick=500, skip=0)
    rtt, rate = outside.outside_error(seen, rtt_ms)
    right = outside.agrees(said["verdict"], max(rtt, rate))
    print(f"{'ok   ' if right else 'WRONG'} hogs {count} realtime {realtime:<4} RTT {rtt_ms} ms{'' if stamped else ' unstamped'}: outside "
          f"{rtt:.3%} of the RTT at p99, {rate:.3%} of the bytes; the link says {said['verdict']}: "
          f"{said.get('reason', '')}", flush=True)
    return right


def table(hogs, realtimes, rtts_ms, stamps, seconds):
    wrong = [case for case in itertools.product(hogs, realtimes, rtts_ms, stamps) if not observe(*case, seconds)]
    outside.check(not wrong, "the verdict and the observer disagree:", wrong)


def hogs_0_and_4():
    table((0, 4), ("auto", "off"), (50,), (True,), 5)


if __name__ == "__main__":
    sys.exit(outside.main(hogs_0_and_4))
